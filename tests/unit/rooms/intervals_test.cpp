// SPDX-License-Identifier: Apache-2.0
// Ends of intervals are computed in src/metrics and src/statistics only: what shows a number shows the ends that it
// has. Else one ratio has several 95 % intervals.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"

namespace ngb::rooms {
namespace {

namespace fs = std::filesystem;

// A line that computes an end: a quantile, a sum of squared errors, or a function or an operation of `low` or `high`.
const std::regex kInScripts(R"(Math\.(sqrt|hypot)|\*\* ?2|Math\.(exp|log\w*|pow)\([^;]*\.(low|high)\b|)"
                            R"([-+*/] ?\w+\.(low|high)\b|\.(low|high) ?[-+*/])");
const std::regex kInPrograms(R"(students_t_quantile\(|half_width\(|hypot\(|)"
                             R"(std::(exp|log)\([^;]*(\.|->)(low|high|standard_error)\b)");

std::vector<std::string> lines_with(const std::vector<std::string>& folders, const std::vector<std::string>& endings,
                                    const std::regex& pattern) {
  std::vector<std::string> found;
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(NGB_SOURCE_DIR) / folder)) {
      const std::string ending = entry.path().extension().string();
      if (std::find(endings.begin(), endings.end(), ending) == endings.end()) continue;
      for (const std::string& line : text::split(file::read(entry.path()).value(), '\n')) {
        if (!text::trim(line).starts_with("//") && std::regex_search(line, pattern))
          found.push_back(entry.path().filename().string() + ": " + line);
      }
    }
  }
  return found;
}

TEST(Intervals, AreNotComputedByScripts) {
  EXPECT_EQ(lines_with({"src/report", "src/live"}, {".js"}, kInScripts), std::vector<std::string>{});
}

TEST(Intervals, AreNotComputedByWhatShowsThem) {
  EXPECT_EQ(lines_with({"src/report", "src/live", "src/bundle", "src/campaign", "src/explain", "src/paper", "apps"},
                       {".cpp", ".h"}, kInPrograms),
            std::vector<std::string>{});
}

TEST(Intervals, AreRecognizedWhereTheyAreComputed) {
  for (const char* const line :
       {"const down = Math.hypot(Math.log(a.value / a.low), Math.log(b.high / b.value));",
        "made.low = made.value * Math.exp(-spread((each) => Math.log(each.value / each.low)));",
        "const spread = Math.sqrt(ratios.reduce((sum, each) => sum + of(each) ** 2, 0));", "low: 1 / other.high,"}) {
    EXPECT_TRUE(std::regex_search(line, kInScripts)) << line;
  }
  for (const char* const line : {"const auto t = statistics::students_t_quantile(n - 1, 0.975);",
                                 "found.low = std::exp(contrast.interval->low);",
                                 "const double distance = std::log(*number.high / *number.low) / 2;"}) {
    EXPECT_TRUE(std::regex_search(line, kInPrograms)) << line;
  }
  for (const char* const line : {"if (low <= 1 && high >= 1) return usual;", "number.low.toFixed(digits)",
                                 "const gain = Math.log2(number.value) * (isLowerBetter(metric) ? -1 : 1);"}) {
    EXPECT_FALSE(std::regex_search(line, kInScripts)) << line;
  }
}

}  // namespace
}  // namespace ngb::rooms
