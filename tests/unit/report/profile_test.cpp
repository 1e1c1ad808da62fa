// SPDX-License-Identifier: Apache-2.0
#include "report/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "../metrics/made_up_cells.h"
#include "base/file.h"
#include "base/json_text.h"
#include "report/formats.h"
#include "written.h"

namespace ngb::report {
namespace {

using testing::HasSubstr;

// Batch 4, an inference in 20 ms in both processes: 200 samples/s. 1 s of timed phase at 65 W.
store::CellData profiled() {
  const std::vector<double> times_ms(50, 20.0);
  store::CellData cell = made_up::cell_of("fast", 4, {made_up::process(0, times_ms), made_up::process(1, times_ms)});
  for (store::RecordedProcess& each : cell.processes) {
    each.readings = {{"package_power", "watt", "timed", Known<double>::of(65)},
                     {"idle_package_power", "watt", "start", Known<double>::of(15)},
                     {"gpu_mean_power", "watt", "timed", Known<double>::of(200)}};
    each.made_with.worker_sha256 = "aa";
    each.made_with.manifest_sha256 = "bb";
  }
  return cell;
}

ProfileRow row_of(const store::CellData& cell, const CostPerHour& costs = {}) {
  const std::vector<store::CellData> cells{cell};
  const auto values = made_up::values_of(cells);
  return profile_row(cells.front(), all_results(cells, values), costs);
}

TEST(Profile, HasTheMetricsOfAConfigurationWithTheirIntervals) {
  const ProfileRow row = row_of(profiled());
  EXPECT_EQ(row.at("compiler").value, "fast");
  EXPECT_EQ(row.at("batch").value, 4);
  EXPECT_NEAR(row.at("throughput_per_s").value.get<double>(), 200, 1e-9);
  EXPECT_TRUE(row.at("throughput_per_s").low);
  EXPECT_NEAR(row.at("latency_p50_s").value.get<double>(), 0.02, 1e-12);
  EXPECT_EQ(row.at("latency_p99_s").reason, "needs 662 repetitions, has 100");
  EXPECT_EQ(row.at("timed_peak_bytes").value, 90'000'000);
  EXPECT_EQ(row.at("open_peak_bytes").reason, "no open phase");
  EXPECT_EQ(row.at("toolchain_sha256").value, "bb");
}

TEST(Profile, HasTheEnergyOfOneMeterAndItsName) {
  store::CellData cell = profiled();
  EXPECT_NEAR(row_of(cell).at("energy_per_inference_j").value.get<double>(), 1.3, 1e-9);
  EXPECT_NEAR(row_of(cell).at("net_energy_per_inference_j").value.get<double>(), 1.0, 1e-9);
  EXPECT_EQ(row_of(cell).at("energy_source").value, "RAPL: the processor packages");
  cell.of.compute_device = Known<std::string>::of("gpu");
  EXPECT_NEAR(row_of(cell).at("energy_per_inference_j").value.get<double>(), 4.0, 1e-9);  // 200 W, the GPU's alone
  EXPECT_EQ(row_of(cell).at("energy_source").value, "NVML: the GPU alone");
  EXPECT_EQ(row_of(cell).at("net_energy_per_inference_j").reason, "the power of the idle GPU is not measured");
  for (store::RecordedProcess& each : cell.processes) each.readings.clear();
  EXPECT_TRUE(row_of(cell).at("energy_source").is_empty());
  EXPECT_EQ(row_of(cell).at("energy_source").reason, "no process recorded gpu_mean_power");
}

// 0.36 an hour are 0.0001 a second, and an inference takes 0.02 s: 2 for a million of them.
TEST(Profile, HasTheCostOfAMillionInferencesIfTheDeviceHasOne) {
  const ProfileRow row = row_of(profiled(), {{"local", 0.36}});
  EXPECT_NEAR(row.at("cost_per_million_inferences").value.get<double>(), 2.0, 1e-9);
  EXPECT_THAT(row_of(profiled()).at("cost_per_million_inferences").reason, HasSubstr("no cost_per_hour"));
}

TEST(Profile, HasAReasonForEachNumberOfACellThatIsNotMeasured) {
  const ProfileRow row = row_of(made_up::cell("fast", 1), {{"local", 1}});
  for (std::size_t i = 0; i < row.row.entries.size(); ++i) {
    const ProfileColumn& column = profile_columns()[i];
    if (!column.column.has_reason || column.name() == "cost_per_hour") continue;
    EXPECT_TRUE(row.row.entries[i].is_empty()) << column.name();
    EXPECT_NE(row.row.entries[i].reason, "") << column.name();
  }
}

TEST(Profile, IsPrintedInEachFormatWithEachColumn) {
  const Document document = profile_document({row_of(profiled())});
  for (const std::string& name : profile_formats()) {
    const Format& format = *find_format(name, profile_formats()).value();
    const std::string text = format.write(document, {.width = 0});
    if (format.is_for_people) {
      EXPECT_THAT(text, HasSubstr("200.0 [200.0, 200.0]")) << name;
      continue;
    }
    for (const ProfileColumn& column : profile_columns()) EXPECT_THAT(text, HasSubstr(column.name())) << name;
    EXPECT_THAT(text, HasSubstr("needs 662 repetitions, has 100"));
  }
  const auto json = json_text::parse(to_json(document));
  EXPECT_EQ(json["rows"][0]["batch"], 4);
  EXPECT_EQ(json["rows"][0]["settings"], nlohmann::json::object());
  EXPECT_EQ(json["rows"][0]["latency_p99_s"]["value"], nullptr);
}

TEST(Profile, HasAColumnOfLoadsForPeopleWhereThereIsOne) {
  const auto shows_loads = [](const store::CellData& cell) {
    const Document document = profile_document({row_of(cell)});
    const auto& columns = document.table.columns;
    return std::any_of(columns.begin(), columns.end(),
                       [](const Column& each) { return each.heading == "load" && each.is_for_people; });
  };
  store::CellData cell = profiled();
  EXPECT_FALSE(shows_loads(cell));
  cell.of.load = "cpu: 50%";
  EXPECT_TRUE(shows_loads(cell));
}

TEST(ProfileDocumentation, IsUpToDate) {
  const auto page = std::filesystem::path(NGB_SOURCE_DIR) / "docs/profile.md";
  const std::string mark = "<!-- generated from src/report/profile.cpp -->\n\n";
  std::string text = file::read(page).value_or("");
  const std::size_t at = text.find(mark);
  ASSERT_NE(at, std::string::npos);
  const std::string expected = text.substr(0, at) + mark + profile_columns_markdown();
  if (std::getenv("NGB_UPDATE_DOCS") != nullptr) {
    ASSERT_TRUE(file::write_atomically(page, expected));
    text = expected;
  }
  EXPECT_EQ(text, expected) << "run report_test with NGB_UPDATE_DOCS=1";
}

}  // namespace
}  // namespace ngb::report
