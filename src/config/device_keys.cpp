// SPDX-License-Identifier: Apache-2.0
// The keys below a device's name.
#include "config/key.h"

namespace ngb::config {
namespace {

// What can be no option of ssh.
constexpr const char* kHost = R"(^[0-9A-Za-z_:\[][0-9A-Za-z_.:%@\[\]-]{0,252}$)";
constexpr const char* kSlurmWord = R"(^[0-9A-Za-z_][0-9A-Za-z_.:,&|*@()\[\]-]{0,98}$)";
constexpr const char* kUser = R"(^[0-9A-Za-z_][0-9A-Za-z_.@\\-]{0,63}$)";
constexpr const char* kVariableValue = R"(^[^\x00-\x1f]{0,1000}$)";
constexpr const char* kTag = R"(^[0-9A-Za-z][0-9A-Za-z_.-]{0,62}$)";

// Handed to sbatch as it is.
Key slurm_key(const char* name, const char* meaning) {
  return {.name = name,
          .type = ValueType::bare_text,
          .pattern = kSlurmWord,
          .meaning = meaning,
          .default_text = "the cluster's own"};
}

}  // namespace

std::span<const Key> device_keys() {
  static const std::vector<Key> kKeys{
      {.name = "ssh",
       .type = ValueType::structured,
       .meaning = "The host, as `ssh HOST` takes it; or a mapping of the keys below",
       .keys = {{.name = "host",
                 .type = ValueType::text,
                 .pattern = kHost,
                 .meaning = "Name or address, or a Host of ~/.ssh/config"},
                {.name = "user",
                 .type = ValueType::text,
                 .pattern = kUser,
                 .meaning = "Login there",
                 .default_text = "ssh's own"},
                {.name = "port",
                 .type = ValueType::integer,
                 .minimum = 1,
                 .maximum = 65535,
                 .meaning = "Port of its sshd",
                 .default_text = "ssh's own"},
                {.name = "config",
                 .type = ValueType::path,
                 .meaning = "Configuration of ssh to use instead of ~/.ssh/config",
                 .default_text = "ssh's own"}}},
      {.name = "slurm",
       .type = ValueType::structured,
       .meaning =
           "A machine that Slurm gives, as a mapping of the keys below; with ssh, that is where its commands are",
       .keys = {slurm_key("partition", "Partition"),
                slurm_key("constraint", "Features that the machine has"),
                slurm_key("gres", "Generic resources, such as gpu:1"),
                slurm_key("account", "Account to charge"),
                slurm_key("qos", "Quality of service"),
                slurm_key("time",
                          "Limit of one job, such as 30 or 2:00:00; a study that needs longer gets another job"),
                {.name = "nodes",
                 .type = ValueType::texts,
                 .pattern = kHost,
                 .meaning = "Each of these nodes is a device",
                 .default_text = "one device, on any node"}}},
      {.name = "folder",
       .type = ValueType::text,
       .pattern = kLabel,
       .meaning = "Folder there for everything that NGraphBench keeps",
       .default_text = kDeviceFolder},
      {.name = "toolchains",
       .type = ValueType::text,
       .pattern = kLabel,
       .meaning = "Folder there of toolchains that the device has already, as `ngb toolchain` lays them out",
       .default_text = "toolchains, in the device's folder"},
      {.name = "environment",
       .type = ValueType::structured,
       .meaning =
           "Variables for the measured processes there, as NAME: text; recorded with the results, so no secrets. "
           "What NGraphBench sets itself (OMP_NUM_THREADS and its like) goes above them",
       .default_text = "{}",
       .keys = {{.name = "NAME",
                 .type = ValueType::bare_text,
                 .maximum = 1000,
                 .pattern = kVariableValue,
                 .meaning = "What the variable NAME is set to",
                 .default_text = "as the login there has it"}}},
      {.name = "limits",
       .type = ValueType::structured,
       .meaning = "What a run may take of it, as a mapping of the keys below",
       .keys = {{.name = "memory",
                 .type = ValueType::bytes,
                 .minimum = 1,
                 .maximum = kMaxExact,
                 .meaning = "Memory that a process may hold, where the study does not allow less",
                 .default_text = "90 % of the device's"},
                {.name = "free_disk",
                 .type = ValueType::bytes,
                 .minimum = 0,
                 .maximum = kMaxExact,
                 .meaning = "Disk that stays free: nothing is delivered or measured beyond",
                 .default_text = "64 MiB"},
                {.name = "time_s",
                 .type = ValueType::number,
                 .minimum = 1,
                 .maximum = kMaxExact,
                 .meaning = "After so long no further process is begun; the same command goes on later",
                 .default_text = "none"}}},
      {.name = "tags",
       .type = ValueType::texts,
       .pattern = kTag,
       .meaning = "Words of your own; `tag: WORD` in a study's devices stands for all known devices that have it",
       .default_text = "[]"},
  };
  return kKeys;
}

}  // namespace ngb::config
