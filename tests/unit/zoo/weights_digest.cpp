// SPDX-License-Identifier: Apache-2.0
// Prints a digest of every model's tensors: names, shapes, and the values (of large tensors the first and last 65,536).
// Needs nothing but the C++ library, so that it can be built for another processor and run there.
#include <cstdio>
#include <vector>

#include "zoo/family.h"
#include "zoo/graph.h"
#include "zoo/weights.h"

namespace {

using namespace ngb::zoo;

constexpr std::uint64_t kSeed = 1;
constexpr std::uint64_t kEnds = 65536;

std::uint64_t digest = 0;

void add(const void* data, std::size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < size; ++i) digest = (digest ^ bytes[i]) * 0x100000001B3ULL;  // FNV-1a
}

void add_values(const Initializer& initializer, std::uint64_t first, std::uint64_t count) {
  const Fill* fill = std::get_if<Fill>(&initializer.content);
  std::vector<std::byte> bytes(count * sizeof(float));
  generate(tensor_key(kSeed, initializer.tensor.name), *fill, first, bytes);
  add(bytes.data(), bytes.size());
}

void add(const Initializer& initializer) {
  add(initializer.tensor.name.data(), initializer.tensor.name.size());
  add(initializer.tensor.shape.data(), initializer.tensor.shape.size() * sizeof(std::int64_t));
  const std::uint64_t count = initializer.tensor.element_count();
  if (std::holds_alternative<Fill>(initializer.content)) {
    add_values(initializer, 0, count <= 2 * kEnds ? count : kEnds);
    if (count > 2 * kEnds) add_values(initializer, count - kEnds, kEnds);
  } else if (const auto* floats = std::get_if<std::vector<float>>(&initializer.content)) {
    add(floats->data(), floats->size() * sizeof(float));
  } else {
    const auto& integers = std::get<std::vector<std::int64_t>>(initializer.content);
    add(integers.data(), integers.size() * sizeof(std::int64_t));
  }
}

bool print(const Family& family, const Variant* variant) {
  const auto parameters = complete({&family, variant}, nlohmann::json::object());
  Graph graph;
  if (!parameters || !family.build(*parameters, 1, graph)) return false;
  digest = 0xCBF29CE484222325ULL;
  for (const Initializer& initializer : graph.initializers()) add(initializer);
  std::printf("%s %016llx\n", (variant == nullptr ? family.name : variant->name).c_str(),
              static_cast<unsigned long long>(digest));
  return true;
}

}  // namespace

int main() {
  for (const Family& family : families()) {
    if (!print(family, nullptr)) return 1;
    for (const Variant& variant : family.variants) {
      if (!print(family, &variant)) return 1;
    }
  }
  return 0;
}
