// SPDX-License-Identifier: Apache-2.0
// What one device is to do, and where what it lacks comes from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "config/device.h"
#include "samples/delivery_messages.h"
#include "samples/message.h"
#include "work/job.h"

namespace ngb::dispatch {

// Tells the user something about a device, while that takes its time.
using Say = std::function<void(const std::string& remark)>;

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
using MakeJob = std::function<Result<work::Job>()>;

// What one device is to do.
struct Share {
  config::DeviceEntry device{};
  std::string run_id{};
  // Of a device elsewhere: paths of toolchains are within the device's folder.
  MakeJob job{};
  // Of a device elsewhere: the same as this machine would take it. Where the device cannot make its reference outputs,
  // they are made here.
  MakeJob job_here{};
  std::vector<work::Model> files{};  // the models in it that are users' files
  // What is recorded already: the number of the last event; at every connection, the completed processes.
  std::uint64_t last_sequence = 0;
  std::function<Result<std::vector<samples::Completed>>()> completed{};
  std::filesystem::path work_folder{};                // here, on the client: logs; the local agent's journal
  std::vector<ToolchainTree> toolchains{};            // of a device elsewhere
  bool remove_toolchains = false;                     // at the teardown
  bool ends_there = false;                            // for fetch_fleet: nothing is begun there any more
  bool only_fetch = false;                            // what the device has done; it goes on alone
  Nanoseconds lost_after = std::chrono::minutes(10);  // without a connection it is given up, and can be resumed
};

}  // namespace ngb::dispatch
