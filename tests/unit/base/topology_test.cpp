// SPDX-License-Identifier: Apache-2.0
#include "base/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace ngb {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A made-up /sys.
class Sys {
 public:
  explicit Sys(const std::vector<std::pair<std::string, std::string>>& files) {
    for (const auto& [name, content] : files) {
      const auto path = folder_.path() / "sys/devices" / name;
      std::filesystem::create_directories(path.parent_path());
      EXPECT_TRUE(file::write_atomically(path, content + "\n"));
    }
  }
  [[nodiscard]] std::vector<LogicalProcessor> processors(int count) const {
    std::vector<int> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    return topology_of(numbers, folder_.path());
  }
  [[nodiscard]] std::vector<int> nodes() const { return memory_nodes(folder_.path()); }

 private:
  ScratchFolder folder_ = *ScratchFolder::temporary("sys");
};

// Two performance cores of two processors each, and two efficiency cores of one.
Sys hybrid() {
  return Sys({{"cpu_core/cpus", "0-3"},
              {"cpu_atom/cpus", "4-5"},
              {"system/cpu/cpu0/topology/thread_siblings_list", "0-1"},
              {"system/cpu/cpu1/topology/thread_siblings_list", "0-1"},
              {"system/cpu/cpu2/topology/thread_siblings_list", "2-3"},
              {"system/cpu/cpu3/topology/thread_siblings_list", "2-3"},
              {"system/cpu/cpu4/topology/thread_siblings_list", "4"},
              {"system/cpu/cpu5/topology/thread_siblings_list", "5"},
              {"system/node/online", "0"},
              {"system/node/node0/cpulist", "0-5"}});
}

std::vector<int> meant(const std::string& text, const std::vector<LogicalProcessor>& on) {
  const auto choice = parse_processor_choice(text);
  const auto found = choice ? processors_meant(*choice, on) : error_of(choice);
  return found ? *found : std::vector<int>{};
}

std::string refusal(const std::string& text, const std::vector<LogicalProcessor>& on) {
  const auto choice = parse_processor_choice(text);
  const auto found = choice ? processors_meant(*choice, on) : error_of(choice);
  return found ? "" : found.error().text();
}

TEST(Topology, TellsCoresForPerformanceFromThoseForEfficiency) {
  const auto processors = hybrid().processors(6);
  EXPECT_THAT(meant("performance", processors), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(meant("efficiency", processors), ElementsAre(4, 5));
  EXPECT_THAT(meant("one_per_core", processors), ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(meant("all", processors), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Topology, TellsBigCoresFromLittleOnesByTheCapacityThatAnArmKernelShows) {
  const Sys sys({{"system/cpu/cpu0/cpu_capacity", "446"},
                 {"system/cpu/cpu1/cpu_capacity", "446"},
                 {"system/cpu/cpu2/cpu_capacity", "871"},
                 {"system/cpu/cpu3/cpu_capacity", "1024"}});
  EXPECT_THAT(meant("efficiency", sys.processors(4)), ElementsAre(0, 1));
  EXPECT_THAT(meant("performance", sys.processors(4)), ElementsAre(2, 3));
}

TEST(Topology, TellsNodesOfMemory) {
  const Sys sys(
      {{"system/node/online", "0-1"}, {"system/node/node0/cpulist", "0-1,4"}, {"system/node/node1/cpulist", "2-3,5"}});
  EXPECT_THAT(sys.nodes(), ElementsAre(0, 1));
  EXPECT_THAT(meant("numa:0", sys.processors(6)), ElementsAre(0, 1, 4));
  EXPECT_THAT(meant("numa:1", sys.processors(6)), ElementsAre(2, 3, 5));
  EXPECT_EQ(refusal("numa:2", sys.processors(6)),
            "processors: node 2 has no processor that a process may use; name one of the nodes 0-1, or write all");
}

TEST(Topology, OfAMachineWithoutAnyIsACoreForEachProcessorOnOneNode) {
  const Sys sys({});
  EXPECT_THAT(sys.processors(2), ElementsAre(LogicalProcessor{0, 0}, LogicalProcessor{1, 1}));
  EXPECT_THAT(sys.nodes(), ElementsAre(0));
  EXPECT_EQ(
      refusal("efficiency", sys.processors(2)),
      "processors: no processor that a process may use is told to be for efficiency; /sys tells of one kind only: "
      "write all, or list some of 0-1");
}

TEST(Lists, AreWrittenAsTheKernelDoes) {
  EXPECT_EQ(cpu_list(std::vector<int>{0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
  EXPECT_EQ(cpu_list(std::vector<int>{3}), "3");
  EXPECT_EQ(cpu_list(std::vector<int>{}), "");
}

TEST(ProcessorChoice, HasOneForm) {
  const auto form = [](const char* text) { return parse_processor_choice(text)->text(); };
  EXPECT_EQ(form("4, 0,2"), "0,2,4");
  EXPECT_EQ(form("0-1,2, 7"), "0-2,7");
  EXPECT_EQ(form(" numa:1 "), "numa:1");
  EXPECT_EQ(form("3 memory:interleave"), "3 memory:interleave");
  EXPECT_EQ(form("performance  memory:0"), "performance memory:0");
}

TEST(ProcessorChoice, OfProcessorsThatAreNotAllowedSaysWhichAre) {
  const Sys sys({});
  EXPECT_EQ(refusal("0,7", sys.processors(4)),
            "processors: processor 7 does not exist, or a process may not use it; list some of 0-3, or write all");
}

TEST(ProcessorChoice, IsNotReadFromOtherWords) {
  for (const char* const text : {"", "p-cores", "numa:", "numa:x", "1-", "3-1", "-1", "all memory:", "all memory:far"})
    EXPECT_FALSE(parse_processor_choice(text)) << text;
}

TEST(ProcessorChoice, SaysWhereMemoryIs) {
  const auto memory = [](const char* text) { return *memory_meant(*parse_processor_choice(text), {0, 1}); };
  EXPECT_THAT(memory("0-3"), IsEmpty()) << "as the kernel does by itself";
  EXPECT_THAT(memory("numa:1"), ElementsAre(1));
  EXPECT_THAT(memory("numa:1 memory:0"), ElementsAre(0));
  EXPECT_THAT(memory("all memory:interleave"), ElementsAre(0, 1));
  EXPECT_EQ(memory_meant(*parse_processor_choice("all memory:4"), {0, 1}).error().text(),
            "processors: there is no node 4 of memory; name one of the nodes 0-1");
}

}  // namespace
}  // namespace ngb
