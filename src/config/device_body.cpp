// SPDX-License-Identifier: Apache-2.0
// Reads the mapping below a device's name: how the device is reached, its environment, limits and folders.
#include <fmt/format.h>

#include <regex>

#include "base/text.h"
#include "config/keys/key.h"
#include "config/keys/value.h"
#include "config/sections.h"

namespace ngb::config {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestChosenName = 320;

// Returns "how is the device reached? Add ssh: HOST, or slurm: {…}".
std::string how_to_reach() {
  std::vector<std::string> ways;
  for (const Key& key : device_keys()) {
    if (key.way) ways.push_back(key.way->example);
  }
  ways.back().insert(0, "or ");
  return "how is the device reached? Add " + text::join(ways, ", ");
}

class BodyReader {
 public:
  BodyReader(DeviceEntry& device, Problems& problems) : device_(device), problems_(problems) {}

  void read(const DocumentNode& body, const std::string& path) {
    if (body.is_scalar() && body.text == kLocal) {
      device_.kind = kLocal;
      device_.folder.clear();
      return;
    }
    if (!body.is_map()) {
      problems_.add(body, path, "expected how the device is reached, such as {ssh: HOST}, found " + found(body));
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
    if (device_.kind.empty()) problems_.add(body, path, how_to_reach());
    complete(body, path);
  }

  // Has the device's way complete it, once all keys are read.
  void complete(const DocumentNode& body, const std::string& path) {
    const Key* const chosen = find_key(device_keys(), device_.kind);
    if (chosen == nullptr || !chosen->way->complete) return;
    if (const std::string wrong = chosen->way->complete(device_); !wrong.empty()) problems_.add(body, path, wrong);
  }

  void read_key(const Key& key, const DocumentNode& node, const std::string& path) {
    if (key.way) choose_way(key, node, path);
    if (key.type != ValueType::structured) return read_plain(key, node, path);
    if (!node.is_map() && key.first_may_stand_alone) return read_plain(key.keys.front(), node, path);
    if (!node.is_map() && !key.first_may_stand_alone) {
      problems_.add(node, path, fmt::format("expected {}, found {}", key.example, found(node)));
    } else if (key.set_of != nullptr) {
      read_chosen_names(key, node, path);
    } else {
      read_mapping(key, node, path);
    }
  }

 private:
  // Makes `key` the device's way, unless it is only the way to the host with the commands of the way already chosen.
  void choose_way(const Key& key, const DocumentNode& node, const std::string& path) {
    const Key* const chosen = find_key(device_keys(), device_.kind);
    if (chosen == nullptr || key.way->through == chosen->name) {
      device_.kind = key.name;
    } else if (chosen->way->through != key.name) {
      problems_.add(node, path, fmt::format("a device is reached in one way; remove {} or {}", chosen->name, key.name));
    }
  }

  void read_plain(const Key& key, const DocumentNode& node, const std::string& path) {
    if (const auto value = read_value(key, node, path, problems_)) key.set_of(device_, *value);
  }

  void read_mapping(const Key& mapping, const DocumentNode& node, const std::string& path) {
    for (const Field& field : fields(node, path, problems_)) {
      const Key* const key = find_key(mapping.keys, field.name);
      if (key == nullptr) {
        problems_.add(*field.key, path, unknown_word(field.name, "key", names(mapping.keys)));
      } else {
        read_key(*key, *field.value, join_path(path, field.name));
      }
    }
    const Key& first = mapping.keys.front();
    if (mapping.first_may_stand_alone && first.get_of(device_).is_null()) {
      problems_.add(node, path, fmt::format("the {} is missing", first.name));
    }
  }

  // Reads a mapping whose keys are names that the user chooses and whose values are texts.
  void read_chosen_names(const Key& key, const DocumentNode& node, const std::string& path) {
    const std::regex pattern(key.names_pattern);
    json values = json::object();
    for (const Field& field : fields(node, path, problems_)) {
      if (field.name.size() > kLongestChosenName || !std::regex_match(field.name, pattern)) {
        problems_.add(*field.key, path, fmt::format("{}: expected {}", shown(field.name), key.names_in_words));
        continue;
      }
      const auto value = read_value(key.keys.front(), *field.value, join_path(path, field.name), problems_);
      if (value) values[field.name] = *value;
    }
    key.set_of(device_, values);
  }

  DeviceEntry& device_;
  Problems& problems_;
};

}  // namespace

void read_device_body(const DocumentNode& body, const std::string& path, DeviceEntry& device, Problems& problems) {
  BodyReader(device, problems).read(body, path);
}

void read_way(const Key& way, const DocumentNode& node, const std::string& path, DeviceEntry& device,
              Problems& problems) {
  BodyReader reader(device, problems);
  reader.read_key(way, node, path);
  reader.complete(node, path);
}

}  // namespace ngb::config
