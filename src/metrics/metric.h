// SPDX-License-Identifier: Apache-2.0
// The tables of metrics and of flags. The columns of `ngb show`, JSON keys and docs/metrics.md derive from their rows.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/record.h"
#include "metrics/baseline.h"
#include "metrics/outcome.h"
#include "store/store.h"

namespace ngb::metrics {

struct Value {
  std::optional<double> value{};
  std::optional<double> low{};  // 95 % interval, if the metric has one
  std::optional<double> high{};
  std::string reason{};  // why there is no value

  static constexpr auto fields(auto visit) {  // without the reason
    return visit(Field{"value", &Value::value}, Field{"low", &Value::low}, Field{"high", &Value::high});
  }
};

inline Value unknown(std::string reason) { return {.reason = std::move(reason)}; }

class Analysis;  // analysis.h

// Returns a metric of a cell. What each computes is said by the formula of its row.
using Formula = Value(const Analysis& analysis, std::size_t cell);

// Says which cells a metric tells something about.
enum class About {
  every_cell,
  baseline,   // every cell, which it relates to its baseline (baseline.h)
  load,       // those that have a load
  instances,  // those that have several instances
  variants,   // those of variants
  decoders,   // those of models that generate tokens
  delegates   // those whose compiler hands operators to a delegate
};

// Says which of two values of a metric is the better one, if a verdict can be made of it (judging.h).
enum class Better {
  neither,        // it relates cells to each other, is over inputs, or says what was done rather than what it costs
  higher,         // by the ratio of the processes of two cells
  lower,          // likewise
  lower_exactly,  // sizes of files, which do not vary: any difference beyond the margin is told
  lower_by_difference,  // by the difference of the processes of two cells, because it may be 0
  higher_by_inputs      // by the difference of the inputs over which both were compared
};

struct Metric {
  const char* name;     // snake_case with unit, as in JSON and SQL: "throughput_per_s"
  const char* heading;  // of the column in `ngb show`
  const char* unit;     // "samples/s", "ratio", "percent", "s", "bytes"
  const char* formula;  // in the terms of docs/measurement.md
  const char* source;   // paper section or standard
  bool has_interval;
  // Place of its column in `ngb show`, 1 being the first; those from kFirstToLeaveOut on are left out on a narrow
  // terminal, the highest first. 0: shown with --all only.
  int rank;
  Formula* compute;
  // Case of tests/truth/definitions_test.py, which holds the number against a count and would fail if its definition
  // were another.
  const char* truth;
  const char* deviation = nullptr;  // name of the metric that tables show after "±" in this column; null: none
  About about = About::every_cell;
  Better better = Better::neither;
  // Of one that is judged by a difference: two sides are the same within ± this, in its unit.
  double margin_difference = 0;
  const char* needs = nullptr;  // key of a study that must be true so that processes measure it; null: none

  [[nodiscard]] constexpr bool is_judged_by_difference() const {
    return better == Better::lower_by_difference || better == Better::higher_by_inputs;
  }
  [[nodiscard]] constexpr bool is_higher_better() const {
    return better == Better::higher || better == Better::higher_by_inputs;
  }
};

inline constexpr int kFirstToLeaveOut = 3;  // a rank

std::span<const Metric> metrics();
// Returns null if there is no such metric.
const Metric* find_metric(std::string_view name);

// The inputs of a flag's function.
struct Evidence {
  const store::CellData& cell;
  const Steady& steady;
  const store::CellData* baseline = nullptr;     // to which the cell's speed-up refers; null: none
  std::optional<double> highest_frequency_hz{};  // of the device's processor, over all processes
};

// Returns the value that raises a flag; nothing: it is not raised.
using FlagRule = std::optional<double>(const Evidence& evidence);

// A reason to check a cell's number. A flag does not remove the number.
struct Flag {
  const char* name;  // "spread"
  char mark;  // of a flag that casts doubt on the number: how tables for people write it; ' ' of one to take note of
  const char* threshold;  // when it is raised, for people: "IQR / median > 10 %"
  const char* meaning;    // what it means for the number, and what may help
  FlagRule* raised_by;
  bool shows_value = false;      // the value is written behind the name: "speed_changes 0.83"
  bool forbids_factors = false;  // no sentence says how many times as fast the cell is as another one

  [[nodiscard]] constexpr bool casts_doubt() const { return mark != ' '; }
};
std::span<const Flag> flag_table();

// A flag of a cell, and the value that raised it.
struct RaisedFlag {
  const Flag* flag = nullptr;  // a row of flag_table()
  double value = 0;
};
// Returns the flag that the value says is raised ("flag_spread"); without one, if it says something else.
std::optional<RaisedFlag> raised_flag(const store::DerivedValue& value);
// Returns the name of the first flag that the cell raises by itself and that forbids factors; "" if there is none.
std::string flag_against_factors(const Evidence& evidence);

// Returns the text of docs/metrics.md, made from both tables.
std::string to_markdown();

// Returns a text that changes whenever a formula does. Values that were kept under another version are out of date.
std::string formulas_version();

}  // namespace ngb::metrics
