// SPDX-License-Identifier: Apache-2.0
#include "agent/placement.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/file.h"

namespace ngb::agent {

std::vector<int> choose_cpus(const std::vector<int>& allowed, const std::vector<int>& cores, int threads) {
  const auto wanted = static_cast<std::size_t>(std::max(threads, 1));
  if (allowed.size() <= wanted) return allowed;
  std::vector<int> chosen;
  std::vector<int> seconds;
  std::set<int> used_cores;
  for (std::size_t i = allowed.size(); i-- > 0;)
    (used_cores.insert(cores[i]).second ? chosen : seconds).push_back(allowed[i]);
  chosen.insert(chosen.end(), seconds.begin(), seconds.end());
  chosen.resize(wanted);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::vector<int> other_cpus(const std::vector<int>& allowed, const std::vector<int>& taken) {
  std::vector<int> others = allowed;
  std::erase_if(others, [&](int cpu) { return std::find(taken.begin(), taken.end(), cpu) != taken.end(); });
  return others.empty() ? allowed : others;
}

std::vector<int> cores_of(const std::vector<int>& cpus) {
  std::vector<int> cores;
  for (const int cpu : cpus) {
    // "0,64" or "0-1": the lowest of the siblings stands for the core.
    const Result<std::string> siblings =
        file::read(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu), 65536);
    int core = cpu;
    if (siblings) std::from_chars(siblings->data(), siblings->data() + siblings->size(), core);
    cores.push_back(core);
  }
  return cores;
}

bool confine(pid_t pid, const std::vector<int>& cpus) {
  if (cpus.empty()) return false;
  const auto count = static_cast<std::size_t>(*std::max_element(cpus.begin(), cpus.end())) + 1;
  cpu_set_t* const set = CPU_ALLOC(count);
  if (set == nullptr) return false;
  const std::size_t size_bytes = CPU_ALLOC_SIZE(count);
  CPU_ZERO_S(size_bytes, set);
  for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), size_bytes, set);
  const bool done = ::sched_setaffinity(pid, size_bytes, set) == 0;
  CPU_FREE(set);
  return done;
}

}  // namespace ngb::agent
