// SPDX-License-Identifier: Apache-2.0
#include "worker/agreement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "worker/element.h"
#include "worker/inputs.h"

namespace ngb::worker {
namespace {

using samples::InputAgreement;

// A sample's part of an output.
struct Part {
  std::uint64_t begin = 0;
  std::uint64_t count = 0;
};

struct Sums {
  double scale = 1;    // a power of two by which elements are divided before they are squared
  double signal = 0;   // Σ b²
  double noise = 0;    // Σ (a - b)²
  double product = 0;  // Σ a·b
  double own = 0;      // Σ a²
  double largest_error = 0;
  std::uint64_t finite = 0;  // elements
  double top = -std::numeric_limits<double>::infinity();
  double exact_top = -std::numeric_limits<double>::infinity();
  std::uint64_t class_at = 0;
  std::uint64_t exact_class_at = 0;
};

std::vector<std::string> names_of(std::span<const OutputView> outputs) {
  std::vector<std::string> names;
  for (const OutputView& each : outputs) names.push_back(each.signature.name);
  return names;
}

std::string described(const TensorSignature& signature) {
  return fmt::format("{} [{}]", name(signature.type), fmt::join(signature.shape, ", "));
}

std::optional<std::string> why_unlike(const TensorSignature& ours, const TensorSignature& exact) {
  const bool are_alike = ours.type == exact.type || (is_floating(ours.type) && is_floating(exact.type));
  if (ours.shape == exact.shape && are_alike) return std::nullopt;
  return fmt::format("output \"{}\" is {}, the exact model's \"{}\" is {}", ours.name, described(ours), exact.name,
                     described(exact));
}

bool is_batched(const OutputView& output, int batch) {
  return !output.signature.shape.empty() && output.signature.shape.front() == batch;
}

bool has_classes(const TensorSignature& output) {
  if (!is_floating(output.type) || output.shape.size() < 2) return false;
  return std::count_if(output.shape.begin() + 1, output.shape.end(), [](std::int64_t extent) { return extent > 1; }) ==
         1;
}

// Returns the power of two at or below the largest finite number of both; 1 if there is none but 0.
template <class At, class ExactAt>
double scale_of(const Part& part, At&& at, ExactAt&& exact_at) {
  double largest = 0;
  for (std::uint64_t i = part.begin; i < part.begin + part.count; ++i) {
    for (const double each : {static_cast<double>(at(i)), static_cast<double>(exact_at(i))}) {
      if (std::isfinite(each)) largest = std::max(largest, std::fabs(each));
    }
  }
  return largest > 0 ? std::scalbn(1.0, std::ilogb(largest)) : 1;
}

// Adds the elements of the part. Returns the index of one that is not finite where the exact one is.
template <class At, class ExactAt>
std::optional<std::uint64_t> add_part(const Part& part, At&& at, ExactAt&& exact_at, Sums& sums) {
  for (std::uint64_t i = part.begin; i < part.begin + part.count; ++i) {
    if (std::isnan(exact_at(i))) continue;
    if (!std::isfinite(at(i)) || !std::isfinite(exact_at(i))) {
      if (at(i) != exact_at(i)) return i;
      continue;
    }
    const double a = at(i) / sums.scale;
    const double b = exact_at(i) / sums.scale;
    ++sums.finite;
    sums.signal += b * b;
    sums.noise += (a - b) * (a - b);
    sums.product += a * b;
    sums.own += a * a;
    sums.largest_error = std::max(sums.largest_error, std::fabs(a - b));
    if (a > sums.top) {
      sums.top = a;
      sums.class_at = i;
    }
    if (b > sums.exact_top) {
      sums.exact_top = b;
      sums.exact_class_at = i;
    }
  }
  return std::nullopt;
}

void keep_least(std::optional<double>& least, double value) { least = std::min(least.value_or(value), value); }

void add_sums(const Sums& sums, bool of_classes, InputAgreement& input) {
  const double largest_error = std::min(sums.largest_error * sums.scale, std::numeric_limits<double>::max());
  input.max_absolute_error = std::max(input.max_absolute_error.value_or(0), largest_error);
  if (of_classes && sums.finite == 0) input.is_not_finite = true;
  if (of_classes) input.decides_alike = input.decides_alike.value_or(true) && sums.class_at == sums.exact_class_at;
  if (sums.signal == 0) return;
  if (sums.noise > 0) keep_least(input.sqnr_db, 10 * std::log10(sums.signal / sums.noise));
  const double norms = std::sqrt(sums.signal) * std::sqrt(sums.own);
  keep_least(input.cosine, norms > 0 ? std::clamp(sums.product / norms, -1.0, 1.0) : 0);
}

// Counts the elements of real numbers in an input's outputs, and those of them that are finite.
struct RealNumbers {
  std::uint64_t all = 0;
  std::uint64_t finite = 0;
};

// Returns what cannot be compared. Integers are decisions: they are equal or not.
std::optional<std::string> add_output(const OutputView& output, const OutputView& exact, const Part& part,
                                      InputAgreement& input, RealNumbers& numbers) {
  if (!is_floating(exact.signature.type)) {
    const std::size_t width = size_bytes(exact.signature.type);
    const auto* const ours = static_cast<const char*>(output.data) + part.begin * width;
    const auto* const theirs = static_cast<const char*>(exact.data) + part.begin * width;
    const bool are_equal = std::memcmp(ours, theirs, part.count * width) == 0;
    input.decides_alike = input.decides_alike.value_or(true) && are_equal;
    return std::nullopt;
  }
  Sums sums;
  std::optional<std::string> wrong;
  with_reader(output.signature.type, output.data, [&](auto&& at) {
    with_reader(exact.signature.type, exact.data, [&](auto&& exact_at) {
      sums.scale = scale_of(part, at, exact_at);
      if (const auto i = add_part(part, at, exact_at, sums)) {
        wrong = fmt::format("element {} of output \"{}\" is {}, the exact model's is {}", *i, output.signature.name,
                            at(*i), exact_at(*i));
      }
    });
  });
  add_sums(sums, has_classes(exact.signature), input);
  numbers.all += part.count;
  numbers.finite += sums.finite;
  return wrong;
}

// Sets the rank of the element `of` among those of the part. Of equal ones the first counts as the highest; one that is
// not finite has the last rank.
void add_rank(const OutputView& output, const Part& part, std::uint64_t of, InputAgreement& input) {
  int rank = 1;
  bool is_any_finite = false;
  with_reader(output.signature.type, output.data, [&](auto&& at) {
    const double score = at(part.begin + of);
    for (std::uint64_t i = 0; i < part.count; ++i) {
      const double other = at(part.begin + i);
      if (!std::isfinite(other)) continue;
      is_any_finite = true;
      if (other > score || (other == score && i < of)) ++rank;
    }
    if (!std::isfinite(score)) rank = static_cast<int>(part.count);
  });
  input.label_rank = rank;
  if (!is_any_finite) input.is_not_finite = true;
}

}  // namespace

std::optional<std::string> add_label_ranks(std::span<const OutputView> outputs, std::span<const std::int64_t> labels,
                                           std::vector<InputAgreement>& inputs) {
  const auto scores =
      std::find_if(outputs.begin(), outputs.end(), [](const OutputView& each) { return has_classes(each.signature); });
  if (scores == outputs.end()) return "no output has classes, so labels say nothing; remove the key data";
  const std::uint64_t classes = scores->signature.element_count() / labels.size();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0 || static_cast<std::uint64_t>(labels[i]) >= classes) {
      return fmt::format("label {} is none of the {} classes of output \"{}\"", labels[i], classes,
                         scores->signature.name);
    }
    add_rank(*scores, {i * classes, classes}, static_cast<std::uint64_t>(labels[i]),
             inputs[inputs.size() - labels.size() + i]);
  }
  return std::nullopt;
}

std::optional<std::string> Agreement::add(std::span<const OutputView> outputs, std::span<const OutputView> exact) {
  if (outputs.size() != exact.size()) {
    return fmt::format("{} outputs, the exact model has {}", outputs.size(), exact.size());
  }
  const std::vector<std::size_t> places = places_of(names_of(outputs), names_of(exact));
  bool are_batched = true;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (auto other = why_unlike(outputs[i].signature, exact[places[i]].signature)) return other;
    are_batched = are_batched && is_batched(outputs[i], batch_);
  }
  const auto samples = are_batched ? static_cast<std::uint64_t>(batch_) : 1;
  for (std::uint64_t sample = 0; sample < samples; ++sample) {
    InputAgreement& input = inputs_.emplace_back();
    RealNumbers numbers;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::uint64_t count = outputs[i].signature.element_count() / samples;
      if (auto wrong = add_output(outputs[i], exact[places[i]], {sample * count, count}, input, numbers)) return wrong;
      compared_ += count;
    }
    if (numbers.all > 0 && numbers.finite == 0) input.is_not_finite = true;
    not_finite_ += numbers.all - numbers.finite;
  }
  return std::nullopt;
}

double Agreement::max_absolute_error() const {
  double largest = 0;
  for (const InputAgreement& input : inputs_) largest = std::max(largest, input.max_absolute_error.value_or(0));
  return largest;
}

}  // namespace ngb::worker
