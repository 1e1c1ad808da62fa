// SPDX-License-Identifier: Apache-2.0
#include "exports/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/json_text.h"
#include "base/process.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "exports/cell_choice.h"
#include "exports/folder.h"
#include "exports/fresh_run.h"
#include "exports/program.h"
#include "metrics/analysis.h"
#include "metrics/ratios.h"
#include "probe/probe.h"

namespace ngb::exports {
namespace {

namespace fs = std::filesystem;
using campaign::cannot_go_on;
using nlohmann::json;

constexpr const char* kMachine = "cpu_model";  // an entry of the environment

double mean_of(const std::vector<ProcessSpeed>& processes, double ProcessSpeed::* field) {
  double sum = 0;
  for (const ProcessSpeed& each : processes) sum += each.*field;
  return sum / static_cast<double>(processes.size());
}

std::vector<metrics::SpeedWithFaults> with_faults(const std::vector<ProcessSpeed>& processes) {
  return {processes.begin(), processes.end()};
}

// Says which of page faults and processors differ so much that they can be the reason.
std::vector<std::string> differences(const Verification& verified, int batch) {
  std::vector<std::string> found;
  const auto ours = with_faults(verified.of_ngb);
  const auto theirs = with_faults(verified.of_program);
  if (metrics::differ_by_page_faults(ours, theirs, batch)) {
    const auto faults = [](const std::vector<ProcessSpeed>& processes) {
      return mean_of(processes, &ProcessSpeed::page_faults);
    };
    found.push_back(fmt::format("page faults: {:.0f} an inference, of ngb {:.0f}", faults(verified.of_program),
                                faults(verified.of_ngb)));
  }
  constexpr double kAlike = 0.1;
  const double busy = mean_of(verified.of_program, &ProcessSpeed::processors);
  const double busy_of_ngb = mean_of(verified.of_ngb, &ProcessSpeed::processors);
  if (std::abs(busy - busy_of_ngb) > kAlike * busy_of_ngb) {
    found.push_back(fmt::format("{}: it keeps {:.2f} processors busy, ngb {:.2f}",
                                busy > busy_of_ngb ? "threads" : "waits or threads", busy, busy_of_ngb));
  }
  return found;
}

Outcome outcome_of(const statistics::Judgement& judgement, const statistics::VerdictRules& rules) {
  const auto& interval = judgement.contrast.interval;
  const double margin = std::log1p(rules.margin_ratio);
  if (interval && interval->low > -margin && interval->high < margin) return Outcome::as_fast;
  return judgement.verdict == statistics::Verdict::undecided ? Outcome::undecided : Outcome::differs;
}

std::string words_of(const Verification& verified, const statistics::VerdictRules& rules) {
  constexpr double kPercent = 100;
  const double ratio = *verified.ratio.value;
  switch (verified.outcome) {
    case Outcome::as_fast:
      return fmt::format("as fast (within {:g} %)", rules.margin_ratio * kPercent);
    case Outcome::differs:
      return fmt::format("differs: {:.1f} % {}", std::abs(ratio - 1) * kPercent, ratio > 1 ? "faster" : "slower");
    case Outcome::undecided:
      break;
  }
  return "not decided: " + verified.judgement.reason;
}

Result<json> read_cell(const fs::path& folder) {
  const Result<std::string> text = file::read(folder / kCellFile);
  if (!text) {
    return fail("it has no " + std::string(kCellFile), folder.string(), "name a folder that ngb export has written");
  }
  json cell = json_text::parse(*text);
  const bool is_ours = cell.is_object() && cell.value("format", 0) == 1 && cell.contains("study") &&
                       cell["study"].is_object() && cell.contains("machine") && cell["machine"].is_object() &&
                       cell.contains("program") && cell["program"].is_string() && cell.contains("title");
  if (!is_ours) return fail("it is no cell that this version of ngb has exported", (folder / kCellFile).string());
  const samples::Environment here = probe::environment();
  const std::string measured_on = cell["machine"].value(kMachine, "");
  for (const samples::EnvironmentEntry& entry : here.entries) {
    if (entry.name != kMachine || !entry.value.value || *entry.value.value == measured_on) continue;
    return fail(fmt::format("it was measured on another machine ({}; this is {}), so its number is not expected here",
                            measured_on, *entry.value.value),
                folder.string(), "verify it there, or measure the cell here: ngb run");
  }
  json& model = cell["study"]["models"][0];
  for (const char* const key : kFileKeys) {
    if (model.contains(key) && model[key].is_string()) model[key] = (folder / model[key].get<std::string>()).string();
  }
  return cell;
}

// Returns nothing if the process was never steady, as on a busy machine.
campaign::Answer<std::optional<ProcessSpeed>> run_ngb(const campaign::Installation& installation, const json& study,
                                                      const Extent& extent, campaign::Observer& observer) {
  const auto scratch = ScratchFolder::temporary("ngb-export");
  if (!scratch) return cannot_go_on(scratch.error());
  const auto cell = measure_once(installation, study, extent, scratch->path() / "results", observer);
  if (!cell) return tl::unexpected(cell.error());
  const metrics::Analysis analysis({&*cell});
  const metrics::Steady& steady = analysis.steady(0);
  const auto faults = metrics::with_page_faults(*cell, steady);
  const auto& busy = analysis.busy_cpus(0).value;
  if (steady.median_by_process.empty() || faults.empty() || !busy || busy->empty()) return std::nullopt;
  ProcessSpeed speed{faults.front(), busy->front().value};
  speed.per_s = steady.median_by_process.front().value;
  return speed;
}

// Returns how the folder's program is started: run.py with the toolchain's Python, or what main.cpp was built to.
Result<process::Spawn> start_of(const campaign::Installation& installation, const Subject& subject,
                                const fs::path& folder, const std::string& program_file) {
  process::Spawn spawn{.arguments = {}, .folder = folder};
  if (program_file == kCppFile) {
    const fs::path built = folder / "build/program";
    std::error_code code;
    if (!fs::exists(built, code)) return fail("it is not built", built.string(), "build it as its README.md says");
    spawn.arguments = {built.string(), "--json"};
    return spawn;
  }
  const Result<PythonCommand> python = python_of(installation, subject);
  if (!python) return error_of(python);
  spawn.arguments = python->interpreter;
  spawn.arguments.insert(spawn.arguments.end(), {kRunFile, "--json"});
  spawn.environment = {{"PYTHONPATH", python->path}, {"PYTHONNOUSERSITE", "1"}, {"PYTHONDONTWRITEBYTECODE", "1"}};
  return spawn;
}

// `changed` may be why the program fails.
campaign::Answer<ProcessSpeed> run_program(const process::Spawn& spawn, const fs::path& folder, int batch,
                                           const std::vector<std::string>& changed) {
  constexpr Nanoseconds kLimit = std::chrono::minutes(10);
  const Result<process::Outcome> outcome = process::run(spawn, {}, kLimit);
  if (!outcome) return cannot_go_on(outcome.error());
  const std::vector<std::string> lines = text::split(text::trim(outcome->output), '\n');
  json told;
  for (const std::string& line : lines) {  // libraries print others, also when they end
    if (json each = json_text::parse(line); each.is_object()) told = std::move(each);
  }
  if (!outcome->succeeded() || !told.is_object() || told.value("p50_ms", 0.0) <= 0) {
    const std::string end = outcome->signal ? fmt::format(" (ended by signal {})", *outcome->signal) : "";
    return cannot_go_on(
        {fmt::format("the program failed{}: {}", end, lines.back()), folder.string(), text::join(changed, "; ")});
  }
  constexpr double kMsPerSecond = 1000;
  return ProcessSpeed{{batch * kMsPerSecond / told["p50_ms"].get<double>(), told.value("page_faults", 0.0)},
                      told.value("processors", 0.0)};
}

// About two seconds of inferences, as run.py takes.
Extent extent_for(const json& cell, int batch) {
  constexpr double kSeconds = 2;
  const double inferences = kSeconds * cell["number"].value("samples_per_s", 1.0) / batch;
  return {.repetitions = static_cast<int>(std::clamp(inferences, 10.0, 5000.0)), .warms_up = true};
}

json as_json(const Verification& verified) {
  const auto speeds = [](const std::vector<ProcessSpeed>& processes) {
    json all = json::array();
    for (const ProcessSpeed& each : processes) {
      all.push_back(
          {{"samples_per_s", each.per_s}, {"page_faults", each.page_faults}, {"processors", each.processors}});
    }
    return all;
  };
  json told{{"words", verified.words},
            {"ratio", *verified.ratio.value},
            {"reasons", verified.reasons},
            {"ngb", speeds(verified.of_ngb)},
            {"program", speeds(verified.of_program)}};
  if (verified.ratio.low) told["interval"] = {*verified.ratio.low, *verified.ratio.high};
  return told;
}

Status keep(const fs::path& folder, const Verification& verified) {
  const Result<std::string> text = file::read(folder / kCellFile);
  if (!text) return error_of(text);
  json cell = json_text::parse(*text);
  cell["verified"] = as_json(verified);
  return file::write_atomically(folder / kCellFile, json_text::dump(cell, 2) + "\n");
}

}  // namespace

std::vector<std::string> lines_changed(const std::string& file, const std::string& before, const std::string& now) {
  const std::vector<std::string> known = text::split(before, '\n');
  const std::vector<std::string> lines = text::split(now, '\n');
  const auto has = [](const std::vector<std::string>& all, const std::string& line) {
    return std::find(all.begin(), all.end(), line) != all.end();
  };
  std::vector<std::string> changed;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (has(known, lines[i])) continue;
    changed.push_back(fmt::format("{} was changed, line {}: {}", file, i + 1, text::trim(lines[i])));
  }
  if (!changed.empty() || before == now) return changed;
  for (const std::string& line : known) {
    if (!has(lines, line)) changed.push_back(fmt::format("{} was changed: it lacks: {}", file, text::trim(line)));
  }
  if (changed.empty()) changed.push_back(file + " was changed: its lines are in another order or number");
  return changed;
}

Verification judge_program(std::vector<ProcessSpeed> of_ngb, std::vector<ProcessSpeed> of_program, int batch,
                           std::vector<std::string> changed_lines) {
  Verification verified{.of_ngb = std::move(of_ngb), .of_program = std::move(of_program)};
  statistics::Part ratios;
  for (std::size_t i = 0; i < verified.of_ngb.size(); ++i) {
    ratios.values.push_back(std::log(verified.of_program[i].per_s / verified.of_ngb[i].per_s));
  }
  const statistics::VerdictRules rules;
  const std::vector<statistics::Question> questions{{ratios}};
  verified.judgement = statistics::judge(questions, rules).front();
  verified.ratio = metrics::ratio_of(verified.judgement.contrast);
  verified.outcome = outcome_of(verified.judgement, rules);
  verified.words = words_of(verified, rules);
  verified.reasons = std::move(changed_lines);
  for (std::string& each : differences(verified, batch)) verified.reasons.push_back(std::move(each));
  return verified;
}

campaign::Answer<Verification> verify_folder(const campaign::Installation& installation, const fs::path& given,
                                             int processes, campaign::Observer& observer) {
  const fs::path folder = fs::absolute(given);
  const Result<json> cell = read_cell(folder);
  if (!cell) return cannot_go_on(cell.error());
  const std::string program_file = cell->value("program_file", json()) == kCppFile ? kCppFile : kRunFile;
  const Result<std::string> program = file::read(folder / program_file);
  if (!program) return cannot_go_on(program.error());
  json study = (*cell)["study"];
  study["output"] = (folder / "results").string();
  const auto subject = subject_of(installation, study, campaign::saying(observer));
  if (!subject) return tl::unexpected(subject.error());
  const Result<process::Spawn> start = start_of(installation, *subject, folder, program_file);
  if (!start) return cannot_go_on(start.error());
  const int batch = subject->model().key.batch;
  const std::vector<std::string> changed = lines_changed(program_file, (*cell)["program"].get<std::string>(), *program);
  std::vector<ProcessSpeed> of_ngb;
  std::vector<ProcessSpeed> of_program;
  int unsteady = 0;
  while (std::ssize(of_ngb) < processes) {
    const auto ours = run_ngb(installation, study, extent_for(*cell, batch), observer);
    if (!ours) return tl::unexpected(ours.error());
    if (!*ours) {
      if (++unsteady > processes) {
        return cannot_go_on({fmt::format("{} processes of ngb were never steady", unsteady), folder.string(),
                             "verify it on a quiet machine"});
      }
      continue;
    }
    const auto theirs = run_program(*start, folder, batch, changed);
    if (!theirs) return tl::unexpected(theirs.error());
    of_ngb.push_back(**ours);
    of_program.push_back(*theirs);
    observer.say(fmt::format("ngb: export: turn {} of {}: ngb {:.4g}, the program {:.4g} samples/s\n", of_ngb.size(),
                             processes, (*ours)->per_s, theirs->per_s));
  }
  Verification verified = judge_program(std::move(of_ngb), std::move(of_program), batch, changed);
  if (const Status kept = keep(folder, verified); !kept) return cannot_go_on(kept.error());
  return verified;
}

}  // namespace ngb::exports
