// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>

#include "base/environment.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/processors.h"
#include "base/text.h"
#include "probe/board.h"
#include "probe/cgroup.h"
#include "probe/probe.h"
#include "probe/processor.h"
#include "probe/tree.h"

namespace ngb::probe {
namespace {

using samples::EnvironmentEntry;

class Collector {
 public:
  void add(std::string name, Known<std::string> value, bool is_identity = true) {
    entries_.push_back({std::move(name), "", std::move(value), is_identity});
  }
  void add(EnvironmentEntry entry) { entries_.push_back(std::move(entry)); }
  template <class T>
  void add_number(std::string name, std::string unit, const Known<T>& value) {
    entries_.push_back({std::move(name), std::move(unit),
                        value.value ? Known<std::string>::of(fmt::format("{}", *value.value))
                                    : Known<std::string>::unknown(value.reason),
                        true});
  }
  template <class T>
  void add_limit(std::string name, std::string unit, const Limit<T>& limit) {
    const bool is_none = limit.value && !limit.value->has_value();
    entries_.push_back({std::move(name), is_none ? "" : std::move(unit),
                        is_none       ? Known<std::string>::of("none")
                        : limit.value ? Known<std::string>::of(fmt::format("{}", limit.value->value()))
                                      : Known<std::string>::unknown(limit.reason),
                        true});
  }
  samples::Environment finish() {
    std::sort(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return {std::move(entries_)};
  }

 private:
  std::vector<EnvironmentEntry> entries_;
};

// Returns the value of `key` in lines of "key<separator>value", without quotes.
Known<std::string> keyed(const Known<std::string>& content, std::string_view key, char separator,
                         std::string_view where) {
  if (!content.value) return content;
  for (const std::string& line : text::split(*content.value, '\n')) {
    const std::size_t at = line.find(separator);
    if (at == std::string::npos || text::trim(line.substr(0, at)) != key) continue;
    std::string value(text::trim(line.substr(at + 1)));
    value.erase(std::remove(value.begin(), value.end(), '"'), value.end());
    return Known<std::string>::of(value);
  }
  return Known<std::string>::unknown(fmt::format("{} has no {}", where, key));
}

Known<std::uint64_t> memory_installed_bytes(const Tree& tree) {
  const Known<std::string> total = keyed(tree.text("/proc/meminfo"), "MemTotal", ':', "/proc/meminfo");
  if (!total.value) return Known<std::uint64_t>::unknown(total.reason);
  const std::vector<std::string> parts = words(*total.value);  // "24689764 kB"
  const auto kilobytes = parts.empty() ? std::nullopt : parse_unsigned(parts[0]);
  if (!kilobytes) return Known<std::uint64_t>::unknown("/proc/meminfo: MemTotal is not a number: " + *total.value);
  return Known<std::uint64_t>::of(*kilobytes * 1024);
}

// The machine's C library is searched as a file, because this program may be linked with another one or statically.
Known<std::string> glibc_version(const Tree& tree) {
  constexpr std::string_view kMark = "GNU C Library";
  constexpr std::string_view kVersion = "release version ";
  const utsname machine = [] {
    utsname name{};
    ::uname(&name);
    return name;
  }();
  const std::string triplet = fmt::format("/lib/{}-linux-gnu/libc.so.6", static_cast<const char*>(machine.machine));
  for (const std::string& path : {triplet, std::string("/lib64/libc.so.6"), std::string("/lib/libc.so.6")}) {
    if (!tree.has(path)) continue;
    const Result<std::string> library = file::read(tree.real(path), 64U << 20U);
    if (!library) return Known<std::string>::unknown(library.error().text());
    const std::size_t mark = library->find(kMark);
    const std::size_t version = mark == std::string::npos ? mark : library->find(kVersion, mark);
    if (version == std::string::npos) return Known<std::string>::unknown(path + " does not name its version");
    const std::size_t begin = version + kVersion.size();
    std::string found = library->substr(begin, library->find_first_not_of("0123456789.", begin) - begin);
    while (found.ends_with('.')) found.pop_back();
    return Known<std::string>::of(found);
  }
  return Known<std::string>::unknown("no GNU C library where the loader looks for it");
}

Known<std::string> container(const Tree& tree) {
  if (const auto named = tree.text("/run/systemd/container"); named.value) return named;
  if (tree.has("/.dockerenv")) return Known<std::string>::of("docker");
  if (tree.has("/run/.containerenv")) return Known<std::string>::of("podman");
  const Known<std::string> cgroups = tree.text("/proc/self/cgroup");
  if (!cgroups.value) return cgroups;
  for (const std::string_view hint : {"kubepods", "docker", "containerd", "libpod", "lxc"}) {
    if (cgroups.value->find(hint) != std::string::npos) return Known<std::string>::of(std::string(hint));
  }
  return Known<std::string>::of("no sign of one");
}

Known<std::string> machine_model(const Tree& tree) {
  if (const auto board = tree.text("/proc/device-tree/model"); board.value) {
    return Known<std::string>::of(board.value->substr(0, board.value->find('\0')));
  }
  const Known<std::string> product = tree.text("/sys/class/dmi/id/product_name");
  if (!product.value) return Known<std::string>::unknown("neither a device tree nor DMI names the machine");
  const Known<std::string> vendor = tree.text("/sys/class/dmi/id/sys_vendor");
  return Known<std::string>::of(vendor.value ? *vendor.value + " " + *product.value : *product.value);
}

// Returns the selected word: "always" of "[always] madvise never".
Known<std::string> huge_pages(const Tree& tree) {
  const Known<std::string> modes = tree.text("/sys/kernel/mm/transparent_hugepage/enabled");
  if (!modes.value) return modes;
  const std::size_t begin = modes.value->find('[');
  const std::size_t end = modes.value->find(']');
  if (begin == std::string::npos || end == std::string::npos) return modes;
  return Known<std::string>::of(modes.value->substr(begin + 1, end - begin - 1));
}

void add_gpus(const Tree& tree, Collector& collector) {
  constexpr std::string_view kGpus = "/proc/driver/nvidia/gpus";
  std::vector<std::string> models;
  for (const std::string& gpu : tree.names(kGpus, "")) {
    const std::string path = fmt::format("{}/{}/information", kGpus, gpu);
    models.push_back(keyed(tree.text(path), "Model", ':', path).value.value_or("unnamed"));
  }
  const std::string of_board = models.empty() ? board_gpu(tree) : "";
  collector.add("gpu", !of_board.empty() ? Known<std::string>::of(of_board)
                       : models.empty()  ? Known<std::string>::unknown("no NVIDIA GPU with a loaded driver")
                                         : Known<std::string>::of(text::join(models, ", ")));
  collector.add("gpu_driver", tree.text("/sys/module/nvidia/version"));
}

// Adds the variables with which workers are started: those of ours that they get, and those of the study, which count
// more. They get no others, but for names that change nothing (base/environment.h).
void add_variables(const WorkerVariables& given, Collector& collector) {
  environment::Variables variables = environment::recorded();
  for (const auto& [name, value] : given) variables[name] = value;
  for (const auto& [name, value] : variables)
    collector.add("variable_" + text::to_utf8(name), Known<std::string>::of(text::to_utf8(value)));
}

// A cluster's name of this machine. A device of a study may be any node that Slurm or Kubernetes gives it, and two
// nodes of one kind may still differ in speed, so the node is part of the environment. Other devices have no such
// entry.
void add_node(Collector& collector) {
  for (const auto& [entry, variable] :
       {std::pair{"slurm_node", "SLURMD_NODENAME"}, std::pair{"kubernetes_node", "NGB_KUBERNETES_NODE"}}) {
    const std::string node = environment::variable(variable);
    if (!node.empty()) collector.add(entry, Known<std::string>::of(text::to_utf8(node)));
  }
}

// Says what a kubelet with the static CPU manager gives to pods of whole processors: as many processors as the pod may
// use, and to itself. Any other pod shares those that are left, under a quota. Every pod has the first variable.
void add_processors_of_pod(const Tree& tree, const Processor& processor, Collector& collector) {
  using environment::variable;
  if (variable("KUBERNETES_SERVICE_HOST").empty() && variable("NGB_KUBERNETES_NODE").empty()) return;
  const auto usable = static_cast<double>(allowed_cpus().size());
  const std::optional<double> quota = cgroup_cpu_limit(tree).value.value_or(std::nullopt);
  const bool is_part = !processor.threads.value || usable < static_cast<double>(*processor.threads.value);
  const bool is_exclusive = is_part && (!quota || *quota >= usable);
  collector.add("kubernetes_processors", Known<std::string>::of(is_exclusive ? "exclusive" : "shared"));
}

Known<std::string> own_hash(const Tree& tree) {
  const Result<std::string> hash = hash::sha256_of_file(tree.real("/proc/self/exe"));
  return hash ? Known<std::string>::of(*hash) : Known<std::string>::unknown(hash.error().text());
}

}  // namespace

samples::Environment environment(const WorkerVariables& given, const std::string& root) {
  const Tree tree(root);
  const Processor processor = read_processor(tree);
  Collector collector;
  collector.add("cpu_model", processor.model);
  collector.add("cpu_microcode", processor.microcode);
  collector.add("cpu_features", processor.features);
  collector.add_number("cpu_cores", "1", processor.cores);
  collector.add_number("cpu_threads", "1", processor.threads);
  collector.add_number("cpu_max_frequency", "hz", max_frequency_hz(tree));
  collector.add("cpu_governor", governor(tree));
  collector.add("cpu_smt", simultaneous_multithreading(tree));
  collector.add("cpu_turbo", turbo(tree));
  collector.add("numa_nodes", numa_nodes(tree));
  collector.add("hypervisor", processor.hypervisor);
  collector.add("machine", machine_model(tree));
  collector.add_number("memory_total", "bytes", memory_installed_bytes(tree));
  collector.add_limit("cgroup_memory_limit", "bytes", cgroup_memory_limit_bytes(tree));
  collector.add_limit("cgroup_cpu_limit", "1", cgroup_cpu_limit(tree));
  collector.add("affinity", keyed(tree.text("/proc/self/status"), "Cpus_allowed_list", ':', "/proc/self/status"));
  collector.add("transparent_huge_pages", huge_pages(tree));
  collector.add("kernel", tree.text("/proc/sys/kernel/osrelease"));
  collector.add("boot_id", tree.text("/proc/sys/kernel/random/boot_id"), false);
  collector.add("operating_system", keyed(tree.text("/etc/os-release"), "PRETTY_NAME", '=', "/etc/os-release"));
  collector.add("glibc", glibc_version(tree));
  collector.add("container", container(tree));
  add_gpus(tree, collector);
  for (EnvironmentEntry& entry : board_entries(tree)) collector.add(std::move(entry));
  add_variables(given, collector);
  add_node(collector);
  add_processors_of_pod(tree, processor, collector);
  collector.add("agent_version", Known<std::string>::of(NGB_VERSION));
  collector.add("agent_build", own_hash(tree), false);
  return collector.finish();
}

std::vector<int> allowed_cpus() {
  // The kernel needs room for every possible processor. More than 1024 need a set larger than cpu_set_t.
  for (std::size_t count = 1024; count <= (1U << 20U); count *= 2) {
    cpu_set_t* set = CPU_ALLOC(count);
    const std::size_t size_bytes = CPU_ALLOC_SIZE(count);
    const bool is_read = set != nullptr && ::sched_getaffinity(0, size_bytes, set) == 0;
    const bool is_too_small = !is_read && errno == EINVAL;
    std::vector<int> cpus;
    for (std::size_t cpu = 0; is_read && cpu < count; ++cpu) {
      if (CPU_ISSET_S(cpu, size_bytes, set)) cpus.push_back(static_cast<int>(cpu));
    }
    CPU_FREE(set);
    if (!is_too_small) return cpus;
  }
  return {};
}

Known<std::uint64_t> memory_total_bytes(const std::string& root) {
  const Tree tree(root);
  Known<std::uint64_t> total = memory_installed_bytes(tree);
  const Limit<std::uint64_t> limit = cgroup_memory_limit_bytes(tree);
  const bool is_limited = limit.value && limit.value->has_value();
  if (is_limited && (!total.value || **limit.value < *total.value)) total = Known<std::uint64_t>::of(**limit.value);
  return total;
}

UsableProcessors usable_processors(const std::vector<int>& cpus, const std::string& root) {
  const std::vector<int> cores = cores_of(cpus);
  const std::optional<double> quota = cgroup_cpu_limit(Tree(root)).value.value_or(std::nullopt);
  const auto usable = [&](std::size_t count) {
    const double most = quota ? std::min(*quota, static_cast<double>(count)) : static_cast<double>(count);
    return std::max(1, static_cast<int>(most));
  };
  return {.all = usable(cpus.size()), .physical = usable(std::set<int>(cores.begin(), cores.end()).size())};
}

}  // namespace ngb::probe
