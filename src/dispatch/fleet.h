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
#include "dispatch/installation.h"
#include "dispatch/recording.h"
#include "samples/delivery.h"
#include "samples/job.h"
#include "samples/message.h"

namespace ngb::dispatch {

// Where a toolchain for a device that lacks it comes from.
struct ToolchainSource {
  std::filesystem::path folder{};      // here
  std::vector<std::string> command{};  // else: a program that gets it (fetching.h says what it answers)
};
// For a device like this one. Error: it cannot be had; cells that need it fail with that as their reason.
using FindToolchain =
    std::function<Result<ToolchainSource>(const samples::Arrival& device, const samples::Description& description)>;

// A toolchain that a device needs.
struct ToolchainTree {
  std::string path{};  // on the device, within its folder: "toolchains/onnxruntime/1.31.1"
  FindToolchain find{};
  bool makes_references = false;  // for all others
};

// Asked for at every connection, when the device takes it: the jobs of a large fleet together need more memory than its
// plan.
using MakeJob = std::function<Result<samples::Job>()>;

// What one device is to do.
struct Share {
  config::DeviceEntry device{};
  std::string run_id{};
  // Of a device elsewhere: paths of toolchains are within the device's folder.
  MakeJob job{};
  // Of a device elsewhere: the same as this machine would take it. Where the device cannot make its reference outputs,
  // they are made here.
  MakeJob job_here{};
  std::vector<samples::ModelWork> files{};  // the models in it that are users' files
  // What is recorded already: the number of the last event; at every connection, the completed processes by cell id.
  std::uint64_t last_sequence = 0;
  std::function<Result<std::map<std::string, std::vector<int>>>()> completed{};
  std::filesystem::path work_folder{};                // here, on the client: logs; the local agent's journal
  std::vector<ToolchainTree> toolchains{};            // of a device elsewhere
  bool remove_toolchains = false;                     // at the teardown
  bool only_fetch = false;                            // what the device has done; it goes on alone
  Nanoseconds lost_after = std::chrono::minutes(10);  // without a connection it is given up, and can be resumed
};

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

// Ends what is at work for these shares on devices elsewhere, and takes everything of the run away there. In the order
// of `shares`; of each only `torn_down` is told.
std::vector<DeviceEnding> tear_down_fleet(const Installation& installation, const std::vector<Share>& shares,
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
