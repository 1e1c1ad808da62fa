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
  for (std::size_t field = 14; field <= 17; ++field) {
    program.cpu_ticks += parse_unsigned(fields[field - kFirstField]).value_or(0);
  }
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

// Returns, by pid, what the ended processes below a program had used before. The kernel adds all that an ended process
// has used to its parent's time.
std::map<pid_t, std::uint64_t> inherited_ticks(const Programs& before, const Programs& after) {
  std::map<pid_t, std::uint64_t> inherited;
  for (const auto& [pid, program] : before) {
    if (lives_on(before, after, pid)) continue;
    pid_t heir = program.parent;
    // Numbers that were reused while /proc was read may form a circle.
    for (std::size_t steps = 0; steps < before.size() && before.contains(heir) && !lives_on(before, after, heir);
         ++steps) {
      heir = before.at(heir).parent;
    }
    inherited[heir] += program.cpu_ticks;
  }
  return inherited;
}

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
  const std::map<pid_t, std::uint64_t> inherited = inherited_ticks(before, after);
  std::vector<samples::Neighbour> busy;
  for (const auto& [pid, program] : after) {
    std::uint64_t earlier = lives_on(before, after, pid) ? before.at(pid).cpu_ticks : 0;
    if (const auto heir = inherited.find(pid); heir != inherited.end()) earlier += heir->second;
    const std::uint64_t used = program.cpu_ticks - std::min(earlier, program.cpu_ticks);
    if (used == 0 || without.contains(pid)) continue;
    busy.push_back({program.name, pid, static_cast<std::int64_t>(used) * tick_ns()});
  }
  std::stable_sort(busy.begin(), busy.end(), [](const auto& a, const auto& b) { return a.cpu_ns > b.cpu_ns; });
  if (busy.size() > most) busy.resize(most);
  return busy;
}

}  // namespace ngb::probe
