// SPDX-License-Identifier: Apache-2.0
#include "plan/groups.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace ngb::plan {
namespace {

using work::Compiler;
using Questions = std::vector<work::Question>;

Compiler compiler(const std::string& name, const std::string& version, const std::string& label, int threads = 1,
                  const work::Options& options = {}) {
  Compiler made{.name = name, .version = version, .options = options, .threads = threads};
  made.label = label;
  return made;
}

// One group with a cell of each compiler.
Questions questions_of(const std::vector<Compiler>& compilers, const std::string& baseline) {
  work::Lists lists;
  lists.compilers = compilers;
  lists.models.resize(1);
  work::Group& group = lists.groups.emplace_back();
  for (int i = 0; i < static_cast<int>(compilers.size()); ++i) {
    lists.cells.push_back({.id = std::to_string(i), .compiler_index = i});
    group.steps.push_back({i, 0});
  }
  add_questions(lists, baseline);
  return lists.groups.front().questions;
}

TEST(Questions, CompareEachCompilerWithTheBaseline) {
  EXPECT_EQ(questions_of({compiler("identity", "1", "identity"), compiler("openvino", "2", "openvino"),
                          compiler("onnxruntime", "3", "onnxruntime")},
                         "identity"),
            (Questions{{1, 0}, {2, 0}}));
}

TEST(Questions, AreNoneWithoutTheBaseline) {
  EXPECT_EQ(questions_of({compiler("openvino", "2", "openvino")}, "identity"), Questions{});
}

TEST(Questions, TakeTheBaselineForALabelFirstThenForAVersionThenForAName) {
  const std::vector<Compiler> compilers{compiler("tvm", "1", "new"), compiler("tvm", "2", "tvm"),
                                        compiler("xla", "3", "xla")};
  EXPECT_EQ(questions_of(compilers, "tvm"), (Questions{{0, 1}, {2, 1}}));
  EXPECT_EQ(questions_of(compilers, "tvm@1"), (Questions{{1, 0}, {2, 0}}));
  EXPECT_EQ(questions_of(compilers, "xla"), (Questions{{0, 2}, {1, 2}}));
}

TEST(Questions, CompareCellsUnderTheSameLoad) {
  work::Lists lists;
  lists.compilers = {compiler("identity", "1", "identity"), compiler("xla", "2", "xla")};
  lists.models.resize(1);
  lists.loads = {work::Load{}, {.kind = work::LoadKind::command, .command = "make", .name = "command: make"}};
  work::Group& group = lists.groups.emplace_back();
  for (int i = 0; i < 4; ++i) {
    lists.cells.push_back({.id = std::to_string(i), .compiler_index = i % 2, .load_index = i / 2});
    group.steps.push_back({i, 0});
  }
  add_questions(lists, "identity");
  EXPECT_EQ(lists.groups.front().questions, (Questions{{1, 0}, {3, 2}}));
}

TEST(Questions, CompareCellsOfEquallyManyThreads) {
  const std::vector<Compiler> compilers{compiler("identity", "1", "one thread", 1),
                                        compiler("identity", "1", "two threads", 2),
                                        compiler("openvino", "2", "openvino", 2), compiler("xla", "2", "xla", 4)};
  EXPECT_EQ(questions_of(compilers, "identity"), (Questions{{2, 1}}));
}

TEST(Questions, CompareWithALabelledBaselineWhateverItsThreads) {
  EXPECT_EQ(questions_of({compiler("identity", "1", "base", 1), compiler("xla", "2", "xla", 4)}, "base"),
            (Questions{{1, 0}}));
}

Compiler with_precision(Compiler made, const std::string& precision) {
  made.precision = precision;
  return made;
}

// Speed-ups refer to the baseline in f32 as well (metrics::BaselineCells).
TEST(Questions, CompareWithTheBaselineInFullPrecisionAndWithOneOfTheCellsOwnIfThereIsNone) {
  const Compiler half = with_precision(compiler("identity", "1", "half"), "f16");
  const Compiler full = compiler("identity", "1", "full");
  const Compiler other = with_precision(compiler("xla", "2", "xla"), "f16");
  EXPECT_EQ(questions_of({half, full, other}, "identity"), (Questions{{0, 1}, {2, 1}}));
  EXPECT_EQ(questions_of({half, other}, "identity"), (Questions{{1, 0}}));
}

// Which of the two a cell computes beside is known only once it was measured.
TEST(Questions, CompareWithABaselineOnEachDevice) {
  EXPECT_EQ(questions_of({compiler("identity", "1", "on the cpu"),
                          compiler("identity", "1", "on the gpu", 1, {{"device", "\"cuda\""}}),
                          compiler("tensorrt", "2", "tensorrt")},
                         "identity"),
            (Questions{{2, 0}, {2, 1}}));
}

TEST(KeptCells, KeepTheirStepsAndTheQuestionsAmongThem) {
  work::Lists lists;
  lists.cells = {{.id = "a"}, {.id = "b"}, {.id = "c"}, {.id = "d"}};
  lists.groups = {{.steps = {{0, 0}, {1, 0}, {2, 0}, {2, 1}}, .questions = {{1, 0}, {2, 0}}}, {.steps = {{3, 0}}}};
  keep_cells(lists, {"a", "c"});
  ASSERT_EQ(lists.cells.size(), 2U);
  EXPECT_EQ(lists.cells[1].id, "c");
  ASSERT_EQ(lists.groups.size(), 1U) << "nothing of the second one is left";
  std::vector<std::pair<int, int>> steps;
  for (const work::Step& step : lists.groups[0].steps) steps.emplace_back(step.cell_index, step.process_index);
  EXPECT_EQ(steps, (std::vector<std::pair<int, int>>{{0, 0}, {1, 0}, {1, 1}}));
  EXPECT_EQ(lists.groups[0].questions, (Questions{{1, 0}}));
}

}  // namespace
}  // namespace ngb::plan
