// SPDX-License-Identifier: Apache-2.0
#include "agent/model_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>

#include <system_error>

#include "agent/attempt_log.h"
#include "agent/placement.h"
#include "agent/process_tree.h"
#include "base/hash.h"
#include "base/process.h"
#include "base/text.h"

namespace ngb::agent {
namespace {

using samples::Failure;
using samples::FailureKind;

Failure failure_of(FailureKind kind, const std::string& message, std::string advice) {
  Failure failure;
  failure.kind = kind;
  failure.message = text::to_utf8(message);
  failure.advice = std::move(advice);
  return failure;
}

// Where the weights of a model of more than 2 GB stand.
std::filesystem::path data_path(const std::filesystem::path& path) { return path.string() + ".data"; }

}  // namespace

std::filesystem::path model_path(const Surroundings& surroundings, const samples::ModelWork& model) {
  return surroundings.work_folder / "models" / fmt::format("{}-b{}.onnx", model.hash.substr(0, 16), model.batch);
}

void remove_model(const std::filesystem::path& path) {
  std::error_code code;
  std::filesystem::remove(path, code);
  std::filesystem::remove(data_path(path), code);
}

ModelWriting::ModelWriting(const Surroundings& surroundings, Children& children, const samples::ModelWork& model,
                           const samples::Protocol& protocol)
    : surroundings_(surroundings),
      children_(children),
      path_(model_path(surroundings, model)),
      log_name_(fmt::format("model-{}.log", path_.stem().string())),
      started_(system_clock().now()),
      deadline_(started_ + Nanoseconds(protocol.compile_timeout_ns)) {
  facts_.model_id = model.id;
  start(model);
}

void ModelWriting::start(const samples::ModelWork& model) {
  const Result<FileDescriptor> log = create_log(surroundings_.logs() / log_name_);
  if (!log) return fail_with(FailureKind::internal, log.error().text());
  const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  process::Spawn spawn{{surroundings_.worker.string(), "write-model", "--recipe", model.recipe_json, "--batch",
                        std::to_string(model.batch), "--threads", std::to_string(surroundings_.cpus.size()), "-o",
                        path_.string()}};
  spawn.environment = {{kWorkFolderVariable, surroundings_.work_folder.string()}};
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
  if (ended.succeeded()) return take_over();
  if (is_over_time_) return fail_with(FailureKind::timeout, "writing the model took longer than the compile timeout");
  if (ended.signal) return fail_with(FailureKind::crash, fmt::format("signal {} ended it", *ended.signal));
  fail_with(FailureKind::internal, fmt::format("it ended with {}", ended.exit_code.value_or(-1)));
}

void ModelWriting::take_over() {
  std::error_code code;
  facts_.wall_ns = (system_clock().now() - started_).count();
  // The file, and where it is too large to hold its weights, the one beside it.
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

ModelWriting::Outcome check_model_file(const samples::ModelWork& model) {
  const Nanoseconds started = system_clock().now();
  const Result<std::string> hash = hash::sha256_of_file(model.path);
  if (!hash) {
    return tl::unexpected(failure_of(FailureKind::invalid_model, hash.error().text(), "check the study's model path"));
  }
  if (*hash != model.file_sha256) {
    return tl::unexpected(failure_of(FailureKind::invalid_model,
                                     fmt::format("{} has changed since the study was planned", model.path),
                                     "run the study again, with the file as it is now"));
  }
  std::error_code code;
  ModelFile file{model.path, {model.id, *hash, std::filesystem::file_size(model.path, code), 0}};
  file.facts.wall_ns = (system_clock().now() - started).count();
  return file;
}

}  // namespace ngb::agent
