// SPDX-License-Identifier: Apache-2.0
// scale_bench NGB [--cells N] [--processes N] [--repetitions N]
//             [--only report|show|csv|json|markdown|compare|gate]… [--folder PATH] [--keep] [--most-mb N]
// Makes up results of a large study (three devices; 3,582 cells of 5 × 20 repetitions) and measures how long the
// program NGB takes to write their report, to show them and (only if asked for) to write them in the other formats and
// to compare two of their compilers, and how much memory it needs. --keep leaves the results in the folder, and uses
// those that are there. With --most-mb it fails if a command needs more memory.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../measured.h"
#include "store/store.h"

namespace {

using namespace ngb;

constexpr int kDevices = 3;
constexpr int kCompilers = 6;
constexpr int kBatches = 6;  // 1 to 32
constexpr int kModelsOfAGroup = 3;
constexpr double kMegabyte = 1e6;

struct Arguments {
  std::string ngb{};
  int cells = 3582;
  int processes = 5;
  int repetitions = 20;
  std::set<std::string> only{};  // none: report and show
  std::filesystem::path folder = std::filesystem::temp_directory_path() / "ngb_scale_bench";
  bool keeps = false;
  double most_megabytes = 0;  // 0: no limit
};

void add_models(plan::Plan& plan, int models) {
  for (int model = 0; model < models; ++model) {
    const int group = model / kModelsOfAGroup;
    for (int batch = 1; batch <= 1 << (kBatches - 1); batch *= 2) {
      plan.models.push_back({{.key = {fmt::format("{:064x}", model), batch},
                              .label = fmt::format("model {}", model),
                              .group = fmt::format("group {}", group),
                              .style = group % 2 == 0 ? "convolutional" : "transformer",
                              .size = 1 + model % kModelsOfAGroup}});
    }
  }
}

// Models × 6 batch sizes × 6 compilers on each device, the identity one of the compilers.
plan::Plan make_plan(const Arguments& arguments) {
  plan::Plan plan;
  plan.study.name = "scale";
  plan.study.protocol.processes = arguments.processes;
  plan.study.protocol.repetitions = arguments.repetitions;
  for (int compiler = 0; compiler < kCompilers; ++compiler) {
    const std::string name = compiler == 0 ? "identity" : fmt::format("compiler {}", compiler);
    plan.compilers.push_back({.name = name, .version = "1.0", .label = name});
  }
  constexpr int kOfAModel = kBatches * kCompilers;
  const int cells = std::max(1, arguments.cells / kDevices);  // of a device
  add_models(plan, (cells + kOfAModel - 1) / kOfAModel);
  for (int device = 0; device < kDevices; ++device) {
    for (int cell = 0; cell < cells; ++cell) {
      plan.cells.push_back({.id = fmt::format("{:016x}", plan.cells.size()),
                            .device = fmt::format("device{}", device),
                            .compiler_index = cell % kCompilers,
                            .model_index = cell / kCompilers});
    }
  }
  return plan;
}

// Repetitions vary by 2 %, processes by 1 %; compilers differ by 10 %.
samples::ProcessResult make_process(const plan::Plan& plan, const work::Cell& cell, int index, int repetitions,
                                    std::mt19937_64& generator) {
  samples::ProcessResult made;
  made.cell_id = cell.id;
  made.process_index = index;
  made.environment_hash = std::string(64, 'e');
  made.wall_ns = 2'000'000'000;
  made.made_with = {.manifest_sha256 = std::string(64, 'a'), .worker_sha256 = std::string(64, 'b')};
  for (const auto phase : {samples::Phase::start, samples::Phase::open, samples::Phase::compile, samples::Phase::check,
                           samples::Phase::warm_up, samples::Phase::timed}) {
    made.phases.push_back(
        {phase, 300'000'000, Known<std::int64_t>::of(290'000'000), Known<std::uint64_t>::of(90'000'000)});
  }
  const double batch = plan.model_of(cell).key.batch;
  const double usual_ns = 10e6 * std::pow(batch, 0.9) / (1 + 0.1 * cell.compiler_index);
  std::normal_distribution<double> noise;
  const double level_ns = usual_ns * (1 + 0.01 * noise(generator));
  for (int i = 0; i < repetitions; ++i) {
    const double wall_ns = level_ns * (1 + 0.02 * noise(generator));
    made.repetitions.push_back({std::max<std::int64_t>(1, std::llround(wall_ns)), 1, false});
  }
  made.stop_reason = "repetitions";
  made.check = samples::Check{"identity 2.15.0", 1000, Known<double>::of(1e-6), Known<double>::of(1e-5)};
  made.threads = 1;
  made.threads_used = Known<int>::of(1);
  made.facts = {{"library", "libcompiler.so.1"}, {"device", "cpu"}};
  for (const char* when : {"start", "end"}) {
    made.readings.push_back({"frequency", "hz", when, Known<double>::of(3e9)});
    made.readings.push_back({"temperature", "celsius", when, Known<double>::unknown("no sensor")});
  }
  made.readings.push_back({"steal", "percent", "timed", Known<double>::of(0)});
  made.readings.push_back({"pressure_cpu_some", "percent", "timed", Known<double>::of(0.1)});
  made.log_path = "logs/" + cell.id;
  return made;
}

void make_results(const Arguments& arguments) {
  const plan::Plan plan = make_plan(arguments);
  auto store = value_of(store::Store::open(arguments.folder / "results.db", store::Mode::read_write));
  const std::string run = value_of(store.begin_run(plan, 1));
  std::mt19937_64 generator(1);
  std::map<std::string, std::uint64_t> sequence;  // of each device
  samples::Event event;
  std::int64_t rows = 0;  // since the last flush
  for (const work::Cell& cell : plan.cells) {
    for (int index = 0; index < arguments.processes; ++index) {
      event.sequence = ++sequence[cell.device];
      event.body.emplace<samples::ProcessResult>(make_process(plan, cell, index, arguments.repetitions, generator));
      value_of(store.record(run, cell.device, event));
      constexpr std::int64_t kFlushAfter = 500'000;
      constexpr int kRowsBesideRepetitions = 20;
      rows += arguments.repetitions + kRowsBesideRepetitions;
      if (rows < kFlushAfter) continue;
      value_of(store.flush());
      rows = 0;
    }
  }
  value_of(store.flush());
}

// Becomes the program, with its output in a file.
[[noreturn]] void become(const std::vector<std::string>& command, const std::filesystem::path& output) {
  const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0 || ::dup2(file, STDOUT_FILENO) < 0) std::_Exit(127);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execv(words.front(), words.data());
  std::_Exit(127);
}

// Prints a line. Returns whether the command needed no more memory than it may.
bool measure(const Arguments& arguments, const std::string& name, const std::vector<std::string>& words) {
  std::vector<std::string> command{arguments.ngb};
  command.insert(command.end(), words.begin(), words.end());
  const auto start = std::chrono::steady_clock::now();
  const std::filesystem::path output = arguments.folder / "output.txt";
  const rusage use = use_of(fmt::format("scale_bench: {}; its output is in {}", command.front(), output.string()),
                            [&] { become(command, output); });
  const double wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double megabytes = peak_megabytes(use);
  const bool is_met = arguments.most_megabytes <= 0 || megabytes <= arguments.most_megabytes;
  fmt::print("{:<26} {:8.2f} s {:8.2f} s CPU {:8.0f} MB{}\n", name, wall_s, cpu_s(use), megabytes,
             is_met ? "" : ": missed");
  std::fflush(stdout);
  return is_met;
}

bool measure_all(const Arguments& arguments) {
  const std::filesystem::path results = arguments.folder / "results.db";
  if (!arguments.keeps || !std::filesystem::exists(results)) {
    std::filesystem::remove_all(arguments.folder);
    make_results(arguments);
  }
  fmt::print("{} cells, {} samples, {:.0f} MB\n", arguments.cells,
             std::int64_t{arguments.cells} * arguments.processes * arguments.repetitions,
             static_cast<double>(std::filesystem::file_size(results)) / kMegabyte);
  const std::string folder = arguments.folder.string();
  bool is_met = true;
  const std::vector<std::string> sides{"--baseline", "identity", "--candidate", "compiler 1"};
  const auto of_sides = [&](const char* command) {
    std::vector<std::string> words{command, folder};
    words.insert(words.end(), sides.begin(), sides.end());
    return words;
  };
  const std::vector<std::pair<std::string, std::vector<std::string>>> commands{
      {"report", {"report", folder}},
      {"show", {"show", folder}},
      {"csv", {"show", folder, "--format", "csv"}},
      {"json", {"show", folder, "--json"}},
      {"markdown", {"show", folder, "--format", "markdown"}},
      {"compare", of_sides("compare")},
      {"gate", of_sides("gate")}};
  const std::set<std::string> wanted =
      arguments.only.empty() ? std::set<std::string>{"report", "show"} : arguments.only;
  for (const auto& [name, words] : commands) {
    if (!wanted.contains(name)) continue;
    is_met = measure(arguments, name, words) && is_met;
  }
  if (!arguments.keeps) std::filesystem::remove_all(arguments.folder);
  return is_met;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const bool has_value = i + 1 < argc;
    if (argument == "--keep") {
      arguments.keeps = true;
    } else if (argument == "--cells" && has_value) {
      arguments.cells = std::max(kDevices, std::atoi(argv[++i]) / kDevices * kDevices);
    } else if (argument == "--processes" && has_value) {
      arguments.processes = std::max(1, std::atoi(argv[++i]));
    } else if (argument == "--repetitions" && has_value) {
      arguments.repetitions = std::max(1, std::atoi(argv[++i]));
    } else if (argument == "--only" && has_value) {
      arguments.only.insert(argv[++i]);
    } else if (argument == "--folder" && has_value) {
      arguments.folder = std::filesystem::path(argv[++i]) / "ngb_scale_bench";
    } else if (argument == "--most-mb" && has_value) {
      arguments.most_megabytes = std::atof(argv[++i]);
    } else if (!argument.starts_with("--") && arguments.ngb.empty()) {
      arguments.ngb = argument;
    } else {
      arguments.ngb.clear();
      break;
    }
  }
  if (arguments.ngb.empty()) {
    fmt::print(stderr,
               "usage: scale_bench NGB [--cells N] [--processes N] [--repetitions N] "
               "[--only report|show|csv|json|markdown|compare|gate]… [--folder PATH] [--keep] [--most-mb N]\n");
    return 2;
  }
  return measure_all(arguments) ? 0 : 1;
}
