// SPDX-License-Identifier: Apache-2.0
// Not NVML: a stand-in for NVIDIA's management library, with the functions that src/probe asks and made-up answers.
// $NVML_STAND_IN_GPUS: how many GPUs it has, 1 unless set.
#include <cstdlib>
#include <cstring>
#include <string>

#define STAND_IN extern "C" __attribute__((visibility("default")))

namespace {

constexpr int kOk = 0;
constexpr int kInvalidArgument = 2;
constexpr int kNotSupported = 3;
constexpr int kNotFound = 6;
int gpu = 0;

int copy(const char* from, char* to, unsigned bytes) {
  std::strncpy(to, from, bytes);
  return kOk;
}

}  // namespace

STAND_IN int nvmlInit_v2() { return kOk; }
STAND_IN const char* nvmlErrorString(int status) { return status == kNotSupported ? "Not Supported" : "Not Found"; }
STAND_IN int nvmlDeviceGetCount_v2(unsigned* count) {
  const char* given = std::getenv("NVML_STAND_IN_GPUS");
  *count = given == nullptr ? 1U : static_cast<unsigned>(std::atoi(given));
  return kOk;
}
STAND_IN int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = &gpu;
  return index == 0 ? kOk : kInvalidArgument;
}
STAND_IN int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  *device = &gpu;
  return std::string(uuid) == "GPU-stand-in" ? kOk : kNotFound;
}
STAND_IN int nvmlDeviceGetHandleByPciBusId_v2(const char* address, void** device) {
  *device = &gpu;
  return std::string(address) == "0000:65:00.0" ? kOk : kNotFound;
}
STAND_IN int nvmlDeviceGetName(void* device, char* name, unsigned bytes) {
  return device == &gpu ? copy("Stand-In GPU", name, bytes) : kInvalidArgument;
}
STAND_IN int nvmlSystemGetDriverVersion(char* version, unsigned bytes) { return copy("999.10", version, bytes); }
STAND_IN int nvmlDeviceGetUtilizationRates(void*, unsigned* rates) {
  rates[0] = 75;
  rates[1] = 40;
  return kOk;
}
STAND_IN int nvmlDeviceGetMemoryInfo(void*, unsigned long long* memory) {
  memory[0] = 16ULL << 30U;
  memory[1] = 12ULL << 30U;
  memory[2] = 4ULL << 30U;
  return kOk;
}
STAND_IN int nvmlDeviceGetClockInfo(void*, unsigned clock, unsigned* mhz) {
  *mhz = clock == 1 ? 1410 : 5001;
  return kOk;
}
STAND_IN int nvmlDeviceGetMaxClockInfo(void*, unsigned, unsigned* mhz) {
  *mhz = 1980;
  return kOk;
}
STAND_IN int nvmlDeviceGetTemperature(void*, unsigned, unsigned* celsius) {
  *celsius = 63;
  return kOk;
}
STAND_IN int nvmlDeviceGetPowerUsage(void*, unsigned*) { return kNotSupported; }
STAND_IN int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules) {
  *millijoules = 123456789ULL;
  return kOk;
}
