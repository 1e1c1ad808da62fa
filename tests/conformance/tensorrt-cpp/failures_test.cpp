// SPDX-License-Identifier: Apache-2.0
// What the native plugin of TensorRT says when something is wrong.
#include <gmock/gmock.h>

#include "recorded_session.h"

namespace ngb::tensorrt {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

using TensorRTCppFailure = RecordedSession;

TEST_F(TensorRTCppFailure, ANodeThatIsNotTakenIsNamed) {
  json model = kStatic;
  model["errors"] = {{{"code", 8}, {"node", 3}, {"name", "head"}, {"operator", "Nonesuch"}, {"desc", "no importer"}}};
  EXPECT_EQ(compile({.model = model}), NGB_UNSUPPORTED_OPERATOR);
  EXPECT_STREQ(error_.message, "TensorRT does not support Nonesuch (\"head\", node 3): no importer");
}

TEST_F(TensorRTCppFailure, AFileThatIsNoModelIsInvalid) {
  json model = kStatic;
  model["errors"] = {{{"code", 3}, {"desc", "no"}}};
  EXPECT_EQ(compile({.model = model}), NGB_INVALID_MODEL);
  close();
  ASSERT_EQ(open(), NGB_OK);
  EXPECT_EQ(compile_file((folder_ / "nowhere.onnx").string()), NGB_INVALID_MODEL);
  EXPECT_THAT(error_.message, HasSubstr("nowhere.onnx"));
}

TEST_F(TensorRTCppFailure, InputsThatAreNotTheModelsAreInvalid) {
  const std::vector<Given> wrong{{.name = "z"}, {.shape = {3, 2}}, {.dtype = NGB_I32}};
  for (const Given& given : wrong) {
    EXPECT_EQ(compile(given), NGB_INVALID_MODEL) << error_.message;
    close();
  }
}

TEST_F(TensorRTCppFailure, TensorsThatHoldShapesAreRefused) {
  json model = kStatic;
  model["on_the_cpu"] = "y";
  EXPECT_EQ(bind({.model = model}), NGB_UNSUPPORTED_OPERATOR);
  EXPECT_THAT(error_.message, HasSubstr("\"y\" holds a shape"));
  close();
  model = kStatic;
  model["inputs"]["x"].push_back("holds a shape");
  EXPECT_EQ(compile({.model = model}), NGB_UNSUPPORTED_OPERATOR);
  EXPECT_THAT(error_.message, HasSubstr("\"x\" holds a shape"));
}

TEST_F(TensorRTCppFailure, AFailedBuildSaysWhyAndLeavesNothing) {
  const std::vector<std::pair<std::string, ngb_status>> failures{
      {"Could not find any implementation for node conv_1", NGB_UNSUPPORTED_OPERATOR},
      {"Requested amount of GPU memory could not be allocated: out of memory", NGB_OUT_OF_MEMORY},
      {"Error Code 2: Internal Error", NGB_COMPILER_FAILED}};
  for (const auto& [message, status] : failures) {
    json model = kStatic;
    model["fail_to_build"] = message;
    EXPECT_EQ(compile({.model = model}), status);
    EXPECT_STREQ(error_.message, ("TensorRT cannot make an engine: " + message).c_str());
    table_->close(std::exchange(session_, nullptr));
    const Texts all = calls();
    for (const std::string kind : {"IBuilder", "INetworkDefinition", "IBuilderConfig", "IParser"}) {
      EXPECT_THAT(all, AllOf(Contains("new " + kind).Times(1), Contains("delete " + kind).Times(1)));
    }
    EXPECT_EQ(all.back(), "cuDevicePrimaryCtxRelease_v2");
    forget();
  }
}

TEST_F(TensorRTCppFailure, ARuntimeThatIsNotMadeIsAFailureWhateverItsAddress) {
  ::setenv("RECORDING_TENSORRT_STAND_IN_HAS_NO_RUNTIME", "1", 1);
  EXPECT_EQ(compile(), NGB_COMPILER_FAILED);
  EXPECT_STREQ(error_.message, "TensorRT cannot make a runtime: CUDA initialization failure");
}

TEST_F(TensorRTCppFailure, AnErrorThatIsSurvivedRefusesNothingAndExplainsNoLaterFailure) {
  ::setenv("RECORDING_TENSORRT_STAND_IN_LOGS_AN_ERROR", "1", 1);
  ASSERT_EQ(compile(), NGB_OK) << error_.message;
  close();
  json model = kStatic;
  model["fail_to_build"] = "Error Code 2: Internal Error";
  EXPECT_EQ(compile({.model = model}), NGB_COMPILER_FAILED);
  EXPECT_STREQ(error_.message, "TensorRT cannot make an engine: Error Code 2: Internal Error");
}

TEST_F(TensorRTCppFailure, WithoutItsLibraryOfKernelsNothingCanBeBuilt) {
  fs::remove(folder_ / "toolchain/tensorrt_libs" / kResource);
  EXPECT_EQ(compile(), NGB_COMPILER_FAILED);
  EXPECT_STREQ(error_.message,
               ("TensorRT cannot make a builder: Unable to load library: " + std::string(kResource)).c_str());
  EXPECT_THAT(error_.advice, AllOf(StartsWith("put TensorRT's kernels (libnvinfer_builder_resource*) into /"),
                                   EndsWith("/toolchain/tensorrt_libs, beside its other libraries")));
}

// A TensorRT before 10.7 is a copy of the stand-in whose function for the folder of kernels has another name.
TEST_F(TensorRTCppFailure, KernelsThatAnOldTensorRTDoesNotFindAreExplainedByTheLoadersPath) {
  std::ifstream file(RECORDING_TENSORRT_STAND_IN, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), {}};
  const std::string_view function = "setInternalLibraryPath";
  for (std::size_t at = 0; (at = content.find(function, at)) != std::string::npos;) content.replace(at, 3, "old");
  const fs::path old = folder_ / "libnvinfer_old.so";
  std::ofstream(old, std::ios::binary) << content;
  put_libraries(old, kMajor);
  EXPECT_EQ(compile(), NGB_COMPILER_FAILED);
  EXPECT_EQ(error_.advice, "put " + (folder_ / "toolchain/tensorrt_libs").string() +
                               " into LD_LIBRARY_PATH before ngb starts, because TensorRT before 10.7 searches its "
                               "kernels nowhere else; or use 10.7 or later");
}

TEST_F(TensorRTCppFailure, AnInferenceThatIsNotTakenIsAFailure) {
  json model = kStatic;
  model["fail_to_run"] = true;
  EXPECT_EQ(bind({.model = model}), NGB_COMPILER_FAILED);
  EXPECT_STREQ(error_.message, "TensorRT cannot run the model: it gives no reason");
}

TEST_F(TensorRTCppFailure, WithoutAGpuItSaysSo) {
  fail("cuInit", 100);
  EXPECT_EQ(open(), NGB_NO_DEVICE);
  EXPECT_THAT(error_.message, AllOf(StartsWith("no CUDA device: TensorRT " + kMajor + "."),
                                    HasSubstr("needs one; no CUDA-capable device is detected (CUDA error 100)")));
  forget();
  fail("cuDeviceGetCount", -1);
  EXPECT_EQ(open(), NGB_NO_DEVICE);
  EXPECT_THAT(error_.message, HasSubstr("the driver shows none to this process"));
}

TEST_F(TensorRTCppFailure, TheGpusErrorsAreToldApart) {
  ASSERT_EQ(compile(), NGB_OK);
  fail("cuMemAlloc_v2", 2);
  EXPECT_EQ(bind_to({}, kValues.data(), 24), NGB_OUT_OF_MEMORY);
  EXPECT_STREQ(error_.message, "cuMemAlloc_v2: out of memory (CUDA error 2)");
  close();
  ASSERT_EQ(bind(), NGB_OK);
  fail("cuStreamSynchronize", 700);
  EXPECT_EQ(run(), NGB_DEVICE_LOST);
}

TEST_F(TensorRTCppFailure, WhatWasAllocatedBeforeAFailureIsGivenBack) {
  ASSERT_EQ(compile(), NGB_OK);
  fail("cuMemHostAlloc", 2);
  EXPECT_EQ(bind_to({}, kValues.data(), 24), NGB_OUT_OF_MEMORY);
  EXPECT_THAT(calls(), Contains("cuMemFree_v2 d1"));
}

TEST_F(TensorRTCppFailure, ALibraryOfAnotherMajorVersionIsNamedBesideTheOneThatItWasBuiltFor) {
  put_libraries(RECORDING_TENSORRT_STAND_IN, "99");
  EXPECT_EQ(open(), NGB_IMPORT_ERROR);
  EXPECT_THAT(error_.message, AllOf(HasSubstr("this plugin was built for TensorRT " + kMajor),
                                    HasSubstr("tensorrt_libs/libnvinfer.so.99")));
  put_libraries(RECORDING_TENSORRT_STAND_IN, kMajor);
  ::setenv("NGB_TENSORRT_STAND_IN_VERSION", "990201", 1);
  EXPECT_EQ(open(), NGB_IMPORT_ERROR);
  EXPECT_THAT(error_.message, HasSubstr("is version 99.2.1"));
  EXPECT_THAT(calls(), IsEmpty());
}

TEST_F(TensorRTCppFailure, WithoutLibrariesItSaysHowToGetThem) {
  put_libraries(RECORDING_TENSORRT_STAND_IN, kMajor);
  fs::remove_all(folder_ / "toolchain/tensorrt_libs");
  EXPECT_EQ(open(), NGB_TOOLCHAIN_MISSING);
  EXPECT_THAT(error_.message, HasSubstr("there is no libnvinfer.so." + kMajor));
  EXPECT_THAT(error_.advice, HasSubstr("ngb toolchain adopt tensorrt FOLDER"));
  fs::remove_all(folder_ / "toolchain");
  EXPECT_EQ(open(), NGB_TOOLCHAIN_MISSING);
}

TEST_F(TensorRTCppFailure, ADamagedLibraryIsAnImportError) {
  std::ofstream(folder_ / "damaged") << "\x7f"
                                        "ELF";
  put_libraries(folder_ / "damaged", kMajor);
  EXPECT_EQ(open(), NGB_IMPORT_ERROR);
  EXPECT_THAT(error_.message, HasSubstr("libnvinfer.so." + kMajor));
}

TEST_F(TensorRTCppFailure, WhatCameAfterTheLibrarysOwnVersionIsNotCalled) {
  ::setenv("NGB_TENSORRT_STAND_IN_VERSION", "100001", 1);
  ASSERT_EQ(compile(), NGB_OK) << error_.message;
  EXPECT_EQ(facts()["version"], "10.0.1.34");
  EXPECT_EQ(facts()["activation_memory_bytes"], "2048");  // getDeviceMemorySizeV2 came with 10.1, and says 4096
}

}  // namespace
}  // namespace ngb::tensorrt
