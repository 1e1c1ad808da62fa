// SPDX-License-Identifier: Apache-2.0
// The tables and examples of docs/study.md and README.md, and two studies of studies/, agree with the parser.
#include <cstdlib>

#include "base/file.h"
#include "config/keys/key_tables.h"
#include "study_fixture.h"

namespace ngb::config {
namespace {

const std::filesystem::path kSource = NGB_SOURCE_DIR;

std::string content(const std::filesystem::path& path) {
  auto text = file::read(path);
  if (!text) ADD_FAILURE() << text.error().text();
  return text.value_or("");
}

// Returns the first fenced block of that language.
std::string fenced(const std::string& document, const std::string& language) {
  const std::string fence = "```" + language + "\n";
  const std::size_t begin = document.find(fence);
  if (begin == std::string::npos) return {};
  return document.substr(begin + fence.size(), document.find("```\n", begin + fence.size()) - begin - fence.size());
}

TEST(StudyReference, IsUpToDate) {
  const std::filesystem::path path = kSource / "docs" / "study.md";
  const std::string document = content(path);
  const std::string renewed = with_key_tables(document);
  if (std::getenv("NGB_WRITE_DOCS") != nullptr) std::ofstream(path, std::ios::binary) << renewed;
  ASSERT_NE(renewed.find("<!-- keys of study: generated -->\n| key |"), std::string::npos);
  EXPECT_EQ(document, renewed) << "run: NGB_WRITE_DOCS=1 config_test --gtest_filter=StudyReference.*";
}

TEST(StudyReference, ItsExampleIsAStudy) {
  const TemporaryFolder folder;
  for (const char* const name : {"my_model.onnx", "my_model.py", "mask.npy"})
    static_cast<void>(folder.write(name, "x"));
  const std::string example = fenced(content(kSource / "docs" / "study.md"), "yaml");
  const auto study = load_study(folder.write("study.yaml", example), small_vocabulary());
  ASSERT_TRUE(study) << study.error()[0].text();
  EXPECT_EQ(study->models.size(), 10U);
  EXPECT_EQ(study->compilers.size(), 4U);
}

TEST(Readme, ItsExampleIsAStudy) {
  const TemporaryFolder folder;
  static_cast<void>(folder.write("my_model.onnx", "x"));
  const auto study =
      load_study(folder.write("my_study.yaml", fenced(content(kSource / "README.md"), "yaml")), small_vocabulary());
  ASSERT_TRUE(study) << study.error()[0].text();
  EXPECT_EQ(study->name, "my_study");
  EXPECT_EQ(study->compilers.size(), 4U);
}

TEST(StudyReference, ItsExampleOfMistakesGivesThePrintedProblems) {
  const std::string document = content(kSource / "docs" / "study.md");
  const std::string after = document.substr(document.find("## Mistakes"));
  const TemporaryFolder folder;
  const auto study = load_study(folder.write("study.yaml", fenced(after, "yaml")), small_vocabulary());
  ASSERT_FALSE(study);
  std::string printed;
  for (StudyProblem problem : study.error()) {
    problem.file = "study.yaml";
    printed += problem.text() + "\n";
  }
  EXPECT_EQ(printed, fenced(after, "text"));
}

TEST(Studies, TheQuickstartIsAStudy) {
  const auto study = load_study(kSource / "studies" / "quickstart.yaml", small_vocabulary());
  ASSERT_TRUE(study) << study.error()[0].text();
  EXPECT_EQ(study->models.size(), 2U);
  EXPECT_EQ(study->compilers.size(), 3U);
  EXPECT_EQ(study->protocol.processes, 7);
  EXPECT_EQ(study->protocol.repetitions, 6);
  EXPECT_EQ(study->protocol.turns, 6);
}

TEST(Studies, VersionsComparesTwoOfEachCompiler) {
  const auto study = load_study(kSource / "studies" / "versions.yaml", small_vocabulary());
  ASSERT_TRUE(study) << study.error()[0].text();
  EXPECT_EQ(study->models.size(), 8U);
  EXPECT_THAT(study->devices[0].compilers, testing::ElementsAre("identity", "onnxruntime 1.30.0", "onnxruntime 1.31.1",
                                                                "openvino 2026.3.1", "openvino 2026.4.1"));
  EXPECT_THAT(study->batch_sizes, testing::ElementsAre(1, 4, 8));
  EXPECT_EQ(study->protocol.processes, 5);
  EXPECT_EQ(study->protocol.repetitions, 20);
}

}  // namespace
}  // namespace ngb::config
