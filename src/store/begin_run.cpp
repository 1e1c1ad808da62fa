// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/hash.h"
#include "base/json_text.h"
#include "base/text.h"
#include "samples/process_numbers.h"
#include "samples/steady_rates.h"
#include "store/cell_row.h"
#include "store/implementation.h"
#include "store/protocol.h"
#include "work/property.h"

namespace ngb::store {
namespace {

using nlohmann::json;

std::map<std::string, std::string> recorded_protocol(sql::Database& database) {
  std::map<std::string, std::string> recorded;
  sql::Statement& rows = database.kept("SELECT key, value FROM protocol");
  while (rows.step()) recorded.emplace(rows.text(0), rows.text(1));
  return recorded;
}

// A file in which no process was measured agrees with every study.
Status compare_protocol(sql::Database& database, const config::Study& study) {
  const std::map<std::string, std::string> recorded = recorded_protocol(database);
  if (recorded.empty() || database.integer("SELECT EXISTS (SELECT 1 FROM process WHERE is_complete = 1)") == 0) {
    return Done{};
  }
  std::vector<std::string> differences;
  std::map<std::string, std::string> left = recorded;
  for (const ProtocolKey& row : protocol_of(study)) {
    left.erase(row.key);
    const auto found = recorded.find(row.key);
    const std::string there = found == recorded.end() ? "not set" : found->second;
    if (there != row.value)
      differences.push_back(fmt::format("{} is {} in the results and {} in the study", row.key, there, row.value));
  }
  for (const auto& [key, value] : left) {
    differences.push_back(fmt::format("{} is {} in the results and not set in the study", key, value));
  }
  if (differences.empty()) return Done{};
  return fail("these results were measured under another protocol: " + text::join(differences, ", "),
              database.file().string(),
              "to set them aside and measure anew: ngb run --again; or choose another output folder for this study, or "
              "give the study the protocol of these results");
}

// Results of several folders are not measured any further: their devices' journals are in those folders.
Status require_unmerged(sql::Database& database) {
  if (database.integer("SELECT count(*) FROM source") == 0) return Done{};
  return fail("these results were merged from other folders, so nothing can be measured into them",
              database.file().string(), "measure into another folder, then merge again");
}

// Makes the study's protocol that of the file, if another one was recorded before anything was measured.
Status adopt_protocol(sql::Database& database, const config::Study& study) {
  if (const Status same = compare_protocol(database, study); !same) return same;
  database.kept("DELETE FROM protocol").run();
  database.kept("UPDATE cell SET planned_processes = ?1 WHERE planned_processes <> ?1")
      .run(work::planned_processes(study.protocol));
  for (const ProtocolKey& row : protocol_of(study)) {
    database.kept("INSERT INTO protocol VALUES (?, ?)").run(row.key, row.value);
  }
  return Done{};
}

const std::string& recipe_json_of(const work::Model& model) {
  const std::string& recipe = work::json_of(model.source);
  return recipe.empty() ? model.file_parameters : recipe;
}

void add_model(sql::Database& database, const work::Model& model) {
  database
      .kept(
          "INSERT INTO model (model_hash, batch, label, family, recipe_json, path, parameters, macs, macs_torchinfo, "
          "variant_of, exact_hash) "
          "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
      .run(model.key.hash, model.key.batch, model.label, model.family, recipe_json_of(model), model.path,
           model.parameters, model.macs, model.macs_torchinfo, model.variant_of, model.exact_hash);
  if (!database.changed()) return;
  const std::int64_t key = database.last_key();
  for (std::size_t i = 0; i < model.inputs.size(); ++i) {
    const TensorSignature& input = model.inputs[i];
    database.kept("INSERT INTO model_input VALUES (?, ?, ?, ?, ?)")
        .run(key, static_cast<std::int64_t>(i), input.name, name(input.type), json_text::dump(json(input.shape)));
  }
}

// Records what the model belongs to and the sizes of its samples, which may have changed since its first run.
void describe_model(sql::Database& database, const work::Model& model) {
  database
      .kept(
          "UPDATE model SET model_group = nullif(?1, ''), model_style = nullif(?2, ''), model_size = ?3, "
          "raw_bytes = ?4, encoded_bytes = ?5, recipe_json = ?8 "
          "WHERE model_hash = ?6 AND batch = ?7 AND (model_group IS NOT nullif(?1, '') OR "
          "model_style IS NOT nullif(?2, '') OR model_size IS NOT ?3 OR raw_bytes IS NOT ?4 OR encoded_bytes IS NOT "
          "?5 OR recipe_json IS NOT ?8)")
      .run(model.group, model.style, model.size, model.raw_bytes, model.encoded_bytes, model.key.hash, model.key.batch,
           recipe_json_of(model));
}

// Returns the properties that are kept in the row of the cell, which refers to that of its model.
const std::vector<const work::Property*>& properties_of_row() {
  static const std::vector<const work::Property*> kKept = [] {
    std::vector<const work::Property*> kept;
    for (const work::Property& each : work::properties()) {
      if (column_of(each).starts_with("cell.")) kept.push_back(&each);
    }
    return kept;
  }();
  return kKept;
}

const std::string& insert_cell() {
  static const std::string kInsert = [] {
    std::string columns;
    std::string marks;
    for (const work::Property* each : properties_of_row()) {
      columns += ", " + column_of(*each).substr(std::string_view("cell.").size());
      marks += ", ?";
    }
    return fmt::format(
        "INSERT INTO cell (cell_id, planned_processes, model_key, toolchain_key{}) "
        "SELECT ?, ?, model_key, toolchain_key{} FROM model, toolchain WHERE model_hash = ? AND batch = ? AND "
        "toolchain.device = ? AND toolchain.compiler = ? AND toolchain.compiler_version = ? ON CONFLICT DO NOTHING",
        columns, marks);
  }();
  return kInsert;
}

void add_cell(sql::Database& database, const plan::Plan& plan, const work::Cell& cell) {
  const work::Configuration of = plan.configuration_of(cell);
  const work::Compiler& compiler = of.compiler;
  database.kept("INSERT INTO toolchain (device, compiler, compiler_version) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
      .run(cell.device, compiler.name, compiler.version);
  sql::Statement& insert = database.kept(insert_cell().c_str());
  int mark = 0;
  insert.bind_at(++mark, cell.id);
  insert.bind_at(++mark, work::planned_processes(plan.study.protocol));
  for (const work::Property* each : properties_of_row()) {
    const bool is_known = !work::value_of(*each, of).is_null();
    insert.bind_at(++mark, is_known ? std::optional(each->text(of)) : std::nullopt);
  }
  insert.bind_at(++mark, of.model.key.hash);
  insert.bind_at(++mark, of.model.key.batch);
  insert.bind_at(++mark, of.device);
  insert.bind_at(++mark, compiler.name);
  insert.bind_at(++mark, compiler.version);
  insert.run();
}

std::optional<std::string> unfinished_run(sql::Database& database, const std::string& study_sha256) {
  sql::Statement& query = database.kept(
      "SELECT run_id FROM run WHERE study_sha256 = ? AND EXISTS "
      "(SELECT 1 FROM run_device WHERE run_device.run_key = run.run_key AND is_finished = 0) "
      "ORDER BY run_key DESC LIMIT 1");
  query.bind(study_sha256);
  std::optional<std::string> run_id;
  if (query.step()) run_id = query.text(0);
  query.reset();
  return run_id;
}

std::string add_run(sql::Database& database, const plan::Plan& plan, const std::string& study_sha256,
                    std::int64_t started_unix_ns, const Revision& ngb) {
  const std::string unique =
      fmt::format("{}\n{}\n{}", study_sha256, started_unix_ns, database.integer("SELECT count(*) FROM run"));
  std::string run_id = hash::sha256(unique).substr(0, 16);
  database
      .kept(
          "INSERT INTO run (run_id, study_name, study_json, study_sha256, started_unix_ns, ngb_version, ngb_revision, "
          "ngb_is_changed) VALUES (?, ?, ?, ?, ?, nullif(?, ''), nullif(?, ''), ?)")
      .run(run_id, plan.study.name, json_text::dump(config::to_json(plan.study)), study_sha256, started_unix_ns,
           ngb.version, ngb.commit, ngb.is_changed);
  const std::int64_t run_key = database.last_key();
  std::set<std::string> devices;
  for (const work::Cell& cell : plan.cells) {
    database.kept("INSERT INTO run_cell SELECT ?, cell_key FROM cell WHERE cell_id = ? ON CONFLICT DO NOTHING")
        .run(run_key, cell.id);
    devices.insert(cell.device);
  }
  for (const std::string& device : devices) {
    database.kept("INSERT INTO run_device (run_key, device) VALUES (?, ?)").run(run_key, device);
  }
  return run_id;
}

std::vector<double> speeds_of(sql::Database& database, std::int64_t process_key) {
  sql::Statement& query = database.kept(
      "SELECT wall_ns, inferences, is_warm_up, instance FROM repetition WHERE process_key = ? ORDER BY "
      "repetition_index");
  query.bind(process_key);
  std::vector<samples::Repetition> repetitions;
  while (query.step()) {
    repetitions.push_back({query.integer(0),
                           static_cast<std::uint32_t>(query.integer(1)),
                           query.integer(2) != 0,
                           {},
                           static_cast<std::uint32_t>(query.integer(3))});
  }
  return samples::speeds_by_time(repetitions);
}

// What the processes of cells say of the metric that decides. Cells are read when they are first asked for.
class DecidingNumbers {
 public:
  DecidingNumbers(Store& store, const std::optional<work::DecidedBy>& decided_by)
      : store_(store), decided_by_(decided_by) {}

  // Returns the numbers of a completed process.
  std::vector<double> of(const std::string& cell_id, int process_index, const std::string& build,
                         const std::string& environment_hash) {
    if (cell_id_ != cell_id) {
      cell_id_ = cell_id;
      cell_ = store_.load_cell(cell_id, Detail::full).value_or(std::nullopt).value_or(CellData{});
    }
    for (const std::vector<RecordedProcess>* const list : {&cell_.processes, &cell_.set_aside}) {
      for (const RecordedProcess& each : *list) {
        if (each.process_index == process_index && each.made_with.build() == build &&
            each.environment_hash == environment_hash) {
          return samples::deciding_numbers(each, decided_by_);
        }
      }
    }
    return {};
  }

 private:
  Store& store_;
  const std::optional<work::DecidedBy>& decided_by_;
  std::string cell_id_{};  // of `cell_`
  CellData cell_{};
};

}  // namespace

Result<std::map<std::string, std::string>> Store::protocol() {
  return sql::guarded(
      [&]() -> Result<std::map<std::string, std::string>> { return recorded_protocol(implementation_->database); });
}

Status Store::check_protocol(const config::Study& study) {
  return sql::guarded([&]() -> Status {
    if (const Status own = require_unmerged(implementation_->database); !own) return own;
    return compare_protocol(implementation_->database, study);
  });
}

Result<std::string> Store::begin_run(const plan::Plan& plan, std::int64_t started_unix_ns, const Revision& ngb) {
  if (const Status flushed = flush(); !flushed) return error_of(flushed);
  return implementation_->changing([&]() -> Result<std::string> {
    sql::Database& database = implementation_->database;
    implementation_->begin_result();
    if (const Status own = require_unmerged(database); !own) return error_of(own);
    if (const Status same = adopt_protocol(database, plan.study); !same) return error_of(same);
    for (const work::Model& model : plan.models) {
      add_model(database, model);
      describe_model(database, model);
    }
    for (const work::Cell& cell : plan.cells) add_cell(database, plan, cell);
    const std::string study_sha256 = study_hash(plan);
    std::optional<std::string> run_id = unfinished_run(database, study_sha256);
    if (run_id) {
      database.kept("UPDATE run SET study_json = ? WHERE run_id = ?")
          .run(json_text::dump(config::to_json(plan.study)), *run_id);
    } else {
      run_id = add_run(database, plan, study_sha256, started_unix_ns, ngb);
    }
    database.commit();
    return *run_id;
  });
}

Status Store::describe_models(const plan::Plan& plan) {
  if (const Status flushed = flush(); !flushed) return flushed;
  return implementation_->changing([&]() -> Status {
    implementation_->begin_result();
    for (const work::Model& model : plan.models) describe_model(implementation_->database, model);
    implementation_->database.commit();
    return Done{};
  });
}

Result<std::optional<std::string>> Store::open_run(const plan::Plan& plan) {
  return sql::guarded([&]() -> Result<std::optional<std::string>> {
    return unfinished_run(implementation_->database, study_hash(plan));
  });
}

Result<std::vector<samples::Completed>> Store::completed(const std::string& run_id, const std::string& device,
                                                         const std::optional<work::DecidedBy>& decided_by) {
  return sql::guarded([&]() -> Result<std::vector<samples::Completed>> {
    const bool has_numbers = recorded_protocol(implementation_->database).contains("rounds");
    DecidingNumbers numbers(*this, decided_by);
    std::map<std::pair<std::int64_t, std::string>, std::size_t> known;
    std::vector<samples::Completed> all;
    sql::Statement& query = implementation_->database.kept(
        "SELECT cell_id, process_index, environment_hash, ifnull(made_with_key, 0), manifest_sha256, worker_sha256, "
        "package_sha256, plugin_sha256, exporter_sha256, model_sha256, process_key FROM run_cell "
        "JOIN run ON run.run_key = run_cell.run_key JOIN cell USING (cell_key) JOIN process USING (cell_key) "
        "LEFT JOIN made_with USING (made_with_key) "
        "WHERE is_complete = 1 AND run_id = ? AND process.device = ? ORDER BY process_key");
    query.bind(run_id, device);
    while (query.step()) {
      const auto [place, is_new] = known.emplace(std::pair(query.integer(3), query.text(2)), all.size());
      if (is_new) {
        all.push_back({{.manifest_sha256 = query.text(4),
                        .worker_sha256 = query.text(5),
                        .package_sha256 = query.text(6),
                        .plugin_sha256 = query.text(7),
                        .exporter_sha256 = query.text(8),
                        .model_sha256 = query.text(9)},
                       query.text(2),
                       {},
                       {}});
      }
      samples::Completed& alike = all[place->second];
      alike.processes[query.text(0)].push_back(query.small(1));
      if (!has_numbers) continue;
      alike.numbers[query.text(0)].push_back(
          decided_by ? numbers.of(query.text(0), query.small(1), alike.made_with.build(), query.text(2))
                     : speeds_of(implementation_->database, query.integer(10)));
    }
    return all;
  });
}

Status Store::record_toolchain(const std::string& device, const std::string& compiler, const std::string& version,
                               const Manifest& manifest) {
  return implementation_->changing([&]() -> Status {
    implementation_->begin_change();
    sql::Database& database = implementation_->database;
    database.kept("INSERT INTO manifest VALUES (?, ?) ON CONFLICT DO NOTHING").run(manifest.sha256, manifest.json);
    database.kept("INSERT INTO toolchain (device, compiler, compiler_version) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
        .run(device, compiler, version);
    database
        .kept(
            "INSERT INTO toolchain_manifest SELECT toolchain_key, ?, "
            "(SELECT count(*) FROM toolchain_manifest AS earlier WHERE earlier.toolchain_key = "
            "toolchain.toolchain_key) "
            "FROM toolchain WHERE device = ? AND compiler = ? AND compiler_version = ? ON CONFLICT DO NOTHING")
        .run(manifest.sha256, device, compiler, version);
    return Done{};
  });
}

}  // namespace ngb::store
