// SPDX-License-Identifier: Apache-2.0
// Keeps in the cache what processes took, for estimates: a line of JSON for each. Several programs may append at the
// same time, and any of them may be killed: lines that are torn are skipped.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/installation.h"
#include "plan/durations.h"
#include "plan/estimate.h"
#include "samples/process_result.h"

namespace ngb::campaign {

class DurationsFile {
 public:
  // The file grows to `most_bytes`; then its older half is dropped. An empty path keeps nothing.
  explicit DurationsFile(std::filesystem::path path, std::uint64_t most_bytes = 4U << 20U)
      : path_(std::move(path)), most_bytes_(most_bytes) {}

  // Returns everything that can be read; nothing if there is no file.
  [[nodiscard]] plan::Durations read() const;
  // Appends in one write. An error is only a lost memory: callers may ignore it.
  Status append(const std::vector<plan::MeasuredProcess>& processes) const;
  Status append(const plan::MeasuredStudy& study) const;

 private:
  Status append_text(const std::string& lines) const;
  Status drop_older_half() const;

  std::filesystem::path path_;
  std::uint64_t most_bytes_;
};

// Returns the seconds that every process like it takes: without what only a cell's first process does after its
// repetitions.
double again_s(const samples::ProcessResult& result, const work::Protocol& protocol);

// Returns what a process that completed took, likewise.
plan::ProcessTime time_of(const samples::ProcessResult& result, const work::Protocol& protocol);

// The next two read what this machine's earlier runs took, which is kept in the cache.

// Returns the file of this installation; one that keeps nothing if the cache cannot be used.
DurationsFile durations_file(const Installation& installation, const Say& say);

// Returns what is known for estimating the plan on this machine.
plan::Experience experience_for(const Installation& installation, const plan::Plan& plan, const Say& say);

}  // namespace ngb::campaign
