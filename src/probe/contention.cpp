// SPDX-License-Identifier: Apache-2.0
#include "probe/contention.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "probe/cgroup.h"

namespace ngb::probe {
namespace {

using samples::Reading;

constexpr std::int64_t kLeastTicks = 20;  // a tick is at most 5 % of that

struct Growth {
  double ran_ns = 0;
  double waited_ns = 0;
};

// A thread that is missing in `before` began at 0.
std::vector<Growth> growth_of(const std::map<pid_t, ThreadTime>& before, const std::map<pid_t, ThreadTime>& after) {
  std::vector<Growth> threads;
  for (const auto& [thread, now] : after) {
    const auto known = before.find(thread);
    const ThreadTime then = known == before.end() ? ThreadTime{} : known->second;
    // The number of an ended thread may belong to a new one.
    const bool is_new = now.ran_ns < then.ran_ns || now.waited_ns < then.waited_ns;
    threads.push_back({static_cast<double>(now.ran_ns - (is_new ? 0 : then.ran_ns)),
                       static_cast<double>(now.waited_ns - (is_new ? 0 : then.waited_ns))});
  }
  return threads;
}

double ran_ns(const std::vector<Growth>& threads) {
  double sum = 0;
  for (const Growth& thread : threads) sum += thread.ran_ns;
  return sum;
}

double longest_wait_ns(const std::vector<Growth>& threads, double elapsed_ns) {
  const double least_ns = std::min(elapsed_ns, ran_ns(threads)) / 100;
  double longest = 0;
  for (const Growth& thread : threads) {
    if (thread.ran_ns > least_ns) longest = std::max(longest, thread.waited_ns);
  }
  return longest;
}

}  // namespace

ContentionMeter::ContentionMeter(const std::string& process, std::vector<int> cpus, const std::string& root)
    : tree_(root),
      tasks_{fmt::format("/proc/{}/task", process)},
      cpus_(std::move(cpus)),
      throttle_files_(cgroup_throttle_files(tree_)) {}

ContentionMeter::ContentionMeter(const std::vector<pid_t>& processes, std::vector<int> cpus, const std::string& root)
    : tree_(root), cpus_(std::move(cpus)), throttle_files_(cgroup_throttle_files(tree_)) {
  for (const pid_t process : processes) tasks_.push_back(fmt::format("/proc/{}/task", process));
}

Known<std::map<pid_t, ThreadTime>> ContentionMeter::read_threads() const {
  using Threads = Known<std::map<pid_t, ThreadTime>>;
  std::map<pid_t, ThreadTime> threads;
  std::string complaint = fmt::format("no {} on this machine", tasks_.front());
  for (const std::string& tasks : tasks_) {
    for (const std::string& name : tree_.names(tasks, "")) {
      const Known<std::string> line = tree_.text(fmt::format("{}/{}/schedstat", tasks, name));
      const std::vector<std::string> fields = words(line.value.value_or(""));
      const auto number = parse_unsigned(name);
      const auto ran = fields.size() < 2 ? std::nullopt : parse_unsigned(fields[0]);
      const auto waited = fields.size() < 2 ? std::nullopt : parse_unsigned(fields[1]);
      if (number && ran && waited) threads[static_cast<pid_t>(*number)] = {*ran, *waited};
      complaint = line.value ? fmt::format("{}/{}/schedstat holds no times", tasks, name) : line.reason;
    }
  }
  return threads.empty() ? Threads::unknown(complaint) : Threads::of(std::move(threads));
}

Known<Ticks> ContentionMeter::read_ticks() const {
  const Known<std::string> stat = tree_.text("/proc/stat");
  if (!stat.value) return Known<Ticks>::unknown(stat.reason);
  Ticks sum;
  std::size_t found = 0;
  for (const std::string& line : text::split(*stat.value, '\n')) {
    if (!line.starts_with("cpu")) break;  // the processors come first
    const auto number = parse_unsigned(std::string_view(line).substr(3, line.find(' ') - 3));
    if (!number || std::find(cpus_.begin(), cpus_.end(), static_cast<int>(*number)) == cpus_.end()) continue;
    const Known<Ticks> ticks = parse_ticks(line);
    if (!ticks.value) return ticks;
    sum.total += ticks.value->total;
    sum.busy += ticks.value->busy;
    sum.steal += ticks.value->steal;
    ++found;
  }
  if (found < cpus_.size() || found == 0) return Known<Ticks>::unknown("/proc/stat does not list these processors");
  return Known<Ticks>::of(sum);
}

Counters ContentionMeter::read() const {
  Counters counters;
  counters.cpus = cpus_.size();
  counters.ticks = read_ticks();
  counters.throttled_ns = throttle_files_.value ? throttled_ns(tree_, *throttle_files_.value)
                                                : Known<std::uint64_t>::unknown(throttle_files_.reason);
  counters.threads = read_threads();
  counters.taken_ns = system_clock().now().count();
  return counters;
}

std::vector<Reading> waits_between(const Counters& before, const Counters& after) {
  const auto elapsed_ns = static_cast<double>(after.taken_ns - before.taken_ns);
  const auto percent = [](double part, double whole) { return Known<double>::of(100 * part / whole); };
  using Value = Known<double>;
  const std::string too_short = fmt::format("shorter than {} ticks of the kernel's clock", kLeastTicks);
  const bool is_short = after.taken_ns - before.taken_ns < kLeastTicks * tick_ns();

  const std::string& no_threads = before.threads.value ? after.threads.reason : before.threads.reason;
  const bool has_threads = before.threads.value && after.threads.value && elapsed_ns > 0;
  const std::vector<Growth> threads =
      has_threads ? growth_of(*before.threads.value, *after.threads.value) : std::vector<Growth>{};
  const auto wait = [&] {
    if (!has_threads) return Value::unknown(no_threads.empty() ? "no time has passed" : no_threads);
    return percent(longest_wait_ns(threads, elapsed_ns), elapsed_ns);
  };

  const std::string& no_ticks = before.ticks.value ? after.ticks.reason : before.ticks.reason;
  const bool has_ticks =
      before.ticks.value && after.ticks.value && after.ticks.value->total > before.ticks.value->total;
  const auto of_ticks = [&](auto part) {
    if (is_short) return Value::unknown(too_short);
    if (!has_ticks) return Value::unknown(no_ticks.empty() ? "the ticks of /proc/stat do not grow" : no_ticks);
    return part(static_cast<double>(after.ticks.value->total - before.ticks.value->total));
  };
  const auto grown = [&](std::uint64_t Ticks::* column) {
    const std::uint64_t then = *before.ticks.value.*column;
    return static_cast<double>(std::max(*after.ticks.value.*column, then) - then);
  };
  const auto steal = [&](double total) { return percent(grown(&Ticks::steal), total); };
  const auto others = [&](double total) {
    if (!has_threads) return Value::unknown(no_threads);
    const double own = ran_ns(threads) / static_cast<double>(tick_ns());
    return percent(std::max(grown(&Ticks::busy) - grown(&Ticks::steal) - own, 0.0), total);
  };

  const auto throttled = [&] {
    if (is_short) return Value::unknown(too_short);
    if (!before.throttled_ns.value) return Value::unknown(before.throttled_ns.reason);
    if (!after.throttled_ns.value) return Value::unknown(after.throttled_ns.reason);
    const std::uint64_t then = *before.throttled_ns.value;
    const auto stopped = static_cast<double>(std::max(*after.throttled_ns.value, then) - then);
    return percent(stopped, elapsed_ns * static_cast<double>(std::max<std::size_t>(after.cpus, 1)));
  };

  return {{"run_queue_wait", "percent", "", wait()},
          {"core_steal", "percent", "", of_ticks(steal)},
          {"throttled", "percent", "", throttled()},
          {"other_cpu", "percent", "", of_ticks(others)}};
}

std::optional<double> left_ns(const Counters& before, const Counters& after) {
  if (!before.threads.value || !after.threads.value) return std::nullopt;
  const auto elapsed_ns = static_cast<double>(after.taken_ns - before.taken_ns);
  const double used_ns = ran_ns(growth_of(*before.threads.value, *after.threads.value));
  return std::max(elapsed_ns * static_cast<double>(after.cpus) - used_ns, 0.0);
}

Counters without(Counters before, const Counters& pause_begin, const Counters& pause_end) {
  before.taken_ns += pause_end.taken_ns - pause_begin.taken_ns;
  if (before.threads.value && pause_begin.threads.value && pause_end.threads.value) {
    for (const auto& [thread, now] : *pause_end.threads.value) {
      const auto then = pause_begin.threads.value->find(thread);
      if (then == pause_begin.threads.value->end()) continue;
      ThreadTime& time = (*before.threads.value)[thread];
      time.ran_ns += now.ran_ns - then->second.ran_ns;
      time.waited_ns += now.waited_ns - then->second.waited_ns;
    }
  }
  if (before.ticks.value && pause_begin.ticks.value && pause_end.ticks.value) {
    before.ticks.value->total += pause_end.ticks.value->total - pause_begin.ticks.value->total;
    before.ticks.value->busy += pause_end.ticks.value->busy - pause_begin.ticks.value->busy;
    before.ticks.value->steal += pause_end.ticks.value->steal - pause_begin.ticks.value->steal;
  }
  if (before.throttled_ns.value && pause_begin.throttled_ns.value && pause_end.throttled_ns.value) {
    *before.throttled_ns.value += *pause_end.throttled_ns.value - *pause_begin.throttled_ns.value;
  }
  return before;
}

}  // namespace ngb::probe
