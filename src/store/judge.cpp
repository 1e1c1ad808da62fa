// SPDX-License-Identifier: Apache-2.0
#include "store/judge.h"

#include <fmt/format.h>

#include <variant>

#include "samples/sense.h"
#include "store/left_to_do.h"

namespace ngb::store {
namespace {

using samples::ProcessResult;

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
    for (const std::string& cell_id : ended.cell_ids) {
      if (!key_of_cell(store_, known_.run_key, device_, cell_id)) return unplanned(cell_id);
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
