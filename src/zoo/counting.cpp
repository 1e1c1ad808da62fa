// SPDX-License-Identifier: Apache-2.0
#include "zoo/counting.h"

namespace ngb::zoo {

std::optional<std::uint64_t> product(std::initializer_list<std::int64_t> factors) {
  std::uint64_t result = 1;
  for (const std::int64_t factor : factors) {
    if (factor < 0 || __builtin_mul_overflow(result, static_cast<std::uint64_t>(factor), &result)) return {};
  }
  return result;
}

Result<Counts> total(const std::vector<Layer>& layers) {
  Counts sum;
  bool fits = true;
  const auto add = [&](std::uint64_t& to, std::uint64_t what) {
    fits = !__builtin_add_overflow(to, what, &to) && fits;
  };
  for (const Layer& row : layers) {
    add(sum.parameters, row.parameters);
    add(sum.macs, row.macs);
    add(sum.macs_torchinfo, row.macs_torchinfo);
  }
  if (!fits) return fail("the model has more than 2^64 multiply-accumulates", {}, "choose smaller parameters");
  return sum;
}

}  // namespace ngb::zoo
