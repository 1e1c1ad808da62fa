// SPDX-License-Identifier: Apache-2.0
// A loop as anybody would write it over ExecuTorch's Module, for idioms/edge_loop.py, which has opened its libraries.
#include <executorch/extension/module/module.h>
#include <executorch/runtime/platform/runtime.h>

#include "bare_loop.h"

namespace et = ::executorch;

// Fills `times_ns`. Returns ExecuTorch's number of the error, 0 on success.
extern "C" __attribute__((visibility("default"))) int bare_executorch(const char* program, void* input,
                                                                      const std::int32_t* shape, int rank, int warm_ups,
                                                                      int repetitions, std::int64_t* times_ns) {
  et::runtime::runtime_init();
  et::extension::Module module(program, et::extension::Module::LoadMode::File);
  std::vector<et::aten::TensorImpl::SizesType> sizes(shape, shape + rank);
  std::vector<et::aten::TensorImpl::DimOrderType> order;
  std::vector<et::aten::TensorImpl::StridesType> strides(sizes.size(), 1);
  for (int axis = 0; axis < rank; ++axis) order.push_back(static_cast<et::aten::TensorImpl::DimOrderType>(axis));
  for (std::size_t axis = sizes.size() - 1; axis > 0; --axis) strides[axis - 1] = strides[axis] * sizes[axis];
  et::aten::TensorImpl held(et::aten::ScalarType::Float, rank, sizes.data(), input, order.data(), strides.data());
  const et::runtime::EValue value{et::aten::Tensor(&held)};
  for (int i = -warm_ups; i < repetitions; ++i) {
    const std::int64_t begin_ns = bare::now_ns();
    const auto result = module.forward(value);
    const std::int64_t end_ns = bare::now_ns();
    if (!result.ok()) return static_cast<int>(result.error());
    if (i >= 0) times_ns[i] = end_ns - begin_ns;
  }
  return 0;
}
