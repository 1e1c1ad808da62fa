// SPDX-License-Identifier: Apache-2.0
// Keeps, for each cell, the file or folder that one of its processes has compiled, for the cell's other processes. A
// kept artifact is used only if it is whole and of the same origin, also after the agent was killed.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/fingerprint.h"
#include "base/result.h"
#include "samples/provenance.h"

namespace ngb::agent {

class KeptArtifacts {
 public:
  // Keeps them in `folder`, which may not exist yet. Removes what killed agents have left there unfinished.
  explicit KeptArtifacts(std::filesystem::path folder);

  struct Kept {
    std::filesystem::path path{};
    int process_index = 0;  // of the process that compiled it
  };
  // Returns the cell's artifact. Returns nothing if there is none of this origin that is whole; any other one is
  // removed.
  std::optional<Kept> find(const std::string& cell_id, const samples::Origin& origin);
  // Returns whether the artifact that `find` returned last is still as it was.
  [[nodiscard]] bool is_unchanged(const std::string& cell_id) const;

  // Returns a new path, in a new folder, at which a worker may write an artifact of the cell.
  Result<std::filesystem::path> begin(const std::string& cell_id);
  // Keeps what was written at a path that `begin` returned. After an error, nothing is kept and the path is discarded.
  Status keep(const std::filesystem::path& written, const std::string& cell_id, const samples::Origin& origin,
              int process_index);
  // Removes the path with its folder.
  static void discard(const std::filesystem::path& written);

  void remove(const std::string& cell_id);
  void clear();

 private:
  using Fingerprints = std::map<std::string, Fingerprint>;  // by path within the artifact
  struct Known {
    samples::Origin origin{};
    int process_index = 0;
    Fingerprints files{};
  };
  [[nodiscard]] std::filesystem::path folder_of(const std::string& cell_id) const;
  [[nodiscard]] std::optional<Known> read(const std::string& cell_id) const;

  std::filesystem::path folder_;
  std::map<std::string, Known> known_{};  // by cell
};

}  // namespace ngb::agent
