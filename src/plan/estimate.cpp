// SPDX-License-Identifier: Apache-2.0
#include "plan/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "work/device_kind.h"

namespace ngb::plan {

namespace {

constexpr double kStudy_s = 0.5;                 // starting the agent
constexpr double kNewModel_s = 0.5;              // writing the file, computing the reference outputs
constexpr double kNewModelPerMillion_s = 0.05;   // more, for each million parameters
constexpr double kCall_s = 50e-6;                // an inference without its arithmetic
constexpr double kMacsPerSampleOfAFile = 1e9;    // if the MACs are unknown
constexpr double kWarmUpRepetitions = 5;         // if the study does not give their number
constexpr double kRepetitionsToPrecision = 100;  // assumed with stop_when
constexpr double kTrial_s = 3;                   // of tuning

double seconds_of(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e9; }

// Returns the value of an option that is a number; 0 if the study does not give it.
double option_of(const work::Compiler& compiler, std::string_view option) {
  for (const auto& [name, value] : compiler.options) {
    if (name == option) return std::strtod(value.c_str(), nullptr);
  }
  return 0;
}

// Returns what is known of the compiler.
const UsualCompiler& usual_of(const Experience& experience, const std::string& compiler) {
  static const UsualCompiler kOther;
  const auto found = experience.usual.find(compiler);
  return found == experience.usual.end() ? kOther : found->second;
}

// Returns whether inference runs on a GPU: the compiler has no other device, or its option `device` or `provider` asks
// for one.
bool computes_on_gpu(const Experience& experience, const work::Compiler& compiler) {
  return usual_of(experience, compiler.name).is_for_gpus || work::device_asked_for(compiler.options) == "gpu";
}

// Returns the compiler's usual times with a model of that size, without warm-up. The null compiler is told its times.
ProcessTime usual_time(const Experience& experience, const work::Compiler& compiler, const Likeness& like) {
  const double trials = option_of(compiler, "trials");
  const UsualCompiler& known = usual_of(experience, compiler.name);
  const work::UsualTimes& usual = trials > 0 && known.tuned ? *known.tuned : known.times;
  const double macs = like.macs ? static_cast<double>(*like.macs) : kMacsPerSampleOfAFile * like.batch;
  const double millions = static_cast<double>(like.parameters.value_or(0)) / 1e6;
  const bool is_null = compiler.name == "null";
  const bool is_on_gpu = computes_on_gpu(experience, compiler);
  const double macs_per_s = is_on_gpu ? kGpuMacs_per_s : usual.macs_per_thread_per_s * compiler.threads;
  const double compile_s = usual.compile_s + usual.compile_s_per_million_parameters * millions +
                           (is_null ? option_of(compiler, "compile_ns") / 1e9 : 0);
  return {.start_s = is_on_gpu ? std::max(usual.start_s, kGpuStart_s) : usual.start_s,
          .compile_s = compile_s,
          .load_s = usual.load_share * compile_s,
          .tuning_s = trials * kTrial_s,
          .inference_s = kCall_s + macs / macs_per_s + (is_null ? option_of(compiler, "run_ns") / 1e9 : 0)};
}

// Returns how many inferences a repetition has whatever they take: those of a pass, or one.
int steps_of(const Plan& plan, const work::Cell& cell) {
  const work::Model& model = plan.model_of(cell);
  int visits = 0;
  for (const work::VisitedShape& shape : model.visited) visits += shape.visits;
  return model.decoding ? model.decoding->new_tokens : std::max(visits, 1);
}

double repetition_s(const Plan& plan, double inference_s) {
  return std::max(inference_s, seconds_of(plan.study.protocol.min_repetition_ns));
}

double usual_warming_s(const Plan& plan, double inference_s) {
  const auto& warm_up = plan.study.protocol.warm_up;
  return repetition_s(plan, inference_s) * (warm_up ? *warm_up : kWarmUpRepetitions);
}

// Returns how long the requests take to arrive or, if that is longer, to be answered by all instances.
double arrivals_s(const work::Arrivals& arrivals, int instances, double inference_s) {
  return std::max(arrivals.requests / arrivals.requests_per_s, arrivals.requests * inference_s / instances);
}

double timed_s(const Plan& plan, int instances, double inference_s) {
  const work::Protocol& protocol = plan.study.protocol;
  if (protocol.arrivals) return arrivals_s(*protocol.arrivals, instances, inference_s);
  const double one_s = repetition_s(plan, inference_s);
  const auto one_ns = static_cast<std::int64_t>(one_s * 1e9);
  const int kinds = protocol.profile ? 2 : 1;  // plain repetitions, and as many that are profiled
  if (!protocol.stop_when) return kinds * one_s * protocol.repetitions.value_or(work::repetitions_by_time(one_ns));
  const work::StopWhen& stop = *protocol.stop_when;
  const double repetitions = std::clamp(kRepetitionsToPrecision, static_cast<double>(stop.min_repetitions),
                                        static_cast<double>(stop.max_repetitions));
  return std::min(one_s * repetitions, std::max(seconds_of(stop.max_ns), one_s * stop.min_repetitions));
}

// Returns how long a cell's first process goes on after its repetitions. Such processes take `process_s`, and their
// timed phases `timed_s`.
double look_s(const Plan& plan, const work::Cell& cell, double process_s, double timed_s) {
  const work::Protocol& protocol = plan.study.protocol;
  const bool has_none = protocol.arrivals || protocol.profile || plan.compiler_of(cell).instances > 1;
  if (has_none || !plan.load_of(cell).is_none()) return 0;
  const double alone_s = protocol.turns > 1 ? timed_s : 0;
  return alone_s + longer_look_s(protocol, process_s + alone_s, timed_s);
}

// Returns how long each process goes on because it is watched for memory that it keeps (worker/repetitions.h).
double watch_s(const Plan& plan, const work::Cell& cell, double inference_s) {
  constexpr double kMost_s = 30;
  constexpr double kInferences = 1'000;
  constexpr double kRepetitions = 100;
  const work::Protocol& protocol = plan.study.protocol;
  const bool has_none = protocol.arrivals || protocol.profile || plan.compiler_of(cell).instances > 1;
  if (!protocol.leak || has_none || !plan.load_of(cell).is_none()) return 0;
  return std::min(kMost_s, std::max(kInferences * inference_s, kRepetitions * repetition_s(plan, inference_s)));
}

// Returns how long each process makes further sessions (worker/further_sessions.h), of which one takes `session_s`.
double sessions_s(const Plan& plan, const work::Cell& cell, double session_s) {
  constexpr double kMost_s = 60;
  const work::Protocol& protocol = plan.study.protocol;
  const bool has_none = protocol.arrivals || plan.compiler_of(cell).instances > 1;
  if (has_none || !plan.load_of(cell).is_none()) return 0;
  return std::min(kMost_s, protocol.sessions.value_or(0) * session_s);
}

double ratio_of_times(double one, double other) { return other > 0 ? one / other : 1; }

// Returns what was found, scaled to the wanted size as the usual times are.
ProcessTime scaled(const Experience& experience, const Durations::Found& found, const work::Compiler& compiler,
                   const Likeness& wanted) {
  ProcessTime time = found.time;
  if (found.basis == Basis::same || found.basis == Basis::other_version) return time;
  const ProcessTime from = usual_time(experience, compiler, found.like);
  const ProcessTime to = usual_time(experience, compiler, wanted);
  const double work = ratio_of_times(to.inference_s, from.inference_s);
  const double size = found.basis == Basis::other_batch ? 1 : ratio_of_times(*to.compile_s, *from.compile_s);
  // The output check runs one inference.
  time.start_s = std::max(time.start_s - time.inference_s, 0.0) + time.inference_s * work;
  time.inference_s *= work;
  time.warming_s *= work;
  if (time.compile_s) *time.compile_s *= size;
  if (time.load_s) *time.load_s *= size;
  return time;
}

bool shares_compilation(const Plan& plan, const Experience& experience, const work::Compiler& compiler, bool is_dear) {
  if (!experience.file_makers.contains(compiler.name)) return false;
  const work::Compilation mode = plan.study.protocol.compile;
  return mode == work::Compilation::once || (mode == work::Compilation::automatic && is_dear);
}

// Adds the processes that the time rests on to `used`.
CellTime cell_time(const Plan& plan, const Experience& experience, const work::Cell& cell, const std::string& device,
                   std::set<const MeasuredProcess*>& used) {
  const work::Compiler& compiler = plan.compiler_of(cell);
  const Likeness wanted = likeness_of(plan, cell, device);
  const ProcessTime usual = usual_time(experience, compiler, wanted);
  const auto found = experience.durations.find(wanted);
  if (found) used.insert(found->processes.begin(), found->processes.end());
  ProcessTime time = found ? scaled(experience, *found, compiler, wanted) : usual;
  const int steps = steps_of(plan, cell);
  if (!found) time.start_s += usual.inference_s * steps;
  if (!found || plan.study.protocol.warm_up) time.warming_s = usual_warming_s(plan, time.inference_s * steps);
  // Tuning is kept, so it takes no time again; a model of another size has not been tuned yet.
  time.tuning_s = found && found->basis == Basis::same ? 0 : usual.tuning_s;
  const double compile_s = time.compile_s.value_or(usual.compile_s.value_or(0));
  const double usual_load_s = usual.compile_s.value_or(0) > 0 ? *usual.load_s / *usual.compile_s * compile_s : 0;
  const double load_s = time.load_s.value_or(std::min(usual_load_s, compile_s));
  const double repeat_s = timed_s(plan, compiler.instances, time.inference_s * steps);
  const double measure_s = time.warming_s + repeat_s;
  const bool is_dear = compile_s + time.tuning_s > measure_s;
  const bool shares = shares_compilation(plan, experience, plan.compiler_of(cell), is_dear);
  const double rest_s = time.start_s + measure_s + watch_s(plan, cell, time.inference_s) +
                        sessions_s(plan, cell, (shares ? load_s : compile_s) + time.inference_s);
  const double longer_s = look_s(plan, cell, rest_s + compile_s + time.tuning_s, repeat_s);
  return {.first_s = rest_s + compile_s + time.tuning_s + longer_s,
          .look_s = longer_s,
          .other_s = rest_s + (shares ? load_s : compile_s),
          .basis = found ? found->basis : Basis::table};
}

// Returns what importing the packages of a device's Python compilers usually takes.
double imports_s(const Experience& experience, const std::set<std::string>& compilers) {
  double seconds = 0;
  for (const std::string& compiler : compilers) seconds += usual_of(experience, compiler).times.import_s;
  return seconds;
}

// Returns how often the group is visited (work::Order).
int visits_to(const Plan& plan, const work::Group& group) {
  if (plan.study.order == work::Order::groups || group.steps.empty()) return 1;
  const int rounds = group.steps.back().process_index - group.steps.front().process_index + 1;
  return std::min(rounds, work::expected_processes(plan.study.protocol));
}

}  // namespace

double longer_look_s(const work::Protocol& protocol, double process_s, double timed_s) {
  constexpr int kUsual_s = 3;
  constexpr double kShareOfCell = 0.05;
  constexpr double kWithOtherAllocator = 1.25;
  const double left_s = std::max(protocol.longer_look_s.value_or(kUsual_s) - timed_s, 0.0);
  const double cell_s = work::expected_processes(protocol) * process_s;
  return kWithOtherAllocator * (protocol.longer_look_s ? left_s : std::min({left_s, kShareOfCell * cell_s, process_s}));
}

std::map<std::string, MeasuredStudy> studies_of(const Plan& plan, const Experience& experience) {
  const std::string& reference = plan.study.reference;
  std::map<std::string, MeasuredStudy> studies;
  std::map<std::string, std::set<std::string>> compilers;
  const auto study_on = [&](const std::string& device) -> MeasuredStudy& {
    const auto [place, is_new] = studies.try_emplace(device);
    if (is_new) {
      place->second.device = name_in_durations(plan, device, experience.here);
      place->second.study = experience.study;
      place->second.reference = reference;
    }
    return place->second;
  };
  for (const work::Cell& cell : plan.cells) {
    study_on(cell.device);
    compilers[cell.device].insert(plan.compiler_of(cell).name);
  }
  for (const work::Group& group : plan.groups) {
    MeasuredStudy& study = study_on(group.device);
    const work::ModelKey& model = plan.model_of(group).key;
    const bool is_new = !experience.durations.has_model(study.device, model.hash, model.batch);
    study.groups += visits_to(plan, group);
    if (!is_new || reference == "none") continue;
    ++study.new_groups;
    const double millions = static_cast<double>(plan.model_of(group).parameters.value_or(0)) / 1e6;
    study.once_s += kNewModel_s + kNewModelPerMillion_s * millions;
    compilers[group.device].insert(reference);
  }
  for (auto& [device, study] : studies) study.once_s += imports_s(experience, compilers[device]);
  return studies;
}

Estimate estimate(const Plan& plan, const Experience& experience) {
  const std::map<std::string, MeasuredStudy> studies = studies_of(plan, experience);
  Estimate whole;
  whole.cells.reserve(plan.cells.size());
  std::set<const MeasuredProcess*> used;
  std::map<std::string, double> busy_s;
  for (const work::Cell& cell : plan.cells) {
    const CellTime time = cell_time(plan, experience, cell, studies.at(cell.device).device, used);
    busy_s[cell.device] += time.first_s + (work::expected_processes(plan.study.protocol) - 1) * time.other_s;
    ++whole.cells_by_basis[static_cast<std::size_t>(time.basis)];
    whole.cells.push_back(time);
  }
  whole.measured_processes = used.size();
  for (const auto& [name, study] : studies) {
    whole.between_s[name] = experience.durations.between_s(study, kStudy_s);
    whole.seconds = std::max(whole.seconds, busy_s[name] + whole.between_s[name]);
  }
  return whole;
}

namespace {

std::string number_of(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

struct BasisRow {
  Basis basis;
  const char* key;    // in JSON
  const char* words;  // after the number of cells
};
constexpr std::array<BasisRow, kBases> kBasisRows{{
    {Basis::same, "same", "as measured before"},
    {Basis::other_version, "other_version", "from another version"},
    {Basis::other_batch, "other_batch", "from another batch size"},
    {Basis::other_model, "other_model", "from another model, by its size"},
    {Basis::table, "table", "from a table of usual times"},
}};

std::string basis_text(const Estimate& estimate) {
  if (estimate.measured_processes == 0) return "from a table of usual times: nothing like it was measured here yet";
  std::vector<std::string> parts;
  for (const BasisRow& row : kBasisRows) {
    const int count = estimate.cells_by_basis[static_cast<std::size_t>(row.basis)];
    if (count > 0)
      parts.push_back(fmt::format("{} {}", number_of(static_cast<std::uint64_t>(count), "cell", "cells"), row.words));
  }
  return fmt::format("from {} measured here before: {}", number_of(estimate.measured_processes, "process", "processes"),
                     text::join(parts, ", "));
}

// Returns a line on what `compile: auto` would save, if that is much.
std::string saving_text(const Plan& plan, const Experience& experience, double seconds) {
  constexpr double kMuch_s = 30;
  constexpr double kMuchShare = 0.8;
  if (plan.study.protocol.compile != work::Compilation::each) return {};
  Plan sharing = plan;
  sharing.study.protocol.compile = work::Compilation::automatic;
  const double less_s = estimate(sharing, experience).seconds;
  if (seconds - less_s < kMuch_s || less_s > kMuchShare * seconds) return {};
  return fmt::format("  about {} with compile: auto, which compiles dear models once\n", text::human_duration(less_s));
}

// Returns a line on what the estimate leaves out: a process that other programs disturb is measured again.
std::string waiting_text(const work::Disturbance& disturbance) {
  if (disturbance.attempts < 2 || disturbance.max_wait_ratio >= 1) return {};
  return fmt::format(
      "  beside other programs it takes longer: a disturbed process is tried {} times, after waits of up to {}\n",
      disturbance.attempts, text::human_duration(static_cast<double>(disturbance.wait_ns) / 1e9));
}

}  // namespace

std::string estimate_text(const Plan& plan, const Experience& experience) {
  const Estimate whole = estimate(plan, experience);
  return fmt::format(
      "{}, {}: about {}\n  {}\n{}{}", number_of(plan.cells.size(), "cell", "cells"),
      (plan.study.protocol.rounds ? "at most " : "") + number_of(process_count(plan), "process", "processes"),
      text::human_duration(whole.seconds), basis_text(whole), waiting_text(plan.study.limits.disturbance),
      saving_text(plan, experience, whole.seconds));
}

nlohmann::json estimate_json(const Plan& plan, const Experience& experience) {
  const Estimate whole = estimate(plan, experience);
  nlohmann::json cells = nlohmann::json::object();
  for (const BasisRow& row : kBasisRows) cells[row.key] = whole.cells_by_basis[static_cast<std::size_t>(row.basis)];
  return {{"estimate_s", whole.seconds},
          {"estimate_basis", {{"measured_processes", whole.measured_processes}, {"cells", std::move(cells)}}}};
}

}  // namespace ngb::plan
