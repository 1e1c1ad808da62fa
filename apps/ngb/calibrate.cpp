// SPDX-License-Identifier: Apache-2.0
// ngb calibrate: measures two sides that are the same thing and says how small a difference can be found on this
// machine; with --peak, what the machine can do at the most.
#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "apps/ngb/command.h"
#include "apps/ngb/format_option.h"
#include "apps/ngb/run_display.h"
#include "apps/ngb/terminal.h"
#include "campaign/calibrate_study.h"
#include "campaign/kept_calibrations.h"
#include "campaign/peak_study.h"
#include "campaign/study_file.h"
#include "config/turns.h"
#include "probe/probe.h"
#include "report/calibration.h"

namespace ngb::app {
namespace {

struct CalibrateArguments {
  std::vector<int> threads;
  int turns = config::kUsualTurns;
  std::string time = "10m";
  std::string compiler;
  bool is_of_peak = false;
  int rounds = campaign::kPeakRounds;
  std::string device;  // "": this machine
  bool is_on_gpu = false;
  std::string output;
  FormatArguments format;
};

// Parses "90", "90s", "10m" or "1h" as seconds.
Result<double> parse_time(const std::string& given) {
  double value = 0;
  const auto [end, problem] = std::from_chars(given.data(), given.data() + given.size(), value);
  const std::string_view unit(end, static_cast<std::size_t>(given.data() + given.size() - end));
  const double seconds = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  constexpr double kMostSeconds = 7 * 86'400;
  if (problem == std::errc{} && seconds > 0 && value > 0 && value * seconds <= kMostSeconds) return value * seconds;
  return fail("\"" + given + "\" is no time", "--time", "expected a number with s, m or h, for example 10m");
}

// Returns 1, and 2 if this machine has two processors for us.
std::vector<int> usual_threads() {
  return probe::allowed_cpus().size() >= 2 ? std::vector<int>{1, 2} : std::vector<int>{1};
}

std::filesystem::path folder_of(const CalibrateArguments& arguments) {
  if (!arguments.output.empty()) return std::filesystem::absolute(arguments.output);
  return std::filesystem::absolute(std::filesystem::path("results") / "calibrate" / campaign::time_folder());
}

// Returns the quickstart's first compiler beside the identity, or null.
std::string usual_compiler(const Installation& installation) {
  for (const std::string& name : campaign::quickstart_compilers(installation).value_or(std::vector<std::string>())) {
    if (name != config::Study{}.reference) return name;
  }
  return "null";
}

// Returns the compiler to measure with: the given one if it is installed, else the usual one, else the null compiler.
tl::expected<std::string, ExitCode> compiler_for(const Installation& installation, campaign::CalibrationOrder order,
                                                 const std::string& given) {
  order.compiler = given.empty() ? usual_compiler(installation) : given;
  const auto is_there = campaign::is_installed(installation, order, print_error);
  if (!is_there) return tl::unexpected(report_refusal(is_there.error()));
  if (*is_there) return order.compiler;
  if (!given.empty()) {
    report_failure({given + " is not installed", "--compiler", "run: ngb toolchain install " + given}, kCannotGoOn);
    return tl::unexpected(kCannotGoOn);
  }
  warn(
      "ngb: {} is not installed: the null compiler's loop of a fixed duration is measured instead, which varies less "
      "than a real compiler's inferences\n",
      order.compiler);
  return std::string("null");
}

// `to_text` is one of report/calibration.h.
int print_kept(const CacheFolder& cache, const std::string& environment, const report::Format& format,
               std::string (*to_text)(const metrics::DeviceCalibration&, int, bool)) {
  const metrics::DeviceCalibration device = campaign::kept_calibration(cache, environment);
  if (format.is("json")) {
    print_json_text(report::calibration_json(device));
  } else {
    const OutputShape shape = shape_of_stdout();
    print_table_text(to_text(device, shape.width, shape.has_color));
  }
  return kSuccess;
}

int calibrate_peak(const Installation& installation, const CalibrateArguments& arguments, const CacheFolder& cache,
                   const report::Format& format) {
  campaign::PeakOrder order{.device = arguments.device,
                            .is_on_gpu = arguments.is_on_gpu,
                            .rounds = arguments.rounds,
                            .folder = folder_of(arguments)};
  const std::vector<int> usual = arguments.device.empty() ? usual_threads() : std::vector<int>{1};
  std::string environment;
  for (const int count : arguments.threads.empty() ? usual : arguments.threads) {
    order.threads = count;
    RunDisplay display(RunDisplay::Options{.hides_speeds = true});
    auto measured = campaign::measure_peak(installation, order, display);
    if (!measured) return report_refusal(measured.error());
    environment = measured->environment_hash;
    if (const Status kept = campaign::keep_peak(cache, environment, std::move(measured->peak)); !kept) {
      return report_failure(kept.error(), kCannotGoOn);
    }
  }
  warn("ngb: results: {}\n", order.folder.string());
  return print_kept(cache, environment, format, report::peak_text);
}

int calibrate(const Installation& installation, const CalibrateArguments& arguments) {
  const auto format = arguments.format.among(report::text_and_json());
  if (!format) return report_failure(format.error(), kWrongUsage);
  const auto seconds = parse_time(arguments.time);
  if (!seconds) return report_failure(seconds.error(), kWrongUsage);
  const CacheFolder cache = campaign::usable_cache(installation, print_error);
  if (cache.is_none()) {
    return report_failure({"there is no place for the calibration", "ngb calibrate", "name a folder with NGB_CACHE"},
                          kCannotGoOn);
  }
  if (arguments.is_of_peak) return calibrate_peak(installation, arguments, cache, **format);
  const std::vector<int> threads = arguments.threads.empty() ? usual_threads() : arguments.threads;
  campaign::CalibrationOrder order{.turns = arguments.turns,
                                   .seconds = *seconds / static_cast<double>(threads.size()),
                                   .folder = folder_of(arguments)};
  std::string environment;
  for (const int count : threads) {
    order.threads = count;
    const auto compiler = compiler_for(installation, order, arguments.compiler);
    if (!compiler) return compiler.error();
    order.compiler = *compiler;
    RunDisplay display;
    auto sides = campaign::measure_equal_sides(installation, order, display);
    if (!sides) return report_refusal(sides.error());
    environment = sides->environment_hash;
    if (const Status kept = campaign::keep_calibration(cache, environment, std::move(sides->measured)); !kept) {
      return report_failure(kept.error(), kCannotGoOn);
    }
  }
  warn("ngb: results: {}\n", order.folder.string());
  return print_kept(cache, environment, **format, report::calibration_text);
}

}  // namespace

void add_calibrate(CLI::App& app, const Installation& installation, Action& chosen) {
  const auto arguments = std::make_shared<CalibrateArguments>();
  CLI::App* command = app.add_subcommand("calibrate", "Measure how small a difference can be found on this machine");
  command->add_option("--threads", arguments->threads, "Numbers of threads (1,2; 1 on a machine with one processor)")
      ->delimiter(',')
      ->check(CLI::Range(1, 4096));
  CLI::Option* const turns =
      command
          ->add_option("--turns", arguments->turns,
                       "Turns in which both sides alternate, as in a study (20); 1: one after the other")
          ->check(CLI::Range(1, 1'000'000));
  CLI::Option* const time =
      command->add_option("--time", arguments->time, "Time for everything, for example 90s, 10m or 1h (10m)");
  CLI::Option* const compiler =
      command->add_option("--compiler", arguments->compiler,
                          "NAME or NAME@VERSION to measure with (onnxruntime; null if that is not installed)");
  CLI::Option* const peak = command
                                ->add_flag("--peak", arguments->is_of_peak,
                                           "Measure what the machine can do at the most instead: multiply-adds by "
                                           "PyTorch's libraries, bytes by a copy and a triad")
                                ->excludes(turns)
                                ->excludes(time)
                                ->excludes(compiler);
  command->add_option("--rounds", arguments->rounds, "Of the peak: processes of each product, copy and triad (5)")
      ->check(CLI::Range(2, 100))
      ->needs(peak);
  command->add_option("--device", arguments->device, "Of the peak: a device of yours (default: this machine)")
      ->needs(peak);
  command->add_flag("--gpu", arguments->is_on_gpu, "Of the peak: that of the device's GPU")->needs(peak);
  command->add_option("-o,--output", arguments->output,
                      "Results folder; an interrupted calibration there is resumed (results/calibrate/TIME)");
  add_format_option(
      *command, arguments->format, report::text_and_json(),
      "Both sides are the same thing, so that every difference is noise. What was found is kept for this state of the\n"
      "machine; `ngb plan` says from it what a study can decide, and `ngb explain` which share of the peak is "
      "reached.\n\n"
      "Examples:\n  ngb calibrate\n  ngb calibrate --turns 1\n  "
      "ngb calibrate --threads 4 --time 20m --compiler openvino\n  ngb calibrate --peak --threads 1,2");
  command->callback(
      [=, &installation, &chosen] { chosen = [=, &installation] { return calibrate(installation, *arguments); }; });
}

}  // namespace ngb::app
