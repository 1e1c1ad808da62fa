// SPDX-License-Identifier: Apache-2.0
#include "probe/shared_cores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "probe/probe.h"

namespace ngb::probe {
namespace {

// A made-up machine on which processor n and n + `half` share a core. Of its tries, all but each third are disturbed:
// other programs make every processor half as fast.
class Machine {
 public:
  Machine(int half, bool is_disturbed) : half_(half), is_disturbed_(is_disturbed) {}
  std::vector<double> operator()(const std::vector<int>& busy) {
    const double pace = is_disturbed_ && ++tries_ % 3 != 0 ? 0.5 : 1;
    std::vector<double> speeds;
    for (const int each : busy) {
      const bool is_shared = std::any_of(busy.begin(), busy.end(), [&](int other) {
        return half_ > 0 && other != each && other % half_ == each % half_;
      });
      speeds.push_back(pace * (is_shared ? 0.5e9 : 1e9));
    }
    return speeds;
  }

 private:
  int half_;
  bool is_disturbed_;
  int tries_ = 0;
};

TEST(SharedCores, AreNoticedByTheSpeedOfTwoProcessorsAtOnce) {
  const auto found = shared_as_measured({0, 1, 2, 3, 4, 5, 6, 7}, Machine(4, false));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first, 0);
  EXPECT_EQ(found->second, 4);
  EXPECT_EQ(found->speed_ratio, 0.5);
}

TEST(SharedCores, AreNotInventedWhereOtherProgramsDisturbMostTries) {
  EXPECT_FALSE(shared_as_measured({0, 1, 2, 3}, Machine(0, true)));
  EXPECT_TRUE(shared_as_measured({0, 1, 2, 3}, Machine(2, true)));
}

TEST(SharedCores, AreNoneOfOneProcessorOrWhereNoThreadCanBePinned) {
  EXPECT_FALSE(shared_as_measured({3}));
  EXPECT_FALSE(shared_as_measured({0, 1}, [](const auto& busy) { return std::vector<double>(busy.size()); }));
}

TEST(SharedCores, AreReadFromTheTopologyWhereTheKernelShowsThem) {
  const std::vector<LogicalProcessor> processors{{0, 0}, {1, 1}, {8, 0}};
  const auto found = shared_as_told(processors);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first, 0);
  EXPECT_EQ(found->second, 8);
  EXPECT_FALSE(found->speed_ratio);
  EXPECT_FALSE(shared_as_told({{0, 0}, {1, 1}}));
}

TEST(SharedCores, AreMeasuredByThreadsThatComputeOnTheseProcessors) {
  const std::vector<double> speeds = speeds_of({allowed_cpus().front()});
  ASSERT_EQ(speeds.size(), 1U);
  EXPECT_GT(speeds[0], 1e7) << "multiplications a second";
}

}  // namespace
}  // namespace ngb::probe
