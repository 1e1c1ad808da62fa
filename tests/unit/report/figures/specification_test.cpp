// SPDX-License-Identifier: Apache-2.0
#include "report/figures/specification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json_text.h"
#include "drawn_figures.h"
#include "figure_checks.h"
#include "made_figures.h"
#include "made_up_results.h"

namespace ngb::report::figures {
namespace {

namespace fs = std::filesystem;
using made_up::cell_with;
using made_up::figures_of;
using made_up::made_called;
using made_up::ResultsOf;
using made_up::visit;
using nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const fs::path kSource = NGB_SOURCE_DIR;

TEST(Specifications, AreMadeOfEveryFigureOfAStudyOfEverything) {
  std::vector<store::CellData> cells = made_up::study_of_everything();
  cells.push_back(made_up::variant_of(cells.front()));
  cells.push_back(made_up::generating("delta", 128, 192, 500));
  cells.push_back(made_up::visiting());
  const ResultsOf results(std::move(cells));
  const Figures figures = figures_of(results);
  EXPECT_EQ(
      words_of(figures.left_out),
      "scaling (no compiler was measured on several numbers of processors), memory_over_inferences (no cell keeps "
      "memory of each inference)");
  ASSERT_EQ(figures.made.size(), all_figures().size() - 2);
  for (const Made& made : figures.made) {
    const ordered_json json = json_text::parse_ordered(made.specification);
    ASSERT_TRUE(json.is_object()) << made.figure->name;
    EXPECT_EQ(json.at("$schema"), "https://vega.github.io/schema/vega-lite/v6.json");
    EXPECT_EQ(json.at("usermeta").at("SPDX-License-Identifier"), "Apache-2.0");
    EXPECT_EQ(json.at("title").at("text"), made.figure->title);
    EXPECT_EQ(json.at("data").at("name"), "rows");
    EXPECT_FALSE(json.at("datasets").at("rows").empty());
  }
}

TEST(Specifications, HaveNoHeadingIfTheCaptionOfAnArticleHasIt) {
  const ResultsOf results(made_up::study_of_everything());
  for (const Made& made : make_figures(results.selection(), {.has_heading = false}).made) {
    EXPECT_FALSE(json_text::parse_ordered(made.specification).contains("title")) << made.figure->name;
  }
  const auto in_print = make_figures(results.selection(), {.width_px = kColumnPx, .has_heading = false});
  const ordered_json json = json_text::parse_ordered(made_called(in_print, "ase_by_batch").specification);
  EXPECT_EQ(json.at("title").at("text"), ordered_json::array({"ASE (ratio, log axis) over batch size (samples)"}))
      << "what stands beside the axes otherwise";
}

TEST(Specifications, KeepANumberAndItsPercentSignOnOneLine) {
  const ResultsOf results(made_up::study_of_everything());
  std::size_t signs = 0;
  for (const Made& made : figures_of(results).made) {
    const ordered_json json = json_text::parse_ordered(made.specification);
    for (const ordered_json& line : json.at("title").at("subtitle")) {
      EXPECT_FALSE(line.get<std::string>().starts_with('%')) << made.figure->name << ": " << line;
      if (line.get<std::string>().find(" %") != std::string::npos) ++signs;
    }
  }
  EXPECT_GT(signs, 5U);
}

TEST(Specifications, HaveAUnitInTheTitleOfEachAxisOfNumbers) {
  made_up::expect_units_in_titles(all_figures(), "ratio_to_best");
}

TEST(Specifications, DrawOnlyColumnsOfTheirData) { made_up::expect_only_columns(all_figures()); }

TEST(Specifications, HaveRowsWithTheColumnsOfTheirData) {
  const ResultsOf results(made_up::study_of_everything());
  made_up::expect_rows_with_columns(all_figures(), results.selection());
}

TEST(Specifications, MarkOneOnAxesOfRatios) { made_up::expect_a_line_at_one(all_figures()); }

TEST(Specifications, GiveACompilerTheColourOfThePage) {
  const ResultsOf results({cell_with({}, {100, 101}), cell_with({.compiler = "openvino"}, {200, 201})});
  const Selection selection = results.selection();
  const ordered_json theme = json_text::parse_ordered(file::read(kSource / "src/report/figures/theme.json").value());
  const ordered_json palette = theme.at("config").at("range").at("category");
  const Figures figures = make_figures(selection);
  std::size_t channels = 0;
  const ordered_json json = json_text::parse_ordered(made_called(figures, "throughput_by_batch").specification);
  visit(json, "", [&](const ordered_json& part, const std::string& key) {
    if (key != "color" || !part.contains("scale")) return;
    ++channels;
    EXPECT_EQ(part.at("scale").at("domain"), ordered_json::array({"PyTorch eager (identity 1.0)", "openvino 1.0"}));
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(part.at("scale").at("range").at(i), palette.at(static_cast<std::size_t>(selection.looks()[i].colour)));
    }
  });
  EXPECT_GT(channels, 2U);
}

TEST(Theme, HasTheColoursOfThePage) {
  const ordered_json theme = json_text::parse_ordered(file::read(kSource / "src/report/figures/theme.json").value());
  const ordered_json palette = theme.at("config").at("range").at("category");
  ASSERT_EQ(palette.size(), static_cast<std::size_t>(kColours));
  const std::string css = file::read(kSource / "src/report/page/page.css").value();
  for (std::size_t i = 0; i < palette.size(); ++i) {
    EXPECT_THAT(css.substr(0, css.find("@media")),
                HasSubstr(fmt::format("--c{}: {}", i, palette[i].get<std::string>())));
  }
}

// Rec. 601, as printers and pdftoppm -gray do; and the contrast to white paper that WCAG asks of a mark.
TEST(Theme, TellsSixCompilersApartInGreyPrint) {
  const ordered_json palette = theme().at("print").at("range").at("category");
  const std::vector<std::string> compilers{"identity", "onnxruntime", "openvino", "tensorrt", "tvm", "torchscript"};
  std::vector<double> greys;
  for (const Look& look : looks_of(compilers)) {
    const auto colour = palette.at(static_cast<std::size_t>(look.colour)).get<std::string>();
    const auto part = [&](std::size_t at) { return static_cast<double>(std::stoi(colour.substr(at, 2), nullptr, 16)); };
    greys.push_back(0.299 * part(1) + 0.587 * part(3) + 0.114 * part(5));
    EXPECT_LT(greys.back(), 148) << colour << " is too pale: #949494 has a contrast of 3";
  }
  std::sort(greys.begin(), greys.end());
  for (std::size_t i = 1; i < greys.size(); ++i) EXPECT_GT(greys[i] - greys[i - 1], 18);
}

TEST(Looks, AreTheSameColoursInAllReports) {
  const std::vector<std::string> two{"null", "openvino"};
  const std::vector<std::string> three{"onnxruntime", "tvm", "openvino"};
  EXPECT_EQ(looks_of(two)[1].colour, looks_of(three)[2].colour);
  const std::vector<std::string> known{"identity", "onnxruntime", "openvino", "tensorrt", "tvm", "torchscript"};
  std::set<int> colours;
  for (const Look& look : looks_of(known)) colours.insert(look.colour);
  EXPECT_EQ(colours.size(), known.size()) << "each of the paper's compilers has its own";
}

TEST(Specifications, TellSettingsOfOneCompilerApartByShadeAndDash) {
  std::vector<store::CellData> cells{cell_with({.compiler = "tvm"}, {100, 101}),
                                     cell_with({.compiler = "tvm tuned"}, {200, 201})};
  cells[1].of.compiler.name = "tvm";
  const ResultsOf two(std::move(cells));
  const ordered_json json = json_text::parse_ordered(made_called(figures_of(two), "throughput_by_batch").specification);
  std::size_t channels = 0;
  visit(json, "", [&](const ordered_json& part, const std::string& key) {
    if (key == "strokeDash" && part.contains("scale")) {
      ++channels;
      EXPECT_EQ(part.at("scale").at("range"), ordered_json::parse("[[1,0],[6,3]]"));
    }
    if (key == "color" && part.contains("scale")) {
      EXPECT_EQ(part.at("scale").at("range"), ordered_json::parse(R"(["#b0518e","#cb8db5"])"));
    }
  });
  EXPECT_EQ(channels, 1U);
}

TEST(Specifications, GiveNoDashesToCurvesOfSomethingElseThanACompiler) {
  std::vector<store::CellData> cells{cell_with({.compiler = "tvm"}, {100, 101}),
                                     cell_with({.compiler = "tvm on two"}, {180, 181})};
  int threads = 0;
  for (store::CellData& cell : cells) {
    cell.of.compiler.name = "tvm";
    cell.of.threads = cell.of.compiler.threads = ++threads;
  }
  const ResultsOf two(std::move(cells));
  const ordered_json scaling = json_text::parse_ordered(made_called(figures_of(two), "scaling").specification);
  visit(scaling, "", [](const ordered_json&, const std::string& key) { EXPECT_NE(key, "strokeDash"); });
  std::set<std::string> domains;  // one, so that colours and shapes have one legend
  visit(scaling, "", [&](const ordered_json& part, const std::string& key) {
    if (key == "color" || key == "shape") domains.insert(part.at("scale").at("domain").dump());
  });
  EXPECT_EQ(domains.size(), 1U);
}

TEST(Looks, AreOneColourForACompilerAndAShapeForEachOfItsSettings) {
  const std::vector<std::string> compilers{"tvm", "openvino", "tvm"};
  const std::vector<Look> looks = looks_of(compilers);
  EXPECT_EQ(looks[0].colour, looks[2].colour);
  EXPECT_NE(looks[0].shape, looks[2].shape);
  EXPECT_NE(looks[0].colour, looks[1].colour);
  const std::vector<std::string> alone{"openvino"};
  EXPECT_EQ(looks_of(alone)[0].colour, looks[1].colour) << "whatever it is compared with";
}

TEST(Looks, OfSecondSettingsAreToldApartInGrey) {
  const std::vector<std::string> compilers{"openvino", "tensorrt", "tvm", "openvino", "tensorrt", "tvm"};
  std::vector<int> shapes;
  for (const Look& look : looks_of(compilers)) shapes.push_back(look.shape);
  EXPECT_THAT(shapes, ElementsAre(0, 1, 2, 1, 2, 3))
      << "and the dash of a line tells the first settings from the second";
}

TEST(Specifications, HaveHostileNamesAsDataOnly) {
  const std::string name = "</script>\"'=1+1\n\xE2\x80\xAE@rows@";
  const ResultsOf results(
      {cell_with({.model = name}, {100, 101}), cell_with({.model = name, .compiler = name}, {200})});
  const Made made = made_called(figures_of(results), "throughput_by_batch");
  const ordered_json json = json_text::parse_ordered(made.specification);
  EXPECT_EQ(json.at("datasets").at("rows").size(), 2U);
  EXPECT_EQ(json.at("datasets").at("rows").at(0).at("model"), "</script>\"'=1+1\n\\u202e@rows@");
  EXPECT_THAT(made.specification, Not(HasSubstr("\xE2\x80\xAE")));
  EXPECT_EQ(std::count_if(made.specification.begin(), made.specification.end(),
                          [](char character) { return static_cast<unsigned char>(character) > 0x7E; }),
            0);
}

TEST(DataFiles, QuoteFieldsAndDisarmFormulas) {
  const ResultsOf results({cell_with({.model = "=cmd|'/C calc'!A0"}, {100}), cell_with({.model = "a,\"b\""}, {100})});
  const std::string csv = made_called(figures_of(results), "throughput_by_batch").data;
  EXPECT_TRUE(csv.starts_with(
      "panel,device,model,model_group,model_style,batch,compiler,throughput_per_s,low,high,state,reason\r\n"));
  EXPECT_THAT(csv, HasSubstr("\r\n'=cmd|'/C calc'!A0,local,'=cmd|'/C calc'!A0,,,1,PyTorch eager (identity 1.0),"));
  EXPECT_THAT(csv, HasSubstr("\"a,\"\"b\"\"\",local,"));
}

TEST(DataFiles, HaveThePanelsThatAreNotDrawn) {
  std::vector<store::CellData> cells;
  for (int i = 0; i < 70; ++i) cells.push_back(cell_with({.model = fmt::format("model {}", i)}, {100}));
  const ResultsOf results(std::move(cells));
  const Made made = made_called(figures_of(results), "throughput_by_batch");
  EXPECT_EQ(std::count(made.data.begin(), made.data.end(), '\n'), 71);
  EXPECT_EQ(json_text::parse_ordered(made.specification).at("datasets").at("rows").size(), kMostPanels);
  EXPECT_EQ(made.remark, "60 of 70 panels are drawn; the data has all");
}

TEST(Figures, ThatAreLeftOutShareTheirReason) {
  const ResultsOf results({cell_with({}, {100})});
  EXPECT_THAT(words_of(figures_of(results).left_out),
              HasSubstr("ase_by_batch (no compiler was measured at batch 1 and at a larger batch size), "
                        "speed_up_by_depth (no stack of blocks has a speed-up), "));
}

TEST(Figures, AreMadeOfResultsWithoutCells) {
  const ResultsOf results({});
  const Figures figures = figures_of(results);
  EXPECT_THAT(figures.made, IsEmpty());
  EXPECT_EQ(figures.left_out.size(), all_figures().size());
}

TEST(Figures, AreListedInTheDocumentation) { made_up::expect_documentation(all_figures()); }

using DrawnFigures = made_up::DrawnFigures;

TEST_F(DrawnFigures, AreImagesOfEveryFigureWithoutAWarning) {
  std::vector<store::CellData> cells = made_up::study_of_everything();
  cells.push_back(made_up::generating("delta", 128, 192, 500));
  cells.push_back(made_up::generating("static", 1024, 2048, 300));
  cells.push_back(made_up::visiting());
  const ResultsOf results(std::move(cells));
  EXPECT_THAT(draw_all(figures_of(results), "svg"), IsEmpty());
}

TEST_F(DrawnFigures, AreAsWideAsTheColumnOrThePageThatTheyAreMadeFor) {
  const ResultsOf results(made_up::study_of_everything());
  for (const auto& [width_px, inches] : {std::pair{kColumnPx, 3.5}, {kPagePx, 7.16}}) {
    const Figures figures = make_figures(results.selection(), {.width_px = width_px});
    EXPECT_THAT(draw_all(figures, "pdf", width_px), IsEmpty());
    for (const Made& made : figures.made) expect_sheets(made, inches);
  }
}

// In a column, nine devices take three lines of panels for each net, and two nets would be higher than a sheet.
TEST_F(DrawnFigures, OfManyDevicesTakeSeveralSheetsWithEveryNetOnce) {
  const std::vector<std::string> nets{"net1", "net2", "net3", "net4"};
  std::vector<store::CellData> cells;
  for (const std::string& net : nets) {
    for (int device = 1; device <= 9; ++device) {
      cells.push_back(cell_with({.model = net, .device = fmt::format("device{}", device)}, {100, 101}));
    }
  }
  const ResultsOf results(cells);
  Figures figures = make_figures(results.selection(), {.width_px = kColumnPx});
  std::erase_if(figures.made, [](const Made& made) { return made.figure->name != "throughput_by_batch"; });
  const Made& made = figures.made.at(0);
  draw_all(figures, "pdf", kColumnPx);
  expect_sheets(made, 3.5);
  draw_all(figures, "svg", kColumnPx);
  EXPECT_EQ(sheets_.at("throughput_by_batch"), 4);
  std::map<std::string, int> sheets_of_net;
  for (int sheet = 1; sheet <= sheets_.at("throughput_by_batch"); ++sheet) {
    const std::string svg = file::read(file_of_sheet(file_of(made, "svg"), sheet)).value();
    EXPECT_THAT(svg, HasSubstr(">device9<")) << "the names of columns are on every sheet";
    for (const std::string& net : nets) sheets_of_net[net] += svg.find(">" + net + "<") == std::string::npos ? 0 : 1;
  }
  for (const std::string& net : nets) EXPECT_EQ(sheets_of_net[net], 1) << net;
}

TEST_F(DrawnFigures, ShowHostileNamesAsText) {
  const std::string name = "</text><script>\"'+alert(1)+'";
  const ResultsOf results(
      {cell_with({.model = name}, {100, 101}), cell_with({.model = name, .compiler = name}, {200, 201})});
  const Made made = made_called(figures_of(results), "throughput_by_batch");
  const auto warnings = draw(drawer_, "svg", {{"throughput_by_batch", made.specification, file_of(made, "svg")}});
  ASSERT_TRUE(warnings) << warnings.error().text();
  const std::string svg = file::read(file_of(made, "svg")).value();
  EXPECT_THAT(svg, HasSubstr("&lt;/text&gt;&lt;script&gt;"));
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
}

TEST_F(DrawnFigures, BreakNamesOfRowsThatAreLongerThanTheirPanelsAreHigh) {
  const std::string name = "a net with a name of more than 27 characters";
  const ResultsOf results({cell_with({.model = name, .device = "here"}, {100, 101}),
                           cell_with({.model = name, .device = "there"}, {100, 101}),
                           cell_with({.model = "a net", .device = "here"}, {100, 101})});
  const Made made = made_called(figures_of(results), "throughput_by_batch");
  ASSERT_TRUE(draw(drawer_, "svg", {{"throughput_by_batch", made.specification, file_of(made, "svg")}}));
  const std::string svg = file::read(file_of(made, "svg")).value();
  EXPECT_THAT(svg, AllOf(HasSubstr(">a net with a name of</tspan>"), HasSubstr(">more than 27 characters</tspan>")));
  EXPECT_THAT(svg, HasSubstr(">a net</text>"));
}

TEST_F(DrawnFigures, SayWhichOneCannotBeDrawn) {
  const auto drawn = draw(drawer_, "svg", {{"broken", R"({"mark": 5, "$schema": 3})", folder_.path() / "broken.svg"}});
  ASSERT_FALSE(drawn);
  EXPECT_THAT(drawn.error().what, HasSubstr("cannot draw figures: broken: "));
}

}  // namespace
}  // namespace ngb::report::figures
