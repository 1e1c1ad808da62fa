// SPDX-License-Identifier: Apache-2.0
// Reads and writes the results file: one SQLite database per results folder, described in docs/results.md. No other
// room contains SQL. A Store is used by one thread; a file has one writer at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/revision.h"
#include "base/shared_text.h"
#include "plan/plan.h"
#include "samples/message.h"
#include "work/configuration.h"

namespace ngb::store {

enum class Mode {
  read_only,
  read_write,
  write_if_free  // as read_write, but fails at once while another writer has the file
};

// A process as it was recorded: its result, and the run that measured it.
struct RecordedProcess : samples::ProcessResult {
  std::int64_t run_key = 0;  // within the file
};

// A cell with the results of its processes. Metrics are computed from it.
struct CellData {
  std::string cell_id{};
  work::Configuration of{};            // what its results belong to
  nlohmann::json recipe_parameters{};  // of a recipe or module, or as the study says of a file, an object; else null
  int planned_processes = 0;
  std::optional<work::Rounds> rounds{};  // the file's protocol has them: rounds end when they have decided something
  std::optional<double> window_s{};      // of the goal that results are read for (metrics/goal.h)
  bool is_profile = false;               // its processes were profiled: they have no speed
  bool has_ended_rounds = false;         // they have ended before the last one
  std::optional<int> device_cpus{};      // logical processors of the device, if it reported them
  std::vector<RecordedProcess> processes{};  // completed, of one origin, by process_index; repetitions in order
  std::vector<RecordedProcess> set_aside{};  // completed, of other origins: they count in no metric
  std::vector<RecordedProcess> failed{};     // failed attempts; without repetitions unless some were measured

  // Returns how many processes the cell needs: those that it has, once its rounds have ended.
  [[nodiscard]] int needed_processes() const {
    return has_ended_rounds ? static_cast<int>(processes.size()) : planned_processes;
  }
};

// Lists what a toolchain consists of.
struct Manifest {
  std::string sha256{};  // over compiler, version and packages
  std::string json{};
};

// How a device described itself before processes that completed.
struct MeasuredEnvironment {
  std::string device{};
  samples::Environment environment{};
};

// Says how much of a cell is loaded.
enum class Detail {
  planned,   // the cell without its processes
  outline,   // its processes without phases, repetitions, readings, what they were made with, the numbers of their
             // checks, and facts other than `device`, `emulated` and `wait`
  speeds,    // without phases, readings and the numbers of checks, and of the facts only those three
  profiles,  // as speeds, with where the time of an inference went
  full       // everything but profiles
};

// The cells of one device and model, with those of its variants: metrics relate only cells of one family.
struct ValueFamily {
  struct Member {
    std::int64_t cell_key = 0;  // within the file
    std::size_t position = 0;   // among all cells, in the order of the study
  };
  std::string device{};
  std::string model_hash{};
  std::vector<Member> cells{};  // in the order of the study
};

// A metric's value for a cell. The values of a cell share its id; those of a family, names and reasons: a cell has
// sixty, so that texts of their own would weigh more than all else that is known of it.
struct DerivedValue {
  SharedText cell_id{};
  SharedText metric{};
  std::optional<double> value{};
  std::optional<double> low{};  // 95 % interval, where the metric has one
  std::optional<double> high{};
  SharedText reason{};  // why there is no value

  static constexpr auto fields(auto visit) {  // beside the cell
    return visit(Field{"metric", &DerivedValue::metric}, Field{"value", &DerivedValue::value},
                 Field{"low", &DerivedValue::low}, Field{"high", &DerivedValue::high},
                 Field{"reason", &DerivedValue::reason});
  }
};

// A number that spans cells (docs/metrics.md).
struct SeriesValue {
  std::string series{};       // its name, with unit
  std::string device{};       // "local", "local (gpu)"
  std::string compiler{};     // label and version
  std::string subject{};      // what it is about: a group of models, a stack of blocks, a model
  std::string batch_sizes{};  // "8", "2-4"
  std::optional<double> value{};
  std::optional<double> low{};  // 95 % interval, where the series has one
  std::optional<double> high{};
  std::optional<double> standard_error{};  // of a slope
  std::optional<double> degrees{};         // of freedom, of the standard error
  std::string reason{};                    // why there is no value
  std::vector<std::string> cell_ids{};     // that it is about; baselines are not among them

  static constexpr auto fields(auto visit) {  // beside the cells
    return visit(Field{"series", &SeriesValue::series}, Field{"device", &SeriesValue::device},
                 Field{"compiler", &SeriesValue::compiler}, Field{"subject", &SeriesValue::subject},
                 Field{"batch_sizes", &SeriesValue::batch_sizes}, Field{"value", &SeriesValue::value},
                 Field{"low", &SeriesValue::low}, Field{"high", &SeriesValue::high},
                 Field{"standard_error", &SeriesValue::standard_error}, Field{"degrees", &SeriesValue::degrees},
                 Field{"reason", &SeriesValue::reason});
  }
};

// A statement about the results as a whole: a finding in words, a reversed order, or whether a claim holds.
struct Conclusion {
  std::string kind{};      // "finding", "reversal", "claim"
  std::string sentence{};  // for people; "" for a kind that is shown as a table
  std::string json{};      // everything about it, with the rows behind it

  static constexpr auto fields(auto visit) {
    return visit(Field{"kind", &Conclusion::kind}, Field{"sentence", &Conclusion::sentence},
                 Field{"rows_json", &Conclusion::json});
  }
};

// The numbers that span cells of one part of the results.
struct SeriesPart {
  std::string part{};  // unique within the file
  std::vector<SeriesValue> values{};
  std::vector<Conclusion> conclusions{};
};

struct DeviceState {
  std::string device{};
  std::uint64_t last_sequence = 0;  // 0: no event yet
  bool is_finished = false;
  bool may_be_there = false;  // the device may still have something of the run
};

struct RunState {
  std::string run_id{};
  std::string study_name{};
  std::string study_json{};  // with every default
  std::int64_t started_unix_ns = 0;
  bool is_complete = false;  // every device has finished
  std::vector<DeviceState> devices{};
  std::string source{};  // the results folder that the run was merged from; "" if it was recorded in this file
};

struct CellState {
  enum class Progress {
    planned,   // nothing recorded
    partial,   // some processes are recorded
    complete,  // every process that is needed completed, with one build in one environment
    failed     // the device has finished, and processes are missing
  };
  std::string cell_id{};
  Progress progress = Progress::planned;
  int planned_processes = 0;
  int completed_processes = 0;  // of the origin that counts
  int failed_attempts = 0;
  int lost_processes = 0;         // without any completed attempt, and not only for the load of other programs
  bool has_ended_rounds = false;  // it needs no more processes: what the study asks of it is decided
};

struct Source;  // merge.h

class Store {
 public:
  // Opens a results file. read_write creates a missing folder and file, migrates an older file (and first keeps a copy
  // of it, results.version-N.db), and excludes other writers while the Store exists. read_only never waits for a writer
  // and changes nothing, except that it undoes the unfinished commit of a killed writer. Returns an error if the file
  // does not exist, is in use by another writer (which is named), was written by a newer version, is not a results file
  // or is damaged, if the folder is not writable, or if the disk is full. The file may come from anybody: reading it
  // takes bounded work or returns an error.
  static Result<Store> open(const std::filesystem::path& file, Mode mode);
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  // Returns an error if the file's results were merged from other folders, or if a process of them was measured under
  // another protocol than the study's. That error names every key that differs.
  Status check_protocol(const config::Study& study);
  // Records the plan's models and cells (known ones stay unchanged) and the start of a run of them by the program
  // `ngb`. If a run of the same study (cells, protocol, limits) is unfinished, it is resumed where its devices stopped;
  // else a new run begins. Returns the id of the run. The start is durable when this returns. Returns an error if the
  // file's results were measured under another protocol; it names every key that differs.
  Result<std::string> begin_run(const plan::Plan& plan, std::int64_t started_unix_ns, const Revision& ngb = {});
  // Records what the plan's models belong to (group, style, size), for models that are recorded already. Durable when
  // this returns. begin_run does so too; a study that only changes these keys begins no run.
  Status describe_models(const plan::Plan& plan);
  // Returns the id of the run that begin_run would resume, or nothing if it would begin a new run.
  Result<std::optional<std::string>> open_run(const plan::Plan& plan);
  // Record that something of the run may be on the device, or no longer is. Call forget_presence after a verified
  // teardown, or once everything in this machine's journal is recorded. Durable after `flush`. Neither changes anything
  // if the run has no cells on that device.
  Status note_presence(const std::string& run_id, const std::string& device);
  Status forget_presence(const std::string& run_id, const std::string& device);
  // Returns the part of the plan that the next command has to measure: all of it if the last run is not complete or if
  // failed cells are retried, else the cells without a result. A failed cell counts as settled, unless it failed for
  // want of a toolchain that `has_toolchain` finds by now.
  using HasToolchain =
      std::function<bool(const std::string& device, const std::string& compiler, const std::string& version)>;
  Result<plan::Plan> left_to_do(plan::Plan plan, bool retries_failed, const HasToolchain& has_toolchain);
  // Returns the plan without the cells that other runs have completed: the work left for `run_id`. The result is the
  // same at every continuation of the run. Cells that other runs measured in part stay; `completed` lists their
  // processes.
  Result<plan::Plan> remaining(plan::Plan plan, const std::string& run_id);
  // Returns the hashes of what the file's cells are measured with, by its name for people: of the content of each model
  // and batch ("net.onnx, batch 1"), and of the last build of each toolchain on the device ("toolchain tvm 0.25.0").
  Result<std::map<std::string, std::set<std::string>>> contents(const std::string& device);
  // Records which build of a compiler is installed on a device. Earlier builds stay recorded. Durable after `flush`.
  Status record_toolchain(const std::string& device, const std::string& compiler, const std::string& version,
                          const Manifest& manifest);

  // Returns the completed processes of the run's cells on that device, by origin, whichever run measured them.
  // `decided_by`: the metric that decides how many rounds there are; nothing: the speed.
  Result<std::vector<samples::Completed>> completed(const std::string& run_id, const std::string& device,
                                                    const std::optional<work::DecidedBy>& decided_by = {});
  // Returns the sequence number of the device's last recorded event, or 0 if there is none.
  Result<std::uint64_t> last_sequence(const std::string& run_id, const std::string& device);
  // Records an event exactly once: an event whose sequence number is recorded changes nothing, and a completed process
  // whose cell, index and origin are recorded is not stored again. Durable after `flush`. Returns an error and changes
  // nothing if the event cannot be true: its sequence number leaves a gap, the run or device is unknown, the run has
  // not planned the cell on that device, a value is impossible, or it is `finished` while processes are missing. Any
  // other error (disk full) discards everything since the last flush: the next flush returns that error, and every
  // device has to send its events after last_sequence again.
  Status record(const std::string& run_id, const std::string& device, const samples::Event& event);
  Status flush();

  // These are for a writer that must not wait long for readers. `begin` opens the transaction to which the next
  // `record` and `record_toolchain` write. `try_flush` does what `flush` does. Both wait at most `patience` for another
  // program that holds the file and then return an error with the code `busy`: nothing is lost, and another try may
  // succeed. After `begin`, only `try_flush` waits.
  void be_patient(Nanoseconds patience);
  Status begin();
  Status try_flush();
  // Describes the programs that hold the file, from the kernel's list of locks: "python3 (process 123)".
  [[nodiscard]] std::string who_holds_it() const;

  // Returns the runs of this file, oldest first.
  Result<std::vector<RunState>> runs();
  // Returns the names of the devices that have cells, sorted.
  Result<std::vector<std::string>> devices();
  // Returns the ids of the cells that a run planned, in the order of the study.
  Result<std::vector<std::string>> planned_cells(const std::string& run_id);
  // Returns the progress of every cell of this file, in the order of the study.
  Result<std::vector<CellState>> cell_states();

  // Returns the cells in the order of the study, with everything measured so far. Its memory grows with the file; that
  // of `load_family` does not.
  Result<std::vector<CellData>> load_cells(Detail detail = Detail::full);
  // Returns all families, in the order of their first cells.
  Result<std::vector<ValueFamily>> families();
  // Returns the cells of a family that `families` has returned, in its order, as they are at one moment.
  Result<std::vector<CellData>> load_family(const ValueFamily& family, Detail detail = Detail::full);
  // Returns the cell with this id, or nothing if the file has none.
  Result<std::optional<CellData>> load_cell(const std::string& cell_id, Detail detail = Detail::full);
  // Returns a cell of each compiler, label and version, with these names and nothing else.
  Result<std::vector<CellData>> compilers();
  // Returns the highest clock frequency that completed processes of each device have read.
  Result<std::map<std::string, double>> highest_frequencies_hz();
  // Returns the protocol of this file's measurements: keys and values (JSON) as in the study file; nothing if the file
  // has none yet.
  Result<std::map<std::string, std::string>> protocol();
  // Returns the newest environment with this hash. It has no entries if the hash is unknown.
  Result<samples::Environment> environment(const std::string& environment_hash);
  // Returns every description of a device that completed processes refer to, in the order in which they were recorded.
  // Two of them may have the same hash: they then differ at most in entries that are not part of it.
  Result<std::vector<MeasuredEnvironment>> measured_environments();
  // Returns true if the file is of an older version and was migrated in memory only.
  [[nodiscard]] bool is_older() const;
  // Returns a number that grows with every commit that records something.
  Result<std::int64_t> revision();
  // Keeps what was computed of all cells at this revision, for those who query the file: the values, those of a cell
  // one after the other, and the numbers that span cells. It is removed once something is recorded. Keeps nothing if
  // the file has another revision, or if events are not durable yet.
  Status keep_values(std::int64_t revision, const std::vector<DerivedValue>& values,
                     const std::vector<SeriesPart>& parts);

  struct Implementation;  // of this room only

 private:
  friend Result<Store> open_sources(const std::vector<Source>& sources);
  explicit Store(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace ngb::store
