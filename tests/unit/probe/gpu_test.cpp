// SPDX-License-Identifier: Apache-2.0
#include "probe/gpu.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>

namespace ngb::probe {
namespace {

class Gpu : public testing::Test {
 protected:
  void TearDown() override {
    ::unsetenv("NVML_STAND_IN_GPUS");
    ::unsetenv("CUDA_VISIBLE_DEVICES");
  }
  static Known<double> reading(const std::string& quantity, const std::string& unit = {},
                               const std::string& library = NVML_STAND_IN) {
    for (const samples::Reading& reading : gpu_readings(library)) {
      if (reading.quantity != quantity) continue;
      EXPECT_TRUE(unit.empty() || reading.unit == unit) << reading.unit;
      return reading.value;
    }
    return Known<double>::unknown("not read at all");
  }
};

TEST_F(Gpu, ReportsUtilisationMemoryClocksAndTemperature) {
  EXPECT_EQ(reading("gpu_utilisation", "percent").value, 75.0);
  EXPECT_EQ(reading("gpu_memory_utilisation", "percent").value, 40.0);
  EXPECT_EQ(reading("gpu_memory_used", "bytes").value, 4294967296.0);
  EXPECT_EQ(reading("gpu_memory_total", "bytes").value, 17179869184.0);
  EXPECT_EQ(reading("gpu_frequency", "hz").value, 1.41e9);
  EXPECT_EQ(reading("gpu_max_frequency", "hz").value, 1.98e9);
  EXPECT_EQ(reading("gpu_memory_frequency", "hz").value, 5.001e9);
  EXPECT_EQ(reading("gpu_temperature", "celsius").value, 63.0);
  EXPECT_DOUBLE_EQ(reading("gpu_energy", "joule").value.value(), 123456.789);
  EXPECT_EQ(gpu_facts(NVML_STAND_IN),
            (std::map<std::string, std::string>{{"gpu_driver", "999.10"}, {"gpu_name", "Stand-In GPU"}}));
}

TEST_F(Gpu, HasAReasonForEachUnknownValue) {
  EXPECT_EQ(reading("gpu_power", "watt").value, std::nullopt);
  EXPECT_EQ(reading("gpu_power").reason, "NVML says: Not Supported");
}

TEST_F(Gpu, IsUnknownIfThereAreSeveralAndNoneIsNamed) {
  ::setenv("NVML_STAND_IN_GPUS", "2", 1);
  EXPECT_EQ(reading("gpu_utilisation").reason,
            "2 GPUs; this process does not use CUDA, and CUDA_VISIBLE_DEVICES does not name one by its UUID");
  ::setenv("CUDA_VISIBLE_DEVICES", "GPU-stand-in", 1);
  EXPECT_EQ(reading("gpu_utilisation").value, 75.0);
  ::setenv("CUDA_VISIBLE_DEVICES", "GPU-another", 1);
  EXPECT_EQ(reading("gpu_utilisation").reason, "NVML says: Not Found");
  ::setenv("NVML_STAND_IN_GPUS", "0", 1);
  EXPECT_EQ(reading("gpu_utilisation").reason, "the NVIDIA driver shows no GPU");
}

TEST_F(Gpu, OfSeveralIsTheOneThatCudaUsesFirst) {
  ::setenv("NVML_STAND_IN_GPUS", "2", 1);
  ::setenv("CUDA_VISIBLE_DEVICES", "1", 1);
  void* const driver = ::dlopen(RECORDING_CUDA_STAND_IN, RTLD_NOW);
  ASSERT_NE(driver, nullptr) << ::dlerror();
  EXPECT_EQ(reading("gpu_utilisation").value, 75.0);  // NVML's stand-in has it at the address that CUDA's tells
  ::dlclose(driver);
}

TEST_F(Gpu, IsUnknownWithoutADriver) {
  EXPECT_EQ(gpu_readings(NVML_STAND_IN).size(), 10U);
  EXPECT_EQ(gpu_readings("no_such_library.so").size(), 1U);
  EXPECT_EQ(reading("gpu_utilisation", "", "no_such_library.so").reason, "no NVIDIA driver: no no_such_library.so");
  EXPECT_TRUE(gpu_facts("no_such_library.so").empty());
}

TEST_F(Gpu, OfThisMachineIsReportedOrThereIsAReason) {
  for (const samples::Reading& reading : gpu_readings()) {
    EXPECT_NE(reading.value.value.has_value(), !reading.value.reason.empty()) << reading.quantity;
  }
  if (::dlopen(kNvml, RTLD_NOW) != nullptr) return;
  EXPECT_EQ(reading("gpu_utilisation", "", kNvml).reason, "no NVIDIA driver: no libnvidia-ml.so.1");
}

}  // namespace
}  // namespace ngb::probe
