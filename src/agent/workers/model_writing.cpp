// SPDX-License-Identifier: Apache-2.0
#include "agent/workers/model_writing.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>

#include "agent/workers/attempt_log.h"
#include "agent/workers/kept_exports.h"
#include "agent/workers/limits.h"
#include "agent/workers/process_tree.h"
#include "base/hash.h"
#include "base/json_text.h"
#include "base/process.h"
#include "base/processors.h"
#include "base/python.h"
#include "base/removal.h"
#include "base/text.h"
#include "work/codec.h"

namespace ngb::agent {
namespace {

using nlohmann::json;
using samples::Failure;
using samples::FailureKind;

Failure writing_failure(FailureKind kind, const std::string& message, std::string advice) {
  Failure failure;
  failure.kind = kind;
  failure.message = text::to_utf8(message);
  failure.advice = std::move(advice);
  return failure;
}

constexpr const char* kModule = "module";

// Returns the file of the exporter's answer: {"inputs": […], "open_inputs": […]}, or {"failure": {…}}.
std::filesystem::path answer_path(const std::filesystem::path& path) { return path.string() + ".json"; }

// Returns a file in memory with the text, positioned at its beginning: a model's parameters may exceed the limit of an
// argument (128 KiB).
Result<FileDescriptor> readable(const std::string& text) {
  FileDescriptor fd(::memfd_create("recipe", MFD_CLOEXEC));
  if (!fd.is_open()) return tl::unexpected(file::from_errno("create a file in memory", "recipe", errno));
  if (Status written = file::write_all(fd.get(), text, "recipe"); !written) return error_of(written);
  if (::lseek(fd.get(), 0, SEEK_SET) != 0) return tl::unexpected(file::from_errno("read", "recipe", errno));
  return fd;
}

}  // namespace

std::vector<std::filesystem::path> files_of(const work::Model& model, const ModelFile& file) {
  std::vector<std::filesystem::path> files;
  for (const work::UserFile& each : model.files) files.emplace_back(each.path);
  if (!model.is_made() || file.path.empty()) return files;
  std::error_code code;
  files.push_back(file.path);
  if (std::filesystem::exists(data_path(file.path), code)) files.push_back(data_path(file.path));
  return files;
}

bool needs_file(const work::Job& job, const work::Model& model, const work::Compiler& compiler) {
  return !model.is_module() || !work::runs_modules(job.place_of(compiler), compiler);
}

std::string source_here(const work::Model& model) {
  if (!model.is_module()) return work::json_of(model.source);
  json recipe = json_text::parse(work::json_of(model.source));
  if (!recipe.is_object() || !recipe.contains(kModule)) return {};
  for (const char* const key : {"file", "state_dict"}) {
    const auto name = recipe[kModule].find(key);
    if (name == recipe[kModule].end() || !name->is_string()) continue;
    if (const work::UserFile* file = work::file_called(model.files, *name)) *name = file->path;
  }
  return json_text::dump(recipe);
}

std::filesystem::path model_path(const Surroundings& surroundings, const work::Model& model) {
  return surroundings.work_folder / "models" / (work::file_name(model.key) + ".onnx");
}

void remove_model(const std::filesystem::path& path) {
  if (path.empty()) return;
  file::remove(path);
  file::remove(data_path(path));
  file::remove(answer_path(path));
}

ModelWriting::ModelWriting(const Surroundings& surroundings, Children& children, const work::Model& model,
                           const work::Job& job, WritingBounds bounds, Exporting exporting)
    : surroundings_(surroundings),
      children_(children),
      path_(model_path(surroundings, model)),
      log_name_(fmt::format("model-{}.log", path_.stem().string())),
      started_(system_clock().now()),
      deadline_(started_ + Nanoseconds(job.limits.timeouts.compile_ns)),
      bounds_(std::move(bounds)),
      is_module_(model.is_module()),
      exporting_(std::move(exporting)) {
  facts_.model = model.key;
  if (is_module_ && !exporting_.name.empty()) {
    if (std::optional<ModelFile> kept = read_kept_export(exporting_.cache, exporting_.name, model.key)) {
      outcome_ = *std::move(kept);
      return;
    }
    if (const Status made = make_folder(); !made) {
      fail_with(FailureKind::internal, made.error().text());
      return;
    }
  }
  start(model, is_module_ && job.exporter ? &job.place_of(*job.exporter) : nullptr);
}

// Makes the folder that becomes the kept export once it is whole.
Status ModelWriting::make_folder() {
  Result<ScratchFolder> made = exporting_.cache.make_scratch(exporting_.name);
  if (!made) return error_of(made);
  path_ = folder_.emplace(*std::move(made)).path() / kKeptModel;
  return Done{};
}

std::vector<std::string> ModelWriting::command(const work::Model& model, const work::Place* exporter) const {
  const std::string threads = std::to_string(surroundings_.cpus.size());
  const std::string batch = std::to_string(model.key.batch);
  if (exporter == nullptr) {
    return {surroundings_.worker.string(),           "write-model", "--recipe", "-",  "--batch",
            model.dynamic_batch ? "dynamic" : batch, "--threads",   threads,    "-o", path_.string()};
  }
  const std::string folder = (surroundings_.lib / "compilers" / exporter->compiler).string();
  std::vector<std::string> words = python::of_toolchain(exporter->python, exporter->toolchain_dir);
  words.insert(words.end(),
               {"-m", "ngraphbench.export_model", "--compiler-dir", folder, "--toolchain", exporter->toolchain_dir,
                "--module", "-", "--batch", batch, "--threads", threads, "-o", path_.string()});
  if (model.dynamic_batch) words.emplace_back("--dynamic-batch");
  if (!exporting_.needs_file) words.emplace_back("--without-file");
  return words;
}

void ModelWriting::start(const work::Model& model, const work::Place* exporter) {
  if (exporter != nullptr && (!exporter->why_missing.empty() || exporter->python.empty())) {
    Failure failure =
        writing_failure(FailureKind::toolchain_missing,
                        fmt::format("{} {}, which exports this model, is not installed on this device",
                                    exporter->compiler, exporter->version),
                        fmt::format("ngb toolchain install {}@{}", exporter->compiler, exporter->version));
    if (!exporter->why_missing.empty()) failure.message += ": " + exporter->why_missing;
    outcome_ = tl::unexpected(failure);
    return;
  }
  if (model.is_module() && exporter == nullptr) return fail_with(FailureKind::internal, "the job names no exporter");
  const Result<FileDescriptor> log = create_log(surroundings_.logs() / log_name_);
  if (!log) return fail_with(FailureKind::internal, log.error().text());
  const Result<FileDescriptor> recipe = readable(source_here(model));
  if (!recipe) return fail_with(FailureKind::internal, recipe.error().text());
  process::Spawn spawn{command(model, exporter)};
  spawn.environment = {{kWorkFolderVariable, surroundings_.work_folder.string()}};
  if (exporter != nullptr) {
    spawn.inherits = environment::Share::network;  // it may download weights
    spawn.environment = surroundings_.environment;
    for (const auto& variable : python_variables(surroundings_, *exporter)) spawn.environment.push_back(variable);
  }
  spawn.descriptors = {{recipe->get(), 0}, {log->get(), 1}, {log->get(), 2}};
  spawn.own_group = true;
  spawn.folder = surroundings_.scratch();
  const Result<pid_t> pid = process::spawn(spawn);
  if (!pid) {
    const bool is_missing = has_code(pid, ErrorCode::not_found);
    return fail_with(is_missing ? FailureKind::toolchain_missing : FailureKind::internal, pid.error().text());
  }
  if (surroundings_.groups) group_ = surroundings_.groups->make(bounds_.memory_bytes);
  if (group_) group_->add(*pid);
  limit_data(*pid, bounds_.memory_bytes);
  confine(*pid, surroundings_.cpus);
  children_.watch(*pid);
  pid_ = *pid;
}

void ModelWriting::advance() {
  if (outcome_) return;
  if (system_clock().now() >= deadline_ && !ended_by_us_) {
    end_with(writing_failure(FailureKind::timeout, "took longer than the compile timeout",
                             "raise the study's compile timeout"));
  }
  const std::optional<Children::Ended> how = children_.take(*pid_);
  if (!how && left_.empty()) return;
  // A module may have started a process in another session, which would disturb the first measured process.
  if (left_.empty()) end_processes();
  if (!left_.empty() && !ended_by_us_) {
    ended_by_us_ =
        writing_failure(FailureKind::device_lost, "", "check the device's kernel log, or restart the device");
    ended_by_us_->message = "did not end after SIGKILL: " + describe_processes(left_);
  }
  const bool is_full = group_ && group_->has_run_out_of_memory();
  group_.reset();
  const process::Outcome ended = how ? process::decode(how->wait_status) : process::Outcome{};
  const bool is_large = how && !ended.succeeded() && how->peak_rss_bytes > bounds_.memory_bytes / 10 * 9;
  end_child(ended, is_full || is_large, how ? how->peak_rss_bytes : 0);
  if (is_module_) settle_module();
}

// Sets the outcome by how the program ended.
void ModelWriting::end_child(const process::Outcome& ended, bool is_memory_full, std::uint64_t peak_rss_bytes) {
  if (ended_by_us_) {
    fail_with(ended_by_us_->kind, ended_by_us_->message);
    if (!*outcome_) outcome_->error().advice = ended_by_us_->advice;
  } else if (ended.succeeded()) {
    if (read_answer()) finish_file();
  } else if (is_memory_full) {
    fail_with(FailureKind::out_of_memory,
              fmt::format("the program ended when it held {} of its limit of {}", text::human_bytes(peak_rss_bytes),
                          text::human_bytes(bounds_.memory_bytes)));
    outcome_->error().advice = "raise the study's memory limit, or choose a smaller model";
  } else if (ended.signal) {
    fail_with(FailureKind::crash, fmt::format("signal {} ended the program", *ended.signal));
  } else if (ended.exit_code == samples::kDiskFullExitCode) {
    fail_with(FailureKind::disk_full, "the disk is full");
  } else {
    fail_with(FailureKind::internal, fmt::format("the program exited with code {}", ended.exit_code.value_or(-1)));
  }
}

// Ends the export of a module. If an exporter ended the program after it had described the module, only the cells that
// need the ONNX file fail with that.
void ModelWriting::settle_module() {
  std::error_code code;
  const bool is_whole = outcome_->has_value();
  if (!is_whole && left_.empty() && outcome_->error().kind != FailureKind::disk_full &&
      std::filesystem::exists(answer_path(path_), code)) {
    const Failure ended = outcome_->error();
    outcome_.reset();
    if (!read_answer() || facts_.inputs.empty()) {
      outcome_ = tl::unexpected(ended);
    } else {
      no_file_ = ended;
      no_file_->message = "torch.onnx.export: " + ended.message;
      finish_file();
    }
  }
  if (!folder_) return;
  if (is_whole && follows_from_module_) {
    if (const Status kept = keep(); !kept) fail_with(FailureKind::internal, kept.error().text());
  }
  folder_.reset();
}

// Gives the finished export its name.
Status ModelWriting::keep() {
  ModelFile& file = **outcome_;
  if (const Status kept = keep_export(exporting_.cache, exporting_.name, folder_->path(), file); !kept) return kept;
  if (!file.path.empty()) file.path = exporting_.cache.path() / exporting_.name / kKeptModel;
  return Done{};
}

void ModelWriting::look() {
  if (outcome_ || !pid_ || ended_by_us_) return;
  const std::uint64_t bytes = resident_bytes(Children::living(bounds_.spared));
  const auto over = look_at_memory(bytes, bounds_.memory_bytes, samples::Phase::start);
  if (over) end_with(*over);
}

void ModelWriting::end_with(const samples::Failure& failure) {
  ended_by_us_ = failure;
  end_processes();
}

void ModelWriting::end_processes() {
  if (group_) group_->kill();
  left_ = children_.end_all(bounds_.spared);
}

// Reads the exporter's answer; a recipe's writer leaves none. Returns false if the exporter reported a failure.
bool ModelWriting::read_answer() {
  constexpr std::uint64_t kMaxAnswerBytes = 16U << 20U;
  const Result<std::string> text = file::read(answer_path(path_), kMaxAnswerBytes);
  if (has_code(text, ErrorCode::not_found)) return true;
  file::remove(answer_path(path_));
  const json answer = text ? json_text::parse(*text) : json();
  const auto read = work::fields::parse("the exporter's answer", [&] {
    namespace fields = work::fields;
    if (answer.is_object() && answer.contains("failure")) {
      const json& said = fields::child(answer, "failure");
      const auto kind = fields::value_of(samples::parse_failure_kind(fields::get<std::string>(said, "kind")));
      outcome_ = tl::unexpected(
          writing_failure(kind, fields::get<std::string>(said, "message"), fields::get<std::string>(said, "advice")));
      return Done{};
    }
    using Tensors = std::vector<TensorSignature>;
    facts_.inputs = work::read_json<Tensors>(fields::child(answer, "inputs"), "inputs");
    facts_.open_inputs = work::read_json<Tensors>(fields::child(answer, "open_inputs"), "open_inputs");
    if (answer.contains("exporter")) facts_.exporter = fields::get<std::string>(answer, "exporter");
    if (!exporting_.needs_file) {
      no_file_ = writing_failure(FailureKind::internal, "no compiler of this group reads the ONNX file", "");
    } else if (answer.contains("no_file")) {
      const json& said = fields::child(answer, "no_file");
      const auto kind = fields::value_of(samples::parse_failure_kind(fields::get<std::string>(said, "kind")));
      no_file_ =
          writing_failure(kind, fields::get<std::string>(said, "message"), fields::get<std::string>(said, "advice"));
      follows_from_module_ = said.value("follows_from_module", false);
    }
    return Done{};
  });
  if (!read) fail_with(FailureKind::internal, read.error().text());
  return !outcome_;
}

void ModelWriting::finish_file() {
  std::error_code code;
  facts_.wall_ns = (system_clock().now() - started_).count();
  if (no_file_) {
    facts_.no_file_reason = no_file_->message;
    outcome_ = ModelFile{{}, facts_, no_file_};
    return;
  }
  // Small models have no file of weights.
  for (const std::filesystem::path& part : {path_, data_path(path_)}) {
    if (part != path_ && !std::filesystem::exists(part, code)) continue;
    facts_.file_bytes += std::filesystem::file_size(part, code);
  }
  const Result<std::string> hash = hash_of_model(path_);
  if (!hash) return fail_with(FailureKind::internal, hash.error().text());
  facts_.file_sha256 = *hash;
  outcome_ = ModelFile{path_, facts_, {}};
}

void ModelWriting::fail_with(samples::FailureKind kind, const std::string& message) {
  Failure failure = writing_failure(kind, "the model could not be written: " + message, "");
  quote_log(failure, surroundings_.logs() / log_name_, "logs/" + log_name_);
  outcome_ = tl::unexpected(failure);
}

ModelWriting::Outcome check_files(const work::Model& model, WatchedFiles& watched) {
  const Nanoseconds started = system_clock().now();
  ModelFile file{{}, {.model = model.key}, {}};
  for (const work::UserFile& each : model.files) {
    const Result<std::string> hash = watched.add(each.path);
    if (!hash) {
      return tl::unexpected(
          writing_failure(FailureKind::invalid_model, hash.error().text(), "check the study's model path"));
    }
    if (*hash != each.sha256) {
      return tl::unexpected(writing_failure(FailureKind::invalid_model,
                                            fmt::format("{} has changed since the study was planned", each.path),
                                            "run the study again, with the file as it is now"));
    }
    if (each.name.starts_with(work::kExactFiles)) continue;
    std::error_code code;
    file.facts.file_sha256 = file.path.empty() ? *hash : hash::sha256(file.facts.file_sha256 + *hash);
    file.facts.file_bytes += std::filesystem::file_size(each.path, code);
    if (file.path.empty()) file.path = each.path;
  }
  if (file.path.empty() && !model.is_made())
    return tl::unexpected(writing_failure(FailureKind::invalid_model, "the job names no file for the model", ""));
  file.facts.wall_ns = (system_clock().now() - started).count();
  return file;
}

}  // namespace ngb::agent
