// SPDX-License-Identifier: Apache-2.0
// Where OpenVINO runs and in which precision: what was asked for, or a failure that says what there is.
#include <algorithm>

#include "worker_process.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace ngb::conformance
