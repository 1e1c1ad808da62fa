// SPDX-License-Identifier: Apache-2.0
#include "report/page/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../metrics/made_up_cells.h"
#include "report/page/labels.h"
#include "report/page/page_data.h"
#include "report/page/untrusted.h"

namespace ngb::report::page {
namespace {

using made_up::cell_of;
using made_up::process;
using store::CellData;
using store::DerivedValue;
using testing::HasSubstr;
using testing::Not;

// Results that own what they point into.
struct Made {
  std::vector<CellData> cells{};
  std::vector<DerivedValue> values{};
  std::vector<store::MeasuredEnvironment> environments{};
  Results results = all_results(cells, values);
};

Source source_of(const Made& made, const std::string& name) {
  return {.name = name, .study = name, .results = &made.results, .environments = &made.environments};
}

Made pair_of_cells() {
  return {{cell_of("identity", 1, {process(0, {10, 10})}), cell_of("onnxruntime", 1, {process(0, {5, 5})})},
          {{"onnxruntime-1", "speed_up_ratio", 2.0, 1.9, 2.1, ""},
           {"onnxruntime-1", "compile_s", {}, {}, {}, "not known"}}};
}

TEST(Page, EscapesWhatWouldBeMarkup) {
  EXPECT_EQ(escaped("<b>\"'&"), "&lt;b&gt;&quot;&#39;&amp;");
  EXPECT_EQ(escaped("a\x1b[31m"), "a\\x1b[31m");
}

TEST(Page, ShowsMarksOfWritingDirection) {
  EXPECT_EQ(plain("a\xE2\x80\xAE"
                  "b"),
            "a\\u202eb");
}

TEST(Page, WritesJsonThatCannotEndItsElement) {
  const nlohmann::json given = "</script><!--\xE2\x80\xA8&";
  const std::string text = script_json(given);
  EXPECT_EQ(text, R"("\u003c/script\u003e\u003c!--\u2028\u0026")");
  EXPECT_EQ(nlohmann::json::parse(text), given);
}

TEST(Page, TellsDevicesOfSeveralFoldersApart) {
  const Made first = pair_of_cells();
  const Made second = pair_of_cells();
  const std::vector<Source> sources{source_of(first, "results"), source_of(second, "results")};
  const Labels labels(sources);
  EXPECT_EQ(labels.device(0, first.cells[0]), "local (results)");
  EXPECT_EQ(labels.device(1, second.cells[0]), "local (results (2))");
}

TEST(Page, TellsCellsOfOneWorkloadApartByTheirOptions) {
  Made made{{made_up::cell("tvm", 1), made_up::cell("tvm", 1)}, {}};
  made.cells[0].options = R"({"trials":8})";
  made.cells[1].options = "{}";
  made.results = all_results(made.cells, made.values);
  const std::vector<Source> sources{source_of(made, "results")};
  EXPECT_EQ(Labels(sources).compiler(made.cells[0]), R"(tvm 1.0 {"trials":8})");
  EXPECT_EQ(Labels(sources).compiler(made.cells[1]), "tvm 1.0");
}

TEST(Page, HasTheTextOfShowBesideEachNumber) {
  const Made made = pair_of_cells();
  const std::vector<Source> sources{source_of(made, "results")};
  const nlohmann::json data = page_data(sources, Labels(sources));
  std::size_t speed_up = 0;
  while (data["metrics"][speed_up]["name"] != "speed_up_ratio") ++speed_up;
  EXPECT_EQ(data["cells"][1][9][speed_up].dump(), R"([2.0,"2.00 [1.90, 2.10]",1.9,2.1])");
  std::size_t compile = 0;
  while (data["metrics"][compile]["name"] != "compile_s") ++compile;
  EXPECT_EQ(data["reasons"][data["cells"][1][9][compile].get<std::size_t>()], "not known");
  EXPECT_EQ(data["cells"][1][7], 0);  // the baseline is the first cell
}

TEST(Page, AdmitsOnlyItsOwnScriptAndStyle) {
  const Made made = pair_of_cells();
  const std::vector<Source> sources{source_of(made, "results")};
  const std::string page = html(sources, "0.1.0");
  EXPECT_THAT(page, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(page, Not(HasSubstr("{{")));
  EXPECT_THAT(page, Not(HasSubstr("http://www.w3.org/1999")));
}

TEST(Page, SaysWhatItLeavesOut) {
  const Made made = pair_of_cells();
  Source source = source_of(made, "results");
  source.folded = "This page shows 2 of 9 cells";
  const std::vector<Source> sources{source};
  EXPECT_THAT(html(sources, "0.1.0"), HasSubstr("<strong>This page shows 2 of 9 cells.</strong>"));
}

TEST(Page, IsMadeOfResultsWithoutCells) {
  const Made made;
  const std::vector<Source> sources{source_of(made, "empty")};
  EXPECT_THAT(html(sources, "0.1.0"), HasSubstr("0 cells: 0 measured."));
}

TEST(Page, HasSpanningTablesAndFindings) {
  const Made made = pair_of_cells();
  Source source = source_of(made, "results");
  source.findings = {{"a <b> c", {"behind it", "", {"device"}, {{"<i>"}}}}};
  source.tables = {{"Slopes", "per block", {"model"}, {{"x & y"}}}};
  const std::vector<Source> sources{source};
  const std::string page = html(sources, "0.1.0");
  EXPECT_THAT(page, HasSubstr("<li>a &lt;b&gt; c <details><summary> 1 row</summary>"));
  EXPECT_THAT(page, HasSubstr("<td>&lt;i&gt;</td>"));
  EXPECT_THAT(page, HasSubstr("<summary>Slopes: 1 row</summary>"));
  EXPECT_THAT(page, HasSubstr("<td>x &amp; y</td>"));
}

}  // namespace
}  // namespace ngb::report::page
