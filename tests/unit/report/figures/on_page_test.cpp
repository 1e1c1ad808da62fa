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
using testing::IsEmpty;
using testing::Not;

constexpr std::size_t kMostRows = 1'000;

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
  const page::Figure figure = on_page(made_called(results, "throughput_by_batch"), kMostRows).figure;
  EXPECT_EQ(figure.title, "Throughput by batch size");
  ASSERT_EQ(figure.rows.size(), 2U);
  EXPECT_TRUE(figure.has_all_rows);
  EXPECT_THAT(texts_of(figure.rows[0]), ElementsAre("resnet18", "local", "resnet18", "", "", "4", "identity 1.0",
                                                    "333.3333", "", "", "measured", ""));
  EXPECT_TRUE(figure.rows[0][5].is_number);
  EXPECT_FALSE(figure.rows[0][4].is_number) << "an empty text";
  EXPECT_TRUE(figure.rows[1][7].is_number) << "an unknown number";
  EXPECT_EQ(figure.rows[1][7].text, "");
}

TEST(FiguresOnThePage, KeepTheSpecificationApartFromTheData) {
  const ResultsOf results({cell_with({}, {100}), cell_with({.compiler = "openvino"}, {200})});
  const OnPage prepared = on_page(made_called(results, "throughput_by_batch"), kMostRows);
  const ordered_json kept = json_text::parse_ordered(prepared.figure.specification);
  // The table has the rows. They lack where the marks of each are: two compilers share half of a step of batch size 1.
  EXPECT_FALSE(kept.at("datasets").contains("rows"));
  EXPECT_EQ(kept.at("datasets").at("places").dump(), R"({"columns":["at"],"rows":[[-0.125],[0.125]]})");
  EXPECT_EQ(kept.at("title").at("text"), "Throughput by batch size");
  const ordered_json drawn = json_text::parse_ordered(prepared.to_draw);
  EXPECT_FALSE(drawn.contains("title")) << "the page has it as text";
  EXPECT_EQ(drawn.at("config").at("background"), "transparent");
  EXPECT_EQ(drawn.at("datasets").at("rows").size(), 2U);
  EXPECT_EQ(prepared.remark, "");
}

TEST(FiguresOnThePage, DrawTheFirstPanelsAndEveryNthRepetitionOfMany) {
  std::vector<store::CellData> cells;
  for (int i = 0; i < 10; ++i) {
    store::CellData& cell = cells.emplace_back(cell_with({.model = fmt::format("model {}", i)}, {}));
    cell.processes = {made_up::process(0, std::vector<double>(400, 1.0))};
    cell.planned_processes = 1;
  }
  const ResultsOf results(cells);
  const OnPage prepared = on_page(made_called(results, "samples"), kMostRows);
  // 200 of the 400 repetitions of each of the first 6 cells.
  EXPECT_EQ(json_text::parse_ordered(prepared.to_draw).at("datasets").at("rows").size(), 1'200U);
  EXPECT_EQ(prepared.remark, "The image has 1200 of 4000 rows; ngb report RESULTS --figures svg draws more of them.");
  EXPECT_EQ(prepared.figure.rows.size(), kMostRows);
  EXPECT_FALSE(prepared.figure.has_all_rows);
}

TEST(FiguresOnThePage, AreDrawnAsLongAsThePageStaysSmall) {
  const ResultsOf results(made_up::study_of_everything());
  std::vector<OnPage> prepared;
  for (const Made& made : make_figures(results.selection()).made) prepared.push_back(on_page(made, kMostRows));
  std::vector<std::string> images(prepared.size(), "<svg></svg>");
  images[1] = "<svg>" + std::string(kMostBytesOfImages, ' ') + "</svg>";
  const page::Figures figures = with_images(prepared, images);
  ASSERT_EQ(figures.shown.size(), prepared.size());
  EXPECT_THAT(figures.shown[0].image, HasSubstr("<svg><style>"));
  EXPECT_THAT(figures.shown[1].image, IsEmpty());
  EXPECT_THAT(figures.shown[1].reading, HasSubstr("It is not drawn here, because the page would become too large"));
  EXPECT_THAT(figures.shown[2].image, Not(IsEmpty()));
  EXPECT_THAT(with_images(prepared, {}).shown[0].image, IsEmpty());
}

TEST(FiguresOnThePage, HaveTwoDecimalsInTagsAndAllInTexts) {
  const ResultsOf results({cell_with({}, {100})});
  const std::vector<OnPage> prepared{on_page(made_called(results, "throughput_by_batch"), kMostRows)};
  const std::string svg = R"(<svg version="1.1"><path d="M12.98765,-0.5e-7L1.25,3"/><text>v 1.23456</text></svg>)";
  EXPECT_THAT(with_images(prepared, {svg}).shown[0].image,
              HasSubstr(R"(<path d="M12.98,-0.5e-7L1.25,3"/><text>v 1.23456</text></svg>)"));
}

TEST(FiguresOnThePage, TurnDarkWithTheReader) {
  const std::string svg = with_dark_colours(R"(<svg width="5"><path fill="#0072b2"/></svg>)");
  EXPECT_THAT(svg, HasSubstr(R"(<svg width="5"><style>@media (prefers-color-scheme:dark){)"));
  EXPECT_THAT(svg, HasSubstr(R"([fill="#0072b2"]{fill:#56a8e0}[stroke="#0072b2"]{stroke:#56a8e0})"));
}

TEST(FiguresOnThePage, HaveADarkFormOfEveryColour) {
  std::set<std::string> known{"#ffffff", "#000000"};  // the background, and texts on the heat map's own colours
  const ordered_json colours = theme();
  for (const auto& [light, dark] : colours.at("dark").items()) known.insert(light);
  std::set<std::string> used = colours_of(colours.at("config"));
  for (const Figure& figure : all_figures()) used.merge(colours_of(figure.specification));
  EXPECT_THAT(known, testing::IsSupersetOf(used));
}

TEST(FiguresOnThePage, HaveTheDarkColoursOfThePage) {
  const ordered_json colours = theme();
  const std::string css = file::read(kRepository / "src/report/page/page.css").value();
  const std::string dark_css = css.substr(css.find("@media screen and (prefers-color-scheme: dark)"));
  for (std::size_t i = 0; i < static_cast<std::size_t>(kColours); ++i) {
    const auto light = colours.at("config").at("range").at("category").at(i).get<std::string>();
    EXPECT_THAT(dark_css, HasSubstr(fmt::format("--c{}: {}", i, colours.at("dark").at(light).get<std::string>())));
  }
}

}  // namespace
}  // namespace ngb::report::figures
