// SPDX-License-Identifier: Apache-2.0
#include "store/profiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "made_up.h"
#include "samples/sense.h"
#include "store/merge.h"
#include "store/open.h"
#include "store/schema.h"
#include "work/codec.h"

namespace ngb::store {
namespace {

using made_up::Folder;
using samples::Event;
using samples::KernelProfile;
using testing::HasSubstr;

KernelProfile profile(double first_ns) {
  return {.graph = {{"conv", "Conv", {"x"}, {"y"}, 100, 36, {16}, {64}},
                    {"act", "Relu", {"y"}, {"z"}, 0, 0, {64}, {std::nullopt}}},
          .kernels = {{"fused", "FusedConv", {"conv", "act"}, {"z"}, "tensor name"}, {"reorder", "", {}, {}, ""}},
          .kernel_ns = {first_ns, 20.5},
          .least_ns = {first_ns / 2, 20.5},
          .profiled_ns = 150,
          .plain_ns = 140,
          .inferences = 10};
}

// Records a profile of each process of the cells aa and bb, and returns the file's writer.
void record(const Folder& folder) {
  auto store = Store::open(folder.results(), Mode::read_write);
  ASSERT_TRUE(store) << store.error().text();
  plan::Plan plan = made_up::plan();
  plan.study.protocol.profile = true;
  const std::string run = store->begin_run(plan, 7).value();
  std::uint64_t sequence = 0;
  for (const char* const cell : {"aa", "bb"}) {
    for (int index = 0; index < 2; ++index) {
      auto process = made_up::process(cell, index);
      process.profile = profile(100 + index);
      const Status recorded = store->record(run, "local", {++sequence, process});
      ASSERT_TRUE(recorded) << recorded.error().text();
    }
  }
  ASSERT_TRUE(store->flush());
}

void expect_stored(const std::filesystem::path& file) {
  auto store = Store::open(file, Mode::read_only);
  ASSERT_TRUE(store) << store.error().text();
  const auto cell = store->load_cell("bb", Detail::profiles).value().value();
  EXPECT_TRUE(cell.is_profile);
  ASSERT_EQ(cell.processes.size(), 2U);
  ASSERT_TRUE(cell.processes[1].profile);
  const KernelProfile& found = *cell.processes[1].profile;
  const KernelProfile told = profile(101);
  EXPECT_EQ(found.graph, told.graph);
  EXPECT_EQ(found.kernels, told.kernels);
  EXPECT_EQ(found.kernel_ns, told.kernel_ns);
  EXPECT_EQ(found.least_ns, told.least_ns);
  EXPECT_EQ(found.profiled_ns, 150);
  EXPECT_EQ(found.plain_ns, 140);
  EXPECT_EQ(found.inferences, 10U);
}

TEST(StoredProfiles, AreLoadedAsTheyWereRecorded) {
  const Folder folder;
  record(folder);
  expect_stored(folder.results());
}

TEST(StoredProfiles, HaveGraphsThatWereStoredBeforeTheirWorkWasCounted) {
  const auto read =
      work::parse_json<work::GraphNode>(nlohmann::json::parse(R"(["conv", "Conv", ["x"], ["y"]])"), "node");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, (work::GraphNode{.name = "conv", .type = "Conv", .inputs = {"x"}, .outputs = {"y"}}));
  EXPECT_FALSE(work::parse_json<work::GraphNode>(nlohmann::json::parse(R"(["conv", "Conv", ["x"]])"), "node"));
  EXPECT_FALSE(
      work::parse_json<work::GraphNode>(nlohmann::json::parse(R"(["c", "C", [], [], 1, 2, [], [], 3])"), "node"));
}

TEST(StoredProfiles, AreNotLoadedWithAnythingElse) {
  const Folder folder;
  record(folder);
  const auto cell = Store::open(folder.results(), Mode::read_only)->load_cell("bb", Detail::full).value().value();
  EXPECT_FALSE(cell.processes[0].profile);
}

TEST(StoredProfiles, AreInMemoryOnceForAllProcessesThatShareThem) {
  const Folder folder;
  record(folder);
  auto store = Store::open(folder.results(), Mode::read_only).value();
  const auto aa = store.load_cell("aa", Detail::profiles).value().value();
  const auto bb = store.load_cell("bb", Detail::profiles).value().value();
  for (const RecordedProcess* other : {&aa.processes[1], &bb.processes[0], &bb.processes[1]}) {
    EXPECT_EQ(&other->profile->graph.list(), &aa.processes[0].profile->graph.list());
    EXPECT_EQ(&other->profile->kernels.list(), &aa.processes[0].profile->kernels.list());
  }
}

TEST(StoredProfiles, AreRefusedTogetherIfTheyNeedMoreMemoryThanIsLeftForThem) {
  const Folder folder;
  record(folder);
  sql::Database database(folder.results(), SQLITE_OPEN_READWRITE);
  for (const int process : {2, 3, 4}) {
    database.execute("INSERT INTO kernels SELECT " + std::to_string(process) + ", " + std::to_string(process) +
                     ", kernels_zlib, kernels_bytes FROM kernels WHERE kernels_key = 1");
  }
  database.execute("UPDATE profile SET kernels_key = process_key");
  // One process has 2 + 2 times of 9 bytes and a separator, 8 bytes each; kernels and graph are below 700.
  ProfileShelf shelf{.left_bytes = 2500};
  EXPECT_TRUE(profile_of(database, 1, shelf));
  const std::int64_t of_first = 2500 - shelf.left_bytes;
  EXPECT_TRUE(profile_of(database, 1, shelf));
  EXPECT_LT(2500 - shelf.left_bytes, of_first * 4 / 3) << "only the times are new";
  shelf.left_bytes = 10;
  EXPECT_THROW(profile_of(database, 2, shelf), sql::SqlError);
}

TEST(StoredProfiles, OfAHundredThousandKernelsAreTheLargest) {
  samples::ProcessResult process = made_up::process("aa", 0);
  process.profile = profile(1);
  for (const std::size_t count : {samples::kMostKernels, samples::kMostKernels + 1}) {
    process.profile->kernels = std::vector<samples::Kernel>(count, {"k", "", {}, {}, ""});
    process.profile->kernel_ns = process.profile->least_ns = std::vector<double>(count, 1);
    EXPECT_EQ(samples::check_sense(process, {2, 1}).has_value(), count == samples::kMostKernels);
  }
}

TEST(StoredProfiles, KeepWhatProcessesShareOnce) {
  const Folder folder;
  record(folder);
  const sql::Database database(folder.results(), SQLITE_OPEN_READONLY);
  EXPECT_EQ(database.integer("SELECT count(*) FROM profile"), 4);
  EXPECT_EQ(database.integer("SELECT count(*) FROM graph"), 1);
  EXPECT_EQ(database.integer("SELECT count(*) FROM kernels"), 1);
}

TEST(StoredProfiles, AreMergedWithTheirResults) {
  const Folder folder;
  record(folder);
  const Folder merged;
  const auto done = merge({{folder.results(), {}}}, merged.results(), [] { return false; });
  ASSERT_TRUE(done) << done.error().text();
  expect_stored(merged.results());
}

TEST(StoredProfiles, OfAModelTakeLittleRoom) {
  // 500 kernels of 1,000 nodes, in five processes of five compilers.
  KernelProfile large{.profiled_ns = 1, .plain_ns = 1, .inferences = 1};
  std::vector<work::GraphNode> graph;
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "layers." + std::to_string(i / 20) + ".blocks." + std::to_string(i % 20) + ".attn/qkv";
    graph.push_back({name, "MatMul", {name + "/in"}, {name + "/out"}});
  }
  large.graph = graph;
  sql::Database database(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  migrate(database, migrations());
  database.execute("PRAGMA foreign_keys = OFF");
  for (int compiler = 0; compiler < 5; ++compiler) {
    std::vector<samples::Kernel> kernels;
    for (int i = 0; i < 500; ++i) {
      const auto at = static_cast<std::size_t>(i) * 2;
      kernels.push_back({"kernel_" + std::to_string(compiler) + "_" + std::to_string(i),
                         "FullyConnected",
                         {graph[at].name, graph[at + 1].name},
                         {},
                         "node name"});
    }
    large.kernels = kernels;
    for (int process = 0; process < 5; ++process) {
      large.kernel_ns.clear();
      for (int i = 0; i < 500; ++i) large.kernel_ns.push_back(10'000 + std::fmod(i * 7919.3 + process * 131.7, 9'000));
      insert_profile(database, compiler * 5 + process + 1, large);
    }
  }
  EXPECT_LT(database.integer("SELECT sum(length(nodes_zlib)) FROM graph") +
                database.integer("SELECT sum(length(kernels_zlib)) FROM kernels") +
                database.integer("SELECT sum(length(times_zlib)) FROM profile"),
            200'000);
}

class DamagedProfiles : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(DamagedProfiles, AreRefused) {
  const Folder folder;
  record(folder);
  {
    sql::Database database(folder.results(), SQLITE_OPEN_READWRITE);
    database.execute(GetParam().first);
  }
  const auto cell = Store::open(folder.results(), Mode::read_only)->load_cell("bb", Detail::profiles);
  ASSERT_FALSE(cell);
  EXPECT_THAT(cell.error().what, HasSubstr(GetParam().second));
}

INSTANTIATE_TEST_SUITE_P(
    All, DamagedProfiles,
    testing::Values(std::pair("UPDATE kernels SET kernels_bytes = 1000000000000", "the kernels of a profile of"),
                    std::pair("UPDATE graph SET nodes_zlib = x'00'", "the graph of a profile cannot be decompressed"),
                    std::pair("UPDATE profile SET times_bytes = times_bytes + 1", "the times of a profile cannot be"),
                    std::pair("UPDATE profile SET times_zlib = (SELECT nodes_zlib FROM graph), times_bytes = (SELECT "
                              "nodes_bytes FROM graph)",
                              "the times of a profile"),
                    std::pair("UPDATE profile SET kernels_key = 77", "the kernels of a profile of 0 bytes"),
                    std::pair("UPDATE profile SET plain_ns = -1", "profile: plain_ns is -1")));

TEST(StoredProfiles, ThatCannotBeAreNotRecorded) {
  const Folder folder;
  auto store = Store::open(folder.results(), Mode::read_write).value();
  const std::string run = store.begin_run(made_up::plan(), 7).value();
  auto process = made_up::process("aa", 0);
  process.profile = profile(100);
  process.profile->kernel_ns.pop_back();
  EXPECT_THAT(store.record(run, "local", {1, process}).error().what,
              HasSubstr("profile: times of kernels is 1, expected 2 to 2"));
  process.profile = profile(100);
  process.profile->kernels = {{"fused", "", {}, {}, "guess"}, {"reorder", "", {}, {}, ""}};
  EXPECT_THAT(store.record(run, "local", {1, process}).error().what,
              HasSubstr("found_by of a kernel is \"guess\", expected one of: , tensor name, node name"));
}

}  // namespace
}  // namespace ngb::store
