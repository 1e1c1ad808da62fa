// SPDX-License-Identifier: Apache-2.0
#include "probe/processor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"

namespace ngb::probe {
namespace {

constexpr std::array<std::string_view, 21> kFeatures{
    "avx",         "avx2",     "fma",      "f16c",     "avx512f",  "avx512_vnni", "avx512_bf16",
    "avx512_fp16", "avx_vnni", "amx_tile", "amx_bf16", "amx_int8", "asimd",       "asimdhp",
    "asimddp",     "sve",      "sve2",     "i8mm",     "bf16",     "svebf16",     "svei8mm"};

// Returns the "key : value" block of each logical processor in /proc/cpuinfo.
std::vector<std::map<std::string, std::string>> blocks(std::string_view cpuinfo) {
  std::vector<std::map<std::string, std::string>> found(1);
  for (const std::string& line : text::split(cpuinfo, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) {
      if (!found.back().empty()) found.emplace_back();
      continue;
    }
    found.back()[std::string(text::trim(line.substr(0, colon)))] = text::trim(line.substr(colon + 1));
  }
  return found;
}

std::string joined(const std::set<std::string>& values) {
  return text::join(std::vector<std::string>(values.begin(), values.end()), ",");
}

std::string model_of(const std::map<std::string, std::string>& block) {
  const auto named = block.find("model name");
  if (named != block.end()) return named->second;
  const auto implementer = block.find("CPU implementer");
  const auto part = block.find("CPU part");
  if (implementer == block.end() || part == block.end()) return {};
  return fmt::format("implementer {} part {}", implementer->second, part->second);
}

std::string features_of(const std::map<std::string, std::string>& block) {
  const auto flags = block.contains("flags") ? block.find("flags") : block.find("Features");
  if (flags == block.end()) return {};
  const std::vector<std::string> all = words(flags->second);
  std::vector<std::string> kept;
  for (const std::string_view feature : kFeatures) {
    if (std::find(all.begin(), all.end(), feature) != all.end()) kept.emplace_back(feature);
  }
  return kept.empty() ? "none" : text::join(kept, " ");
}

Known<std::string> known_or(std::string value, std::string_view reason) {
  return value.empty() ? Known<std::string>::unknown(std::string(reason)) : Known<std::string>::of(std::move(value));
}

// Returns the distinct values of one cpufreq file over all processors.
std::set<std::string> cpufreq(const Tree& tree, std::string_view name) {
  std::set<std::string> values;
  for (const std::string& cpu : tree.names(kCpus, "cpu")) {
    const Known<std::string> value = tree.text(fmt::format("{}/{}/cpufreq/{}", kCpus, cpu, name));
    if (value.value) values.insert(*value.value);
  }
  return values;
}

// Counts packages and cores in sysfs, which lists them on AArch64 too.
Known<std::uint64_t> physical_cores(const Tree& tree) {
  std::set<std::string> siblings;
  for (const std::string& cpu : tree.names(kCpus, "cpu")) {
    const Known<std::string> list = tree.text(fmt::format("{}/{}/topology/thread_siblings_list", kCpus, cpu));
    if (list.value) siblings.insert(*list.value);
  }
  if (siblings.empty()) return Known<std::uint64_t>::unknown("no topology of the processors in /sys");
  return Known<std::uint64_t>::of(siblings.size());
}

}  // namespace

Processor read_processor(const Tree& tree) {
  Processor processor;
  processor.cores = physical_cores(tree);
  const Known<std::string> cpuinfo = tree.text("/proc/cpuinfo");
  if (!cpuinfo.value) {
    for (auto* field : {&processor.model, &processor.microcode, &processor.features, &processor.hypervisor}) {
      *field = Known<std::string>::unknown(cpuinfo.reason);
    }
    processor.threads = Known<std::uint64_t>::unknown(cpuinfo.reason);
    return processor;
  }
  std::set<std::string> models;
  std::set<std::string> microcodes;
  std::string features;
  std::uint64_t threads = 0;
  bool under_hypervisor = false;
  for (const auto& block : blocks(*cpuinfo.value)) {
    if (!block.contains("processor")) continue;
    ++threads;
    if (const std::string model = model_of(block); !model.empty()) models.insert(model);
    if (block.contains("microcode")) microcodes.insert(block.at("microcode"));
    if (features.empty()) features = features_of(block);
    under_hypervisor =
        under_hypervisor || (block.contains("flags") && block.at("flags").find(" hypervisor") != std::string::npos);
  }
  processor.model = known_or(joined(models), "/proc/cpuinfo names no processor");
  processor.microcode = known_or(joined(microcodes), "/proc/cpuinfo has no microcode revision");
  processor.features = known_or(features, "/proc/cpuinfo lists no features");
  processor.threads = threads == 0 ? Known<std::uint64_t>::unknown("/proc/cpuinfo lists no processor")
                                   : Known<std::uint64_t>::of(threads);
  const bool can_tell = cpuinfo.value->find("\nflags") != std::string::npos;
  processor.hypervisor = can_tell ? Known<std::string>::of(under_hypervisor ? "yes" : "no")
                                  : Known<std::string>::unknown("only x86 reports it in /proc/cpuinfo");
  return processor;
}

Known<std::string> governor(const Tree& tree) {
  return known_or(joined(cpufreq(tree, "scaling_governor")), "no cpufreq in /sys: the machine does not show its clock");
}

Known<std::uint64_t> max_frequency_hz(const Tree& tree) {
  std::uint64_t highest_khz = 0;
  for (const std::string& khz : cpufreq(tree, "cpuinfo_max_freq")) {
    highest_khz = std::max(highest_khz, parse_unsigned(khz).value_or(0));
  }
  if (highest_khz == 0) return Known<std::uint64_t>::unknown("no cpufreq in /sys: the machine does not show its clock");
  return Known<std::uint64_t>::of(highest_khz * 1000);
}

Known<std::string> simultaneous_multithreading(const Tree& tree) {
  const Known<std::string> control = tree.text(std::string(kCpus) + "/smt/control");
  if (!control.value) return control;
  const Known<std::string> active = tree.text(std::string(kCpus) + "/smt/active");
  if (active.value == "1") return Known<std::string>::of("on");
  return Known<std::string>::of(control.value == "notsupported" || control.value == "notimplemented" ? "not supported"
                                                                                                     : "off");
}

Known<std::string> turbo(const Tree& tree) {
  const Known<std::string> none = tree.text(std::string(kCpus) + "/intel_pstate/no_turbo");
  if (none.value) return Known<std::string>::of(none.value == "0" ? "on" : "off");
  for (const std::string_view path : {"/cpufreq/boost", "/cpufreq/policy0/boost"}) {
    const Known<std::string> boost = tree.text(std::string(kCpus) + std::string(path));
    if (boost.value) return Known<std::string>::of(boost.value == "1" ? "on" : "off");
  }
  return Known<std::string>::unknown("neither intel_pstate/no_turbo nor cpufreq/boost in /sys");
}

Known<std::string> numa_nodes(const Tree& tree) {
  constexpr std::string_view kNodes = "/sys/devices/system/node";
  std::vector<std::string> nodes;
  for (const std::string& name : tree.names(kNodes, "node")) {
    const Known<std::string> cpus = tree.text(fmt::format("{}/{}/cpulist", kNodes, name));
    if (cpus.value) nodes.push_back(fmt::format("{}: {}", name, *cpus.value));
  }
  return known_or(text::join(nodes, ", "), "no NUMA nodes in /sys");
}

}  // namespace ngb::probe
