// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "dispatch/make_job.h"

namespace ngb::dispatch {
namespace {

using testing::ElementsAre;

// Two devices; on "local" two cells of one model, on "board" one of another.
plan::Plan two_devices() {
  plan::Plan plan;
  plan.study.compilers = {{"identity", "2.15.0", 1, {}, "identity"}};
  for (const int batch : {1, 4}) {
    plan::Model& model = plan.models.emplace_back();
    model.hash = "0123456789abcdef0123456789abcdef";
    model.label = "resnet18";
    model.recipe_json = "{}";
    model.batch = batch;
  }
  plan.cells = {{"a", "local", "onnxruntime", "ort", "1.31.1", {{"graph", "\"all\""}}, 2, "f32", 0},
                {"b", "local", "identity", "identity", "2.15.0", {}, 1, "f32", 0},
                {"c", "board", "identity", "identity", "2.15.0", {}, 1, "f32", 1}};
  plan.groups = {{"local", 0, {{1, 0}, {0, 0}, {0, 1}}}, {"board", 1, {{2, 0}}}};
  return plan;
}

Result<samples::CompilerWork> found(const std::string& name, const std::string& version) {
  samples::CompilerWork work;
  work.name = name;
  work.version = version.empty() ? "default" : version;
  work.toolchain_dir = "/toolchains/" + name;
  return work;
}

Result<samples::Job> make_job(const plan::Plan& plan, const std::string& device, const std::string& run_id,
                              const FindCompiler& compiler, const std::string& reference_cache) {
  const auto jobs = Jobs::begin(plan, run_id);
  if (!jobs) return tl::unexpected(jobs.error());
  return jobs->of(device, compiler, reference_cache);
}

TEST(MakeJob, TakesTheDevicesShareOfThePlanInItsOrder) {
  const auto job = make_job(two_devices(), "local", "run-1", found, "/cache");
  ASSERT_TRUE(job);
  EXPECT_EQ(job->run_id, "run-1");
  EXPECT_EQ(job->reference_cache, "/cache");
  ASSERT_EQ(job->cells.size(), 2U);
  EXPECT_EQ(job->cells[0].compiler.toolchain_dir, "/toolchains/onnxruntime");
  EXPECT_EQ(job->cells[0].compiler.threads, 2);
  EXPECT_THAT(job->cells[0].compiler.options, ElementsAre(testing::Pair("graph", "\"all\"")));
  ASSERT_EQ(job->models.size(), 1U);
  EXPECT_EQ(job->models[0].batch, 1);
  ASSERT_EQ(job->groups.size(), 1U);
  EXPECT_EQ(job->groups[0].model_id, job->models[0].id);
  EXPECT_EQ(job->cells[1].model_id, job->models[0].id);
  std::vector<std::pair<std::string, int>> steps;
  for (const auto& step : job->groups[0].steps) steps.emplace_back(step.cell_id, step.process_index);
  EXPECT_THAT(steps, ElementsAre(testing::Pair("b", 0), testing::Pair("a", 0), testing::Pair("a", 1)));
}

TEST(MakeJob, GivesTheSameModelAtTwoBatchSizesTwoIds) {
  plan::Plan plan = two_devices();
  plan.cells[2].device = "local";
  const auto job = make_job(plan, "local", "run-1", found, "");
  ASSERT_EQ(job->models.size(), 2U);
  EXPECT_NE(job->models[0].id, job->models[1].id);
}

TEST(MakeJob, TurnsTheStudysUnitsIntoNanoseconds) {
  plan::Plan plan = two_devices();
  plan.study.min_repetition_ms = 2.5;
  plan.study.compile_timeout_s = 12;
  plan.study.run_timeout_s = 0.5;
  plan.study.stop_when = config::StopWhen{0.5, 11, 900, 30};
  plan.study.warm_up = 3;
  const auto job = make_job(plan, "local", "run-1", found, "");
  EXPECT_EQ(job->protocol.min_repetition_ns, 2'500'000);
  EXPECT_EQ(job->protocol.compile_timeout_ns, 12'000'000'000);
  EXPECT_EQ(job->protocol.run_timeout_ns, 500'000'000);
  EXPECT_DOUBLE_EQ(job->protocol.stop_when->half_width_ratio, 0.005);
  EXPECT_EQ(job->protocol.stop_when->max_repetitions, 900);
  EXPECT_EQ(job->protocol.stop_when->max_ns, 30'000'000'000);
  EXPECT_EQ(job->protocol.fixed_warm_up, 3);
}

TEST(MakeJob, TakesTheReferenceInTheStudysVersionAtItsDefaults) {
  const auto job = make_job(two_devices(), "local", "run-1", found, "");
  ASSERT_TRUE(job->reference);
  EXPECT_EQ(job->reference->name, "identity");
  EXPECT_EQ(job->reference->version, "2.15.0");
  EXPECT_EQ(job->reference->threads, 2);  // as many as any cell of the device
  EXPECT_TRUE(job->reference->options.empty());
}

TEST(MakeJob, TakesTheDefaultVersionOfAReferenceThatTheStudyDoesNotMeasure) {
  plan::Plan plan = two_devices();
  plan.study.compilers.clear();
  EXPECT_EQ(make_job(plan, "local", "run-1", found, "")->reference->version, "default");
}

TEST(MakeJob, ChecksNothingWhenTheStudySaysNone) {
  plan::Plan plan = two_devices();
  plan.study.reference = "none";
  EXPECT_FALSE(make_job(plan, "local", "run-1", found, "")->reference);
}

TEST(MakeJob, HandsOnTheFilesAndValuesOfAUsersModel) {
  plan::Plan plan = two_devices();
  plan.models[0].recipe_json.clear();
  plan.models[0].files = {{"model/user.onnx", "/home/user.onnx", "ba78"},
                          {"inputs/1/ids.npy", "/home/ids.npy", "16ad"}};
  plan.models[0].values = {{.input = "ids", .file = "inputs/1/ids.npy"}};
  const auto job = make_job(plan, "local", "run-1", found, "");
  ASSERT_TRUE(job);
  EXPECT_EQ(job->models[0].files, plan.models[0].files);
  EXPECT_EQ(job->models[0].values, plan.models[0].values);
  EXPECT_FALSE(job->exporter);
}

TEST(MakeJob, NamesWhoExportsAModule) {
  plan::Plan plan = two_devices();
  plan.models[0].recipe_json = R"({"module":{"timm":"resnet18"}})";
  plan.study.exporter_version = "2.15.0";
  const auto job = make_job(plan, "local", "run-1", found, "");
  ASSERT_TRUE(job);
  ASSERT_TRUE(job->exporter);
  EXPECT_EQ(job->exporter->name, "identity");
  EXPECT_EQ(job->exporter->version, "2.15.0");
}

TEST(MakeJob, HandsOnWhyAToolchainIsNotThere) {
  const auto job = make_job(
      two_devices(), "local", "run-1",
      [](const std::string& name, const std::string&) -> Result<samples::CompilerWork> {
        return fail(name + " is not installed");
      },
      "");
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().what, "onnxruntime is not installed");
}

}  // namespace
}  // namespace ngb::dispatch
