// SPDX-License-Identifier: Apache-2.0
// Keeps the machines that a cluster has given to a run, in a file of the results folder. The run has another work
// folder on each: the journal of an earlier stay may hold fewer events than the client has recorded.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace ngb::dispatch {

class Stays {
 public:
  // `run` is the name of the run's folders. Without a file ("") nothing is kept.
  Stays(std::string run, std::filesystem::path file);

  // Returns whether nothing of the run is left on any machine.
  [[nodiscard]] bool empty() const { return machines_.empty(); }
  // Notes that the run is on that machine now.
  Status arrive(const std::string& machine);
  // Notes that nothing of the run is left on that machine. If that cannot be written, the next teardown looks there
  // once more.
  void forget(const std::string& machine);
  // Returns the machines on which something may be left, each once.
  [[nodiscard]] std::vector<std::string> machines() const;

  // Returns the run's work folder on the present machine, within the device's folder.
  [[nodiscard]] std::string folder() const;
  // Returns the run's work folders on that machine: one for each of its stays there.
  [[nodiscard]] std::vector<std::string> folders_on(const std::string& machine) const;

 private:
  [[nodiscard]] std::string folder_of(std::size_t stay) const;
  Status write();

  std::string run_;
  std::filesystem::path file_;           // a machine on each line
  std::vector<std::string> machines_{};  // in the order of the stays; "": nothing is left there
};

}  // namespace ngb::dispatch
