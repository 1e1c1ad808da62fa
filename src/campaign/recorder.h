// SPDX-License-Identifier: Apache-2.0
// Records the devices' events in the store and tells an observer of the run's progress.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "campaign/durations_file.h"
#include "campaign/observer.h"
#include "dispatch/link/recording.h"
#include "plan/estimate.h"
#include "plan/plan.h"
#include "plan/time_left.h"
#include "samples/process_result.h"
#include "store/store.h"
#include "work/protocol.h"

namespace ngb::campaign {

// Counts the attempts of a run that other work disturbed, so that one line can tell of them all.
class Disturbances {
 public:
  // Adds an attempt that failed as `disturbed`.
  void add(const samples::ProcessResult& result);

  [[nodiscard]] int attempts() const { return attempts_; }

  // Returns "14 attempts disturbed, mostly by compile (process 2822)"; "" if there are none.
  [[nodiscard]] std::string text() const;
  // Returns the program that used most processor time: "compile (process 2822)" or "cc1plus (31 processes)"; "" if none
  // is known.
  [[nodiscard]] std::string culprit() const;

 private:
  struct Program {
    std::int64_t cpu_ns = 0;
    std::set<std::int64_t> pids{};
  };
  int attempts_ = 0;
  std::map<std::string, Program> programs_{};  // by name
};

// How fast a run proceeds, as far as it is known.
struct Pace {
  double elapsed_s = 0;
  int finished = 0;                    // processes that were measured in this time
  int left = 0;                        // that are still to be measured
  int disturbed = 0;                   // attempts in this time
  double turns_again_s = 0;            // since the running attempt first ran a turn again; 0: it has run none
  std::optional<double> expected_s{};  // what the whole run was estimated to take; nothing: unknown
  std::string culprit{};               // the program that disturbed most; "": unknown
  bool takes_turns = false;
};

// Returns what to expect if more attempts are disturbed than measured, and three ways out, as lines; none else, and in
// the first 20 s.
std::vector<std::string> expectation(const Pace& pace);

// Returns what a process does now, in words with units: "repetition 11 of 20", "compiling".
std::string words_of(const samples::Progress& progress, const work::Protocol& protocol);

class Recorder {
 public:
  // `plan` is what the run has to do on all devices. `store`, `plan` and `observer` must outlive the Recorder. The time
  // left is estimated from `experience` and ends at the `deadline`, if there is one; what processes take is appended to
  // `durations`.
  static Result<Recorder> begin(store::Store& store, const plan::Plan& plan, std::string run_id, Observer& observer,
                                plan::Experience experience, DurationsFile durations,
                                std::optional<Nanoseconds> deadline = {});
  // Records what is fetched of a run of the study before its change, from which nothing is learnt.
  static Result<Recorder> begin_of_before(store::Store& store, const plan::Plan& plan, std::string run_id,
                                          Observer& observer);

  // Returns callbacks that are valid as long as the Recorder lives and is not moved.
  dispatch::Callbacks callbacks();
  // Called once, when nothing more is recorded.
  void end();

 private:
  struct CellToDo {
    int index = 0;  // in the plan's cells
    int processes_left = 0;
    int processes_skipped = 0;  // because its rounds have ended
  };

  Recorder(store::Store& store, const plan::Plan& plan, std::string run_id, Observer& observer,
           plan::Experience experience, DurationsFile durations);
  // Reads what is left to do, and tells the observer.
  Status look_at_what_is_left(bool is_of_before);
  // Returns "resnet18 batch 8" or, if the plan has several devices, "xeon: resnet18 batch 8".
  [[nodiscard]] std::string workload(const CellToDo& cell) const;
  // Returns the workload and the compiler: "resnet18 batch 8, openvino 2026.4.1".
  [[nodiscard]] std::string label(const CellToDo& cell) const;
  Status on_event(const std::string& device, const samples::Event& event);
  Status commit();
  [[nodiscard]] std::string who_is_in_the_way() const;
  void on_progress(const std::string& device, const samples::Progress& progress);
  void tell(const samples::ProcessResult& result);
  void tell_failure(const samples::ProcessResult& result, CellToDo& cell);
  void tell_disturbed(const samples::ProcessResult& result, const CellToDo& cell);
  void tell_what_to_expect();
  void advise(const std::string& advice);
  void end_rounds(const std::string& cell_id);
  void reopen_rounds(const std::string& cell_id);
  void remember(const std::vector<samples::ProcessResult>& results) const;
  void expect_time_left();
  void learn_time(const std::vector<samples::ProcessResult>& results);
  // Returns a function that may be called as long as the plan is there, also when the recorder has been moved.
  [[nodiscard]] SecondsLeft seconds_left() const;

  store::Store* store_;
  std::string run_id_;
  const plan::Plan* plan_;
  std::unordered_map<std::string_view, CellToDo> cells_{};  // by id
  Observer* observer_;
  std::vector<samples::ProcessResult> uncommitted_{};  // told once they are committed
  std::vector<samples::RoundsEnded> ended_{};          // not committed yet
  plan::Experience experience_;
  DurationsFile durations_;
  std::shared_ptr<plan::TimeLeft> time_left_{};
  std::optional<Nanoseconds> deadline_{};
  double expected_s_ = 0;  // that the whole run was estimated to take when it began
  Disturbances disturbances_{};
  std::set<std::string> advised_{};  // what was told
  bool has_said_what_to_expect_ = false;
  std::optional<Nanoseconds> turns_again_since_{};  // the processes that run are disturbed
  int finished_ = 0;                                // processes of this run that were measured
  Nanoseconds started_ = system_clock().now();
  double processes_s_ = 0;  // that all processes of this run took together
  bool is_whole_ = true;    // false: something was done before, or failed
};

}  // namespace ngb::campaign
