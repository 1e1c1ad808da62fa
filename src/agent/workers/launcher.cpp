// SPDX-License-Identifier: Apache-2.0
#include "agent/workers/launcher.h"

#include <fcntl.h>

#include <cerrno>

#include "agent/workers/fork_server.h"
#include "agent/workers/process_tree.h"
#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "samples/progress_page.h"
#include "work/thread_variables.h"

namespace ngb::agent {

Variables thread_variables(int threads) {
  Variables variables;
  for (const char* const name : work::kThreadVariables) variables.emplace_back(name, std::to_string(threads));
  return variables;
}

Variables cuda_variables(const Surroundings& surroundings) {
  return {{"NVIDIA_TF32_OVERRIDE", "0"}, {"CUDA_CACHE_PATH", (surroundings.scratch() / "cuda-cache").string()}};
}

Variables python_variables(const Surroundings& surroundings, const work::Place& place) {
  std::string path = (surroundings.lib / "python").string();
  if (!place.python_path.empty()) path += ":" + place.python_path;
  return {{"PYTHONPATH", path},
          {"PYTHONNOUSERSITE", "1"},  // else packages in the user's home change what is measured
          {kWorkFolderVariable, surroundings.work_folder.string()}};
}

ProgramLauncher::ProgramLauncher(const Surroundings& surroundings, Children& children,
                                 std::vector<std::string> arguments, Variables environment)
    : surroundings_(surroundings),
      children_(children),
      arguments_(std::move(arguments)),
      environment_(std::move(environment)) {}

void ProgramLauncher::begin(const Launch& launch) {
  launched_ = {};
  const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  process::Spawn spawn{arguments_};
  spawn.environment = surroundings_.environment;
  spawn.environment.insert(spawn.environment.end(), environment_.begin(), environment_.end());
  spawn.environment.insert(spawn.environment.end(), launch.environment.begin(), launch.environment.end());
  spawn.environment.emplace_back(kWorkFolderVariable, surroundings_.work_folder.string());
  spawn.descriptors = {{nothing.get(), 0},
                       {launch.log_fd, 1},
                       {launch.log_fd, 2},
                       {launch.request_fd, samples::kRequestFd},
                       {launch.result_fd, samples::kResultFd},
                       {launch.progress_fd, samples::kProgressFd}};
  spawn.own_group = true;
  spawn.folder = surroundings_.scratch();
  launched_.started = system_clock().now();
  const Result<pid_t> pid = process::spawn(spawn);
  if (pid) {
    children_.watch(*pid);
    launched_.pid = *pid;
    return;
  }
  samples::Failure failure;
  const bool is_ours = arguments_.front() == surroundings_.worker.string();
  failure.kind = is_ours ? samples::FailureKind::internal : samples::FailureKind::toolchain_missing;
  failure.message = text::to_utf8(pid.error().text());
  failure.advice = is_ours ? "install NGraphBench again" : "install the compiler's toolchain again";
  launched_.failure = failure;
}

void ProgramLauncher::advance() {
  if (!launched_.pid || launched_.wait_status) return;
  const std::optional<Children::Ended> ended = children_.take(*launched_.pid);
  if (!ended) return;
  launched_.wait_status = ended->wait_status;
  launched_.peak_rss_bytes = ended->peak_rss_bytes;
}

namespace {

// The launcher of a missing toolchain: every launch fails with the reason.
class NoLauncher final : public Launcher {
 public:
  explicit NoLauncher(const std::string& why_missing) {
    launched_.failure.emplace();
    launched_.failure->kind = samples::FailureKind::toolchain_missing;
    launched_.failure->message = why_missing;
  }
  void begin(const Launch& /*launch*/) override {}
  void advance() override {}
  [[nodiscard]] const Launched& launched() const override { return launched_; }

 private:
  Launched launched_{};
};

}  // namespace

Launcher& LauncherPool::of(const work::Place& place, const std::set<const Launcher*>& taken) {
  const bool is_native = place.host != "python";
  if (!place.why_missing.empty()) {
    std::unique_ptr<Launcher>& none = launchers_[{place.why_missing, 0}];
    if (!none) none = std::make_unique<NoLauncher>(place.why_missing);
    return *none;
  }
  const std::string key =
      is_native ? "" : place.compiler + '\n' + place.version + '\n' + place.python + '\n' + place.python_path;
  int number = 0;
  const auto is_taken = [&] {
    const auto found = launchers_.find({key, number});
    return found != launchers_.end() && taken.contains(found->second.get());
  };
  while (is_taken()) ++number;
  std::unique_ptr<Launcher>& launcher = launchers_[{key, number}];
  if (!launcher && is_native) {
    launcher = std::make_unique<ProgramLauncher>(surroundings_, children_,
                                                 std::vector<std::string>{surroundings_.worker.string()}, Variables{});
  } else if (!launcher) {
    launcher = std::make_unique<ForkServer>(surroundings_, children_, place, number);
  }
  return *launcher;
}

std::set<pid_t> LauncherPool::own_processes() const {
  std::set<pid_t> all;
  for (const auto& [key, launcher] : launchers_) all.merge(launcher->own_processes());
  return all;
}

void LauncherPool::advance_idle(const std::set<const Launcher*>& busy) {
  for (const auto& [key, launcher] : launchers_) {
    if (!busy.contains(launcher.get())) launcher->advance();
  }
}

}  // namespace ngb::agent
