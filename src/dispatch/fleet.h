// SPDX-License-Identifier: Apache-2.0
// All devices of a run at work on their shares of its plan, side by side: none waits for another.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "config/study.h"
#include "dispatch/link/installation.h"
#include "dispatch/link/recording.h"
#include "dispatch/link/share.h"
#include "samples/delivery_messages.h"
#include "samples/message.h"
#include "work/job.h"

namespace ngb::dispatch {

enum class Ending { finished, stopped, left };  // left: at work, without us

struct DeviceEnding {
  std::string device{};
  // How its share ended. Error: the agent could not start, died (again and again), was not heard of, or said that it
  // cannot go on; what was recorded stays.
  Result<Ending> ending = Ending::stopped;
  // Of a device elsewhere whose share is finished: whether nothing of the run is left there, or what is.
  std::optional<Status> torn_down{};
};

// Runs every share to its end, or until `stop_requested` (asked for every 200 ms) is true: the process in flight is
// ended, what is recorded stays. In the order of `shares`. Should nothing be recorded any more, all stop.
std::vector<DeviceEnding> run_fleet(const Installation& installation, const std::vector<Share>& shares,
                                    const Callbacks& callbacks, const std::function<bool()>& stop_requested);

// Gets what is recorded of runs whose job is not at hand any more; jobs are not asked for. With `ends_there`, what is
// at work is ended first, and what was fetched is taken away: `torn_down` says whether all of it is. In the order of
// `shares`; of one that was fetched `ending` is `left`, and an Error says why it could not be reached within 15 s.
std::vector<DeviceEnding> fetch_fleet(const Installation& installation, const std::vector<Share>& shares,
                                      const Callbacks& callbacks, const std::function<bool()>& stop_requested);

// Ends what is at work for these shares on devices elsewhere, and takes everything of the run away there. In the order
// of `shares`; of each only `torn_down` is told. `on_remark`: for the user, what a device has to say meanwhile.
std::vector<DeviceEnding> tear_down_fleet(
    const Installation& installation, const std::vector<Share>& shares,
    const std::function<void(const std::string& device, const std::string& remark)>& on_remark,
    const std::function<bool()>& stop_requested);

// What a device elsewhere tells of itself.
struct Examination {
  std::string device{};
  Result<samples::Arrival> arrival{};
  samples::Description description{};
  std::chrono::duration<double> clock_offset{};  // of its clock against ours, within the time of a message
};

// Reaches every device (none of them local) side by side; leaves the agent there, and nothing else. `log_folder`: what
// ssh says, a file for each device.
Result<std::vector<Examination>> examine(const Installation& installation,
                                         const std::vector<config::DeviceEntry>& devices,
                                         const std::filesystem::path& log_folder);

}  // namespace ngb::dispatch
