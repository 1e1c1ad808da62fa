// SPDX-License-Identifier: Apache-2.0
// What the plugin of ONNX Runtime calls with a provider on a GPU, against stand-ins that write calls down.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "ngraphbench/compiler.h"
#include "plugin_settings.h"
#include "temporary_folder.h"

namespace ngb::onnxruntime {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using Texts = std::vector<std::string>;
using Values = std::vector<float>;

class OnnxRuntimeOnAGpu : public testing::Test {
 protected:
  void SetUp() override {
    driver_ = ::dlopen(RECORDING_CUDA_STAND_IN, RTLD_NOW);
    ASSERT_NE(driver_, nullptr) << ::dlerror();
    void* const plugin = ::dlopen(PLUGIN, RTLD_NOW);
    ASSERT_NE(plugin, nullptr) << ::dlerror();
    table_ = reinterpret_cast<ngb_entry>(::dlsym(plugin, NGB_ENTRY_SYMBOL))();
    of_driver<void()>("recording_stand_in_forget")();
    ::unsetenv("NVIDIA_TF32_OVERRIDE");
    fs::create_directories(folder_ / "onnxruntime/capi");
    fs::create_directories(folder_ / "tensorrt_libs");
    fs::create_symlink(RECORDING_ONNXRUNTIME_STAND_IN, folder_ / "onnxruntime/capi/libonnxruntime.so.1.31.1");
    fs::copy_file(RECORDING_NVINFER_STAND_IN, folder_ / "tensorrt_libs/libnvinfer.so.10");  // a copy loads anew
    fs::current_path(folder_.path());  // profiles are written there
  }
  void TearDown() override {
    if (session_ != nullptr) table_->close(session_);
    ::unsetenv("RECORDING_ONNXRUNTIME_STAND_IN_FAILS");
    fs::current_path("/");
  }

  template <class Function>
  Function* of_driver(const char* name) const {
    return reinterpret_cast<Function*>(::dlsym(driver_, name));
  }
  void fail(const char* function, int status) const {
    of_driver<void(const char*, int)>("recording_stand_in_fail")(function, status);
  }
  // Those since this was last asked.
  Texts calls() {
    std::istringstream log(of_driver<const char*()>("recording_stand_in_log")());
    Texts all;
    for (std::string line; std::getline(log, line);) all.push_back(line);
    Texts news(all.begin() + static_cast<std::ptrdiff_t>(seen_), all.end());
    seen_ = all.size();
    return news;
  }

  ngb_status open(const char* transfer, const char* wait = "spin") {
    const std::string toolchain = folder_.path().string();
    PluginSettings settings(*table_, {{"provider", "cuda"}, {"wait", wait}, {"include_transfer", transfer}});
    settings.handed.toolchain_dir = toolchain.c_str();
    return table_->open(&settings.handed, &session_, &error_);
  }
  ngb_status bind(const char* transfer) {
    if (const ngb_status status = open(transfer); status != NGB_OK) return status;
    std::ofstream(folder_ / "model.onnx") << "the stand-in does not read it";
    const std::string path = (folder_ / "model.onnx").string();
    const ngb_tensor input{"x", NGB_F32, 2, kShape, values_.data(), sizeof(float) * values_.size()};
    const ngb_model model{sizeof(ngb_model), path.c_str(), "", &input, 1, ""};
    const ngb_status status = table_->compile(session_, &model, &error_);
    return status == NGB_OK ? table_->bind(session_, &input, 1, &error_) : status;
  }
  ngb_status run() { return table_->run(session_, &error_); }
  Values output() {
    ngb_tensor told{};
    std::uint32_t count = 0;
    EXPECT_EQ(table_->read(session_, 0, &told, &count, &error_), NGB_OK) << error_.message;
    Values values(told.size_bytes / sizeof(float));
    std::memcpy(values.data(), told.data, told.size_bytes);
    return values;
  }

  static constexpr std::int64_t kShape[] = {2, 3};
  const ngb_compiler* table_ = nullptr;
  ngb_session* session_ = nullptr;
  ngb_error error_{};
  Values values_{1, -2, 3, -4, 5, -6};
  const Values doubled_{2, -4, 6, -8, 10, -12};
  TemporaryFolder folder_;

 private:
  void* driver_ = nullptr;
  std::size_t seen_ = 0;
};

TEST_F(OnnxRuntimeOnAGpu, TransfersArePartOfEveryTimedCallWhenTheyAreRequested) {
  ASSERT_EQ(bind("true"), NGB_OK) << error_.message;
  EXPECT_THAT(calls(), Not(Contains(HasSubstr("from the CPU's memory"))));
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(run(), NGB_OK) << error_.message;
    EXPECT_THAT(calls(),
                ElementsAre("cuMemcpyHtoD_v2 24", "RunWithBinding", "SynchronizeBoundOutputs", "cuMemcpyDtoH_v2 24"));
  }
  EXPECT_EQ(output(), doubled_);
  EXPECT_THAT(calls(), ElementsAre());
}

TEST_F(OnnxRuntimeOnAGpu, AThreadSleepsWhileItWaitsWhenTheStudySaysBlock) {
  ASSERT_EQ(open("false", "block"), NGB_OK) << error_.message;
  EXPECT_THAT(calls(), Contains("cuDevicePrimaryCtxSetFlags_v2 4"));
}

TEST_F(OnnxRuntimeOnAGpu, CopiesUsePageLockedMemoryThatIsFreed) {
  ASSERT_EQ(bind("true"), NGB_OK) << error_.message;
  EXPECT_THAT(calls(), Contains(StartsWith("cuMemHostAlloc")).Times(2));
  table_->close(std::exchange(session_, nullptr));
  EXPECT_THAT(calls(), Contains(StartsWith("cuMemFreeHost")).Times(2));
}

TEST_F(OnnxRuntimeOnAGpu, WithoutTransfersTheTimedCallCopiesNothing) {
  ASSERT_EQ(bind("false"), NGB_OK) << error_.message;
  calls();
  ASSERT_EQ(run(), NGB_OK) << error_.message;
  EXPECT_THAT(calls(), ElementsAre("RunWithBinding", "SynchronizeBoundOutputs"));
  EXPECT_EQ(output(), doubled_);
  EXPECT_THAT(calls(), ElementsAre("cuCtxSynchronize", "cuMemcpyDtoH_v2 24"));
}

TEST_F(OnnxRuntimeOnAGpu, Tf32IsForbiddenBeforeALibraryOfNvidiaIsLoadedAndTensorRTKnowsItsFolder) {
  ASSERT_EQ(bind("false"), NGB_OK) << error_.message;
  const Texts all = calls();
  EXPECT_THAT(all, Contains("libnvinfer loaded, NVIDIA_TF32_OVERRIDE=0"));
  EXPECT_THAT(all, Contains("setInternalLibraryPath tensorrt_libs"));
  EXPECT_THAT(all, Contains("use_tf32=0"));
}

TEST_F(OnnxRuntimeOnAGpu, ErrorsOfTheGpuAreDistinguished) {
  ASSERT_EQ(bind("false"), NGB_OK) << error_.message;
  const std::vector<std::pair<const char*, ngb_status>> failures{
      {"CUDA failure 2: out of memory ; GPU=0 ; hostname=h ; file=f ; line=1 ; expr=e; ", NGB_OUT_OF_MEMORY},
      {"CUDA failure 700: an illegal memory access was encountered ; GPU=0 ; hostname=h", NGB_DEVICE_LOST},
      {"CUDA failure 719: unspecified launch failure ; GPU=0", NGB_DEVICE_LOST},
      {"CUDA failure 801: operation not supported ; GPU=0", NGB_INTERNAL},
      {"CUBLAS failure 3: CUBLAS_STATUS_ALLOC_FAILED ; GPU=0", NGB_OUT_OF_MEMORY},
      {"CUDNN failure 2003: CUDNN_STATUS_ALLOC_FAILED ; GPU=0", NGB_OUT_OF_MEMORY}};
  for (const auto& [message, status] : failures) {
    ::setenv("RECORDING_ONNXRUNTIME_STAND_IN_FAILS", message, 1);
    EXPECT_EQ(run(), status) << message;
    EXPECT_THAT(error_.message, HasSubstr(message));
  }
}

TEST_F(OnnxRuntimeOnAGpu, ACopyThatFailsIsNamed) {
  ASSERT_EQ(bind("true"), NGB_OK) << error_.message;
  fail("cuMemcpyHtoD_v2", 700);
  EXPECT_EQ(run(), NGB_DEVICE_LOST);
  EXPECT_THAT(error_.message, StartsWith("copying inputs or outputs: "));
  fail("cuMemcpyHtoD_v2", 0);
  EXPECT_EQ(run(), NGB_OK) << error_.message;
}

}  // namespace
}  // namespace ngb::onnxruntime
