// SPDX-License-Identifier: Apache-2.0
// Declares the functions of ONNX Runtime's C API for provider packages. They exist since version 22 (ONNX Runtime 1.22)
// and are newer than the header that distributions have. The table only grows, so a function's place never changes.
#pragma once

#include <onnxruntime_c_api.h>

#include <cstddef>
#include <cstdint>

namespace ngb::onnxruntime {

// RegisterExecutionProviderLibrary exists since this version.
constexpr std::uint32_t kPluginApiVersion = 22;

struct ProviderDevice;  // OrtEpDevice: a provider on one piece of hardware
struct Hardware;        // OrtHardwareDevice
struct KeyValues;       // OrtKeyValuePairs

enum class HardwareType { cpu, gpu, npu };  // OrtHardwareDeviceType

enum PlaceInApi : std::size_t {
  kRegisterProviderLibrary = 301,
  kGetProviderDevices = 303,
  kAppendProviderDevices = 304,
  kHardwareType = 307,
  kHardwareVendor = 309,
  kKeyValue = 297,
  kNameOfProvider = 312,
  kMetadataOfDevice = 314,
  kHardwareOfDevice = 316
};

#if ORT_API_VERSION >= 22
static_assert(offsetof(OrtApi, RegisterExecutionProviderLibrary) / sizeof(void*) == kRegisterProviderLibrary);
static_assert(offsetof(OrtApi, GetEpDevices) / sizeof(void*) == kGetProviderDevices);
static_assert(offsetof(OrtApi, SessionOptionsAppendExecutionProvider_V2) / sizeof(void*) == kAppendProviderDevices);
static_assert(offsetof(OrtApi, EpDevice_Device) / sizeof(void*) == kHardwareOfDevice);
#endif

class PluginApi {
 public:
  explicit PluginApi(const OrtApi& api) : table_(reinterpret_cast<const void* const*>(&api)) {}

  OrtStatus* register_library(OrtEnv* environment, const char* name, const char* path) const {
    return at<OrtStatus*(OrtEnv*, const char*, const char*)>(kRegisterProviderLibrary)(environment, name, path);
  }
  // The environment owns the devices.
  OrtStatus* devices(const OrtEnv* environment, const ProviderDevice* const** all, std::size_t* count) const {
    using Function = OrtStatus*(const OrtEnv*, const ProviderDevice* const**, std::size_t*);
    return at<Function>(kGetProviderDevices)(environment, all, count);
  }
  OrtStatus* append(OrtSessionOptions* options, OrtEnv* environment, const ProviderDevice* device,
                    const char* const* names, const char* const* values, std::size_t count) const {
    using Function = OrtStatus*(OrtSessionOptions*, OrtEnv*, const ProviderDevice* const*, std::size_t,
                                const char* const*, const char* const*, std::size_t);
    return at<Function>(kAppendProviderDevices)(options, environment, &device, 1, names, values, count);
  }
  const char* provider_of(const ProviderDevice* device) const {
    return at<const char*(const ProviderDevice*)>(kNameOfProvider)(device);
  }
  // Returns the provider's word for the device, or null if it says nothing by that name ("version").
  const char* metadata(const ProviderDevice* device, const char* name) const {
    const KeyValues* const all = at<const KeyValues*(const ProviderDevice*)>(kMetadataOfDevice)(device);
    return at<const char*(const KeyValues*, const char*)>(kKeyValue)(all, name);
  }
  HardwareType type_of(const ProviderDevice* device) const {
    return static_cast<HardwareType>(at<int(const Hardware*)>(kHardwareType)(hardware_of(device)));
  }
  const char* vendor_of(const ProviderDevice* device) const {
    return at<const char*(const Hardware*)>(kHardwareVendor)(hardware_of(device));
  }

 private:
  template <class Function>
  Function* at(PlaceInApi place) const {
    return reinterpret_cast<Function*>(const_cast<void*>(table_[place]));
  }
  const Hardware* hardware_of(const ProviderDevice* device) const {
    return at<const Hardware*(const ProviderDevice*)>(kHardwareOfDevice)(device);
  }

  const void* const* table_;
};

}  // namespace ngb::onnxruntime
