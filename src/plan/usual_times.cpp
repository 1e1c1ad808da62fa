// SPDX-License-Identifier: Apache-2.0
#include "plan/usual_times.h"

#include <algorithm>
#include <array>

namespace ngb::plan {
namespace {

// From docs/matrix.md: compile times and throughput of 15 networks at batch 1, on one thread. Starting: a process of a
// small block on the same machine. TensorRT was never measured; a quarter of a minute is what its users report.
// compiler, start, compile, per million parameters, MACs per second, share of loading, import, only for GPUs
constexpr std::array kUsualTimes{
    UsualTimes{"null", 0.1, 0, 0, 1e15, 0, 0},
    UsualTimes{"identity", 0.2, 0.05, 0.006, 45e9, 0, 3},
    UsualTimes{"eager-cpp", 0.2, 0.1, 0.02, 45e9, 0, 3},
    UsualTimes{"torchscript", 0.2, 0.2, 0.03, 45e9, 0, 3},
    UsualTimes{"onnx", 0.2, 0.1, 0.02, 1e9, 0, 1},
    UsualTimes{"onnxruntime", 0.1, 0.03, 0.006, 75e9, 0, 0},
    UsualTimes{"openvino", 0.1, 0.1, 0.01, 75e9, 0, 0},
    UsualTimes{"xla", 1, 0.3, 0.08, 45e9, 0.6, 0},
    UsualTimes{"iree", 0.2, 1, 0.3, 8e9, 0.1, 2},
    UsualTimes{"torch-compile", 0.5, 15, 0.8, 65e9, 0.16, 4},
    UsualTimes{"aotinductor", 0.5, 20, 0.4, 65e9, 0.02, 4},
    UsualTimes{"tvm", 1.5, 0.5, 0.25, 0.7e9, 0.02, 0},
    UsualTimes{"tensorrt", 2, 15, 0.5, kGpuMacs_per_s, 0.02, 2, true},
    UsualTimes{"tensorrt-cpp", 2, 15, 0.5, kGpuMacs_per_s, 0.02, 0, true},
};
constexpr UsualTimes kTunedTvm{"tvm", 3, 5, 0.25, 40e9, 0.02};
constexpr UsualTimes kOther{};

}  // namespace

const UsualTimes& usual_times(std::string_view compiler, bool is_tuned) {
  if (compiler == kTunedTvm.compiler && is_tuned) return kTunedTvm;
  const auto* const found = std::find_if(kUsualTimes.begin(), kUsualTimes.end(),
                                         [&](const UsualTimes& row) { return row.compiler == compiler; });
  return found == kUsualTimes.end() ? kOther : *found;
}

bool computes_on_gpu(const work::Compiler& compiler) {
  if (usual_times(compiler.name, false).is_for_gpus) return true;
  constexpr std::array<std::string_view, 3> kGpus{R"("cuda")", R"("gpu")", R"("tensorrt")"};  // options are JSON texts
  return std::any_of(compiler.options.begin(), compiler.options.end(), [&](const auto& option) {
    const auto& [name, value] = option;
    return (name == "device" || name == "provider") && std::find(kGpus.begin(), kGpus.end(), value) != kGpus.end();
  });
}

}  // namespace ngb::plan
