// SPDX-License-Identifier: Apache-2.0
#include "base/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace ngb {
namespace {

constexpr std::string_view kForms =
    "write a list of processors such as [0, 2, 4], numa:0, performance, efficiency, one_per_core or all; behind it, "
    "memory:0 or memory:interleave says where memory is";
constexpr std::array<std::string_view, 4> kWords{"all", "one_per_core", "performance", "efficiency"};
constexpr int kMostProcessors = 1 << 20;

std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && number >= 0 && number < kMostProcessors ? std::optional(number) : std::nullopt;
}

// Returns the content of a small file of /sys; "" if there is none.
std::string sys_text(const std::filesystem::path& root, const std::string& name) {
  const Result<std::string> content = file::read(root / name, 65536);
  return content ? std::string(text::trim(*content)) : std::string();
}

std::set<int> numbers_in(const std::filesystem::path& root, const std::string& name) {
  const std::vector<int> list = parse_cpu_list(sys_text(root, name));
  return {list.begin(), list.end()};
}

constexpr const char* kNodes = "sys/devices/system/node";

// Sets the kinds by the capacities that the kernel shows, if they differ.
void set_kinds_by_capacity(const std::filesystem::path& root, std::vector<LogicalProcessor>& processors) {
  std::vector<int> capacities;
  for (const LogicalProcessor& each : processors) {
    const std::string name = fmt::format("sys/devices/system/cpu/cpu{}/cpu_capacity", each.number);
    capacities.push_back(number_of(sys_text(root, name)).value_or(0));
  }
  const auto [least, most] = std::minmax_element(capacities.begin(), capacities.end());
  if (least == most || *least == *most) return;
  for (std::size_t i = 0; i < processors.size(); ++i)
    processors[i].kind = capacities[i] == *least ? ProcessorKind::efficiency : ProcessorKind::performance;
}

std::vector<int> numbers_of(const std::vector<LogicalProcessor>& processors) {
  std::vector<int> numbers;
  for (const LogicalProcessor& each : processors) numbers.push_back(each.number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

template <class Wanted>
std::vector<int> those(const std::vector<LogicalProcessor>& processors, Wanted wanted) {
  std::vector<LogicalProcessor> found;
  std::copy_if(processors.begin(), processors.end(), std::back_inserter(found), wanted);
  return numbers_of(found);
}

Result<std::vector<int>> listed_ones(const ProcessorChoice& choice, const std::vector<int>& allowed) {
  for (const int each : choice.listed) {
    if (std::find(allowed.begin(), allowed.end(), each) != allowed.end()) continue;
    return fail(fmt::format("processor {} does not exist, or a process may not use it", each), "processors",
                "list some of " + cpu_list(allowed) + ", or write all");
  }
  return choice.listed;
}

}  // namespace

std::vector<LogicalProcessor> topology_of(const std::vector<int>& numbers, const std::filesystem::path& root) {
  const std::set<int> performance = numbers_in(root, "sys/devices/cpu_core/cpus");
  const std::set<int> efficiency = numbers_in(root, "sys/devices/cpu_atom/cpus");
  std::vector<LogicalProcessor> found;
  for (const int number : numbers) {
    LogicalProcessor each{.number = number, .core = number};
    const std::set<int> siblings =
        numbers_in(root, fmt::format("sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", number));
    if (!siblings.empty()) each.core = *siblings.begin();
    if (performance.contains(number) && !efficiency.empty()) each.kind = ProcessorKind::performance;
    if (efficiency.contains(number) && !performance.empty()) each.kind = ProcessorKind::efficiency;
    found.push_back(each);
  }
  if (performance.empty() || efficiency.empty()) set_kinds_by_capacity(root, found);
  for (const int node : memory_nodes(root)) {
    const std::set<int> its = numbers_in(root, fmt::format("{}/node{}/cpulist", kNodes, node));
    for (LogicalProcessor& each : found) {
      if (its.contains(each.number)) each.node = node;
    }
  }
  return found;
}

std::vector<int> memory_nodes(const std::filesystem::path& root) {
  std::vector<int> nodes = parse_cpu_list(sys_text(root, fmt::format("{}/online", kNodes)));
  return nodes.empty() ? std::vector<int>{0} : nodes;
}

std::string ProcessorChoice::text() const {
  return (which.empty() ? cpu_list(listed) : which) + (memory.empty() ? "" : " memory:" + memory);
}

std::string cpu_list(std::span<const int> cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t end = i + 1;
    while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += end - i == 1 ? fmt::format("{}", cpus[i]) : fmt::format("{}-{}", cpus[i], cpus[end - 1]);
    i = end;
  }
  return text;
}

std::vector<int> parse_cpu_list(std::string_view text) {
  std::set<int> numbers;
  for (const std::string& part : text::split(text, ',')) {
    const std::string_view trimmed = text::trim(part);
    const std::size_t dash = trimmed.find('-');
    const std::optional<int> first = number_of(trimmed.substr(0, dash));
    const std::optional<int> last = dash == std::string_view::npos ? first : number_of(trimmed.substr(dash + 1));
    if (!first || !last || *last < *first) return {};
    for (int each = *first; each <= *last; ++each) numbers.insert(each);
  }
  return {numbers.begin(), numbers.end()};
}

Result<ProcessorChoice> parse_processor_choice(std::string_view text) {
  constexpr std::string_view kMemory = "memory:";
  constexpr std::string_view kNuma = "numa:";
  ProcessorChoice choice;
  const std::size_t memory = text.find(kMemory);
  if (memory != std::string_view::npos) {
    choice.memory = text::trim(text.substr(memory + kMemory.size()));
    if (choice.memory != "interleave" && !number_of(choice.memory))
      return fail("\"memory:" + choice.memory + "\" names no node of memory", "processors", std::string(kForms));
  }
  const std::string which(text::trim(text.substr(0, memory)));
  const bool is_numa = which.starts_with(kNuma);
  const std::optional<int> node = is_numa ? number_of(which.substr(kNuma.size())) : std::nullopt;
  choice.node = node.value_or(0);
  choice.listed = parse_cpu_list(which);
  if (node || std::find(kWords.begin(), kWords.end(), which) != kWords.end()) choice.which = which;
  if (choice.which.empty() && choice.listed.empty())
    return fail(fmt::format("\"{}\" is no choice of processors", which), "processors", std::string(kForms));
  return choice;
}

Result<std::vector<int>> processors_meant(const ProcessorChoice& choice, const std::vector<LogicalProcessor>& allowed) {
  const std::vector<int> all = numbers_of(allowed);
  if (choice.which.empty()) return listed_ones(choice, all);
  if (choice.which == "all") return all;
  std::set<int> cores;
  if (choice.which == "one_per_core") {
    return those(allowed, [&](const LogicalProcessor& each) { return cores.insert(each.core).second; });
  }
  if (choice.which.starts_with("numa:")) {
    std::vector<int> its = those(allowed, [&](const LogicalProcessor& each) { return each.node == choice.node; });
    if (!its.empty()) return its;
    std::set<int> nodes;
    for (const LogicalProcessor& each : allowed) nodes.insert(each.node);
    return fail(fmt::format("node {} has no processor that a process may use", choice.node), "processors",
                "name one of the nodes " + cpu_list(std::vector<int>(nodes.begin(), nodes.end())) + ", or write all");
  }
  const auto kind = choice.which == "performance" ? ProcessorKind::performance : ProcessorKind::efficiency;
  std::vector<int> its = those(allowed, [&](const LogicalProcessor& each) { return each.kind == kind; });
  if (!its.empty()) return its;
  return fail("no processor that a process may use is told to be for " + choice.which, "processors",
              "/sys tells of one kind only: write all, or list some of " + cpu_list(all));
}

Result<std::vector<int>> memory_meant(const ProcessorChoice& choice, const std::vector<int>& nodes) {
  const bool is_of_numa = choice.memory.empty() && choice.which.starts_with("numa:");
  if (choice.memory.empty() && !is_of_numa) return std::vector<int>();
  if (choice.memory == "interleave") return nodes;
  const int node = is_of_numa ? choice.node : number_of(choice.memory).value_or(0);
  if (std::find(nodes.begin(), nodes.end(), node) != nodes.end()) return std::vector{node};
  return fail(fmt::format("there is no node {} of memory", node), "processors",
              "name one of the nodes " + cpu_list(nodes));
}

}  // namespace ngb
