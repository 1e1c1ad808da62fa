// SPDX-License-Identifier: Apache-2.0
// Cells over time: what several results say of the same cell, in an order, with the environment of each point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "metrics/families.h"
#include "metrics/judging.h"
#include "metrics/metric.h"
#include "samples/environment.h"
#include "store/store.h"

namespace ngb::metrics::history {

// What the points of a line are ordered by. Points that are equal in it are ordered by date, else as they were given.
enum class Order { date, version, commit, label };
std::string_view name(Order order);                 // "date", …
Result<Order> parse_order(std::string_view given);  // the Error lists them

// Results that are one point in the history of each of their cells: a results folder, or a bundle.
struct Source {
  std::string name{};                  // as it was given
  std::int64_t recorded_unix_ns = 0;   // its first run began, by the clock of the client; 0: it has no run
  bool has_clock_jumped_back = false;  // a later run of it has an earlier date
  std::size_t rank = 0;                // Order::commit: its rank among the commits
};

// What the processes of a point that count were made with, and where.
struct Origin {
  std::string version{};           // of the compiler; "" without versions
  std::string label{};             // of the compiler in the study
  std::string toolchain_sha256{};  // of its packages; "": it has none
  std::string ngb_sha256{};        // of ngb-worker
  std::string environment_hash{};  // "": no process has completed
  auto operator<=>(const Origin&) const = default;
};

struct Point {
  std::uint32_t source = 0;  // index
  std::uint32_t origin = 0;  // index; of a point that is not there, that of another one
  bool is_there = true;      // the results have the cell
  Value value{};             // of the metric, or why there is none
};

// The points of one cell, whose version may differ between them, in their order.
struct Line {
  store::CellData cell{};  // of the last point that is there, without processes
  bool is_shown = true;    // else it is only the identity of another line
  std::vector<Point> points{};
  std::optional<std::size_t> identity{};  // index of the line of PyTorch eager, beside which it was measured
  std::string why_no_identity{};
};

struct History {
  Order order = Order::date;
  Judged by{};
  std::vector<Source> sources{};  // as they were given
  std::vector<Origin> origins{};
  std::map<std::string, samples::Environment> environments{};  // by hash
  std::vector<Line> lines{};                                   // in the order in which they were first read
  bool share_days = false;                                     // two sources were recorded on one day, in UTC

  [[nodiscard]] const Origin& origin(const Point& point) const { return origins[point.origin]; }
  [[nodiscard]] const Metric& metric() const;
};

// A difference between two points in what surrounds the cell.
struct Difference {
  std::string entry{};  // "kernel", "cpu_microcode", "version", "toolchain", "ngb", …
  std::string before{};
  std::string after{};
};
// Returns how the origin of a point differs from that of an earlier one, but for what the points are ordered by;
// nothing if one of them is not known.
std::vector<Difference> differences(const History& history, const Point& before, const Point& after);
// A difference that some lines have at the same point.
struct ChangeOfSurroundings {
  std::size_t at = 0;        // index of the point in these lines
  std::uint32_t source = 0;  // of the point
  std::string of{};          // the device; of a version or a toolchain, the compiler
  Difference difference{};
};
// Returns those of all lines that are shown, each once, in the order of the points. A point without a known origin says
// nothing: the one before it is looked at.
std::vector<ChangeOfSurroundings> changes_of_surroundings(const History& history);
// Returns whether an entry of that name says which machine it is, as "cpu_model" does.
bool tells_machines_apart(std::string_view entry);

// Collects lines from results that are read one after the other, in memory that grows with the points only.
class Collector {
 public:
  Collector(Order order, Judged by) : history_{.order = order, .by = by} {}

  // Which cells are shown. Others of their families are read too, because the identity may be among them.
  using Shows = std::function<bool(const store::CellData& cell)>;
  // Reads these families of the results, with the source's name and rank. Returns an error if they cannot be read, if
  // they hold a run that other results hold already, or if they were measured under another protocol than the first
  // ones. `across_protocols` accepts that.
  Status add(Source source, FamilyReader& reader, std::span<const store::ValueFamily> families, const Shows& shows,
             bool across_protocols);

  // Returns the lines, each with its points in order. By date or commit, a line has a point without a value for each
  // source that does not have its cell. A line is one version's if some results have its cell in several versions.
  History finish() &&;

 private:
  struct Read {
    std::string version{};
    Point point{};
  };
  struct Gathered {
    Line line{};
    std::vector<Read> read{};
    std::string identity{};    // key in by_key_; "": none
    bool has_several = false;  // some results have the cell in several versions
  };
  Status check(const Source& source, FamilyReader& reader, bool across_protocols);
  void add_family(std::uint32_t source, const DerivedFamily& family, const Shows& shows);
  std::uint32_t origin_of(const store::CellData& cell);
  Status add_environments(store::Store& results);
  void add_lines(Gathered gathered, bool is_split);

  History history_;
  std::vector<Gathered> gathered_{};
  std::map<std::string, std::size_t> by_key_{};  // index in gathered_
  std::map<Origin, std::uint32_t> origins_{};
  std::map<std::string, std::string> runs_{};      // the source's name by id
  std::map<std::string, std::string> protocol_{};  // of the first results that have one
  std::string protocol_of_{};                      // their name
};

// Returns the commit after which results are called: the name of their folder or bundle, without ".zip".
std::string commit_of(const std::string& results);

// Returns whether version `a` is older than `b`: numbers count as numbers, and 1.30.0rc1 is older than 1.30.0.
bool is_older_version(std::string_view a, std::string_view b);

}  // namespace ngb::metrics::history
