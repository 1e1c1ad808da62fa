// SPDX-License-Identifier: Apache-2.0
#include "bundle/verification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/hash.h"
#include "bundle/archive.h"
#include "bundle/contents.h"
#include "bundle/descriptions.h"
#include "bundle/paths.h"
#include "unit/store/made_up.h"

namespace ngb::bundle {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

constexpr const char* kProgram = "0.1.0 (git 0123456789ab)";

// A bundle of two cells with two processes each, as it was unpacked.
class BundleVerification : public ::testing::Test {
 protected:
  void SetUp() override {
    auto store = store::Store::open(folder_.results(), store::Mode::read_write);
    const std::string run = store->begin_run(made_up::plan(), 7).value();
    std::uint64_t sequence = 0;
    for (const char* const cell : {"aa", "bb"}) {
      for (const int index : {0, 1}) {
        ASSERT_TRUE(store->record(run, "local", {++sequence, made_up::process(cell, index)}));
      }
    }
    ASSERT_TRUE(store->flush());
    const auto files = write_bundle(folder_.results(), about_, zip());
    ASSERT_TRUE(files) << files.error().text();
    const auto entries = list_zip(zip()).value();
    EXPECT_EQ(entries.size(), *files);
    fs::create_directory(unpacked());
    ASSERT_TRUE(unpack_zip(zip(), entries, unpacked()));
  }
  [[nodiscard]] fs::path zip() const { return folder_ / "made.zip"; }
  [[nodiscard]] fs::path unpacked() const { return folder_ / "unpacked"; }
  [[nodiscard]] std::string read(const char* path) const { return file::read(unpacked() / path).value(); }
  void write(const char* path, const std::string& content) const {
    folder_.write(fs::path("unpacked") / path, content);
  }
  void replace(const char* path, const std::string& from, const std::string& to) const {
    std::string text = read(path);
    ASSERT_NE(text.find(from), std::string::npos) << path;
    write(path, text.replace(text.find(from), from.size(), to));
  }
  // Makes the descriptions and the manifest anew, as somebody does who changes a bundle on purpose.
  void list_anew(About about) const {
    auto paths = list_files(unpacked()).value();
    std::erase(paths, kManifestPath);
    for (const Description& each : descriptions(about, paths)) {
      folder_.write(fs::path("unpacked") / each.path, each.text);
    }
    write(kManifestPath, to_text({about, describe_files(unpacked(), paths).value()}));
  }
  // Returns "rule: file: what" of each rule that does not hold.
  [[nodiscard]] std::vector<std::string> problems(const std::string& verified_by = kProgram) const {
    const auto verified = verify_bundle(unpacked(), verified_by);
    EXPECT_TRUE(verified) << verified.error().text();
    std::vector<std::string> found;
    for (const RuleOutcome& outcome : verified->outcomes) {
      for (const Problem& each : outcome.problems) {
        found.push_back(std::string(outcome.rule->id) + ": " + each.where + ": " + each.what);
      }
    }
    return found;
  }

  made_up::Folder folder_;
  About about_{
      .name = "made up", .description = "Times.", .date = "2026-11-25", .made_by = kProgram, .formulas = formulas()};
};

TEST_F(BundleVerification, HoldsByEveryRuleForTheZipFileAndForItsFolder) {
  for (const fs::path& given : {zip(), unpacked()}) {
    const auto verified = verify_bundle(given, kProgram);
    ASSERT_TRUE(verified) << verified.error().text();
    EXPECT_TRUE(verified->is_complete() && verified->holds(Level::files) && verified->holds(Level::numbers));
    EXPECT_EQ(verified->about->name, "made up");
  }
}

TEST_F(BundleVerification, NamesWhatIsListedAndMissingAndWhatIsThereAndNotListed) {
  fs::remove(unpacked() / kStudyPath);
  write("data/more.csv", "a\n");
  EXPECT_THAT(problems(),
              IsSupersetOf({"manifest: study.json: it is listed and missing",
                            "manifest: data/more.csv: it is there and not listed", "study: study.json: it is missing",
                            "metadata: data/more.csv: no bundle has such a file"}));
}

TEST_F(BundleVerification, NamesAFileOfAnotherSizeAndOneOfAnotherHash) {
  write(kReadmePath, read(kReadmePath) + "\n");
  replace(kCellsPath, "identity", "Identity");
  EXPECT_THAT(problems(),
              ElementsAre(HasSubstr("hash: README.md: it has "), HasSubstr("hash: data/cells.csv: its SHA-256 is "),
                          HasSubstr("tables: data/cells.csv: line 2"), HasSubstr("metadata: README.md: ")));
}

TEST_F(BundleVerification, RefusesALinkAndAFileWithoutAPlainName) {
  fs::create_symlink("/etc/passwd", unpacked() / "data/users.csv");
  EXPECT_THAT(problems(), ElementsAre("paths: data/users.csv: it is neither a file nor a folder"));
  fs::remove(unpacked() / "data/users.csv");
  write("data/.hidden", "");
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("paths: data/.hidden: ")));
}

TEST_F(BundleVerification, FindsAChangedNumberAlsoIfTheManifestWasMadeAnew) {
  replace(kSamplesPath, "3000000", "3000001");
  list_anew(about_);
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("samples: data/samples.csv: line ")));
}

TEST_F(BundleVerification, CannotJudgeNumbersWithoutTheSamples) {
  fs::remove(unpacked() / kResultsPath);
  list_anew(about_);
  EXPECT_THAT(problems(),
              ElementsAre("samples: results/results.db: it is missing, so no number can be computed again"));
  EXPECT_FALSE(verify_bundle(unpacked(), kProgram)->is_complete());
}

TEST_F(BundleVerification, LeavesOtherWordsToTheVersionThatHasWrittenThem) {
  replace(kEnvironmentPath, "environments", "surroundings");
  list_anew(about_);
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("environment: environment.json: line ")));
  EXPECT_THAT(problems("0.2.0 (git ba9876543210)"), IsEmpty());
  const auto verified = verify_bundle(unpacked(), "0.2.0 (git ba9876543210)");
  const auto environment =
      std::find_if(verified->outcomes.begin(), verified->outcomes.end(),
                   [](const RuleOutcome& each) { return each.rule->id == std::string("environment"); });
  EXPECT_THAT(environment->why_unchecked.value_or(""),
              testing::AllOf(HasSubstr("the numbers are the same, words differ"),
                             HasSubstr("ngb 0.1.0 (git 0123456789ab) can decide")));
}

TEST_F(BundleVerification, LeavesAPageToTheVersionThatHasMadeIt) {
  replace(kPagePath, "</h1>", " twice</h1>");
  list_anew(about_);
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("page: report/index.html: line ")));
  EXPECT_THAT(problems("0.2.0 (git ba9876543210)"), IsEmpty());
  EXPECT_FALSE(verify_bundle(unpacked(), "0.2.0 (git ba9876543210)")->is_complete());
}

TEST_F(BundleVerification, LeavesNumbersOfOtherFormulasToTheVersionThatHasThem) {
  constexpr const char* kOther = "0.2.0 (git ba9876543210)";
  replace("data/cells.csv", "measured", "measured,1");
  list_anew(about_);
  EXPECT_THAT(problems(kOther), ElementsAre(HasSubstr("tables: data/cells.csv: line "))) << "by the same formulas";
  about_.formulas = "those of before";
  list_anew(about_);
  EXPECT_THAT(problems(kOther), IsEmpty());
  EXPECT_FALSE(verify_bundle(unpacked(), kOther)->is_complete());
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("tables: data/cells.csv: line "))) << "the ngb that made it decides";
  replace(kSamplesPath, "3000000", "3000001");
  list_anew(about_);
  EXPECT_THAT(problems(kOther), ElementsAre(HasSubstr("samples: "))) << "samples follow from no formula";
}

TEST_F(BundleVerification, FailsIfThereIsNoBundle) {
  const auto verified = verify_bundle(folder_ / "none.zip", kProgram);
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error().what, "there is no bundle here");
}

TEST(ABundle, IsNotWrittenOverAnExistingFile) {
  const made_up::Folder folder;
  auto store = store::Store::open(folder.results(), store::Mode::read_write);
  ASSERT_TRUE(store->begin_run(made_up::plan(), 7));
  ASSERT_TRUE(store->flush());
  folder.write("there.zip", "mine");
  EXPECT_FALSE(write_bundle(folder.results(), {.name = "made up"}, folder / "there.zip"));
  EXPECT_EQ(file::read(folder / "there.zip").value(), "mine");
}

}  // namespace
}  // namespace ngb::bundle
