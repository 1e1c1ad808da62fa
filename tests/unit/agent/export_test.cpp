// SPDX-License-Identifier: Apache-2.0
// Tests how a real agent exports modules, with the exporter of tests/unit/agent/lib and the worker of agent_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "agent/workers/kept_exports.h"
#include "agent_client.h"
#include "base/hash.h"

namespace ngb::agent::test {
namespace {

using samples::FailureKind;
using testing::HasSubstr;

// A job with the cell "module", which runs the module, and the cell "file", which reads ONNX. The exporter writes a
// line to the file `starts` in `folder` whenever it is started.
work::Job job_of_module(const std::filesystem::path& folder, const std::string& act) {
  work::Job job = small_job(1);
  const nlohmann::json parameters{{"act", act}, {"starts", (folder / "starts").string()}};
  job.models[0].source = work::Module{nlohmann::json{{"module", {{"timm", "net"}, {"parameters", parameters}}}}.dump()};
  add_cell(job, "module");
  add_cell(job, "file");
  place_of(job, 0).runs_modules = "always";
  job.exporter = {.name = "identity", .version = "2.15.0"};
  job.places.push_back({.compiler = "identity", .version = "2.15.0", .host = "python", .python = NGB_PYTHON});
  job.reference_cache = (folder / "caches/references").string();
  return job;
}

const samples::ModelWritten& model_of(const WholeRun& run) {
  for (const samples::Event& event : run.events) {
    if (const auto* model = std::get_if<samples::ModelWritten>(&event.body)) return *model;
  }
  ADD_FAILURE() << "no model was recorded";
  static const samples::ModelWritten kNone;
  return kNone;
}

const samples::ProcessResult& process_of(const WholeRun& run, const std::string& cell) {
  for (const samples::ProcessResult& process : run.processes) {
    if (process.cell_id == cell) return process;
  }
  ADD_FAILURE() << "no process of " << cell;
  static const samples::ProcessResult kNone;
  return kNone;
}

TEST(Export, OfARunIsKeptForTheNextOne) {
  const TemporaryFolder folder;
  const work::Job job = job_of_module(folder.path(), "writes");
  const WholeRun first = run_job(folder.path() / "first", job);
  EXPECT_FALSE(process_of(first, "file").failure);
  EXPECT_EQ(model_of(first).exporter, "dynamo");
  EXPECT_EQ(model_of(first).file_sha256, hash::sha256("the model"));
  EXPECT_FALSE(model_of(first).is_kept);
  const WholeRun second = run_job(folder.path() / "second", job);
  EXPECT_FALSE(process_of(second, "file").failure);
  EXPECT_TRUE(model_of(second).is_kept);
  EXPECT_EQ(model_of(second).wall_ns, model_of(first).wall_ns);
  EXPECT_EQ(file::read(folder.path() / "starts").value_or(""), "started\n");
}

TEST(Export, ThatWasDamagedIsMadeAgain) {
  const TemporaryFolder folder;
  const work::Job job = job_of_module(folder.path(), "writes");
  run_job(folder.path() / "first", job);
  for (const auto& each : std::filesystem::directory_iterator(folder.path() / "caches/exports")) {
    ASSERT_TRUE(file::write_atomically(each.path() / kKeptModel, "another model"));
  }
  const WholeRun second = run_job(folder.path() / "second", job);
  EXPECT_FALSE(process_of(second, "file").failure);
  EXPECT_FALSE(model_of(second).is_kept);
  EXPECT_EQ(model_of(second).file_sha256, hash::sha256("the model"));
}

TEST(Export, ThatFailsIsAFailureOfThoseCellsOnlyThatNeedTheFile) {
  const TemporaryFolder folder;
  const WholeRun run = run_job(folder.path() / "work", job_of_module(folder.path(), "refuses"));
  EXPECT_FALSE(process_of(run, "module").failure);
  ASSERT_TRUE(process_of(run, "file").failure);
  EXPECT_EQ(process_of(run, "file").failure->kind, FailureKind::unsupported_operator);
  EXPECT_EQ(process_of(run, "file").failure->message, "neither exporter can");
  EXPECT_EQ(process_of(run, "file").failure->advice, "leave it out");
  EXPECT_EQ(model_of(run).no_file_reason, "neither exporter can");
  EXPECT_EQ(model_of(run).file_sha256, "");
}

TEST(Export, ThatFailsIsKeptOnlyIfThatFollowsFromTheModule) {
  for (const auto& [act, starts] :
       {std::pair("refuses", "started\n"), std::pair("lacks a package", "started\nstarted\n")}) {
    const TemporaryFolder folder;
    const work::Job job = job_of_module(folder.path(), act);
    run_job(folder.path() / "first", job);
    const WholeRun second = run_job(folder.path() / "second", job);
    ASSERT_TRUE(process_of(second, "file").failure);
    EXPECT_EQ(file::read(folder.path() / "starts").value_or(""), starts) << act;
  }
}

TEST(Export, ThatKillsItsProcessFailsNoCellThatRunsTheModule) {
  const TemporaryFolder folder;
  const WholeRun run = run_job(folder.path() / "work", job_of_module(folder.path(), "dies"));
  EXPECT_FALSE(process_of(run, "module").failure);
  ASSERT_TRUE(process_of(run, "file").failure);
  EXPECT_EQ(process_of(run, "file").failure->kind, FailureKind::crash);
  EXPECT_THAT(process_of(run, "file").failure->message, HasSubstr("signal 9 ended the program"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "caches/exports") &&
               !std::filesystem::is_empty(folder.path() / "caches/exports"))
      << "what the machine ended is not kept";
}

TEST(Export, IsNotMadeIfNoCellNeedsTheFile) {
  const TemporaryFolder folder;
  work::Job job = job_of_module(folder.path(), "writes");
  place_of(job, 1).runs_modules = "behave=onnx";
  compiler_of(job, 1).options = {{"behave", "\"onnx\""}};
  const WholeRun run = run_job(folder.path() / "work", job);
  EXPECT_EQ(model_of(run).file_sha256, "");
  EXPECT_EQ(file::read(folder.path() / "starts").value_or(""), "without-file\n");
}

TEST(RunsModules, IsAlwaysOrWithAnOptionsValue) {
  const work::Compiler torch{.name = "tvm", .options = {{"frontend", "\"torch\""}}};
  EXPECT_TRUE(work::runs_modules({.runs_modules = "always"}, {}));
  EXPECT_TRUE(work::runs_modules({.runs_modules = "frontend=torch"}, torch));
  EXPECT_FALSE(work::runs_modules({.runs_modules = "frontend=torch"}, {.name = "tvm"}));
  EXPECT_FALSE(work::runs_modules({.runs_modules = "frontend=onnx"}, torch));
  EXPECT_FALSE(work::runs_modules({}, torch));
}

}  // namespace
}  // namespace ngb::agent::test
