// SPDX-License-Identifier: Apache-2.0
// Describes a load: what runs beside a cell while it is timed, started and ended by the agent.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/record.h"
#include "base/result.h"

namespace ngb::work {

enum class LoadKind { none, cpu, memory, command };
std::string_view name(LoadKind kind);  // "none", "cpu", "memory", "command"
Result<LoadKind> parse_load_kind(std::string_view name);

// Which processors a load runs on, of those that the agent may use: those of the cell's inference (of `cpu`: the
// others as well if it needs more), the others, all, or those that the study lists.
enum class LoadPlace { cell, others, all, listed };
std::string_view name(LoadPlace place);  // "cell", "others", "all", "listed"
Result<LoadPlace> parse_load_place(std::string_view name);

inline constexpr const char* kNoLoad = "none";

struct Load {
  LoadKind kind = LoadKind::none;
  double processors = 0;   // cpu: kept busy; 0.5: half of the time of one
  double bytes_per_s = 0;  // memory: read and written
  std::string command{};   // command: for /bin/sh
  LoadPlace place = LoadPlace::cell;
  std::vector<int> listed{};  // the processors, if the study lists them
  double wait_s = 1;          // command: between its start and the warm-up
  // The load as a study says it, without what equals the defaults: "none", "cpu: 50%", "memory: 4 GB/s",
  // "command: make -j". Two loads of a study have different names.
  std::string name = kNoLoad;
  bool operator==(const Load&) const = default;

  [[nodiscard]] bool is_none() const { return kind == LoadKind::none; }

  static constexpr auto fields(auto visit) {
    return visit(Field{"kind", &Load::kind}, Field{"processors", &Load::processors},
                 Field{"bytes_per_s", &Load::bytes_per_s}, Field{"command", &Load::command},
                 Field{"place", &Load::place}, Field{"listed", &Load::listed}, Field{"wait_s", &Load::wait_s},
                 Field{"name", &Load::name});
  }
};

// Returns where a load of that kind runs if the study does not say: `cpu` competes with the cell for its processors,
// `memory` for its memory only, and a command runs where the system puts it.
LoadPlace usual_place(LoadKind kind);

}  // namespace ngb::work
