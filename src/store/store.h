// SPDX-License-Identifier: Apache-2.0
// The results file: one SQLite database per results folder. The only SQL of the project lives in this room.
// Documented for its readers in docs/results.md. One Store per thread; one writer per file at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/plan.h"
#include "samples/message.h"

namespace ngb::store {

enum class Mode { read_only, read_write };

// What a cell's processes yielded; what metrics are computed from.
struct CellData {
  std::string cell_id{};
  std::string device{};
  std::string model{};  // label
  std::string model_family{};
  std::string model_parameters{};  // JSON object of the recipe's parameters, "" for a file
  std::string model_hash{};
  int batch = 1;
  std::string compiler{};
  std::string compiler_label{};
  std::string compiler_version{};
  std::string options{};  // JSON object
  int threads = 1;
  std::string precision{};
  int planned_processes = 0;
  std::vector<samples::ProcessResult> processes{};  // completed ones, by process_index; repetitions in order
  std::vector<samples::ProcessResult> failed{};     // attempts that failed, without repetitions unless measured
};

// A metric's value for a cell, kept so that showing a large study need not resample again.
struct DerivedValue {
  std::string cell_id{};
  std::string metric{};
  std::optional<double> value{};
  std::optional<double> low{};  // 95 % interval, where the metric has one
  std::optional<double> high{};
  std::string reason{};  // why there is no value
};

class Store {
 public:
  // read_write creates the file where there is none and migrates an older one. Errors: written by a newer version,
  // not a results file, read-only folder, disk full, damaged.
  static Result<Store> open(const std::filesystem::path& file, Mode mode);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  // Records the plan's models and cells (known ones are left as they are) and the start of a run of them.
  // Error when the file holds results of the same study measured under another protocol: names what differs.
  Result<std::string> begin_run(const plan::Plan& plan, std::int64_t started_unix_ns);
  // Last event of that device which is recorded; 0 when there is none.
  Result<std::uint64_t> last_sequence(const std::string& run_id, const std::string& device);
  // Records an event exactly once: a sequence number already recorded changes nothing. Durable after `flush`.
  Status record(const std::string& run_id, const std::string& device, const samples::Event& event);
  Status flush();

  // Cells in the order of the study, with everything measured so far.
  Result<std::vector<CellData>> load_cells();
  // Changes whenever something was recorded.
  Result<std::int64_t> revision();
  Result<std::optional<std::vector<DerivedValue>>> load_derived(std::int64_t revision);
  Status save_derived(std::int64_t revision, const std::vector<DerivedValue>& values);

 private:
  struct Implementation;
  explicit Store(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace ngb::store
