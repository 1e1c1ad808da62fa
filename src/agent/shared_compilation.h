// SPDX-License-Identifier: Apache-2.0
// Decides for each process of a job whether it compiles, or loads what an earlier process of its cell has compiled
// (work/compilation.h). Each process of a job that may share says in its fact `shared_compilation` what was decided.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "agent/kept_artifacts.h"
#include "samples/process_result.h"
#include "work/compilation.h"
#include "work/job.h"

namespace ngb::agent {

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
