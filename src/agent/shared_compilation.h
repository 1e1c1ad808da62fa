// SPDX-License-Identifier: Apache-2.0
// Decides for each process of a job whether it compiles, or loads what an earlier process of its cell has compiled
// (work::Compilation). Each process of a job that may share says in its fact `shared_compilation` what was decided.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "samples/process_result.h"
#include "samples/provenance.h"
#include "work/job.h"
#include "work/protocol.h"

namespace ngb::agent {

// Keeps, for each cell, the file or folder that one of its processes has compiled, for the cell's other processes. A
// kept artifact is used only if it is whole and of the same origin, also after the agent was killed.
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
  struct Known {
    samples::Origin origin{};
    int process_index = 0;
  };
  [[nodiscard]] std::filesystem::path folder_of(const std::string& cell_id) const;
  [[nodiscard]] std::optional<Known> read(const std::string& cell_id) const;

  std::filesystem::path folder_;
  std::map<std::string, Known> known_{};  // by cell
};

class SharedCompilation {
 public:
  // Keeps artifacts in `folder` as long as `free_disk_bytes` stay free there.
  SharedCompilation(work::Compilation mode, std::filesystem::path folder, std::uint64_t free_disk_bytes);

  // Sets the request's artifact. `origin` is that of the process.
  void prepare(work::WorkerRequest& request, const samples::Origin& origin);

  // Handles the end of a process, and adds the fact. Returns false if the result must not be recorded: the process
  // could not use the artifact of another one, and is run again, with a compilation of its own.
  [[nodiscard]] bool settle(const work::WorkerRequest& request, const samples::Origin& origin,
                            samples::ProcessResult& result);

  // Removes what is kept: of a cell without further processes, and of a job that has ended.
  void end_cell(const std::string& cell_id) { kept_.remove(cell_id); }
  void end_job() { kept_.clear(); }

 private:
  [[nodiscard]] bool settle_loaded(const work::WorkerRequest& request, samples::ProcessResult& result);
  void settle_compiled(const work::WorkerRequest& request, const samples::Origin& origin,
                       const samples::ProcessResult& result);
  [[nodiscard]] bool has_room() const;

  work::Compilation mode_;
  std::filesystem::path folder_;
  std::uint64_t free_disk_bytes_;
  KeptArtifacts kept_;
  int loads_from_ = 0;                            // the process that compiled what the present one loads
  std::map<std::string, std::string> reasons_{};  // why all processes of a cell compile, by cell
};

}  // namespace ngb::agent
