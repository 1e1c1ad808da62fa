// SPDX-License-Identifier: Apache-2.0
#include "statistics/change_points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <utility>

namespace ngb::statistics {
namespace {

// Sums of distances |value - value|, in memory that is used again for each order of the values.
class Distances {
 public:
  std::optional<Split> best_split(std::span<const double> values) {
    const std::size_t count = values.size();
    if (count < 2 * kLeastSegment) return std::nullopt;
    know_inverses(count);
    sum_within(values);
    if (!(within_[count] > 0)) return std::nullopt;
    Split best;
    to_later_.assign(count, 0);
    for (std::size_t at = 1; at + kLeastSegment <= count; ++at) {
      add_to_later(values, at - 1);
      if (at >= kLeastSegment) try_ends(at, count, best);
    }
    return best.at == 0 ? std::nullopt : std::optional(best);
  }

 private:
  // within_[n] becomes the sum over all pairs of the first n values.
  void sum_within(std::span<const double> values) {
    within_.assign(values.size() + 1, 0);
    to_later_.assign(values.size(), 0);
    for (std::size_t place = 0; place < values.size(); ++place) {
      within_[place + 1] = within_[place] + to_later_[place];
      add_to_later(values, place);
    }
  }

  // to_later_[k] becomes the sum from all values up to `place` to the later value k. Before the call it is the sum from
  // those before `place`.
  void add_to_later(std::span<const double> values, std::size_t place) {
    const double value = values[place];
    for (std::size_t later = place + 1; later < values.size(); ++later)
      to_later_[later] += std::abs(value - values[later]);
  }

  // Compares the values before `at` with those from there to each end. It is the statistic without a division for each.
  void try_ends(std::size_t at, std::size_t count, Split& best) const {
    const auto n = static_cast<double>(at);
    const double before = 2 * within_[at] * inverse_[at - 1];
    double between = 0;
    for (std::size_t end = at + 1; end < at + kLeastSegment; ++end) between += to_later_[end - 1];
    for (std::size_t end = at + kLeastSegment; end <= count; ++end) {
      between += to_later_[end - 1];
      const std::size_t m = end - at;
      const double after = 2 * (within_[end] - within_[at] - between) * inverse_[m - 1];
      const double statistic = (2 * between - static_cast<double>(m) * before - n * after) * inverse_[end];
      if (statistic > best.statistic) best = {at, end, statistic};
    }
  }

  // inverse_[n] is 1 / n.
  void know_inverses(std::size_t count) {
    for (std::size_t n = inverse_.size(); n <= count; ++n) inverse_.push_back(n == 0 ? 0 : 1 / static_cast<double>(n));
  }

  std::vector<double> inverse_{};
  std::vector<double> within_{};
  std::vector<double> to_later_{};
};

struct Segment {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::optional<Split> split{};  // within the segment
};

// The generator's numbers are those of the standard, and so is the order: the same on every machine.
void shuffle(std::vector<double>& values, const Segment& segment, std::mt19937_64& random) {
  for (std::size_t i = segment.end - segment.begin; i > 1; --i)
    std::swap(values[segment.begin + i - 1], values[segment.begin + random() % i]);
}

double statistic_of(const std::optional<Split>& split) { return split ? split->statistic : 0; }

class Division {
 public:
  Division(std::span<const double> values, const ChangeRules& rules)
      : values_(values), rules_(rules), random_(rules.seed), segments_{{0, values.size(), {}}} {
    segments_.front().split = distances_.best_split(values);
  }

  // Divides the segment with the largest split. Returns nothing if the division is not significant.
  std::optional<ChangePoint> divide() {
    const auto largest =
        std::ranges::max_element(segments_, {}, [](const Segment& segment) { return statistic_of(segment.split); });
    if (!largest->split) return std::nullopt;
    const std::optional<double> p_value = significant_p(largest->split->statistic);
    if (!p_value) return std::nullopt;
    const ChangePoint change{largest->begin + largest->split->at, largest->split->statistic, *p_value};
    Segment after{change.at, largest->end, {}};
    after.split = distances_.best_split(values_.subspan(after.begin, after.end - after.begin));
    largest->end = change.at;
    largest->split = distances_.best_split(values_.subspan(largest->begin, largest->end - largest->begin));
    segments_.push_back(after);
    return change;
  }

 private:
  // Returns the p value if it is below the error rate. Orders that divide the values alike have equal statistics but
  // for rounding.
  std::optional<double> significant_p(double observed) {
    constexpr double kRelativeRounding = 1e-9;
    const double all = rules_.permutations + 1;
    int as_large = 1;
    for (int i = 0; i < rules_.permutations; ++i) {
      if (largest_of_an_order() >= observed * (1 - kRelativeRounding)) ++as_large;
      if (as_large >= rules_.error_rate * all) return std::nullopt;
    }
    return as_large / all;
  }

  double largest_of_an_order() {
    order_.assign(values_.begin(), values_.end());
    double largest = 0;
    for (const Segment& segment : segments_) {
      if (segment.end - segment.begin < 2 * kLeastSegment) continue;
      shuffle(order_, segment, random_);
      const auto part = std::span<const double>(order_).subspan(segment.begin, segment.end - segment.begin);
      largest = std::max(largest, statistic_of(distances_.best_split(part)));
    }
    return largest;
  }

  std::span<const double> values_;
  ChangeRules rules_;
  std::mt19937_64 random_;
  std::vector<Segment> segments_;
  std::vector<double> order_{};
  Distances distances_{};
};

}  // namespace

std::optional<Split> best_split(std::span<const double> values) { return Distances().best_split(values); }

std::vector<ChangePoint> change_points(std::span<const double> values, const ChangeRules& rules) {
  std::vector<ChangePoint> changes;
  if (values.size() < kLeastHistory) return changes;
  Division division(values, rules);
  while (const auto change = division.divide()) changes.push_back(*change);
  std::ranges::sort(changes, {}, &ChangePoint::at);
  return changes;
}

std::optional<double> least_change(std::size_t count, double deviation) {
  struct Simulated {
    double count;
    double step;  // in standard deviations, times the root of the count
  };
  constexpr std::array kSimulated{Simulated{8, 10.7}, Simulated{9, 9.7},   Simulated{10, 9.3}, Simulated{12, 8.8},
                                  Simulated{15, 8.6}, Simulated{20, 8.45}, Simulated{40, 8.4}};
  if (count < kLeastHistory) return std::nullopt;
  const auto asked = static_cast<double>(count);
  const auto* const after = std::ranges::find_if(kSimulated, [&](const Simulated& each) { return each.count > asked; });
  double step = kSimulated.back().step;
  if (after != kSimulated.end()) {
    const Simulated& before = *(after - 1);
    const double share = std::log(asked / before.count) / std::log(after->count / before.count);
    step = before.step + share * (after->step - before.step);
  }
  return deviation * step / std::sqrt(asked);
}

std::optional<double> deviation_within(std::span<const double> values, std::span<const ChangePoint> changes) {
  double squares = 0;
  std::size_t degrees = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= changes.size(); ++i) {
    const std::size_t end = i < changes.size() ? changes[i].at : values.size();
    const std::span<const double> segment = values.subspan(begin, end - begin);
    begin = end;
    const std::optional<double> deviation = standard_deviation(segment);
    if (!deviation) continue;
    degrees += segment.size() - 1;
    squares += *deviation * *deviation * static_cast<double>(segment.size() - 1);
  }
  if (degrees == 0) return std::nullopt;
  return std::sqrt(squares / static_cast<double>(degrees));
}

}  // namespace ngb::statistics
