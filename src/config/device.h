// SPDX-License-Identifier: Apache-2.0
// A device of a study: its name, how it is reached, and what a run may use of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "work/protocol.h"

namespace ngb::config {

// An address for ssh. Empty fields come from the user's own configuration of ssh.
struct SshAddress {
  std::string host{};
  std::string user{};
  int port = 0;                    // 0: as ssh is configured
  std::filesystem::path config{};  // a file to use instead of ~/.ssh/config
};

// A request to Slurm: options of sbatch. An empty field means the cluster's default.
struct SlurmRequest {
  std::string partition{};
  std::string constraint{};
  std::string gres{};
  std::string account{};
  std::string qos{};
  std::string time{};                // limit of one job; a study that needs longer gets several jobs in turn
  std::vector<std::string> nodes{};  // each is a device; a device of a study has at most one; empty: any node
};

// A request for a pod of a Kubernetes cluster. An empty field means kubectl's or the cluster's default.
struct KubernetesRequest {
  using Words = std::vector<std::pair<std::string, std::string>>;  // sorted by the first

  std::string pod{};  // an existing pod, which ngb neither makes nor deletes; then only the next three say more
  std::string context{};
  std::string in_namespace{};
  std::string container{};
  std::string image{};               // of the pod that ngb makes
  std::vector<std::string> nodes{};  // each is a device; a device of a study has at most one; empty: any node
  Words selector{};                  // labels that the node must have
  std::optional<int> cpus{};         // whole processors, both requested and the limit; nothing: 1
  std::optional<std::uint64_t> memory_bytes{};  // likewise; nothing: 2 GB
  Words resources{};                            // extended resources, such as nvidia.com/gpu: 1
  std::vector<std::string> tolerations{};       // KEY, KEY=VALUE or KEY=VALUE:EFFECT
  std::string priority{};                       // a priority class
  std::string pull_secret{};
  std::string pull{};                  // IfNotPresent, Always or Never; "": the first
  std::string volume{};                // a persistent volume claim for the folder; "": the folder ends with the pod
  std::optional<int> time_s{};         // limit of one pod; a study that needs longer gets several in turn
  std::optional<bool> is_exclusive{};  // no two pods of ngb on one node; nothing: true
};

inline constexpr const char* kDeviceFolder = "~/.ngraphbench";
// The folder and the memory of a pod that ngb makes.
inline constexpr const char* kPodFolder = "/ngraphbench/data";
inline constexpr std::uint64_t kPodMemoryBytes = 2'000'000'000;

inline constexpr const char* kLocal = "local";

struct DeviceEntry {
  std::string name{};              // "local", "xeon"
  std::string kind{};              // kLocal, or the key of its way (Key::way): "ssh", "slurm", "kubernetes", "command"
  SshAddress ssh{};                // of kind slurm or kubernetes: the host with its commands; no host: this machine
  SlurmRequest slurm{};            // of kind slurm
  KubernetesRequest kubernetes{};  // of kind kubernetes
  std::string folder{};            // on the device, for all of NGraphBench's files; may begin with ~/
  std::string toolchains{};        // on the device, with existing toolchains; may begin with ~/; empty: in `folder`
  std::vector<std::pair<std::string, std::string>> environment{};  // variables of its workers, sorted by name
  work::DeviceLimits limits{};
  std::string threads{};  // "all", "physical" or "4", for compilers without threads of their own; "": the study's
  std::optional<double> unreachable_s{};  // without a connection, after which a run gives it up; nothing: ten minutes
  std::vector<std::string> command{};     // of kind command: program and arguments that lead to a shell
  std::vector<std::string> tags{};        // words that the user chose for it
  std::optional<double> cost_per_hour{};  // in any currency; nothing: not given
  std::vector<std::string> compilers{};   // labels of those that run on it: from `pairs`, else all
};

// Returns whether `name` has 1 to 64 letters, digits and . _ - and begins with neither . nor -. It must, because
// folders are called by it.
bool is_device_name(std::string_view name);

// Returns the nodes of a cluster that the device may be; empty if any, or if it is in no cluster.
inline const std::vector<std::string>& nodes_of(const DeviceEntry& device) {
  return device.kubernetes.nodes.empty() ? device.slurm.nodes : device.kubernetes.nodes;
}

// Returns whether the device is this machine.
inline bool is_here(const DeviceEntry& device) { return device.kind == kLocal; }

}  // namespace ngb::config
