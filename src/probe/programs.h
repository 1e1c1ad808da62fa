// SPDX-License-Identifier: Apache-2.0
// Finds the programs of a machine that use its processors.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "samples/process_result.h"

namespace ngb::probe {

struct Program {
  std::string name{};  // the kernel's: at most 15 bytes
  pid_t parent = 0;
  std::uint64_t start_ticks = 0;           // after the machine's start; with the pid, it identifies the process
  std::uint64_t cpu_ticks = 0;             // used by itself
  std::uint64_t ended_children_ticks = 0;  // used by those below it that have ended and were waited for
};

// Returns every process that /proc shows, by pid. Reads a file for each: a few milliseconds on a usual machine.
std::map<pid_t, Program> programs(const std::string& root = "/");

// Returns the programs that used processors between two results of `programs`, at most `most`, the busiest first. The
// processes in `without` are left out, with what ended below them. What ended below a program in between is not counted
// for that program: it has the name and the number of the busiest one that was there at the first result, else the name
// "children of bash" and the program's number.
std::vector<samples::Neighbour> busiest_between(const std::map<pid_t, Program>& before,
                                                const std::map<pid_t, Program>& after, const std::set<pid_t>& without,
                                                std::size_t most);

}  // namespace ngb::probe
