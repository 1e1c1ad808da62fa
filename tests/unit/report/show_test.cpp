// SPDX-License-Identifier: Apache-2.0
#include "report/show/show.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "../metrics/made_up_cells.h"
#include "base/json_text.h"
#include "base/text.h"
#include "metrics/metric.h"
#include "report/write/text_width.h"
#include "written.h"

namespace ngb::report {
namespace {

using made_up::cell_of;
using made_up::process;
using store::CellData;
using store::DerivedValue;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Two batch sizes; the second has a cell that failed and one that is not measured yet.
std::vector<CellData> cells() {
  CellData broken = made_up::cell("onnxruntime", 4);
  broken.failed = {made_up::failure(0, samples::FailureKind::crash)};
  broken.failed[0].failure->message = "signal 11\nin libfoo";
  broken.failed[0].failure->advice = "report it to its makers";
  broken.failed[0].log_path = "logs/7.txt";
  return {cell_of("identity", 1, {process(0, {10, 10}), process(1, {10, 10})}),
          cell_of("onnxruntime", 1, {process(0, {5, 5}), process(1, {5, 5})}),
          cell_of("identity", 4, {process(0, {20, 20}), process(1, {20, 20})}), broken, made_up::cell("openvino", 4)};
}

CellData disturbed() {
  CellData cell = made_up::cell("tvm", 4);
  cell.failed = {made_up::failure(0, samples::FailureKind::disturbed)};
  cell.failed[0].failure->message = "a thread waited for a processor in 31 % of the timed phase";
  cell.failed[0].failure->advice = "end the other programs";
  return cell;
}

std::vector<DerivedValue> values() {
  return {{"identity-1", "throughput_per_s", 100.0, 98.8, 101.2, ""},
          {"identity-1", "throughput_median_per_s", 100.2, 99.9, 100.4, ""},
          {"identity-1", "speed_up_ratio", 1.0, 1.0, 1.0, ""},
          {"identity-1", "compile_s", 0.25, {}, {}, ""},
          {"identity-1", "cpu_percent", 99.5, {}, {}, ""},
          {"onnxruntime-1", "throughput_per_s", 200.0, 186.5, 213.5, ""},
          {"onnxruntime-1", "throughput_median_per_s", 201.0, 199.0, 203.0, ""},
          {"onnxruntime-1", "speed_up_ratio", 2.0, 1.9, 2.1, ""},
          {"onnxruntime-1", "compile_s", 2.0, {}, {}, ""},
          {"onnxruntime-1", "cpu_percent", {}, {}, {}, "unknown here"},
          {"onnxruntime-1", "flag_unstable", 0.3, {}, {}, ""},
          {"onnxruntime-1", "flag_steal", 2.5, {}, {}, ""},
          {"identity-4", "throughput_per_s", 1200.0, {}, {}, ""}};
}

std::string text_of(const std::vector<CellData>& cells, const std::vector<DerivedValue>& derived,
                    const ShowOptions& options) {
  return show_text(all_results(cells, derived), options);
}

std::string shown_as(std::string_view format, const std::vector<CellData>& cells,
                     const std::vector<DerivedValue>& derived, const ShowOptions& options = {}) {
  return show(*find_format(format, show_formats()).value(), all_results(cells, derived), options);
}

// 100 MB in 10 ms are 10 · 10⁹ bytes a second, of 12.5 that the array of 1 GiB has.
TEST(Show, SaysWhichShareOfWhatTheMachineReadsAStepReaches) {
  std::vector<DerivedValue> derived = values();
  derived.push_back({"identity-1", "bytes_per_token", 100e6, {}, {}, ""});
  derived.push_back({"identity-1", "time_per_token_s", 0.010, {}, {}, ""});
  const metrics::Peak peak{.reads = {{1 << 30, {12.5e9}}}};
  const auto known = [&](const CellData&) { return Known<metrics::Peak>::of(peak); };
  EXPECT_THAT(text_of(cells(), derived, {.width = 120, .peak_of = known}),
              HasSubstr("\n  of what this machine reads in a step: identity 1.0 80 %\n"));
  const auto none = [](const CellData&) { return Known<metrics::Peak>::unknown("no peak; run: ngb calibrate --peak"); };
  EXPECT_THAT(text_of(cells(), derived, {.width = 120, .peak_of = none}),
              HasSubstr("  1 cell: share of what this machine reads: no peak; run: ngb calibrate --peak\n"));
  EXPECT_THAT(text_of(cells(), values(), {.width = 120, .peak_of = known}), Not(HasSubstr("what this machine reads")));
}

TEST(Show, SaysWhyADisturbedCellHasNoSpeed) {
  const std::string shown = text_of({disturbed()}, {}, {.width = 120});
  EXPECT_THAT(shown, HasSubstr("  tvm 1.0   disturbed: a thread waited for a processor in 31 % of the timed phase\n"));
  EXPECT_THAT(shown, HasSubstr("\n1 cell: 0 measured, 1 disturbed\n"));
  EXPECT_THAT(shown, HasSubstr("end the other programs"));
}

TEST(Show, SaysOnceWhyMeasuredCellsHaveNoSpeed) {
  const std::vector<CellData> two{cell_of("identity", 1, {process(0, {10, 10})}),
                                  cell_of("openvino", 1, {process(0, {5, 5})})};
  const std::string why = "profiled: it has no speed";
  const std::vector<DerivedValue> without{{"identity-1", "throughput_per_s", {}, {}, {}, why},
                                          {"openvino-1", "throughput_per_s", {}, {}, {}, why}};
  const std::string shown = text_of(two, without, {.width = 120});
  EXPECT_THAT(shown, HasSubstr("\n  no samples/s: profiled: it has no speed\n"));
}

TEST(Show, PrintsCellsThatComeInPartsAsThoseOfTheWhole) {
  const std::vector<CellData> all = cells();
  const std::vector<DerivedValue> derived = values();
  const std::vector<CellData> of_batch_1(all.begin(), all.begin() + 2);
  const std::vector<CellData> of_batch_4(all.begin() + 2, all.end());
  const Results whole = all_results(all, derived);
  const ShowOptions options{.best = true, .width = 100};
  for (const char* const name : {"text", "markdown", "csv", "json"}) {
    const Format& format = *find_format(name, show_formats()).value();
    std::string text;
    const auto each = [&](const UsePart& use) -> ngb::Status {
      use(all_results(of_batch_1, derived));
      use(all_results(of_batch_4, derived));
      return Done{};
    };
    EXPECT_TRUE(show(format, whole, each, options, [&text](std::string_view piece) { text += piece; }));
    EXPECT_EQ(text, show(format, whole, options)) << name;
  }
}

TEST(Show, HasNullInJsonForWhatAllCellsSayTogetherIfTheyComeInParts) {
  const std::vector<CellData> all = cells();
  Results whole = all_results(all, {});
  whole.come_in_parts = true;
  const auto json = json_text::parse(show_json(whole));
  for (const char* const name : {"best_options", "series", "conclusions"}) EXPECT_TRUE(json[name].is_null()) << name;
}

TEST(Show, ReturnsTheErrorOfResultsThatCannotBeRead) {
  const Format& format = *find_format("text", show_formats()).value();
  const auto each = [](const UsePart& /*use*/) -> ngb::Status { return fail("it is damaged"); };
  EXPECT_FALSE(show(format, all_results({}, {}), each, {}, [](std::string_view) { FAIL() << "half a table"; }));
}

TEST(Show, PutsCompilersOfAModelAndBatchSideBySide) {
  const std::string shown = text_of(cells(), values(), {.width = 120});
  const auto lines = text::split(shown, '\n');
  EXPECT_EQ(lines[0], "  compiler           speed-up [95 %]      samples/s [95 %]  p50  compile  CPU %  peak  flags");
  EXPECT_EQ(lines[1], "");
  EXPECT_EQ(lines[2], "resnet18, batch 1, on local, 2 threads, f32");
  EXPECT_EQ(lines[3], "  identity 1.0     1.00               100.0 [98.8, 101.2]     –   250 ms   99.5     –");
  EXPECT_EQ(lines[4], "  onnxruntime 1.0  2.00 [1.90, 2.10]  200.0 [186.5, 213.5]    –    2.0 s      –     –  u");
}

TEST(Show, SaysInTheRowWhyACellFailedAndBelowTheTableWhatToDo) {
  const std::string shown = text_of(cells(), values(), {});
  EXPECT_THAT(shown, HasSubstr("  onnxruntime 1.0  failed: crash in check: signal 11\n"));  // the message's first line
  EXPECT_THAT(shown_as("json", cells(), values()), HasSubstr("signal 11\\nin libfoo"));
  EXPECT_THAT(shown, HasSubstr("  resnet18, batch 4, onnxruntime 1.0: report it to its makers; log: logs/7.txt\n"));
  EXPECT_THAT(text_of(cells(), values(), {.wrap = 50}), HasSubstr(" report it to\n    its makers; log: logs/7.txt\n"));
  EXPECT_THAT(shown, HasSubstr("  openvino 1.0     not measured yet\n"));
  EXPECT_THAT(shown, HasSubstr("\n5 cells: 3 measured, 1 failed, 1 not measured yet\n"));
}

TEST(Show, SaysHowTheHostWaitsForAGpuBecauseCpuPercentDependsOnIt) {
  std::vector<CellData> all = cells();
  for (store::RecordedProcess& each : all[0].processes) each.facts["wait"] = "spin";
  for (store::RecordedProcess& each : all[1].processes) each.facts["wait"] = "block";
  const std::string shown = text_of(all, values(), {});
  EXPECT_THAT(shown, HasSubstr("  1 cell: wait: spin: CPU % includes the time in which the host waits for the GPU\n"));
  EXPECT_THAT(shown,
              HasSubstr("  1 cell: wait: block: CPU % is without the time in which the host waits for the GPU\n"));
  EXPECT_THAT(text_of(cells(), values(), {}), Not(HasSubstr("wait:")));
}

TEST(Show, ExplainsTheMarksThatOccurInOneLineAndCountsTheOtherFlags) {
  const std::string shown = text_of(cells(), values(), {});
  EXPECT_THAT(shown, HasSubstr("\n  u unstable (IQR / median > 25 %): ngb show --notes says what to do\n"
                               "  1 note: steal 1: ngb show --notes\n"));
  EXPECT_THAT(shown, Not(HasSubstr("throttled")));
}

TEST(Show, NamesAndExplainsEveryFlagWithNotes) {
  const std::string shown = text_of(cells(), values(), {.notes = true, .width = 120});
  EXPECT_THAT(shown, HasSubstr("  unstable, steal\n"));
  EXPECT_THAT(shown, HasSubstr("\n  unstable  IQR / median > 25 %: do not rely on this number"));
  EXPECT_THAT(shown, HasSubstr("\n  steal  steal > 1 % in a timed phase: the host gave processor time"));
}

TEST(Show, NeverLeavesOutTheSpeedUp) {
  EXPECT_THAT(text_of(cells(), values(), {.width = 50}), HasSubstr("  2.00 [1.90, 2.10]  200.0 [186.5, 213.5]  u\n"));
}

TEST(Show, FitsIn100ColumnsAndSaysWhatItLeftOut) {
  for (const int width : {100, 80, 70}) {
    const std::string shown = text_of(cells(), values(), {.width = width});
    const auto lines = text::split(shown.substr(0, shown.find("\n\n  u unstable")), '\n');
    for (const std::string& line : lines) EXPECT_LE(width_of(line), width) << line;
  }
  EXPECT_THAT(text_of(cells(), values(), {.width = 70}),
              HasSubstr("  Too wide for 70 characters: peak, p50, CPU %, compile; --all shows everything\n"));
  EXPECT_THAT(text_of(cells(), values(), {.width = 100}), Not(HasSubstr("Too wide")));
  EXPECT_THAT(text_of(cells(), values(), {.width = 100}), HasSubstr("  identity is PyTorch eager\n"));
}

TEST(Show, HasEveryMetricWithAll) {
  const std::string shown = text_of(cells(), values(), {.all = true, .width = 80});
  for (const metrics::Metric& metric : metrics::metrics()) EXPECT_THAT(shown, HasSubstr(metric.heading));
}

TEST(Show, NamesThreadsInTheRowsIfTheyDiffer) {
  auto differing = cells();
  differing[1].of.threads = 1;
  const std::string shown = text_of(differing, values(), {.width = 200});
  EXPECT_THAT(shown, HasSubstr("resnet18, batch 1, on local, f32\n"));
  EXPECT_THAT(shown, HasSubstr("  identity 1.0, 2 threads "));
  EXPECT_THAT(shown, HasSubstr("  onnxruntime 1.0, 1 thread "));
}

std::vector<CellData> on_two_devices() {
  auto both = cells();
  for (CellData& cell : both) cell.of.compute_device = Known<std::string>::of("cpu");
  both[1].of.compute_device = Known<std::string>::of("gpu");
  return both;
}

TEST(Show, NamesComputeDevicesOnlyIfTheyDiffer) {
  const std::string shown = text_of(on_two_devices(), values(), {.width = 200});
  EXPECT_THAT(shown, HasSubstr("resnet18, batch 1, on local, 2 threads, f32\n"));
  EXPECT_THAT(shown, HasSubstr("  identity 1.0, cpu "));
  EXPECT_THAT(shown, HasSubstr("  onnxruntime 1.0, gpu "));
  EXPECT_THAT(shown, HasSubstr("resnet18, batch 4, on local, 2 threads, f32, cpu\n"));
  EXPECT_THAT(text_of(cells(), values(), {.width = 200}), Not(HasSubstr("cpu")));
  EXPECT_THAT(shown_as("markdown", on_two_devices(), values()), HasSubstr("| onnxruntime 1.0, gpu |"));
  EXPECT_THAT(shown_as("markdown", cells(), values()), HasSubstr("| onnxruntime 1.0 |"));
}

TEST(Show, NamesABaselineOtherThanTheIdentityInTheHeadsOfItsColumns) {
  const auto all = cells();
  const auto derived = values();
  const auto other = metrics::Baseline::find("onnxruntime@1.0", all).value();
  const auto results = all_results(all, derived, other);
  const std::string shown = show_text(results, {.all = true});
  EXPECT_THAT(shown, HasSubstr("  speed-up over onnxruntime@1.0 [95 %]  "));
  EXPECT_THAT(shown, HasSubstr("  BSR over onnxruntime@1.0 [95 %]  "));
  EXPECT_THAT(shown, HasSubstr("  RTR [95 %]  "));
  EXPECT_THAT(show(*find_format("markdown", show_formats()).value(), results, {}),
              HasSubstr("| speed-up over onnxruntime@1.0 [95 %] |"));
  const auto json = json_text::parse(show_json(results));
  EXPECT_EQ(json["baseline"], "onnxruntime@1.0");
  EXPECT_EQ(json["cells"][0]["baseline"]["cell_id"], "onnxruntime-1");
}

// The second cell is in bf16; its baseline is the identity in f32.
std::vector<CellData> with_reduced_precision() {
  auto mixed = cells();
  mixed[1].of.compiler.precision = "bf16";
  return mixed;
}

TEST(Show, SaysThatASpeedUpOfReducedPrecisionIsOverF32) {
  EXPECT_THAT(text_of(with_reduced_precision(), values(), {.width = 200}), HasSubstr("2.00 [1.90, 2.10] over f32"));
  EXPECT_THAT(shown_as("markdown", with_reduced_precision(), values()), HasSubstr("| 2.00 [1.90, 2.10] over f32 |"));
  EXPECT_THAT(text_of(cells(), values(), {.width = 200}), Not(HasSubstr("over")));
  const auto json = json_text::parse(shown_as("json", with_reduced_precision(), values()))["cells"];
  EXPECT_EQ(json[1]["metrics"]["speed_up_ratio"]["over"], "f32");
  EXPECT_EQ(json[1]["baseline"]["precision"], "f32");
  EXPECT_FALSE(json[1]["metrics"]["throughput_per_s"].contains("over"));
  EXPECT_FALSE(json[0]["metrics"]["speed_up_ratio"].contains("over"));
}

TEST(Show, DoesNotRepeatAVersionThatIsInTheLabel) {
  auto labelled = cells();
  labelled[1].of.compiler.label = "onnxruntime 1.0 tuned";
  EXPECT_THAT(text_of(labelled, values(), {}), HasSubstr("  onnxruntime 1.0 tuned  "));
}

TEST(Show, MarksCertainSpeedUpsAndFailuresInColor) {
  const std::string shown = text_of(cells(), values(), {.color = true});
  EXPECT_THAT(shown, HasSubstr("\x1b[32m2.00 [1.90, 2.10]\x1b[0m"));
  EXPECT_THAT(shown, HasSubstr("\x1b[31mfailed: crash"));
  EXPECT_THAT(text_of(cells(), values(), {}), Not(HasSubstr("\x1b")));
}

TEST(ShowJson, HoldsValuesAndReasonsUnderTheNamesOfTheMetrics) {
  const auto json = json_text::parse(shown_as("json", cells(), values()));
  ASSERT_EQ(json["cells"].size(), 5U);
  const auto& cell = json["cells"][1];
  EXPECT_EQ(cell["cell_id"], "onnxruntime-1");
  EXPECT_EQ(cell["status"], "measured");
  EXPECT_EQ(cell["metrics"]["speed_up_ratio"], (nlohmann::json{{"value", 2.0}, {"low", 1.9}, {"high", 2.1}}));
  EXPECT_EQ(cell["metrics"]["cpu_percent"], (nlohmann::json{{"value", nullptr}, {"reason", "unknown here"}}));
  EXPECT_EQ(cell["flags"], (nlohmann::json{{"steal", 2.5}, {"unstable", 0.3}}));
  EXPECT_EQ(cell["baseline"]["cell_id"], "identity-1");
  EXPECT_EQ(json["baseline"], "identity");
  EXPECT_EQ(cell["compute_device"], nullptr);
  EXPECT_EQ(cell["compute_device_unknown_reason"], "no process has reported where it computes");
  EXPECT_EQ(json["cells"][3]["status"], "failed");
  EXPECT_EQ(json["cells"][3]["failure"]["kind"], "crash");
  EXPECT_EQ(json["cells"][4]["status"], "planned");
  EXPECT_EQ(json["metrics"][0]["name"], "throughput_per_s");
  EXPECT_EQ(json["metrics"][0]["unit"], "samples/s");
}

// The cells of batch 1 again, under a load.
std::vector<CellData> under_a_load() {
  auto all = cells();
  all.resize(2);
  for (CellData cell : std::vector<CellData>(all)) {
    cell.of.load = "cpu: 1";
    cell.cell_id += "-loaded";
    all.push_back(cell);
  }
  return all;
}

TEST(ShowText, HasASectionForEachLoadAndColumnsOfLoadsOnlyIfThereAreSome) {
  auto measured = values();
  measured.push_back({"identity-1-loaded", "load_retention_ratio", 0.5, 0.48, 0.52, ""});
  measured.push_back({"identity-1-loaded", "load_cpu_percent", 99.5, {}, {}, ""});
  const std::string text = text_of(under_a_load(), measured, {.width = 250});
  EXPECT_THAT(text, HasSubstr("resnet18, batch 1, on local, 2 threads, f32\n"));
  EXPECT_THAT(text, HasSubstr("resnet18, batch 1, on local, load cpu: 1, 2 threads, f32\n"));
  EXPECT_THAT(text, HasSubstr("load retention [95 %]"));
  EXPECT_THAT(text, HasSubstr("0.50 [0.48, 0.52]"));
  EXPECT_THAT(text_of(cells(), values(), {.width = 250}), Not(HasSubstr("retention")));
}

TEST(Show, NamesTheLoadOfACellInJsonAndMarkdownAndFiltersByIt) {
  const auto all = under_a_load();
  EXPECT_EQ(json_text::parse(shown_as("json", all, values()))["cells"][2]["load"], "cpu: 1");
  EXPECT_EQ(json_text::parse(shown_as("json", all, values()))["cells"][0]["load"], "none");
  EXPECT_THAT(shown_as("markdown", all, values()), HasSubstr("| precision | load | compiler |"));
  EXPECT_EQ(passing_results(all, values(), {{"load", {"cpu: 1"}}})->cells.size(), 2U);
  EXPECT_EQ(passing_results(all, values(), {{"load", {"cpu: 2"}}}).error().text(),
            "cpu: 2: these results have no such load, did you mean cpu: 1?");
}

TEST(ShowCsv, HasALineForEachCellWithUnroundedNumbersAndReasons) {
  auto plain = cells();
  plain[3].failed[0].failure->message = "signal 11";
  const auto lines = text::split(shown_as("csv", plain, values()), '\n');
  ASSERT_EQ(lines.size(), 1U + 5 + 1);
  EXPECT_THAT(lines[0], StartsWith("cell_id,device,model,"));
  EXPECT_THAT(lines[0], HasSubstr(",cpu_percent,cpu_percent_unknown_reason,"));
  EXPECT_THAT(lines[0],
              HasSubstr(",speed_up_ratio,speed_up_ratio_low,speed_up_ratio_high,speed_up_ratio_unknown_reason,"));
  EXPECT_THAT(lines[0], HasSubstr(",precision,load,compute_device,compute_device_unknown_reason,compiler,"));
  EXPECT_THAT(lines[0], HasSubstr(",baseline_cell_id,baseline_precision,throughput_per_s,"));
  EXPECT_THAT(lines[2], HasSubstr(",identity-1,f32,200,186.5,213.5,"));
  EXPECT_THAT(lines[1], HasSubstr(",100.2,99.9,100.4,,"));
  EXPECT_THAT(lines[2], HasSubstr(",,unknown here,"));
  const auto commas = [](const std::string& line) { return std::count(line.begin(), line.end(), ','); };
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_TRUE(lines[i].ends_with('\r')) << lines[i];
    EXPECT_EQ(commas(lines[i]), commas(lines[0]));
  }
}

TEST(ShowCsv, QuotesCommasQuotesAndLineBreaksAsRfc4180Says) {
  auto odd = cells();
  odd[0].of.model.label = "a,b";
  odd[1].of.model.label = "say \"hi\"";
  odd[2].of.model.label = "two\nlines";
  const std::string csv = shown_as("csv", odd, values());
  EXPECT_THAT(csv, HasSubstr(",\"a,b\","));
  EXPECT_THAT(csv, HasSubstr(",\"say \"\"hi\"\"\","));
  EXPECT_THAT(csv, HasSubstr(",\"two\nlines\","));
}

TEST(ShowCsv, HoldsNothingThatASpreadsheetComputes) {
  auto odd = cells();
  odd[0].of.model.label = "=HYPERLINK(1)";
  EXPECT_THAT(shown_as("csv", odd, values()), HasSubstr(",'=HYPERLINK(1),"));
}

TEST(ShowMarkdown, IsATableWithTheNumbersOfTheText) {
  const auto lines = text::split(shown_as("markdown", cells(), values()), '\n');
  ASSERT_EQ(lines.size(), 2U + 5 + 1);
  EXPECT_EQ(lines[0],
            "| device | model | batch | threads | precision | compiler | speed-up [95 %] | samples/s [95 %] | p50 | "
            "compile | "
            "CPU % | peak | flags |");
  EXPECT_EQ(lines[1], "| --- | --- | --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |");
  EXPECT_EQ(lines[3],
            "| local | resnet18 | 1 | 2 | f32 | onnxruntime 1.0 | 2.00 [1.90, 2.10] | 200.0 [186.5, 213.5] | – | 2.0 s "
            "| – | – | "
            "unstable, steal |");
  EXPECT_THAT(lines[5], HasSubstr("| onnxruntime 1.0 | – | – | – | – | – | – | failed: crash in check: signal 11 |"));
}

TEST(ShowMarkdown, EscapesANameThatWouldEndItsField) {
  auto odd = cells();
  odd[0].of.model.label = "a|b*c";
  EXPECT_THAT(shown_as("markdown", odd, values()), HasSubstr("| a\\|b\\*c |"));
}

TEST(Formats, AreFoundByNameAndTheNearestIsNamed) {
  EXPECT_STREQ(find_format("csv", show_formats()).value()->name, "csv");
  EXPECT_EQ(find_format("markdwn", show_formats()).error().text(), "markdwn: unknown format, did you mean markdown?");
}

}  // namespace
}  // namespace ngb::report
