// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_up.h"

namespace ngb::store {
namespace {

using made_up::Folder;
using samples::Event;

Store open_to_write(const Folder& folder) {
  auto store = Store::open(folder.results(), Mode::read_write);
  EXPECT_TRUE(store) << store.error().text();
  return std::move(*store);
}

// Shows the error's text if a Status is an error.
void expect_good(const Status& status) { EXPECT_TRUE(status) << status.error().text(); }

TEST(Store, LoadsEveryFieldOfAProcessAsItWasRecorded) {
  const Folder folder;
  Store store = open_to_write(folder);
  plan::Plan plan = made_up::plan();
  plan.compilers[1].instances = 2;
  const std::string run = store.begin_run(plan, 7).value();
  auto process = made_up::process("bb", 1);
  process.repetitions.back().instance = 1;
  process.environment_hash = made_up::environment().hash();
  expect_good(store.record(run, "local", {1, made_up::environment()}));
  expect_good(store.record(run, "local", {2, process}));
  expect_good(store.flush());

  const auto cells = Store::open(folder.results(), Mode::read_only)->load_cells().value();
  ASSERT_EQ(cells.size(), 4U);
  const CellData& cell = cells[1];
  EXPECT_EQ(cell.cell_id, "bb");
  EXPECT_EQ(cell.of.device, "local");
  EXPECT_EQ(cell.of.model.label, "resnet18");
  EXPECT_EQ(cell.of.model.family, "resnet");
  EXPECT_EQ(cell.recipe_parameters.dump(), R"({"classes":1000})");
  EXPECT_EQ(cell.of.model.key.hash, "feedface");
  EXPECT_EQ(cell.of.model.key.batch, 1);
  EXPECT_EQ(cell.of.compiler.name, "onnxruntime");
  EXPECT_EQ(cell.of.compiler.version, "1.31.1");
  EXPECT_EQ(work::text_of(cell.of.compiler.options), R"({"level":"all","streams":1})");
  EXPECT_EQ(cell.of.threads, 2);
  EXPECT_EQ(cell.of.compiler.instances, 2);
  EXPECT_EQ(cell.of.compiler.precision, "f32");
  EXPECT_EQ(cell.planned_processes, 2);
  EXPECT_EQ(cell.device_cpus, 8);
  ASSERT_EQ(cell.processes.size(), 1U);
  // The agent names the log's place in its own folder; the store adds that folder.
  EXPECT_EQ(cell.processes[0].log_path, "devices/local/logs/bb");
  samples::ProcessResult stored = cell.processes[0];
  stored.log_path = process.log_path;
  EXPECT_EQ(samples::encode(Event{2, stored}), samples::encode(Event{2, process}));
  EXPECT_TRUE(cell.failed.empty());
}

TEST(Store, LearnsFromProcessesHowManyThreadsAWordMeans) {
  const Folder folder;
  Store store = open_to_write(folder);
  plan::Plan plan = made_up::plan();
  plan.compilers[1].threads_asked = "all";
  const std::string run = store.begin_run(plan, 7).value();
  const CellData before = store.load_cells().value().at(1);
  EXPECT_EQ(before.of.threads, std::nullopt);
  EXPECT_EQ(before.of.compiler.threads_asked, "all");
  EXPECT_EQ(before.of.threads_there(), "all");
  auto process = made_up::process("bb", 1);
  process.threads = 6;
  expect_good(store.record(run, "local", {1, process}));
  expect_good(store.flush());
  const std::vector<CellData> cells = store.load_cells().value();
  EXPECT_EQ(cells.at(1).of.threads, 6);
  EXPECT_EQ(cells.at(1).of.threads_wanted(), "all");
  EXPECT_EQ(cells.at(0).of.threads, 2);
  EXPECT_EQ(cells.at(0).of.compiler.threads_asked, "");
  EXPECT_EQ(cells.at(3).of.threads, std::nullopt) << "no process of this cell has reported a number";
}

TEST(Store, RecordsAnewWhatModelsBelongTo) {
  const Folder folder;
  Store store = open_to_write(folder);
  plan::Plan plan = made_up::plan();
  plan.models[0].group = "ResNets";
  plan.models[0].style = "convolutional";
  plan.models[0].size = 1;
  plan.models[0].raw_bytes = 1'000;
  plan.models[0].encoded_bytes = 250;
  ASSERT_TRUE(store.begin_run(plan, 7));
  const CellData first = store.load_cells().value().at(0);
  EXPECT_EQ(first.of.model.group, "ResNets");
  EXPECT_EQ(first.of.model.style, "convolutional");
  EXPECT_EQ(first.of.model.size, 1);
  EXPECT_EQ(first.of.model.raw_bytes, 1'000U);
  EXPECT_EQ(first.of.model.encoded_bytes, 250U);
  EXPECT_EQ(store.load_cells().value().at(2).of.model.group, "") << "of the other model";
  plan.models[0].group = "residual";
  plan.models[0].style = "";
  plan.models[0].size.reset();
  plan.models[0].raw_bytes = 2'000;
  expect_good(store.describe_models(plan));
  const CellData again = store.load_cells().value().at(0);
  EXPECT_EQ(again.of.model.group, "residual");
  EXPECT_EQ(again.of.model.style, "");
  EXPECT_EQ(again.of.model.size, std::nullopt);
  EXPECT_EQ(again.of.model.raw_bytes, 2'000U);
}

TEST(Store, ListsTheEnvironmentsThatCompletedProcessesReferTo) {
  const Folder folder;
  Store store = open_to_write(folder);
  const std::string run = store.begin_run(made_up::plan(), 7).value();
  samples::Environment rebooted = made_up::environment();
  rebooted.entries[1].value = Known<std::string>::of("5678");
  auto process = made_up::process("aa", 0);
  process.environment_hash = rebooted.hash();
  expect_good(store.record(run, "local", {1, made_up::environment()}));
  expect_good(store.record(run, "local", {2, process}));
  expect_good(store.record(run, "local", {3, rebooted}));
  process.process_index = 1;
  expect_good(store.record(run, "local", {4, process}));
  samples::Environment unused = made_up::environment();
  unused.entries[3].value = Known<std::string>::of("16");
  expect_good(store.record(run, "local", {5, unused}));
  expect_good(store.flush());
  const auto found = store.measured_environments().value();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].device, "local");
  EXPECT_EQ(found[0].environment.hash(), found[1].environment.hash());
  EXPECT_EQ(found[0].environment.entries[1].value.value, "1234");
  EXPECT_EQ(found[1].environment.entries[1].value.value, "5678");
  EXPECT_EQ(found[0].environment.entries[2].value.reason, "no cpufreq");
}

TEST(Store, SetsAsideTheProcessesOfAnotherSlurmNode) {
  const Folder folder;
  Store store = open_to_write(folder);
  const std::string run = store.begin_run(made_up::plan(), 7).value();
  const auto on_node = [](const std::string& node) {
    samples::Environment environment = made_up::environment();
    environment.entries.push_back({"slurm_node", "", Known<std::string>::of(node), true});
    return environment;
  };
  auto process = made_up::process("aa", 0);
  process.environment_hash = on_node("n1").hash();
  expect_good(store.record(run, "local", {1, on_node("n1")}));
  expect_good(store.record(run, "local", {2, process}));
  expect_good(store.record(run, "local", {3, on_node("n2")}));  // the job was requeued
  process.environment_hash = on_node("n2").hash();
  expect_good(store.record(run, "local", {4, process}));
  process.process_index = 1;
  expect_good(store.record(run, "local", {5, process}));
  expect_good(store.flush());
  const CellData cell = store.load_cells().value()[0];
  EXPECT_EQ(cell.processes.size(), 2U);
  EXPECT_EQ(cell.processes[0].environment_hash, on_node("n2").hash());
  ASSERT_EQ(cell.set_aside.size(), 1U);
  EXPECT_EQ(cell.set_aside[0].environment_hash, on_node("n1").hash());
}

TEST(Store, KeepsFailedAttemptsBesideTheCompletedOne) {
  const Folder folder;
  Store store = open_to_write(folder);
  const std::string run = store.begin_run(made_up::plan(), 7).value();
  expect_good(store.record(run, "local", {1, made_up::crash("bb", 0, 1)}));
  expect_good(store.record(run, "local", {2, made_up::crash("bb", 0, 2)}));
  expect_good(store.record(run, "local", {3, made_up::process("bb", 0)}));
  expect_good(store.flush());
  const CellData cell = store.load_cells().value()[1];
  ASSERT_EQ(cell.failed.size(), 2U);
  EXPECT_EQ(samples::encode(Event{1, cell.failed[0]}), samples::encode(Event{1, made_up::crash("bb", 0, 1)}));
  EXPECT_EQ(cell.failed[1].attempt, 2);
  EXPECT_EQ(cell.processes.size(), 1U);
}

TEST(Store, KeepsADisturbedProcessWithItsRepetitionsAndNeighbours) {
  const Folder folder;
  Store store = open_to_write(folder);
  const std::string run = store.begin_run(made_up::plan(), 7).value();
  const samples::ProcessResult disturbed = made_up::disturbed("bb", 1, 3);
  expect_good(store.record(run, "local", {1, disturbed}));
  const CellData cell = store.load_cells().value()[1];
  EXPECT_TRUE(cell.processes.empty());
  ASSERT_EQ(cell.failed.size(), 1U);
  samples::ProcessResult stored = cell.failed[0];
  stored.log_path = disturbed.log_path;
  EXPECT_EQ(samples::encode(Event{1, stored}), samples::encode(Event{1, disturbed}));
  EXPECT_EQ(stored.neighbours.at(0).pid, 812);
  EXPECT_EQ(stored.repetitions.size(), 4U);
}

TEST(Store, LoadsAnOutlineWithoutPhasesAndRepetitions) {
  const Folder folder;
  Store store = open_to_write(folder);
  const std::string run = store.begin_run(made_up::plan(), 7).value();
  expect_good(store.record(run, "local", {1, made_up::process("aa", 0)}));
  const CellData cell = store.load_cells(Detail::outline).value()[0];
  ASSERT_EQ(cell.processes.size(), 1U);
  EXPECT_EQ(cell.processes[0].wall_ns, 5'000'000'000);
  EXPECT_TRUE(cell.processes[0].repetitions.empty());
  EXPECT_TRUE(cell.processes[0].phases.empty());
}

// Cells aa to dd are of one model; ee is of another, recorded later.
TEST(Store, LoadsTheCellsOfADeviceAndModelAsAFamily) {
  const Folder folder;
  Store store = open_to_write(folder);
  plan::Plan plan = made_up::plan();
  plan.models.push_back(plan.models[0]);
  plan.models.back().key.hash = "cafe";
  plan.cells.push_back(made_up::cell("ee", 1, 2));
  const std::string run = store.begin_run(plan, 7).value();
  samples::ProcessResult process = made_up::process("bb", 0);
  process.readings = {{"frequency", "hz", "start", Known<double>::of(2e9)},
                      {"frequency", "hz", "end", Known<double>::of(3e9)}};
  expect_good(store.record(run, "local", {1, process}));
  expect_good(store.flush());
  const std::vector<ValueFamily> families = store.families().value();
  ASSERT_EQ(families.size(), 2U);
  ASSERT_EQ(families[0].cells.size(), 4U);
  EXPECT_EQ(families[0].cells[3].position, 3U);
  EXPECT_EQ(families[1].cells.at(0).position, 4U);
  const std::vector<CellData> cells = store.load_family(families[0]).value();
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_EQ(cells[1].cell_id, "bb");
  EXPECT_EQ(cells[1].processes.at(0).repetitions.size(), 4U);
  EXPECT_EQ(store.load_family(families[1], Detail::planned).value().at(0).cell_id, "ee");
  EXPECT_EQ(store.load_cell("bb").value()->processes.at(0).repetitions.size(), 4U);
  EXPECT_EQ(store.load_cell("bb", Detail::full).value()->processes.at(0).phases.size(), 2U);
  EXPECT_TRUE(store.load_cell("bb", Detail::outline).value()->processes.at(0).repetitions.empty());
  EXPECT_FALSE(store.load_cell("zz").value());
  EXPECT_EQ(store.compilers().value().size(), 2U);
  EXPECT_EQ(store.highest_frequencies_hz().value(), (std::map<std::string, double>{{"local", 3e9}}));
}

TEST(Store, LoadsSpeedsWithoutWhatComparisonsDoNotNeed) {
  const Folder folder;
  Store store = open_to_write(folder);
  const std::string run = store.begin_run(made_up::plan(), 7).value();
  samples::ProcessResult process = made_up::process("aa", 0);
  process.facts = {{"device", "cpu"}, {"library", "libcompiler.so.1"}};
  expect_good(store.record(run, "local", {1, process}));
  const CellData cell = store.load_cells(Detail::speeds).value()[0];
  ASSERT_EQ(cell.processes.size(), 1U);
  EXPECT_EQ(cell.processes[0].repetitions.size(), process.repetitions.size());
  EXPECT_EQ(cell.processes[0].facts, (std::map<std::string, std::string>{{"device", "cpu"}}));
  EXPECT_TRUE(cell.processes[0].phases.empty());
  EXPECT_TRUE(cell.processes[0].readings.empty());
}

TEST(Store, ReturnsTheProtocolOfItsMeasurementsOnceThereIsOne) {
  const Folder folder;
  Store store = open_to_write(folder);
  EXPECT_TRUE(store.protocol().value().empty());
  (void)store.begin_run(made_up::plan(), 7).value();
  EXPECT_EQ(store.protocol().value().at("repetitions"), "3");
  EXPECT_EQ(store.protocol().value().at("warm_up"), "\"auto\"");
}

TEST(Store, RecordsAnEventOnceHoweverOftenItArrives) {
  const Folder folder;
  Store store = open_to_write(folder);
  const std::string run = store.begin_run(made_up::plan(), 7).value();
  for (int time = 0; time < 3; ++time) {
    expect_good(store.record(run, "local", {1, made_up::process("aa", 0)}));
    expect_good(store.record(run, "local", {2, made_up::crash("bb", 0, 1)}));
    expect_good(store.flush());
  }
  const auto cells = store.load_cells().value();
  EXPECT_EQ(cells[0].processes.size(), 1U);
  EXPECT_EQ(cells[1].failed.size(), 1U);
  EXPECT_EQ(store.last_sequence(run, "local").value(), 2U);
}

TEST(Store, RecordsACompletedProcessOnceEvenUnderAnotherSequenceNumber) {
  const Folder folder;
  Store store = open_to_write(folder);
  const std::string run = store.begin_run(made_up::plan(), 7).value();
  expect_good(store.record(run, "local", {1, made_up::process("aa", 0)}));
  auto again = made_up::process("aa", 0);
  again.repetitions = {{77, 1, false}};
  expect_good(store.record(run, "local", {2, again}));
  expect_good(store.flush());
  const CellData cell = store.load_cells().value()[0];
  ASSERT_EQ(cell.processes.size(), 1U);
  EXPECT_EQ(cell.processes[0].repetitions.size(), 4U);
  EXPECT_EQ(store.last_sequence(run, "local").value(), 2U);
}

TEST(Store, RefusesAGapInTheSequence) {
  const Folder folder;
  Store store = open_to_write(folder);
  const std::string run = store.begin_run(made_up::plan(), 7).value();
  expect_good(store.record(run, "local", {1, made_up::process("aa", 0)}));
  expect_good(store.flush());
  const Status refused = store.record(run, "local", {3, made_up::process("aa", 1)});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, testing::HasSubstr("event 3 of local came after event 1"));
  expect_good(store.record(run, "local", {2, made_up::process("aa", 1)}));
  expect_good(store.flush());
  EXPECT_EQ(store.load_cells().value()[0].processes.size(), 2U);
}

TEST(Store, RefusesAnUnplannedCellAndKeepsWhatIsRecorded) {
  const Folder folder;
  Store store = open_to_write(folder);
  const std::string run = store.begin_run(made_up::plan(), 7).value();
  expect_good(store.record(run, "local", {1, made_up::process("aa", 0)}));
  const Status refused = store.record(run, "local", {2, made_up::process("zz", 0)});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what,
              testing::HasSubstr("names a cell that this run has not planned for that device: zz"));
  EXPECT_EQ(store.last_sequence(run, "local").value(), 1U);
  expect_good(store.flush());
  EXPECT_EQ(store.load_cells().value()[0].processes.size(), 1U);
}

TEST(Store, RefusesARunThatDidNotBegin) {
  const Folder folder;
  Store store = open_to_write(folder);
  EXPECT_THAT(store.record("0000", "local", {1, samples::Finished{}}).error().what,
              testing::HasSubstr("no run 0000 on device local"));
}

TEST(Store, KeepsWhatWasFlushedAndNothingElse) {
  const Folder folder;
  std::string run;
  {
    Store store = open_to_write(folder);
    run = store.begin_run(made_up::plan(), 7).value();
    expect_good(store.record(run, "local", {1, made_up::process("aa", 0)}));
    expect_good(store.flush());
    expect_good(store.record(run, "local", {2, made_up::process("aa", 1)}));
  }
  Store store = open_to_write(folder);
  EXPECT_EQ(store.last_sequence(run, "local").value(), 1U);
  EXPECT_EQ(store.load_cells().value()[0].processes.size(), 1U);
}

TEST(Store, RaisesItsRevisionWithEveryFlushThatRecordsSomething) {
  const Folder folder;
  Store store = open_to_write(folder);
  const std::string run = store.begin_run(made_up::plan(), 7).value();
  const auto before = store.revision().value();
  expect_good(store.flush());
  EXPECT_EQ(store.revision().value(), before);
  expect_good(store.record(run, "local", {1, made_up::process("aa", 0)}));
  expect_good(store.flush());
  EXPECT_EQ(store.revision().value(), before + 1);
}

TEST(Store, LeavesOneFileWhenItIsClosed) {
  const Folder folder;
  {
    Store store = open_to_write(folder);
    const std::string run = store.begin_run(made_up::plan(), 7).value();
    expect_good(store.record(run, "local", {1, made_up::process("aa", 0)}));
    expect_good(store.flush());
  }
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) names.push_back(entry.path().filename());
  EXPECT_THAT(names, testing::ElementsAre("results.db"));
}

}  // namespace
}  // namespace ngb::store
