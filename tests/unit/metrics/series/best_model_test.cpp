// SPDX-License-Identifier: Apache-2.0
#include "metrics/series/best_model.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

namespace ngb::metrics::series {
namespace {

// Cells of made-up speeds, in samples/s, of three processes that differ by 0.1 %.
class Models {
 public:
  Models& add(const std::string& model, const std::string& device, double per_s,
              const std::string& compiler = "quick") {
    return add_rounds(model, device, {per_s / 1.001, per_s, 1.001 * per_s}, compiler);
  }
  Models& add_rounds(const std::string& model, const std::string& device, const std::vector<double>& per_s,
                     const std::string& compiler = "quick", std::optional<work::Rounds> rounds = {}) {
    store::CellData& cell = cells_.emplace_back();
    cell.of.device = device;
    cell.of.compiler.name = cell.of.compiler.label = compiler;
    cell.of.model.key.hash = cell.of.model.label = model;
    cell.rounds = rounds;
    Steady& steady = steady_.emplace_back();
    for (const double each : per_s) {
      steady.throughput_by_process.push_back({1, static_cast<int>(steady.throughput_by_process.size()), each});
    }
    return *this;
  }

  // Returns the models of each race, the leader first, each with "!" behind it that is out.
  [[nodiscard]] std::vector<std::string> races(const Goal& goal, const std::vector<bool>& allowed = {}) const {
    std::vector<const store::CellData*> cells;
    std::vector<const Steady*> steady;
    for (const store::CellData& each : cells_) cells.push_back(&each);
    for (const Steady& each : steady_) steady.push_back(&each);
    const Analysis analysis(cells, {}, steady);
    std::vector<std::string> told;
    for (const ModelRace& race :
         races_of_models(analysis, {}, goal, allowed.empty() ? std::vector<bool>(cells_.size(), true) : allowed)) {
      std::string& names = told.emplace_back();
      for (const Contender& each : race.contenders) {
        names += analysis.cell(each.cell).of.model.label + (each.is_out() ? "! " : " ");
      }
      if (goal.across == Across::each) continue;
      names += std::to_string(*value_of(analysis, {}, goal, race.contenders.front()).value);
    }
    return told;
  }

 private:
  std::deque<store::CellData> cells_{};
  std::deque<Steady> steady_{};
};

using Told = std::vector<std::string>;

// By hand: worst 10 and 20; geometric means √1000 and √800.
TEST(BestModel, OverDevicesIsByTheWorstOrByTheMean) {
  Models models;
  models.add("wide", "xeon", 100).add("narrow", "xeon", 40).add("wide", "orin", 10).add("narrow", "orin", 20);
  EXPECT_EQ(models.races({}), (Told{"wide narrow! ", "narrow wide! "}));
  EXPECT_EQ(models.races({.across = Across::worst})[0].substr(0, 15), "narrow wide! 20");
  EXPECT_EQ(models.races({.across = Across::mean})[0].substr(0, 18), "wide narrow! 31.62");
  EXPECT_EQ(models.races({.on = {"orin"}}), (Told{"narrow wide! "}));
}

TEST(BestModel, HasItsBestSettingOnEachDevice) {
  Models models;
  models.add("wide", "xeon", 10).add("wide", "xeon", 100, "other").add("narrow", "xeon", 50);
  EXPECT_EQ(models.races({}), (Told{"wide narrow! "}));
  EXPECT_EQ(models.races({}, {true, false, true}), (Told{"narrow wide! "}));
}

TEST(BestModel, OverDevicesIsMeasuredOnEach) {
  Models models;
  models.add("wide", "xeon", 100).add("narrow", "xeon", 50).add("third", "xeon", 300).add("wide", "orin", 10);
  models.add("narrow", "orin", 8);
  EXPECT_EQ(models.races({.across = Across::worst})[0].substr(0, 13), "wide narrow! ");
}

// With fewer than three processes nothing is told, unless the rounds were over models: then half the speed is.
TEST(BestModel, IsToldAfterOneRoundIfRoundsWereOverModels) {
  const work::Rounds over_models{.min = 1, .over = work::Over::models};
  Models fixed;
  fixed.add_rounds("wide", "xeon", {100}).add_rounds("narrow", "xeon", {50});
  EXPECT_EQ(fixed.races({}), (Told{"wide narrow "}));
  Models adaptive;
  adaptive.add_rounds("wide", "xeon", {100, 101, 99}, "quick", over_models);
  adaptive.add_rounds("narrow", "xeon", {50}, "quick", over_models);
  adaptive.add_rounds("near", "xeon", {96, 99}, "quick", over_models);
  EXPECT_EQ(adaptive.races({}), (Told{"wide near narrow! "}));
}

}  // namespace
}  // namespace ngb::metrics::series
