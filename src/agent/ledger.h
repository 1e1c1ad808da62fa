// SPDX-License-Identifier: Apache-2.0
// What is done and what is still to do, decided from a job and its recorded events alone, so that an agent which was
// killed and started again decides as the first one did. Pure.
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
  // `attempts`: how often a process is tried, for failures that are worth it (samples::is_worth_retrying).
  // `processes`: of each cell.
  explicit Ledger(int attempts, int processes = std::numeric_limits<int>::max())
      : attempts_(attempts), processes_(processes) {}

  void add(const samples::Event& event);
  // Another job of the same run is at work from here on: it has an end of its own, and what it may have cured (its
  // toolchain or reference outputs have come) is tried again. `fails_again`: a cell that has failed for that reason
  // would only do so again.
  using FailsAgain = std::function<bool(const std::string& cell_id, samples::FailureKind kind)>;
  void begin_other_job(const FailsAgain& fails_again);
  // Processes that need not be done here, as far as they are alike: they are recorded.
  void add_completed(const samples::Completed& completed);

  // The attempt to make next of this process of a cell (1 …), by one that would have the origin `now` (without a model:
  // it is not known yet); nothing when its process is recorded, or its cell has failed. A cell fails with the first
  // failure that is not worth another attempt, or with the last attempt. What counts is what was made alike: of a cell
  // that was measured in part with another build, or in another environment, every process is asked for. One that is
  // complete in another environment is left as it is.
  [[nodiscard]] std::optional<int> next_attempt(const std::string& cell_id, int process_index,
                                                const samples::Origin& now = {}) const;

  // Whether the process is recorded, whatever it was made with.
  [[nodiscard]] bool has_completed(const std::string& cell_id, int process_index) const;
  // What a completed process of the cell was made with, if that is another build than this one; nothing: none was.
  [[nodiscard]] const samples::Provenance* other_build(const std::string& cell_id, const std::string& build) const;

  [[nodiscard]] bool is_finished() const { return is_finished_; }
  // The hash of a model's file as it was recorded; nothing when it was not made yet.
  [[nodiscard]] std::optional<std::string> model_sha256(const work::ModelKey& model) const;
  // Whether the job has recorded what became of the model's reference outputs: a job for references does nothing else.
  [[nodiscard]] bool has_reference(const work::ModelKey& model) const { return references_.contains(model); }

 private:
  struct Made {
    samples::Origin origin{};
    samples::Provenance with{};
  };
  int number_of(const samples::Provenance& with, const std::string& environment_hash);
  void complete(const std::string& cell_id, int process_index, int origin);

  int attempts_;
  int processes_;
  std::vector<Made> origins_{};  // numbered as they come
  std::map<samples::Origin, int> numbers_{};
  std::map<std::pair<std::string, int>, samples::FailureKind> failed_cells_{};  // by cell and origin's number; why
  std::set<std::tuple<std::string, int, int>> completed_{};                     // cell, process, origin's number
  std::map<std::pair<std::string, int>, int> counts_{};  // completed processes by cell and origin
  std::map<std::tuple<std::string, int, int>, int> attempts_made_{};
  std::map<work::ModelKey, std::string> models_{};
  std::set<work::ModelKey> references_{};
  bool is_finished_ = false;
};

// Whether `job` itself says that a cell lacks its toolchain, or its model's reference outputs, as it did when it
// failed.
class StillMissing {
 public:
  // `job` is not needed afterwards.
  explicit StillMissing(const work::Job& job);
  [[nodiscard]] bool operator()(const std::string& cell_id, samples::FailureKind kind) const;

 private:
  std::set<std::string> without_toolchain_{};  // ids of cells
  std::set<std::string> without_reference_{};
};

}  // namespace ngb::agent
