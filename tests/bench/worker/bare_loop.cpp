// SPDX-License-Identifier: Apache-2.0
// A loop as anybody would write it over ONNX Runtime's or OpenVINO's C API, with the settings of our plugins and
// nothing of our code: what the worker's figures have to agree with.
//
//   bare_loop onnxruntime|openvino LIBRARY MODEL THREADS REPETITIONS [WARM_UPS]
//
// The model has one f32 input "input" of static shape and one output. Prints one line for each repetition: nanoseconds.
// Pin it as the worker pins itself: taskset -c with the THREADS highest processors.
#include "bare_loop.h"

#include <onnxruntime_c_api.h>
#include <openvino/c/openvino.h>

using namespace bare;

namespace {

void run_onnxruntime(const Arguments& arguments) {
  void* library = open_library(arguments.library);
  const auto get_base = reinterpret_cast<const OrtApiBase* (*)()>(::dlsym(library, "OrtGetApiBase"));
  if (get_base == nullptr) die("no OrtGetApiBase");
  const OrtApi* api = get_base()->GetApi(11);
  const auto check = [api](OrtStatus* status) {
    if (status != nullptr) die(api->GetErrorMessage(status));
  };
  OrtEnv* environment = nullptr;
  OrtSessionOptions* options = nullptr;
  OrtSession* session = nullptr;
  check(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "bare", &environment));
  check(api->CreateSessionOptions(&options));
  check(api->SetIntraOpNumThreads(options, arguments.threads));
  check(api->SetInterOpNumThreads(options, 1));
  check(api->SetSessionExecutionMode(options, ORT_SEQUENTIAL));
  check(api->SetSessionGraphOptimizationLevel(options, ORT_ENABLE_ALL));
  check(api->CreateSession(environment, arguments.model.c_str(), options, &session));
  OrtMemoryInfo* memory = nullptr;
  check(api->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory));
  OrtIoBinding* binding = nullptr;
  check(api->CreateIoBinding(session, &binding));
  const auto bind = [&](bool is_input, const char* name) {
    OrtTypeInfo* type = nullptr;
    check(is_input ? api->SessionGetInputTypeInfo(session, 0, &type)
                   : api->SessionGetOutputTypeInfo(session, 0, &type));
    const OrtTensorTypeAndShapeInfo* info = nullptr;
    check(api->CastTypeInfoToTensorInfo(type, &info));
    std::size_t rank = 0;
    check(api->GetDimensionsCount(info, &rank));
    std::vector<std::int64_t> shape(rank);
    check(api->GetDimensions(info, shape.data(), rank));
    OrtValue* value = nullptr;
    check(api->CreateTensorWithDataAsOrtValue(memory, aligned_floats(product(shape)), product(shape) * sizeof(float),
                                              shape.data(), rank, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &value));
    check(is_input ? api->BindInput(binding, name, value) : api->BindOutput(binding, name, value));
  };
  bind(true, "input");
  bind(false, "output");
  OrtRunOptions* run_options = nullptr;
  check(api->CreateRunOptions(&run_options));
  time_and_print(arguments, [&] { check(api->RunWithBinding(session, run_options, binding)); });
}

void run_openvino(const Arguments& arguments) {
  void* library = open_library(arguments.library);
#define BARE_FUNCTION(name) const auto name = reinterpret_cast<decltype(&::name)>(::dlsym(library, #name))
  BARE_FUNCTION(ov_core_create);
  BARE_FUNCTION(ov_core_set_property);
  BARE_FUNCTION(ov_core_read_model);
  BARE_FUNCTION(ov_core_compile_model);
  BARE_FUNCTION(ov_compiled_model_create_infer_request);
  BARE_FUNCTION(ov_infer_request_get_input_tensor_by_index);
  BARE_FUNCTION(ov_infer_request_set_tensor);
  BARE_FUNCTION(ov_tensor_get_shape);
  BARE_FUNCTION(ov_tensor_create_from_host_ptr);
  BARE_FUNCTION(ov_infer_request_infer);
  BARE_FUNCTION(ov_get_last_err_msg);
#undef BARE_FUNCTION
  const auto check = [&](ov_status_e status) {
    if (status != ov_status_e::OK) die(ov_get_last_err_msg());
  };
  ov_core_t* core = nullptr;
  check(ov_core_create(&core));
  check(ov_core_set_property(core, "CPU", "INFERENCE_PRECISION_HINT", "f32"));
  check(ov_core_set_property(core, "CPU", "INFERENCE_NUM_THREADS", std::to_string(arguments.threads).c_str()));
  check(ov_core_set_property(core, "CPU", "NUM_STREAMS", "1"));
  check(ov_core_set_property(core, "CPU", "ENABLE_CPU_PINNING", "NO"));
  check(ov_core_set_property(core, "CPU", "PERFORMANCE_HINT", "LATENCY"));
  ov_model_t* model = nullptr;
  check(ov_core_read_model(core, arguments.model.c_str(), nullptr, &model));
  ov_compiled_model_t* compiled = nullptr;
  check(ov_core_compile_model(core, model, "CPU", 0, &compiled));
  ov_infer_request_t* request = nullptr;
  check(ov_compiled_model_create_infer_request(compiled, &request));
  ov_tensor_t* own = nullptr;
  check(ov_infer_request_get_input_tensor_by_index(request, 0, &own));
  ov_shape_t shape{};
  check(ov_tensor_get_shape(own, &shape));
  ov_tensor_t* input = nullptr;
  const std::size_t count = product({shape.dims, shape.dims + shape.rank});
  check(ov_tensor_create_from_host_ptr(F32, shape, aligned_floats(count), &input));
  check(ov_infer_request_set_tensor(request, "input", input));
  time_and_print(arguments, [&] { check(ov_infer_request_infer(request)); });
}

}  // namespace

int main(int count, char** words) {
  const Arguments arguments =
      arguments_of(count, words, "usage: bare_loop onnxruntime|openvino LIBRARY MODEL THREADS REPETITIONS [WARM_UPS]");
  if (arguments.kind == "onnxruntime") {
    run_onnxruntime(arguments);
  } else if (arguments.kind == "openvino") {
    run_openvino(arguments);
  } else {
    die("unknown compiler " + arguments.kind);
  }
  std::fflush(stdout);
  std::_Exit(0);  // what is open is the library's, and the process ends
}
