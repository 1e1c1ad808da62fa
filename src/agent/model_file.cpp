// SPDX-License-Identifier: Apache-2.0
#include "agent/model_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "agent/attempt_log.h"
#include "agent/placement.h"
#include "agent/process_tree.h"
#include "base/hash.h"
#include "base/process.h"
#include "base/text.h"
#include "samples/json_fields.h"

namespace ngb::agent {
namespace {

using nlohmann::json;
using samples::Failure;
using samples::FailureKind;

Failure failure_of(FailureKind kind, const std::string& message, std::string advice) {
  Failure failure;
  failure.kind = kind;
  failure.message = text::to_utf8(message);
  failure.advice = std::move(advice);
  return failure;
}

constexpr const char* kModule = "module";

// Where the weights of all but small models stand.
std::filesystem::path data_path(const std::filesystem::path& path) { return path.string() + ".data"; }
// What the exporter has to say: {"inputs": […], "open_inputs": […]}, or {"failure": {…}}.
std::filesystem::path answer_path(const std::filesystem::path& path) { return path.string() + ".json"; }

bool is_module(const samples::ModelWork& model) {
  const json recipe = json::parse(model.recipe_json, nullptr, false);
  return recipe.is_object() && recipe.contains(kModule);
}

}  // namespace

std::string recipe_here(const samples::ModelWork& model) {
  json recipe = json::parse(model.recipe_json, nullptr, false);
  if (!recipe.is_object() || !recipe.contains(kModule)) return model.recipe_json;
  for (const char* const key : {"file", "state_dict"}) {
    const auto name = recipe[kModule].find(key);
    if (name == recipe[kModule].end() || !name->is_string()) continue;
    if (const UserFile* file = file_called(model.files, *name)) *name = file->path;
  }
  return recipe.dump();
}

std::filesystem::path model_path(const Surroundings& surroundings, const samples::ModelWork& model) {
  return surroundings.work_folder / "models" / fmt::format("{}-b{}.onnx", model.hash.substr(0, 16), model.batch);
}

void remove_model(const std::filesystem::path& path) {
  std::error_code code;
  std::filesystem::remove(path, code);
  std::filesystem::remove(data_path(path), code);
  std::filesystem::remove(answer_path(path), code);
}

ModelWriting::ModelWriting(const Surroundings& surroundings, Children& children, const samples::ModelWork& model,
                           const samples::Job& job)
    : surroundings_(surroundings),
      children_(children),
      path_(model_path(surroundings, model)),
      log_name_(fmt::format("model-{}.log", path_.stem().string())),
      started_(system_clock().now()),
      deadline_(started_ + Nanoseconds(job.protocol.compile_timeout_ns)) {
  facts_.model_id = model.id;
  start(model, job.exporter);
}

std::vector<std::string> ModelWriting::command(const samples::ModelWork& model,
                                               const std::optional<samples::CompilerWork>& exporter) const {
  const std::string threads = std::to_string(surroundings_.cpus.size());
  const std::string batch = std::to_string(model.batch);
  if (!exporter) {
    return {surroundings_.worker.string(),
            "write-model",
            "--recipe",
            model.recipe_json,
            "--batch",
            model.dynamic_batch ? "dynamic" : batch,
            "--threads",
            threads,
            "-o",
            path_.string()};
  }
  std::vector<std::string> words{exporter->python,
                                 "-m",
                                 "ngraphbench.export_model",
                                 "--compiler-dir",
                                 (surroundings_.lib / "compilers" / exporter->name).string(),
                                 "--toolchain",
                                 exporter->toolchain_dir,
                                 "--module",
                                 recipe_here(model),
                                 "--batch",
                                 batch,
                                 "--threads",
                                 threads,
                                 "-o",
                                 path_.string()};
  if (model.dynamic_batch) words.emplace_back("--dynamic-batch");
  return words;
}

void ModelWriting::start(const samples::ModelWork& model, const std::optional<samples::CompilerWork>& exporter) {
  const bool is_exported = is_module(model);
  if (is_exported && exporter && (!exporter->why_missing.empty() || exporter->python.empty())) {
    Failure failure = failure_of(
        FailureKind::toolchain_missing,
        fmt::format("{} {} exports this model, and is not installed on this device", exporter->name, exporter->version),
        fmt::format("ngb toolchain install {}@{}", exporter->name, exporter->version));
    if (!exporter->why_missing.empty()) failure.message += ": " + exporter->why_missing;
    outcome_ = tl::unexpected(failure);
    return;
  }
  if (is_exported && !exporter) return fail_with(FailureKind::internal, "the job names no exporter");
  const Result<FileDescriptor> log = create_log(surroundings_.logs() / log_name_);
  if (!log) return fail_with(FailureKind::internal, log.error().text());
  const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  process::Spawn spawn{command(model, is_exported ? exporter : std::nullopt)};
  spawn.environment = {{kWorkFolderVariable, surroundings_.work_folder.string()}};
  if (is_exported) {
    spawn.environment = surroundings_.environment;
    for (const auto& variable : python_variables(surroundings_, *exporter)) spawn.environment.push_back(variable);
  }
  spawn.descriptors = {{nothing.get(), 0}, {log->get(), 1}, {log->get(), 2}};
  spawn.own_group = true;
  spawn.folder = surroundings_.scratch();
  const Result<pid_t> pid = process::spawn(spawn);
  if (!pid) return fail_with(FailureKind::internal, pid.error().text());
  confine(*pid, surroundings_.cpus);
  children_.watch(*pid);
  pid_ = *pid;
}

void ModelWriting::advance() {
  if (outcome_) return;
  if (system_clock().now() >= deadline_ && !is_over_time_) {
    is_over_time_ = true;
    ::kill(-*pid_, SIGKILL);
  }
  const std::optional<Children::Ended> how = children_.take(*pid_);
  if (!how) return;
  const process::Outcome ended = process::decode(how->wait_status);
  if (ended.succeeded() && !take_answer()) return;
  if (ended.succeeded()) return take_over();
  if (is_over_time_) return fail_with(FailureKind::timeout, "writing the model took longer than the compile timeout");
  if (ended.signal) return fail_with(FailureKind::crash, fmt::format("signal {} ended it", *ended.signal));
  fail_with(FailureKind::internal, fmt::format("it ended with {}", ended.exit_code.value_or(-1)));
}

// What the exporter says of the file. False: it failed, and said why.
bool ModelWriting::take_answer() {
  std::error_code code;
  if (!std::filesystem::exists(answer_path(path_), code)) return true;
  const Result<std::string> text = file::read(answer_path(path_));
  std::filesystem::remove(answer_path(path_), code);
  const json answer = text ? json::parse(*text, nullptr, false) : json();
  const auto read = samples::fields::parse("the exporter's answer", [&] {
    namespace fields = samples::fields;
    if (answer.is_object() && answer.contains("failure")) {
      const json& said = fields::child(answer, "failure");
      const auto kind = fields::value_of(samples::parse_failure_kind(fields::get<std::string>(said, "kind")));
      outcome_ = tl::unexpected(
          failure_of(kind, fields::get<std::string>(said, "message"), fields::get<std::string>(said, "advice")));
      return Done{};
    }
    facts_.inputs = fields::vector_of(answer, "inputs", samples::tensor_from_json);
    facts_.open_inputs = fields::vector_of(answer, "open_inputs", samples::tensor_from_json);
    return Done{};
  });
  if (!read) fail_with(FailureKind::internal, read.error().text());
  return !outcome_;
}

void ModelWriting::take_over() {
  std::error_code code;
  facts_.wall_ns = (system_clock().now() - started_).count();
  // The file, and where it does not hold its weights, the one beside it.
  for (const std::filesystem::path& part : {path_, data_path(path_)}) {
    if (part != path_ && !std::filesystem::exists(part, code)) continue;
    const Result<std::string> hash = hash::sha256_of_file(part);
    if (!hash) return fail_with(FailureKind::internal, hash.error().text());
    facts_.file_sha256 = facts_.file_sha256.empty() ? *hash : hash::sha256(facts_.file_sha256 + *hash);
    facts_.file_bytes += std::filesystem::file_size(part, code);
  }
  outcome_ = ModelFile{path_, facts_};
}

void ModelWriting::fail_with(samples::FailureKind kind, const std::string& message) {
  Failure failure = failure_of(kind, "the model could not be written: " + message, "");
  quote_log(failure, surroundings_.logs() / log_name_, "logs/" + log_name_);
  if (failure.message.find("No space left") != std::string::npos) failure.kind = FailureKind::disk_full;
  outcome_ = tl::unexpected(failure);
}

ModelWriting::Outcome check_files(const samples::ModelWork& model) {
  const Nanoseconds started = system_clock().now();
  ModelFile file{{}, {.model_id = model.id}};
  for (const UserFile& each : model.files) {
    const Result<std::string> hash = hash::sha256_of_file(each.path);
    if (!hash) {
      return tl::unexpected(
          failure_of(FailureKind::invalid_model, hash.error().text(), "check the study's model path"));
    }
    if (*hash != each.sha256) {
      return tl::unexpected(failure_of(FailureKind::invalid_model,
                                       fmt::format("{} has changed since the study was planned", each.path),
                                       "run the study again, with the file as it is now"));
    }
    std::error_code code;
    file.facts.file_sha256 = file.path.empty() ? *hash : hash::sha256(file.facts.file_sha256 + *hash);
    file.facts.file_bytes += std::filesystem::file_size(each.path, code);
    if (file.path.empty()) file.path = each.path;
  }
  if (file.path.empty())
    return tl::unexpected(failure_of(FailureKind::invalid_model, "the job names no file of it", ""));
  file.facts.wall_ns = (system_clock().now() - started).count();
  return file;
}

}  // namespace ngb::agent
