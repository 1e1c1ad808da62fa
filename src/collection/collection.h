// SPDX-License-Identifier: Apache-2.0
// Reads bundles of many people and machines, keeps what verifies, and counts each measurement once.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "bundle/manifest.h"
#include "bundle/verification.h"
#include "report/columns.h"
#include "report/document.h"
#include "samples/environment.h"

namespace ngb::collection {

// The numbers that are shown of a cell, in this order. Speed-ups are over PyTorch eager (identity) in the same bundle.
enum Quantity : std::size_t { kSpeedUp, kLatency, kThroughput, kQuantities };
const std::vector<report::NumberColumn>& quantities();

// A machine, as people choose it: its processor or accelerator, cores, threads and memory. All text is untrusted.
struct Machine {
  std::string name{};
  std::vector<samples::EnvironmentEntry> entries{};  // of its environment; none: no process completed there
};

// A cell of a bundle with its numbers.
struct Measurement {
  std::size_t bundle = 0;  // index
  std::string cell_id{};
  std::string machine{};  // Machine::name
  std::string model{};
  std::string model_hash{};
  int batch = 1;
  std::string setting{};   // what else a workload is: "2 threads", "1 thread, load cpu: 1"
  std::string compiler{};  // with options and precision, without version: compared versions are of one family
  std::string version{};
  std::array<report::Entry, kQuantities> numbers{};
  std::vector<std::string> flags{};
  std::string why_none{};                // why it has no numbers; "" if it has some
  std::vector<std::string> processes{};  // a hash of the samples of each process
  bool is_copy = false;                  // another measurement has one of its processes: it is not shown
};

struct Bundle {
  std::filesystem::path file{};
  std::string name{};         // relative to the folder: "h200/families.zip"
  std::string sha256{};       // of the file; "": it cannot be read
  std::string why_refused{};  // the rule that fails and where, or why it cannot be verified; "": it is shown
  std::optional<bundle::Verification> verification{};  // nothing: it cannot be read
  std::string study{};                                 // of its last run
  std::vector<Machine> machines{};
  std::string copy_of{};  // names of the bundles that have all of its measurements; "": it has some of its own

  [[nodiscard]] std::string page() const;  // the name of its page and of its copy in the site: "3f2a…"
};

struct Collection {
  std::vector<Bundle> bundles{};            // those of one content once, in the order of their names
  std::vector<Measurement> measurements{};  // of those that are not refused
  std::vector<std::string> same_files{};    // "b.zip is a.zip", for each further file of a content
  std::size_t other_files = 0;              // that are no zip files
};

// Verifies every zip file below the folder, up to `threads` at the same time, and computes the numbers of those of
// which no rule fails, and of whose samples the rule `samples` was checked, again from their samples. `verified_by` is
// this program, as in bundle::About::made_by. Returns an error if the folder cannot be read, holds no zip file, or this
// machine fails (a full disk).
Result<Collection> read_collection(const std::filesystem::path& folder, const std::string& verified_by, int threads);

// Marks each measurement that shares a process with another one which has more of them, or was read before. Names in
// `copy_of` the bundles that have all of what a bundle has.
void mark_copies(Collection& collection);

struct WrittenSite {
  std::filesystem::path page{};
  std::size_t numbers = 0;  // measurements that are shown
  std::size_t bytes = 0;    // of all pages
};

// Writes the site: index.html, and in bundles/ a copy and a page of each bundle that is shown. A folder that holds
// something and is no site of ngb is refused. Bundles that an earlier site had and this one has not are removed.
Result<WrittenSite> write_site(const Collection& collection, const std::filesystem::path& site,
                               const std::string& made_by);

}  // namespace ngb::collection
