// SPDX-License-Identifier: Apache-2.0
#include "forked_worker.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>

#include <cstdio>
#include <map>
#include <memory>

#include "agent/workers/fork_server.h"
#include "base/environment.h"
#include "worker_process.h"

namespace ngb::conformance {
namespace {

struct Server {
  explicit Server(const CompilerUnderTest& compiler, agent::Children& children)
      : surroundings{.worker = worker_program(),
                     .lib = lib_folder(),
                     .work_folder = folder.path(),
                     .environment = {ours.begin(), ours.end()}},
        launcher((make_folders(), surroundings), children, compiler.place()) {}
  void make_folders() const {
    std::filesystem::create_directories(surroundings.logs());
    std::filesystem::create_directories(surroundings.scratch());
  }

  TemporaryFolder folder;
  environment::Variables ours = environment::handed_on(environment::Share::all);  // Inductor's, among others
  agent::Surroundings surroundings;
  agent::ForkServer launcher;
};

}  // namespace

std::optional<int> run_forked(const CompilerUnderTest& compiler, const agent::Launch& launch, int limit_s) {
  static agent::Children children;
  static std::map<std::string, std::unique_ptr<Server>> servers;
  std::unique_ptr<Server>& server = servers[test_name(compiler)];
  if (!server) server = std::make_unique<Server>(compiler, children);
  agent::ForkServer& launcher = server->launcher;
  const Nanoseconds give_up = system_clock().now() + std::chrono::seconds(limit_s);
  bool is_killed = false;
  for (launcher.begin(launch); !launcher.launched().wait_status;) {
    if (const auto& failure = launcher.launched().failure) {
      std::fprintf(stderr, "no worker: %s\n", failure->message.c_str());
      ::abort();
    }
    struct pollfd wait{launcher.poll_fd(), POLLIN, 0};
    ::poll(&wait, 1, 50);
    children.reap();
    launcher.advance();
    if (is_killed || !launcher.launched().pid || system_clock().now() < give_up) continue;
    is_killed = ::kill(*launcher.launched().pid, SIGKILL) == 0;
  }
  if (is_killed) return std::nullopt;
  return launcher.launched().wait_status;
}

}  // namespace ngb::conformance
