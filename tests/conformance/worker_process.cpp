// SPDX-License-Identifier: Apache-2.0
#include "worker_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"
#include "base/json_text.h"
#include "forked_worker.h"
#include "samples/codec.h"
#include "samples/frame.h"
#include "samples/progress_page.h"
#include "worker/element.h"
#include "worker/inputs.h"
#include "worker/reference_file.h"

namespace ngb::conformance {
namespace {

FileDescriptor memory_file(const std::string& content) {
  FileDescriptor fd(::memfd_create("ngb", MFD_CLOEXEC));
  if (!fd.is_open() || !file::write_all(fd.get(), content, "memory") || ::lseek(fd.get(), 0, SEEK_SET) != 0) ::abort();
  return fd;
}

std::string content_of(const FileDescriptor& fd) {
  return file::read(fmt::format("/proc/self/fd/{}", fd.get())).value_or("");
}

std::vector<std::string> command(const CompilerUnderTest& compiler, const work::WorkerRequest& request) {
  if (compiler.is_native()) return {worker_program().string()};
  return {request.place.python, "-m", "ngraphbench.worker", "--compiler-dir", compiler.folder.string()};
}

// Lets a native plugin's compile process be forked from one that has imported its packages.
void use_ready_python(const CompilerUnderTest& compiler, work::Place& place) {
  if (!compiler.is_native() || !std::filesystem::exists(compiler.folder / "python/compile.py")) return;
  ::setenv("NGB_READY_PYTHON", place.python.c_str(), 1);
  ::setenv("NGB_READY_FOLDER", (std::filesystem::path(NGB_BIN).parent_path() / "tests/ready").c_str(), 1);
  place.python = (std::filesystem::path(NGB_SOURCE_DIR) / "tests/conformance/ready-python").string();
}

// True when it ended by itself.
bool wait_for_end(pid_t pid, int limit_s) {
  const FileDescriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  struct pollfd wait{handle.get(), POLLIN, 0};
  return ::poll(&wait, 1, limit_s * 1000) == 1;
}

std::optional<samples::ProcessResult> parse_result(const std::string& bytes) {
  samples::FrameReader reader;
  reader.feed(bytes);
  const auto payload = reader.next();
  if (!payload || !*payload) return std::nullopt;
  const auto parsed = work::parse_json<samples::ProcessResult>(json_text::parse(**payload), "process result");
  if (!parsed) return std::nullopt;
  return *parsed;
}

Values values_of(const worker::OutputView& view) {
  return worker::with_reader(view.signature.type, view.data, [&](auto&& at) {
    Values values;
    for (std::uint64_t i = 0; i < view.signature.element_count(); ++i) values.push_back(at(i));
    return values;
  });
}

}  // namespace

std::string WorkerRun::ending() const {
  if (result) return result->failure ? std::string(name(result->failure->kind)) : "none";
  if (was_killed) return "killed after too long";
  if (outcome.signal) return fmt::format("signal {}", *outcome.signal);
  return fmt::format("exit {} without a result", outcome.exit_code.value_or(-1));
}

std::string WorkerRun::message() const {
  const std::string text = result && result->failure ? result->failure->message : "";
  return fmt::format("{}: {}\n{}", ending(), text, log);
}

work::WorkerRequest make_request(const CompilerUnderTest& compiler, const TinyModel& model,
                                 const TemporaryFolder& scratch) {
  work::WorkerRequest request;
  request.cell_id = "cell";
  request.plugin_path = compiler.is_native() ? compiler.plugin().string() : "";
  request.model_path = scratch.write(model.name + ".onnx", serialize(model.onnx)).string();
  request.model.label = model.name;
  request.model.inputs = model.onnx.inputs;
  request.compiler.name = compiler.name;
  request.compiler.version = compiler.version;
  request.place = compiler.place();
  use_ready_python(compiler, request.place);
  request.module_site = compiler.module_site().string();
  // As a worker has it, for the tests that open a plugin in their own process.
  ::setenv("ORT_DISABLE_TELEMETRY", "1", 1);
  if (!request.module_site.empty()) ::setenv("NGB_MODULE_SITE", request.module_site.c_str(), 1);
  request.protocol.repetitions = 5;
  request.protocol.min_repetition_ns = 1000;
  request.protocol.max_transient_ns = 2'000'000'000;
  return request;
}

namespace {

// With the toolchain as it is, and nothing around it.
bool can_be_forked(const CompilerUnderTest& compiler, const work::WorkerRequest& request,
                   const std::vector<std::string>& prefix) {
  return !compiler.is_native() && prefix.empty() && request.place.toolchain_dir == compiler.toolchain.string();
}

// Starts a program of its own. Waitpid's status; nothing when it had to be killed.
Result<std::optional<int>> run_program(const CompilerUnderTest& compiler, const work::WorkerRequest& request,
                                       const agent::Launch& launch, int limit_s,
                                       const std::vector<std::string>& prefix) {
  process::Spawn spawn;
  spawn.inherits = environment::Share::all;
  spawn.arguments = prefix;
  for (const std::string& word : command(compiler, request)) spawn.arguments.push_back(word);
  spawn.descriptors = {{launch.request_fd, samples::kRequestFd},
                       {launch.result_fd, samples::kResultFd},
                       {launch.progress_fd, samples::kProgressFd},
                       {launch.log_fd, 1},
                       {launch.log_fd, 2}};
  if (!compiler.is_native()) {
    spawn.environment = {{"PYTHONPATH", (lib_folder() / "python").string() + ":" + request.place.python_path}};
  }
  const Result<pid_t> pid = process::spawn(spawn);
  if (!pid) return tl::unexpected(pid.error());
  const bool was_killed = !wait_for_end(*pid, limit_s);
  if (was_killed) ::kill(*pid, SIGKILL);
  int status = 0;
  while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (was_killed) return std::optional<int>{};
  return std::optional(status);
}

}  // namespace

WorkerRun run_worker(const CompilerUnderTest& compiler, const work::WorkerRequest& request, int limit_s,
                     const std::vector<std::string>& prefix) {
  const FileDescriptor input = memory_file(samples::frame(work::write_json(request).dump()));
  const FileDescriptor output = memory_file("");
  const FileDescriptor page = memory_file(std::string(samples::kProgressPageBytes, '\0'));
  const FileDescriptor log = memory_file("");
  const agent::Launch launch{{}, input.get(), output.get(), page.get(), log.get()};
  WorkerRun run;
  const Result<std::optional<int>> status = can_be_forked(compiler, request, prefix)
                                                ? run_forked(compiler, launch, limit_s)
                                                : run_program(compiler, request, launch, limit_s, prefix);
  if (!status) {
    run.log = status.error().text();
    return run;
  }
  run.was_killed = !status->has_value();
  if (!run.was_killed) run.outcome = process::decode(**status);
  run.result = parse_result(content_of(output));
  const std::string progress = content_of(page);
  const auto* seen = reinterpret_cast<const samples::ProgressPage*>(progress.data());
  run.last_phase = seen->phase.load();
  run.repetitions = seen->done.repetitions.load();
  run.log = content_of(log);
  return run;
}

Result<Computed> compute_outputs(const CompilerUnderTest& compiler, const TinyModel& model) {
  const TemporaryFolder scratch;
  work::WorkerRequest request = make_request(compiler, model, scratch);
  request.task = work::Task::make_references;
  request.reference_path = (scratch.path() / "outputs").string();
  request.reference_name = "this test";
  const WorkerRun run = run_worker(compiler, request);
  if (run.ending() != "none") return fail(run.message());
  const Result<worker::Reference> outputs = worker::Reference::open(request.reference_path);
  if (!outputs) return tl::unexpected(outputs.error());
  Computed computed;
  for (const worker::OutputView& view : outputs->outputs()) computed.outputs.push_back(values_of(view));
  for (const TensorSignature& input : model.onnx.inputs) {
    std::vector<float> fed(input.element_count());
    worker::fill(input.type, request.protocol.seed, input.name, fed.data(), fed.size());
    computed.inputs.emplace_back(fed.begin(), fed.end());
  }
  return computed;
}

}  // namespace ngb::conformance
