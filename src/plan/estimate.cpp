// SPDX-License-Identifier: Apache-2.0
#include "plan/estimate.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "plan/usual_times.h"

namespace ngb::plan {
namespace {

constexpr double kStudy_s = 5;                   // importing an interpreter's packages, starting the agent
constexpr double kModel_s = 2;                   // writing the file, computing the reference outputs
constexpr double kCall_s = 50e-6;                // an inference without its arithmetic
constexpr double kMacsPerSampleOfAFile = 1e9;    // if the MACs are unknown
constexpr double kWarmUpRepetitions = 5;         // if the study does not give their number
constexpr double kRepetitionsToPrecision = 100;  // assumed with stop_when
constexpr double kTrial_s = 3;                   // of tuning

double seconds_of(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e9; }

double trials_of(const work::Compiler& compiler) {
  for (const auto& [name, value] : compiler.options) {
    if (name == "trials") return std::strtod(value.c_str(), nullptr);
  }
  return 0;
}

double usual_warming_s(const Plan& plan, double inference_s) {
  const work::Protocol& protocol = plan.study.protocol;
  const double repetition_s = std::max(inference_s, seconds_of(protocol.min_repetition_ns));
  return repetition_s * (protocol.warm_up ? *protocol.warm_up : kWarmUpRepetitions);
}

ProcessTime from_table(const Plan& plan, const work::Cell& cell) {
  const work::Model& model = plan.model_of(cell);
  const work::Compiler& compiler = plan.compiler_of(cell);
  const double trials = trials_of(compiler);
  const UsualTimes& usual = usual_times(compiler.name, trials > 0);
  const double macs = model.macs ? static_cast<double>(*model.macs) : kMacsPerSampleOfAFile * model.key.batch;
  const double millions = static_cast<double>(model.parameters.value_or(0)) / 1e6;
  const double compile_s = usual.compile_s + usual.compile_s_per_million_parameters * millions;
  const double inference_s = kCall_s + macs / (usual.macs_per_thread_per_s * compiler.threads);
  return {.start_s = usual.start_s,
          .compile_s = compile_s,
          .load_s = usual.load_share * compile_s,
          .tuning_s = trials * kTrial_s,
          .inference_s = inference_s,
          .warming_s = usual_warming_s(plan, inference_s)};
}

double timed_s(const Plan& plan, double inference_s) {
  const work::Protocol& protocol = plan.study.protocol;
  const double one_s = std::max(inference_s, seconds_of(protocol.min_repetition_ns));
  const auto one_ns = static_cast<std::int64_t>(one_s * 1e9);
  if (!protocol.stop_when) return one_s * protocol.repetitions.value_or(work::repetitions_by_time(one_ns));
  const work::StopWhen& stop = *protocol.stop_when;
  const double repetitions = std::clamp(kRepetitionsToPrecision, static_cast<double>(stop.min_repetitions),
                                        static_cast<double>(stop.max_repetitions));
  return std::min(one_s * repetitions, std::max(seconds_of(stop.max_ns), one_s * stop.min_repetitions));
}

bool shares_compilation(const Plan& plan, const Experience& experience, const work::Compiler& compiler, bool is_dear) {
  if (!experience.file_makers.contains(compiler.name)) return false;
  const work::Compilation mode = plan.study.protocol.compile;
  return mode == work::Compilation::once || (mode == work::Compilation::automatic && is_dear);
}

// Adds the processes that the time rests on to `used`.
CellTime cell_time(const Plan& plan, const Experience& experience, const work::Cell& cell, const std::string& device,
                   std::set<const MeasuredProcess*>& used) {
  const ProcessTime usual = from_table(plan, cell);
  const auto found =
      experience.durations.is_empty() ? std::nullopt : experience.durations.find(likeness_of(plan, cell, device));
  if (found) used.insert(found->processes.begin(), found->processes.end());
  ProcessTime time = found ? found->time : usual;
  // What was tuned stays tuned, and only the work that was measured was.
  if (found && found->basis != Basis::same) time.tuning_s = usual.tuning_s;
  if (found && found->basis == Basis::same) time.tuning_s = 0;
  if (plan.study.protocol.warm_up) time.warming_s = usual_warming_s(plan, time.inference_s);
  const double compile_s = time.compile_s.value_or(usual.compile_s.value_or(0));
  const double usual_load_s = usual.compile_s.value_or(0) > 0 ? *usual.load_s / *usual.compile_s * compile_s : 0;
  const double load_s = time.load_s.value_or(std::min(usual_load_s, compile_s));
  const double measure_s = time.warming_s + timed_s(plan, time.inference_s);
  const double rest_s = time.start_s + measure_s;
  const bool is_dear = compile_s + time.tuning_s > measure_s;
  const bool shares = shares_compilation(plan, experience, plan.compiler_of(cell), is_dear);
  return {.first_s = rest_s + compile_s + time.tuning_s,
          .other_s = rest_s + (shares ? load_s : compile_s),
          .basis = found ? found->basis : Basis::table};
}

}  // namespace

Estimate estimate(const Plan& plan, const Experience& experience) {
  struct Device {
    std::string name{};  // in durations
    double busy_s = 0;
    int groups = 0;
  };
  std::map<std::string, Device> devices;  // by the plan's name
  const auto device_called = [&](const std::string& device) -> Device& {
    const auto [place, is_new] = devices.try_emplace(device);
    if (is_new) place->second.name = name_in_durations(plan, device, experience.here);
    return place->second;
  };
  Estimate whole;
  whole.cells.reserve(plan.cells.size());
  std::set<const MeasuredProcess*> used;
  for (const work::Cell& cell : plan.cells) {
    Device& device = device_called(cell.device);
    const CellTime time = cell_time(plan, experience, cell, device.name, used);
    device.busy_s += time.first_s + (work::expected_processes(plan.study.protocol) - 1) * time.other_s;
    ++whole.cells_by_basis[static_cast<std::size_t>(time.basis)];
    whole.cells.push_back(time);
  }
  whole.measured_processes = used.size();
  for (const work::Group& group : plan.groups) ++device_called(group.device).groups;
  for (const auto& [name, device] : devices) {
    const auto between_s = experience.durations.between_s(device.name, experience.study, device.groups);
    whole.seconds = std::max(whole.seconds, device.busy_s + between_s.value_or(kStudy_s + kModel_s * device.groups));
  }
  return whole;
}

}  // namespace ngb::plan
