// SPDX-License-Identifier: Apache-2.0
// What ONNX Runtime's profile says of where nodes ran.
#include "onnxruntime/placement.h"

#include <gtest/gtest.h>

#include "ngraphbench/plugin_boundary.h"

namespace ngb::onnxruntime {
namespace {

constexpr const char* kOpenVino = "OpenVINOExecutionProvider";
constexpr std::string_view kMixed = R"([
{"cat":"Session","name":"model_loading_uri","ph":"X","args":{}},
{"cat":"Node","name":"a_fence_before","ph":"X","args":{"op_name":"Conv"}},
{"cat":"Node","name":"a_kernel_time","ph":"X","args":{"op_name":"OpenVINO-EP-subgraph_1","provider":"OpenVINOExecutionProvider"}},
{"cat":"Node","name":"b_kernel_time","ph":"X","args":{"op_name":"Gather","provider":"CPUExecutionProvider"}},
{"cat":"Node","name":"c_kernel_time","ph":"X","args":{"op_name":"Cast","provider":"CPUExecutionProvider"}},
{"cat":"Node","name":"d_kernel_time","ph":"X","args":{"op_name":"Cast","provider":"CPUExecutionProvider"}}
])";

TEST(Placement, ShowsWhichProviderRanWhichOperators) {
  const Placement placement = read_placement(kMixed);
  EXPECT_EQ(describe(placement, kOpenVino), "CPUExecutionProvider 3 (Cast, Gather), OpenVINOExecutionProvider 1");
  EXPECT_FALSE(is_all_on(placement, kOpenVino));
}

TEST(Placement, IsProvenIfEveryNodeRanOnTheProvider) {
  const Placement placement = read_placement(
      R"([{"cat":"Node","args":{"op_name":"OpenVINO-EP-subgraph_1","provider":"OpenVINOExecutionProvider"}}])");
  EXPECT_TRUE(is_all_on(placement, kOpenVino));
  EXPECT_FALSE(is_all_on(placement, "CPUExecutionProvider"));
}

TEST(Placement, IsNotProvenByAnEmptyProfile) {
  for (const std::string_view profile : {"", "[]", "{}", "[1, {\"cat\": \"Node\"}]", "[{\"cat\":\"Session\"}"}) {
    EXPECT_THROW(read_placement(profile), plugin::Failure) << profile;
  }
}

}  // namespace
}  // namespace ngb::onnxruntime
