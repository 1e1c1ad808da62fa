// SPDX-License-Identifier: Apache-2.0
#include "worker/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "worker/element.h"

namespace ngb::worker {
namespace {

struct Tally {
  std::uint64_t compared = 0;
  std::uint64_t finite = 0;
  std::uint64_t with_relative = 0;
  std::uint64_t outside = 0;
  bool has_unmeasurable = false;  // NaN or infinity in one of a pair only
  double max_absolute = 0;
  double max_relative = 0;
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
  if (!std::isfinite(a) || !std::isfinite(b)) {
    const bool same = (std::isnan(a) && std::isnan(b)) || a == b;
    tally.has_unmeasurable = tally.has_unmeasurable || !same;
    return same;
  }
  const double error = std::fabs(a - b);
  ++tally.finite;
  tally.max_absolute = std::max(tally.max_absolute, error);
  if (b != 0) {
    ++tally.with_relative;
    tally.max_relative = std::max(tally.max_relative, error / std::fabs(b));
  }
  return error <= tolerance.absolute + tolerance.relative * std::fabs(b);
}

// Returns whether all 64 bits are equal, which agree() cannot see because it compares doubles.
bool equal_i64(const OutputView& output, const OutputView& expected, std::uint64_t index) {
  return std::memcmp(static_cast<const char*>(output.data) + 8 * index,
                     static_cast<const char*>(expected.data) + 8 * index, 8) == 0;
}

void compare_output(const OutputView& output, const OutputView& expected, const Tolerance& asked, Tally& tally) {
  const DataType type = expected.signature.type;
  const Tolerance tolerance = is_floating(type) ? asked : Tolerance{0, 0};
  const std::uint64_t count = expected.signature.element_count();
  tally.compared += count;
  with_reader(type, output.data, [&](auto&& a) {
    with_reader(type, expected.data, [&](auto&& b) {
      for (std::uint64_t i = 0; i < count; ++i) {
        if (agree(a(i), b(i), tolerance, tally) && (type != DataType::i64 || equal_i64(output, expected, i))) continue;
        if (tally.outside++ == 0) {
          tally.first_difference = fmt::format("output \"{}\" is {} at {}, the reference is {}",
                                               expected.signature.name, a(i), position(expected.signature, i), b(i));
        }
      }
    });
  });
}

// Returns what prevents any comparison of the outputs, if anything does.
std::optional<std::string> mismatch(std::span<const OutputView> outputs, std::span<const OutputView> reference) {
  if (outputs.size() != reference.size()) {
    return fmt::format("{} outputs, the reference has {}", outputs.size(), reference.size());
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const TensorSignature& ours = outputs[i].signature;
    const TensorSignature& theirs = reference[i].signature;
    if (ours.type != theirs.type || ours.shape != theirs.shape) {
      return fmt::format("output \"{}\" is {} [{}], the reference is {} [{}]", theirs.name, name(ours.type),
                         fmt::join(ours.shape, ", "), name(theirs.type), fmt::join(theirs.shape, ", "));
    }
  }
  return std::nullopt;
}

Known<double> largest(double value, std::uint64_t over, bool has_unmeasurable) {
  if (has_unmeasurable) return Known<double>::unknown("NaN or infinity in one output only");
  if (over == 0) return Known<double>::unknown("no pair of finite numbers to compare");
  return Known<double>::of(value);
}

}  // namespace

Verdict compare(std::span<const OutputView> outputs, std::span<const OutputView> reference,
                const std::string& reference_name, const Tolerance& tolerance) {
  Verdict verdict;
  verdict.check.reference = reference_name;
  verdict.difference = mismatch(outputs, reference);
  Tally tally;
  if (!verdict.difference) {
    for (std::size_t i = 0; i < outputs.size(); ++i) compare_output(outputs[i], reference[i], tolerance, tally);
  }
  verdict.check.compared_elements = tally.compared;
  if (!verdict.difference) verdict.check.finite_elements = tally.finite;
  verdict.check.max_absolute_error = largest(tally.max_absolute, tally.finite, tally.has_unmeasurable);
  verdict.check.max_relative_error = largest(tally.max_relative, tally.with_relative, tally.has_unmeasurable);
  if (tally.outside == 0) return verdict;
  verdict.difference =
      fmt::format("{}; {} of {} elements differ by more than {:g} + {:g}·|reference|", tally.first_difference,
                  tally.outside, tally.compared, tolerance.absolute, tolerance.relative);
  return verdict;
}

}  // namespace ngb::worker
