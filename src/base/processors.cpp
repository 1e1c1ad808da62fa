// SPDX-License-Identifier: Apache-2.0
#include "base/processors.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <set>
#include <thread>
#include <utility>

#include "base/file.h"

namespace ngb {

int processor_count() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

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

std::vector<int> part_of_cpus(const std::vector<int>& cpus, const std::vector<int>& cores, int index, int count) {
  std::vector<std::pair<int, int>> by_core;
  for (std::size_t i = 0; i < cpus.size(); ++i) by_core.emplace_back(cores[i], cpus[i]);
  std::sort(by_core.begin(), by_core.end());
  const std::size_t size = cpus.size() / static_cast<std::size_t>(count);
  std::vector<int> part;
  for (std::size_t i = 0; i < size; ++i) part.push_back(by_core[static_cast<std::size_t>(index) * size + i].second);
  std::sort(part.begin(), part.end());
  return part;
}

std::vector<int> other_cpus(const std::vector<int>& allowed, const std::vector<int>& taken) {
  std::vector<int> others = allowed;
  std::erase_if(others, [&](int cpu) { return std::find(taken.begin(), taken.end(), cpu) != taken.end(); });
  return others.empty() ? allowed : others;
}

std::vector<int> cores_of(const std::vector<int>& cpus) {
  std::vector<int> cores;
  for (const int cpu : cpus) {
    // "0,64" or "0-1": the lowest sibling identifies the core.
    const Result<std::string> siblings =
        file::read(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu), 65536);
    int core = cpu;
    if (siblings) std::from_chars(siblings->data(), siblings->data() + siblings->size(), core);
    cores.push_back(core);
  }
  return cores;
}

bool confine(pid_t pid, const std::vector<int>& cpus) {
  errno = EINVAL;
  if (cpus.empty()) return false;
  const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(*std::max_element(cpus.begin(), cpus.end())) + 1);
  std::vector<cpu_set_t> set(bytes / sizeof(cpu_set_t) + 1);
  for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), bytes, set.data());
  return ::sched_setaffinity(pid, bytes, set.data()) == 0;
}

}  // namespace ngb
