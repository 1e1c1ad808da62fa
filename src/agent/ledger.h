// SPDX-License-Identifier: Apache-2.0
// Decides from a job and its recorded events alone what is done and what is still to do. An agent that was killed and
// started again therefore decides as the first one did. Pure.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "samples/message.h"
#include "work/job.h"

namespace ngb::agent {

class Ledger {
 public:
  // A process is tried until a failure is final (samples::is_final). Each cell has `processes` processes.
  // `keeps_numbers`: those of processes are kept that decide how many rounds there are, by `decided_by`.
  explicit Ledger(const work::Limits& limits, int processes = std::numeric_limits<int>::max(),
                  bool keeps_numbers = false, std::optional<work::DecidedBy> decided_by = {})
      : limits_(limits), processes_(processes), keeps_numbers_(keeps_numbers), decided_by_(std::move(decided_by)) {}

  void add(const samples::Event& event);
  // Begins another job of the same run. It has an end of its own. Cells that failed because their toolchain or
  // reference outputs were missing are tried again, except those for which `fails_again` returns true.
  using FailsAgain = std::function<bool(const std::string& cell_id, samples::FailureKind kind)>;
  void begin_other_job(const FailsAgain& fails_again);
  // Adds processes that the client has recorded. Those that were made alike (see next_attempt) are not run again.
  void add_completed(const samples::Completed& completed);

  // Returns the number of the process's next attempt (1 …), or nothing if the process is recorded or given up, or its
  // cell has failed. A cell fails with the first final failure of a process, unless that says nothing about the cell
  // (samples::is_of_cell): then only that process is given up.
  // `now` is the origin that the attempt would have; its model is empty while that is unknown. Only records of a like
  // origin count. If a cell was measured in part with another build or in another environment, all its processes are
  // run again. A cell that this build completed in another environment is left as it is.
  [[nodiscard]] std::optional<int> next_attempt(const std::string& cell_id, int process_index,
                                                const samples::Origin& now = {}) const;

  // Returns whether the process is recorded, whatever it was made with.
  [[nodiscard]] bool has_completed(const std::string& cell_id, int process_index) const;
  // Returns the provenance of a completed process of the cell whose build is not `build`; null if there is none.
  [[nodiscard]] const samples::Provenance* other_build(const std::string& cell_id, const std::string& build) const;

  // Returns the numbers (samples::deciding_numbers) of a completed process of a like origin; null if there is none, or
  // if the ledger keeps none.
  [[nodiscard]] const std::vector<double>* numbers(const std::string& cell_id, int process_index,
                                                   const samples::Origin& now) const;
  // Returns how long the cell's last process took from its start to its end; 1 if no process has completed here.
  [[nodiscard]] double seconds_of_a_process(const std::string& cell_id) const;
  // Returns whether a process of a like origin has failed in a way that ends its cell.
  [[nodiscard]] bool has_failed(const std::string& cell_id, const samples::Origin& now) const;
  // Returns whether it is recorded that the cell needs no more rounds.
  [[nodiscard]] bool has_ended_rounds(const std::string& cell_id) const { return ended_rounds_.contains(cell_id); }

  [[nodiscard]] bool is_finished() const { return is_finished_; }
  // Returns the recorded hash of the model's file; nothing if the file was not made yet.
  [[nodiscard]] std::optional<std::string> model_sha256(const work::ModelKey& model) const;
  // Returns whether the model's reference outputs were made or have failed. A job for references does nothing else.
  [[nodiscard]] bool has_reference(const work::ModelKey& model) const { return references_.contains(model); }

 private:
  struct Made {
    samples::Origin origin{};
    samples::Provenance with{};
  };
  int number_of(const samples::Provenance& with, const std::string& environment_hash);
  void complete(const std::string& cell_id, int process_index, int origin);
  [[nodiscard]] bool is_alike(int origin, const samples::Origin& now) const;

  work::Limits limits_;
  int processes_;
  bool keeps_numbers_;
  std::optional<work::DecidedBy> decided_by_;
  std::vector<Made> origins_{};  // their index is their number
  std::map<samples::Origin, int> numbers_{};
  std::set<std::tuple<std::string, int, int>> given_up_{};                      // cell, process, origin's number
  std::map<std::pair<std::string, int>, samples::FailureKind> failed_cells_{};  // by cell and origin's number
  std::set<std::tuple<std::string, int, int>> completed_{};                     // cell, process, origin's number
  std::map<std::pair<std::string, int>, int> counts_{};  // completed processes by cell and origin
  std::map<std::tuple<std::string, int, int>, int> attempts_made_{};
  std::map<std::tuple<std::string, int, int>, std::vector<double>> deciding_{};  // by cell, process, origin's number
  std::map<std::string, double> seconds_of_a_process_{};                         // by cell id
  std::set<std::string> ended_rounds_{};                                         // ids of cells
  std::map<work::ModelKey, std::string> models_{};
  std::set<work::ModelKey> references_{};
  bool is_finished_ = false;
};

// Names the cells for which a job says that their toolchain, or their model's reference outputs, are still missing.
class StillMissing {
 public:
  // Keeps no reference to `job`.
  explicit StillMissing(const work::Job& job);
  // Returns whether a cell that failed with `kind` would fail again.
  [[nodiscard]] bool operator()(const std::string& cell_id, samples::FailureKind kind) const;

 private:
  std::set<std::string> without_toolchain_{};  // ids of cells
  std::set<std::string> without_reference_{};
};

}  // namespace ngb::agent
