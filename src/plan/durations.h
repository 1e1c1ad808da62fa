// SPDX-License-Identifier: Apache-2.0
// What processes and studies took that were measured earlier, and what a process like them will take. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/record.h"
#include "plan/plan.h"

namespace ngb::plan {

// The properties of a process on which its time depends.
struct Likeness {
  std::string device{};  // the host's name for the local device, whatever a study calls it
  std::string compiler{};
  std::string version{};
  std::string options{};  // JSON text; settings, inferences in flight and the load follow the options
  int threads = 1;
  std::string precision{};
  std::string model{};  // the model's hash
  std::string family{};
  int batch = 1;
  std::optional<std::uint64_t> parameters{};
  std::optional<std::uint64_t> macs{};
  bool operator==(const Likeness&) const = default;

  static constexpr auto fields(auto visit) {
    return visit(Field{"device", &Likeness::device}, Field{"compiler", &Likeness::compiler},
                 Field{"version", &Likeness::version}, Field{"options", &Likeness::options},
                 Field{"threads", &Likeness::threads}, Field{"precision", &Likeness::precision},
                 Field{"model", &Likeness::model}, Field{"family", &Likeness::family}, Field{"batch", &Likeness::batch},
                 Field{"parameters", &Likeness::parameters}, Field{"macs", &Likeness::macs});
  }
};

// The parts of a process's time, in seconds.
struct ProcessTime {
  double start_s = 0;                 // all that is none of the others: start, open, check, end
  std::optional<double> compile_s{};  // without tuning; nothing: it loaded what another process had compiled
  std::optional<double> load_s{};     // nothing: it compiled
  double tuning_s = 0;
  double inference_s = 0;  // one, mean over the steady repetitions
  double warming_s = 0;    // warm-up and timed phase without the steady repetitions

  static constexpr auto fields(auto visit) {
    return visit(Field{"start_s", &ProcessTime::start_s}, Field{"compile_s", &ProcessTime::compile_s},
                 Field{"load_s", &ProcessTime::load_s}, Field{"tuning_s", &ProcessTime::tuning_s},
                 Field{"inference_s", &ProcessTime::inference_s}, Field{"warming_s", &ProcessTime::warming_s});
  }
};

// A process that completed.
struct MeasuredProcess {
  Likeness like{};
  ProcessTime took{};

  static constexpr const char* kType = "process";
  static constexpr auto fields(auto visit) {
    return visit(Field{"like", &MeasuredProcess::like}, Field{"took", &MeasuredProcess::took});
  }
};

// A study that ran from its first process to its last on one device, without a failure.
struct MeasuredStudy {
  std::string device{};
  std::string study{};      // hash of what it measures
  std::string reference{};  // the compiler of the reference outputs
  double between_s = 0;     // time in which none of its processes ran
  double once_s = 0;        // of that, what imports and the reference outputs of new models usually take
  int groups = 0;           // visits to groups: each provides the model's file
  int new_groups = 0;       // whose model was never measured there before, so that reference outputs were to be made

  static constexpr const char* kType = "study";
  static constexpr auto fields(auto visit) {
    return visit(Field{"device", &MeasuredStudy::device}, Field{"study", &MeasuredStudy::study},
                 Field{"reference", &MeasuredStudy::reference}, Field{"between_s", &MeasuredStudy::between_s},
                 Field{"once_s", &MeasuredStudy::once_s}, Field{"groups", &MeasuredStudy::groups},
                 Field{"new_groups", &MeasuredStudy::new_groups});
  }
};

// The processes that an estimate rests on, from the best to the worst.
enum class Basis { same, other_version, other_batch, other_model, table };
inline constexpr int kBases = 5;

class Durations {
 public:
  // Later ones count as newer.
  void add(MeasuredProcess process);
  void add(const MeasuredStudy& study);

  struct Found {
    ProcessTime time{};                               // medians over the processes
    Likeness like{};                                  // of the processes
    std::vector<const MeasuredProcess*> processes{};  // valid as long as nothing is added
    Basis basis = Basis::same;
  };
  [[nodiscard]] bool is_empty() const { return processes_.empty(); }
  // Returns the time of the nearest measured processes. All have the same device, compiler, options, threads and
  // precision; their version does not matter. Nearest are those of the same model and batch size, then those of the
  // model at the nearest batch size, then those of the model with the nearest number of MACs, in its family if there is
  // one. The newest 16 of them count. Returns nothing if there are none.
  [[nodiscard]] std::optional<Found> find(const Likeness& wanted) const;
  // Returns whether the model was measured on the device, by any compiler.
  [[nodiscard]] bool has_model(const std::string& device, const std::string& model, int batch) const;
  // Returns the seconds in which none of a study's processes run; `between_s` of the argument is ignored. If the same
  // study was measured with as many new groups, its seconds are returned. Otherwise they are the sum of once_s, times
  // the factor by which once_s was wrong in other studies of the device, and of a time for each group, which is known
  // from studies without new groups. Without such studies, the factor is 1, and groups take `usual_s` and a tenth of a
  // second each.
  [[nodiscard]] double between_s(const MeasuredStudy& wanted, double usual_s) const;

 private:
  using Setting = std::tuple<std::string, std::string, std::string, int, std::string>;
  static Setting setting_of(const Likeness& like);

  std::map<Setting, std::vector<MeasuredProcess>> processes_{};
  std::map<std::string, std::vector<MeasuredStudy>> studies_{};   // by device
  std::set<std::tuple<std::string, std::string, int>> models_{};  // device, model, batch
};

// Returns the name of a plan's device in a Likeness: `here` for the local one, whatever the study calls it.
std::string name_in_durations(const Plan& plan, const std::string& device, const std::string& here);
// Returns what the cell's processes are like. `device` is the name that name_in_durations returns.
Likeness likeness_of(const Plan& plan, const work::Cell& cell, std::string device);

}  // namespace ngb::plan
