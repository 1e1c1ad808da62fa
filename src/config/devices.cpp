// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "base/file.h"
#include "base/json_text.h"
#include "base/text.h"
#include "config/keys/key.h"
#include "config/keys/value.h"
#include "config/sections.h"
#include "config/study.h"

namespace ngb::config {

namespace {

class DeviceReader {
 public:
  DeviceReader(const std::vector<DeviceEntry>& known, Problems& problems) : known_(known), problems_(problems) {}

  std::vector<DeviceEntry> read(const DocumentNode& list) {
    for (std::size_t i = 0; i < list.items.size(); ++i) read_entry(*list.items[i], fmt::format("devices[{}]", i));
    return std::move(devices_);
  }

 private:
  void read_entry(const DocumentNode& node, const std::string& path) {
    DeviceEntry device{.folder = kDeviceFolder};
    if (node.is_scalar()) {
      read_name(node, path, device);
    } else if (node.is_map() && node.entries.size() == 1) {
      const Field named = fields(node, path, problems_).at(0);
      if (named.name == "tag" && named.value->is_scalar()) {
        read_tag(*named.value, join_path(path, "tag"));
        return;
      }
      if (const Key* const way = way_without_name(named)) return read_without_name(*way, *named.value, path, device);
      device.name = named.name;
      if (named.name == kLocal) {
        device = local_device();
      } else if (!is_device_name(named.name)) {
        problems_.add(*named.key, path,
                      fmt::format("{}: expected a name of letters, digits and . _ -", shown(named.name)));
      }
      read_device_body(*named.value, join_path(path, shown(named.name)), device, problems_);
    } else {
      problems_.add(node, path, "expected a device's name, name: local or name: {ssh: HOST}, found " + found(node));
      return;
    }
    for (DeviceEntry& each : one_for_each_node(device)) add(node, path, std::move(each));
  }

  // Adds every known device that has the tag.
  void read_tag(const DocumentNode& node, const std::string& path) {
    std::set<std::string> tags;
    bool is_known = false;
    for (const DeviceEntry& known : known_) {
      tags.insert(known.tags.begin(), known.tags.end());
      if (!has_tag(known, node.text)) continue;
      is_known = true;
      for (DeviceEntry& each : one_for_each_node(known)) add(node, path, std::move(each));
    }
    if (is_known) return;
    const std::vector<std::string> words(tags.begin(), tags.end());
    problems_.add(
        node, path,
        words.empty() ? shown(node.text) + ": no known device has a tag" : unknown_word(node.text, "tag", words));
  }

  void add(const DocumentNode& node, const std::string& path, DeviceEntry device) {
    const bool is_new = std::none_of(devices_.begin(), devices_.end(),
                                     [&](const DeviceEntry& other) { return other.name == device.name; });
    if (!is_new) problems_.add_repeated(node, path, shown(device.name));
    const auto other = std::find_if(devices_.begin(), devices_.end(), is_here);
    if (is_new && is_here(device) && other != devices_.end()) {
      problems_.add(node, path,
                    fmt::format("{} and {} are both this machine; remove one of the two entries", shown(other->name),
                                shown(device.name)));
    }
    if (is_new && !device.name.empty()) devices_.push_back(std::move(device));
  }

  // Returns the way of an entry without a device's name, such as `slurm: {partition: bench}`, or null if the entry
  // describes a device that is called "slurm".
  static const Key* way_without_name(const Field& named) {
    const Key* const way = find_key(device_keys(), named.name);
    if (way == nullptr || !way->way || !way->way->may_name_devices || !named.value->is_map()) return nullptr;
    const bool is_device = std::any_of(named.value->entries.begin(), named.value->entries.end(), [](const auto& entry) {
      return find_key(device_keys(), entry.first->text) != nullptr;
    });
    return is_device ? nullptr : way;
  }

  // Adds a device for each node, named like its node; without nodes, one device named like the way.
  void read_without_name(const Key& way, const DocumentNode& node, const std::string& path, DeviceEntry& device) {
    read_way(way, node, join_path(path, way.name), device, problems_);
    device.name = way.name;
    for (DeviceEntry& each : one_for_each_node(device)) {
      if (!nodes_of(each).empty()) each.name = nodes_of(each).front();
      add(node, join_path(path, way.name), std::move(each));
    }
  }

  void read_name(const DocumentNode& node, const std::string& path, DeviceEntry& device) {
    if (node.text == kLocal) {
      device = local_device();
      return;
    }
    const auto described =
        std::find_if(known_.begin(), known_.end(), [&](const DeviceEntry& each) { return each.name == node.text; });
    if (described != known_.end()) {
      device = *described;
      return;
    }
    std::vector<std::string> names{kLocal};
    for (const DeviceEntry& each : known_) names.push_back(each.name);
    problems_.add(node, path,
                  unknown_word(node.text, "device", names) + "; or describe how it is reached: " + shown(node.text) +
                      ": {ssh: HOST}");
  }

  const std::vector<DeviceEntry>& known_;
  Problems& problems_;
  std::vector<DeviceEntry> devices_{};
};

}  // namespace

std::vector<DeviceEntry> one_for_each_node(const DeviceEntry& device) {
  const std::vector<std::string>& nodes = nodes_of(device);
  if (nodes.empty()) return {device};
  std::vector<DeviceEntry> all;
  for (const std::string& node : nodes) {
    DeviceEntry& added = all.emplace_back(device);
    (device.kubernetes.nodes.empty() ? added.slurm.nodes : added.kubernetes.nodes) = {node};
    if (nodes.size() > 1) added.name += "-" + node;
  }
  return all;
}

bool has_tag(const DeviceEntry& device, std::string_view tag) {
  return std::find(device.tags.begin(), device.tags.end(), tag) != device.tags.end();
}

DeviceEntry local_device() { return {.name = kLocal, .kind = kLocal}; }

bool is_device_name(std::string_view name) {
  constexpr std::size_t kMaxBytes = 64;
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  return !name.empty() && name.size() <= kMaxBytes && name.find_first_not_of(kAllowed) == std::string_view::npos &&
         name.front() != '.' && name.front() != '-';
}

std::vector<DeviceEntry> read_devices(const DocumentNode& node, const std::vector<DeviceEntry>& known,
                                      Problems& problems) {
  if (!is_filled_list(node, "devices", "a list such as [local]", problems)) return {};
  return DeviceReader(known, problems).read(node);
}

tl::expected<std::vector<DeviceEntry>, std::vector<StudyProblem>> load_devices(const std::filesystem::path& path) {
  Problems problems(path.string());
  std::vector<DeviceEntry> devices;
  const Result<std::string> text = file::read(path, kMaxDocumentBytes);
  if (!text) {
    problems.add("", text.error().what);
    return tl::unexpected(problems.take());
  }
  const auto document = parse_document(*text);
  if (!document) {
    return tl::unexpected(std::vector{
        StudyProblem{path.string(), document.error().line, document.error().column, "", document.error().message}});
  }
  if (*document == nullptr || (*document)->is_null()) return devices;
  const DocumentNode& root = **document;
  if (!root.is_map()) {
    problems.add(root, "", "expected devices as name: {ssh: HOST}, found " + found(root));
    return tl::unexpected(problems.take());
  }
  for (const Field& field : fields(root, "", problems)) {
    if (!is_device_name(field.name) || field.name == kLocal) {
      problems.add(*field.key, shown(field.name), "expected a name of letters, digits and . _ - other than local");
    }
    DeviceEntry device{.name = field.name, .folder = kDeviceFolder};
    read_device_body(*field.value, shown(field.name), device, problems);
    if (is_here(device)) {
      problems.add(*field.value, shown(field.name),
                   fmt::format("this machine gets a name in a study: devices: [{}: local]", shown(field.name)));
    }
    devices.push_back(std::move(device));
  }
  if (!problems.empty()) return tl::unexpected(problems.take());
  return devices;
}

Result<std::vector<DeviceEntry>> devices_of_study(const std::string& study_json) {
  const nlohmann::json study = json_text::parse(study_json);
  if (!study.is_object() || !study.contains("devices")) return fail("a recorded study lists no devices");
  const auto document = parse_document(json_text::dump(study["devices"]));
  if (!document || *document == nullptr) return fail("the devices of a recorded study cannot be read");
  Problems problems("recorded study");
  std::vector<DeviceEntry> devices = read_devices(**document, {}, problems);
  if (!problems.empty())
    return fail("the devices of a recorded study cannot be read: " + problems.take().front().text());
  return devices;
}

// Reads the mapping below a device's name: how the device is reached, its environment, limits and folders.

namespace {

using nlohmann::json;

constexpr std::size_t kLongestChosenName = 320;
// The keys of `local: {…}`. All others say how a device elsewhere is reached, or where its folders are.
constexpr std::array kKeysOfThisMachine{"environment", "limits", "threads", "cost_per_hour"};

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
    for (const Field& field :
         fields_or_problem(body, path, "how the device is reached, such as {ssh: HOST}", problems_)) {
      const Key* const key = find_key(device_keys(), field.name);
      if (key == nullptr) {
        problems_.add(*field.key, path, unknown_key(field.name, names(device_keys())));
      } else if (is_here(device_) && std::ranges::find(kKeysOfThisMachine, field.name) == kKeysOfThisMachine.end()) {
        problems_.add(*field.key, path,
                      fmt::format("local is this machine, which has no {}; remove it, or give the device another name",
                                  field.name));
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
        problems_.add(*field.key, path, unknown_key(field.name, names(mapping.keys)));
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
