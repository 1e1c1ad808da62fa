// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <variant>

#include "base/json_text.h"
#include "store/implementation.h"
#include "store/judge.h"
#include "store/profiles.h"
#include "store/rows.h"

namespace ngb::store {
namespace {

using samples::ProcessResult;
using Device = std::pair<std::string, std::string>;  // run id, name

// Writes one event of a device. Its sequence number and its content have been checked.
class Recorder {
 public:
  Recorder(Store::Implementation& store, const Device& device, std::uint64_t sequence)
      : store_(store), known_(store.known.devices.at(device)), device_(device.second), sequence_(sequence) {}

  void operator()(const ProcessResult& result) {
    const std::optional<std::int64_t> cell = key_of_cell(store_, known_.run_key, device_, result.cell_id);
    const auto environment = known_.environments.find(result.environment_hash);
    std::optional<std::int64_t> environment_key;
    if (environment != known_.environments.end()) environment_key = environment->second;
    // The agent's work folder is devices/NAME of the results folder.
    const std::string log = result.log_path.empty() ? "" : fmt::format("devices/{}/{}", device_, result.log_path);
    sql()
        .kept(
            "INSERT INTO process (cell_key, run_key, device, sequence, process_index, attempt, is_complete, "
            "environment_key, environment_hash, started_unix_ns, wall_ns, stop_reason, is_steady, threads_used, "
            "threads_used_unknown_reason, log_path, made_with_key, origin, threads) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (cell_key, process_index, origin, source_key) WHERE is_complete = 1 DO NOTHING")
        .run(cell, known_.run_key, device_, sequence_, result.process_index, result.attempt, !result.failure,
             environment_key, result.environment_hash, result.started_unix_ns, result.wall_ns, result.stop_reason,
             result.is_steady, result.threads_used.value, reason(result.threads_used), log, key_of(result.made_with),
             samples::origin_of(result).name(), result.threads);
    if (!sql().changed()) {
      add_event("duplicate");
      return;
    }
    add_event("process");
    add_parts(sql().last_key(), result);
    // The word of the cell means what its latest process reports.
    sql()
        .kept("UPDATE cell SET threads = ?1 WHERE cell_key = ?2 AND threads_asked IS NOT NULL AND ?1 IS NOT NULL")
        .run(result.threads, cell);
  }

  void operator()(const samples::ModelWritten& model) {
    add_event("model");
    sql()
        .kept(
            "INSERT INTO model_file SELECT ?1, ?2, ?3, model_key, ?4, ?5, ?6, ?9, ?10, ?11 FROM model "
            "WHERE model_hash = ?7 AND batch = ?8")
        .run(known_.run_key, device_, sequence_, model.file_sha256, model.file_bytes, model.wall_ns, model.model.hash,
             model.model.batch, unless_empty(model.exporter), unless_empty(model.no_file_reason), model.is_kept);
    for (std::size_t i = 0; i < model.inputs.size(); ++i) {
      const TensorSignature& input = model.inputs[i];
      sql()
          .kept(
              "INSERT INTO model_input SELECT model_key, ?1, ?2, ?3, ?4 FROM model WHERE model_hash = ?5 AND batch = "
              "?6 "
              "ON CONFLICT DO NOTHING")
          .run(static_cast<std::int64_t>(i), input.name, name(input.type), json_text::dump(nlohmann::json(input.shape)),
               model.model.hash, model.model.batch);
    }
  }

  // Such an event belongs to a job that measures nothing; `judge` refuses it in a run.
  void operator()(const samples::ReferenceMade& /*reference*/) { add_event("reference"); }

  void operator()(const samples::Environment& environment) {
    add_event("environment");
    const std::string hash = environment.hash();
    sql()
        .kept("INSERT INTO environment (run_key, device, sequence, environment_hash) VALUES (?, ?, ?, ?)")
        .run(known_.run_key, device_, sequence_, hash);
    const std::int64_t key = sql().last_key();
    for (const samples::EnvironmentEntry& entry : environment.entries) sql::insert(sql(), key, entry);
    known_.environments[hash] = key;
  }

  void operator()(const samples::RoundsEnded& ended) {
    add_event("rounds_ended");
    for (const std::string& cell_id : ended.cell_ids) {
      const std::optional<std::int64_t> cell = key_of_cell(store_, known_.run_key, device_, cell_id);
      sql()
          .kept("INSERT INTO rounds_ended (cell_key, run_key) VALUES (?, ?) ON CONFLICT DO NOTHING")
          .run(cell, known_.run_key);
    }
    for (const std::string& cell_id : ended.reopened_ids) {
      sql()
          .kept("DELETE FROM rounds_ended WHERE cell_key = ?")
          .run(key_of_cell(store_, known_.run_key, device_, cell_id));
    }
  }

  void operator()(const samples::Skipped& /*skipped*/) { add_event("skipped"); }

  void operator()(const samples::Finished& /*finished*/) {
    add_event("finished");
    sql().kept("UPDATE run_device SET is_finished = 1 WHERE run_key = ? AND device = ?").run(known_.run_key, device_);
  }

 private:
  sql::Database& sql() { return store_.database; }

  // Returns the key of the row in made_with, or nothing if the process's provenance is unknown.
  std::optional<std::int64_t> key_of(const samples::Provenance& with) {
    const std::string build = with.build();
    if (build.empty()) return std::nullopt;
    const std::string hashes =
        build + with.files_sha256 + with.model_sha256 + with.reference_key + with.reference_sha256;
    const auto known = store_.known.made_with.find(hashes);
    if (known != store_.known.made_with.end()) return known->second;
    static const std::string kInsert =
        sql::text_of_insert<samples::Provenance>("made_with", "build_sha256", 1) + " ON CONFLICT DO NOTHING";
    sql::Statement& row = sql().kept(kInsert.c_str());
    row.bind(build);
    sql::bind_record(row, 2, with);
    row.run();
    sql::Statement& query = sql().kept(
        "SELECT made_with_key FROM made_with WHERE build_sha256 = ? AND files_sha256 = ? AND model_sha256 = ? AND "
        "reference_key = ? AND reference_sha256 = ?");
    query.bind(build, with.files_sha256, with.model_sha256, with.reference_key, with.reference_sha256);
    query.step();
    const std::int64_t key = query.integer(0);
    query.reset();
    return store_.known.made_with.emplace(hashes, key).first->second;
  }

  template <class T>
  static std::optional<std::string> reason(const Known<T>& known) {
    if (known.value) return std::nullopt;
    return known.reason;
  }

  static std::optional<std::string> unless_empty(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
  }

  void add_event(const char* kind) {
    sql()
        .kept("INSERT INTO event (run_key, device, sequence, kind) VALUES (?, ?, ?, ?)")
        .run(known_.run_key, device_, sequence_, kind);
  }

  void add_parts(std::int64_t process, const ProcessResult& result) {
    sql::insert(sql(), process, result.phases);
    sql::insert(sql(), process, result.repetitions);
    add_latencies(process, result);
    sql::insert(sql(), process, result.readings);
    sql::insert(sql(), process, result.neighbours);
    for (const auto& [name, value] : result.facts) {
      sql().kept("INSERT INTO fact (process_key, name, value) VALUES (?, ?, ?)").run(process, name, value);
    }
    if (result.check) sql::insert(sql(), process, *result.check);
    sql::insert(sql(), process, result.agreement);
    if (result.failure) sql::insert(sql(), process, *result.failure);
    if (result.profile) insert_profile(sql(), process, *result.profile);
  }

  void add_latencies(std::int64_t process, const ProcessResult& result) {
    for (std::size_t i = 0; i < result.latencies_ns.size(); ++i) {
      std::int64_t position = 0;
      for (const std::int64_t latency_ns : result.latencies_ns[i]) {
        sql()
            .kept("INSERT INTO latency (process_key, repetition_index, position, latency_ns) VALUES (?, ?, ?, ?)")
            .run(process, static_cast<std::int64_t>(i), position++, latency_ns);
      }
    }
  }

  Store::Implementation& store_;
  Store::Implementation::Known::Device& known_;
  const std::string& device_;
  std::uint64_t sequence_;
};

int attempts_in(const nlohmann::json& section, int otherwise) {
  const nlohmann::json given = section.is_object() ? section.value("attempts", nlohmann::json()) : nlohmann::json();
  return given.is_number_integer() ? given.get<int>() : otherwise;
}

// Returns what a study says of attempts and disturbance, and defaults for the other limits. Studies that were recorded
// before there was a key for disturbed processes have its default.
work::Limits limits_of(const nlohmann::json& study) {
  work::Limits limits;
  limits.attempts = attempts_in(study, 1);
  if (!study.is_object()) return limits;
  const nlohmann::json disturbance = study.value("disturbance", nlohmann::json());
  limits.disturbance.attempts = attempts_in(disturbance, limits.disturbance.attempts);
  if (disturbance.is_object() && disturbance.contains("max_wait_percent")) {
    const nlohmann::json& percent = disturbance["max_wait_percent"];
    if (percent.is_number()) limits.disturbance.max_wait_ratio = percent.get<double>() / 100;
  }
  return limits;
}

// Throws SqlError if the run is unknown or has no such device.
Store::Implementation::Known::Device& look_up(Store::Implementation& store, const Device& device) {
  const auto found = store.known.devices.find(device);
  if (found != store.known.devices.end()) return found->second;
  sql::Statement& query = store.database.kept(
      "SELECT run_key, last_sequence, study_json FROM run_device JOIN run USING (run_key) "
      "WHERE run_id = ? AND device = ?");
  query.bind(device.first, device.second);
  if (!query.step()) {
    throw sql::SqlError({fmt::format("no run {} on device {} has begun in these results", device.first, device.second),
                         store.database.file().string(), "begin the run first"},
                        SQLITE_CONSTRAINT);
  }
  const nlohmann::json study = json_text::parse(query.text(2));
  Store::Implementation::Known::Device known{
      query.integer(0), static_cast<std::uint64_t>(query.integer(1)), false, limits_of(study), {}};
  query.reset();
  sql::Statement& environments = store.database.kept(
      "SELECT environment_hash, environment_key FROM environment WHERE run_key = ? AND device = ? ORDER BY sequence");
  environments.bind(known.run_key, device.second);
  while (environments.step()) known.environments[environments.text(0)] = environments.integer(1);
  return store.known.devices.emplace(device, std::move(known)).first->second;
}

// Returns true if the event is the next one of its device, false if it is recorded already. Returns an error if it
// cannot be recorded: its sequence number leaves a gap, or it cannot be true.
Result<bool> check(Store::Implementation& store, const Device& device, const samples::Event& event) {
  return sql::guarded([&]() -> Result<bool> {
    const Store::Implementation::Known::Device& known = look_up(store, device);
    const std::uint64_t last = known.last_sequence;
    if (event.sequence <= last) return false;
    if (event.sequence != last + 1) {
      return fail(fmt::format("event {} of {} came after event {}", event.sequence, device.second, last),
                  store.database.file().string(), "ask the device for the events after the last one");
    }
    const Status judged = judge(store, device.second, known, event);
    if (!judged) return error_of(judged);
    return true;
  });
}

}  // namespace

Result<std::uint64_t> Store::last_sequence(const std::string& run_id, const std::string& device) {
  return sql::guarded(
      [&]() -> Result<std::uint64_t> { return look_up(*implementation_, {run_id, device}).last_sequence; });
}

Status Store::record(const std::string& run_id, const std::string& device, const samples::Event& event) {
  const Device key{run_id, device};
  const Result<bool> is_new = check(*implementation_, key, event);
  if (!is_new) return error_of(is_new);
  if (!*is_new) return Done{};
  return implementation_->changing([&]() -> Status {
    implementation_->begin_result();
    std::visit(Recorder(*implementation_, key, event.sequence), event.body);
    auto& known = look_up(*implementation_, key);
    known.last_sequence = event.sequence;
    known.is_ahead = true;
    ++implementation_->pending;
    return Done{};
  });
}

}  // namespace ngb::store
