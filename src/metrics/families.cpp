// SPDX-License-Identifier: Apache-2.0
#include "metrics/families.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/hash.h"
#include "base/json_text.h"
#include "base/text.h"
#include "base/threads.h"
#include "metrics/allocator.h"
#include "metrics/analysis.h"
#include "metrics/metric.h"

namespace ngb::metrics {

namespace {

using store::CellData;
using store::DerivedValue;

// Raise this when a formula's code changes but its text does not.
constexpr int kRevision = 4;

void add_flags(const Analysis& analysis, std::size_t index, const std::map<std::string, double>& highest_hz,
               std::vector<DerivedValue>& values) {
  const SharedText cell_id = values.empty() ? SharedText(analysis.cell(index).cell_id) : values.front().cell_id;
  const CellData& cell = analysis.cell(index);
  if (cell.processes.empty() || decisive_failure(cell) != nullptr) return;
  const std::optional<std::size_t> baseline = analysis.baseline_of(index);
  const auto highest = highest_hz.find(cell.of.device);
  const Evidence evidence{cell, analysis.steady(index), baseline ? &analysis.cell(*baseline) : nullptr,
                          highest == highest_hz.end() ? std::nullopt : std::optional(highest->second)};
  for (const Flag& flag : flag_table()) {
    const std::optional<double> raised = flag.raised_by(evidence);
    if (raised) values.push_back({cell_id, fmt::format("flag_{}", flag.name), raised, {}, {}, {}});
  }
}

// A value must be a finite number, whatever was recorded: JSON has no others.
Value finite_or_reason(Value value) {
  if (value.value && !std::isfinite(*value.value)) return {.reason = "the result is not a finite number"};
  for (std::optional<double>* const end : {&value.low, &value.high}) {
    if (*end && !std::isfinite(**end)) end->reset();
  }
  return value;
}

// A formula that throws costs its own value only.
Value value_of(const Metric& metric, const Analysis& analysis, std::size_t cell) {
  try {
    return finite_or_reason(metric.compute(analysis, cell));
  } catch (const std::exception& error) {
    return {.reason = fmt::format("it cannot be computed: {}", text::to_utf8(error.what()))};
  }
}

std::vector<SharedText> names_of(std::span<const Metric* const> metrics) {
  std::vector<SharedText> names;
  for (const Metric* metric : metrics) names.emplace_back(metric->name);
  return names;
}

}  // namespace

std::vector<const Metric*> all_metrics() {
  std::vector<const Metric*> all;
  for (const Metric& metric : metrics()) all.push_back(&metric);
  return all;
}

std::vector<std::vector<DerivedValue>> compute_family(const Analysis& analysis, std::span<const Metric* const> metrics,
                                                      const std::map<std::string, double>& highest_hz) {
  std::vector<std::vector<DerivedValue>> by_cell(analysis.size());
  const std::vector<SharedText> names = names_of(metrics);
  std::vector<SharedText> reasons(metrics.size());  // the last of each metric
  for (std::size_t i = 0; i < analysis.size(); ++i) {
    by_cell[i].reserve(metrics.size());
    const SharedText cell_id = analysis.cell(i).cell_id;
    for (std::size_t place = 0; place < metrics.size(); ++place) {
      Value value = value_of(*metrics[place], analysis, i);
      if (!value.reason.empty() && reasons[place] != value.reason) reasons[place] = value.reason;
      by_cell[i].push_back({cell_id, names[place], value.value, value.low, value.high,
                            value.reason.empty() ? SharedText() : reasons[place]});
    }
    add_flags(analysis, i, highest_hz, by_cell[i]);
  }
  return by_cell;
}

std::string formulas_version() {
  std::string text = std::to_string(kRevision);
  for (const Metric& metric : metrics()) text += fmt::format("\n{}: {}", metric.name, metric.formula);
  for (const Flag& flag : flag_table()) text += fmt::format("\n{}: {}", flag.name, flag.threshold);
  return hash::sha256(text).substr(0, 16);
}

namespace {

// What the last study that wrote to the file asks of its results.
struct Wishes {
  bool best_options = false;
  std::string baseline = kIdentity;
  double size_factor = kSizeFactor;
  std::string allocator{};  // "" for the defaults
  std::string metric{};     // by which the answer is given; "": the speed
  Goal goal{};
};

Wishes wishes_of(const std::vector<store::RunState>& runs) {
  Wishes wishes;
  if (runs.empty()) return wishes;
  const nlohmann::json study = json_text::parse(runs.back().study_json);
  if (!study.is_object()) return wishes;
  wishes.best_options = study.value("best_options", nlohmann::json()) == true;
  const nlohmann::json baseline = study.value("baseline", nlohmann::json());
  if (baseline.is_string()) wishes.baseline = baseline.get<std::string>();
  const nlohmann::json size_factor = study.value("size_factor", nlohmann::json());
  if (size_factor.is_number()) wishes.size_factor = size_factor.get<double>();
  const nlohmann::json allocator = study.value("allocator", nlohmann::json());
  if (allocator == "steady") wishes.allocator = allocator.get<std::string>();
  const nlohmann::json metric = study.value("metric", nlohmann::json());
  if (metric.is_string()) wishes.metric = metric.get<std::string>();
  wishes.goal = read_goal(study.value("goal", nlohmann::json())).value_or(Goal{});
  if (!wishes.goal.metric.empty()) wishes.metric = wishes.goal.metric;
  return wishes;
}

// Lets several threads use what each has made one after the other, in the order of its numbers, until one fails.
class InOrder {
 public:
  // Calls `use` once all smaller numbers were used. Returns false, without a call, after a failure.
  bool use(std::size_t number, const std::function<void()>& use) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return next_ == number || !status_; });
    if (!status_) return false;
    use();
    ++next_;
    changed_.notify_all();
    return true;
  }
  void fail(const Error& error) {
    const std::scoped_lock lock(mutex_);
    if (status_) status_ = tl::unexpected(error);
    changed_.notify_all();
  }
  // To be called once no other thread uses anything.
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  std::mutex mutex_{};
  std::condition_variable changed_{};
  std::size_t next_ = 0;
  Status status_ = Done{};
};

constexpr int kMostReaders = 4;  // each has a page cache and a family in memory

// Computes the values of a family from its cells, which have everything that was measured of them.
DerivedFamily derived_family(const store::ValueFamily& family, std::vector<store::CellData> cells,
                             const Heading& heading, std::span<const Metric* const> metrics,
                             const std::map<std::string, double>& highest_hz) {
  DerivedFamily derived{.family = &family, .cells = std::move(cells)};
  std::vector<const store::CellData*> members;
  for (store::CellData& cell : derived.cells) {
    cell.window_s = heading.goal.window_s;
    members.push_back(&cell);
    Steady& made = derived.steady.emplace_back(steady(cell));
    if (heading.by.metric != nullptr) made.judged = by_process({&heading.by, 1}, cell).at(heading.by.metric);
  }
  std::vector<const Steady*> of_members;
  for (const Steady& each : derived.steady) of_members.push_back(&each);
  const Analysis analysis(std::move(members), heading.baseline, std::move(of_members));
  derived.values = compute_family(analysis, metrics, highest_hz);
  return derived;
}

}  // namespace

void drop_details(store::CellData& cell) {
  for (auto* const list : {&cell.processes, &cell.set_aside, &cell.failed}) {
    for (store::RecordedProcess& process : *list) {
      release(process.repetitions);
      release(process.latencies_ns);
      release(process.neighbours);
      release(process.made_with);
      std::vector<samples::Reading> kept;
      for (samples::Reading& reading : process.readings) {
        if (reading.quantity == "gpu_utilisation" || is_about_allocator(reading)) kept.push_back(std::move(reading));
      }
      process.readings = std::move(kept);
      process.phases.shrink_to_fit();
    }
  }
}

namespace {

// Returns that by which the answer is given, or an error with the code not_found.
Result<Judged> answered_by(const std::string& metric) {
  if (metric.empty()) return Judged{};
  auto by = parse_judged(metric, statistics::VerdictRules().margin_ratio);
  if (by && by->is_by_inputs()) {
    return fail(fmt::format("no answer can be given by {}: it is over the inputs of variants", by->name()), "--metric",
                fmt::format("ngb compare RESULTS --metric {} compares two sides by it", by->name()),
                ErrorCode::not_found);
  }
  if (by) return by;
  Error error = by.error();
  error.code = ErrorCode::not_found;
  return tl::unexpected(std::move(error));
}

// Returns an error as FamilyReader::open does.
Result<Heading> heading_of(store::Store& store, const std::optional<std::string>& baseline, const std::string& metric) {
  const auto revision = store.revision();
  if (!revision) return error_of(revision);
  const auto runs = store.runs();
  if (!runs) return error_of(runs);
  auto environments = store.measured_environments();
  if (!environments) return error_of(environments);
  const Wishes wishes = wishes_of(*runs);
  Heading heading{.asks_best_options = wishes.best_options,
                  .size_factor = wishes.size_factor,
                  .goal = wishes.goal,
                  .environments = *std::move(environments),
                  .allocator = wishes.allocator,
                  .revision = *revision};
  auto by = answered_by(metric.empty() ? wishes.metric : metric);
  if (!by && !metric.empty()) return error_of(by);
  heading.by = by.value_or(Judged{});  // a study of a newer version may name another metric
  const std::string words = baseline.value_or(wishes.baseline);
  const auto compilers = store.compilers();
  if (!compilers) return error_of(compilers);
  if (!baseline) {
    heading.baseline = Baseline::find_or_none(words, *compilers);
    return heading;
  }
  auto asked_for = Baseline::find(words, *compilers);
  if (!asked_for) return error_of(asked_for);
  heading.baseline = *std::move(asked_for);
  return heading;
}

}  // namespace

Result<FamilyReader> FamilyReader::open(const std::vector<store::Source>& sources,
                                        const std::optional<std::string>& baseline, const std::string& metric) {
  auto store = store::open_sources(sources);
  if (!store) return error_of(store);
  auto heading = heading_of(*store, baseline, metric);
  if (!heading) return error_of(heading);
  FamilyReader reader(*std::move(store), sources);
  reader.heading_ = *std::move(heading);
  auto families = reader.store_.families();
  if (!families) return error_of(families);
  reader.families_ = *std::move(families);
  for (const store::ValueFamily& family : reader.families_) reader.cell_count_ += family.cells.size();
  return reader;
}

Status FamilyReader::derive(std::span<const store::ValueFamily> families, std::span<const Metric* const> metrics,
                            int threads, const UseFamily& use) {
  const auto highest_hz = store_.highest_frequencies_hz();
  if (!highest_hz) return error_of(highest_hz);
  std::atomic<std::size_t> next{0};
  InOrder order;
  const auto work = [&](store::Store& store) {
    for (std::size_t i = next++; i < families.size(); i = next++) {
      auto cells = store.load_family(families[i]);
      if (!cells) return order.fail(cells.error());
      DerivedFamily family = derived_family(families[i], *std::move(cells), heading_, metrics, *highest_hz);
      if (!order.use(i, [&] { use(std::move(family)); })) return;
    }
  };
  const auto work_with_own_store = [&] {
    auto own = store::Store::open(sources_.front().file, store::Mode::read_only);
    if (!own) return order.fail(own.error());
    work(*own);
  };
  // Files that were merged or migrated in memory have one reader.
  const bool may_share = store::is_one_file(sources_) && !store_.is_older();
  const int most = std::min({threads, kMostReaders, static_cast<int>(families.size())});
  run_side_by_side(may_share && most > 1 ? static_cast<std::size_t>(most) : 1, [&](std::size_t index) {
    try {
      index == 0 ? work(store_) : work_with_own_store();
    } catch (...) {
      order.fail({"the values were not computed", {}, {}});  // nobody waits for what this thread has begun
      throw;
    }
  });
  return order.status();
}

}  // namespace ngb::metrics
