// SPDX-License-Identifier: Apache-2.0
// Runs a job: for each group, it provides the model file and the reference outputs and then runs the steps in order.
// Each process is recorded when it ends; those that take turns, when all of their round have ended. Only one process
// runs at a time.
#pragma once

#include <limits>
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
#include "agent/next_round.h"
#include "agent/quiet_wait.h"
#include "agent/reference_cache.h"
#include "agent/reference_search.h"
#include "agent/shared_compilation.h"
#include "agent/workers/attempts.h"
#include "agent/workers/launcher_pool.h"
#include "agent/workers/model_writing.h"
#include "base/fingerprint.h"
#include "samples/environment.h"
#include "samples/message.h"
#include "work/job.h"

namespace ngb::agent {

class Runner {
 public:
  // `ledger` contains everything that the journal and the client have recorded. All references outlive the runner.
  Runner(const Surroundings& surroundings, Children& children, const work::Job& job, Journal& journal, Ledger& ledger,
         samples::Environment environment);
  ~Runner();

  // Hashes what the job's processes are made with. Called once, before `advance`. Returns an error if a program's file
  // cannot be read, or if cells are measured in part with another build and the job does not accept this one.
  Status prepare();

  // Handles what has happened since the last call and starts what is next. Returns an error if the agent cannot
  // continue (the disk is full); what is recorded is kept.
  Status advance();
  // Checks the memory of what runs and watches the machine; called once a second.
  void look();
  // Ends what runs, without a record of it.
  void stop();

  [[nodiscard]] bool is_finished() const { return is_finished_; }
  [[nodiscard]] bool is_busy() const { return attempts_ || writing_ || quiet_wait_; }
  [[nodiscard]] samples::Progress progress() const;
  [[nodiscard]] std::vector<int> poll_fds() const;
  // Returns when `advance` must be called even if nothing happens; nothing if nothing runs.
  [[nodiscard]] std::optional<Nanoseconds> deadline() const;

 private:
  Status begin_next();
  Status begin_group();
  Status begin_model();
  Status begin_reference();
  Status record_reference(std::string path);
  Status begin_step();
  Status end_writing();
  [[nodiscard]] Exporting exporting() const;
  [[nodiscard]] bool needs_file(const work::Compiler& compiler) const;
  Status fail_cell_without_file(const work::Step& step);
  [[nodiscard]] std::vector<const work::Step*> steps_to_begin();
  [[nodiscard]] work::WorkerRequest request_for(const work::Step& step);
  Status end_attempts();
  Status end_round(const std::vector<work::WorkerRequest>& requests, std::vector<samples::ProcessResult> results);
  Status complete(const work::WorkerRequest& request, samples::ProcessResult& result);
  std::vector<bool> settle(const std::vector<work::WorkerRequest>& requests,
                           std::vector<samples::ProcessResult>& results);
  void wait_for_quiet(const samples::ProcessResult& disturbed, const work::Compiler& compiler);
  static void drop_if_too_large(std::vector<samples::Event>& record);
  bool find_step();
  bool is_needed(const work::Step& step);
  [[nodiscard]] std::vector<CellSoFar> cells_so_far() const;
  void choose_group();
  void choose_soonest();
  [[nodiscard]] double seconds_until_decided();
  Status end_rounds();
  Status end_reference(const std::filesystem::path& written, const samples::ProcessResult& result);
  void leave_group();
  void start(std::vector<work::WorkerRequest> requests);
  [[nodiscard]] AttemptPlan plan_for(work::WorkerRequest request) const;
  [[nodiscard]] const work::Cell& cell_of(const work::WorkerRequest& request) const;
  Status record_model(const ModelFile& file);
  Status fail_group(const samples::Failure& failure);
  Status record(const samples::Event& event) { return record(std::vector{event}); }
  Status record(const std::vector<samples::Event>& events);
  Status stop_when_disk_is_full(const samples::Failure& failure) const;
  [[nodiscard]] Status check_all_ended(const std::vector<pid_t>& left) const;
  [[nodiscard]] const work::Group& group() const { return job_.groups[group_]; }
  [[nodiscard]] const work::Model& model() const { return job_.model_of(group()); }
  [[nodiscard]] std::filesystem::path caches() const;
  [[nodiscard]] ReferenceSearch& search();
  Status use_given(const work::GivenReference& given);
  Status make_reference(const work::Compiler& candidate);
  Status end_search();
  bool asks_a_third(const std::vector<work::WorkerRequest>& requests,
                    const std::vector<samples::ProcessResult>& results);
  [[nodiscard]] const work::Compiler& reference() const;
  [[nodiscard]] std::filesystem::path reference_file() const;
  Status refuse_other_builds() const;
  std::optional<samples::Failure> changed_file();
  struct Build {
    samples::Provenance with{};
    std::string sha256{};
  };
  Status learn_build(const work::Compiler& compiler, bool is_exported);
  [[nodiscard]] const Build& build_of(const work::Compiler& compiler, const work::Model& model) const;
  // Returns the origin of a process of the cell that would start now; the model is empty until its group has a file.
  [[nodiscard]] samples::Origin origin_of(const work::Cell& cell) const;
  [[nodiscard]] samples::Provenance provenance_of(const work::Cell& cell) const;
  [[nodiscard]] std::string key_of_reference() const;
  [[nodiscard]] std::optional<int> next_attempt(const work::Step& step) const;
  [[nodiscard]] samples::ProcessResult result_without_worker(const work::Step& step) const;
  [[nodiscard]] work::WorkerRequest request_for(const work::Compiler& compiler) const;
  [[nodiscard]] bool has_something_left();
  [[nodiscard]] bool is_done(const work::Cell& cell) const;
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
  // by compiler, manifest, and whether the model is exported
  std::map<std::tuple<std::string, std::string, bool>, Build> known_builds_{};
  WatchedFiles model_files_{};
  CheckedReferences references_{};
  SharedCompilation compilation_;
  std::size_t group_ = 0;
  std::vector<std::size_t> steps_;                         // by group: the steps before this one are decided
  int last_round_ = std::numeric_limits<int>::max();       // of this visit to the group
  int pass_ = 0;                                           // over all groups, unless they are measured group by group
  std::optional<ModelFile> file_{};                        // the group's model file
  std::optional<std::filesystem::path> reference_path_{};  // the group's; "" for no check
  std::map<std::size_t, ReferenceSearch> searches_{};      // by group: who judges its cells
  std::string reference_sha256_{};                         // of the data in that file
  std::string reference_reason_{};                         // as work::WorkerRequest::reference_reason
  std::optional<int> looked_at_round_{};                   // the round of the group that next_round_ is for
  NextRound next_round_{};
  int tries_ = 0;  // failed attempts at the group's model, then at its reference
  std::unique_ptr<ModelWriting> writing_{};
  std::unique_ptr<Attempts> attempts_{};
  std::optional<QuietWait> quiet_wait_{};  // before the next attempt at a disturbed process
  int quiet_waits_ = 0;                    // begun in this job
  bool is_environment_recorded_ = false;
  bool is_finished_ = false;
};

}  // namespace ngb::agent
