// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "dispatch/make_job.h"

namespace ngb::dispatch {
namespace {

using testing::ElementsAre;

// Returns a plan for two devices: two cells of one model on "local", one cell of another model on "board".
plan::Plan two_devices() {
  plan::Plan plan;
  plan.study.compilers = {{.name = "identity", .version = "2.15.0", .label = "identity"}};
  plan.compilers = {
      {.name = "onnxruntime", .version = "1.31.1", .options = {{"graph", "\"all\""}}, .threads = 2, .label = "ort"},
      {.name = "identity", .version = "2.15.0", .label = "identity"}};
  for (const int batch : {1, 4}) {
    plan.models.push_back(
        {{.key = {"0123456789abcdef0123456789abcdef", batch}, .label = "resnet18"}, work::Recipe{"{}"}});
  }
  plan.cells = {{"a", "local", 0, 0}, {"b", "local", 1, 0}, {"c", "board", 1, 1}};
  plan.groups = {{"local", 0, {{1, 0}, {0, 0}, {0, 1}}}, {"board", 1, {{2, 0}}}};
  return plan;
}

Result<work::Place> found(const std::string& name, const std::string& version) {
  return work::Place{
      .compiler = name, .version = version.empty() ? "default" : version, .toolchain_dir = "/toolchains/" + name};
}

Result<work::Job> make_job(const plan::Plan& plan, const std::string& device, const std::string& run_id,
                           const FindPlace& place_of, const std::string& reference_cache) {
  Result<work::Job> job = Jobs(plan, run_id).of(device, place_of, reference_cache);
  EXPECT_TRUE(!job || work::check_job(*job));
  return job;
}

TEST(MakeJob, ContainsTheDevicesShareOfThePlanInItsOrder) {
  const auto job = make_job(two_devices(), "local", "run-1", found, "/cache");
  ASSERT_TRUE(job);
  EXPECT_EQ(job->run_id, "run-1");
  EXPECT_EQ(job->reference_cache, "/cache");
  ASSERT_EQ(job->cells.size(), 2U);
  const work::Compiler& compiler = job->compiler_of(job->cells[0]);
  EXPECT_EQ(job->place_of(compiler).toolchain_dir, "/toolchains/onnxruntime");
  EXPECT_EQ(compiler.threads, 2);
  EXPECT_THAT(compiler.options, ElementsAre(testing::Pair("graph", "\"all\"")));
  ASSERT_EQ(job->models.size(), 1U);
  EXPECT_EQ(job->models[0].key.batch, 1);
  ASSERT_EQ(job->groups.size(), 1U);
  EXPECT_EQ(job->groups[0].model_index, 0);
  EXPECT_EQ(job->cells[1].model_index, 0);
  std::vector<std::pair<std::string, int>> steps;
  for (const auto& step : job->groups[0].steps) steps.emplace_back(job->cell_of(step).id, step.process_index);
  EXPECT_THAT(steps, ElementsAre(testing::Pair("b", 0), testing::Pair("a", 0), testing::Pair("a", 1)));
}

TEST(MakeJob, RenumbersWhatTheDeviceNeeds) {
  const auto job = make_job(two_devices(), "board", "run-1", found, "");
  ASSERT_TRUE(job);
  EXPECT_EQ(job->compiler_of(job->cells.at(0)).name, "identity");
  EXPECT_EQ(job->model_of(job->groups.at(0)).key.batch, 4);
  EXPECT_EQ(job->cell_of(job->groups[0].steps.at(0)).id, "c");
}

TEST(MakeJob, NamesThePlaceOfEachCompilerOnce) {
  const auto job = make_job(two_devices(), "local", "run-1", found, "");
  EXPECT_EQ(job->places.size(), 2U) << "the reference is measured, too";
}

TEST(MakeJob, UsesTheReferenceInTheStudysVersionWithDefaultOptions) {
  const auto job = make_job(two_devices(), "local", "run-1", found, "");
  ASSERT_TRUE(job->reference);
  EXPECT_EQ(job->reference->name, "identity");
  EXPECT_EQ(job->reference->version, "2.15.0");
  EXPECT_EQ(job->reference->threads, 2);  // as many as any cell of the device
  EXPECT_TRUE(job->reference->options.empty());
}

TEST(MakeJob, LeavesWordsForThreadsToTheDevice) {
  plan::Plan plan = two_devices();
  plan.compilers[0].threads_asked = "all";
  plan.compilers[0].threads = 64;  // of the client's machine
  const auto job = make_job(plan, "local", "run-1", found, "");
  EXPECT_EQ(job->compiler_of(job->cells[0]).threads_asked, "all");
  EXPECT_EQ(job->compiler_of(job->cells[0]).threads, 1);
  EXPECT_EQ(job->reference->threads, 1);
}

TEST(MakeJob, UsesTheDefaultVersionOfAReferenceThatTheStudyDoesNotMeasure) {
  plan::Plan plan = two_devices();
  plan.study.compilers.clear();
  EXPECT_EQ(make_job(plan, "local", "run-1", found, "")->reference->version, "default");
}

TEST(MakeJob, HasNoReferenceIfTheStudyNamesNone) {
  plan::Plan plan = two_devices();
  plan.study.reference = "none";
  EXPECT_FALSE(make_job(plan, "local", "run-1", found, "")->reference);
}

TEST(MakeJob, ContainsTheFilesAndValuesOfAUsersModel) {
  plan::Plan plan = two_devices();
  plan.models[0].source = work::OnnxFile{};
  plan.models[0].files = {{"model/user.onnx", "/home/user.onnx", "ba78"},
                          {"inputs/1/ids.npy", "/home/ids.npy", "16ad"}};
  plan.models[0].values = {{.input = "ids", .file = "inputs/1/ids.npy"}};
  const auto job = make_job(plan, "local", "run-1", found, "");
  ASSERT_TRUE(job);
  EXPECT_EQ(job->models[0].files, plan.models[0].files);
  EXPECT_EQ(job->models[0].values, plan.models[0].values);
  EXPECT_FALSE(job->exporter);
}

TEST(MakeJob, NamesTheExporterForACompilerThatConvertsItsModulesOfEveryModel) {
  plan::Plan plan = two_devices();
  plan.study.exporter_version = "2.15.0";
  const auto converting = [](const char* host) {
    return [host](const std::string& name, const std::string& version) -> Result<work::Place> {
      Result<work::Place> place = found(name, version);
      place->host = host;
      place->runs_modules = "always";
      return place;
    };
  };
  // One that Python hosts has the exporter's toolchain for its own.
  EXPECT_FALSE(make_job(plan, "local", "run-1", converting("python"), "")->exporter);
  const auto job = make_job(plan, "local", "run-1", converting("native"), "");
  ASSERT_TRUE(job->exporter);
  EXPECT_EQ(job->place_of(*job->exporter).toolchain_dir, "/toolchains/identity");
}

TEST(MakeJob, NamesTheCompilerThatExportsAModule) {
  plan::Plan plan = two_devices();
  plan.models[0].source = work::Module{R"({"module":{"timm":"resnet18"}})"};
  plan.study.exporter_version = "2.15.0";
  const auto job = make_job(plan, "local", "run-1", found, "");
  ASSERT_TRUE(job);
  ASSERT_TRUE(job->exporter);
  EXPECT_EQ(job->exporter->name, "identity");
  EXPECT_EQ(job->exporter->version, "2.15.0");
}

TEST(MakeJob, NamesTheOtherReferencesForUsersModels) {
  plan::Plan plan = two_devices();
  plan.study.reference = "identity";
  plan.study.reference_version = "2.15.0";
  plan.study.other_references = {{.name = "onnx", .version = "2.15.0"}};
  plan.models[0].source = work::Recipe{};
  EXPECT_TRUE(make_job(plan, "local", "run-1", found, "")->other_references.empty());
  plan.models[0].source = work::OnnxFile{};
  const auto job = make_job(plan, "local", "run-1", found, "");
  ASSERT_TRUE(job && job->other_references.size() == 1);
  EXPECT_EQ(job->other_references[0].name, "onnx");
}

TEST(MakeJob, ReportsWhyAToolchainIsMissing) {
  const auto job = make_job(
      two_devices(), "local", "run-1",
      [](const std::string& name, const std::string&) -> Result<work::Place> {
        return fail(name + " is not installed");
      },
      "");
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().what, "onnxruntime is not installed");
}

TEST(MakeJob, GivesWorkersTheStudysAllocatorUnlessTheDeviceSaysOtherwise) {
  plan::Plan plan = two_devices();
  plan.study.devices = {{.name = "local"}, {.name = "board", .environment = {{"MALLOC_TOP_PAD_", "0"}}}};
  EXPECT_THAT(make_job(plan, "local", "r", found, "")->environment, testing::IsEmpty());
  plan.study.allocator = "steady";
  using Variable = std::pair<std::string, std::string>;
  EXPECT_THAT(make_job(plan, "local", "r", found, "")->environment,
              ElementsAre(Variable("MALLOC_MMAP_MAX_", "0"), Variable("MALLOC_TOP_PAD_", "67108864"),
                          Variable("MALLOC_TRIM_THRESHOLD_", "17179869184")));
  EXPECT_THAT(make_job(plan, "board", "r", found, "")->environment,
              ElementsAre(Variable("MALLOC_MMAP_MAX_", "0"), Variable("MALLOC_TOP_PAD_", "0"),
                          Variable("MALLOC_TRIM_THRESHOLD_", "17179869184")));
}

}  // namespace
}  // namespace ngb::dispatch
