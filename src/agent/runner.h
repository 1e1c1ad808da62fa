// SPDX-License-Identifier: Apache-2.0
// Runs a job as its schedule says (schedule.h): for each group, it provides the model file and the reference outputs
// and then runs the processes. Each process is recorded when it ends; those that take turns, when all of their round
// have ended. Only one process runs at a time.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/builds.h"
#include "agent/group_reference.h"
#include "agent/journal.h"
#include "agent/ledger.h"
#include "agent/quiet_wait.h"
#include "agent/schedule.h"
#include "agent/shared_compilation.h"
#include "agent/workers/attempts.h"
#include "agent/workers/launcher.h"
#include "agent/workers/model_writing.h"
#include "base/cache_folder.h"
#include "base/fingerprint.h"
#include "base/topology.h"
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
  [[nodiscard]] bool is_busy() const { return !std::holds_alternative<std::monostate>(running_); }
  [[nodiscard]] samples::Progress progress();
  [[nodiscard]] std::vector<int> poll_fds() const;
  // Returns when `advance` must be called even if nothing happens; nothing if nothing runs.
  [[nodiscard]] std::optional<Nanoseconds> deadline() const;

 private:
  // A wait for a quiet machine comes before the next attempt at a disturbed process.
  using Running = std::variant<std::monostate, std::unique_ptr<ModelWriting>, std::unique_ptr<Attempts>,
                               std::unique_ptr<QuietWait>>;
  struct Provided {  // what the current group has in this visit
    std::optional<ModelFile> file{};
    std::optional<GroupReference::Judge> judge{};
    int tries = 0;  // failed attempts at the model
  };
  template <class Task>
  [[nodiscard]] Task* running() const {
    const auto* const task = std::get_if<std::unique_ptr<Task>>(&running_);
    return task == nullptr ? nullptr : task->get();
  }
  [[nodiscard]] bool has_ended();
  Status end_running();
  Status begin_next();
  Status visit_group();
  Status leave_group();
  Status finish();

  Status begin_model();
  Status end_writing();
  Status record_model(const ModelFile& file);
  [[nodiscard]] Exporting exporting();
  Status begin_reference();
  [[nodiscard]] bool has_exact_outputs();
  void use_judge(const GroupReference::Judge& judge);
  void remove_file();
  void make_reference(const GroupReference::Making& making);
  Status end_reference(const std::filesystem::path& written, const samples::ProcessResult& result);
  Status record_reference(std::string path);
  [[nodiscard]] GroupReference& reference();

  Status begin_processes();
  void start(std::vector<AttemptPlan> plans);
  Status end_attempts();
  Status end_round(const std::vector<work::WorkerRequest>& requests, std::vector<samples::ProcessResult> results);
  Status complete(const work::WorkerRequest& request, samples::ProcessResult& result);
  std::vector<bool> settle(const std::vector<work::WorkerRequest>& requests,
                           std::vector<samples::ProcessResult>& results);
  [[nodiscard]] bool asks_a_third(const std::vector<work::WorkerRequest>& requests,
                                  const std::vector<samples::ProcessResult>& results);
  void wait_for_quiet(const samples::ProcessResult& disturbed, const work::Compiler& compiler);
  [[nodiscard]] work::WorkerRequest request_for(const work::Step& step);
  [[nodiscard]] work::WorkerRequest request_for(const work::Compiler& compiler);
  [[nodiscard]] work::Model model_for_request();
  [[nodiscard]] std::vector<int> cpus_of(const work::Compiler& compiler) const;
  [[nodiscard]] AttemptPlan plan_for(work::WorkerRequest request) const;

  Status record(const samples::Event& event) { return record(std::vector{event}); }
  Status record(const std::vector<samples::Event>& events);
  Status fail_group(const samples::Failure& failure);
  Status fail_cell_without_file(const work::Step& step);
  Status fail_step(const work::Step& step, const samples::Failure& failure);
  Status stop_when_disk_is_full(const samples::Failure& failure) const;
  [[nodiscard]] Status check_all_ended(const std::vector<pid_t>& left) const;
  std::optional<samples::Failure> changed_file();
  [[nodiscard]] Status refuse_other_builds() const;
  [[nodiscard]] samples::Provenance provenance_of(const work::Cell& cell);
  [[nodiscard]] CacheFolder caches() const;
  [[nodiscard]] const work::Model& model() const { return schedule_.model(); }
  // Returns whether the exact model of the group's variant has to make its outputs, or may have to. Until then
  // `provided_.file` is its file.
  [[nodiscard]] bool needs_exact() const { return job_.reference && !model().exact.empty() && !provided_.judge; }
  // Returns the exact model of the group's variant, with its inputs once its file was made.
  [[nodiscard]] work::Model& exact();
  [[nodiscard]] const work::Model& at_hand() { return needs_exact() ? exact() : model(); }
  [[nodiscard]] bool is_for_references() const { return job_.task == work::Task::make_references; }

  const Surroundings& surroundings_;
  Children& children_;
  const work::Job& job_;
  Journal& journal_;
  Ledger& ledger_;
  samples::Environment environment_;
  std::string environment_hash_;
  std::vector<LogicalProcessor> processors_;  // those of surroundings_.cpus
  std::uint64_t memory_limit_bytes_;
  Nanoseconds started_ = system_clock().now();
  LauncherPool launchers_;
  JobBuilds builds_;
  Schedule schedule_;
  WatchedFiles model_files_{};
  CheckedReferences reference_files_{};
  std::map<std::size_t, GroupReference> references_{};  // by group: who judges its cells
  std::map<std::size_t, work::Model> exacts_{};         // by group of a variant: its exact model
  SharedCompilation compilation_;
  Provided provided_{};
  Running running_{};
  int quiet_waits_ = 0;  // begun in this job
  bool is_environment_recorded_ = false;
  bool is_finished_ = false;
};

}  // namespace ngb::agent
