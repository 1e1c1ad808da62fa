// SPDX-License-Identifier: Apache-2.0
// Works through a job: for each group the model file, the reference outputs, then the steps in order; records each
// process as it ends. One thing runs at a time.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/attempt.h"
#include "agent/journal.h"
#include "agent/launcher_pool.h"
#include "agent/ledger.h"
#include "agent/model_file.h"
#include "samples/environment.h"
#include "samples/job.h"
#include "samples/message.h"

namespace ngb::agent {

class Runner {
 public:
  // `ledger` has taken up what the journal holds already. All references outlive the runner.
  Runner(const Surroundings& surroundings, Children& children, const samples::Job& job, Journal& journal,
         Ledger& ledger, samples::Environment environment);
  ~Runner();

  // Takes up what has happened, and starts what is next. Error: the agent cannot go on (the disk is full); what is
  // recorded stays.
  Status advance();
  // Once a second.
  void look();
  // Ends whatever runs; nothing of it is recorded.
  void stop();

  [[nodiscard]] bool is_finished() const { return is_finished_; }
  [[nodiscard]] bool is_busy() const { return attempt_ || writing_; }
  [[nodiscard]] samples::Progress progress() const;
  [[nodiscard]] std::vector<int> poll_fds() const;
  // When `advance` has something to do even if nothing happens; nothing runs: none.
  [[nodiscard]] std::optional<Nanoseconds> deadline() const;

 private:
  Status begin_next();
  Status begin_group();
  Status begin_model();
  Status begin_reference();
  Status record_reference();
  Status begin_step();
  Status end_writing();
  Status end_attempt();
  Status end_reference(const samples::ProcessResult& result);
  void leave_group();
  void start(samples::WorkerRequest request, const std::string& log_name);
  Status record_model(const ModelFile& file);
  Status fail_group(const samples::Failure& failure);
  Status record(const samples::Event& event);
  Status stop_when_disk_is_full(const samples::Failure& failure) const;
  [[nodiscard]] const samples::Group& group() const { return job_.groups[group_]; }
  [[nodiscard]] const samples::ModelWork& model() const { return *models_.at(group().model_id); }
  [[nodiscard]] std::filesystem::path reference_file() const;
  [[nodiscard]] samples::ProcessResult result_without_worker(const samples::Step& step) const;
  [[nodiscard]] samples::WorkerRequest request_for(const samples::CompilerWork& compiler) const;

  const Surroundings& surroundings_;
  Children& children_;
  const samples::Job& job_;
  Journal& journal_;
  Ledger& ledger_;
  samples::Environment environment_;
  std::string environment_hash_;
  std::vector<int> cores_;
  std::uint64_t memory_limit_bytes_;
  Nanoseconds started_ = system_clock().now();
  LauncherPool launchers_;
  std::map<std::string, const samples::ModelWork*> models_{};
  std::map<std::string, const samples::CellWork*> cells_{};
  std::map<std::string, ModelFile> checked_files_{};  // users' files, by model id
  std::size_t group_ = 0;
  std::optional<ModelFile> file_{};                        // of this group
  std::optional<std::filesystem::path> reference_path_{};  // "" for no check
  int tries_ = 0;                                          // of this group's model, then of its reference
  std::unique_ptr<ModelWriting> writing_{};
  std::unique_ptr<Attempt> attempt_{};
  Launcher* launcher_ = nullptr;  // of the attempt
  bool is_environment_recorded_ = false;
  bool is_finished_ = false;
};

// What a job must be for a runner: every step's cell and every model is in it, once; one for references names their
// compiler. Error says what is not so.
Status check_job(const samples::Job& job);

}  // namespace ngb::agent
