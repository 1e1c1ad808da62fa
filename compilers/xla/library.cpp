// SPDX-License-Identifier: Apache-2.0
#include "library.h"

#include <string_view>

#include "../plugin_settings.h"
#include "base/json_text.h"
#include "compile_options.h"

namespace ngb::xla {
namespace {

constexpr const char* kAdvice =
    "this version of the library is too old or too new for the plugin; install a tested one";

bool says(const std::string& message, std::string_view words) { return message.find(words) != std::string::npos; }

// Returns the failure as NGB_INVALID_OPTION if its message names a flag, as that of a flag which XLA refuses.
plugin::Failure named_flag(const plugin::Failure& failure, const nlohmann::json& flags) {
  for (const auto& [name, value] : flags.items()) {
    if (!says(failure.what(), name)) continue;
    return plugin::refused_setting("xla", name, json_text::dump(value), failure.what());
  }
  return failure;
}

}  // namespace

Runtime::Runtime(const std::string& toolchain_dir)
    : library_(plugin::find_library(toolchain_dir, "xla_plugins/xla_cpu_pjrt", "xla_cpu_pjrt.so", "xla")),
      api_(library_.function<const PJRT_Api* (*)()>("GetPjrtApi")()) {
  const PJRT_Api_Version& version = api_->pjrt_api_version;
  if (version.major_version != PJRT_API_MAJOR || version.minor_version < PJRT_API_MINOR) {
    throw plugin::Failure(NGB_IMPORT_ERROR,
                          library_.path().string() + " serves version " + api_version() +
                              " of PJRT's C API, this plugin needs " + std::to_string(PJRT_API_MAJOR) + "." +
                              std::to_string(PJRT_API_MINOR),
                          kAdvice);
  }
  auto args = NGB_PJRT(PJRT_Plugin_Initialize_Args);
  check(api_->PJRT_Plugin_Initialize(&args), "start");
}

std::string Runtime::api_version() const {
  const PJRT_Api_Version& version = api_->pjrt_api_version;
  return std::to_string(version.major_version) + "." + std::to_string(version.minor_version);
}

std::string Runtime::stablehlo_version() const {
  auto args = NGB_PJRT(PJRT_Plugin_Attributes_Args);
  check(api_->PJRT_Plugin_Attributes(&args), "report its versions");
  for (std::size_t i = 0; i < args.num_attributes; ++i) {
    const PJRT_NamedValue& value = args.attributes[i];
    if (std::string_view(value.name, value.name_size) != "stablehlo_current_version") continue;
    if (value.type != PJRT_NamedValue_kInt64List) continue;
    std::string text;
    for (std::size_t part = 0; part < value.value_size; ++part) {
      text += (part == 0 ? "" : ".") + std::to_string(value.int64_array_value[part]);
    }
    return text;
  }
  throw plugin::Failure(NGB_IMPORT_ERROR, library_.path().string() + " does not say which StableHLO it reads", kAdvice);
}

ngb_status Runtime::status_of(const PJRT_Error* error, const std::string& message) const {
  auto args = NGB_PJRT(PJRT_Error_GetCode_Args);
  args.error = error;
  if (PJRT_Error* nested = api_->PJRT_Error_GetCode(&args); nested != nullptr) {
    auto destroy = NGB_PJRT(PJRT_Error_Destroy_Args);
    destroy.error = nested;
    api_->PJRT_Error_Destroy(&destroy);
    return NGB_COMPILER_FAILED;
  }
  if (args.code == PJRT_Error_Code_RESOURCE_EXHAUSTED || says(message, "Out of memory")) return NGB_OUT_OF_MEMORY;
  if (args.code == PJRT_Error_Code_UNIMPLEMENTED) return NGB_UNSUPPORTED_OPERATOR;
  return NGB_COMPILER_FAILED;
}

void Runtime::check(PJRT_Error* error, const char* doing) const {
  if (error == nullptr) return;
  auto args = NGB_PJRT(PJRT_Error_Message_Args);
  args.error = error;
  api_->PJRT_Error_Message(&args);
  const std::string message(args.message, args.message_size);
  const ngb_status status = status_of(error, message);
  auto destroy = NGB_PJRT(PJRT_Error_Destroy_Args);
  destroy.error = error;
  api_->PJRT_Error_Destroy(&destroy);
  throw plugin::Failure(status, std::string("XLA cannot ") + doing + ": " + message,
                        status == NGB_UNSUPPORTED_OPERATOR ? "leave this model out for xla" : "");
}

PJRT_Error* Runtime::await(PJRT_Event* event) const {
  auto args = NGB_PJRT(PJRT_Event_Await_Args);
  args.event = event;
  PJRT_Error* const failed = api_->PJRT_Event_Await(&args);
  auto destroy = NGB_PJRT(PJRT_Event_Destroy_Args);
  destroy.event = event;
  PJRT_Error* const undestroyed = api_->PJRT_Event_Destroy(&destroy);
  return failed != nullptr ? failed : undestroyed;
}

Owned<PJRT_Client> Runtime::make_client() const {
  // By default the library makes four, with at least a thread for each.
  auto devices = NGB_PJRT(PJRT_NamedValue);
  constexpr std::string_view kName = "cpu_device_count";
  devices.name = kName.data();
  devices.name_size = kName.size();
  devices.type = PJRT_NamedValue_kInt64;
  devices.int64_value = 1;
  devices.value_size = 1;
  auto args = NGB_PJRT(PJRT_Client_Create_Args);
  args.create_options = &devices;
  args.num_options = 1;
  check(api_->PJRT_Client_Create(&args), "make a client");
  return {args.client, [this](PJRT_Client* client) {
            auto destroy = NGB_PJRT(PJRT_Client_Destroy_Args);
            destroy.client = client;
            api_->PJRT_Client_Destroy(&destroy);
          }};
}

PJRT_Device* Runtime::device_of(PJRT_Client* client) const {
  auto args = NGB_PJRT(PJRT_Client_AddressableDevices_Args);
  args.client = client;
  check(api_->PJRT_Client_AddressableDevices(&args), "name its devices");
  if (args.num_addressable_devices != 0) return args.addressable_devices[0];
  throw plugin::Failure(NGB_INTERNAL, "XLA has no device here");
}

std::string Runtime::platform_of(PJRT_Client* client) const {
  auto args = NGB_PJRT(PJRT_Client_PlatformName_Args);
  args.client = client;
  check(api_->PJRT_Client_PlatformName(&args), "name its platform");
  return {args.platform_name, args.platform_name_size};
}

Owned<PJRT_LoadedExecutable> Runtime::compile(PJRT_Client* client, std::string& program,
                                              const nlohmann::json& flags) const {
  auto source = NGB_PJRT(PJRT_Program);
  constexpr std::string_view kFormat = "mlir";
  source.code = program.data();
  source.code_size = program.size();
  source.format = kFormat.data();
  source.format_size = kFormat.size();
  auto args = NGB_PJRT(PJRT_Client_Compile_Args);
  args.client = client;
  args.program = &source;
  const std::string options = compile_options(flags);
  args.compile_options = options.data();
  args.compile_options_size = options.size();
  try {
    check(api_->PJRT_Client_Compile(&args), "compile the model");
  } catch (const plugin::Failure& failure) {
    throw named_flag(failure, flags);
  }
  return {args.executable, [this](PJRT_LoadedExecutable* executable) {
            auto destroy = NGB_PJRT(PJRT_LoadedExecutable_Destroy_Args);
            destroy.executable = executable;
            api_->PJRT_LoadedExecutable_Destroy(&destroy);
          }};
}

Owned<PJRT_Executable> Runtime::executable_of(PJRT_LoadedExecutable* loaded) const {
  auto args = NGB_PJRT(PJRT_LoadedExecutable_GetExecutable_Args);
  args.loaded_executable = loaded;
  check(api_->PJRT_LoadedExecutable_GetExecutable(&args), "describe the compiled model");
  return {args.executable, [this](PJRT_Executable* executable) {
            auto destroy = NGB_PJRT(PJRT_Executable_Destroy_Args);
            destroy.executable = executable;
            api_->PJRT_Executable_Destroy(&destroy);
          }};
}

bool Runtime::has_extension(PJRT_Extension_Type type) const {
  for (const PJRT_Extension_Base* each = api_->extension_start; each != nullptr; each = each->next) {
    if (each->type == type) return true;
  }
  return false;
}

void Runtime::destroy(PJRT_Buffer* buffer) const {
  auto args = NGB_PJRT(PJRT_Buffer_Destroy_Args);
  args.buffer = buffer;
  api_->PJRT_Buffer_Destroy(&args);
}

}  // namespace ngb::xla
