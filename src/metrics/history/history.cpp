// SPDX-License-Identifier: Apache-2.0
#include "metrics/history/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/processors.h"
#include "base/text.h"
#include "metrics/axis.h"
#include "metrics/baseline.h"
#include "metrics/protocols.h"

namespace ngb::metrics::history {
namespace {

constexpr std::array<std::string_view, 4> kOrders{"date", "version", "commit", "label"};

// A value that is judged by its ratio has a logarithm.
Value usable(const Judged& by, const store::DerivedValue& derived) {
  Value value{derived.value, derived.low, derived.high, derived.reason.str()};
  if (value.value && !by.is_by_difference() && !(*value.value > 0)) return unknown("it is not above 0");
  return value;
}

store::CellData without_processes(const store::CellData& cell) {
  return {.cell_id = cell.cell_id, .of = cell.of, .recipe_parameters = cell.recipe_parameters};
}

// Sorts by what the order asks for, then by date, then as given.
class Before {
 public:
  explicit Before(const History& history) : history_(history) {
    for (const Origin& origin : history.origins) {
      if (std::ranges::find(labels_, origin.label) == labels_.end()) labels_.push_back(origin.label);
    }
  }

  bool operator()(const Point& a, const Point& b) const {
    const std::string& version = history_.origin(a).version;
    const std::string& other = history_.origin(b).version;
    if (history_.order == Order::version && version != other) return is_older_version(version, other);
    const Source& source = history_.sources[a.source];
    const Source& other_source = history_.sources[b.source];
    if (history_.order == Order::commit) return source.rank < other_source.rank;
    const auto label = label_of(a);
    const auto other_label = label_of(b);
    if (history_.order == Order::label && label != other_label) return label < other_label;
    return source.recorded_unix_ns < other_source.recorded_unix_ns;
  }

 private:
  [[nodiscard]] std::ptrdiff_t label_of(const Point& point) const {
    return std::ranges::find(labels_, history_.origin(point).label) - labels_.begin();
  }

  const History& history_;
  std::vector<std::string> labels_{};  // in the order in which they were first read
};

}  // namespace

std::string_view name(Order order) { return kOrders.at(static_cast<std::size_t>(order)); }

const Metric& History::metric() const { return by.metric != nullptr ? *by.metric : *find_metric(by.name()); }

Result<Order> parse_order(std::string_view given) {
  const auto* const found = std::ranges::find(kOrders, given);
  if (found != kOrders.end()) return static_cast<Order>(found - kOrders.begin());
  const std::vector<std::string> known(kOrders.begin(), kOrders.end());
  return fail(fmt::format("a history cannot be ordered by \"{}\"", given), "--by",
              "expected one of: " + text::join(known, ", "));
}

Status Collector::check(const Source& source, FamilyReader& reader, bool across_protocols) {
  const auto runs = reader.results().runs();
  if (!runs) return error_of(runs);
  for (const store::RunState& run : *runs) {
    const auto [known, is_new] = runs_.emplace(run.run_id, source.name);
    if (!is_new) {
      return fail(fmt::format("it has a run that {} has too", known->second), source.name,
                  "give the results of each measurement once");
    }
  }
  auto protocol = reader.results().protocol();
  if (!protocol) return error_of(protocol);
  if (protocol_.empty()) {
    protocol_ = *std::move(protocol);
    protocol_of_ = source.name;
    return Done{};
  }
  const std::string unlike = unlike_protocols(protocol_, *std::move(protocol));
  if (unlike.empty() || across_protocols) return Done{};
  return fail(fmt::format("they were measured under different protocols: {}", unlike),
              fmt::format("{} and {}", protocol_of_, source.name), "to read them anyway, add --across-protocols");
}

std::uint32_t Collector::origin_of(const store::CellData& cell) {
  Origin origin{.version = cell.of.compiler.version, .label = cell.of.compiler.label};
  if (!cell.processes.empty()) {
    const store::RecordedProcess& process = cell.processes.front();
    origin.toolchain_sha256 = process.made_with.manifest_sha256;
    origin.ngb_sha256 = process.made_with.worker_sha256;
    origin.environment_hash = process.environment_hash;
  }
  const auto [known, is_new] = origins_.emplace(origin, static_cast<std::uint32_t>(history_.origins.size()));
  if (is_new) history_.origins.push_back(origin);
  return known->second;
}

void Collector::add_family(std::uint32_t source, const DerivedFamily& family, const Shows& shows) {
  std::vector<const store::CellData*> cells;
  for (const store::CellData& cell : family.cells) cells.push_back(&cell);
  const BaselineCells identities(cells, Baseline());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const store::CellData& cell = *cells[i];
    const auto [known, is_new] = by_key_.emplace(identity_apart_from(Axis::version, cell), gathered_.size());
    if (is_new) gathered_.push_back({.line = {.cell = without_processes(cell), .is_shown = false}});
    Gathered& gathered = gathered_[known->second];
    gathered.line.is_shown = gathered.line.is_shown || shows(cell);
    gathered.has_several |= !gathered.read.empty() && gathered.read.back().point.source == source;
    gathered.read.push_back(
        {cell.of.compiler.version, {source, origin_of(cell), true, usable(history_.by, family.values[i].front())}});
    const auto identity = identities.of(i);
    if (identity) gathered.identity = identity_apart_from(Axis::version, *cells[*identity]);
    if (!identity) gathered.line.why_no_identity = identities.why_none(i);
  }
}

Status Collector::add_environments(store::Store& results) {
  for (const Origin& origin : history_.origins) {
    if (origin.environment_hash.empty() || history_.environments.contains(origin.environment_hash)) continue;
    auto environment = results.environment(origin.environment_hash);
    if (!environment) return error_of(environment);
    history_.environments.emplace(origin.environment_hash, *std::move(environment));
  }
  return Done{};
}

Status Collector::add(Source source, FamilyReader& reader, std::span<const store::ValueFamily> families,
                      const Shows& shows, bool across_protocols) {
  if (const Status usable = check(source, reader, across_protocols); !usable) return usable;
  const auto runs = reader.results().runs();
  if (!runs) return error_of(runs);
  if (!runs->empty()) source.recorded_unix_ns = runs->front().started_unix_ns;
  for (std::size_t i = 1; i < runs->size(); ++i) {
    const store::RunState& earlier = (*runs)[i - 1];
    const bool is_earlier = (*runs)[i].started_unix_ns < earlier.started_unix_ns;
    source.has_clock_jumped_back |= is_earlier && (*runs)[i].source == earlier.source;
  }
  const auto index = static_cast<std::uint32_t>(history_.sources.size());
  history_.sources.push_back(std::move(source));
  const std::array metrics{&history_.metric()};
  const Status read = reader.derive(families, metrics, processor_count(),
                                    [&](const DerivedFamily& family) { add_family(index, family, shows); });
  return read ? add_environments(reader.results()) : read;
}

namespace {

bool share_days(const std::vector<Source>& sources) {
  constexpr std::int64_t kDayNs = 86'400'000'000'000;
  std::set<std::int64_t> days;
  for (const Source& source : sources) days.insert(source.recorded_unix_ns / kDayNs);
  return days.size() < sources.size();
}

// Adds a point without a value for each source that has none.
void add_absent(Line& line, const std::vector<Source>& sources) {
  std::set<std::uint32_t> there;
  for (const Point& point : line.points) there.insert(point.source);
  for (std::uint32_t source = 0; source < sources.size(); ++source) {
    if (there.contains(source)) continue;
    line.points.push_back({source, line.points.front().origin, false, unknown("these results do not have the cell")});
  }
}

}  // namespace

void Collector::add_lines(Gathered gathered, bool is_split) {
  std::map<std::string, std::size_t> by_version;  // index of the line
  for (Read& read : gathered.read) {
    const auto [known, is_new] = by_version.emplace(is_split ? read.version : "", history_.lines.size());
    if (is_new) {
      history_.lines.push_back(gathered.line);
      history_.lines.back().cell.of.compiler.version = read.version;
    }
    history_.lines[known->second].points.push_back(std::move(read.point));
  }
}

History Collector::finish() && {
  const bool may_have_versions = history_.order == Order::version || history_.order == Order::label;
  std::vector<std::size_t> first_lines;  // of each that was gathered
  std::vector<std::string> identities;   // of each line: the key of what was gathered
  for (Gathered& gathered : gathered_) {
    first_lines.push_back(history_.lines.size());
    const std::string identity = gathered.identity;
    const bool is_split = gathered.has_several && !may_have_versions;
    add_lines(std::exchange(gathered, {}), is_split);
    identities.resize(history_.lines.size(), identity);
  }
  const Before before(history_);
  for (std::size_t i = 0; i < history_.lines.size(); ++i) {
    Line& line = history_.lines[i];
    if (!identities[i].empty()) line.identity = first_lines[by_key_.at(identities[i])];
    if (!may_have_versions) add_absent(line, history_.sources);
    std::ranges::stable_sort(line.points, {}, &Point::source);
    std::ranges::stable_sort(line.points, before);
    for (const Point& point : line.points) {
      if (point.is_there) line.cell.of.compiler.version = history_.origin(point).version;
    }
  }
  history_.share_days = share_days(history_.sources);
  return std::move(history_);
}

}  // namespace ngb::metrics::history
