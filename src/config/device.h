// SPDX-License-Identifier: Apache-2.0
// A device of a study: what it is called and how it is reached.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ngb::config {

// As ssh takes it; what is left out comes from the user's own configuration of ssh.
struct SshAddress {
  std::string host{};
  std::string user{};
  int port = 0;                    // 0: ssh's own
  std::filesystem::path config{};  // another file than ~/.ssh/config
};

// What Slurm is asked for, in sbatch's own words; empty: the cluster's defaults.
struct SlurmRequest {
  std::string partition{};
  std::string constraint{};
  std::string gres{};
  std::string account{};
  std::string qos{};
  std::string time{};                // limit of one job; a study that needs more gets several, one after another
  std::vector<std::string> nodes{};  // the device is one on each of these; a study's device has at most one, empty: any
};

// What a run may take of a device.
struct DeviceLimits {
  std::optional<std::uint64_t> memory_bytes{};     // of a process; the study's own limit holds too
  std::optional<std::uint64_t> free_disk_bytes{};  // so much stays free on the disk of the device's folder
  std::optional<double> time_s{};                  // from the agent's start to the end of its last process
};

inline constexpr const char* kDeviceFolder = "~/.ngraphbench";

inline constexpr const char* kLocal = "local";

struct DeviceEntry {
  std::string name{};        // "local", "xeon"
  std::string kind{};        // kLocal, or the key that says how it is reached (Key::way): "ssh", "slurm"
  SshAddress ssh{};          // of kind slurm: where Slurm's commands are; no host: here
  SlurmRequest slurm{};      // of kind slurm
  std::string folder{};      // there, for all that NGraphBench keeps; may begin with ~/
  std::string toolchains{};  // there, of toolchains that it has; likewise; empty: in `folder`
  std::vector<std::pair<std::string, std::string>> environment{};  // variables of its workers, sorted by name
  DeviceLimits limits{};
  std::vector<std::string> command{};    // of kind command: a program and its arguments, which lead to a shell
  std::vector<std::string> tags{};       // the user's own words for it
  std::vector<std::string> compilers{};  // labels of those that run there; from `pairs`, else all
};

// The device is this machine.
inline bool is_here(const DeviceEntry& device) { return device.kind == kLocal; }

}  // namespace ngb::config
