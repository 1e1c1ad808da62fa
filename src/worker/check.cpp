// SPDX-License-Identifier: Apache-2.0
#include "worker/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>

#include "worker/element.h"

namespace ngb::worker {
namespace {

constexpr double kRareTimes = 10;
constexpr std::uint64_t kRareOf = 10'000;

struct Tally {
  std::uint64_t compared = 0;
  std::uint64_t finite = 0;
  std::uint64_t with_relative = 0;
  std::uint64_t weak = 0;  // of which a guess could be right: see compare()
  std::uint64_t outside = 0;
  std::uint64_t far_outside = 0;  // by more than kRareTimes the tolerance
  bool has_unmeasurable = false;  // NaN or infinity in one of a pair only
  double max_absolute = 0;
  double max_relative = 0;
  const char* noun = "";  // for the side that is compared with: "reference"
  std::string first_difference{};
};

std::string position(const TensorSignature& signature, std::uint64_t index) {
  std::vector<std::uint64_t> coordinates(signature.shape.size());
  for (std::size_t axis = coordinates.size(); axis-- > 0;) {
    const auto extent = static_cast<std::uint64_t>(signature.shape[axis]);
    coordinates[axis] = index % extent;
    index /= extent;
  }
  return fmt::format("[{}]", fmt::join(coordinates, ", "));
}

// Returns whether `a` agrees with the reference `b`, and adds the pair to the tally.
bool agree(double a, double b, const Tolerance& tolerance, Tally& tally) {
  if (std::isnan(b)) return true;
  if (!std::isfinite(a) || !std::isfinite(b)) {
    const bool same = a == b;
    if (!same) ++tally.far_outside;
    tally.has_unmeasurable = tally.has_unmeasurable || !same;
    return same;
  }
  const double error = std::fabs(a - b);
  ++tally.finite;
  if (std::fabs(b) <= tolerance.absolute && tolerance.absolute > 0) ++tally.weak;
  tally.max_absolute = std::max(tally.max_absolute, error);
  if (b != 0) {
    ++tally.with_relative;
    tally.max_relative = std::max(tally.max_relative, error / std::fabs(b));
  }
  const double allowed = tolerance.absolute + tolerance.relative * std::fabs(b);
  if (error > kRareTimes * allowed) ++tally.far_outside;
  return error <= allowed;
}

// Returns whether all 64 bits are equal, which agree() cannot see because it compares doubles.
bool equal_i64(const OutputView& output, const OutputView& expected, std::uint64_t index) {
  return std::memcmp(static_cast<const char*>(output.data) + 8 * index,
                     static_cast<const char*>(expected.data) + 8 * index, 8) == 0;
}

// Returns the largest finite |value|.
double largest_of(const OutputView& output) {
  double found = 0;
  with_reader(output.signature.type, output.data, [&](auto&& at) {
    for (std::uint64_t i = 0; i < output.signature.element_count(); ++i) {
      const double value = std::fabs(at(i));
      if (std::isfinite(value)) found = std::max(found, value);
    }
  });
  return found;
}

// Returns whether the output has one value throughout, which a compiler that computes nothing might return. A single
// element is such an output only if it is 0.
bool is_of_one_value(const OutputView& output) {
  return with_reader(output.signature.type, output.data, [&](auto&& at) {
    const std::uint64_t count = output.signature.element_count();
    if (count < 2) return count == 1 && at(0) == 0;
    for (std::uint64_t i = 1; i < count; ++i) {
      if (at(i) != at(0)) return false;
    }
    return true;
  });
}

Tolerance tolerance_of_output(const OutputView& expected, Tolerance asked) {
  if (!is_floating(expected.signature.type)) return {};
  if (asked.is_of_largest) asked.absolute *= largest_of(expected);
  return asked;
}

void compare_output(const OutputView& output, const OutputView& expected, const Tolerance& asked, Tally& tally) {
  const DataType type = expected.signature.type;
  const Tolerance tolerance = tolerance_of_output(expected, asked);
  const std::uint64_t count = expected.signature.element_count();
  const std::uint64_t weak = tally.weak;
  const std::uint64_t outside = tally.outside;
  const std::uint64_t far_outside = tally.far_outside;
  tally.compared += count;
  with_reader(type, output.data, [&](auto&& a) {
    with_reader(type, expected.data, [&](auto&& b) {
      for (std::uint64_t i = 0; i < count; ++i) {
        if (agree(a(i), b(i), tolerance, tally) && (type != DataType::i64 || equal_i64(output, expected, i))) continue;
        if (tally.outside++ == 0) {
          tally.first_difference = fmt::format("output \"{}\" is {} at {}, {} is {}", expected.signature.name, a(i),
                                               position(expected.signature, i), tally.noun, b(i));
        }
      }
    });
  });
  if (asked.is_of_largest) tally.weak = weak;  // a share of the largest value is never too large for all values
  if (is_of_one_value(expected)) tally.weak = weak + count;
  const bool are_rare = (tally.outside - outside) * kRareOf <= count && tally.far_outside == far_outside;
  if (asked.allows_rare && is_floating(type) && are_rare) tally.outside = outside;
}

// Returns what prevents any comparison of the outputs, if anything does.
std::optional<std::string> mismatch(std::span<const OutputView> outputs, std::span<const OutputView> reference,
                                    const char* noun) {
  if (outputs.size() != reference.size()) {
    return fmt::format("{} outputs, {} has {}", outputs.size(), noun, reference.size());
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const TensorSignature& ours = outputs[i].signature;
    const TensorSignature& theirs = reference[i].signature;
    if (ours.type != theirs.type || ours.shape != theirs.shape) {
      return fmt::format("output \"{}\" is {} [{}], {} is {} [{}]", theirs.name, name(ours.type),
                         fmt::join(ours.shape, ", "), noun, name(theirs.type), fmt::join(theirs.shape, ", "));
    }
  }
  return std::nullopt;
}

// Returns whether the outputs agree if only the order of their elements counts, not their shapes.
bool agree_but_for_shapes(std::span<const OutputView> outputs, std::span<const OutputView> reference,
                          const Tolerance& tolerance) {
  const auto are_alike = [](const OutputView& ours, const OutputView& theirs) {
    return ours.signature.type == theirs.signature.type &&
           ours.signature.element_count() == theirs.signature.element_count();
  };
  if (!std::equal(outputs.begin(), outputs.end(), reference.begin(), reference.end(), are_alike)) return false;
  Tally tally;
  for (std::size_t i = 0; i < outputs.size(); ++i) compare_output(outputs[i], reference[i], tolerance, tally);
  return tally.outside == 0;
}

Known<double> largest(double value, std::uint64_t over, bool has_unmeasurable) {
  if (has_unmeasurable) return Known<double>::unknown("NaN or infinity in one output only");
  if (over == 0) return Known<double>::unknown("no pair of finite numbers to compare");
  return Known<double>::of(value);
}

}  // namespace

Tolerance tolerance_for(const work::Tolerances& asked, const std::string& arithmetic,
                        std::span<const OutputView> reference) {
  struct Row {
    std::string_view arithmetic;
    double share;
  };
  // From the coarsest on.
  constexpr std::array kRows{Row{"int8", 0.05}, Row{"bf16", 0.05}, Row{"f16", 0.01}};
  Tolerance tolerance{asked.absolute.value_or(1e-4), asked.relative.value_or(1e-3)};
  tolerance.allows_rare = !asked.absolute && !asked.relative;
  for (const Row& row : kRows) {
    const bool has_type = std::any_of(reference.begin(), reference.end(), [&](const OutputView& output) {
      return name(output.signature.type) == row.arithmetic;
    });
    const bool is_floating_type = row.arithmetic != "int8";
    if (arithmetic != row.arithmetic && !(has_type && is_floating_type)) continue;
    tolerance.is_of_largest = !asked.absolute;
    tolerance.absolute = asked.absolute.value_or(row.share);
    tolerance.relative = asked.relative.value_or(row.share);
    if (!asked.absolute || !asked.relative) tolerance.arithmetic = row.arithmetic;
    break;
  }
  return tolerance;
}

std::string describe(const Tolerance& tolerance) {
  return fmt::format("{:g}{} + {:g}·|reference|{}", tolerance.absolute,
                     tolerance.is_of_largest ? "·largest |reference|" : "", tolerance.relative,
                     tolerance.arithmetic.empty() ? "" : fmt::format(" ({})", tolerance.arithmetic));
}

std::string describe_nan(std::span<const OutputView> outputs) {
  std::uint64_t all = 0;
  std::uint64_t not_finite = 0;
  std::string first;
  for (const OutputView& output : outputs) {
    with_reader(output.signature.type, output.data, [&](auto&& at) {
      for (std::uint64_t i = 0; i < output.signature.element_count(); ++i, ++all) {
        const double value = at(i);
        if (std::isfinite(value)) continue;
        ++not_finite;
        if (!std::isnan(value) || !first.empty()) continue;
        first = fmt::format("output \"{}\" is nan at {}", output.signature.name, position(output.signature, i));
      }
    });
  }
  if (first.empty()) return {};
  return fmt::format("{}; {} of {} elements are not finite", first, not_finite, all);
}

std::string describe_other_shape(std::span<const OutputView> outputs, const std::vector<TensorSignature>& declared) {
  for (const OutputView& output : outputs) {
    const TensorSignature& ours = output.signature;
    const auto same =
        std::find_if(declared.begin(), declared.end(), [&](const auto& each) { return each.name == ours.name; });
    if (same == declared.end()) continue;
    const bool fits =
        std::equal(ours.shape.begin(), ours.shape.end(), same->shape.begin(), same->shape.end(),
                   [](std::int64_t extent, std::int64_t there) { return there == kOpenExtent || extent == there; });
    if (fits) continue;
    std::vector<std::string> words;
    for (const std::int64_t extent : same->shape) words.push_back(extent < 0 ? "any" : std::to_string(extent));
    return fmt::format("output \"{}\" has the shape [{}], the file declares [{}]", ours.name,
                       fmt::join(ours.shape, ", "), fmt::join(words, ", "));
  }
  return {};
}

Verdict compare(std::span<const OutputView> outputs, std::span<const OutputView> reference,
                const std::string& reference_name, const Tolerance& tolerance, const char* noun) {
  Verdict verdict;
  verdict.check.reference = reference_name;
  verdict.difference = mismatch(outputs, reference, noun);
  verdict.is_comparable = !verdict.difference;
  verdict.differs_in_shape_only = verdict.difference && agree_but_for_shapes(outputs, reference, tolerance);
  if (verdict.differs_in_shape_only) *verdict.difference += "; the values agree";
  Tally tally{.noun = noun};
  if (!verdict.difference) {
    for (std::size_t i = 0; i < outputs.size(); ++i) compare_output(outputs[i], reference[i], tolerance, tally);
  }
  verdict.check.compared_elements = tally.compared;
  if (!verdict.difference) {
    verdict.check.finite_elements = tally.finite;
    verdict.check.small_elements = tally.weak;
  }
  verdict.check.tolerance = describe(tolerance);
  verdict.check.max_absolute_error = largest(tally.max_absolute, tally.finite, tally.has_unmeasurable);
  verdict.check.max_relative_error = largest(tally.max_relative, tally.with_relative, tally.has_unmeasurable);
  if (tally.outside == 0) return verdict;
  verdict.difference = fmt::format("{}; {} of {} elements differ by more than {}", tally.first_difference,
                                   tally.outside, tally.compared, describe(tolerance));
  return verdict;
}

}  // namespace ngb::worker
