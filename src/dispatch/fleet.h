// SPDX-License-Identifier: Apache-2.0
// Runs the shares of all devices of a run side by side: no device waits for another.
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
#include "dispatch/link/recording.h"
#include "dispatch/link/share.h"
#include "samples/delivery_messages.h"
#include "samples/message.h"
#include "work/job.h"

namespace ngb::dispatch {

enum class Ending { finished, stopped, left };  // left: its agent continues without this client

struct DeviceEnding {
  std::string device{};
  // How its share ended. It is an error if the agent could not start, died repeatedly, could not be reached for too
  // long, or reported an error that ends it. Recorded results are kept.
  Result<Ending> ending = Ending::stopped;
  // For a device elsewhere from which the run was removed: success if nothing of the run is left there, otherwise an
  // error that names what is left. Nothing if no removal was tried.
  std::optional<Status> torn_down{};
};

// Runs every share to its end, or until `stop_requested`, which is called every 200 ms, returns true: running processes
// are then ended and recorded results are kept. All devices stop, too, if results can no longer be recorded. Returns
// the endings in the order of `shares`.
std::vector<DeviceEnding> run_fleet(const Installation& installation, const std::vector<Share>& shares,
                                    const Callbacks& callbacks, const std::function<bool()>& stop_requested);

// Fetches what the devices have recorded, without the shares' jobs, which are never made. With `ends_there` the run is
// ended on the device first, and removed from it after the fetch; `torn_down` then says whether all of it was removed.
// Returns the endings in the order of `shares`: `left` if the device was fetched, otherwise the error, for instance
// that it could not be reached within 15 s.
std::vector<DeviceEnding> fetch_fleet(const Installation& installation, const std::vector<Share>& shares,
                                      const Callbacks& callbacks, const std::function<bool()>& stop_requested);

// Ends the processes of these shares on devices elsewhere and removes everything of the run there. Returns the endings
// in the order of `shares`, with nothing but `torn_down` set. `on_remark` shows the user a line about a device
// meanwhile.
std::vector<DeviceEnding> tear_down_fleet(
    const Installation& installation, const std::vector<Share>& shares,
    const std::function<void(const std::string& device, const std::string& remark)>& on_remark,
    const std::function<bool()>& stop_requested);

// Examination is what a device elsewhere reports about itself.
struct Examination {
  std::string device{};
  Result<samples::Arrival> arrival{};  // the error if the device could not be examined
  samples::Description description{};
  std::chrono::duration<double> clock_offset{};  // its clock minus ours, exact up to the time of a message
};

// Examines all devices (none of them local) side by side. Leaves nothing on them but the agent. The output of ssh goes
// to `log_folder`, in a file for each device. Returns an error if a file of this installation cannot be read.
Result<std::vector<Examination>> examine(const Installation& installation,
                                         const std::vector<config::DeviceEntry>& devices,
                                         const std::filesystem::path& log_folder);

}  // namespace ngb::dispatch
