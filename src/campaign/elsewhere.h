// SPDX-License-Identifier: Apache-2.0
// Finds and ends the runs of a results folder that are not finished everywhere: processes or files of a run may still
// be on a device, or its journal here may not be recorded to its end.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/installation.h"
#include "campaign/observer.h"
#include "config/study.h"
#include "dispatch/fleet.h"
#include "plan/plan.h"
#include "store/store.h"

namespace ngb::campaign {

struct RunElsewhere {
  std::string id{};
  std::vector<config::DeviceEntry> devices{};  // on this machine, or with an address that is this user's (kept_devices)
  std::vector<std::string> strangers{};        // names of those that only the results file has an address of
  std::set<std::string> finished{};            // names of those of which everything that they measured is recorded
};

// Returns the runs that are not finished everywhere, the oldest first. Returns an error if the results or a recorded
// study cannot be read.
Result<std::vector<RunElsewhere>> runs_elsewhere(const Installation& installation, store::Store& store, const Say& say);
// Returns the run that was begun last, finished or not.
Result<RunElsewhere> last_run(const Installation& installation, store::Store& store, const Say& say);

// Returns the run's shares for tear_down_fleet and fetch_fleet.
std::vector<dispatch::Share> shares_of(const RunElsewhere& run, const std::filesystem::path& results);

// Records the events of runs that `plan` does not continue, because they are finished or the study was edited, and
// removes these runs from their devices. Says which devices cannot be reached, with the command that ends the run
// there. Returns an error if the store cannot record.
Status settle_other_runs(const Installation& installation, store::Store& store, const plan::Plan& plan,
                         Observer& observer);
// Records the events of all runs except the one that was begun last; they continue on their devices. Returns whether
// there are such runs.
Result<bool> fetch_other_runs(const Installation& installation, store::Store& store, const plan::Plan& plan,
                              Observer& observer);

// Says, for each run with strangers, that they are not reached, and which command reaches them.
void tell_of_strangers(const std::vector<RunElsewhere>& runs, const std::filesystem::path& results, const Say& say);
// Says, for each run on devices elsewhere: "ngb: run 0123456789abcdef is still on a, b; to end it there, run: ngb
// cancel results/x". Then tells of strangers.
void tell_of_runs_elsewhere(const std::vector<RunElsewhere>& runs, const std::filesystem::path& results,
                            const Say& say);

// Knows on which devices the runs of this user are, and how they are reached: one file for each run in the cache's
// folder "runs". A results.db says it too, but may come from somebody else, and to reach a device is to run programs
// that its address names. So addresses come from these files, or from a study that the user names, and from nowhere
// else.

// Keeps the devices of a run. One that is on this machine only needs no file. Does nothing if there is no cache. The
// file stays when the run has ended, because its folder can be cancelled again, with the devices' toolchains.
Status keep_devices(const Installation& installation, const std::string& run_id, const config::Study& study,
                    const Say& say);
// Returns the devices of a run; none if this user has not begun it with this cache.
Result<std::vector<config::DeviceEntry>> kept_devices(const Installation& installation, const std::string& run_id,
                                                      const Say& say);

}  // namespace ngb::campaign
