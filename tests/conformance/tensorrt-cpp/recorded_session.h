// SPDX-License-Identifier: Apache-2.0
// A session of the native plugin of TensorRT on stand-ins that write down what is called: recording_tensorrt_stand_in
// for TensorRT's libraries, recording_cuda_stand_in for the driver's.
#pragma once

#include <NvInferVersion.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "ngraphbench/compiler.h"
#include "plugin_settings.h"
#include "temporary_folder.h"

namespace ngb::tensorrt {

namespace fs = std::filesystem;
using nlohmann::json;

using Texts = std::vector<std::string>;
using Options = PluginSettings::Values;
using Values = std::vector<float>;

inline const json kStatic = {{"inputs", {{"x", {"FLOAT", {2, 3}}}}}, {"outputs", {{"y", {"FLOAT", {2, 3}}}}}};
inline const json kOpenBatch = {{"inputs", {{"x", {"FLOAT", {-1, 3}}}}}, {"outputs", {{"y", {"FLOAT", {-1, 3}}}}}};
inline const json kOpenOutput = {{"inputs", {{"x", {"FLOAT", {2, 3}}}}},
                                 {"outputs", {{"y", {"FLOAT", json::array({-1})}}}}};
inline const Values kValues{1, -2, 3, -4, 5, -6};
inline const Values kDoubled{2, -4, 6, -8, 10, -12};
inline const std::string kMajor = std::to_string(NV_TENSORRT_MAJOR);
inline constexpr const char* kResource = "libnvinfer_builder_resource_sm87.so.10";  // any library will do

struct Given {
  json model = kStatic;
  Options options{};
  Options settings{};  // values are JSON text
  const char* precision = "f32";
  const char* device = "cuda";
  const char* name = "x";
  ngb_dtype dtype = NGB_F32;
  std::vector<std::int64_t> shape{2, 3};
};

class RecordedSession : public testing::Test {
 protected:
  void SetUp() override {
    driver_ = ::dlopen(RECORDING_CUDA_STAND_IN, RTLD_NOW);
    ASSERT_NE(driver_, nullptr) << ::dlerror();
    void* const plugin = ::dlopen(PLUGIN, RTLD_NOW);
    ASSERT_NE(plugin, nullptr) << ::dlerror();
    table_ = reinterpret_cast<ngb_entry>(::dlsym(plugin, NGB_ENTRY_SYMBOL))();
    forget();
    put_libraries(RECORDING_TENSORRT_STAND_IN, kMajor);
  }
  void TearDown() override {
    close();
    ::unsetenv("NGB_TENSORRT_STAND_IN_VERSION");
    ::unsetenv("RECORDING_TENSORRT_STAND_IN_HAS_NO_RUNTIME");
    ::unsetenv("RECORDING_TENSORRT_STAND_IN_LOGS_AN_ERROR");
  }

  void put_libraries(const fs::path& file, const std::string& major) {
    const fs::path libraries = folder_ / "toolchain/tensorrt_libs";
    fs::remove_all(libraries);
    fs::create_directories(libraries);
    for (const char* stem : {"libnvinfer.so.", "libnvonnxparser.so."})
      fs::create_symlink(file, libraries / (stem + major));
    fs::copy_file(RECORDING_CUDA_STAND_IN, libraries / kResource);
  }

  template <class Function>
  Function* of_driver(const char* name) const {
    return reinterpret_cast<Function*>(::dlsym(driver_, name));
  }
  void forget() {
    of_driver<void()>("recording_stand_in_forget")();
    seen_ = 0;
  }
  void fail(const char* function, int status) const {
    of_driver<void(const char*, int)>("recording_stand_in_fail")(function, status);
  }
  // Those since this was last asked.
  Texts calls() {
    std::istringstream log(of_driver<const char*()>("recording_stand_in_log")());
    Texts all;
    for (std::string line; std::getline(log, line);) all.push_back(line);
    Texts news(all.begin() + static_cast<std::ptrdiff_t>(seen_), all.end());
    seen_ = all.size();
    return news;
  }

  ngb_status open(const Given& given = {}) {
    const std::string toolchain = (folder_ / "toolchain").string();
    const std::string cache = (folder_ / "cache").string();
    PluginSettings settings(*table_, given.options, given.settings);
    settings.handed.toolchain_dir = toolchain.c_str();
    settings.handed.cache_dir = cache.c_str();
    settings.handed.device = given.device;
    settings.handed.precision = given.precision;
    settings.handed.threads = 2;
    settings.handed.is_profiled = 1;
    return table_->open(&settings.handed, &session_, &error_);
  }
  ngb_status compile(const Given& given = {}) {
    if (const ngb_status status = open(given); status != NGB_OK) return status;
    const std::string path = (folder_ / "model.onnx").string();
    std::ofstream(path) << given.model;
    return compile_file(path, given);
  }
  ngb_status compile_file(const std::string& path, const Given& given = {}) {
    const std::string engine = (folder_ / "engine").string();
    const ngb_tensor input = tensor(given, nullptr, 0);
    const ngb_model model{sizeof(ngb_model), path.c_str(), "", &input, 1, engine.c_str()};
    const ngb_status status = table_->compile(session_, &model, &error_);
    return status == NGB_OK ? table_->load(session_, &model, &error_) : status;
  }
  ngb_status bind_to(const Given& given, const void* data, std::uint64_t bytes) {
    const ngb_tensor input = tensor(given, const_cast<void*>(data), bytes);
    return table_->bind(session_, &input, 1, &error_);
  }
  ngb_status bind(const Given& given = {}) {
    if (const ngb_status status = compile(given); status != NGB_OK) return status;
    calls();
    return bind_to(given, kValues.data(), sizeof(float) * kValues.size());
  }
  ngb_status run() { return table_->run(session_, &error_); }
  // Shape and values of the only output.
  std::pair<std::vector<std::int64_t>, Values> output() {
    ngb_tensor told{};
    std::uint32_t count = 0;
    EXPECT_EQ(table_->read(session_, 0, &told, &count, &error_), NGB_OK) << error_.message;
    EXPECT_EQ(count, 1U);
    EXPECT_STREQ(told.name, "y");
    EXPECT_EQ(told.dtype, NGB_F32);
    Values values(told.size_bytes / sizeof(float));
    std::memcpy(values.data(), told.data, told.size_bytes);
    return {{told.shape, told.shape + told.rank}, values};
  }
  Options facts() const {
    Options all;
    const char* key = nullptr;
    const char* value = nullptr;
    for (std::uint32_t i = 0; table_->inspect(session_, i, &key, &value) == 1; ++i) all[key] = value;
    return all;
  }
  void close() {
    table_->close(std::exchange(session_, nullptr));
    forget();
  }

  static ngb_tensor tensor(const Given& given, void* data, std::uint64_t bytes) {
    return {given.name, given.dtype, static_cast<std::int32_t>(given.shape.size()), given.shape.data(), data, bytes};
  }

  const ngb_compiler* table_ = nullptr;
  ngb_session* session_ = nullptr;
  ngb_error error_{};
  TemporaryFolder folder_;

 private:
  void* driver_ = nullptr;
  std::size_t seen_ = 0;
};

}  // namespace ngb::tensorrt
