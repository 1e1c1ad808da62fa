// SPDX-License-Identifier: Apache-2.0
// Holds the program of an exported cell against ngb's own measurement, process by process in turns.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "campaign/installation.h"
#include "campaign/observer.h"
#include "campaign/refusal.h"
#include "metrics/allocator.h"
#include "metrics/metric.h"
#include "statistics/verdict.h"

namespace ngb::exports {

// What one process did: samples/s by its median inference, page faults of an inference, processors kept busy.
struct ProcessSpeed : metrics::SpeedWithFaults {
  double processors = 0;
};

enum class Outcome { as_fast, differs, undecided };

struct Verification {
  std::vector<ProcessSpeed> of_ngb{};
  std::vector<ProcessSpeed> of_program{};
  statistics::Judgement judgement{};     // of program / ngb
  metrics::Value ratio{};                // the same as a ratio, with its interval
  Outcome outcome = Outcome::undecided;  // as_fast: the interval is within statistics::VerdictRules::margin_ratio of 1
  std::string words{};                   // "as fast (within 3 %)", "differs: 12.1 % slower", "not decided: …"
  std::vector<std::string> reasons{};    // what differs between the two sides, most likely first
};

// Returns the lines of `now` that `before` does not have, or else those that it lacks, as texts that name the file.
// Pure.
std::vector<std::string> lines_changed(const std::string& file, const std::string& before, const std::string& now);

// Returns the verdict on both sides' processes, of which the i-th ran one after the other. Pure.
Verification judge_program(std::vector<ProcessSpeed> of_ngb, std::vector<ProcessSpeed> of_program, int batch,
                           std::vector<std::string> changed_lines);

// Runs `processes` of ngb and as many of the folder's program in turns, on the same processors, and keeps the verdict
// in the folder's cell.json. Returns an error if the folder is none that ngb has exported, was measured on another
// machine, or if a process fails.
campaign::Answer<Verification> verify_folder(const campaign::Installation& installation,
                                             const std::filesystem::path& folder, int processes,
                                             campaign::Observer& observer);

}  // namespace ngb::exports
