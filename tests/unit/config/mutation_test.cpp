// SPDX-License-Identifier: Apache-2.0
// A study file with any bytes is read as a Study or as problems, without a crash and within a second.
#include <ctime>
#include <random>

#include "study_fixture.h"

namespace ngb::config {
namespace {

constexpr std::string_view kGood = R"(# a comment
name: mutated
models:
  - zoo: resnet18
  - zoo: {conv_block: {width: [64, 96], depth: &d [1, 2, 4]}}
    label: "block \u00e9"
  - zoo: {conv_block: {width: 32, depth: *d}}
compilers:
  - null
  - identity
  - onnxruntime: {version: 1.30.0, threads: 2, options: {graph_optimization: basic, arena: false}}
  - onnxruntime
batch_sizes: [1, 4, 8]
pairs: {local: [identity, onnxruntime]}
stop_when: {half_width_percent: 1.5, max_s: 20}
tolerances: &t {absolute: 1e-4, relative: 1e-3}
memory_limit: 4 GB
timeouts:
  compile_s: 60
  run_s: 30
seed: 7
)";

// Bytes that have a meaning in YAML, and some that a text may not contain.
constexpr std::string_view kBytes = "{}[]:,-#&*!|>'\"%@`?<~ \n\t\r\\0129.eE+_a\x80\xC3\xFF";

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::string mutate() {
    std::string text(kGood);
    const std::size_t count = 1 + below(6);
    for (std::size_t i = 0; i < count && !text.empty(); ++i) change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

  void change(std::string& text) {
    const std::size_t at = below(text.size());
    const std::size_t length = 1 + below(std::min<std::size_t>(40, text.size() - at));
    switch (below(6)) {
      case 0:
        text[at] = kBytes[below(kBytes.size())];
        break;
      case 1:
        text.insert(at, 1, kBytes[below(kBytes.size())]);
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(below(text.size()), text.substr(at, length));
        break;
      case 4:
        text.insert(at, std::string(1 + below(300), kBytes[below(kBytes.size())]));
        break;
      default:
        text.resize(at);
    }
  }

  std::mt19937_64 random_;
};

TEST(MutatedStudyFile, GivesAStudyOrProblemsWithinASecondOfProcessorTime) {
  const TemporaryFolder folder;
  const Vocabulary vocabulary = small_vocabulary();
  ASSERT_TRUE(load_study(folder.write("study.yaml", kGood), vocabulary));
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const std::string text = Mutator(seed).mutate();
    const std::clock_t begin = std::clock();
    const auto study = load_study(folder.write("study.yaml", text), vocabulary);
    ASSERT_LT(std::clock() - begin, CLOCKS_PER_SEC) << text;
    if (study) {
      ASSERT_FALSE(study->models.empty()) << text;
      ASSERT_FALSE(study->compilers.empty()) << text;
      continue;
    }
    ++refused;
    ASSERT_FALSE(study.error().empty()) << text;
    for (const StudyProblem& problem : study.error()) ASSERT_FALSE(problem.message.empty()) << text;
  }
  EXPECT_GT(refused, 1000);
  EXPECT_LT(refused, 2000);
}

}  // namespace
}  // namespace ngb::config
