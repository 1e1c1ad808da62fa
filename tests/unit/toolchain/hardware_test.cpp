// SPDX-License-Identifier: Apache-2.0
#include "toolchain/hardware.h"

#include "in_temporary_folder.h"

namespace ngb::toolchain {
namespace {

class Hardware : public InTemporaryFolder {
 protected:
  [[nodiscard]] bool has(std::string_view device) const { return has_device(device, folder()); }
};

TEST_F(Hardware, OfABareMachineIsTheCpu) {
  EXPECT_TRUE(has("cpu"));
  EXPECT_TRUE(has("auto"));
  EXPECT_FALSE(has("cuda"));
  EXPECT_FALSE(has("gpu"));
  EXPECT_FALSE(has("npu"));
}

TEST_F(Hardware, IsAnNvidiaGpuIfItsDriverRuns) {
  put("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05\n");
  EXPECT_TRUE(has("cuda"));
  EXPECT_FALSE(has("gpu"));
}

TEST_F(Hardware, IsAGpuForOpenVinoIfARenderNodeIsIntels) {
  put("sys/class/drm/renderD128/device/vendor", "0x10de\n");
  EXPECT_FALSE(has("gpu"));
  put("sys/class/drm/renderD129/device/vendor", "0x8086\n");
  EXPECT_TRUE(has("gpu"));
  EXPECT_FALSE(has("npu"));
}

TEST_F(Hardware, IsAnNpuIfAnAcceleratorIsIntels) {
  put("sys/class/accel/accel0/device/vendor", "0x8086\n");
  EXPECT_TRUE(has("npu"));
  EXPECT_FALSE(has("gpu"));
}

}  // namespace
}  // namespace ngb::toolchain
