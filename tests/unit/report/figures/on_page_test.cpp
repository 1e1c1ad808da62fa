// SPDX-License-Identifier: Apache-2.0
#include "report/figures/on_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json_text.h"
#include "made_up_results.h"
#include "report/figures/specification.h"
#include "report/looks.h"

namespace ngb::report::figures {
namespace {

using made_up::cell_with;
using made_up::ResultsOf;
using nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr MostRows kMost{.in_table = 1'000, .drawn = 1'200};

const std::filesystem::path kRepository = NGB_SOURCE_DIR;

Made made_called(const ResultsOf& results, std::string_view name) {
  for (const Made& made : make_figures(results.selection()).made) {
    if (made.figure->name == name) return made;
  }
  throw std::invalid_argument("not made: " + std::string(name));
}

std::vector<std::string> texts_of(const std::vector<page::Field>& fields) {
  std::vector<std::string> texts;
  for (const page::Field& field : fields) texts.push_back(field.text);
  return texts;
}

// Returns all texts of the JSON that are colours.
std::set<std::string> colours_of(const ordered_json& json) {
  std::set<std::string> colours;
  if (json.is_string() && json.get<std::string>().starts_with('#')) colours.insert(json.get<std::string>());
  if (json.is_structured()) {
    for (const ordered_json& each : json) colours.merge(colours_of(each));
  }
  return colours;
}

TEST(FiguresOnThePage, HaveTheirDataWithSevenDigits) {
  const ResultsOf results({cell_with({.batch = 4}, {1'000.0 / 3}),
                           made_up::cell_that_failed({.compiler = "tvm"}, samples::FailureKind::crash)});
  const page::Figure figure = on_page(made_called(results, "throughput_by_batch"), kMost);
  EXPECT_EQ(figure.title, "Throughput by batch size");
  ASSERT_EQ(figure.rows.size(), 2U);
  EXPECT_TRUE(figure.has_all_rows);
  EXPECT_THAT(texts_of(figure.rows[0]),
              ElementsAre("resnet18", "local", "resnet18", "", "", "4", "PyTorch eager (identity 1.0)", "333.3333", "",
                          "", "measured", ""));
  EXPECT_TRUE(figure.rows[0][5].is_number);
  EXPECT_FALSE(figure.rows[0][4].is_number) << "an empty text";
  EXPECT_TRUE(figure.rows[1][7].is_number) << "an unknown number";
  EXPECT_EQ(figure.rows[1][7].text, "");
}

TEST(FiguresOnThePage, KeepTheSpecificationApartFromTheData) {
  const ResultsOf results({cell_with({}, {100}), cell_with({.compiler = "openvino"}, {200})});
  const page::Figure figure = on_page(made_called(results, "throughput_by_batch"), kMost);
  const ordered_json kept = json_text::parse_ordered(figure.specification);
  // The table has the rows. They lack where the marks of each are: two compilers share half of a step of batch size 1.
  EXPECT_EQ(kept.at("datasets").dump(), R"({"places":{"columns":["at"],"rows":[[-0.125],[0.125]]}})");
  EXPECT_EQ(kept.at("title").at("text"), "Throughput by batch size");
}

TEST(FiguresOnThePage, DrawTheFirstPanelsAndEveryNthRepetitionOfMany) {
  std::vector<store::CellData> cells;
  for (int i = 0; i < 10; ++i) {
    store::CellData& cell = cells.emplace_back(cell_with({.model = fmt::format("model {}", i)}, {}));
    cell.processes = {made_up::process(0, std::vector<double>(400, 1.0))};
    cell.planned_processes = 1;
  }
  const ResultsOf results(cells);
  const page::Figure figure = on_page(made_called(results, "samples"), kMost);
  // 200 of the 400 repetitions of each of the first 6 cells.
  const ordered_json drawn = json_text::parse_ordered(figure.specification).at("datasets").at("drawn");
  EXPECT_EQ(drawn.at("rows").size(), 1'200U);
  EXPECT_THAT(figure.reading,
              testing::EndsWith(" 1200 of 4000 rows are drawn here; ngb report RESULTS --figures svg draws "
                                "more of them."));
  EXPECT_FALSE(figure.has_all_rows);
  EXPECT_THAT(figure.rows, testing::IsEmpty()) << "its rows are said once";
}

TEST(FiguresOnThePage, SayOnceWhatIsAsInTheRowAbove) {
  const ResultsOf results({cell_with({.batch = 1}, {100}), cell_with({.batch = 2}, {250})});
  const page::Figure figure = on_page(made_called(results, "throughput_by_batch"), {.in_table = 1, .drawn = 10});
  const ordered_json drawn = json_text::parse_ordered(figure.specification).at("datasets").at("drawn");
  EXPECT_EQ(
      drawn.at("columns").dump(),
      R"(["panel","device","model","model_group","model_style","batch","compiler","throughput_per_s","low","high",)"
      R"("state","reason","at"])");
  EXPECT_EQ(
      drawn.at("rows").at(0).dump(),
      R"json(["resnet18","local","resnet18","","",1,"PyTorch eager (identity 1.0)",100.0,null,null,"measured","",0.0])json");
  EXPECT_EQ(drawn.at("rows").at(1).dump(), R"([[],[],[],[],[],2,[],250.0,null,null,[],[],1.0])");
}

// A colour that the page knows follows the reader's appearance.
TEST(FiguresOnThePage, HaveOnlyColoursThatThePageKnows) {
  const std::string css = file::read(kRepository / "src/report/page/page.css").value();
  std::set<std::string> used = colours_of(theme().at("config"));
  for (const Figure& figure : all_figures()) used.merge(colours_of(figure.specification));
  used.erase("#ffffff");  // the background, and texts on the heat map's own colours
  used.erase("#000000");
  ASSERT_GT(used.size(), 10U);
  for (const std::string& colour : used) {
    EXPECT_THAT(css, HasSubstr(fmt::format(".drawing [fill=\"{}\"] {{ fill: var(--", colour)));
    EXPECT_THAT(css, HasSubstr(fmt::format(".drawing [stroke=\"{}\"] {{ stroke: var(--", colour)));
  }
}

TEST(FiguresOnThePage, HaveTheLightColoursOfThePage) {
  const std::string css = file::read(kRepository / "src/report/page/page.css").value();
  const ordered_json colours = theme().at("config").at("range").at("category");
  for (std::size_t i = 0; i < static_cast<std::size_t>(kColours); ++i) {
    const auto colour = colours.at(i).get<std::string>();
    EXPECT_THAT(css, HasSubstr(fmt::format("--c{}: {};", i, colour)));
    EXPECT_THAT(css, HasSubstr(fmt::format("[fill=\"{}\"] {{ fill: var(--c{}); }}", colour, i)));
  }
}

}  // namespace
}  // namespace ngb::report::figures
