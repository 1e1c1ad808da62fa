// SPDX-License-Identifier: Apache-2.0
#include "agent/workers/launcher.h"

#include <fcntl.h>

#include <cerrno>

#include "agent/workers/process_tree.h"
#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "samples/progress_page.h"

namespace ngb::agent {

Variables thread_variables(int threads) {
  const std::string count = std::to_string(threads);
  return {{"OMP_NUM_THREADS", count},
          {"OPENBLAS_NUM_THREADS", count},
          {"MKL_NUM_THREADS", count},
          {"NUMEXPR_NUM_THREADS", count},
          {"TVM_NUM_THREADS", count}};
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

}  // namespace ngb::agent
