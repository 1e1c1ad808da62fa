// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "model.h"

namespace ngb::openvino {
namespace {

constexpr const char* kPrecision = "INFERENCE_PRECISION_HINT";
constexpr const char* kQuantisedGroup = "DYNAMIC_QUANTIZATION_GROUP_SIZE";
constexpr const char* kCachePrecision = "KV_CACHE_PRECISION";

const char* hint_of(const std::string& word) { return word == "throughput" ? "THROUGHPUT" : "LATENCY"; }

std::string list_of(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
  return list;
}

// Returns whether a device is of that kind: "GPU.1" is of kind "GPU".
bool is_of(const std::string& device, const std::string& kind) {
  return device == kind || device.rfind(kind + ".", 0) == 0;
}

// Returns a device's property from "{CPU:{INFERENCE_NUM_THREADS:2,INFERENCE_PRECISION_HINT:f32,…}}", or "".
std::string property_in(const std::string& properties, const std::string& device, const std::string& key) {
  const std::size_t of_device = properties.find(device + ":{");
  if (of_device == std::string::npos) return {};
  const std::size_t first = properties.find("{" + key + ":", of_device);
  const std::size_t found = first != std::string::npos ? first : properties.find("," + key + ":", of_device);
  if (found == std::string::npos) return {};
  const std::size_t begin = found + key.size() + 2;
  return properties.substr(begin, properties.find_first_of(",}", begin) - begin);
}

// Returns the version of OpenVINO that wrote a file in its own form; "" if the file does not say it.
std::string version_that_wrote(const ngb_model& model) {
  if (std::strcmp(model.path, model.artifact_path) != 0) return {};  // an ONNX file
  constexpr std::string_view kMark = "<Runtime_version value=\"";
  std::ifstream file(model.path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t found = text.rfind(kMark);
  if (found == std::string::npos) return {};
  const std::size_t begin = found + kMark.size();
  return text.substr(begin, text.find('"', begin) - begin);
}

}  // namespace

Session::Session(const ngb_settings& given, const plugin::Options& options)
    : settings_(given, options),
      runtime_(settings_.toolchain_dir),
      core_(nullptr, runtime_.ov_core_free),
      compiled_(nullptr, runtime_.ov_compiled_model_free),
      output_(nullptr, runtime_.ov_tensor_free) {
  ov_core_t* core = nullptr;
  runtime_.check(runtime_.ov_core_create(&core), "start");
  core_.reset(core);
  check_device();
  configure();
  facts_.emplace_back("version", runtime_.version());
}

std::vector<std::string> Session::available_devices() const {
  ov_available_devices_t found{};
  runtime_.check(runtime_.ov_core_get_available_devices(core_.get(), &found), "list its devices");
  std::vector<std::string> devices(found.devices, found.devices + found.size);
  runtime_.ov_available_devices_free(&found);
  return devices;
}

void Session::check_device() const {
  if (settings_.device == "CPU" || settings_.device == "AUTO") return;  // a query would load every device's plugin
  const std::vector<std::string> here = available_devices();
  if (std::any_of(here.begin(), here.end(), [&](const auto& each) { return is_of(each, settings_.device); })) return;
  throw plugin::Failure(NGB_NO_DEVICE, "openvino finds no " + settings_.device + " here; it finds " + list_of(here),
                        "choose one of these, or install the driver that OpenVINO needs for the " + settings_.device);
}

void Session::configure() {
  if (settings_.device == "CPU" || settings_.device == "AUTO") {
    set("CPU", "INFERENCE_NUM_THREADS", std::to_string(settings_.threads));
    set("CPU", "ENABLE_CPU_PINNING", settings_.has_cpu_pinning ? "YES" : "NO");
  }
  if (settings_.device == "AUTO") {
    // Otherwise the CPU would run the first inferences while another device still compiles.
    set("AUTO", "ENABLE_STARTUP_FALLBACK", "NO");
    for (const std::string& each : available_devices()) configure_device(each);
  } else {
    configure_device(settings_.device);
  }
  if (settings_.performance_hint != "none") {
    set(settings_.device, "PERFORMANCE_HINT",
        hint_of(settings_.in_flight == 0 ? "throughput" : settings_.performance_hint));
  }
  for (const auto& [name, value] : settings_.properties) hand_on(name, value);
}

// OpenVINO refuses here, or when it compiles, what the device's plugin does not know.
void Session::hand_on(const std::string& name, const std::string& value) {
  try {
    set(settings_.device, name.c_str(), value);
  } catch (const plugin::Failure& failure) {
    throw plugin::refused_setting("openvino", name, value, failure.what());
  }
}

// The default precision is bf16 on processors that can compute in it, and f16 on GPUs. Products with weights of 8 or 4
// bits are computed with activations rounded to 8 bits, and the keys and values of attention are kept in 8 bits. Each
// changes predictions.
void Session::configure_device(const std::string& device) {
  set(device, kPrecision, settings_.precision);
  if (is_of(device, "NPU")) return;
  set(device, kQuantisedGroup, "0");
  if (is_of(device, "CPU")) set(device, kCachePrecision, settings_.precision);
  // Without a hint OpenVINO would choose one stream.
  const bool chooses = settings_.in_flight == 0;
  if (!chooses) {
    set(device, "NUM_STREAMS", std::to_string(std::min(settings_.in_flight, std::max(settings_.threads, 1))));
  } else if (settings_.performance_hint == "none") {
    set(device, "NUM_STREAMS", "AUTO");
  }
}

void Session::set(const std::string& device, const char* key, const std::string& value) {
  runtime_.check(runtime_.ov_core_set_property(core_.get(), device.c_str(), key, value.c_str()), "apply its settings");
}

void Session::compile(const ngb_model& cell) {
  ov_model_t* raw = nullptr;
  runtime_.check(runtime_.ov_core_read_model(core_.get(), cell.path, nullptr, &raw), "read the model");
  const Owned<ov_model_t> model(raw, runtime_.ov_model_free);
  settle_inputs(runtime_, raw, cell);
  ov_compiled_model_t* compiled = nullptr;
  try {
    runtime_.check(runtime_.ov_core_compile_model(core_.get(), raw, settings_.device.c_str(), 0, &compiled),
                   "compile the model");
  } catch (const plugin::Failure& failure) {
    for (const auto& [name, value] : settings_.properties) {
      if (std::string(failure.what()).find(name) != std::string::npos)
        throw plugin::refused_setting("openvino", name, value, failure.what());
    }
    throw;
  }
  use(compiled);
  if (plugin::keeps_file(cell)) {
    runtime_.check(runtime_.ov_compiled_model_export_model(compiled, cell.artifact_path), "export the compiled model");
  }
  if (const std::string version = version_that_wrote(cell); !version.empty())
    facts_.emplace_back("made_by_version", version);
  if (!settings_.is_profiled) return;
  compile_profiled(raw);
  profiled_->model = plugin::OnnxNodes::of_file(cell.path);
}

void Session::use(ov_compiled_model_t* compiled) {
  compiled_.reset(compiled);
  make_requests();
  read_back();
}

void Session::load(const ngb_model& cell) {
  if (settings_.is_profiled) {
    throw plugin::Failure(NGB_NO_PROFILE, "an imported model of openvino does not tell its kernels' times",
                          "remove compile: once");
  }
  std::ifstream file(cell.artifact_path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  if (content.empty()) {
    throw plugin::Failure(NGB_INTERNAL, std::string(cell.artifact_path) + " is not what openvino has exported");
  }
  ov_compiled_model_t* compiled = nullptr;
  runtime_.check(
      runtime_.ov_core_import_model(core_.get(), content.data(), content.size(), settings_.device.c_str(), &compiled),
      "import the compiled model");
  use(compiled);
}

void Session::reset_state() {
  slots_.clear();  // requests refer to tensors of the feeding
  feeding_.reset();
  make_requests();
}

void Session::make_requests() {
  const int count =
      settings_.in_flight > 0 ? settings_.in_flight : std::stoi(property("OPTIMAL_NUMBER_OF_INFER_REQUESTS"));
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(count); ++i) {
    ov_infer_request_t* request = nullptr;
    runtime_.check(runtime_.ov_compiled_model_create_infer_request(compiled_.get(), &request),
                   "make an inference request");
    slots_.push_back(std::make_unique<Slot>(Slot{{request, runtime_.ov_infer_request_free}, i}));
    Slot& slot = *slots_.back();
    slot.callback = {inference_ended, &slot};
    if (count == 1) break;
    runtime_.check(runtime_.ov_infer_request_set_callback(request, &slot.callback), "set a callback");
  }
  running_ = slots_.front()->request.get();
}

void Session::inference_ended(void* slot) {
  const Slot& ended = *static_cast<Slot*>(slot);
  // OpenVINO does not say here whether the inference succeeded; `finish` learns it.
  ended.completed(ended.context, ended.index, NGB_OK);
}

void Session::start(std::uint32_t slot, ngb_completed completed, void* context, ngb_error* /*error*/) {
  slots_[slot]->completed = completed;
  slots_[slot]->context = context;
  runtime_.check(runtime_.ov_infer_request_start_async(slots_[slot]->request.get()), "run the model");
}

void Session::finish(std::uint32_t slot) const {
  runtime_.check(runtime_.ov_infer_request_wait(slots_[slot]->request.get()), "run the model");
}

std::string Session::property(const char* key) const {
  char* value = nullptr;
  runtime_.check(runtime_.ov_compiled_model_get_property(compiled_.get(), key, &value), "report its settings");
  std::string text = value == nullptr ? "" : value;
  runtime_.ov_free(value);
  return text;
}

// The facts are read back from the compiled model.
void Session::read_back() {
  const std::string device = property("EXECUTION_DEVICES");
  facts_.emplace_back("device", device);
  // A model for which AUTO chose the device reports the settings of all devices in one property.
  const std::string all = settings_.device == "AUTO" ? property("DEVICE_PROPERTIES") : "";
  const auto setting = [&](const char* key) { return all.empty() ? property(key) : property_in(all, device, key); };
  const std::string precision = setting(kPrecision);
  facts_.emplace_back("precision", precision);
  facts_.emplace_back("performance_hint", property("PERFORMANCE_HINT"));
  if (!is_of(device, "NPU")) facts_.emplace_back("streams", setting("NUM_STREAMS"));
  if (device == "CPU") {
    facts_.emplace_back("threads", setting("INFERENCE_NUM_THREADS"));
    facts_.emplace_back("cpu_pinning", setting("ENABLE_CPU_PINNING"));
    for (const char* name : {kQuantisedGroup, kCachePrecision}) facts_.emplace_back(name, setting(name));
  }
  for (const auto& [name, value] : settings_.properties) {
    char* read = nullptr;
    if (runtime_.ov_compiled_model_get_property(compiled_.get(), name.c_str(), &read) != ov_status_e::OK) continue;
    if (read != nullptr) facts_.emplace_back(name, read);
    runtime_.ov_free(read);
  }
  check_precision(precision);
  if (settings_.device != "AUTO" && !is_of(device, settings_.device)) {
    throw plugin::Failure(NGB_FALLBACK, "openvino was told to run on " + settings_.device + " and runs on " + device);
  }
}

void Session::check_precision(const std::string& got) const {
  if (got == settings_.precision) return;
  throw plugin::Failure(NGB_FALLBACK,
                        "openvino was told to compute in " + settings_.precision + " and computes in " + got,
                        "this device or version does not offer " + settings_.precision +
                            "; give the study another precision, or leave openvino out on this device");
}

void Session::bind(const ngb_tensor* inputs, std::uint32_t count) {
  std::vector<Owned<ov_tensor_t>> wrapped;
  for (std::uint32_t i = 0; i < count; ++i) {
    wrapped.push_back(wrap(runtime_, inputs[i]));
    for (const auto& slot : slots_) {
      // By its place: while it compiles, OpenVINO may drop the name of an input that it passes on.
      runtime_.check(runtime_.ov_infer_request_set_input_tensor_by_index(slot->request.get(), i, wrapped.back().get()),
                     "set an input");
    }
  }
  inputs_ = std::move(wrapped);
  bound_.assign(inputs, inputs + count);
  if (feeding_ != nullptr) feeding_->is_on = false;
}

Owned<ov_output_const_port_t> Session::output(std::size_t index) const {
  ov_output_const_port_t* raw = nullptr;
  runtime_.check(runtime_.ov_compiled_model_output_by_index(compiled_.get(), index, &raw), "find an output");
  return {raw, runtime_.ov_output_const_port_free};
}

std::string Session::output_name(std::size_t index) const {
  char* text = nullptr;
  runtime_.check(runtime_.ov_port_get_any_name(output(index).get(), &text), "name an output");
  const std::string name = text == nullptr ? "" : text;
  runtime_.ov_free(text);
  return name;
}

std::vector<std::int64_t> Session::output_shape(std::size_t index, const ov_tensor_t* tensor) const {
  ov_partial_shape_t partial{};
  runtime_.check(runtime_.ov_port_get_partial_shape(output(index).get(), &partial), "read an output's rank");
  const bool is_scalar = partial.rank.min == 0 && partial.rank.max == 0;
  runtime_.ov_partial_shape_free(&partial);
  if (is_scalar) return {};  // ov_tensor_get_shape fails for it
  ov_shape_t shape{};
  runtime_.check(runtime_.ov_tensor_get_shape(tensor, &shape), "read an output's shape");
  std::vector<std::int64_t> extents(shape.dims, shape.dims + shape.rank);
  runtime_.ov_shape_free(&shape);
  return extents;
}

std::size_t Session::output_count() const {
  std::size_t outputs = 0;
  runtime_.check(runtime_.ov_compiled_model_outputs_size(compiled_.get(), &outputs), "count its outputs");
  return outputs;
}

ngb_tensor Session::read(std::uint32_t index) {
  ov_tensor_t* raw = nullptr;
  ov_infer_request_t* const request =
      feeding_ != nullptr && feeding_->is_on ? feeding_->last : slots_.front()->request.get();
  runtime_.check(runtime_.ov_infer_request_get_output_tensor_by_index(request, index, &raw), "read an output");
  output_.reset(raw);
  output_name_ = output_name(index);
  ov_element_type_e type = DYNAMIC;
  runtime_.check(runtime_.ov_tensor_get_element_type(raw, &type), "read an output's type");
  output_shape_ = output_shape(index, raw);
  std::size_t bytes = 0;
  void* data = nullptr;
  runtime_.check(runtime_.ov_tensor_get_byte_size(raw, &bytes), "read an output's size");
  runtime_.check(runtime_.ov_tensor_data(raw, &data), "read an output");
  return {output_name_.c_str(),
          element_type(type, output_name_).ours,
          static_cast<std::int32_t>(output_shape_.size()),
          output_shape_.data(),
          data,
          bytes};
}

}  // namespace ngb::openvino
