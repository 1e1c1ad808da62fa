// SPDX-License-Identifier: Apache-2.0
// What the native plugin of TensorRT makes of the times that TensorRT reports of its layers.
#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <vector>

#include "recorded_session.h"

namespace ngb::tensorrt {

class TensorRTCppProfile : public RecordedSession {
 protected:
  // `layers` are names and milliseconds.
  static Given with_layers(const json& layers) {
    Given given;
    given.model["layers"] = layers;
    return given;
  }
  // The nodes of each kernel.
  std::vector<Texts> profile(std::uint32_t inferences) {
    EXPECT_EQ(table_->begin_profile(session_, &error_), NGB_OK) << error_.message;
    for (std::uint32_t i = 0; i < inferences; ++i) EXPECT_EQ(run(), NGB_OK);
    std::uint32_t count = 0;
    status_ = table_->end_profile(session_, inferences, &kernels_, &count, &error_);
    std::vector<Texts> nodes;
    for (std::uint32_t i = 0; i < count; ++i) {
      nodes.emplace_back(kernels_[i].nodes, kernels_[i].nodes + kernels_[i].node_count);
    }
    return nodes;
  }
  inline static const json kOneLayer = json::parse(R"([["a", 1]])");
  inline static const json kThreeLayers =
      json::parse(R"json([["conv1 + act1", 1.5], ["PWN(PWN(a(b)), c)", 0.25], ["{ForeignNode[q...out]}", 0]])json");
  const ngb_kernel* kernels_ = nullptr;
  ngb_status status_ = NGB_OK;
};

TEST_F(TensorRTCppProfile, HasTheNodesThatTheLayersNamesAreMadeOf) {
  ASSERT_EQ(bind(with_layers(kThreeLayers)), NGB_OK) << error_.message;
  const std::vector<Texts> nodes = profile(2);
  EXPECT_EQ(nodes, (std::vector<Texts>{{"conv1", "act1"}, {"a(b)", "c"}, {"q", "out"}}));
  EXPECT_DOUBLE_EQ(kernels_[0].ns, 1.5e6);
  EXPECT_STREQ(kernels_[0].name, "conv1 + act1");
  EXPECT_STREQ(kernels_[0].found_by, "node name");
  EXPECT_DOUBLE_EQ(kernels_[2].ns, 0);
}

TEST_F(TensorRTCppProfile, TakesItsProfilerBackAtTheEnd) {
  ASSERT_EQ(bind(with_layers(kOneLayer)), NGB_OK) << error_.message;
  calls();
  profile(1);
  run();
  EXPECT_EQ(calls(), (Texts{"setProfiler", "enqueueV3 s1", "cuStreamSynchronize s1", "setProfiler null", "enqueueV3 s1",
                            "cuStreamSynchronize s1"}));
}

TEST_F(TensorRTCppProfile, IsRefusedForAGraph) {
  Given given = with_layers(kOneLayer);
  given.options = {{"cuda_graph", "true"}};
  ASSERT_EQ(bind(given), NGB_OK) << error_.message;
  EXPECT_EQ(table_->begin_profile(session_, &error_), NGB_NO_PROFILE);
  EXPECT_STREQ(error_.message, "TensorRT does not measure the layers of a CUDA graph");
}

}  // namespace ngb::tensorrt
