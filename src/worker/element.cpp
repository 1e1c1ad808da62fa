// SPDX-License-Identifier: Apache-2.0
#include "worker/element.h"

namespace ngb::worker {

float float_from_half(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16U;
  const std::uint32_t exponent = (bits >> 10U) & 0x1FU;
  const std::uint32_t fraction = bits & 0x3FFU;
  if (exponent == 0x1FU) return std::bit_cast<float>(sign | 0x7F800000U | (fraction << 13U));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112U) << 23U) | (fraction << 13U));
  const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
  return sign != 0 ? -magnitude : magnitude;
}

float float_from_bfloat(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U); }

std::uint16_t half_from_float(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16U) & 0x8000U);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7E00U);
  const float magnitude = std::fabs(value);
  if (magnitude >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7C00U);
  // Below 2^-14, halves are multiples of 2^-24; above, they have 11 significant bits.
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int unit = magnitude < 0x1p-14F ? -24 : exponent - 11;
  const auto multiple = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -unit)));
  if (magnitude < 0x1p-14F) return static_cast<std::uint16_t>(sign | multiple);
  const auto biased = static_cast<std::uint32_t>(exponent + 14);
  return static_cast<std::uint16_t>(sign | ((biased << 10U) + (multiple - 0x400U)));
}

std::uint16_t bfloat_from_float(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
}

}  // namespace ngb::worker
