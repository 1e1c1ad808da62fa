// SPDX-License-Identifier: Apache-2.0
#include "probe/gpu.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <functional>

#include "base/environment.h"

namespace ngb::probe {
namespace {

using samples::Reading;

// These declarations repeat NVML's interface, which is stable: names with _v2 keep their meaning.
using Device = void*;
struct Utilisation {
  unsigned gpu_percent;
  unsigned memory_percent;
};
struct Memory {
  unsigned long long total_bytes;
  unsigned long long free_bytes;
  unsigned long long used_bytes;
};
constexpr unsigned kStreamingMultiprocessors = 1;  // NVML_CLOCK_SM
constexpr unsigned kMemoryClock = 2;               // NVML_CLOCK_MEM
constexpr unsigned kGpuSensor = 0;                 // NVML_TEMPERATURE_GPU

// Returns the PCI address of CUDA's first GPU, "0000:65:00.0", or "" if this process has not begun to use CUDA. It
// neither loads the driver nor begins to use it.
std::string first_cuda_gpu() {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  void* const ask = driver == nullptr ? nullptr : ::dlsym(driver, "cuDeviceGetPCIBusId");
  std::array<char, 32> text{};
  const auto size = static_cast<int>(text.size() - 1);
  const bool is_known = ask != nullptr && reinterpret_cast<int (*)(char*, int, int)>(ask)(text.data(), size, 0) == 0;
  return is_known ? text.data() : "";
}

class Nvml {
 public:
  // The library is never closed: the driver stays loaded as long as the process lives.
  explicit Nvml(const std::string& library) : handle_(::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) {
      why_not_ = fmt::format("no NVIDIA driver: no {}", library);
      return;
    }
    if (const int status = call("nvmlInit_v2"); status != 0) {
      why_not_ = "no NVIDIA driver: " + explain(status);
      return;
    }
    choose_device();
  }

  // Returns why NVML cannot be asked, or an empty text if it can.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  [[nodiscard]] Device device() const { return device_; }

  template <class... Arguments>
  int call(const char* name, Arguments... arguments) const {
    constexpr int kFunctionNotFound = 13;  // NVML's status for "not found"
    void* const symbol = ::dlsym(handle_, name);
    return symbol == nullptr ? kFunctionNotFound : reinterpret_cast<int (*)(Arguments...)>(symbol)(arguments...);
  }

  [[nodiscard]] std::string explain(int status) const {
    void* const symbol = ::dlsym(handle_, "nvmlErrorString");
    const char* text = symbol == nullptr ? nullptr : reinterpret_cast<const char* (*)(int)>(symbol)(status);
    return text == nullptr ? fmt::format("NVML status {}", status) : fmt::format("NVML says: {}", text);
  }

 private:
  // Chooses the only GPU or, of several, the one that CUDA_VISIBLE_DEVICES names by its UUID, which NVML knows too, or
  // that CUDA uses as its first. CUDA may number GPUs in another order than NVML.
  void choose_device() {
    unsigned count = 0;
    if (const int status = call("nvmlDeviceGetCount_v2", &count); status != 0 || count == 0) {
      why_not_ = status != 0 ? explain(status) : "the NVIDIA driver shows no GPU";
      return;
    }
    int status = 0;
    const std::string chosen = environment::variable("CUDA_VISIBLE_DEVICES");
    if (chosen.starts_with("GPU-") && chosen.find(',') == std::string::npos) {
      status = call("nvmlDeviceGetHandleByUUID", chosen.c_str(), &device_);
    } else if (count == 1) {
      status = call("nvmlDeviceGetHandleByIndex_v2", 0U, &device_);
    } else if (const std::string address = first_cuda_gpu(); !address.empty()) {
      status = call("nvmlDeviceGetHandleByPciBusId_v2", address.c_str(), &device_);
    } else {
      why_not_ = fmt::format(
          "{} GPUs; this process does not use CUDA, and CUDA_VISIBLE_DEVICES does not name one by its UUID", count);
      return;
    }
    if (status != 0) why_not_ = explain(status);
  }

  void* handle_;
  Device device_ = nullptr;
  std::string why_not_;
};

// Calls `question`, and returns the value that it wrote or the error that NVML reports.
template <class T>
Known<double> ask(const Nvml& nvml, const std::function<int(T&)>& question,
                  const std::function<double(const T&)>& value) {
  T answer{};
  const int status = question(answer);
  return status == 0 ? Known<double>::of(value(answer)) : Known<double>::unknown(nvml.explain(status));
}

// Returns the number that a function of the device yields, times `scale`.
template <class... Arguments>
Known<double> number(const Nvml& nvml, const char* function, double scale, Arguments... arguments) {
  return ask<unsigned>(
      nvml, [&](unsigned& answer) { return nvml.call(function, nvml.device(), arguments..., &answer); },
      [scale](const unsigned& answer) { return answer * scale; });
}

Known<double> utilisation(const Nvml& nvml, unsigned Utilisation::* part) {
  return ask<Utilisation>(
      nvml, [&](Utilisation& answer) { return nvml.call("nvmlDeviceGetUtilizationRates", nvml.device(), &answer); },
      [part](const Utilisation& answer) { return answer.*part; });
}

Known<double> memory(const Nvml& nvml, unsigned long long Memory::* part) {
  return ask<Memory>(
      nvml, [&](Memory& answer) { return nvml.call("nvmlDeviceGetMemoryInfo", nvml.device(), &answer); },
      [part](const Memory& answer) { return static_cast<double>(answer.*part); });
}

// Returns what the GPU has taken since its driver was loaded (Volta and newer).
Known<double> energy(const Nvml& nvml) {
  constexpr double kMillijoule = 1e-3;
  return ask<unsigned long long>(
      nvml,
      [&](unsigned long long& answer) {
        return nvml.call("nvmlDeviceGetTotalEnergyConsumption", nvml.device(), &answer);
      },
      [](const unsigned long long& answer) { return static_cast<double>(answer) * kMillijoule; });
}

}  // namespace

std::vector<Reading> gpu_readings(const std::string& library) {
  constexpr double kMegahertz = 1e6;
  constexpr double kMilliwatt = 1e-3;
  const Nvml nvml(library);
  if (!nvml.why_not().empty()) {
    return {{"gpu_utilisation", "percent", "", Known<double>::unknown(nvml.why_not())}};
  }
  return {
      {"gpu_utilisation", "percent", "", utilisation(nvml, &Utilisation::gpu_percent)},
      {"gpu_memory_utilisation", "percent", "", utilisation(nvml, &Utilisation::memory_percent)},
      {"gpu_memory_used", "bytes", "", memory(nvml, &Memory::used_bytes)},
      {"gpu_memory_total", "bytes", "", memory(nvml, &Memory::total_bytes)},
      {"gpu_frequency", "hz", "", number(nvml, "nvmlDeviceGetClockInfo", kMegahertz, kStreamingMultiprocessors)},
      {"gpu_max_frequency", "hz", "", number(nvml, "nvmlDeviceGetMaxClockInfo", kMegahertz, kStreamingMultiprocessors)},
      {"gpu_memory_frequency", "hz", "", number(nvml, "nvmlDeviceGetClockInfo", kMegahertz, kMemoryClock)},
      {"gpu_temperature", "celsius", "", number(nvml, "nvmlDeviceGetTemperature", 1, kGpuSensor)},
      {"gpu_power", "watt", "", number(nvml, "nvmlDeviceGetPowerUsage", kMilliwatt)},
      {"gpu_energy", "joule", "", energy(nvml)}};
}

std::map<std::string, std::string> gpu_facts(const std::string& library) {
  const Nvml nvml(library);
  std::map<std::string, std::string> facts;
  std::array<char, 256> text{};
  const auto size = static_cast<unsigned>(text.size() - 1);
  if (!nvml.why_not().empty()) return facts;
  if (nvml.call("nvmlDeviceGetName", nvml.device(), text.data(), size) == 0) facts["gpu_name"] = text.data();
  text = {};
  if (nvml.call("nvmlSystemGetDriverVersion", text.data(), size) == 0) facts["gpu_driver"] = text.data();
  return facts;
}

}  // namespace ngb::probe
