// SPDX-License-Identifier: Apache-2.0
// The way to the GPU, against the stand-in of the driver that writes its calls down.
#include "cuda_device.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>

#include "ngraphbench/plugin_boundary.h"

namespace ngb::plugin {
namespace {

using ::testing::HasSubstr;

// What opening the device says; nothing when it is opened.
std::optional<Failure> failure() {
  try {
    const CudaDevice device("the test", "spin");
  } catch (const Failure& found) {
    return found;
  }
  return std::nullopt;
}

// Before the others: what is opened once stays.
TEST(ACudaDevice, IsMissingWithoutADriver) {
  if (::dlopen("libcuda.so.1", RTLD_NOW) != nullptr) GTEST_SKIP() << "there is an NVIDIA driver";
  const auto found = failure();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->status(), NGB_NO_DEVICE);
  EXPECT_THAT(found->what(), HasSubstr("no CUDA device: the test needs one, and there is no NVIDIA driver here"));
  EXPECT_THAT(found->advice(), HasSubstr("NVIDIA GPU"));
}

class OnTheStandIn : public testing::Test {
 protected:
  void SetUp() override {
    driver_ = ::dlopen(RECORDING_CUDA_STAND_IN, RTLD_NOW);
    ASSERT_NE(driver_, nullptr) << ::dlerror();
    call<void()>("recording_stand_in_forget")();
  }
  template <class Function>
  Function* call(const char* name) const {
    return reinterpret_cast<Function*>(::dlsym(driver_, name));
  }
  void fail(const char* function, int status) const {
    call<void(const char*, int)>("recording_stand_in_fail")(function, status);
  }
  [[nodiscard]] std::string log() const { return call<const char*()>("recording_stand_in_log")(); }

 private:
  void* driver_ = nullptr;
};

TEST_F(OnTheStandIn, CopiesAreCompleteAndTheContextIsReleased) {
  const std::array<float, 2> source{1.5F, -2.0F};
  std::array<float, 2> on_gpu{};
  std::array<float, 2> target{};
  {
    const CudaDevice device("the test", "spin");
    EXPECT_EQ(device.name(), "Recording Stand-In");
    device.copy_in(on_gpu.data(), source.data(), sizeof source);
    device.copy_out(target.data(), on_gpu.data(), sizeof target);
  }
  EXPECT_EQ(target, source);
  EXPECT_EQ(log(),
            "cuInit\ncuDeviceGetCount\ncuDevicePrimaryCtxSetFlags_v2 1\ncuDevicePrimaryCtxRetain\ncuCtxSetCurrent\n"
            "cuMemcpyHtoD_v2 8\ncuCtxSynchronize\ncuCtxSynchronize\ncuMemcpyDtoH_v2 8\ncuDevicePrimaryCtxRelease_v2\n");
}

TEST_F(OnTheStandIn, ItsContextIsToldHowToWaitBeforeItIsMade) {
  for (const auto& [wait, flags] : {std::pair{"spin", "1"}, std::pair{"block", "4"}}) {
    call<void()>("recording_stand_in_forget")();
    const CudaDevice device("the test", wait);
    EXPECT_THAT(log(),
                HasSubstr("\ncuDevicePrimaryCtxSetFlags_v2 " + std::string(flags) + "\ncuDevicePrimaryCtxRetain\n"));
  }
}

TEST_F(OnTheStandIn, ADriverWithoutAGpuIsReported) {
  fail("cuInit", 100);
  EXPECT_STREQ(failure()->what(),
               "no CUDA device: the test needs one; no CUDA-capable device is detected (CUDA error 100)");
  fail("cuInit", 0);
  fail("cuDeviceGetCount", -1);
  EXPECT_STREQ(failure()->what(), "no CUDA device: the test needs one; the driver shows none to this process");
}

TEST_F(OnTheStandIn, ErrorsOfTheGpuAreDistinguished) {
  std::array<float, 2> values{};
  const CudaDevice device("the test", "spin");
  const auto status = [&](int cuda_status) {
    fail("cuMemcpyHtoD_v2", cuda_status);
    try {
      device.copy_in(values.data(), values.data(), sizeof values);
    } catch (const Failure& found) {
      return found.status();
    }
    return NGB_OK;
  };
  EXPECT_EQ(status(2), NGB_OUT_OF_MEMORY);
  EXPECT_EQ(status(700), NGB_DEVICE_LOST);
  EXPECT_EQ(status(1), NGB_INTERNAL);
  EXPECT_EQ(status(0), NGB_OK);
}

}  // namespace
}  // namespace ngb::plugin
