// SPDX-License-Identifier: Apache-2.0
// The specifications of the paper's figures, and their images.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../report/figures/drawn_figures.h"
#include "../report/figures/figure_checks.h"
#include "base/json_text.h"
#include "paper_figures.h"

namespace ngb::paper::figures {
namespace {

using made_up::cell_with;
using made_up::made_called;
using made_up::ResultsOf;
using made_up::visit;
using nlohmann::ordered_json;
using report::figures::Made;
using testing::IsEmpty;

TEST(PaperSpecifications, AreMadeOfEveryFigureOfAStudyOfEverything) {
  const ResultsOf results(made_up::study_of_everything());
  const auto figures = figures_with(results);
  EXPECT_EQ(
      words_of(figures.left_out),
      "speed_and_agreement (no model is a variant of another), scaling (no compiler was measured on several numbers of "
      "processors), memory_over_inferences (no cell keeps memory of each inference), decoding_by_context, "
      "first_pass_by_context (no recipe that generates tokens was measured), visits_by_shape (no session has visited "
      "several shapes)");
  EXPECT_EQ(all_figures().size(), 9U);
  EXPECT_EQ(figures.made.size(), report::figures::all_figures().size() - 6 + 6) << "3 of the 9 have another name now";
  EXPECT_EQ(figures.made.back().figure->name, "figure12");
}

TEST(PaperSpecifications, KeepToWhatAllFiguresKeepTo) {
  made_up::expect_units_in_titles(all_figures(), "figure10");
  made_up::expect_only_columns(all_figures());
  made_up::expect_a_line_at_one(all_figures());
  made_up::expect_documentation(all_figures());
  const ResultsOf results(made_up::study_of_everything());
  made_up::expect_rows_with_columns(all_figures(), results.selection());
}

TEST(PaperSpecifications, DrawWhatIsPublishedInADashOfItsOwn) {
  const ResultsOf results({cell_with({}, {100, 101}), cell_with({.compiler = "openvino"}, {200, 201})});
  const auto figures = figures_with(results, {"paper: Xeon"});
  const ordered_json json = json_text::parse_ordered(made_called(figures, "figure6").specification);
  std::size_t channels = 0;
  visit(json, "", [&](const ordered_json& part, const std::string& key) {
    if (key != "strokeDash" || !part.contains("scale")) return;
    ++channels;
    EXPECT_EQ(part.at("scale").at("domain"), ordered_json::array({"openvino 1.0", "openvino (paper)", "tvm (paper)"}));
    EXPECT_EQ(part.at("scale").at("range"), ordered_json::parse("[[1,0],[6,2,1,2],[6,2,1,2]]"));
  });
  EXPECT_EQ(channels, 1U);
}

// Table VI: TensorRT takes 82.6 % off the processor of the Orin for Swins, and adds to that of the 4070 for ResNets.
TEST(PaperAxes, OfReductionsAreTheSameForAllDevicesAndFamilies) {
  const ResultsOf results({cell_with({}, {100, 101})});
  const auto figures = figures_with(results, {"paper: RTX 4070", "paper: Orin"});
  const ordered_json json = json_text::parse_ordered(made_called(figures, "figure12").specification);
  std::map<std::string, double> least;
  std::map<std::string, double> most;
  const ordered_json& rows = json.at("datasets").at("rows");
  for (const ordered_json& row : rows) {
    if (!row.at("percent").is_number()) continue;
    const auto quantity = row.at("quantity").get<std::string>();
    least.try_emplace(quantity, HUGE_VAL);
    least[quantity] = std::min(least[quantity], row.at("percent").get<double>());
    most[quantity] = std::max(most[quantity], row.at("percent").get<double>());
  }
  EXPECT_NEAR(most.at("CPU reduction (%)"), 82.6, 0.1);
  for (const ordered_json& row : rows) {
    if (!row.at("percent").is_number()) continue;
    EXPECT_EQ(row.at("shared_low"), least.at(row.at("quantity").get<std::string>()));
    EXPECT_EQ(row.at("shared_high"), most.at(row.at("quantity").get<std::string>()));
  }
}

// At batch 1 and 2 of one's own, the paper's 2-4 is at 2.83 and has a second line below the ticks.
TEST(PaperAxes, HaveTicksForWhatIsPublished) {
  std::vector<store::CellData> cells;
  for (const int batch : {1, 2}) {
    cells.push_back(cell_with({.batch = batch}, {100, 101}));
    cells.push_back(cell_with({.compiler = "openvino", .batch = batch}, {200, 201}));
  }
  const ResultsOf results(std::move(cells));
  const auto figures = figures_with(results, {"paper: Xeon"});
  const std::string figure6 = made_called(figures, "figure6").specification;
  EXPECT_THAT(figure6, testing::HasSubstr("'0': '1', '1': '2', '1.5': ['', '2-4']"));
}

TEST(PaperAxes, AreOfEachRowOfPanelsInPrint) {
  const ResultsOf results({cell_with({}, {100, 101})});
  const auto figures =
      figures_with(results, {"paper: RTX 4070", "paper: Orin"}, {.width_px = report::figures::kPagePx});
  const ordered_json json = json_text::parse_ordered(made_called(figures, "figure12").specification);
  std::vector<std::string> rows;
  for (const ordered_json& view : json.at("vconcat")) rows.push_back(view.at("title").at("text")[0]);
  EXPECT_THAT(rows,
              testing::ElementsAre("CPU use (%), local", "CPU use (%), paper: Orin", "CPU reduction (%), paper: Orin",
                                   "CPU use (%), paper: RTX 4070", "CPU reduction (%), paper: RTX 4070"));
  EXPECT_FALSE(json.contains("resolve")) << "use and reduction share no axis";
}

using DrawnPaperFigures = made_up::DrawnFigures;

// Without those of report, which its own tests draw.
report::figures::Figures papers_own(report::figures::Figures figures) {
  std::erase_if(figures.made, [](const Made& made) { return !made.figure->name.starts_with("figure"); });
  return figures;
}

TEST_F(DrawnPaperFigures, AreImagesOfEveryFigureWithoutAWarning) {
  const ResultsOf results(made_up::study_of_everything());
  EXPECT_THAT(draw_all(papers_own(figures_with(results)), "svg"), IsEmpty());
}

TEST_F(DrawnPaperFigures, AreAsWideAsTheColumnOrThePageThatTheyAreMadeFor) {
  const ResultsOf results(made_up::study_of_everything());
  // A heading is above the figure: each is drawn at one width.
  for (const auto& [width_px, inches, has_heading] :
       {std::tuple{report::figures::kColumnPx, 3.5, false}, {report::figures::kPagePx, 7.16, true}}) {
    const auto figures = papers_own(figures_with(results, {"paper: Xeon", "paper: Orin"}, {width_px, has_heading}));
    EXPECT_THAT(draw_all(figures, "pdf", width_px), IsEmpty());
    for (const Made& made : figures.made) expect_sheets(made, inches);
  }
}

// "1.00" takes 19.5 pixels; ten compilers in a column leave little room, and the blocks that were not measured take
// some.
TEST_F(DrawnPaperFigures, KeepNumbersInNarrowCellsApart) {
  std::vector<store::CellData> cells;
  for (int i = 0; i < 10; ++i) {
    for (const int batch : {1, 2}) {
      made_up::Of of{.model = "conv_block 64 1", .compiler = fmt::format("compiler {}", i), .batch = batch};
      of.family = "conv_block";
      of.parameters = R"({"depth":1,"width":64})";
      cells.push_back(cell_with(of, made_up::around(100.0 * batch)));
    }
  }
  const ResultsOf results(std::move(cells));
  auto figures = figures_with(results, {}, {.width_px = report::figures::kColumnPx});
  std::erase_if(figures.made, [](const Made& made) { return made.figure->name != "figure10"; });
  ASSERT_THAT(draw_all(figures, "svg", report::figures::kColumnPx), IsEmpty());
  const std::string svg = file::read(file_of(figures.made.at(0), "svg")).value();
  const std::regex number(R"re(translate\(([\d.]+),[\d.]+\)"[^>]*>1\.00<)re");
  std::set<double> places;  // of the middle of a number, within its panel
  for (auto found = std::sregex_iterator(svg.begin(), svg.end(), number); found != std::sregex_iterator(); ++found) {
    places.insert(std::stod((*found)[1]));
  }
  ASSERT_EQ(places.size(), 2U) << "a column for each batch size";
  EXPECT_GE(*places.rbegin() - *places.begin(), 20);
}

TEST_F(DrawnPaperFigures, SayWhyAPanelIsEmpty) {
  std::vector<store::CellData> cells = made_up::study_of_everything();
  std::erase_if(cells, [](const store::CellData& cell) { return cell.of.model.family == "mha_block"; });
  const ResultsOf results(std::move(cells));
  for (const int width_px : {0, report::figures::kColumnPx, report::figures::kPagePx}) {
    auto figures = figures_with(results, {}, {.width_px = width_px});
    std::erase_if(figures.made,
                  [](const Made& made) { return made.figure->name != "figure10" && made.figure->name != "figure11"; });
    draw_all(figures, "svg", width_px);
    for (const char* const name : {"figure10", "figure11"}) {
      const std::string svg = file::read(file_of(made_called(figures, name), "svg")).value();
      EXPECT_THAT(svg, testing::ContainsRegex(">no stack( of( mha_block.*)?)?<")) << name << " at " << width_px;
    }
  }
}

}  // namespace
}  // namespace ngb::paper::figures
