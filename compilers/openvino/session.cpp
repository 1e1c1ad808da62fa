// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include "model.h"

namespace ngb::openvino {
namespace {

constexpr const char* kDevice = "CPU";
constexpr const char* kPrecision = "INFERENCE_PRECISION_HINT";

const char* hint_of(const std::string& word) { return word == "throughput" ? "THROUGHPUT" : "LATENCY"; }

}  // namespace

Session::Session(const ngb_settings& given)
    : settings_(read_settings(given)),
      runtime_(settings_.toolchain_dir),
      core_(nullptr, runtime_.ov_core_free),
      compiled_(nullptr, runtime_.ov_compiled_model_free),
      request_(nullptr, runtime_.ov_infer_request_free),
      output_(nullptr, runtime_.ov_tensor_free) {
  ov_core_t* core = nullptr;
  runtime_.check(runtime_.ov_core_create(&core), "start");
  core_.reset(core);
  configure();
  facts_.emplace_back("version", runtime_.version());
}

void Session::configure() {
  const auto set = [this](const char* key, const std::string& value) {
    runtime_.check(runtime_.ov_core_set_property(core_.get(), kDevice, key, value.c_str()), "take its settings");
  };
  // The default on processors that have bf16 arithmetic is bf16, which changes predictions.
  set(kPrecision, "f32");
  set("INFERENCE_NUM_THREADS", std::to_string(settings_.threads));
  set("NUM_STREAMS", "1");
  set("ENABLE_CPU_PINNING", settings_.has_cpu_pinning ? "YES" : "NO");
  if (settings_.performance_hint != "none") set("PERFORMANCE_HINT", hint_of(settings_.performance_hint));
}

void Session::compile(const ngb_model& cell) {
  ov_model_t* raw = nullptr;
  runtime_.check(runtime_.ov_core_read_model(core_.get(), cell.path, nullptr, &raw), "read the model");
  const Owned<ov_model_t> model(raw, runtime_.ov_model_free);
  settle_inputs(runtime_, raw, cell);
  ov_compiled_model_t* compiled = nullptr;
  runtime_.check(runtime_.ov_core_compile_model(core_.get(), raw, kDevice, 0, &compiled), "compile the model");
  compiled_.reset(compiled);
  ov_infer_request_t* request = nullptr;
  runtime_.check(runtime_.ov_compiled_model_create_infer_request(compiled, &request), "make an inference request");
  request_.reset(request);
  read_back();
}

std::string Session::property(const char* key) const {
  char* value = nullptr;
  runtime_.check(runtime_.ov_compiled_model_get_property(compiled_.get(), key, &value), "tell its settings");
  const std::string text = value == nullptr ? "" : value;
  runtime_.ov_free(value);
  return text;
}

// What holds is what the compiled model says, not what it was told.
void Session::read_back() {
  const std::string precision = property(kPrecision);
  const std::string device = property("EXECUTION_DEVICES");
  facts_.emplace_back("precision", precision);
  facts_.emplace_back("device", device);
  facts_.emplace_back("threads", property("INFERENCE_NUM_THREADS"));
  facts_.emplace_back("streams", property("NUM_STREAMS"));
  facts_.emplace_back("performance_hint", property("PERFORMANCE_HINT"));
  facts_.emplace_back("cpu_pinning", property("ENABLE_CPU_PINNING"));
  if (precision != "f32") {
    throw plugin::Failure(NGB_FALLBACK, "openvino was told to compute in f32 and computes in " + precision,
                          "this processor or version does not offer f32; leave openvino out on this device");
  }
  if (device != kDevice) throw plugin::Failure(NGB_FALLBACK, "openvino was told to run on CPU and runs on " + device);
}

void Session::bind(const ngb_tensor* inputs, std::uint32_t count) {
  std::vector<Owned<ov_tensor_t>> wrapped;
  for (std::uint32_t i = 0; i < count; ++i) {
    wrapped.push_back(wrap(runtime_, inputs[i]));
    runtime_.check(runtime_.ov_infer_request_set_tensor(request_.get(), inputs[i].name, wrapped.back().get()),
                   "take an input");
  }
  inputs_ = std::move(wrapped);
}

std::string Session::output_name(std::size_t index) const {
  ov_output_const_port_t* raw = nullptr;
  runtime_.check(runtime_.ov_compiled_model_output_by_index(compiled_.get(), index, &raw), "find an output");
  const Owned<ov_output_const_port_t> port(raw, runtime_.ov_output_const_port_free);
  char* text = nullptr;
  runtime_.check(runtime_.ov_port_get_any_name(raw, &text), "name an output");
  const std::string name = text == nullptr ? "" : text;
  runtime_.ov_free(text);
  return name;
}

void Session::read(std::uint32_t index, ngb_tensor* output, std::uint32_t* count) {
  std::size_t outputs = 0;
  runtime_.check(runtime_.ov_compiled_model_outputs_size(compiled_.get(), &outputs), "count its outputs");
  *count = static_cast<std::uint32_t>(outputs);
  if (index >= *count && output == nullptr) return;
  if (index >= *count) throw plugin::Failure(NGB_INTERNAL, "there is no output " + std::to_string(index));
  ov_tensor_t* raw = nullptr;
  runtime_.check(runtime_.ov_infer_request_get_output_tensor_by_index(request_.get(), index, &raw), "read an output");
  output_.reset(raw);
  output_name_ = output_name(index);
  ov_element_type_e type = DYNAMIC;
  runtime_.check(runtime_.ov_tensor_get_element_type(raw, &type), "read an output's type");
  ov_shape_t shape{};
  runtime_.check(runtime_.ov_tensor_get_shape(raw, &shape), "read an output's shape");
  output_shape_.assign(shape.dims, shape.dims + shape.rank);
  runtime_.ov_shape_free(&shape);
  std::size_t bytes = 0;
  void* data = nullptr;
  runtime_.check(runtime_.ov_tensor_get_byte_size(raw, &bytes), "read an output's size");
  runtime_.check(runtime_.ov_tensor_data(raw, &data), "read an output");
  *output = {output_name_.c_str(),
             element_type(type, output_name_).ours,
             static_cast<std::int32_t>(output_shape_.size()),
             output_shape_.data(),
             data,
             bytes};
}

bool Session::inspect(std::uint32_t index, const char** key, const char** value) const {
  if (index >= facts_.size()) return false;
  *key = facts_[index].first.c_str();
  *value = facts_[index].second.c_str();
  return true;
}

}  // namespace ngb::openvino
