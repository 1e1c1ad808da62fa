// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "metrics/series/cell_groups.h"
#include "metrics/series/relation.h"
#include "metrics/series/workload.h"
#include "statistics/verdict.h"

namespace ngb::metrics::series {
namespace {

using store::CellData;

// A test of the order of two cells.
struct Test {
  std::size_t a = 0;
  std::size_t b = 0;
  double estimate = 0;        // of log(T_a / T_b)
  std::optional<double> p{};  // two-sided; empty if no test was possible
};

using ByBatch = std::map<int, std::size_t>;     // batch size -> index of the test
using BySide = std::map<std::string, ByBatch>;  // device, or device and compiler -> …
using ByPair = std::map<std::string, BySide>;   // the two models, or the two compilers and their model -> …

// One comparison of two orders.
struct Compared {
  Between between = Between::device_compilers;
  std::size_t one = 0;  // indices of tests
  std::size_t other = 0;
  double p = 1;
};

// Collects all orders of one kind and compares them.
class Tests {
 public:
  Tests(const Analysis& analysis, Ranked ranked) : analysis_(analysis), ranked_(ranked) {}

  // Adds the order of two cells that were measured side by side.
  void add(const std::string& pair, const std::string& side, std::size_t a, std::size_t b) {
    pairs_[pair][side].emplace(analysis_.cell(a).of.model.key.batch, tests_.size());
    tests_.push_back({a, b});
  }

  // Returns how many comparisons compare() makes, if all sides have the same batch sizes.
  [[nodiscard]] std::size_t count() const {
    std::size_t sum = 0;
    for (const auto& [pair, sides] : pairs_) {
      for (const auto& [side, batches] : sides) {
        sum += batches.size() * (sides.size() - 1) / 2 + batches.size() * (batches.size() - 1) / 2;
      }
    }
    return sum;
  }

  void compare(std::vector<Compared>& found) {
    test_all();
    for (const auto& [pair, sides] : pairs_) {
      for (auto side = sides.begin(); side != sides.end(); ++side) {
        for (auto other = std::next(side); other != sides.end(); ++other) {
          compare_sides(side->second, other->second, found);
        }
        compare_batches(side->second, found);
      }
    }
  }

  [[nodiscard]] Reversal reversal(const Compared& compared, double adjusted_p) const {
    const bool is_one_faster = tests_[compared.one].estimate > 0;
    return {ranked_, compared.between, ordering(is_one_faster ? compared.one : compared.other),
            ordering(is_one_faster ? compared.other : compared.one), adjusted_p};
  }

 private:
  void test_all() {
    std::vector<Question> questions;
    std::vector<statistics::Context> contexts;
    for (Test& test : tests_) {
      questions.push_back(log_ratio(analysis_, test.a, test.b).parts);
      contexts.push_back(context_of(analysis_, test.a, test.b));
      for (const statistics::Part& part : questions.back())
        test.estimate += part.weight * statistics::mean(part.values);
    }
    const auto p_values = statistics::unadjusted_p_values(questions, {}, contexts);
    for (std::size_t i = 0; i < tests_.size(); ++i) tests_[i].p = p_values[i];
  }

  // Returns the p value of "these two orders are not opposite", or nothing if one could not be tested.
  [[nodiscard]] std::optional<double> p_of_opposites(std::size_t one, std::size_t other) const {
    const Test& a = tests_[one];
    const Test& b = tests_[other];
    if (!a.p || !b.p) return std::nullopt;
    return a.estimate * b.estimate < 0 ? std::max(*a.p, *b.p) : 1.0;
  }

  void add_if_tested(Between between, std::size_t one, std::size_t other, std::vector<Compared>& found) const {
    if (const auto p = p_of_opposites(one, other)) found.push_back({between, one, other, *p});
  }

  void compare_sides(const ByBatch& side, const ByBatch& other, std::vector<Compared>& found) const {
    for (const auto& [batch, test] : side) {
      const auto beside = other.find(batch);
      if (beside != other.end()) add_if_tested(between_sides(), test, beside->second, found);
    }
  }

  void compare_batches(const ByBatch& batches, std::vector<Compared>& found) const {
    for (auto one = batches.begin(); one != batches.end(); ++one) {
      for (auto other = std::next(one); other != batches.end(); ++other) {
        add_if_tested(Between::batch_sizes, one->second, other->second, found);
      }
    }
  }

  [[nodiscard]] Between between_sides() const {
    return ranked_ == Ranked::models ? Between::device_compilers : Between::devices;
  }

  [[nodiscard]] Ordering ordering(std::size_t test) const {
    const Test& found = tests_[test];
    return {found.a, found.b, ratio_value(analysis_, log_ratio(analysis_, found.a, found.b))};
  }

  const Analysis& analysis_;
  Ranked ranked_;
  std::vector<Test> tests_{};
  ByPair pairs_{};
};

// Calls `use` with each two cells of a group, in the order of their names, so that it is the same in all groups.
template <class NameOf, class Use>
void each_pair(const Analysis& analysis, Cells cells, const NameOf& name_of, const Use& use) {
  std::sort(cells.begin(), cells.end(),
            [&](std::size_t a, std::size_t b) { return name_of(analysis.cell(a)) < name_of(analysis.cell(b)); });
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (std::size_t j = i + 1; j < cells.size(); ++j) use(cells[i], cells[j]);
  }
}

template <class KeyOf>
std::map<std::string, Cells> measured_by(const Analysis& analysis, const KeyOf& key_of) {
  std::map<std::string, Cells> groups;
  for (std::size_t i = 0; i < analysis.size(); ++i) {
    const Steady& steady = analysis.steady(i);
    if (steady.reason.empty() && steady.no_verdict.empty()) groups[key_of(analysis.cell(i))].push_back(i);
  }
  return groups;
}

void add_models(const Analysis& analysis, double size_factor, Tests& tests) {
  const auto side_of = [&](const CellData& cell) { return place_of(cell) + '\n' + analysis.settings().of(cell); };
  const auto key = [&](const CellData& cell) { return fmt::format("{}\n{}", side_of(cell), cell.of.model.key.batch); };
  for (const auto& [name, cells] : measured_by(analysis, key)) {
    each_pair(
        analysis, cells, [](const CellData& cell) -> const std::string& { return cell.of.model.key.hash; },
        [&](std::size_t a, std::size_t b) {
          const CellData& one = analysis.cell(a);
          const CellData& other = analysis.cell(b);
          if (!are_alike_in_size(one, other, size_factor)) return;
          tests.add(one.of.model.key.hash + '\n' + other.of.model.key.hash, side_of(one), a, b);
        });
  }
}

void add_compilers(const Analysis& analysis, Tests& tests) {
  for (const auto& [name, cells] : measured_by(analysis, key_of_workload)) {
    const auto setting_of = [&](const CellData& cell) { return analysis.settings().of(cell); };
    each_pair(analysis, cells, setting_of, [&](std::size_t a, std::size_t b) {
      const CellData& one = analysis.cell(a);
      tests.add(fmt::format("{}\n{}\n{}", one.of.model.key.hash, setting_of(one), setting_of(analysis.cell(b))),
                place_of(one), a, b);
    });
  }
}

}  // namespace

Orders find_reversals(const Analysis& analysis, double size_factor, double error_rate) {
  Orders orders;
  Tests models(analysis, Ranked::models);
  Tests compilers(analysis, Ranked::compilers);
  add_models(analysis, size_factor, models);
  add_compilers(analysis, compilers);
  orders.are_too_many = models.count() + compilers.count() > kMostOrders;
  if (orders.are_too_many) return orders;
  std::vector<Compared> compared;
  models.compare(compared);
  const std::size_t of_models = compared.size();
  compilers.compare(compared);
  orders.looked_at = compared.size();
  std::vector<double> p_values;
  for (const Compared& each : compared) p_values.push_back(each.p);
  const std::vector<double> adjusted = statistics::benjamini_hochberg_adjusted(p_values);
  for (std::size_t i = 0; i < compared.size(); ++i) {
    if (adjusted[i] < error_rate) {
      orders.reversals.push_back((i < of_models ? models : compilers).reversal(compared[i], adjusted[i]));
    }
  }
  return orders;
}

}  // namespace ngb::metrics::series
