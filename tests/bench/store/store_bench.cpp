// SPDX-License-Identifier: Apache-2.0
// A study of 10,000 cells with 100 repetitions each, made up: how fast it is recorded, and how soon it is shown.
//   store_bench [--cells N] [--folder PATH] [--check]
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <random>
#include <string>
#include <thread>

#include "../measured.h"
#include "metrics/derive.h"
#include "report/show/show.h"
#include "store/store.h"

namespace {

using namespace ngb;

constexpr int kProcesses = 5;
constexpr int kRepetitions = 20;
constexpr int kCompilers = 5;
constexpr int kBatches = 4;

struct Options {
  int cells = 10'000;
  std::filesystem::path folder = std::filesystem::temp_directory_path() / "ngb_store_bench";
  bool is_check = false;
};

// On a machine that others use too, the processor time tells more than the wall time.
struct Cost {
  double wall_s = 0;
  double cpu_s = 0;  // of all threads
};

template <class Work>
Cost cost_of(const Work& work) {
  const std::clock_t cpu = std::clock();
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  return {wall.count(), static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC};
}

// Models × 4 batch sizes × 5 compilers, the identity one of them.
plan::Plan make_plan(int cells) {
  plan::Plan plan;
  plan.study.name = "bench";
  for (int compiler = 0; compiler < kCompilers; ++compiler) {
    const std::string name = compiler == 0 ? "identity" : fmt::format("compiler {}", compiler);
    plan.compilers.push_back({.name = name, .version = "1.0", .label = name});
  }
  const int models = std::max(1, cells / (kBatches * kCompilers));
  for (int model = 0; model < models; ++model) {
    for (int batch = 1; batch <= 1 << (kBatches - 1); batch *= 2) {
      plan.models.push_back({{.key = {fmt::format("{:064x}", model), batch}, .label = fmt::format("model {}", model)}});
      for (int compiler = 0; compiler < kCompilers; ++compiler) {
        plan.cells.push_back({.id = fmt::format("{:016x}", plan.cells.size()),
                              .device = "local",
                              .compiler_index = compiler,
                              .model_index = static_cast<int>(plan.models.size()) - 1});
      }
    }
  }
  return plan;
}

samples::ProcessResult make_process(const std::string& cell_id, int index, std::mt19937_64& generator) {
  samples::ProcessResult made;
  made.cell_id = cell_id;
  made.process_index = index;
  made.environment_hash = std::string(64, 'e');
  made.wall_ns = 2'000'000'000;
  for (const auto phase : {samples::Phase::start, samples::Phase::open, samples::Phase::compile, samples::Phase::check,
                           samples::Phase::warm_up, samples::Phase::timed}) {
    made.phases.push_back(
        {phase, 300'000'000, Known<std::int64_t>::of(290'000'000), Known<std::uint64_t>::of(90'000'000)});
  }
  for (int i = 0; i < kRepetitions; ++i) {
    made.repetitions.push_back({10'000'000 + static_cast<std::int64_t>(generator() % 400'000), 1, false});
  }
  made.stop_reason = "repetitions";
  made.check = samples::Check{"identity 2.15.0", 1000, Known<double>::of(1e-6), Known<double>::of(1e-5)};
  made.threads_used = Known<int>::of(1);
  made.facts = {{"library", "libcompiler.so.1"}, {"providers", "CPU"}};
  for (const char* when : {"start", "end"}) {
    made.readings.push_back({"load_1min", "1", when, Known<double>::of(0.3)});
    made.readings.push_back({"frequency", "hz", when, Known<double>::of(3e9)});
    made.readings.push_back({"temperature", "celsius", when, Known<double>::unknown("no sensor")});
  }
  made.readings.push_back({"steal", "percent", "timed", Known<double>::of(0)});
  made.readings.push_back({"pressure_cpu_some", "percent", "timed", Known<double>::of(0.1)});
  made.log_path = "logs/" + cell_id;
  return made;
}

// `batch` processes are recorded between two flushes.
Cost ingest(const std::filesystem::path& file, const plan::Plan& plan, int batch) {
  auto store = value_of(store::Store::open(file, store::Mode::read_write));
  const std::string run = value_of(store.begin_run(plan, 1));
  std::mt19937_64 generator(1);
  std::vector<samples::Event> events;
  for (const work::Cell& cell : plan.cells) {
    for (int index = 0; index < kProcesses; ++index) {
      samples::Event& event = events.emplace_back();
      event.sequence = events.size();
      event.body.emplace<samples::ProcessResult>(make_process(cell.id, index, generator));
    }
  }
  return cost_of([&] {
    for (const samples::Event& event : events) {
      value_of(store.record(run, "local", event));
      if (event.sequence % static_cast<std::uint64_t>(batch) == 0) value_of(store.flush());
    }
    value_of(store.flush());
  });
}

// Prints a line; true: within the limit (0: there is none).
bool print(const std::string& name, const Cost& cost, double limit_s) {
  const bool is_met = limit_s <= 0 || cost.wall_s <= limit_s;
  const std::string limit = limit_s > 0 ? fmt::format("at most {:.2f} s: {}", limit_s, is_met ? "met" : "missed") : "";
  fmt::print("{:<44} {:8.2f} s {:8.2f} s CPU  {}\n", name, cost.wall_s, cost.cpu_s, limit);
  return is_met;
}

bool measure(const Options& options) {
  const std::filesystem::path file = options.folder / "results.db";
  const plan::Plan plan = make_plan(options.cells);
  const double samples = static_cast<double>(plan.cells.size()) * kProcesses * kRepetitions;
  const double ingest_limit_s = samples / 200'000;
  bool is_met = true;
  for (const int batch : {100, 10'000}) {
    std::filesystem::remove_all(options.folder);
    const Cost cost = ingest(file, plan, batch);
    is_met &= print(fmt::format("record {:.0f} samples, a flush every {}", samples, batch * kRepetitions), cost,
                    ingest_limit_s);
    fmt::print("{:<44} {:8.0f}/s {:8.0f}/s CPU\n", "", samples / cost.wall_s, samples / cost.cpu_s);
  }
  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  print("load everything",
        cost_of([&] { value_of(value_of(store::Store::open(file, store::Mode::read_only)).load_cells()); }), 0);
  const auto show = [&] {
    const auto derived = value_of(metrics::derive({{file, {}}}, threads));
    fmt::print("{:<44} {:8} characters\n", "",
               report::show_text(report::all_results(derived.cells, derived.values), {}).size());
  };
  is_met &= print(fmt::format("show {} cells", plan.cells.size()), cost_of(show), 1);
  fmt::print("{:<44} {:8.1f} bytes/sample\n", "file", static_cast<double>(std::filesystem::file_size(file)) / samples);
  std::filesystem::remove_all(options.folder);
  return is_met;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--check") {
      options.is_check = true;
    } else if (argument == "--cells" && i + 1 < argc) {
      options.cells = std::max(20, std::atoi(argv[++i]));
    } else if (argument == "--folder" && i + 1 < argc) {
      options.folder = std::filesystem::path(argv[++i]) / "ngb_store_bench";
    } else {
      fmt::print(stderr, "store_bench [--cells N] [--folder PATH] [--check]\n");
      return 2;
    }
  }
  return measure(options) || !options.is_check ? 0 : 1;
}
