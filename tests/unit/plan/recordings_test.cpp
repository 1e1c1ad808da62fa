// SPDX-License-Identifier: Apache-2.0
// Holds the time that is left, as a run estimates it, against what recorded runs took. recordings/README.md tells how
// they were made.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "plan/time_left.h"
#include "plan_fixture.h"

namespace ngb::plan {
namespace {

using nlohmann::json;

// A recorded run. The first line of its file has the plan and its estimate; each other line has one event.
class Recording {
 public:
  explicit Recording(const std::filesystem::path& path) : name_(path.stem()) {
    std::ifstream lines(path);
    for (std::string line; std::getline(lines, line);) events_.push_back(json::parse(line));
    const json head = events_.front();
    events_.erase(events_.begin());
    plan_.study.protocol.turns = head.at("turns");
    ends_when_decided_ = head.at("ends_when_decided");
    estimate_.between_s["local"] = head.at("between_s");
    for (const json& cell : head.at("cells")) {
      plan_.cells.push_back({.device = "local", .model_index = cell.at(0)});
      estimate_.cells.push_back(
          {.first_s = cell.at(1), .look_s = cell.at(2), .other_s = cell.at(3), .basis = cell.at(4).get<Basis>()});
      left_.push_back(cell.at(5));
    }
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool ends_when_decided() const { return ends_when_decided_; }
  [[nodiscard]] double took_s() const { return events_.back().at(0); }

  struct Estimates {
    std::optional<double> at_a_third{};  // the time left, as a share of what was left
    double growth = 0;                   // of the time of the whole run, over the least that was estimated before
  };
  [[nodiscard]] Estimates replay() const {
    TimeLeft left(plan_, estimate_, left_);
    Estimates found;
    std::optional<double> least_s;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const double now_s = events_[i].at(0);
      apply(events_[i], left);
      if (ends_with_next(i) || !left.is_known()) continue;
      const double whole_s = now_s + left.seconds(now_s);
      if (least_s) found.growth = std::max(found.growth, whole_s / *least_s - 1);
      least_s = std::min(least_s.value_or(whole_s), whole_s);
      if (now_s >= took_s() / 3 && !found.at_a_third) found.at_a_third = (whole_s - now_s) / (took_s() - now_s);
    }
    return found;
  }

 private:
  // All processes of a round end together, and nobody is told of the time left in the middle of them.
  [[nodiscard]] bool ends_with_next(std::size_t i) const {
    constexpr double kTogether_s = 0.05;
    return i + 1 < events_.size() && events_[i].at(1) == "finish" && events_[i + 1].at(1) == "finish" &&
           events_[i + 1].at(0).get<double>() - events_[i].at(0).get<double>() < kTogether_s;
  }

  static void apply(const json& event, TimeLeft& left) {
    const std::string what = event.at(1);
    if (what == "work") left.work_on(event.at(2), event.at(0));
    if (what == "finish") left.finish(event.at(2), event.at(0), {event.at(3), event.at(4), event.at(5)});
    if (what == "lose") left.lose(event.at(2), event.at(0), event.at(3));
    if (what == "skip") left.skip(event.at(2), event.at(3));
  }

  std::string name_;
  Plan plan_{};
  Estimate estimate_{};
  std::vector<int> left_{};
  std::vector<json> events_{};
  bool ends_when_decided_ = false;
};

std::vector<Recording> recordings() {
  std::vector<Recording> all;
  for (const auto& each : std::filesystem::directory_iterator(NGB_SOURCE_DIR "/tests/unit/plan/recordings")) {
    if (each.path().extension() == ".jsonl") all.emplace_back(each.path());
  }
  std::ranges::sort(all, {}, &Recording::name);
  return all;
}

TEST(TimeLeft, IsWithinAQuarterOfWhatRecordedRunsTookAndDoesNotGrow) {
  std::vector<double> errors;
  const std::vector<Recording> all = recordings();
  ASSERT_GE(all.size(), 4U);
  for (const Recording& recording : all) {
    const Recording::Estimates found = recording.replay();
    ASSERT_TRUE(found.at_a_third) << recording.name();
    fmt::print("{:<24} took {:6.1f} s; at a third {:4.2f} of what was left; grew by {:4.1f} %{}\n", recording.name(),
               recording.took_s(), *found.at_a_third, 100 * found.growth,
               recording.ends_when_decided() ? " (at most)" : "");
    EXPECT_LE(found.growth, 0.25) << recording.name();
    if (recording.ends_when_decided())
      EXPECT_GE(*found.at_a_third, 0.75) << recording.name() << ": it is a bound";
    else
      errors.push_back(std::abs(*found.at_a_third - 1));
  }
  std::ranges::sort(errors);
  EXPECT_LE(errors.at(errors.size() / 2), 0.25);
}

}  // namespace
}  // namespace ngb::plan
