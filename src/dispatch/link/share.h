// SPDX-License-Identifier: Apache-2.0
// Describes a share: what one device does, and where the files that it lacks come from.
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

// Shows the user a line about a device, for which the run waits.
using Say = std::function<void(const std::string& remark)>;

// ToolchainSource says where a toolchain for a device that lacks it comes from: a folder on this machine or, if
// `command` is not empty, a program that fetches it.
struct ToolchainSource {
  std::filesystem::path folder{};
  std::vector<std::string> command{};  // fetching.h describes what it answers
};
// Returns the source for a device like this one. Returns an error if there is none; cells that need the toolchain then
// fail with that error as their reason.
using FindToolchain =
    std::function<Result<ToolchainSource>(const samples::Arrival& device, const samples::Description& description)>;

// A toolchain that a device needs.
struct ToolchainTree {
  std::string path{};  // on the device, within its folder: "toolchains/onnxruntime/1.31.1"
  FindToolchain find{};
  bool makes_references = false;  // it is the toolchain of the reference
};

// Makes a device's job. It is called at every connection, when the device is ready for the job, because the jobs of a
// large fleet together need more memory than its plan.
using MakeJob = std::function<Result<work::Job>()>;

struct Share {
  config::DeviceEntry device{};
  std::string run_id{};
  // In the job of a device elsewhere, paths of toolchains are relative to the device's folder.
  MakeJob job{};
  // For a device elsewhere: makes the same job with this machine's toolchains, with which reference outputs are made
  // here if the device cannot make them.
  MakeJob job_here{};
  std::vector<work::Model> files{};  // the models of the job that are users' files
  std::uint64_t last_sequence = 0;   // the number of the last event that is recorded already
  // Returns the completed processes that are recorded already. It is called at every connection.
  std::function<Result<std::vector<samples::Completed>>()> completed{};
  std::filesystem::path work_folder{};      // on the client: logs, and the local agent's journal
  std::vector<ToolchainTree> toolchains{};  // of a device elsewhere
  bool remove_toolchains = false;           // at the teardown
  bool ends_there = false;                  // for fetch_fleet: the run is ended on the device
  bool is_finished = false;                 // all is recorded: a device elsewhere is visited to end the run at most
  bool only_fetch = false;                  // only fetch what the device has recorded; it continues alone
  // A device without a connection is given up after this time; its run can be resumed.
  Nanoseconds lost_after = std::chrono::minutes(10);
};

// Lists where an installation keeps its parts and its lock.
struct Installation {
  std::filesystem::path agent{};   // bin/ngb-agent
  std::filesystem::path worker{};  // bin/ngb-worker
  std::filesystem::path lib{};     // lib/ngraphbench: compilers/, python/
  // The folder whose lock prevents that two runs are measured on this machine at the same time; empty: nothing does.
  std::filesystem::path machine{};
};

}  // namespace ngb::dispatch
