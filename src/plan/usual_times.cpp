// SPDX-License-Identifier: Apache-2.0
#include "plan/usual_times.h"

#include <algorithm>
#include <array>

namespace ngb::plan {
namespace {

// From docs/matrix.md: compile times and throughput of 15 networks at batch 1, on one thread. Starting: a process of a
// small block on the same machine. TensorRT was never measured; a quarter of a minute is what its users report.
// compiler, start, compile, per million parameters, MACs per second, share of loading
constexpr std::array kUsualTimes{
    UsualTimes{"null", 0.1, 0, 0, 1e15, 0},
    UsualTimes{"identity", 0.5, 0.05, 0.006, 45e9},
    UsualTimes{"eager-cpp", 0.5, 0.1, 0.02, 45e9},
    UsualTimes{"torchscript", 0.5, 0.2, 0.03, 45e9},
    UsualTimes{"onnxruntime", 0.2, 0.03, 0.006, 75e9},
    UsualTimes{"openvino", 0.3, 0.1, 0.01, 75e9},
    UsualTimes{"xla", 3, 0.5, 0.08, 45e9, 0.6},
    UsualTimes{"iree", 0.5, 3, 0.15, 8e9},
    UsualTimes{"torch-compile", 1, 15, 0.8, 65e9},
    UsualTimes{"aotinductor", 1, 20, 0.4, 65e9, 0.02},
    UsualTimes{"tvm", 3, 1, 0.25, 0.7e9, 0.02},
    UsualTimes{"tensorrt", 2, 15, 0.5, 1e12, 0.02},
    UsualTimes{"tensorrt-cpp", 1, 15, 0.5, 1e12, 0.02},
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

}  // namespace ngb::plan
