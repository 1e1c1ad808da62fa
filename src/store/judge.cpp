// SPDX-License-Identifier: Apache-2.0
#include "store/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <variant>

#include "samples/sense.h"

namespace ngb::store {
namespace {

using samples::ProcessResult;

// Returns the plan without the steps of these cells and without groups that then have no steps. Cells and models are
// kept, so indices stay valid.
plan::Plan without_cells(plan::Plan plan, const std::set<std::string>& cell_ids) {
  for (work::Group& group : plan.groups) {
    std::erase_if(group.steps, [&](const work::Step& step) { return cell_ids.contains(plan.cell_of(step).id); });
  }
  std::erase_if(plan.groups, [](const work::Group& group) { return group.steps.empty(); });
  return plan;
}

// Removes the cells whose last attempt failed because a toolchain was missing that `has_toolchain` now finds.
void remove_curable(sql::Database& database, const Store::HasToolchain& has_toolchain, std::set<std::string>& settled) {
  sql::Statement& query = database.kept(
      "SELECT cell_id, cell.device, compiler, compiler_version FROM cell JOIN process USING (cell_key) "
      "JOIN failure USING (process_key) WHERE kind = ? AND process_key = "
      "(SELECT max(process_key) FROM process AS last WHERE last.cell_key = cell.cell_key AND last.is_complete = 0)");
  query.bind(std::string(samples::name(samples::FailureKind::toolchain_missing)));
  while (query.step()) {
    if (has_toolchain(query.text(1), query.text(2), query.text(3))) settled.erase(query.text(0));
  }
}

struct GivenUp {
  bool is_cell = false;       // no process of the cell is tried again
  std::set<int> processes{};  // indices of those that are not, though the others are
};

GivenUp given_up(sql::Database& database, std::int64_t cell_key, const work::Limits& limits) {
  sql::Statement& query = database.kept(
      "SELECT kind, attempt, process_index, EXISTS (SELECT 1 FROM process AS other WHERE is_complete = 1 AND "
      "other.cell_key = process.cell_key AND other.process_index = process.process_index) "
      "FROM process JOIN failure USING (process_key) WHERE cell_key = ?");
  query.bind(cell_key);
  GivenUp given_up;
  while (!given_up.is_cell && query.step()) {
    const Result<samples::FailureKind> kind = samples::parse_failure_kind(query.text(0));
    const bool is_final = kind ? samples::is_final(*kind, query.small(1), limits) : query.small(1) >= limits.attempts;
    if (!is_final) continue;
    given_up.is_cell = !kind || samples::is_of_cell(*kind);
    const bool was_overcome = query.small(3) != 0;
    if (!was_overcome) given_up.processes.insert(query.small(2));
  }
  query.reset();
  return given_up;
}

// Returns the error for an event that cannot be true. `what` is the event's subject: "process 3 of cell 00ff…".
Status impossible_event(const sql::Database& database, const std::string& device, const std::string& what,
                        const std::string& wrong) {
  return fail(fmt::format("{} sent an event that cannot be true, and it was not recorded: {}: {}", device, what, wrong),
              database.file().string(),
              "update NGraphBench on this machine and on the device; if both are up to date, do not trust the device");
}

// Decides whether an event can be true, one overload for each kind of event.
class Judge {
 public:
  Judge(Store::Implementation& store, const std::string& device, const Store::Implementation::Known::Device& known)
      : store_(store), device_(device), known_(known) {}

  Status operator()(const ProcessResult& result) const {
    const std::optional<std::int64_t> cell = key_of_cell(store_, known_.run_key, device_, result.cell_id);
    if (!cell) return unplanned(result.cell_id);
    sql::Statement& query = store_.database.kept("SELECT planned_processes FROM cell WHERE cell_key = ?");
    query.bind(*cell);
    const samples::Asked asked{query.step() ? query.small(0) : 0, samples::most_attempts(known_.limits)};
    query.reset();
    return with_subject(samples::check_sense(result, asked),
                        fmt::format("process {} of cell {}", result.process_index, result.cell_id));
  }
  Status operator()(const samples::ModelWritten& model) const {
    const std::string what = fmt::format("model {}", work::file_name(model.model));
    if (const Status sense = with_subject(samples::check_sense(model), what); !sense) return sense;
    sql::Statement& query = store_.database.kept(
        "SELECT count(*) FROM model JOIN cell USING (model_key) JOIN run_cell USING (cell_key) "
        "WHERE model_hash = ? AND batch = ? AND device = ? AND run_key = ?");
    query.bind(model.model.hash, model.model.batch, device_, known_.run_key);
    const bool is_planned = query.step() && query.integer(0) > 0;
    query.reset();
    return is_planned ? Status{} : with_subject(fail("this run has not planned this model for that device"), what);
  }
  Status operator()(const samples::ReferenceMade& /*reference*/) const {
    return with_subject(fail("a run that measures makes no reference outputs"), "its reference outputs");
  }
  Status operator()(const samples::Environment& environment) const {
    return with_subject(samples::check_sense(environment), "its environment");
  }
  Status operator()(const samples::RoundsEnded& ended) const {
    sql::Statement& query = store_.database.kept("SELECT count(*) FROM protocol WHERE key = 'rounds'");
    const bool may_end = query.step() && query.integer(0) > 0;
    query.reset();
    if (!may_end) return with_subject(fail("the study has a fixed number of rounds"), "the end of rounds");
    for (const auto* const ids : {&ended.cell_ids, &ended.reopened_ids}) {
      for (const std::string& cell_id : *ids) {
        if (!key_of_cell(store_, known_.run_key, device_, cell_id)) return unplanned(cell_id);
      }
    }
    return Done{};
  }
  Status operator()(const samples::Skipped& /*skipped*/) const { return Done{}; }
  Status operator()(const samples::Finished& /*finished*/) const {
    const std::string left = left_of_share(store_, known_, device_);
    return left.empty() ? Status{} : with_subject(fail(left), "`finished`");
  }

 private:
  static constexpr std::size_t kShown = 100;

  [[nodiscard]] Status unplanned(const std::string& cell_id) const {
    return fail(fmt::format("an event of {} names a cell that this run has not planned for that device: {}", device_,
                            cell_id.substr(0, kShown)),
                store_.database.file().string(), "begin a run of the study first");
  }
  // Returns success if `sense` is success, else an error about `what`.
  Status with_subject(const Status& sense, const std::string& what) const {
    return sense ? Status{} : impossible_event(store_.database, device_, what, sense.error().what);
  }

  Store::Implementation& store_;
  const std::string& device_;
  const Store::Implementation::Known::Device& known_;
};

}  // namespace

Result<plan::Plan> Store::left_to_do(plan::Plan plan, bool retries_failed, const HasToolchain& has_toolchain) {
  const auto runs = this->runs();
  if (!runs) return error_of(runs);
  const bool is_unfinished = !runs->empty() && !runs->back().is_complete;
  if (is_unfinished || retries_failed) return plan;
  const auto states = cell_states();
  if (!states) return error_of(states);
  std::set<std::string> settled;
  for (const CellState& state : *states) {
    // What other programs have disturbed may have a result when it is measured again.
    const bool has_failed = state.progress == CellState::Progress::failed && state.lost_processes > 0;
    if (has_failed || state.progress == CellState::Progress::complete) settled.insert(state.cell_id);
  }
  return sql::guarded([&]() -> Result<plan::Plan> {
    remove_curable(implementation_->database, has_toolchain, settled);
    return without_cells(std::move(plan), settled);
  });
}

Result<plan::Plan> Store::remaining(plan::Plan plan, const std::string& run_id) {
  return sql::guarded([&]() -> Result<plan::Plan> {
    std::set<std::string> done;
    sql::Statement& query = implementation_->database.kept(
        "SELECT DISTINCT cell_id FROM process JOIN cell USING (cell_key) JOIN run USING (run_key) "
        "WHERE is_complete = 1 AND run_id <> ? "
        "GROUP BY cell_key, origin HAVING count(DISTINCT process_index) >= planned_processes "
        "UNION SELECT cell_id FROM rounds_ended JOIN cell USING (cell_key) JOIN run USING (run_key) WHERE run_id <> ?");
    query.bind(run_id, run_id);
    while (query.step()) done.insert(query.text(0));
    return without_cells(std::move(plan), done);
  });
}

std::string left_of_share(Store::Implementation& store, const Store::Implementation::Known::Device& known,
                          const std::string& device) {
  sql::Statement& query = store.database.kept(
      "SELECT cell_id, planned_processes, cell_key, ifnull((SELECT count(DISTINCT process_index) AS alike FROM process "
      "WHERE process.cell_key = cell.cell_key AND is_complete = 1 GROUP BY origin ORDER BY alike DESC LIMIT 1), 0) "
      "AS completed FROM cell JOIN run_cell USING (cell_key) "
      "WHERE run_key = ?1 AND device = ?2 AND completed < planned_processes AND NOT EXISTS (SELECT 1 FROM "
      "rounds_ended WHERE rounds_ended.cell_key = cell.cell_key) AND NOT EXISTS (SELECT 1 FROM "
      "run_cell AS earlier JOIN run_device USING (run_key) WHERE earlier.cell_key = cell.cell_key AND "
      "earlier.run_key < ?1 AND run_device.device = ?2 AND is_finished = 1)");
  query.bind(known.run_key, device);
  std::string left;
  while (left.empty() && query.step()) {
    const std::int64_t cell = query.integer(2);
    const GivenUp gone = given_up(store.database, cell, known.limits);
    const std::int64_t missing = query.integer(1) - query.integer(3) - static_cast<std::int64_t>(gone.processes.size());
    if (gone.is_cell || missing <= 0) continue;
    left = fmt::format("{} of {} processes of cell {} are missing", missing, query.integer(1), query.text(0));
  }
  query.reset();
  return left;
}

std::optional<std::int64_t> key_of_cell(Store::Implementation& store, std::int64_t run_key, const std::string& device,
                                        const std::string& cell_id) {
  sql::Statement& query = store.database.kept(
      "SELECT cell_key FROM cell JOIN run_cell USING (cell_key) WHERE cell_id = ? AND device = ? AND run_key = ?");
  query.bind(cell_id, device, run_key);
  if (!query.step()) return std::nullopt;
  const std::int64_t key = query.integer(0);
  query.reset();
  return key;
}

Status judge(Store::Implementation& store, const std::string& device, const Store::Implementation::Known::Device& known,
             const samples::Event& event) {
  return std::visit(Judge(store, device, known), event.body);
}

}  // namespace ngb::store
