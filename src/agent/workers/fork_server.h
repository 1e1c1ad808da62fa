// SPDX-License-Identifier: Apache-2.0
// Starts workers by forking a toolchain's Python that has imported the compiler and executed nothing, so that a worker
// does not repeat the import. There is one server for each toolchain and compiler.
//
// Packets over a SOCK_SEQPACKET socket, JSON text:
//   server: {"ready":true,"import_ns":…,"threads":1,"version":…}   once
//   agent:  {"run":n,"environment":{…}} with the descriptors request, result, progress, log
//   server: {"run":n,"pid":p,"threads":t}                          forked
//           {"run":n,"pid":p,"status":…,"max_rss_bytes":…,"cpu_ns":…}  ended (waitpid's status)
//           {"error":"…"}                                          it cannot fork: a fresh Python is started instead
// The server exits at the end of the stream.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>

#include "agent/workers/launcher.h"
#include "base/file.h"
#include "work/compiler.h"
#include "work/job.h"

namespace ngb::agent {

class ForkServer final : public Launcher {
 public:
  // `number`: of the servers of this place, from 0; several exist if several of its workers take turns.
  ForkServer(const Surroundings& surroundings, Children& children, const work::Place& place, int number = 0);

  // Starts the server if it is not running. The worker's clock starts when the request is sent to the ready server. If
  // the server ends before it is ready, the import has failed; every later launch fails at once with the same failure.
  void begin(const Launch& launch) override;
  void advance() override;
  void abandon() override;
  void forget() override;
  [[nodiscard]] const Launched& launched() const override { return is_fresh_ ? fresh_.launched() : launched_; }
  [[nodiscard]] int poll_fd() const override { return socket_.get(); }
  [[nodiscard]] std::set<pid_t> own_processes() const override { return own_processes_; }

 private:
  [[nodiscard]] std::vector<std::string> command(const char* module) const;
  void start_server();
  void send_request();
  void read_packets();
  void handle(const nlohmann::json& packet);
  void server_ended(int wait_status);
  [[nodiscard]] bool is_waiting() const { return launched_.started.has_value() && !launched_.wait_status; }

  const Surroundings& surroundings_;
  Children& children_;
  std::vector<std::string> python_;  // the interpreter with its options
  std::string compiler_folder_;
  Variables environment_;
  std::filesystem::path log_;
  ProgramLauncher fresh_;
  FileDescriptor socket_{};
  std::optional<pid_t> server_{};
  std::set<pid_t> own_processes_{};
  std::optional<samples::Failure> import_failure_{};
  std::map<std::string, std::string> facts_{};
  Launch launch_{};
  Launched launched_{};
  std::uint64_t run_ = 0;
  bool is_ready_ = false;
  bool is_pending_ = false;  // launch_ is sent when the server is ready
  bool is_fresh_ = false;    // this launch uses a fresh Python
};

// Tells the Python of a toolchain which models it will meet, because importing what makes a model's module takes
// seconds.

// Returns the kinds of the job's models and of the exact models of variants: a recipe's family, "file" for a user's
// ONNX file, "module" for a user's PyTorch module.
std::set<std::string> model_kinds(const work::Job& job);

}  // namespace ngb::agent
