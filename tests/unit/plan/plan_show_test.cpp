// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "plan/estimate.h"
#include "plan_fixture.h"

namespace ngb::plan {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Returns a plan of two models, two compilers and three rounds. It is made by hand, without expand.
Plan by_hand() {
  Plan plan;
  plan.study = small_study();
  plan.study.protocol.processes = 3;
  plan.study.given = {"models", "compilers", "batch_sizes", "processes"};
  plan.study.reference_version = "2.15.0";
  plan.compilers = {{.name = "null", .label = "null"},
                    {.name = "onnxruntime",
                     .version = "1.31.1",
                     .options = {{"arena", "false"}, {"graph_optimization", "\"basic\""}},
                     .threads = 16,
                     .label = "onnxruntime"}};
  plan.models = {{{.key = {"aa", 1}, .label = "größe=1", .family = "conv_block", .parameters = 100},
                  work::Recipe{R"({"family":"conv_block"})"},
                  "",
                  {{"input", DataType::f32, {1, 3, 8, 8}}}},
                 {{.key = {"bb", 16}, .label = "file"}, work::OnnxFile{}, "/m/file.onnx"}};
  plan.models[0].macs = 2000;
  plan.models[0].macs_torchinfo = 1900;
  for (int model = 0; model < 2; ++model) {
    plan.cells.push_back({"1111111111111111", "local", 0, model});
    plan.cells.push_back({"2222222222222222", "local", 1, model});
  }
  plan.groups = {{"local", 1, {{3, 0}, {2, 0}, {2, 1}, {3, 1}, {3, 2}, {2, 2}}},
                 {"local", 0, {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 2}, {1, 2}}}};
  return plan;
}

TEST(PlanText, ShowsCellsAlignedByCharacters) {
  EXPECT_THAT(to_text(by_hand(), Extent::all),
              HasSubstr("\nCells\n"
                        "  id                device  model    batch  compiler     version  threads  options, settings\n"
                        "  1111111111111111  local   größe=1      1  null         -              1  -\n"
                        "  2222222222222222  local   größe=1      1  onnxruntime  1.31.1        16  arena=false "
                        "graph_optimization=basic\n"
                        "  1111111111111111  local   file        16  null         -              1  -\n"));
}

TEST(PlanText, InBriefHasNoIdsAndSaysOnceWhatIsTheSameInAllCells) {
  EXPECT_THAT(to_text(by_hand(), Extent::brief),
              HasSubstr("\nCells\n"
                        "  model    batch  compiler     version  threads  options, settings\n"
                        "  größe=1      1  null         -              1  -\n"
                        "  größe=1      1  onnxruntime  1.31.1        16  arena=false graph_optimization=basic\n"
                        "  file        16  null         -              1  -\n"));
  Plan alike = by_hand();
  alike.cells = {alike.cells[1], alike.cells[3]};
  EXPECT_THAT(to_text(alike, Extent::brief),
              HasSubstr("\nCells\n"
                        "  model    batch\n"
                        "  größe=1      1\n"
                        "  file        16\n"
                        "  all with device local, compiler onnxruntime, version 1.31.1, threads 16, options, settings "
                        "arena=false graph_optimization=basic\n"));
}

TEST(PlanText, ShowsTheOrderByRounds) {
  EXPECT_THAT(to_text(by_hand(), Extent::all),
              HasSubstr("\n  1. file batch 16 on local: onnxruntime, null | null, onnxruntime | …\n"
                        "  2. größe=1 batch 1 on local: null, onnxruntime | onnxruntime, null | …\n"));
}

TEST(PlanText, SaysWhetherRoundsGoOverAllGroupsOrEachGroupHasAllItsRounds) {
  Plan plan = by_hand();
  EXPECT_THAT(to_text(plan, Extent::all),
              HasSubstr("; 3 rounds over all of them, with one process for every compiler in each\n"));
  plan.study.order = work::Order::groups;
  EXPECT_THAT(to_text(plan, Extent::all), HasSubstr("; in each, 3 rounds of one process for every compiler\n"));
}

TEST(PlanText, EndsWithCountsAndTime) {
  // Between processes: 0.5 s, 0.1 s for each of 3 rounds of 2 groups, 0.5 s for each of 2 models, and 3 s of imports. 3
  // processes of each cell, with 25 repetitions each: null, twice: 0.1 + 50e-6 + 25 * 0.001; onnxruntime: 0.13 + 50e-6
  // + 25 * 0.001, and 0.13 + 26 * (50e-6 + 16e9 / (75e9 * 16)). The first process of each looks 1.25 * 5 % longer.
  EXPECT_NEAR(estimate(by_hand(), no_experience()).seconds, 5.1 + 1.0625 * (0.7503 + 0.46515 + 1.4339), 1e-3);
  EXPECT_EQ(
      estimate_text(by_hand(), no_experience()),
      "4 cells, 12 processes: about 7.9 s\n"
      "  from a table of usual times: nothing like it was measured here yet\n"
      "  beside other programs it takes longer: a disturbed process is tried 3 times, after waits of up to 10.0 s\n");
}

TEST(PlanText, MarksWhatTheStudyDoesNotGive) {
  const std::string text = to_text(by_hand(), Extent::all);
  EXPECT_THAT(text, testing::ContainsRegex("\n  processes +3\n"));
  EXPECT_THAT(text, testing::ContainsRegex("\n  repetitions +20 +\\(default\\)\n"));
  EXPECT_THAT(text, testing::ContainsRegex("\n  tolerances.relative +0.001; in a file of .* +\\(default\\)\n"));
  EXPECT_THAT(text, HasSubstr("Study small (/studies/small.yaml)\n"));
}

TEST(PlanText, SaysHowManyGroupsItLeavesOut) {
  Plan plan = by_hand();
  for (int i = 0; i < 10; ++i) plan.groups.push_back(plan.groups[0]);
  EXPECT_THAT(to_text(plan, Extent::all), HasSubstr("\n  … and 7 more\n"));
}

TEST(PlanJson, HoldsModelsCellsAndOrder) {
  const json shown = to_json(by_hand());
  EXPECT_EQ(shown["study"]["name"], "small");
  EXPECT_EQ(shown["models"][0], json_text::parse(R"({"hash": "aa", "label": "größe=1", "family": "conv_block",
      "group": null, "style": null, "size": null, "raw_bytes": null, "encoded_bytes": null,
      "recipe": {"family": "conv_block"}, "path": null, "batch": 1, "parameters": 100, "macs": 2000,
      "macs_torchinfo": 1900, "inputs": [{"name": "input", "type": "f32", "shape": [1, 3, 8, 8]}]})"));
  EXPECT_EQ(shown["models"][1]["macs"], nullptr);
  EXPECT_EQ(shown["models"][1]["path"], "/m/file.onnx");
  EXPECT_EQ(shown["cells"][1],
            json_text::parse(R"({"id": "2222222222222222", "device": "local", "compiler": "onnxruntime",
      "compiler_label": "onnxruntime", "compiler_version": "1.31.1", "threads": 16, "precision": "f32", "load": "none",
      "options": {"arena": false, "graph_optimization": "basic"}, "settings": {}, "in_flight": "1", "instances": 1, "processors": "auto",
      "model_index": 0, "model": "größe=1", "batch": 1})"));
  EXPECT_EQ(shown["groups"][0]["model_index"], 1);
  EXPECT_EQ(shown["groups"][0]["steps"][1], json_text::parse(R"({"cell_index": 2, "process_index": 0})"));
  EXPECT_EQ(shown["process_count"], 12);
  EXPECT_THAT(shown["defaults"], testing::Contains("repetitions"));
  EXPECT_THAT(shown["defaults"], testing::Not(testing::Contains("processes")));
}

}  // namespace
}  // namespace ngb::plan
