// SPDX-License-Identifier: Apache-2.0
// Identifies by content what the processes of a job are made with: this installation's programs and the toolchains.
// Each file is read once; afterwards its status shows whether it was replaced.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "agent/workers/launcher.h"
#include "base/fingerprint.h"
#include "base/result.h"
#include "samples/provenance.h"
#include "work/job.h"

namespace ngb::agent {

class Builds {
 public:
  explicit Builds(const Surroundings& surroundings) : surroundings_(surroundings) {}

  // Returns everything but files, model and reference. `exporter` makes the model's file; null if none does. A missing
  // file has no hash. Returns an error if a program's file cannot be read.
  Result<samples::Provenance> of(const work::Place& compiler, const work::Place* exporter);

  // Returns an error that names a program or toolchain which was replaced after it was hashed.
  Status check_unchanged();

 private:
  // The state of a toolchain: another installation has another folder, another package has another name.
  struct Site {
    std::optional<Fingerprint> folder{};
    std::string packages{};
  };
  static Site look(const std::filesystem::path& folder);

  Result<std::string> file(const std::filesystem::path& path);
  Result<std::string> folder(const std::filesystem::path& path);
  Result<std::string> plugin(const std::string& compiler);
  void watch(const work::Place& compiler);
  // Returns the hash of our package and, for an adopted toolchain, of what else its interpreter finds.
  Result<std::string> package(const work::Place& compiler);

  const Surroundings& surroundings_;
  WatchedFiles files_{};
  std::map<std::filesystem::path, std::string> known_{};  // hashes of files and folders
  std::map<std::filesystem::path, Site> sites_{};
  std::map<std::pair<std::string, std::string>, std::string> around_{};  // by interpreter and its packages' folder
};

// Knows the builds of a job's processes, which are found out before the first one starts.
class JobBuilds {
 public:
  JobBuilds(const Surroundings& surroundings, const work::Job& job) : job_(job), builds_(surroundings) {}

  // Hashes what the job's processes are made with. Returns an error if a program's file cannot be read.
  Status learn();
  // Does the same as Builds::check_unchanged.
  Status check_unchanged() { return builds_.check_unchanged(); }

  struct Build {
    samples::Provenance with{};  // everything but files, model and reference
    std::string sha256{};        // with.build()
  };
  // Precondition: learn() has returned no error.
  [[nodiscard]] const Build& of(const work::Compiler& compiler, const work::Model& model) const;

 private:
  Status learn(const work::Compiler& compiler, bool is_exported);

  const work::Job& job_;
  Builds builds_;
  // by compiler, manifest, and whether the model is exported
  std::map<std::tuple<std::string, std::string, bool>, Build> known_{};
};

// Returns the parts in which the builds of two processes differ, for people: "toolchain, plugin or adaptor".
std::string differing_parts(const samples::Provenance& one, const samples::Provenance& other);

}  // namespace ngb::agent
