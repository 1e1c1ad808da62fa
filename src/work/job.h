// SPDX-License-Identifier: Apache-2.0
// Defines a device's share of a study. The client sends it to the agent, and the agent sends one piece at a time to a
// worker.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/record.h"
#include "base/result.h"
#include "work/cell.h"
#include "work/compiler.h"
#include "work/decided_by.h"
#include "work/model.h"
#include "work/protocol.h"

namespace ngb::work {

// Says in which order the processes of a job's groups are measured. A group's own steps keep their order.

// rounds: a round of every group, then the next round of every group, so that a machine whose speed drifts does so in
// all groups alike. groups: all rounds of a group, then those of the next. soonest: as rounds while a study needs them
// all, then a round at a time of the group whose questions are likely to be decided soonest: whenever the time is over,
// much is known.
enum class Order { rounds, groups, soonest };

inline constexpr std::array<std::string_view, 3> kOrders{"rounds", "groups", "soonest"};  // names, in the enum's order

std::string_view name(Order order);
Result<Order> parse_order(std::string_view name);

// Reference outputs that the client has made for a model because the device cannot, or the reason why the client cannot
// either.
struct GivenReference {
  int model_index = 0;
  std::string path{};
  std::string key{};      // hash of everything that these outputs depend on
  std::string why_not{};  // why there are none; "" if they exist

  static constexpr auto fields(auto visit) {
    return visit(Field{"model_index", &GivenReference::model_index}, Field{"path", &GivenReference::path},
                 Field{"key", &GivenReference::key}, Field{"why_not", &GivenReference::why_not});
  }
};

// By how much a round's log ratio varies on a quiet device, as `ngb calibrate` has found it in one environment.
struct QuietDeviation {
  std::string environment_hash{};
  int threads = 1;
  double deviation = 0;

  static constexpr bool kIsArray = true;
  static constexpr auto fields(auto visit) {
    return visit(Field{"environment_hash", &QuietDeviation::environment_hash},
                 Field{"threads", &QuietDeviation::threads}, Field{"deviation", &QuietDeviation::deviation});
  }
};

// A job with the task make_references measures nothing: each of its groups ends with a samples::ReferenceMade.
enum class Task { measure, make_references };
std::string_view name(Task task);  // "measure", "make_references"
Result<Task> parse_task(std::string_view name);

struct Job : Lists {
  std::string run_id{};
  std::string device{};
  Task task = Task::measure;
  Protocol protocol{};
  Limits limits{};
  DeviceLimits device_limits{};
  std::vector<std::pair<std::string, std::string>> environment{};  // variables of every worker, sorted by name
  // Entries of the device's environment that only the client can tell, such as a pod's image.
  std::vector<std::pair<std::string, std::string>> client_facts{};
  std::vector<Place> places{};          // one for each of `compilers`, for the reference and for the exporter
  std::optional<Compiler> reference{};  // makes the reference outputs; nothing: outputs are not checked
  // Make the reference outputs, one after the other, of models of which `reference` cannot.
  std::vector<Compiler> other_references{};
  std::optional<Compiler> exporter{};  // makes ONNX files from modules; nothing: no model is a module
  std::string reference_cache{};       // folder that keeps reference outputs between studies
  std::vector<GivenReference> given_references{};
  // If true, cells that were begun with another build (of a toolchain or of NGraphBench) are measured anew; if false,
  // the agent refuses to continue them.
  bool accepts_new_build = false;
  // The groups' questions are those of `ngb gate`, which bounds the chance of any false verdict; else the share of
  // false ones is bounded, as in `ngb compare` (statistics/verdict.h, Adjustment).
  bool verdicts_of_gate = false;
  std::optional<DecidedBy> decided_by{};           // what ends the rounds; nothing: the speed
  std::vector<QuietDeviation> quiet_deviations{};  // for Protocol::turns; of other machines as well
  Order order = Order::rounds;
  bool continues = false;  // JobParts follow, whose lists continue these

  // Returns the compiler's place. Precondition: `places` has one.
  [[nodiscard]] const Place& place_of(const Compiler& compiler) const;
  // Returns the client's reference outputs for a model. Returns null if the device makes them or nobody does.
  [[nodiscard]] const GivenReference* given_reference(int model_index) const;

  static constexpr const char* kType = "job";
  static constexpr auto fields(auto visit) {
    return visit(Field{"run_id", &Job::run_id}, Field{"device", &Job::device}, Field{"task", &Job::task},
                 Field{"protocol", &Job::protocol}, Field{"limits", &Job::limits},
                 Field{"device_limits", &Job::device_limits}, Field{"environment", &Job::environment},
                 Field{"client_facts", &Job::client_facts}, Field{"compilers", &Job::compilers},
                 Field{"places", &Job::places}, Field{"reference", &Job::reference},
                 Field{"other_references", &Job::other_references}, Field{"exporter", &Job::exporter},
                 Field{"reference_cache", &Job::reference_cache}, Field{"given_references", &Job::given_references},
                 Field{"accepts_new_build", &Job::accepts_new_build}, Field{"verdicts_of_gate", &Job::verdicts_of_gate},
                 Field{"decided_by", &Job::decided_by}, Field{"quiet_deviations", &Job::quiet_deviations},
                 Field{"order", &Job::order}, Field{"loads", &Job::loads}, Field{"models", &Job::models},
                 Field{"cells", &Job::cells}, Field{"groups", &Job::groups}, Field{"continues", &Job::continues});
  }
};

// A piece of the lists of a job whose `continues` is true, in the lists' order.
struct JobPart {
  std::vector<Model> models{};
  std::vector<Cell> cells{};
  std::vector<Group> groups{};  // the first one continues the job's last group if both have the same model
  bool is_last = false;

  static constexpr const char* kType = "part";
  static constexpr auto fields(auto visit) {
    return visit(Field{"models", &JobPart::models}, Field{"cells", &JobPart::cells}, Field{"groups", &JobPart::groups},
                 Field{"is_last", &JobPart::is_last});
  }
};

// Asks a worker for one process of a cell, or for the reference outputs of a model.
struct WorkerRequest {
  Task task = Task::measure;
  std::string cell_id{};
  int process_index = 0;
  int attempt = 1;
  std::string plugin_path{};  // native: the .so; python: ""
  std::string model_path{};   // the ONNX file
  Model model{};
  Compiler compiler{};
  Place place{};
  Protocol protocol{};
  std::string reference_path{};     // read if measuring ("": no check), written if making references
  std::string reference_name{};     // "identity 2.15.0"
  std::string reference_key{};      // hash of everything that the outputs depend on
  bool reference_is_given = false;  // the client has made the reference outputs
  std::string reference_reason{};   // why they are not the first reference's, or why there are none; or ""
  // If making references: outputs of compilers that nothing has confirmed, with which these are compared.
  std::vector<std::string> unconfirmed_outputs{};
  std::string cache_dir{};      // where compilers keep results of long searches; "" for nowhere
  std::string artifact_path{};  // where the compiler's artifact is, or is kept; "": it is removed once loaded
  std::string module_site{};    // the exporter's packages, for a compiler that makes a PyTorch module itself; or ""
  bool loads_artifact = false;  // another process has compiled: this one loads artifact_path
  // If making references: those of all inputs over which variants are compared (Protocol::agreement_inputs).
  bool is_for_agreement = false;
  bool has_load = false;      // it is timed beside a load: it sends and awaits samples/worker_signal.h
  double max_wait_ratio = 1;  // a turn that waited for a processor in more of its time is run again; 1: none is

  static constexpr auto fields(auto visit) {
    return visit(
        Field{"task", &WorkerRequest::task}, Field{"cell_id", &WorkerRequest::cell_id},
        Field{"process_index", &WorkerRequest::process_index}, Field{"attempt", &WorkerRequest::attempt},
        Field{"plugin_path", &WorkerRequest::plugin_path}, Field{"model_path", &WorkerRequest::model_path},
        Field{"model", &WorkerRequest::model}, Field{"compiler", &WorkerRequest::compiler},
        Field{"place", &WorkerRequest::place}, Field{"protocol", &WorkerRequest::protocol},
        Field{"reference_path", &WorkerRequest::reference_path},
        Field{"reference_name", &WorkerRequest::reference_name}, Field{"reference_key", &WorkerRequest::reference_key},
        Field{"reference_is_given", &WorkerRequest::reference_is_given},
        Field{"reference_reason", &WorkerRequest::reference_reason},
        Field{"unconfirmed_outputs", &WorkerRequest::unconfirmed_outputs},
        Field{"cache_dir", &WorkerRequest::cache_dir}, Field{"artifact_path", &WorkerRequest::artifact_path},
        Field{"module_site", &WorkerRequest::module_site}, Field{"loads_artifact", &WorkerRequest::loads_artifact},
        Field{"is_for_agreement", &WorkerRequest::is_for_agreement}, Field{"has_load", &WorkerRequest::has_load},
        Field{"max_wait_ratio", &WorkerRequest::max_wait_ratio});
  }
};

// Checks a job that came from elsewhere. Returns an error if an index is in no list, a compiler has no place, two cells
// or models are equal, or references are asked for without a compiler that makes them. A job that passes can be run.
Status check_job(const Job& job);

}  // namespace ngb::work
