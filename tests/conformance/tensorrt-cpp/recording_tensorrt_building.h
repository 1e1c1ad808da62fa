// SPDX-License-Identifier: Apache-2.0
// What the stand-in for TensorRT (recording_tensorrt_stand_in.cpp) is made of until there is an engine: its notes, and
// the objects that a builder works with.
#pragma once
#include <NvInfer.h>
#include <NvOnnxParser.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "refusing_classes.h"

namespace recording_stand_in {

using namespace nvinfer1;  // NOLINT(google-build-using-namespace): every line here is about its names
using nlohmann::json;

template <class Function>
Function* of_cuda(const char* name) {
  static void* const library = ::dlopen("libcuda.so.1", RTLD_NOW);
  return reinterpret_cast<Function*>(::dlsym(library, name));
}
inline void note(const std::string& text) { of_cuda<void(const char*)>("recording_stand_in_note")(text.c_str()); }
inline std::string name_of(const void* address) {
  return of_cuda<const char*(std::uint64_t)>("recording_stand_in_name")(reinterpret_cast<std::uint64_t>(address));
}

inline void log_survived_error(ILogger& logger) {
  if (std::getenv("RECORDING_TENSORRT_STAND_IN_LOGS_AN_ERROR") == nullptr) return;
  logger.log(ILogger::Severity::kERROR, "something that it can do without");
}

inline std::string& resource_folder() {
  static std::string folder;
  return folder;
}

// Opens and closes the library of kernels, as a builder does when it is made, and says so. Returns whether that is
// possible.
inline bool open_resource(ILogger& logger) {
  const std::string name = "libnvinfer_builder_resource_sm87.so.10";
  void* const library = ::dlopen((std::filesystem::path(resource_folder()) / name).c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library != nullptr) {
    ::dlclose(library);
    logger.log(ILogger::Severity::kVERBOSE, ("Loaded shared library " + name).c_str());
    return true;
  }
  logger.log(ILogger::Severity::kERROR, ("Unable to load library: " + name).c_str());
  return false;
}

// Its end is written down, as its beginning is.
class Noted {
 public:
  explicit Noted(const char* name) : name_(name) { note("new " + name_); }
  ~Noted() { note("delete " + name_); }
  Noted(const Noted&) = delete;
  Noted& operator=(const Noted&) = delete;

 private:
  std::string name_;
};

inline Dims dims_of(const json& shape) {
  Dims dims{static_cast<std::int32_t>(shape.size()), {}};
  for (std::size_t i = 0; i < shape.size(); ++i) dims.d[i] = shape[i].get<std::int64_t>();
  return dims;
}

inline std::string text_of(const Dims& dims) {
  std::string text;
  for (std::int32_t i = 0; i < dims.nbDims; ++i) text += (i == 0 ? "" : ", ") + std::to_string(dims.d[i]);
  return "[" + text + "]";
}

inline DataType type_of(const json& tensor) {
  return tensor[0] == "FLOAT" ? DataType::kFLOAT : tensor[0] == "INT32" ? DataType::kINT32 : DataType::kFP8;
}

class HostMemory : public IHostMemory, apiv::RefusingVHostMemory {
 public:
  explicit HostMemory(std::string content) : content_(std::move(content)) { mImpl = this; }
  void* data() const noexcept override { return const_cast<char*>(content_.data()); }
  std::size_t size() const noexcept override { return content_.size(); }

 private:
  std::string content_;
};

class Tensor : public ITensor, apiv::RefusingVTensor {
 public:
  Tensor(std::string name, const json& told) : name_(std::move(name)), told_(told) { mImpl = this; }
  ~Tensor() noexcept override = default;
  const char* getName() const noexcept override { return name_.c_str(); }
  Dims getDimensions() const noexcept override { return dims_of(told_[1]); }
  DataType getType() const noexcept override { return type_of(told_); }
  bool isShapeTensor() const noexcept override { return told_.size() > 2; }

 private:
  std::string name_;
  json told_;
};

class Network : public INetworkDefinition, apiv::RefusingVNetworkDefinition {
 public:
  Network() { mImpl = this; }
  // `weights` belong to the parser.
  void take(const json& model, std::weak_ptr<float> weights) {
    model_ = model;
    weights_ = std::move(weights);
    for (const auto& [name, told] : model.at("inputs").items()) inputs_.push_back(std::make_unique<Tensor>(name, told));
  }
  [[nodiscard]] const json& model() const { return model_; }
  [[nodiscard]] bool has_weights() const { return !weights_.expired(); }
  std::int32_t getNbInputs() const noexcept override { return static_cast<std::int32_t>(inputs_.size()); }
  ITensor* getInput(std::int32_t index) const noexcept override {
    return inputs_[static_cast<std::size_t>(index)].get();
  }

 private:
  Noted noted_{"INetworkDefinition"};
  json model_;
  std::weak_ptr<float> weights_;
  std::vector<std::unique_ptr<Tensor>> inputs_;
};

class TimingCache : public ITimingCache, apiv::RefusingVTimingCache {
 public:
  explicit TimingCache(std::string content) : content_(std::move(content)) { mImpl = this; }
  ~TimingCache() noexcept override { note("delete ITimingCache"); }
  [[nodiscard]] const std::string& content() const { return content_; }
  IHostMemory* serialize() const noexcept override { return new HostMemory(content_ + "timed"); }

 private:
  std::string content_;
};

class Config : public IBuilderConfig, apiv::RefusingVBuilderConfig {
 public:
  Config() { mImpl = this; }
  void clearFlag(BuilderFlag flag) noexcept override {
    note("clearFlag " + name(flag));
    flags_.erase(flag);
  }
  void setFlag(BuilderFlag flag) noexcept override {
    note("setFlag " + name(flag));
    flags_.insert(flag);
  }
  bool getFlag(BuilderFlag flag) const noexcept override { return flags_.contains(flag); }
  void setMemoryPoolLimit(MemoryPoolType pool, std::size_t bytes) noexcept override {
    note("setMemoryPoolLimit " + std::string(pool == MemoryPoolType::kWORKSPACE ? "WORKSPACE " : "? ") +
         std::to_string(bytes));
    workspace_bytes_ = bytes;
  }
  std::size_t getMemoryPoolLimit(MemoryPoolType) const noexcept override { return workspace_bytes_; }
  void setBuilderOptimizationLevel(std::int32_t level) noexcept override { level_ = level; }
  std::int32_t getBuilderOptimizationLevel() const noexcept override { return level_; }
  std::int32_t addOptimizationProfile(const IOptimizationProfile*) noexcept override {
    note("addOptimizationProfile");
    return 0;
  }
  ITimingCache* createTimingCache(const void* data, std::size_t bytes) const noexcept override {
    return new TimingCache(std::string(static_cast<const char*>(data), bytes));
  }
  bool setTimingCache(const ITimingCache& cache, bool) noexcept override {
    cache_ = static_cast<const TimingCache*>(&cache);
    note("setTimingCache '" + cache_->content() + "'");
    return cache_->content() != "of another GPU";
  }
  const ITimingCache* getTimingCache() const noexcept override { return cache_; }

 private:
  static std::string name(BuilderFlag flag) {
    if (flag == BuilderFlag::kSPARSE_WEIGHTS) return "SPARSE_WEIGHTS";
    return flag == BuilderFlag::kTF32 ? "TF32" : flag == BuilderFlag::kFP16 ? "FP16" : "BF16";
  }

  Noted noted_{"IBuilderConfig"};
  std::set<BuilderFlag> flags_{BuilderFlag::kTF32};
  std::size_t workspace_bytes_ = std::size_t{1} << 33U;
  std::int32_t level_ = 3;
  const TimingCache* cache_ = nullptr;
};

class Profile : public IOptimizationProfile, apiv::RefusingVOptimizationProfile {
 public:
  Profile() { mImpl = this; }
  bool setDimensions(const char* input, OptProfileSelector which, const Dims& dims) noexcept override {
    static const char* const kNames[] = {"MIN", "OPT", "MAX"};
    note("setDimensions " + std::string(input) + " " + kNames[static_cast<int>(which)] + " " + text_of(dims));
    return true;
  }
};

}  // namespace recording_stand_in
