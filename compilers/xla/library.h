// SPDX-License-Identifier: Apache-2.0
// Declares XLA's plugin for the processor, behind PJRT's C API, opened at run time.
#pragma once

#include <pjrt_c_api.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "../late_binding.h"

namespace ngb::xla {

template <class T>
using Owned = std::unique_ptr<T, std::function<void(T*)>>;

// PJRT's arguments begin with their own size, so that library and header may differ in version.
template <class T>
T sized(std::size_t size) {
  T value{};
  value.struct_size = size;
  return value;
}
#define NGB_PJRT(Type) ngb::xla::sized<Type>(Type##_STRUCT_SIZE)

class Runtime {
 public:
  // Throws plugin::Failure if the toolchain is missing, or the library is broken or has another version of the API.
  explicit Runtime(const std::string& toolchain_dir);

  [[nodiscard]] const PJRT_Api& api() const { return *api_; }
  // Returns "0.81", for example.
  [[nodiscard]] std::string api_version() const;
  // Returns the newest StableHLO that the library reads, such as "1.13.0". Throws plugin::Failure.
  [[nodiscard]] std::string stablehlo_version() const;
  // Throws plugin::Failure unless `error`, which it destroys, is null. `doing` is the failed step: "load the model".
  void check(PJRT_Error* error, const char* doing) const;
  // Waits for the event and destroys it. Returns the error of what it awaited.
  PJRT_Error* await(PJRT_Event* event) const;

  // All of these throw. `program` is StableHLO, which stays unchanged although PJRT's types are not const.
  [[nodiscard]] Owned<PJRT_Client> make_client() const;  // with one device
  [[nodiscard]] PJRT_Device* device_of(PJRT_Client* client) const;
  [[nodiscard]] std::string platform_of(PJRT_Client* client) const;
  // `flags` has XLA's flags and their values. Throws NGB_INVALID_OPTION for one that XLA refuses.
  [[nodiscard]] Owned<PJRT_LoadedExecutable> compile(PJRT_Client* client, std::string& program,
                                                     const nlohmann::json& flags) const;
  [[nodiscard]] Owned<PJRT_Executable> executable_of(PJRT_LoadedExecutable* loaded) const;

  void destroy(PJRT_Buffer* buffer) const;
  [[nodiscard]] bool has_extension(PJRT_Extension_Type type) const;

 private:
  [[nodiscard]] ngb_status status_of(const PJRT_Error* error, const std::string& message) const;

  plugin::Library library_;
  const PJRT_Api* api_;
};

}  // namespace ngb::xla
