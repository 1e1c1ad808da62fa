// SPDX-License-Identifier: Apache-2.0
// enqueue_loop PLUGIN TOOLCHAIN MODEL NAME=AxBx… REPETITIONS ROUNDS: does the plugin of TensorRT tell the same time as
// a bare loop? The plugin compiles the model; then, in turns, the plugin's timed call and enqueueV3 with a wait for the
// stream run the same engine. Prints JSON: for each round the median nanoseconds of both, and the GPU's own time of one
// inference (CUDA events around all repetitions of a bare loop without waits).
#include <NvInfer.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "../plugin_settings.h"
#include "cuda_device.h"
#include "ngraphbench/compiler.h"

namespace {

using Nanoseconds = std::vector<double>;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "enqueue_loop: %s\n", why.c_str());
  std::exit(1);
}

struct Input {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

// Reads "x=1x3x224x224" and fills the tensor with numbers from a fixed seed.
Input read_input(const std::string& text) {
  Input input;
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) give_up("not NAME=AxB: " + text);
  input.name = text.substr(0, equals);
  std::istringstream extents(text.substr(equals + 1));
  std::size_t elements = 1;
  for (std::string extent; std::getline(extents, extent, 'x');) {
    input.shape.push_back(std::stoll(extent));
    elements *= static_cast<std::size_t>(input.shape.back());
  }
  std::mt19937 random(7);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (std::size_t i = 0; i < elements; ++i) input.values.push_back(uniform(random));
  return input;
}

// The plugin with a compiled model and its input.
class Plugin {
 public:
  Plugin(const char* path, const char* toolchain, const char* model_path, Input& input, const std::string& engine) {
    void* const library = ::dlopen(path, RTLD_NOW);
    if (library == nullptr) give_up(::dlerror());
    table_ = reinterpret_cast<ngb_entry>(::dlsym(library, NGB_ENTRY_SYMBOL))();
    ngb::PluginSettings settings(*table_);
    settings.handed.toolchain_dir = toolchain;
    settings.handed.device = "cuda";
    check(table_->open(&settings.handed, &session_, &error_));
    const ngb_tensor tensor{input.name.c_str(),
                            NGB_F32,
                            static_cast<std::int32_t>(input.shape.size()),
                            input.shape.data(),
                            input.values.data(),
                            input.values.size() * sizeof(float)};
    const ngb_model model{sizeof(ngb_model), model_path, "", &tensor, 1, engine.c_str()};
    check(table_->compile(session_, &model, &error_));
    check(table_->load(session_, &model, &error_));
    check(table_->bind(session_, &tensor, 1, &error_));
  }
  ~Plugin() { table_->close(session_); }
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  void run() { check(table_->run(session_, &error_)); }

 private:
  void check(ngb_status status) const {
    if (status != NGB_OK) give_up(error_.message);
  }

  const ngb_compiler* table_ = nullptr;
  ngb_session* session_ = nullptr;
  ngb_error error_{};
};

class Logger : public nvinfer1::ILogger {
 public:
  void log(Severity severity, const char* message) noexcept override {
    if (severity <= Severity::kERROR) std::fprintf(stderr, "TensorRT: %s\n", message);
  }
};

// The engine of the plugin, run by nothing but TensorRT and the driver.
class Bare {
 public:
  Bare(const ngb::plugin::CudaDevice& gpu, const std::string& engine_path, const Input& input) : gpu_(gpu) {
    const auto make =
        reinterpret_cast<void* (*)(void*, std::int32_t)>(::dlsym(RTLD_DEFAULT, "createInferRuntime_INTERNAL"));
    if (make == nullptr) give_up("the plugin has not opened libnvinfer");
    runtime_.reset(static_cast<nvinfer1::IRuntime*>(make(&logger_, NV_TENSORRT_VERSION)));
    std::ostringstream plan;
    plan << std::ifstream(engine_path, std::ios::binary).rdbuf();
    engine_.reset(runtime_->deserializeCudaEngine(plan.str().data(), plan.str().size()));
    if (engine_ == nullptr) give_up("TensorRT does not open " + engine_path);
    context_.reset(engine_->createExecutionContext());
    gpu_.call("cuStreamCreate", &stream_, 1U);
    nvinfer1::Dims dims{static_cast<std::int32_t>(input.shape.size()), {}};
    std::copy(input.shape.begin(), input.shape.end(), dims.d);
    const nvinfer1::Dims theirs = engine_->getTensorShape(input.name.c_str());
    if (std::count(theirs.d, theirs.d + theirs.nbDims, -1) > 0) context_->setInputShape(input.name.c_str(), dims);
    for (std::int32_t i = 0; i < engine_->getNbIOTensors(); ++i) add_tensor(engine_->getIOTensorName(i), input);
  }
  ~Bare() {
    for (const std::uint64_t address : memory_) gpu_.status_of("cuMemFree_v2", address);
    context_.reset();
    engine_.reset();
    runtime_.reset();
    gpu_.status_of("cuStreamDestroy_v2", stream_);
  }
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;

  void enqueue() {
    if (!context_->enqueueV3(static_cast<cudaStream_t>(stream_))) give_up("enqueueV3 failed");
  }
  void wait() const { gpu_.call("cuStreamSynchronize", stream_); }
  // Returns the GPU's time of one of `count` inferences that are enqueued one after another.
  double time_on_gpu_ns(int count) {
    void* begin = nullptr;
    void* end = nullptr;
    float milliseconds = 0;
    gpu_.call("cuEventCreate", &begin, 0U);
    gpu_.call("cuEventCreate", &end, 0U);
    gpu_.call("cuEventRecord", begin, stream_);
    for (int i = 0; i < count; ++i) enqueue();
    gpu_.call("cuEventRecord", end, stream_);
    wait();
    gpu_.call("cuEventElapsedTime", &milliseconds, begin, end);
    gpu_.call("cuEventDestroy_v2", begin);
    gpu_.call("cuEventDestroy_v2", end);
    return static_cast<double>(milliseconds) * 1e6 / count;
  }

 private:
  // Allocates four bytes an element, which suffices for every type of a network in f32 but 64-bit integers: eight then.
  void add_tensor(const char* name, const Input& input) {
    const nvinfer1::Dims dims = context_->getTensorShape(name);
    std::size_t bytes = 8;
    for (std::int32_t i = 0; i < dims.nbDims; ++i)
      bytes *= static_cast<std::size_t>(std::max<std::int64_t>(dims.d[i], 1));
    std::uint64_t address = 0;
    gpu_.call("cuMemAlloc_v2", &address, bytes);
    memory_.push_back(address);
    if (name == input.name) {
      gpu_.copy_in(reinterpret_cast<void*>(address), input.values.data(), input.values.size() * sizeof(float));
    }
    if (!context_->setTensorAddress(name, reinterpret_cast<void*>(address))) give_up("no memory for a tensor");
  }

  const ngb::plugin::CudaDevice& gpu_;
  Logger logger_;
  std::unique_ptr<nvinfer1::IRuntime> runtime_;
  std::unique_ptr<nvinfer1::ICudaEngine> engine_;
  std::unique_ptr<nvinfer1::IExecutionContext> context_;
  std::vector<std::uint64_t> memory_;
  void* stream_ = nullptr;
};

double median(Nanoseconds values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double median_of(int repetitions, const std::function<void()>& infer) {
  Nanoseconds all;
  for (int i = 0; i < repetitions; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    infer();
    all.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count());
  }
  return median(std::move(all));
}

nlohmann::json measure(Plugin& plugin, Bare& bare, int repetitions, int rounds) {
  Nanoseconds ours;
  Nanoseconds theirs;
  Nanoseconds events;
  const auto run_bare = [&] {
    bare.enqueue();
    bare.wait();
  };
  for (int round = -1; round < rounds; ++round) {  // the first warms up
    const double first = median_of(repetitions, [&] { plugin.run(); });
    const double second = median_of(repetitions, run_bare);
    const double on_gpu = bare.time_on_gpu_ns(repetitions);
    if (round < 0) continue;
    ours.push_back(first);
    theirs.push_back(second);
    events.push_back(on_gpu);
  }
  return {{"plugin_ns", ours}, {"bare_ns", theirs}, {"events_ns", events}, {"ratio", median(ours) / median(theirs)}};
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 7) give_up("PLUGIN TOOLCHAIN MODEL NAME=AxB REPETITIONS ROUNDS");
  Input input = read_input(arguments[4]);
  const std::string engine = std::filesystem::temp_directory_path() / ("enqueue-loop-" + std::to_string(::getpid()));
  const ngb::plugin::CudaDevice gpu("enqueue_loop", "spin");
  nlohmann::json told;
  {
    Plugin plugin(arguments[1], arguments[2], arguments[3], input, engine);
    Bare bare(gpu, engine, input);
    told = measure(plugin, bare, std::stoi(arguments[5]), std::stoi(arguments[6]));
  }
  std::filesystem::remove(engine);
  std::printf("%s\n", told.dump().c_str());
  return 0;
} catch (const std::exception& error) {
  give_up(error.what());
}
