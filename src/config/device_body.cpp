// SPDX-License-Identifier: Apache-2.0
// What stands below a device's name: how it is reached, and what holds there.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "config/key.h"
#include "config/sections.h"
#include "config/value.h"

namespace ngb::config {
namespace {

using nlohmann::json;

std::string& word_of(SlurmRequest& request, const std::string& key) {
  if (key == "partition") return request.partition;
  if (key == "constraint") return request.constraint;
  if (key == "gres") return request.gres;
  if (key == "account") return request.account;
  return key == "qos" ? request.qos : request.time;
}

void set_slurm(DeviceEntry& device, const std::string& key, const json& value) {
  if (key == "nodes") {
    device.nodes = value.get<std::vector<std::string>>();
  } else {
    word_of(device.slurm, key) = value.get<std::string>();
  }
}

void set_ssh(SshAddress& address, const std::string& key, const json& value) {
  if (key == "host") address.host = value.get<std::string>();
  if (key == "user") address.user = value.get<std::string>();
  if (key == "port") address.port = value.get<int>();
  if (key == "config") address.config = value.get<std::string>();
}

void set_limit(DeviceLimits& limits, const std::string& key, const json& value) {
  if (key == "memory") limits.memory_bytes = value.get<std::uint64_t>();
  if (key == "free_disk") limits.free_disk_bytes = value.get<std::uint64_t>();
  if (key == "time_s") limits.time_s = value.get<double>();
}

class BodyReader {
 public:
  BodyReader(DeviceEntry& device, Problems& problems) : device_(device), problems_(problems) {}

  void read(const DocumentNode& body, const std::string& path) {
    if (!body.is_map()) {
      problems_.add(body, path, "expected how it is reached, such as {ssh: HOST}, found " + found(body));
      return;
    }
    for (const Field& field : fields(body, path, problems_)) {
      const Key* const key = find_key(device_keys(), field.name);
      if (key == nullptr) {
        problems_.add(*field.key, path, unknown_word(field.name, "key", names(device_keys())));
      } else {
        read_key(*key, *field.value, join_path(path, field.name));
      }
    }
    if (device_.kind.empty()) problems_.add(body, path, "how is it reached? Add ssh: HOST, or slurm: {…}");
  }

  void read_slurm(const Key& key, const DocumentNode& node, const std::string& path) {
    device_.kind = "slurm";
    read_mapping(key, node, path, "what Slurm is asked for, such as {partition: bench}",
                 [this](const std::string& name, const json& value) { set_slurm(device_, name, value); });
  }

 private:
  void read_key(const Key& key, const DocumentNode& node, const std::string& path) {
    if (key.name == "ssh") return read_ssh(key, node, path);
    if (key.name == "slurm") return read_slurm(key, node, path);
    if (key.name == "environment") return read_environment(key, node, path);
    if (key.name == "limits") {
      return read_mapping(
          key, node, path, "limits such as {memory: 4 GB}",
          [this](const std::string& name, const json& value) { set_limit(device_.limits, name, value); });
    }
    const auto value = read_value(key, node, path, problems_);
    if (!value) return;
    if (key.name == "tags") device_.tags = value->get<std::vector<std::string>>();
    if (key.name == "folder") device_.folder = value->get<std::string>();
    if (key.name == "toolchains") device_.toolchains = value->get<std::string>();
  }

  void read_ssh(const Key& key, const DocumentNode& node, const std::string& path) {
    if (device_.kind.empty()) device_.kind = "ssh";
    if (!node.is_map()) {
      const auto host = read_value(*find_key(key.keys, "host"), node, path, problems_);
      if (host) device_.ssh.host = host->get<std::string>();
      return;
    }
    read_mapping(key, node, path, "",
                 [this](const std::string& name, const json& value) { set_ssh(device_.ssh, name, value); });
    if (device_.ssh.host.empty()) problems_.add(node, path, "the host is missing");
  }

  // Names are the user's own, each with a text.
  void read_environment(const Key& key, const DocumentNode& node, const std::string& path) {
    if (!node.is_map()) {
      problems_.add(node, path, "expected variables such as {OMP_PROC_BIND: close}, found " + found(node));
      return;
    }
    for (const Field& field : fields(node, path, problems_)) {
      if (!is_variable_name(field.name)) {
        problems_.add(*field.key, path,
                      shown(field.name) + ": expected a variable's name of letters, digits and _, not NGB_…");
        continue;
      }
      const auto value = read_value(key.keys.front(), *field.value, join_path(path, field.name), problems_);
      if (value) device_.environment.emplace_back(field.name, value->get<std::string>());
    }
    std::sort(device_.environment.begin(), device_.environment.end());
  }

  // Each known key of a mapping, with its value read.
  template <class Set>
  void read_mapping(const Key& mapping, const DocumentNode& node, const std::string& path, const char* expected,
                    const Set& set) {
    if (!node.is_map()) {
      problems_.add(node, path, fmt::format("expected {}, found {}", expected, found(node)));
      return;
    }
    for (const Field& field : fields(node, path, problems_)) {
      const Key* const key = find_key(mapping.keys, field.name);
      if (key == nullptr) {
        problems_.add(*field.key, path, unknown_word(field.name, "key", names(mapping.keys)));
      } else if (const auto value = read_value(*key, *field.value, join_path(path, field.name), problems_)) {
        set(key->name, *value);
      }
    }
  }

  // Those of NGraphBench itself are not to be changed.
  static bool is_variable_name(std::string_view name) {
    constexpr std::string_view kDigits = "0123456789";
    constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    return !name.empty() && name.find_first_not_of(kAllowed) == std::string_view::npos &&
           kDigits.find(name.front()) == std::string_view::npos && !name.starts_with("NGB_");
  }

  DeviceEntry& device_;
  Problems& problems_;
};

}  // namespace

void read_device_body(const DocumentNode& body, const std::string& path, DeviceEntry& device, Problems& problems) {
  BodyReader(device, problems).read(body, path);
}

void read_slurm_request(const DocumentNode& node, const std::string& path, DeviceEntry& device, Problems& problems) {
  BodyReader(device, problems).read_slurm(*find_key(device_keys(), "slurm"), node, path);
}

}  // namespace ngb::config
