// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

namespace ngb::work {

// The environment variables that set the number of threads of common libraries.
inline constexpr std::array<const char*, 5> kThreadVariables{
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "TVM_NUM_THREADS"};

}  // namespace ngb::work
