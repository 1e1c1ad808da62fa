// SPDX-License-Identifier: Apache-2.0
// Provides plans and results made by hand, and a folder that is removed at the end of its test.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "store/store.h"
#include "temporary_folder.h"

namespace ngb::made_up {

class Folder : public TemporaryFolder {
 public:
  [[nodiscard]] std::filesystem::path results() const { return path() / "results.db"; }
};

// Returns a cell of plan(), where compiler 0 is identity and compiler 1 is onnxruntime.
inline work::Cell cell(const std::string& id, int compiler_index, int model_index) {
  return {.id = id, .device = "local", .compiler_index = compiler_index, .model_index = model_index};
}

inline work::Model model(int batch) {
  work::Model made;
  made.key = {"feedface", batch};
  made.label = "resnet18";
  made.family = "resnet";
  made.source = work::Recipe{R"({"family":"resnet","parameters":{"classes":1000},"revision":3,"seed":1})"};
  made.inputs = {{"input", DataType::f32, {batch, 3, 224, 224}}};
  made.parameters = 11689512;
  return made;
}

// Returns a plan of one model. The cells are aa (identity, batch 1), bb (onnxruntime, 1), cc (identity, 4) and
// dd (onnxruntime, 4).
inline plan::Plan plan() {
  plan::Plan made;
  made.study.name = "made up";
  made.study.protocol.processes = 2;
  made.study.protocol.repetitions = 3;
  made.compilers = {{.name = "identity", .version = "2.15.0", .threads = 2, .label = "identity"},
                    {.name = "onnxruntime",
                     .version = "1.31.1",
                     .options = {{"level", "\"all\""}, {"streams", "1"}},
                     .threads = 2,
                     .label = "onnxruntime"}};
  made.models = {model(1), model(4)};
  made.cells = {cell("aa", 0, 0), cell("bb", 1, 0), cell("cc", 0, 1), cell("dd", 1, 1)};
  made.groups = {{"local", 0, {{0, 0}, {1, 0}, {1, 1}, {0, 1}}}, {"local", 1, {{2, 0}, {3, 0}, {3, 1}, {2, 1}}}};
  return made;
}

// Returns a completed process: a warm-up repetition of 9 ms, then repetitions of 1, 2 and 3 ms, each of two inferences.
inline samples::ProcessResult process(const std::string& cell_id, int index) {
  samples::ProcessResult made;
  made.cell_id = cell_id;
  made.process_index = index;
  made.environment_hash = "unseen";
  made.started_unix_ns = 1'800'000'000'000'000'000 + index;
  made.wall_ns = 5'000'000'000;
  made.phases = {{samples::Phase::start, 100, Known<std::int64_t>::of(90), Known<std::uint64_t>::of(1000)},
                 {samples::Phase::timed, 6'000'000, Known<std::int64_t>::unknown("no /proc"),
                  Known<std::uint64_t>::unknown("no clear_refs")}};
  made.phases[1].started_ns = 9'100'000;
  made.repetitions = {
      {9'000'000, 2, true, 100'000}, {1'000'000, 2, false, 9'100'000}, {2'000'000, 2, false}, {3'000'000, 2, false}};
  made.stop_reason = "repetitions";
  made.check = samples::Check{"identity 2.15.0", 1000, Known<double>::of(1e-6), Known<double>::unknown("all are 0")};
  made.threads = 2;
  made.threads_used = Known<int>::of(2);
  made.facts = {{"library", "libonnxruntime.so.1.31.1"}};
  made.readings = {{"steal", "percent", "timed", Known<double>::of(0.5)},
                   {"temperature", "celsius", "start", Known<double>::unknown("no sensor")},
                   {"run_queue_wait", "percent", "during", Known<double>::of(0.25), 10'000'000}};
  made.log_path = "logs/" + cell_id;
  return made;
}

inline samples::ProcessResult crash(const std::string& cell_id, int index, int attempt) {
  samples::ProcessResult made;
  made.cell_id = cell_id;
  made.process_index = index;
  made.attempt = attempt;
  made.threads_used = Known<int>::unknown("it failed before");
  made.failure = samples::Failure{samples::FailureKind::crash,
                                  samples::Phase::compile,
                                  "signal 11 in libfoo",
                                  "report it to its makers",
                                  11,
                                  std::nullopt};
  return made;
}

inline samples::ProcessResult disturbed(const std::string& cell_id, int index, int attempt) {
  samples::ProcessResult made = process(cell_id, index);
  made.attempt = attempt;
  made.neighbours = {{"python3", 812, 2'400'000'000}, {"ninja", 3, 0}};
  made.failure = samples::Failure{samples::FailureKind::disturbed, samples::Phase::timed, "it waited", "wait", {}, {}};
  return made;
}

// Returns the events that end a share, numbered from `sequence`: the last attempt of each cell fails, then `finished`.
inline std::vector<samples::Event> ending(std::uint64_t sequence, const std::vector<std::string>& open_cells) {
  std::vector<samples::Event> events;
  for (const std::string& cell : open_cells) events.push_back({sequence++, crash(cell, 0, 2)});
  events.push_back({sequence, samples::Finished{}});
  return events;
}

inline samples::Environment environment() {
  return {{{"affinity", "", Known<std::string>::of("0-1"), true},
           {"boot_id", "", Known<std::string>::of("1234"), false},
           {"cpu_governor", "", Known<std::string>::unknown("no cpufreq"), true},
           {"cpu_threads", "1", Known<std::string>::of("8"), true}}};
}

}  // namespace ngb::made_up
