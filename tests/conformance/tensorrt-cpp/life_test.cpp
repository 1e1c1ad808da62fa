// SPDX-License-Identifier: Apache-2.0
// What the native plugin of TensorRT calls, in order, and what its options change.
#include <gmock/gmock.h>

#include <array>
#include <span>

#include "recorded_session.h"

namespace ngb::tensorrt {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAreArray;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

using TensorRTCpp = RecordedSession;

constexpr std::array kOpened{"setInternalLibraryPath tensorrt_libs",
                             "cuInit",
                             "cuDeviceGetCount",
                             "cuDevicePrimaryCtxSetFlags_v2 1",
                             "cuDevicePrimaryCtxRetain",
                             "cuCtxSetCurrent"};
constexpr std::array kCompiled{
    "new IBuilder",          "createNetworkV2 0",         "new INetworkDefinition", "new IParser",
    "parseFromFile",         "new IBuilderConfig",        "clearFlag TF32",         "buildSerializedNetwork threads=2",
    "delete IBuilderConfig", "delete INetworkDefinition", "delete IParser",         "delete IBuilder"};
constexpr std::array kLoaded{"new IRuntime", "deserializeCudaEngine", "new ICudaEngine", "new IExecutionContext",
                             "cuStreamCreate s1"};
constexpr std::array kBuffers{"cuMemAlloc_v2 d1 24", "cuMemHostAlloc h1 24", "setTensorAddress x d1",
                              "cuMemAlloc_v2 d2 24", "cuMemHostAlloc h2 24", "setTensorAddress y d2"};
constexpr std::array kFirstRun{"cuMemcpyHtoDAsync_v2 d1 h1 24 s1", "enqueueV3 s1", "cuStreamSynchronize s1"};
constexpr std::array kRunTimedByTheGpu{
    "cuEventCreate e1",    "cuEventCreate e2",       "cuEventRecord e1 s1",      "enqueueV3 s1",
    "cuEventRecord e2 s1", "cuStreamSynchronize s1", "cuEventElapsedTime e1 e2", "cuEventDestroy_v2 e2",
    "cuEventDestroy_v2 e1"};
constexpr std::array kClosed{"cuMemFree_v2 d1",  "cuMemFreeHost h1",         "cuMemFree_v2 d2",
                             "cuMemFreeHost h2", "delete IExecutionContext", "delete ICudaEngine",
                             "delete IRuntime",  "cuStreamDestroy_v2 s1",    "cuDevicePrimaryCtxRelease_v2"};

Texts joined(std::initializer_list<std::span<const char* const>> parts) {
  Texts all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Texts beginning_with(const Texts& calls, const std::string& first) {
  Texts found;
  for (const std::string& call : calls) {
    if (call.starts_with(first)) found.push_back(call);
  }
  return found;
}

TEST_F(TensorRTCpp, ASessionMakesTheseCallsAndNoOthers) {
  ASSERT_EQ(compile(), NGB_OK) << error_.message;
  EXPECT_THAT(calls(), ElementsAreArray(joined({kOpened, kCompiled, kLoaded})));
  ASSERT_EQ(bind_to({}, kValues.data(), 24), NGB_OK) << error_.message;
  EXPECT_THAT(calls(), ElementsAreArray(joined({kBuffers, kFirstRun, kRunTimedByTheGpu})));
  ASSERT_EQ(run(), NGB_OK) << error_.message;
  EXPECT_THAT(calls(), ElementsAreArray({"enqueueV3 s1", "cuStreamSynchronize s1"}));
  EXPECT_EQ(output(), std::pair(std::vector<std::int64_t>{2, 3}, kDoubled));
  EXPECT_THAT(calls(), ElementsAreArray({"cuMemcpyDtoHAsync_v2 h2 d2 24 s1", "cuStreamSynchronize s1"}));
  table_->close(std::exchange(session_, nullptr));
  EXPECT_THAT(calls(), ElementsAreArray(kClosed));
}

TEST_F(TensorRTCpp, BoundAgainItGivesBackWhatItHad) {
  ASSERT_EQ(bind({.options = {{"cuda_graph", "true"}}}), NGB_OK) << error_.message;
  calls();
  ASSERT_EQ(bind_to({}, kDoubled.data(), 24), NGB_OK) << error_.message;
  Texts first = calls();
  first.resize(5);
  EXPECT_THAT(first, ElementsAreArray({"cuGraphExecDestroy g1", "cuMemFree_v2 d1", "cuMemFreeHost h1",
                                       "cuMemFree_v2 d2", "cuMemFreeHost h2"}));
  ASSERT_EQ(run(), NGB_OK);
  EXPECT_EQ(output().second, (Values{4, -8, 12, -16, 20, -24}));
}

TEST_F(TensorRTCpp, ItTellsWhatItIsAndWhatWasReadBack) {
  const Options given{{"workspace_bytes", "1000000"}, {"builder_optimization_level", "5"}};
  ASSERT_EQ(bind({.options = given}), NGB_OK) << error_.message;
  const std::string headers = kMajor + "." + std::to_string(NV_TENSORRT_MINOR);
  const Options expected{{"version", headers + "." + std::to_string(NV_TENSORRT_PATCH) + ".34"},
                         {"headers", headers},
                         {"device", "cuda"},
                         {"wait", "spin"},
                         {"device_name", "Recording Stand-In"},
                         {"compute_capability", "8.7"},
                         {"driver_cuda_version", "12.6"},
                         {"precision", "f32"},
                         {"reduced_precision_flags", "none"},
                         {"workspace_bytes", "1000000"},
                         {"builder_optimization_level", "5"},
                         {"builder_threads", "2"},
                         {"builder_resources", kResource},
                         {"engine_bytes", std::to_string(fs::file_size(folder_ / "engine"))},
                         {"layers", "1"},
                         {"gpu_inference_ns", "250000"},
                         {"activation_memory_bytes", "4096"},
                         {"input_output_memory_bytes", "48"},
                         {"is_cuda_graph", "false"}};
  Options told = facts();
  EXPECT_THAT(told.extract("library").mapped(), EndsWith("toolchain/tensorrt_libs/libnvinfer.so." + kMajor));
  EXPECT_EQ(told, expected);
}

TEST_F(TensorRTCpp, AThreadSleepsWhileItWaitsWhenTheStudySaysBlock) {
  ASSERT_EQ(compile({.options = {{"wait", "block"}}}), NGB_OK) << error_.message;
  EXPECT_THAT(calls(), Contains("cuDevicePrimaryCtxSetFlags_v2 4"));
  EXPECT_EQ(facts()["wait"], "block");
}

TEST_F(TensorRTCpp, TF32IsOffInEveryPrecision) {
  ASSERT_EQ(compile(), NGB_OK);
  EXPECT_THAT(calls(), AllOf(Contains("clearFlag TF32"), Not(Contains(StartsWith("setFlag")))));
  close();
  ASSERT_EQ(compile({.precision = "f16"}), NGB_OK) << error_.message;
  EXPECT_THAT(calls(), AllOf(Contains("clearFlag TF32"), Contains("setFlag FP16")));
  EXPECT_EQ(facts()["reduced_precision_flags"], "FP16");
  close();
  ASSERT_EQ(compile({.precision = "bf16"}), NGB_OK) << error_.message;
  EXPECT_THAT(calls(), AllOf(Contains("clearFlag TF32"), Contains("setFlag BF16")));
}

TEST_F(TensorRTCpp, BuilderFlagsThatAStudyHandsOnAreSetAndReadBack) {
  ASSERT_EQ(compile({.settings = {{"SPARSE_WEIGHTS", "true"}}}), NGB_OK) << error_.message;
  EXPECT_THAT(calls(), Contains("setFlag SPARSE_WEIGHTS"));
  EXPECT_EQ(facts()["SPARSE_WEIGHTS"], "true");
  close();
  EXPECT_EQ(compile({.settings = {{"DENSE_WEIGHTS", "true"}}}), NGB_INVALID_OPTION);
  EXPECT_THAT(error_.message, testing::HasSubstr("has no builder flag kDENSE_WEIGHTS"));
  close();
  EXPECT_EQ(compile({.settings = {{"SPARSE_WEIGHTS", "1"}}}), NGB_INVALID_OPTION);
  EXPECT_THAT(error_.message, testing::HasSubstr("SPARSE_WEIGHTS=1: a builder flag is true or false"));
}

TEST_F(TensorRTCpp, TheWorkspaceIsLimitedOnlyWhenAskedFor) {
  ASSERT_EQ(compile(), NGB_OK);
  EXPECT_THAT(calls(), Not(Contains(StartsWith("setMemoryPoolLimit"))));
  close();
  ASSERT_EQ(compile({.options = {{"workspace_bytes", "4096"}}}), NGB_OK);
  EXPECT_THAT(calls(), Contains("setMemoryPoolLimit WORKSPACE 4096"));
}

TEST_F(TensorRTCpp, OpenExtentsBecomeTheCellsInOneProfile) {
  ASSERT_EQ(compile({.model = kOpenBatch}), NGB_OK) << error_.message;
  const Texts all = calls();
  EXPECT_THAT(
      beginning_with(all, "setDimensions"),
      ElementsAreArray({"setDimensions x MIN [2, 3]", "setDimensions x OPT [2, 3]", "setDimensions x MAX [2, 3]"}));
  EXPECT_THAT(all, Contains("addOptimizationProfile"));
  close();
  ASSERT_EQ(compile(), NGB_OK);
  EXPECT_THAT(calls(), Not(Contains("addOptimizationProfile")));
}

TEST_F(TensorRTCpp, TheContextIsToldTheShapeBeforeItGetsMemory) {
  ASSERT_EQ(bind({.model = kOpenBatch}), NGB_OK) << error_.message;
  Texts first = calls();
  first.resize(2);
  EXPECT_THAT(first, ElementsAreArray({"setInputShape x [2, 3]", "cuMemAlloc_v2 d1 24"}));
  ASSERT_EQ(run(), NGB_OK);
  EXPECT_EQ(output(), std::pair(std::vector<std::int64_t>{2, 3}, kDoubled));
}

TEST_F(TensorRTCpp, TransfersArePartOfTheTimedCallWhenAskedFor) {
  ASSERT_EQ(bind({.options = {{"include_transfer", "true"}}}), NGB_OK) << error_.message;
  calls();
  ASSERT_EQ(run(), NGB_OK);
  EXPECT_THAT(calls(), ElementsAreArray({"cuMemcpyHtoDAsync_v2 d1 h1 24 s1", "enqueueV3 s1",
                                         "cuMemcpyDtoHAsync_v2 h2 d2 24 s1", "cuStreamSynchronize s1"}));
  EXPECT_EQ(output().second, kDoubled);
  EXPECT_THAT(calls(), IsEmpty());
}

TEST_F(TensorRTCpp, AGraphIsCapturedOnceAndLaunchedInTheTimedCall) {
  ASSERT_EQ(bind({.options = {{"cuda_graph", "true"}}}), NGB_OK) << error_.message;
  constexpr std::array kCaptured{"cuStreamBeginCapture_v2 s1", "enqueueV3 s1", "cuStreamEndCapture s1",
                                 "cuGraphInstantiateWithFlags g1", "cuGraphDestroy"};
  EXPECT_THAT(calls(), ElementsAreArray(joined({kBuffers, kFirstRun, kRunTimedByTheGpu, kCaptured})));
  ASSERT_EQ(run(), NGB_OK);
  EXPECT_THAT(calls(), ElementsAreArray({"cuGraphLaunch g1 s1", "cuStreamSynchronize s1"}));
  EXPECT_EQ(output().second, kDoubled);
  EXPECT_EQ(facts()["is_cuda_graph"], "true");
}

TEST_F(TensorRTCpp, AGraphHoldsTheTransfersToo) {
  ASSERT_EQ(bind({.options = {{"cuda_graph", "true"}, {"include_transfer", "true"}}}), NGB_OK) << error_.message;
  calls();
  ASSERT_EQ(run(), NGB_OK);
  EXPECT_THAT(calls(), ElementsAreArray({"cuGraphLaunch g1 s1", "cuStreamSynchronize s1"}));
  EXPECT_EQ(output().second, kDoubled);
}

TEST_F(TensorRTCpp, ATimingCacheIsKeptForTheNextProcess) {
  const Given cached{.options = {{"timing_cache", "true"}}};
  const auto taken = [&](const Given& given) {
    EXPECT_EQ(compile(given), NGB_OK) << error_.message;
    Texts found = beginning_with(calls(), "setTimingCache");
    close();
    return found;
  };
  EXPECT_THAT(taken(cached), ElementsAreArray({"setTimingCache ''"}));
  EXPECT_THAT(taken(cached), ElementsAreArray({"setTimingCache 'timed'"}));
  ASSERT_EQ(std::distance(fs::directory_iterator(folder_ / "cache/tensorrt"), fs::directory_iterator()), 1);
  const fs::path path = fs::directory_iterator(folder_ / "cache/tensorrt")->path();
  EXPECT_THAT(path.filename().string(),
              AllOf(StartsWith("timing-" + kMajor + "."), HasSubstr(".34-Recording-Stand-In-8.7.cache")));
  std::ofstream(path) << "of another GPU";
  EXPECT_THAT(taken(cached), ElementsAreArray({"setTimingCache 'of another GPU'", "setTimingCache ''"}));
  EXPECT_THAT(taken({}), IsEmpty());
}

TEST_F(TensorRTCpp, TheTimingCacheOutlivesTheBuilder) {
  ASSERT_EQ(compile({.options = {{"timing_cache", "true"}}}), NGB_OK) << error_.message;
  const Texts all = calls();
  const auto builder = std::find(all.begin(), all.end(), "delete IBuilder");
  ASSERT_NE(builder, all.end());
  EXPECT_THAT(Texts(all.begin(), builder), Not(Contains("delete ITimingCache")));
  EXPECT_THAT(Texts(builder, all.end()), Contains("delete ITimingCache"));
}

TEST_F(TensorRTCpp, OutputsOfAShapeKnownOnlyAfterARunAreReadInThatShape) {
  ASSERT_EQ(bind({.model = kOpenOutput}), NGB_OK) << error_.message;
  ASSERT_EQ(run(), NGB_OK);
  EXPECT_EQ(output(), std::pair(std::vector<std::int64_t>{3}, Values{1, 3, 5}));
  close();
  EXPECT_EQ(bind({.model = kOpenOutput, .options = {{"cuda_graph", "true"}}}), NGB_INVALID_OPTION);
  EXPECT_THAT(error_.message, HasSubstr("\"y\""));
}

TEST_F(TensorRTCpp, I64InputsBecomeI32WhereTensorRTTakesThat) {
  const Given given{
      .model = {{"inputs", {{"x", {"INT32", json::array({1})}}}}, {"outputs", {{"y", {"FLOAT", json::array({1})}}}}},
      .dtype = NGB_I64,
      .shape = {1}};
  ASSERT_EQ(compile(given), NGB_OK) << error_.message;
  const std::int64_t small = 7;
  ASSERT_EQ(bind_to(given, &small, sizeof small), NGB_OK) << error_.message;
  EXPECT_THAT(calls(), Contains("cuMemAlloc_v2 d1 4"));
  const std::int64_t large = std::int64_t{1} << 40;
  EXPECT_EQ(bind_to(given, &large, sizeof large), NGB_UNSUPPORTED_OPERATOR);
}

}  // namespace
}  // namespace ngb::tensorrt
