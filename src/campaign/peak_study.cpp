// SPDX-License-Identifier: Apache-2.0
#include "campaign/peak_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/clock.h"
#include "base/file.h"
#include "campaign/measured_cells.h"
#include "campaign/study_compilers.h"
#include "campaign/study_file.h"
#include "config/turns.h"
#include "metrics/outcome.h"
#include "metrics/ratios.h"
#include "peak.py.h"
#include "store/store.h"
#include "toolchain/catalog.h"
#include "toolchain/toolchain.h"

namespace ngb::campaign {
namespace {

using metrics::Peak;
using metrics::Value;
using nlohmann::json;
using store::CellData;

constexpr const char* kMultiplier = "identity";
constexpr const char* kModules = "peak.py";
// The length of an array of f32. It has 256 MiB, and 1 GiB on a GPU: to start and await the work takes a tenth of the
// time that a GPU needs for 256 MiB.
constexpr std::int64_t kElements = std::int64_t{64} << 20U;
constexpr std::int64_t kElementsOnGpu = 4 * kElements;
constexpr const char* kCopy = "copy";
constexpr const char* kTriad = "triad";
constexpr std::int64_t kElementBytes = sizeof(float);
constexpr const char* kRead = "read";
constexpr std::int64_t kReadBytes = std::int64_t{1} << 30U;  // of an inference, whatever the array's size
constexpr std::array<std::int64_t, 4> kReadArrays{kReadBytes / 64, kReadBytes / 16, kReadBytes / 4, kReadBytes};
constexpr int kManyThreads = 16;  // from which on larger products may be faster

struct Square {
  std::string label{};  // "mm 2048"
  const char* function = "";
  int extent = 0;
};

// torch.mm is MKL's, cuBLAS's, or that of Arm's library. MKL's is slow on a processor that is not Intel's, and oneDNN's
// is not: on an AMD EPYC of 2025, 55 and 122 · 10⁹ multiply-adds a second.
std::vector<Square> products(const PeakOrder& order) {
  std::vector<int> extents{512, 1024, 2048};
  if (order.threads >= kManyThreads || order.is_on_gpu) extents = {2048, 4096, 8192};
  std::vector<const char*> functions{"mm"};
  if (!order.is_on_gpu) functions.push_back("onednn");
  std::vector<Square> all;
  for (const char* const function : functions) {
    for (const int extent : extents) all.push_back({fmt::format("{} {}", function, extent), function, extent});
  }
  return all;
}

std::int64_t elements(const PeakOrder& order) { return order.is_on_gpu ? kElementsOnGpu : kElements; }

// Returns the newest installed version, or "", the pinned one, if that is installed or none is. On a device elsewhere,
// what is installed here says nothing.
std::string installed_version(const Installation& installation, const PeakOrder& order) {
  const auto catalog = toolchain::read_catalog(installation.parts.lib);
  const auto installed = toolchain::list(installation.toolchains);
  if (!order.device.empty() || !catalog || !installed) return {};
  const auto pinned =
      std::find_if(catalog->begin(), catalog->end(), [](const auto& each) { return each.name == kMultiplier; });
  std::string newest;
  for (const toolchain::Toolchain& each : *installed) {
    if (each.compiler != kMultiplier) continue;
    if (pinned != catalog->end() && each.version == pinned->default_version) return {};
    newest = each.version;  // they are sorted
  }
  return newest;
}

// One of two studies: a trial of all products, in one process each, and then the fastest of them, the copy and the
// triad. The rate of the product is that of the second study, because the best of several noisy values would be too
// high.
struct Stage {
  std::vector<Square> products{};
  bool is_trial = false;
};

std::string label_of_read(std::int64_t array_bytes) { return fmt::format("{} {} MiB", kRead, array_bytes >> 20U); }

json study_of_peak(const PeakOrder& order, const Stage& stage, const std::string& version) {
  const std::string file = (order.folder / kModules).string();
  const auto model = [&](const std::string& label, const char* function, json parameters) {
    return json{{"pytorch", fmt::format("{}:{}", file, function)},
                {"label", label},
                {"parameters", std::move(parameters)},
                {"shapes", {{"x", json::array({"batch"})}}}};
  };
  json models = json::array();
  for (const Square& each : stage.products) {
    models.push_back(model(each.label, each.function, {{"extent", each.extent}}));
  }
  if (!stage.is_trial) {
    for (const char* const each : {kCopy, kTriad}) models.push_back(model(each, each, {{"elements", elements(order)}}));
    for (const std::int64_t bytes : kReadArrays) {
      models.push_back(
          model(label_of_read(bytes), kRead, {{"elements", bytes / kElementBytes}, {"times", kReadBytes / bytes}}));
    }
  }
  json settings = json::object();
  if (!version.empty()) settings["version"] = version;
  if (order.is_on_gpu) settings["options"] = {{"device", "cuda"}};
  json study{{"name", fmt::format("peak-{}-threads", order.threads)},
             {"models", std::move(models)},
             {"compilers", json::array({{{kMultiplier, std::move(settings)}}})},
             {"threads", order.threads},
             {"turns", config::kUsualTurns},
             {"reference", "none"},
             {"processes", stage.is_trial ? 1 : order.rounds},
             {"repetitions", "auto"},
             {"longer_look_s", 0},
             {"output", (order.folder / fmt::format("{}-threads{}{}", order.threads, order.is_on_gpu ? "-gpu" : "",
                                                    stage.is_trial ? "-trial" : ""))
                            .string()}};
  if (!order.device.empty()) study["devices"] = json::array({order.device});
  return study;
}

// Returns rate · amount of an inference, or why there is none.
Value rate_of(const CellData& cell, double amount) {
  const metrics::Steady steady = metrics::steady(cell);
  if (!steady.reason.empty()) {
    const samples::ProcessResult* const failed = metrics::decisive_failure(cell);
    return {.reason = failed == nullptr ? steady.reason : failed->failure->message};
  }
  return metrics::scaled(metrics::geometric_mean(steady.throughput_by_process, metrics::interval_error_rate(cell)),
                         amount);
}

const CellData* cell_called(const std::vector<CellData>& cells, const std::string& label) {
  const auto found =
      std::find_if(cells.begin(), cells.end(), [&](const CellData& each) { return each.of.model.label == label; });
  return found == cells.end() ? nullptr : &*found;
}

tl::unexpected<Error> could_not(const char* what, const Value& rate, const std::filesystem::path& folder) {
  return fail(fmt::format("the {} could not be measured: {}", what, rate.reason), folder.string(),
              "ngb show FOLDER has the reasons; run it again when they are gone");
}

Value rate_of_product(const std::vector<CellData>& cells, const Square& product) {
  const CellData* const cell = cell_called(cells, product.label);
  const double extent = product.extent;
  return cell == nullptr ? Value{.reason = "it was not measured"} : rate_of(*cell, extent * extent * extent);
}

// Returns the one that had the highest rate in a trial, or why there is none.
Result<Square> fastest(const std::vector<Square>& products, const std::vector<CellData>& trial,
                       const std::filesystem::path& folder) {
  const Square* best = nullptr;
  Value best_rate;
  for (const Square& each : products) {
    Value rate = rate_of_product(trial, each);
    const bool is_better = rate.value && (!best_rate.value || *rate.value > *best_rate.value);
    if (is_better) best = &each;
    if (is_better || !best_rate.value) best_rate = std::move(rate);
  }
  if (best == nullptr) return could_not("product", best_rate, folder);
  return *best;
}

Peak peak_of(const std::vector<CellData>& cells, const Square& product, const PeakOrder& order) {
  Peak peak{.threads = order.threads,
            .compute_device = order.is_on_gpu ? "gpu" : "cpu",
            .measured_unix_ns = system_clock().unix_now().count(),
            .rounds = order.rounds};
  peak.product = product.label;
  peak.macs_per_s = rate_of_product(cells, product);
  const double bytes = static_cast<double>(elements(order) * kElementBytes);
  if (const CellData* const cell = cell_called(cells, kCopy)) peak.copy_bytes_per_s = rate_of(*cell, 2 * bytes);
  if (const CellData* const cell = cell_called(cells, kTriad)) peak.triad_bytes_per_s = rate_of(*cell, 3 * bytes);
  // A device with little memory has no large array.
  for (const std::int64_t array_bytes : kReadArrays) {
    const CellData* const cell = cell_called(cells, label_of_read(array_bytes));
    Value rate = cell == nullptr ? Value{} : rate_of(*cell, static_cast<double>(kReadBytes));
    if (rate.value) peak.reads.push_back({array_bytes, std::move(rate)});
  }
  return peak;
}

Status check_rates(const Peak& peak, const std::filesystem::path& folder) {
  for (const auto& [what, rate] : {std::pair("product", &peak.macs_per_s), std::pair(kCopy, &peak.copy_bytes_per_s),
                                   std::pair(kTriad, &peak.triad_bytes_per_s)}) {
    if (!rate->value) return could_not(what, *rate, folder);
  }
  return Done{};
}

// The compiler that was measured with, and its cells.
struct StageResults {
  work::Compiler compiler{};
  std::filesystem::path folder{};
  std::vector<CellData> cells{};
};

Answer<StageResults> measure_stage(const Installation& installation, const PeakOrder& order, const Stage& stage,
                                   Observer& observer) {
  auto plan = plan_made_study(installation, study_of_peak(order, stage, installed_version(installation, order)),
                              saying(observer));
  if (!plan) return tl::unexpected(plan.error());
  const auto compilers = Compilers::find(installation, *plan);
  if (!compilers) return cannot_go_on(compilers.error());
  if (!compilers->missing().empty()) {
    return cannot_go_on({"PyTorch, whose libraries are measured, is not installed", kMultiplier,
                         "run: ngb toolchain install identity"});
  }
  StageResults made{.compiler = plan->study.compilers.front(), .folder = plan->study.output};
  auto cells = measured_cells(installation, *std::move(plan), *compilers, observer);
  if (!cells) return tl::unexpected(cells.error());
  made.cells = *std::move(cells);
  return made;
}

}  // namespace

Answer<MeasuredPeak> measure_peak(const Installation& installation, const PeakOrder& order, Observer& observer) {
  if (const Status made = file::make_folder(order.folder); !made) return cannot_go_on(made.error());
  if (const Status written = file::write_atomically(order.folder / kModules, kPython_peak); !written) {
    return cannot_go_on(written.error());
  }
  const Stage all{.products = products(order), .is_trial = true};
  const auto trial = measure_stage(installation, order, all, observer);
  if (!trial) return tl::unexpected(trial.error());
  const auto product = fastest(all.products, trial->cells, trial->folder);
  if (!product) return cannot_go_on(product.error());
  const auto results = measure_stage(installation, order, {.products = {*product}}, observer);
  if (!results) return tl::unexpected(results.error());
  MeasuredPeak made{.peak = peak_of(results->cells, *product, order)};
  if (const Status fine = check_rates(made.peak, results->folder); !fine) return cannot_go_on(fine.error());
  const work::Compiler& compiler = results->compiler;
  made.peak.compiler = compiler.version.empty() ? compiler.name : compiler.name + " " + compiler.version;
  std::set<std::string> environments;
  for (const std::vector<CellData>* const cells : {&trial->cells, &results->cells}) {
    for (const CellData& cell : *cells) {
      for (const store::RecordedProcess& process : cell.processes) environments.insert(process.environment_hash);
    }
  }
  if (environments.size() != 1) {
    return cannot_go_on(
        {"this machine's description changed during the measurement", order.folder.string(), "run it again"});
  }
  made.environment_hash = *environments.begin();
  return made;
}

}  // namespace ngb::campaign
