// SPDX-License-Identifier: Apache-2.0
#include "probe/cgroup.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace ngb::probe {
namespace {

// In version 1, "none" reads as the largest multiple of a page. No machine has an exabyte.
constexpr std::uint64_t kNoLimitBytes = 1ULL << 60U;

struct Mount {
  std::string path;  // where the hierarchy is mounted
  std::string root;  // the group at the top of the mount
};

struct Hierarchy {
  int version = 2;
  std::vector<std::string> folders{};  // the process's own group first, then its parents
};

// Returns the mount of a v1 controller or, if `controller` is empty, of v2. Format: proc(5), /proc/pid/mountinfo.
std::optional<Mount> find_mount(const std::string& mountinfo, std::string_view controller) {
  for (const std::string& line : text::split(mountinfo, '\n')) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    const std::vector<std::string> mount = words(line.substr(0, dash));
    const std::vector<std::string> system = words(line.substr(dash + 3));
    if (mount.size() < 5 || system.size() < 3) continue;
    if (controller.empty() && system[0] == "cgroup2") return Mount{mount[4], mount[3]};
    if (controller.empty() || system[0] != "cgroup") continue;
    const std::vector<std::string> options = text::split(system[2], ',');
    if (std::find(options.begin(), options.end(), controller) != options.end()) return Mount{mount[4], mount[3]};
  }
  return std::nullopt;
}

// Returns this process's group in that hierarchy, from the "id:controllers:path" lines of /proc/self/cgroup.
std::optional<std::string> find_group(const std::string& cgroups, std::string_view controller) {
  for (const std::string& line : text::split(cgroups, '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::vector<std::string> controllers = text::split(line.substr(first + 1, second - first - 1), ',');
    if (std::find(controllers.begin(), controllers.end(), controller) != controllers.end()) {
      return line.substr(second + 1);
    }
  }
  return std::nullopt;
}

std::vector<std::string> folders(const Mount& mount, std::string group) {
  if (mount.root != "/" && group.starts_with(mount.root)) group.erase(0, mount.root.size());
  if (group.find("..") != std::string::npos) group.clear();  // above the namespace's top: only that is visible
  std::vector<std::string> found;
  while (!group.empty() && group != "/") {
    found.push_back(mount.path + group);
    group.erase(group.rfind('/'));
  }
  found.push_back(mount.path);
  return found;
}

Known<Hierarchy> hierarchy(const Tree& tree, std::string_view controller, std::string_view v2_file) {
  const Known<std::string> cgroups = tree.text("/proc/self/cgroup");
  if (!cgroups.value) return Known<Hierarchy>::unknown(cgroups.reason);
  const Known<std::string> mounts = tree.text("/proc/self/mountinfo");
  if (!mounts.value) return Known<Hierarchy>::unknown(mounts.reason);
  for (const std::string_view wanted : {controller, std::string_view{}}) {
    const std::optional<std::string> group = find_group(*cgroups.value, wanted);
    const std::optional<Mount> mount = find_mount(*mounts.value, wanted);
    if (!group || !mount) continue;
    Hierarchy found{wanted.empty() ? 2 : 1, folders(*mount, *group)};
    // The top group of version 2 lacks the files of a limit, so it has none.
    const bool is_there = found.version == 1 || tree.has(mount->path + "/cgroup.controllers") ||
                          tree.has(found.folders.front() + "/" + std::string(v2_file));
    if (is_there) return Known<Hierarchy>::of(found);
  }
  return Known<Hierarchy>::unknown("no control group with the " + std::string(controller) + " controller is mounted");
}

template <class T>
void tighten(std::optional<T>& limit, T candidate) {
  limit = limit ? std::min(*limit, candidate) : candidate;
}

}  // namespace

std::optional<std::string> own_cgroup2_folder(const Tree& tree) {
  const Known<std::string> cgroups = tree.text("/proc/self/cgroup");
  const Known<std::string> mounts = tree.text("/proc/self/mountinfo");
  if (!cgroups.value || !mounts.value) return std::nullopt;
  const std::optional<std::string> group = find_group(*cgroups.value, {});
  const std::optional<Mount> mount = find_mount(*mounts.value, {});
  if (!group || !mount) return std::nullopt;
  return folders(*mount, *group).front();
}

Limit<std::uint64_t> cgroup_memory_limit_bytes(const Tree& tree) {
  const Known<Hierarchy> groups = hierarchy(tree, "memory", "memory.max");
  if (!groups.value) return Limit<std::uint64_t>::unknown(groups.reason);
  std::optional<std::uint64_t> limit;
  for (const std::string& folder : groups.value->folders) {
    const Known<std::uint64_t> bytes =
        tree.number(folder + (groups.value->version == 1 ? "/memory.limit_in_bytes" : "/memory.max"));
    if (bytes.value && *bytes.value < kNoLimitBytes) tighten(limit, *bytes.value);
  }
  return Limit<std::uint64_t>::of(limit);
}

Limit<double> cgroup_cpu_limit(const Tree& tree) {
  const Known<Hierarchy> groups = hierarchy(tree, "cpu", "cpu.max");
  if (!groups.value) return Limit<double>::unknown(groups.reason);
  std::optional<double> limit;
  for (const std::string& folder : groups.value->folders) {
    std::vector<std::string> quota_and_period;
    if (groups.value->version == 1) {
      quota_and_period = {tree.text(folder + "/cpu.cfs_quota_us").value.value_or(""),
                          tree.text(folder + "/cpu.cfs_period_us").value.value_or("")};
    } else {
      quota_and_period = words(tree.text(folder + "/cpu.max").value.value_or(""));
    }
    if (quota_and_period.size() != 2) continue;
    const std::optional<std::uint64_t> quota = parse_unsigned(quota_and_period[0]);  // "max" and -1 are no limit
    const std::optional<std::uint64_t> period = parse_unsigned(quota_and_period[1]);
    if (quota && period && *period > 0) tighten(limit, static_cast<double>(*quota) / static_cast<double>(*period));
  }
  return Limit<double>::of(limit);
}

Known<std::vector<std::string>> cgroup_throttle_files(const Tree& tree) {
  using Files = Known<std::vector<std::string>>;
  const Known<Hierarchy> groups = hierarchy(tree, "cpu", "cpu.stat");
  if (!groups.value) return Files::unknown(groups.reason);
  std::vector<std::string> files;
  for (const std::string& folder : groups.value->folders) {
    std::string file = folder + "/cpu.stat";
    if (throttled_ns(tree, {file}).value) files.push_back(std::move(file));
  }
  if (files.empty()) return Files::unknown("no control group of this process has a quota of processors");
  return Files::of(std::move(files));
}

Known<std::uint64_t> throttled_ns(const Tree& tree, const std::vector<std::string>& files) {
  std::optional<std::uint64_t> longest;
  for (const std::string& file : files) {
    for (const std::string& line : text::split(tree.text(file).value.value_or(""), '\n')) {
      const std::vector<std::string> fields = words(line);
      // Version 2 counts in microseconds, version 1 in nanoseconds.
      const bool is_usec = fields.size() == 2 && fields[0] == "throttled_usec";
      const bool is_ns = fields.size() == 2 && fields[0] == "throttled_time";
      const auto value = is_usec || is_ns ? parse_unsigned(fields[1]) : std::nullopt;
      if (value) longest = std::max(longest.value_or(0), *value * (is_usec ? 1000 : 1));
    }
  }
  return longest ? Known<std::uint64_t>::of(*longest)
                 : Known<std::uint64_t>::unknown("no cpu.stat says how long the control group was stopped");
}

}  // namespace ngb::probe
