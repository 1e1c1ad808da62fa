// SPDX-License-Identifier: Apache-2.0
// Not TensorRT: a stand-in for its libraries, for tests on machines without a GPU. It writes every call down in the log
// of the CUDA stand-in, and takes "models" in JSON: {"inputs": {name: [type, shape]}, "outputs": …, "errors": …}; of an
// ONNX file it reads these names and shapes. The "engine" doubles its first input, as much of it as an output has room
// for; an output of open shape has as many elements as the input has positive ones.
// As in TensorRT, the parser owns the network's weights, a builder needs the library of kernels in the folder that it
// was told, and the timing cache must outlive the builder. NGB_TENSORRT_STAND_IN_VERSION: its version, as
// 10.9.0.34 or as the number that it gives; …_HAS_NO_RUNTIME: it makes none; …_LOGS_AN_ERROR: everything is made, after
// an error that is survived.
#include "recording_tensorrt_building.h"

namespace recording_stand_in {

void refuse(const char* function) noexcept {
  std::fprintf(stderr, "the stand-in for TensorRT has no %s\n", function);
  std::abort();
}

namespace {

class Builder : public IBuilder, apiv::RefusingVBuilder {
 public:
  explicit Builder(ILogger& logger) : logger_(logger) { mImpl = this; }
  INetworkDefinition* createNetworkV2(NetworkDefinitionCreationFlags flags) noexcept override {
    note("createNetworkV2 " + std::to_string(flags));
    return new Network();
  }
  IBuilderConfig* createBuilderConfig() noexcept override { return new Config(); }
  IOptimizationProfile* createOptimizationProfile() noexcept override { return &profile_; }
  bool setMaxThreads(std::int32_t threads) noexcept override {
    threads_ = threads;
    return true;
  }
  std::int32_t getMaxThreads() const noexcept override { return threads_; }
  IHostMemory* buildSerializedNetwork(INetworkDefinition& network, IBuilderConfig&) noexcept override {
    note("buildSerializedNetwork threads=" + std::to_string(threads_));
    if (!static_cast<Network&>(network).has_weights()) {
      logger_.log(ILogger::Severity::kERROR, "the weights are gone with the parser");
      return nullptr;
    }
    const json& model = static_cast<Network&>(network).model();
    if (!model.contains("fail_to_build")) return new HostMemory(model.dump());
    logger_.log(ILogger::Severity::kERROR, model["fail_to_build"].get<std::string>().c_str());
    logger_.log(ILogger::Severity::kERROR, "what follows from it");
    return nullptr;
  }

 private:
  Noted noted_{"IBuilder"};
  ILogger& logger_;
  Profile profile_;
  std::int32_t threads_ = 0;
};

class ParserError : public nvonnxparser::RefusingIParserError {
 public:
  explicit ParserError(const json& told) : told_(told) {}
  ~ParserError() override = default;
  nvonnxparser::ErrorCode code() const override { return static_cast<nvonnxparser::ErrorCode>(told_.value("code", 0)); }
  const char* desc() const override { return text("desc"); }
  int node() const override { return told_.value("node", 0); }
  const char* nodeName() const override { return text("name"); }
  const char* nodeOperator() const override { return text("operator"); }

 private:
  const char* text(const char* key) const {
    return told_.contains(key) ? told_[key].get_ref<const std::string&>().c_str() : "";
  }
  json told_;
};

using Fields = std::vector<std::pair<int, std::string>>;  // number, and content or (of a number) its digits

// Reads one level of a Protobuf message. Fields of fixed length are not in what is read here.
Fields fields_of(const std::string& message) {
  Fields fields;
  std::size_t at = 0;
  const auto number = [&] {
    std::uint64_t value = 0;
    for (unsigned shift = 0; at < message.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(message[at++]);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  while (at < message.size()) {
    const std::uint64_t key = number();
    const std::uint64_t value = number();
    if (key % 8 == 0) {
      fields.emplace_back(key / 8, std::to_string(value));
      continue;
    }
    fields.emplace_back(key / 8, message.substr(at, value));
    at += value;
  }
  return fields;
}

std::string field_of(const std::string& message, int wanted) {
  for (const auto& [number, content] : fields_of(message)) {
    if (number == wanted) return content;
  }
  return {};
}

// Reads names and shapes of a ModelProto's inputs and outputs, all taken as f32. The numbers are those of onnx.proto.
json read_model(const char* path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  json model = json::parse(content.str(), nullptr, false);
  if (!model.is_discarded()) return model;
  model = {{"inputs", json::object()}, {"outputs", json::object()}};
  for (const auto& [number, value] : fields_of(field_of(content.str(), 7))) {
    if (number != 11 && number != 12) continue;
    json shape = json::array();
    for (const auto& [ignored, extent] : fields_of(field_of(field_of(field_of(value, 2), 1), 2))) {
      shape.push_back(std::stoll("0" + field_of(extent, 1)));
    }
    model[number == 11 ? "inputs" : "outputs"][field_of(value, 1)] = {"FLOAT", shape};
  }
  return model;
}

class Parser : public nvonnxparser::RefusingIParser {
 public:
  explicit Parser(Network& network) : network_(network) {}
  bool parseFromFile(const char* path, int) noexcept override {
    note("parseFromFile");
    const json model = read_model(path);
    network_.take(model, weights_);
    for (const json& error : model.value("errors", json::array()))
      errors_.push_back(std::make_unique<ParserError>(error));
    return errors_.empty();
  }
  int getNbErrors() const noexcept override { return static_cast<int>(errors_.size()); }
  const nvonnxparser::IParserError* getError(int index) const noexcept override {
    return errors_[static_cast<std::size_t>(index)].get();
  }

 private:
  Noted noted_{"IParser"};
  Network& network_;
  std::shared_ptr<float> weights_ = std::make_shared<float>(2.0F);
  std::vector<std::unique_ptr<ParserError>> errors_;
};

class Context : public IExecutionContext, apiv::RefusingVExecutionContext {
 public:
  explicit Context(const json& model) : model_(model), number_(static_cast<int>(all().size())) {
    mImpl = this;
    all().push_back(this);
  }
  bool setInputShape(const char* name, const Dims& dims) noexcept override {
    note("setInputShape " + std::string(name) + " " + text_of(dims));
    input_ = dims;
    return true;
  }
  bool setTensorAddress(const char* name, void* data) noexcept override {
    note("setTensorAddress " + std::string(name) + " " + name_of(data));
    addresses_[name] = static_cast<float*>(data);
    return true;
  }
  bool setOutputAllocator(const char* name, IOutputAllocator* allocator) noexcept override {
    note("setOutputAllocator " + std::string(name));
    allocators_[name] = allocator;
    return true;
  }
  std::int64_t getMaxOutputSize(const char*) const noexcept override { return 4 * elements(); }
  Dims getTensorShape(const char* name) const noexcept override {
    const char* const kind = model_["inputs"].contains(name) ? "inputs" : "outputs";
    Dims dims = dims_of(model_[kind][name][1]);
    if (dims.nbDims > 1 && dims.d[0] == -1) dims.d[0] = input_.d[0];
    return dims;
  }
  void setProfiler(IProfiler* profiler) noexcept override {
    note(profiler == nullptr ? "setProfiler null" : "setProfiler");
    profiler_ = profiler;
  }
  bool enqueueV3(cudaStream_t stream) noexcept override {
    note("enqueueV3 " + name_of(stream));
    if (profiler_ != nullptr) {
      for (const json& layer : model_.value("layers", json::array()))
        profiler_->reportLayerTime(layer[0].get_ref<const std::string&>().c_str(), layer[1].get<float>());
    }
    of_cuda<void(void (*)(int), int)>("recording_stand_in_enqueue")(
        [](int which) { all().at(static_cast<std::size_t>(which))->compute(); }, number_);
    return !model_.contains("fail_to_run");
  }

 private:
  static std::vector<Context*>& all() {
    static std::vector<Context*> contexts;
    return contexts;
  }
  [[nodiscard]] std::int64_t elements() const {
    return elements_in(input_.nbDims > 0 ? input_ : dims_of(model_["inputs"].begin().value()[1]));
  }
  static std::int64_t elements_in(const Dims& dims) {
    std::int64_t count = 1;
    for (std::int32_t i = 0; i < dims.nbDims; ++i) count *= dims.d[i];
    return count;
  }
  void compute() {
    const float* const source = addresses_.at(model_["inputs"].begin().key());
    for (const auto& [name, told] : model_["outputs"].items()) {
      const auto allocator = allocators_.find(name);
      if (allocator == allocators_.end()) {
        const std::int64_t room = elements_in(getTensorShape(name.c_str()));
        std::transform(source, source + std::min(elements(), room), addresses_.at(name),
                       [](float value) { return 2 * value; });
        continue;
      }
      std::vector<float> positive;
      std::copy_if(source, source + elements(), std::back_inserter(positive), [](float value) { return value > 0; });
      void* const memory = allocator->second->reallocateOutputAsync(name.c_str(), addresses_.at(name),
                                                                    4 * positive.size(), 256, nullptr);
      std::copy(positive.begin(), positive.end(), static_cast<float*>(memory));
      allocator->second->notifyShape(name.c_str(), dims_of(json::array({positive.size()})));
    }
  }

  Noted noted_{"IExecutionContext"};
  json model_;
  IProfiler* profiler_ = nullptr;
  int number_;
  Dims input_{};
  std::map<std::string, float*> addresses_;
  std::map<std::string, IOutputAllocator*> allocators_;
};

class Engine : public ICudaEngine, apiv::RefusingVCudaEngine {
 public:
  explicit Engine(json model) : model_(std::move(model)) {
    mImpl = this;
    for (const char* kind : {"inputs", "outputs"}) {
      for (const auto& [name, told] : model_[kind].items()) names_.push_back(name);
    }
  }
  std::int32_t getNbLayers() const noexcept override { return 1; }
  std::size_t getDeviceMemorySize() const noexcept override { return 2048; }
  std::int64_t getDeviceMemorySizeV2() const noexcept override { return 4096; }
  std::int32_t getNbIOTensors() const noexcept override { return static_cast<std::int32_t>(names_.size()); }
  const char* getIOTensorName(std::int32_t index) const noexcept override {
    return names_[static_cast<std::size_t>(index)].c_str();
  }
  TensorIOMode getTensorIOMode(const char* name) const noexcept override {
    return model_["inputs"].contains(name) ? TensorIOMode::kINPUT : TensorIOMode::kOUTPUT;
  }
  TensorLocation getTensorLocation(const char* name) const noexcept override {
    return model_.value("on_the_cpu", "") == name ? TensorLocation::kHOST : TensorLocation::kDEVICE;
  }
  DataType getTensorDataType(const char* name) const noexcept override { return type_of(told(name)); }
  Dims getTensorShape(const char* name) const noexcept override { return dims_of(told(name)[1]); }
  IExecutionContext* createExecutionContext(ExecutionContextAllocationStrategy) noexcept override {
    return new Context(model_);
  }

 private:
  [[nodiscard]] const json& told(const char* name) const {
    return model_["inputs"].contains(name) ? model_["inputs"][name] : model_["outputs"][name];
  }

  Noted noted_{"ICudaEngine"};
  json model_;
  std::vector<std::string> names_;
};

class Runtime : public IRuntime, apiv::RefusingVRuntime {
 public:
  Runtime() { mImpl = this; }
  using apiv::RefusingVRuntime::deserializeCudaEngine;
  ICudaEngine* deserializeCudaEngine(const void* data, std::size_t bytes) noexcept override {
    note("deserializeCudaEngine");
    return new Engine(json::parse(std::string(static_cast<const char*>(data), bytes)));
  }

 private:
  Noted noted_{"IRuntime"};
};

}  // namespace
}  // namespace recording_stand_in

#define STAND_IN extern "C" __attribute__((visibility("default")))

STAND_IN std::int32_t getInferLibVersion() noexcept {
  const char* const version = std::getenv("NGB_TENSORRT_STAND_IN_VERSION");
  if (version == nullptr) return static_cast<std::int32_t>(NV_TENSORRT_VERSION);
  int major = 0;
  int minor = 0;
  int patch = 0;
  const int parts = std::sscanf(version, "%d.%d.%d", &major, &minor, &patch);
  return parts == 1 ? major : 10000 * major + 100 * minor + patch;
}
STAND_IN std::int32_t getInferLibBuildVersion() noexcept { return 34; }
STAND_IN bool setInternalLibraryPath(const char* path) noexcept {
  recording_stand_in::note("setInternalLibraryPath " + std::filesystem::path(path).filename().string());
  recording_stand_in::resource_folder() = path;
  return true;
}
STAND_IN void* createInferBuilder_INTERNAL(void* taken, std::int32_t) noexcept {
  nvinfer1::ILogger& logger = *static_cast<nvinfer1::ILogger*>(taken);
  if (!recording_stand_in::open_resource(logger)) return nullptr;
  recording_stand_in::log_survived_error(logger);
  return static_cast<nvinfer1::IBuilder*>(new recording_stand_in::Builder(logger));
}
STAND_IN void* createInferRuntime_INTERNAL(void* logger, std::int32_t) noexcept {
  if (std::getenv("RECORDING_TENSORRT_STAND_IN_HAS_NO_RUNTIME") != nullptr) {
    static_cast<nvinfer1::ILogger*>(logger)->log(nvinfer1::ILogger::Severity::kERROR, "CUDA initialization failure");
    return reinterpret_cast<void*>(std::uintptr_t{0x238});  // as 10.15.1 does
  }
  recording_stand_in::log_survived_error(*static_cast<nvinfer1::ILogger*>(logger));
  return static_cast<nvinfer1::IRuntime*>(new recording_stand_in::Runtime());
}
STAND_IN void* createNvOnnxParser_INTERNAL(void* network, void*, int) noexcept {
  auto& taken = *static_cast<nvinfer1::INetworkDefinition*>(network);
  return static_cast<nvonnxparser::IParser*>(
      new recording_stand_in::Parser(static_cast<recording_stand_in::Network&>(taken)));
}
