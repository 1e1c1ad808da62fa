// SPDX-License-Identifier: Apache-2.0
#include "probe/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/file.h"
#include "base/text.h"
#include "probe/tree.h"

namespace ngb::probe {
namespace {

// Parses the fields 2, 4, 14 … 17 and 22 of /proc/<pid>/stat (proc(5)). The name in field 2 may contain any characters.
std::optional<Program> parse_program(std::string_view stat) {
  const std::size_t begin = stat.find('(');
  const std::size_t end = stat.rfind(')');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return std::nullopt;
  constexpr std::size_t kFirstField = 3;  // the one behind the name
  const std::vector<std::string> fields = words(text::trim(stat.substr(end + 1)));
  if (fields.size() <= 22 - kFirstField) return std::nullopt;
  Program program;
  program.name = text::to_utf8(stat.substr(begin + 1, end - begin - 1));
  program.parent = static_cast<pid_t>(parse_unsigned(fields[4 - kFirstField]).value_or(0));
  const auto ticks = [&](std::size_t field) { return parse_unsigned(fields[field - kFirstField]).value_or(0); };
  program.cpu_ticks = ticks(14) + ticks(15);
  program.ended_children_ticks = ticks(16) + ticks(17);
  program.start_ticks = parse_unsigned(fields[22 - kFirstField]).value_or(0);
  return program;
}

using Programs = std::map<pid_t, Program>;

// Returns whether the process of that number is the same one in both.
bool lives_on(const Programs& before, const Programs& after, pid_t pid) {
  const auto then = before.find(pid);
  const auto now = after.find(pid);
  return then != before.end() && now != after.end() && then->second.start_ticks == now->second.start_ticks;
}

// What ended below a program that lives on.
struct Ended {
  std::uint64_t earlier_ticks = 0;  // used before the first reading: the kernel adds them to the program's children
  std::uint64_t most_ticks = 0;     // of these, by the busiest one
  std::string busiest{};            // its name; "": none was there at the first reading
  pid_t pid = 0;                    // its number
};

// Returns by pid what ended below each program.
std::map<pid_t, Ended> ended_below(const Programs& before, const Programs& after) {
  std::map<pid_t, Ended> below;
  for (const auto& [pid, program] : before) {
    if (lives_on(before, after, pid)) continue;
    pid_t heir = program.parent;
    // Numbers that were reused while /proc was read may form a circle.
    for (std::size_t steps = 0; steps < before.size() && before.contains(heir) && !lives_on(before, after, heir);
         ++steps) {
      heir = before.at(heir).parent;
    }
    Ended& ended = below[heir];
    const std::uint64_t all_ticks = program.cpu_ticks + program.ended_children_ticks;
    ended.earlier_ticks += all_ticks;
    if (!ended.busiest.empty() && program.cpu_ticks <= ended.most_ticks) continue;
    ended.most_ticks = program.cpu_ticks;
    ended.busiest = program.name;
    ended.pid = pid;
  }
  return below;
}

std::uint64_t growth(std::uint64_t now, std::uint64_t then) { return now - std::min(then, now); }

}  // namespace

std::map<pid_t, Program> programs(const std::string& root) {
  const Tree tree(root);
  std::map<pid_t, Program> found;
  for (const std::string& name : tree.names("/proc", "")) {
    const auto pid = parse_unsigned(name);
    if (!pid) continue;
    const Result<std::string> stat = file::read(tree.real(fmt::format("/proc/{}/stat", name)));
    if (!stat) continue;  // it has ended meanwhile
    if (std::optional<Program> program = parse_program(*stat)) found[static_cast<pid_t>(*pid)] = *std::move(program);
  }
  return found;
}

std::vector<samples::Neighbour> busiest_between(const std::map<pid_t, Program>& before,
                                                const std::map<pid_t, Program>& after, const std::set<pid_t>& without,
                                                std::size_t most) {
  const std::map<pid_t, Ended> below = ended_below(before, after);
  std::vector<samples::Neighbour> busy;
  const auto add = [&](const std::string& name, pid_t pid, std::uint64_t ticks) {
    if (ticks > 0) busy.push_back({name, pid, static_cast<std::int64_t>(ticks) * tick_ns()});
  };
  for (const auto& [pid, program] : after) {
    if (without.contains(pid)) continue;
    const Program then = lives_on(before, after, pid) ? before.at(pid) : Program{};
    add(program.name, pid, growth(program.cpu_ticks, then.cpu_ticks));
    const auto found = below.find(pid);
    const Ended ended = found == below.end() ? Ended{} : found->second;
    const std::uint64_t of_ended =
        growth(program.ended_children_ticks, then.ended_children_ticks + ended.earlier_ticks);
    if (ended.busiest.empty()) {
      add("children of " + program.name, pid, of_ended);
    } else {
      add(ended.busiest, ended.pid, of_ended);
    }
  }
  std::stable_sort(busy.begin(), busy.end(), [](const auto& a, const auto& b) { return a.cpu_ns > b.cpu_ns; });
  if (busy.size() > most) busy.resize(most);
  return busy;
}

}  // namespace ngb::probe
