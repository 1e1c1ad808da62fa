// SPDX-License-Identifier: Apache-2.0
#include "metrics/resampling.h"

namespace ngb::metrics {
namespace {

// 32 random bits -> 0 … size-1. The bias is below size / 2^32.
std::size_t index(std::uint64_t bits, std::size_t size) { return ((bits & 0xFFFFFFFFU) * size) >> 32U; }

// Sum of values.size() draws, two from each step of the generator.
double resampled_sum(std::span<const double> values, Generator& generator) {
  const std::size_t size = values.size();
  double first = 0;
  double second = 0;
  for (std::size_t pair = 0; pair < size / 2; ++pair) {
    const std::uint64_t bits = generator.next();
    first += values[index(bits >> 32U, size)];
    second += values[index(bits, size)];
  }
  if (size % 2 == 1) first += values[index(generator.next(), size)];
  return first + second;
}

}  // namespace

std::uint64_t seed_of(std::string_view cell_id) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char character : cell_id) {
    hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3ULL;
  }
  return hash;
}

std::vector<double> resampled_means(std::span<const std::vector<double>> by_process, std::uint64_t seed) {
  if (by_process.size() < 2) return {};
  Generator generator(seed);
  std::vector<double> means(kResamples);
  for (double& mean : means) {
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t draw = 0; draw < by_process.size(); ++draw) {
      const std::vector<double>& process = by_process[index(generator.next(), by_process.size())];
      sum += resampled_sum(process, generator);
      count += process.size();
    }
    mean = sum / static_cast<double>(count);
  }
  return means;
}

}  // namespace ngb::metrics
