// SPDX-License-Identifier: Apache-2.0
// A loop as anybody would write it over PJRT's C API, with the settings of our plugin and nothing of our code.
//
//   bare_pjrt_loop xla LIBRARY PROGRAM THREADS REPETITIONS WARM_UPS SHAPE
//
// PROGRAM is StableHLO with one f32 input of SHAPE ("1,3,224,224") and one output. Prints one line for each repetition:
// nanoseconds. Pin it as the worker pins itself: taskset -c with the THREADS highest processors.
#include "bare_loop.h"

#include <pjrt_c_api.h>
#include <stdlib.h>

#include <fstream>
#include <sstream>

using namespace bare;

namespace {

#define BARE_ARGS(Type, name) \
  Type name{};                \
  name.struct_size = Type##_STRUCT_SIZE

std::vector<std::int64_t> shape_from(const std::string& text) {
  std::vector<std::int64_t> shape;
  std::istringstream stream(text);
  for (std::string extent; std::getline(stream, extent, ',');) shape.push_back(std::atoll(extent.c_str()));
  return shape;
}

void run_xla(const Arguments& arguments, const std::vector<std::int64_t>& shape) {
  ::setenv("PJRT_NPROC", std::to_string(arguments.threads).c_str(), 1);
  void* library = open_library(arguments.library);
  const auto get_api = reinterpret_cast<const PJRT_Api* (*)()>(::dlsym(library, "GetPjrtApi"));
  if (get_api == nullptr) die("no GetPjrtApi");
  const PJRT_Api* api = get_api();
  const auto check = [api](PJRT_Error* error) {
    if (error == nullptr) return;
    BARE_ARGS(PJRT_Error_Message_Args, args);
    args.error = error;
    api->PJRT_Error_Message(&args);
    die(std::string(args.message, args.message_size));
  };
  const auto await = [&](PJRT_Event* event) {
    BARE_ARGS(PJRT_Event_Await_Args, args);
    args.event = event;
    check(api->PJRT_Event_Await(&args));
    BARE_ARGS(PJRT_Event_Destroy_Args, destroy);
    destroy.event = event;
    check(api->PJRT_Event_Destroy(&destroy));
  };
  BARE_ARGS(PJRT_Plugin_Initialize_Args, initialize);
  check(api->PJRT_Plugin_Initialize(&initialize));
  BARE_ARGS(PJRT_NamedValue, one_device);
  one_device.name = "cpu_device_count";
  one_device.name_size = 16;
  one_device.type = PJRT_NamedValue_kInt64;
  one_device.int64_value = 1;
  one_device.value_size = 1;
  BARE_ARGS(PJRT_Client_Create_Args, create);
  create.create_options = &one_device;
  create.num_options = 1;
  check(api->PJRT_Client_Create(&create));
  BARE_ARGS(PJRT_Client_AddressableDevices_Args, devices);
  devices.client = create.client;
  check(api->PJRT_Client_AddressableDevices(&devices));

  std::ostringstream content;
  content << std::ifstream(arguments.model, std::ios::binary).rdbuf();
  std::string code = content.str();
  BARE_ARGS(PJRT_Program, program);
  program.code = code.data();
  program.code_size = code.size();
  program.format = "mlir";
  program.format_size = 4;
  // CompileOptionsProto: one replica, one partition, xla_cpu_use_xnnpack: false.
  const std::string options =
      std::string("\x1A\x04\x20\x01\x28\x01\x3A\x19\x0A\x13xla_cpu_use_xnnpack\x12\x02\x10") + '\0';
  BARE_ARGS(PJRT_Client_Compile_Args, compile);
  compile.client = create.client;
  compile.program = &program;
  compile.compile_options = options.data();
  compile.compile_options_size = options.size();
  check(api->PJRT_Client_Compile(&compile));

  BARE_ARGS(PJRT_Client_BufferFromHostBuffer_Args, input);
  input.client = create.client;
  input.data = aligned_floats(product(shape));
  input.type = PJRT_Buffer_Type_F32;
  input.dims = shape.data();
  input.num_dims = shape.size();
  input.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableZeroCopy;
  input.device = devices.addressable_devices[0];
  check(api->PJRT_Client_BufferFromHostBuffer(&input));

  PJRT_Buffer* const* argument_list = &input.buffer;
  PJRT_Buffer* output = nullptr;
  PJRT_Buffer** output_list = &output;
  PJRT_Event* done = nullptr;
  BARE_ARGS(PJRT_ExecuteOptions, execute_options);
  BARE_ARGS(PJRT_LoadedExecutable_Execute_Args, execute);
  execute.executable = compile.executable;
  execute.options = &execute_options;
  execute.argument_lists = &argument_list;
  execute.num_devices = 1;
  execute.num_args = 1;
  execute.output_lists = &output_list;
  execute.device_complete_events = &done;
  time_and_print(arguments, [&] {
    if (output != nullptr) {
      BARE_ARGS(PJRT_Buffer_Destroy_Args, destroy);
      destroy.buffer = output;
      check(api->PJRT_Buffer_Destroy(&destroy));
    }
    check(api->PJRT_LoadedExecutable_Execute(&execute));
    await(done);
  });
}

}  // namespace

int main(int count, char** words) {
  constexpr const char* kUsage = "usage: bare_pjrt_loop xla LIBRARY PROGRAM THREADS REPETITIONS WARM_UPS SHAPE";
  const Arguments arguments = arguments_of(count, words, kUsage);
  if (count < 8) die(kUsage);
  run_xla(arguments, shape_from(words[7]));
  std::fflush(stdout);
  std::_Exit(0);  // what is open is the library's, and the process ends
}
