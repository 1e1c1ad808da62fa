// SPDX-License-Identifier: Apache-2.0
// Works through a job: for each group the model file, the reference outputs, then the steps in order; records each
// process as it ends. One thing runs at a time.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "agent/builds.h"
#include "agent/journal.h"
#include "agent/ledger.h"
#include "agent/reference_cache.h"
#include "agent/workers/attempt.h"
#include "agent/workers/launcher_pool.h"
#include "agent/workers/model_writing.h"
#include "base/fingerprint.h"
#include "samples/environment.h"
#include "samples/message.h"
#include "work/job.h"

namespace ngb::agent {

class Runner {
 public:
  // `ledger` has taken up what the journal and the client hold already. All references outlive the runner.
  Runner(const Surroundings& surroundings, Children& children, const work::Job& job, Journal& journal, Ledger& ledger,
         samples::Environment environment);
  ~Runner();

  // Reads what the job's processes are made with; to be called once, before `advance`. Error: a program's file cannot
  // be read; or cells are measured in part with another build, and the job does not accept this one.
  Status prepare();

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
  Status record_reference(std::string path);
  Status begin_step();
  Status end_writing();
  Status end_attempt();
  static void drop_what_is_too_large(samples::ProcessResult& result);
  bool find_step();
  Status end_reference(const samples::ProcessResult& result);
  void leave_group();
  void start(work::WorkerRequest request, const std::string& log_name);
  Status record_model(const ModelFile& file);
  Status fail_group(const samples::Failure& failure);
  Status record(const samples::Event& event);
  Status stop_when_disk_is_full(const samples::Failure& failure) const;
  [[nodiscard]] Status may_go_on(const std::vector<pid_t>& left) const;
  [[nodiscard]] const work::Group& group() const { return job_.groups[group_]; }
  [[nodiscard]] const work::Model& model() const { return job_.model_of(group()); }
  [[nodiscard]] std::filesystem::path reference_file() const;
  Status refuse_other_builds() const;
  std::optional<samples::Failure> changed_file();
  struct Build {
    samples::Provenance with{};
    std::string sha256{};
  };
  Status learn_build(const work::Compiler& compiler, bool is_exported);
  [[nodiscard]] const Build& build_of(const work::Compiler& compiler, const work::Model& model) const;
  // What a process of the cell would be made with now; its model only while its group is at work.
  [[nodiscard]] samples::Origin origin_of(const work::Cell& cell) const;
  [[nodiscard]] samples::Provenance provenance_of(const work::Cell& cell) const;
  [[nodiscard]] std::string key_of_reference() const;
  [[nodiscard]] std::optional<int> next_attempt(const work::Step& step) const;
  [[nodiscard]] samples::ProcessResult result_without_worker(const work::Step& step) const;
  [[nodiscard]] work::WorkerRequest request_for(const work::Compiler& compiler) const;
  [[nodiscard]] bool has_something_left();
  [[nodiscard]] bool is_for_references() const { return job_.task == work::Task::make_references; }

  const Surroundings& surroundings_;
  Children& children_;
  const work::Job& job_;
  Journal& journal_;
  Ledger& ledger_;
  samples::Environment environment_;
  std::string environment_hash_;
  std::vector<int> cores_;
  std::uint64_t memory_limit_bytes_;
  Nanoseconds started_ = system_clock().now();
  LauncherPool launchers_;
  Builds builds_;
  // By compiler, manifest, and whether the model is exported.
  std::map<std::tuple<std::string, std::string, bool>, Build> known_builds_{};
  const work::Cell* cell_ = nullptr;  // of the attempt
  WatchedFiles model_files_{};
  CheckedReferences references_{};
  std::size_t group_ = 0;
  std::size_t step_ = 0;                                   // of that group: all before it are decided
  std::optional<ModelFile> file_{};                        // of this group
  std::optional<std::filesystem::path> reference_path_{};  // "" for no check
  std::string reference_sha256_{};                         // of its data
  int tries_ = 0;                                          // of this group's model, then of its reference
  std::unique_ptr<ModelWriting> writing_{};
  std::unique_ptr<Attempt> attempt_{};
  Launcher* launcher_ = nullptr;  // of the attempt
  bool is_environment_recorded_ = false;
  bool is_finished_ = false;
};

}  // namespace ngb::agent
