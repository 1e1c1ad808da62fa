// SPDX-License-Identifier: Apache-2.0
// Where OpenVINO runs and in which precision: what was asked for, or a failure that says what there is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "base/file.h"
#include "worker/reference_file.h"
#include "worker_process.h"

namespace ngb::conformance {
namespace {

class OpenVino : public testing::Test {
 protected:
  void SetUp() override {
    for (const CompilerUnderTest& each : compilers_under_test()) {
      if (each.name == "openvino") compiler_ = each;  // oldest first
    }
    if (const std::string missing = compiler_.missing(); !missing.empty()) GTEST_SKIP() << missing;
  }

  [[nodiscard]] WorkerRun run_on(const std::string& device, const std::string& precision = "f32") const {
    const TemporaryFolder scratch;
    work::WorkerRequest request = make_request(compiler_, conv_model(), scratch);
    request.compiler.options = {{"device", device}};
    request.compiler.precision = precision;
    return run_worker(compiler_, request);
  }

  CompilerUnderTest compiler_;
};

TEST_F(OpenVino, TellsWhereItRanAndInWhichPrecision) {
  const WorkerRun run = run_on("cpu");
  ASSERT_EQ(run.ending(), "none") << run.message();
  EXPECT_EQ(run.result->facts.at("device"), "CPU");
  EXPECT_EQ(run.result->facts.at("precision"), "f32");
  EXPECT_EQ(run.result->facts.at("DYNAMIC_QUANTIZATION_GROUP_SIZE"), "0");
  EXPECT_EQ(run.result->facts.at("KV_CACHE_PRECISION"), "f32");
}

TEST_F(OpenVino, TellsWhichDeviceItChose) {
  const WorkerRun run = run_on("auto");
  ASSERT_EQ(run.ending(), "none") << run.message();
  EXPECT_FALSE(run.result->facts.at("device").empty());
  EXPECT_NE(run.result->facts.at("device"), "AUTO");
  EXPECT_EQ(run.result->facts.at("precision"), "f32");
  if (run.result->facts.at("device") == "CPU") {
    EXPECT_EQ(run.result->facts.at("threads"), "1");
  }
}

TEST_F(OpenVino, NamesTheDevicesThatAreHereWhereTheOneAskedForIsNot) {
  const WorkerRun run = run_on("npu");
  if (run.ending() == "none") GTEST_SKIP() << "this machine has an NPU";
  EXPECT_EQ(run.ending(), "no_device") << run.message();
  EXPECT_NE(run.message().find("openvino finds no NPU here; it finds CPU"), std::string::npos) << run.message();
}

// OpenVINO itself takes another precision without a word where the processor lacks the one asked for.
TEST_F(OpenVino, ComputesInThePrecisionAskedForOrFails) {
  for (const std::string precision : {"bf16", "f16"}) {
    const WorkerRun run = run_on("cpu", precision);
    if (run.ending() == "none") {
      EXPECT_EQ(run.result->facts.at("precision"), precision);
    } else {
      EXPECT_EQ(run.ending(), "fallback") << run.message();
      EXPECT_NE(run.message().find("told to compute in " + precision + " and computes in "), std::string::npos);
    }
  }
}

// The file adds all numbers that it has read. A pass begins empty and reads a prompt of three numbers, then two more.
// The worker runs two passes, and would say if they differed.
TEST_F(OpenVino, EmptiesWhatAFileKeepsBeforeEachPass) {
  const TemporaryFolder scratch;
  const auto text = file::read(std::filesystem::path(NGB_SOURCE_DIR) / "tests/conformance/kept_sum.xml");
  ASSERT_TRUE(text);
  work::WorkerRequest request = make_request(compiler_, conv_model(), scratch);
  request.model_path = scratch.write("kept_sum.xml", *text).string();
  scratch.write("kept_sum.bin", std::string("\1\0\0\0\0\0\0\0", 8));
  request.model.source = work::CompiledFile{};
  request.model.inputs = {{"input_ids", DataType::i64, {1, 1}}};
  request.model.open_inputs = {{"input_ids", DataType::i64, {1, kOpenExtent}}};
  request.model.values = {{.input = "input_ids", .range = {{5, 5}}}};
  request.model.decoding =
      work::Decoding{.new_tokens = 2, .context = 3, .cache = "stateful", .ids = "input_ids", .is_stateful = true};
  request.task = work::Task::make_references;
  request.reference_path = (scratch.path() / "outputs").string();
  const WorkerRun run = run_worker(compiler_, request);
  ASSERT_EQ(run.ending(), "none") << run.message();
  const auto outputs = worker::Reference::open(request.reference_path);
  ASSERT_TRUE(outputs) << outputs.error().text();
  EXPECT_EQ(outputs->facts().doubt, "");
  ASSERT_EQ(outputs->outputs().size(), 1U);
  const auto* const sums = static_cast<const float*>(outputs->outputs().front().data);
  EXPECT_THAT(std::span(sums, 2), testing::ElementsAre(20, 25));
}

}  // namespace
}  // namespace ngb::conformance
