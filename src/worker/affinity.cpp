// SPDX-License-Identifier: Apache-2.0
#include "worker/affinity.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>

#include "base/file.h"
#include "probe/probe.h"

namespace ngb::worker {

std::vector<int> choose_cpus(std::span<const int> allowed, int threads) {
  const std::size_t count = std::min(allowed.size(), static_cast<std::size_t>(std::max(threads, 1)));
  const auto chosen = allowed.last(count);
  return {chosen.begin(), chosen.end()};
}

std::string cpu_list(std::span<const int> cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t end = i + 1;
    while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += end - i == 1 ? fmt::format("{}", cpus[i]) : fmt::format("{}-{}", cpus[i], cpus[end - 1]);
    i = end;
  }
  return text;
}

Result<std::string> pin_to_cpus(int threads) {
  const std::vector<int> allowed = probe::allowed_cpus();
  const std::vector<int> chosen = choose_cpus(allowed, threads);
  if (chosen.empty()) return fail("no processor is allowed", "affinity");
  const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(chosen.back()) + 1);
  std::vector<cpu_set_t> set(bytes / sizeof(cpu_set_t) + 1);
  for (const int cpu : chosen) CPU_SET_S(static_cast<std::size_t>(cpu), bytes, set.data());
  if (::sched_setaffinity(0, bytes, set.data()) != 0) {
    return tl::unexpected(file::from_errno("pin to processors " + cpu_list(chosen), "affinity", errno));
  }
  const std::vector<int> now = probe::allowed_cpus();
  const std::string text = cpu_list(now);
  if (now.size() >= static_cast<std::size_t>(threads)) return text;
  return fmt::format("{} ({} processors for {} threads)", text, now.size(), threads);
}

}  // namespace ngb::worker
