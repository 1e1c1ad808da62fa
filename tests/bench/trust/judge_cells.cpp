// SPDX-License-Identifier: Apache-2.0
// judge_cells [--pairs N] [--folder PATH] [--check]: makes up results of N pairs of cells (10,000) with 5 × 20
// repetitions on each side, and measures how long it takes to load and judge them and to write the report, and how much
// memory that needs. With --check it fails above 10 s or 512 MB for 10,000 pairs (in proportion, beside 64 MB).
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>

#include "../measured.h"
#include "report/compare/compare.h"
#include "report/write/json.h"
#include "store/store.h"

namespace {

using namespace ngb;

constexpr int kProcesses = 5;
constexpr int kRepetitions = 20;

struct Arguments {
  int pairs = 10'000;
  std::filesystem::path folder = std::filesystem::temp_directory_path() / "ngb_judge_cells";
  bool is_check = false;
};

// Two versions of one compiler on as many models as there are pairs.
plan::Plan make_plan(int pairs) {
  plan::Plan plan;
  plan.study.name = "bench";
  for (const char* version : {"1.0", "2.0"}) {
    plan.compilers.push_back({.name = "fast", .version = version, .label = fmt::format("fast {}", version)});
  }
  for (int model = 0; model < pairs; ++model) {
    plan.models.push_back({{.key = {fmt::format("{:064x}", model), 1}, .label = fmt::format("model {}", model)}});
    for (const int compiler : {0, 1}) {
      plan.cells.push_back({.id = fmt::format("{:016x}", plan.cells.size()),
                            .device = "local",
                            .compiler_index = compiler,
                            .model_index = model});
    }
  }
  return plan;
}

// Times spread by 1 % between processes and by 2 % within one.
samples::ProcessResult make_process(const std::string& cell_id, int index, std::mt19937_64& generator) {
  samples::ProcessResult made;
  made.cell_id = cell_id;
  made.process_index = index;
  made.environment_hash = std::string(64, 'e');
  made.wall_ns = 2'000'000'000;
  made.made_with = {.manifest_sha256 = std::string(64, 'a'), .worker_sha256 = std::string(64, 'b')};
  for (const auto phase : {samples::Phase::start, samples::Phase::open, samples::Phase::compile, samples::Phase::check,
                           samples::Phase::warm_up, samples::Phase::timed}) {
    made.phases.push_back(
        {phase, 300'000'000, Known<std::int64_t>::of(290'000'000), Known<std::uint64_t>::of(90'000'000)});
  }
  const std::int64_t level_ns = 10'000'000 + static_cast<std::int64_t>(generator() % 350'000);
  for (int i = 0; i < kRepetitions; ++i) {
    made.repetitions.push_back({level_ns + static_cast<std::int64_t>(generator() % 700'000), 1, false});
  }
  made.stop_reason = "repetitions";
  made.check = samples::Check{"identity 2.15.0", 1000, Known<double>::of(1e-6), Known<double>::of(1e-5)};
  made.threads_used = Known<int>::of(1);
  made.facts = {{"library", "libcompiler.so.1"}, {"device", "cpu"}};
  for (const char* when : {"start", "end"}) {
    made.readings.push_back({"frequency", "hz", when, Known<double>::of(3e9)});
    made.readings.push_back({"temperature", "celsius", when, Known<double>::unknown("no sensor")});
  }
  made.readings.push_back({"pressure_cpu_some", "percent", "timed", Known<double>::of(0.1)});
  made.log_path = "logs/" + cell_id;
  return made;
}

void make_results(const Arguments& arguments) {
  std::filesystem::remove_all(arguments.folder);
  const plan::Plan plan = make_plan(arguments.pairs);
  auto store = value_of(store::Store::open(arguments.folder / "results.db", store::Mode::read_write));
  const std::string run = value_of(store.begin_run(plan, 1));
  std::mt19937_64 generator(1);
  samples::Event event;
  for (const work::Cell& cell : plan.cells) {
    for (int index = 0; index < kProcesses; ++index) {
      ++event.sequence;
      event.body.emplace<samples::ProcessResult>(make_process(cell.id, index, generator));
      value_of(store.record(run, "local", event));
      if (event.sequence % 10'000 == 0) value_of(store.flush());
    }
  }
  value_of(store.flush());
}

// What `ngb gate` does with one folder.
void judge_results(const Arguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const auto cells = value_of(value_of(store::Store::open(arguments.folder / "results.db", store::Mode::read_only))
                                  .load_cells(store::Detail::speeds));
  fmt::print("{:<28} {:8.2f} s\n", "loaded after", seconds());
  metrics::Side baseline{.origin = &cells};
  metrics::Side candidate{.origin = &cells};
  for (const store::CellData& cell : cells) {
    (cell.of.compiler.version == "1.0" ? baseline : candidate).cells.push_back(&cell);
  }
  const metrics::Comparison comparison = value_of(
      metrics::compare(baseline, candidate, metrics::Axis::version, {.adjustment = statistics::Adjustment::holm}));
  fmt::print("{:<28} {:8.2f} s\n", "judged after", seconds());
  const report::Compared compared{&comparison, metrics::Axis::version, metrics::noise_floors(comparison),
                                  metrics::gate(comparison, {})};
  std::size_t characters = 0;
  report::print_json(report::compare_document(compared, false),
                     [&characters](std::string_view piece) { characters += piece.size(); });
  fmt::print("{:<28} {:8.2f} s, {} characters of JSON: {}\n", "written after", seconds(), characters,
             report::compare_summary(comparison));
}

bool measure(const Arguments& arguments) {
  use_of("making results", [&] { make_results(arguments); });
  const auto start = std::chrono::steady_clock::now();
  const rusage use = use_of("judging", [&] { judge_results(arguments); });
  const double wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double megabytes = peak_megabytes(use);
  const double share = arguments.pairs / 10'000.0;
  const bool is_met = cpu_s(use) <= 10 * share && megabytes <= 64 + (512 - 64) * share;
  fmt::print("{} pairs judged: {:.2f} s, {:.2f} s CPU, {:.0f} MB: {}\n", arguments.pairs, wall_s, cpu_s(use), megabytes,
             is_met ? "met" : "missed");
  std::filesystem::remove_all(arguments.folder);
  return is_met;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--check") {
      arguments.is_check = true;
    } else if (argument == "--pairs" && i + 1 < argc) {
      arguments.pairs = std::max(100, std::atoi(argv[++i]));
    } else if (argument == "--folder" && i + 1 < argc) {
      arguments.folder = std::filesystem::path(argv[++i]) / "ngb_judge_cells";
    } else {
      fmt::print(stderr, "usage: judge_cells [--pairs N] [--folder PATH] [--check]\n");
      return 2;
    }
  }
  return measure(arguments) || !arguments.is_check ? 0 : 1;
}
