// SPDX-License-Identifier: Apache-2.0
// The results file: one SQLite database per results folder. The only SQL of the project lives in this room.
// Documented for its readers in docs/results.md. One Store per thread; one writer per file at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/revision.h"
#include "plan/plan.h"
#include "samples/message.h"

namespace ngb::store {

enum class Mode {
  read_only,
  read_write,
  write_if_free  // as read_write, for what may as well not be written: another writer is not waited for
};

// A process as it was recorded: what it yielded, and in which run.
struct RecordedProcess : samples::ProcessResult {
  std::int64_t run_key = 0;  // within the file
};

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
  std::optional<int> device_cpus{};          // logical processors of the device, if it told
  std::vector<RecordedProcess> processes{};  // completed ones of one origin, by process_index; repetitions in order
  std::vector<RecordedProcess> set_aside{};  // completed ones of other origins: they count in no metric
  std::vector<RecordedProcess> failed{};     // attempts that failed, without repetitions unless measured
};

// What a toolchain consists of.
struct Manifest {
  std::string sha256{};  // over its compiler, version and packages
  std::string json{};
};

// How much of the processes load_cells brings.
enum class Detail {
  outline,  // no phases, repetitions, checks, facts and readings
  full
};

// A metric's value for a cell, kept so that showing a large study need not compute it again.
struct DerivedValue {
  std::string cell_id{};
  std::string metric{};
  std::optional<double> value{};
  std::optional<double> low{};  // 95 % interval, where the metric has one
  std::optional<double> high{};
  std::string reason{};  // why there is no value
};

struct DeviceState {
  std::string device{};
  std::uint64_t last_sequence = 0;  // 0: no event yet
  bool is_finished = false;
  bool may_be_there = false;  // something of the run, on that device
};

struct RunState {
  std::string run_id{};
  std::string study_name{};
  std::string study_json{};  // with every default
  std::int64_t started_unix_ns = 0;
  bool is_complete = false;  // every device has finished
  std::vector<DeviceState> devices{};
};

struct CellState {
  enum class Progress {
    planned,   // nothing recorded
    partial,   // some processes are recorded
    complete,  // every planned process completed, with one build in one environment
    failed     // all that could be done was done, and processes are missing
  };
  std::string cell_id{};
  Progress progress = Progress::planned;
  int planned_processes = 0;
  int completed_processes = 0;  // those that count
  int failed_attempts = 0;
};

class Store {
 public:
  // read_write creates folder and file where there are none, migrates an older file and keeps other writers out for as
  // long as the Store lives. read_only never waits for a writer and changes nothing, but that it undoes what a killed
  // writer left half done. Errors: no such file, in use by another writer (named), written by a newer version, not a
  // results file, folder not writable, disk full, damaged. The file may be anybody's: whatever it holds, it is read
  // with bounded work or refused with a message.
  static Result<Store> open(const std::filesystem::path& file, Mode mode);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  // Error when the file holds results measured under another protocol than the study's: names every key that differs.
  Status check_protocol(const config::Study& study);
  // Records the plan's models and cells (known ones are left as they are) and the start of a run of them. Yields the id
  // of the run: that of the unfinished run of the same study (cells, protocol, limits), whose devices then go on where
  // they stopped, or of a new one. Durable. Error when the file holds results measured under another protocol: names
  // every key that differs.
  // `ngb`: what begins it.
  Result<std::string> begin_run(const plan::Plan& plan, std::int64_t started_unix_ns, const Revision& ngb = {});
  // The id that begin_run would go on with; nothing: it would begin a new run.
  Result<std::optional<std::string>> open_run(const plan::Plan& plan);
  // From now on something of the run may be on that device, until it is forgotten: because a teardown was verified, or
  // because all that this machine's journal holds is recorded. Durable after `flush`. A device that the run has not
  // planned for changes nothing.
  Status note_presence(const std::string& run_id, const std::string& device);
  Status forget_presence(const std::string& run_id, const std::string& device);
  // The plan without the cells that other runs have completed already: what is left for `run_id` to do. The same at
  // every continuation of the run. Of a cell that other runs have measured in part, `completed` tells.
  Result<plan::Plan> remaining(plan::Plan plan, const std::string& run_id);
  // What is installed of a compiler on a device. Every build that was ever recorded is kept.
  Status record_toolchain(const std::string& device, const std::string& compiler, const std::string& version,
                          const Manifest& manifest);

  // The completed processes of the run's cells on that device, whichever run measured them, by origin.
  Result<std::vector<samples::Completed>> completed(const std::string& run_id, const std::string& device);
  // Last event of that device which is recorded; 0 when there is none.
  Result<std::uint64_t> last_sequence(const std::string& run_id, const std::string& device);
  // Records an event exactly once: a sequence number already recorded changes nothing, and neither does a completed
  // process of a cell and index that is recorded already. Durable after `flush`. An event that cannot be right (a
  // sequence number that leaves a gap, an unknown run or device, a cell that the run has not planned there, values
  // without sense, `finished` while processes are missing) is refused and changes nothing. Any other Error
  // (disk full): everything since the last flush is forgotten, the next flush says so, and every device has to send it
  // again from last_sequence on.
  Status record(const std::string& run_id, const std::string& device, const samples::Event& event);
  Status flush();

  // For a writer that has other things to do than to wait for readers. `begin` opens the transaction that the next
  // `record` and `record_toolchain` write to; `try_flush` is `flush`. Both wait for another program that holds
  // the file no longer than `patience`; then the error has the code `busy`, nothing is lost, and another try may
  // succeed. After `begin`, only `try_flush` waits.
  void be_patient(Nanoseconds patience);
  Status begin();
  Status try_flush();
  // One line about the program that holds the file, by what the kernel tells of its locks: "python3 (process 123)".
  [[nodiscard]] std::string who_holds_it() const;

  // The runs of this file, first one first.
  Result<std::vector<RunState>> runs();
  // Ids of the cells that a run planned, in the order of the study.
  Result<std::vector<std::string>> planned_cells(const std::string& run_id);
  // The cells of this file in the order of the study, with how far they are.
  Result<std::vector<CellState>> cell_states();

  // Cells in the order of the study, with everything measured so far.
  Result<std::vector<CellData>> load_cells(Detail detail = Detail::full);
  // What a device said of itself under this hash; no entries where the hash is not known.
  Result<samples::Environment> environment(const std::string& environment_hash);
  // The file is of an older version, and was brought up to date in memory only.
  [[nodiscard]] bool is_older() const;
  // Changes whenever something was recorded.
  Result<std::int64_t> revision();
  // The values saved last; nothing when they belong to another revision, were made by other formulas, or when anybody
  // has changed the file since, also by other means than ngb.
  Result<std::optional<std::vector<DerivedValue>>> load_derived(std::int64_t revision, const std::string& made_by = {});
  // Replaces the values saved last. Nothing is saved when `revision` is not the file's any more.
  Status save_derived(std::int64_t revision, const std::vector<DerivedValue>& values, const std::string& made_by = {});

  struct Implementation;  // of this room only

 private:
  explicit Store(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace ngb::store
