// SPDX-License-Identifier: Apache-2.0
// What a value costs, beside a copy of as many bytes, and what the facts of a model cost.
#include <benchmark/benchmark.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "zoo/recipe.h"
#include "zoo/weights.h"

namespace ngb::zoo {
namespace {

constexpr std::size_t kValues = 65536;  // 256 KB: what one write holds

void per_value(benchmark::State& state) {
  state.counters["time_per_value"] = benchmark::Counter(static_cast<double>(state.iterations()) * kValues,
                                                        benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kValues * sizeof(float)));
}

void generate_values(benchmark::State& state) {
  std::vector<std::byte> bytes(kValues * sizeof(float));
  const Fill fill{.radius = 0.1F, .balanced = state.range(0) != 0};
  for ([[maybe_unused]] const auto& iteration : state) {
    generate(1, fill, 0, bytes);
    benchmark::DoNotOptimize(bytes.data());
  }
  per_value(state);
}
BENCHMARK(generate_values)->ArgName("balanced")->Arg(0)->Arg(1);

void copy_as_many_bytes(benchmark::State& state) {
  const std::vector<std::byte> from(kValues * sizeof(float), std::byte{1});
  std::vector<std::byte> to(from.size());
  for ([[maybe_unused]] const auto& iteration : state) {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  per_value(state);
}
BENCHMARK(copy_as_many_bytes);

void facts_of(benchmark::State& state, const char* name) {
  const Recipe recipe = resolve(name, nlohmann::json::object(), 1).value();
  for ([[maybe_unused]] const auto& iteration : state) benchmark::DoNotOptimize(facts(recipe, 1));
}
BENCHMARK_CAPTURE(facts_of, resnet18, "resnet18")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(facts_of, resnet101, "resnet101")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace ngb::zoo
