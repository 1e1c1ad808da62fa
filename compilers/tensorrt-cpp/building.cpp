// SPDX-License-Identifier: Apache-2.0
#include "building.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "builder_flags.h"
#include "errors.h"
#include "logger.h"
#include "tensors.h"

namespace ngb::tensorrt {
namespace {

using nvinfer1::BuilderFlag;
using nvinfer1::MemoryPoolType;
using nvinfer1::OptProfileSelector;

// Before 10, a network includes its batch in its shapes only with this flag; later it always does.
std::uint32_t network_flags() {
#if NV_TENSORRT_MAJOR < 10
  return 1U << static_cast<std::uint32_t>(nvinfer1::NetworkDefinitionCreationFlag::kEXPLICIT_BATCH);
#else
  return 0;
#endif
}

template <class Object>
std::unique_ptr<Object> made(Object* object, const char* what) {
  if (object != nullptr) return std::unique_ptr<Object>(object);
  throw plugin::Failure(NGB_COMPILER_FAILED, std::string("TensorRT cannot make a ") + what + ": " + logger().reason());
}

std::string list_of(const std::set<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

const ngb_tensor& input_of(const ngb_model& model, const std::string& name) {
  return *std::find_if(model.inputs, model.inputs + model.input_count,
                       [&](const ngb_tensor& input) { return name == input.name; });
}

void check_input(const nvinfer1::ITensor& tensor, const ngb_tensor& wanted) {
  const std::string name = wanted.name;
  if (tensor.isShapeTensor()) {
    throw plugin::Failure(NGB_UNSUPPORTED_OPERATOR,
                          "input \"" + name + "\" holds a shape, whose values TensorRT must know when it compiles",
                          "make it a constant of the model");
  }
  const Shape theirs = shape_of(tensor.getDimensions());
  const Shape ours = shape_of(wanted);
  const bool fits = std::equal(theirs.begin(), theirs.end(), ours.begin(), ours.end(),
                               [](std::int64_t a, std::int64_t b) { return a == -1 || a == b; });
  const ElementType& type = element_type(tensor.getType(), name);
  if (fits && (type.ours == wanted.dtype || is_narrowed(wanted.dtype, type.ours))) return;
  throw plugin::Failure(NGB_INVALID_MODEL, "input \"" + name + "\" is " + type.name + " " + text_of(theirs) +
                                               " in the model and " + element_type(wanted.dtype).name + " " +
                                               text_of(ours) + " in the cell");
}

void check_inputs(const nvinfer1::INetworkDefinition& network, const ngb_model& model) {
  std::set<std::string> known;
  std::set<std::string> given;
  for (int i = 0; i < network.getNbInputs(); ++i) known.insert(network.getInput(i)->getName());
  for (std::uint32_t i = 0; i < model.input_count; ++i) given.insert(model.inputs[i].name);
  if (known != given) {
    throw plugin::Failure(NGB_INVALID_MODEL,
                          "the model's inputs are " + list_of(known) + "; given were " + list_of(given));
  }
  for (int i = 0; i < network.getNbInputs(); ++i) {
    const nvinfer1::ITensor& tensor = *network.getInput(i);
    check_input(tensor, input_of(model, tensor.getName()));
  }
}

}  // namespace

Building::Building(const Runtime& runtime, const Settings& settings, std::string device)
    : runtime_(runtime), settings_(settings), device_(std::move(device)), builder_(runtime.make_builder()) {
  builder_->setMaxThreads(settings.threads);
}

std::unique_ptr<nvinfer1::IHostMemory> Building::build(const ngb_model& model) {
  logger().forget();
  std::unique_ptr<nvonnxparser::IParser> parser;  // is destroyed after the network, whose weights it owns
  const auto network = made(builder_->createNetworkV2(network_flags()), "network");
  parser = parse(*network, model.path);
  check_inputs(*network, model);
  const auto config = made(builder_->createBuilderConfig(), "builder configuration");
  set_flags(*config);
  add_profile(*network, *config, model);
  if (settings_.has_timing_cache) {
    cache_.emplace(settings_.cache_dir, runtime_.version() + " " + device_);
    facts_.emplace_back("timing_cache_bytes_found", std::to_string(cache_->give(*config)));
  }
  logger().forget();
  std::unique_ptr<nvinfer1::IHostMemory> plan(builder_->buildSerializedNetwork(*network, *config));
  if (plan == nullptr) {
    const std::string reason = logger().reason();
    throw build_failure(reason, runtime_.kernels_advice(reason));
  }
  const std::string kernels = list_of(logger().kernels());
  facts_.emplace_back("builder_resources", kernels.empty() ? "none" : kernels);
  if (cache_) cache_->keep(*config);
  return plan;
}

std::unique_ptr<nvonnxparser::IParser> Building::parse(nvinfer1::INetworkDefinition& network,
                                                       const std::string& path) const {
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code)) {
    throw plugin::Failure(NGB_INVALID_MODEL, path + ": no such file");
  }
  auto parser = runtime_.make_parser(network);
  logger().forget();
  const int warnings = static_cast<int>(nvinfer1::ILogger::Severity::kWARNING);
  if (!parser->parseFromFile(path.c_str(), warnings)) throw parse_failure(path, *parser, logger().reason());
  return parser;
}

void Building::set_flags(nvinfer1::IBuilderConfig& config) {
  config.clearFlag(BuilderFlag::kTF32);  // on by default, and changes f32
  if (const auto flag = flag_of(settings_.precision)) config.setFlag(*flag);
  const Facts handed_on = hand_on_flags(config, settings_.flags, runtime_.version());
  config.setBuilderOptimizationLevel(settings_.builder_optimization_level);
  if (settings_.workspace_bytes > 0) config.setMemoryPoolLimit(MemoryPoolType::kWORKSPACE, settings_.workspace_bytes);
  std::string reduced = config.getFlag(BuilderFlag::kTF32) ? "TF32" : "";
  for (const auto& [precision, name] : {std::pair{"f16", "FP16"}, std::pair{"bf16", "BF16"}}) {
    const auto flag = flag_of(precision);
    if (flag && config.getFlag(*flag)) reduced += (reduced.empty() ? "" : " ") + std::string(name);
  }
  facts_ = {{"precision", settings_.precision},
            {"reduced_precision_flags", reduced.empty() ? "none" : reduced},
            {"workspace_bytes", std::to_string(config.getMemoryPoolLimit(MemoryPoolType::kWORKSPACE))},
            {"builder_optimization_level", std::to_string(config.getBuilderOptimizationLevel())},
            {"builder_threads", std::to_string(builder_->getMaxThreads())}};
  facts_.insert(facts_.end(), handed_on.begin(), handed_on.end());
}

// Sets the file's open extents to the cell's: smallest, best and largest shape are the same.
void Building::add_profile(nvinfer1::INetworkDefinition& network, nvinfer1::IBuilderConfig& config,
                           const ngb_model& model) {
  nvinfer1::IOptimizationProfile* profile = nullptr;  // owned by the builder
  for (int i = 0; i < network.getNbInputs(); ++i) {
    const nvinfer1::ITensor& tensor = *network.getInput(i);
    if (!is_open(shape_of(tensor.getDimensions()))) continue;
    if (profile == nullptr) profile = builder_->createOptimizationProfile();
    const nvinfer1::Dims dims = dims_of(shape_of(input_of(model, tensor.getName())));
    for (const auto which : {OptProfileSelector::kMIN, OptProfileSelector::kOPT, OptProfileSelector::kMAX}) {
      if (profile != nullptr && profile->setDimensions(tensor.getName(), which, dims)) continue;
      throw plugin::Failure(NGB_COMPILER_FAILED, std::string("TensorRT refuses the shape of \"") + tensor.getName() +
                                                     "\": " + logger().reason());
    }
  }
  if (profile == nullptr || config.addOptimizationProfile(profile) >= 0) return;
  throw plugin::Failure(NGB_COMPILER_FAILED, "TensorRT refuses the optimisation profile: " + logger().reason());
}

}  // namespace ngb::tensorrt
