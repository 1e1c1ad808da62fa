// SPDX-License-Identifier: Apache-2.0
#include "agent/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "agent_client.h"

namespace ngb::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const JobIdentity kIdentity{"run-1", "abc"};

samples::Event event_of(const std::string& model_id) { return {0, samples::ModelWritten{model_id, "00", 1, 2}}; }

struct Opened {
  std::optional<Journal> journal{};
  std::vector<std::string> models{};  // of the events that were in it
  std::string error{};
};

Opened open(const std::filesystem::path& folder, const JobIdentity& identity = kIdentity) {
  Opened opened;
  Result<Journal> journal = Journal::open(folder, identity, [&](const samples::Event& event) {
    opened.models.push_back(std::get<samples::ModelWritten>(event.body).model_id);
  });
  if (!journal) opened.error = journal.error().text();
  if (journal) opened.journal = *std::move(journal);
  return opened;
}

// A journal of three events: one, two, three.
void write_three(const std::filesystem::path& folder) {
  Opened opened = open(folder);
  for (const char* model : {"one", "two", "three"}) ASSERT_TRUE(opened.journal->append(event_of(model)));
}

std::string content_of(const std::filesystem::path& path) { return file::read(path).value_or("unreadable"); }

void overwrite(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

TEST(Journal, GivesBackWhatWasRecordedInOrder) {
  const TemporaryFolder folder;
  write_three(folder.path());
  const Opened again = open(folder.path());
  EXPECT_THAT(again.models, ElementsAre("one", "two", "three"));
  EXPECT_EQ(again.journal->last_sequence(), 3U);
  EXPECT_TRUE(again.journal->remarks().empty());
}

TEST(Journal, NumbersFromOneAndGoesOnAfterAnotherStart) {
  const TemporaryFolder folder;
  write_three(folder.path());
  EXPECT_EQ(open(folder.path()).journal->append(event_of("four")), 4U);
}

TEST(Journal, YieldsTheEventsAfterANumber) {
  const TemporaryFolder folder;
  write_three(folder.path());
  const Opened opened = open(folder.path());
  const Result<Journal::Entry> entry = opened.journal->next_after(1);
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->sequence, 2U);
  EXPECT_THAT(entry->payload, HasSubstr("two"));
  EXPECT_TRUE(opened.journal->next_after(3)->payload.empty());
}

TEST(Journal, CutsOffARecordThatWasNotWrittenToItsEndAtEveryLength) {
  const TemporaryFolder folder;
  write_three(folder.path());
  const std::string whole = content_of(folder.path() / "journal");
  const std::size_t third_begins = whole.rfind("{\"event\"") - samples::kFrameHeaderBytes;
  for (std::size_t size = third_begins; size < whole.size(); ++size) {
    overwrite(folder.path() / "journal", whole.substr(0, size));
    Opened opened = open(folder.path());
    ASSERT_THAT(opened.models, ElementsAre("one", "two")) << size;
    ASSERT_TRUE(opened.journal->remarks().empty()) << size;
    ASSERT_EQ(std::filesystem::file_size(folder.path() / "journal"), third_begins);
  }
}

TEST(Journal, KeepsWhatStandsBeforeADamagedRecordAndMovesTheRestAside) {
  const TemporaryFolder folder;
  write_three(folder.path());
  std::string bytes = content_of(folder.path() / "journal");
  bytes[bytes.find("two")] = 'T';
  overwrite(folder.path() / "journal", bytes);
  Opened opened = open(folder.path());
  EXPECT_THAT(opened.models, ElementsAre("one"));
  EXPECT_THAT(content_of(folder.path() / "journal.damaged-1"), HasSubstr("three"));
  ASSERT_EQ(opened.journal->remarks().size(), 1U);
  EXPECT_THAT(opened.journal->remarks()[0], HasSubstr("checksum"));
  EXPECT_THAT(opened.journal->remarks()[0], HasSubstr("journal.damaged-1"));
  EXPECT_EQ(opened.journal->append(event_of("again")), 2U);
}

TEST(Journal, SeesEveryFlippedBitAndLosesNoByte) {
  const TemporaryFolder folder;
  write_three(folder.path());
  const std::string whole = content_of(folder.path() / "journal");
  for (std::size_t byte = 0; byte < whole.size(); ++byte) {
    const TemporaryFolder copy;
    std::string bytes = whole;
    bytes[byte] = static_cast<char>(bytes[byte] ^ 1);
    overwrite(copy.path() / "journal", bytes);
    const Opened opened = open(copy.path());
    ASSERT_LT(opened.models.size(), 3U) << "byte " << byte;
    // The last record's length may claim more than there is: then it cannot be told from one that was torn.
    if (!opened.journal->remarks().empty()) {
      const bool is_other = std::filesystem::exists(copy.path() / "journal.other-1");
      const std::string aside = content_of(copy.path() / (is_other ? "journal.other-1" : "journal.damaged-1"));
      ASSERT_EQ(aside, bytes.substr(bytes.size() - aside.size())) << "byte " << byte;
    } else {
      ASSERT_EQ(opened.models.size(), 2U) << "byte " << byte;
    }
  }
}

TEST(Journal, DoesNotTakeADamagedLengthInTheMiddleForATornTail) {
  const TemporaryFolder folder;
  write_three(folder.path());
  std::string bytes = content_of(folder.path() / "journal");
  const std::size_t second_begins = bytes.find("{\"event\"", bytes.find("\"one\"")) - samples::kFrameHeaderBytes;
  bytes[second_begins + 2] = 1;  // 65,536 bytes more than the record has
  overwrite(folder.path() / "journal", bytes);
  const Opened opened = open(folder.path());
  EXPECT_THAT(opened.models, ElementsAre("one"));
  EXPECT_EQ(content_of(folder.path() / "journal.damaged-1"), bytes.substr(second_begins));
}

TEST(Journal, TakesANumberWithoutASuccessorForDamage) {
  const TemporaryFolder folder;
  write_three(folder.path());
  const std::string last = samples::frame(samples::encode(samples::Event{UINT64_MAX, samples::Finished{}}));
  overwrite(folder.path() / "journal", content_of(folder.path() / "journal") + last);
  Opened opened = open(folder.path());
  EXPECT_THAT(opened.models, ElementsAre("one", "two", "three"));
  EXPECT_EQ(content_of(folder.path() / "journal.damaged-1"), last);
  EXPECT_EQ(opened.journal->append(event_of("four")), 4U);
}

TEST(Journal, DoesNotResumeTheJournalOfAnotherJob) {
  const TemporaryFolder folder;
  write_three(folder.path());
  const std::string whole = content_of(folder.path() / "journal");
  const Opened opened = open(folder.path(), {"run-2", "abc"});
  EXPECT_TRUE(opened.models.empty());
  EXPECT_EQ(opened.journal->last_sequence(), 0U);
  EXPECT_EQ(content_of(folder.path() / "journal.other-1"), whole);
}

TEST(Journal, GoesOnAboveWhatTheClientKnows) {
  const TemporaryFolder folder;
  write_three(folder.path());
  Opened opened = open(folder.path());
  opened.journal->continue_after(10);
  EXPECT_EQ(opened.journal->append(event_of("eleven")), 11U);
  EXPECT_EQ(opened.journal->next_after(3)->sequence, 11U);
  const Opened again = open(folder.path());
  EXPECT_THAT(again.models, ElementsAre("one", "two", "three", "eleven"));
}

TEST(Journal, SaysWhatIsWrongWithAFolderThatIsNotThere) {
  EXPECT_THAT(open("/nowhere/at/all").error, HasSubstr("/nowhere/at/all/journal: cannot open the journal"));
}

// A file system of 64 KiB.
class FullDisk : public testing::Test {
 protected:
  void SetUp() override {
    if (::mount("ngb", folder_.path().c_str(), "tmpfs", 0, "size=64k") != 0) {
      GTEST_SKIP() << "mounting a small file system needs root: " << std::strerror(errno);
    }
    is_mounted_ = true;
  }
  void TearDown() override {
    if (is_mounted_) ::umount2(folder_.path().c_str(), MNT_DETACH);
  }
  TemporaryFolder folder_;
  bool is_mounted_ = false;
};

TEST_F(FullDisk, LeavesTheJournalAsItWasBeforeARecordThatDoesNotFit) {
  Opened opened = open(folder_.path());
  ASSERT_TRUE(opened.journal->append(event_of("one")));
  const Result<std::uint64_t> large = opened.journal->append(event_of(std::string(200'000, 'x')));
  ASSERT_FALSE(large);
  EXPECT_THAT(large.error().what, HasSubstr("No space left on device"));
  EXPECT_EQ(opened.journal->last_sequence(), 1U);
  EXPECT_EQ(opened.journal->append(event_of("two")), 2U);
  EXPECT_THAT(open(folder_.path()).models, ElementsAre("one", "two"));
}

TEST_F(FullDisk, EndsTheAgentWithAReasonAndKeepsWhatIsRecorded) {
  samples::Job job = test::small_job(400);
  test::add_cell(job, "a");
  const test::WholeRun run = test::run_job(folder_.path(), job);
  ASSERT_TRUE(run.error) << "400 processes fitted on 64 KiB";
  EXPECT_THAT(run.error->what + run.error->next, HasSubstr("No space left on device"));
  EXPECT_THAT(run.error->next, HasSubstr("free some space"));
  EXPECT_EQ(run.outcome.exit_code, 3);
  ASSERT_FALSE(run.processes.empty());
  std::size_t kept = 0;
  const Result<Journal> journal =
      Journal::open(folder_.path(), identity_of(job), [&](const samples::Event&) { ++kept; });
  ASSERT_TRUE(journal);
  EXPECT_TRUE(journal->remarks().empty());
  EXPECT_EQ(kept, run.events.size());
}

TEST(Journal, BelongsToAJobWhateverTheWordsInWhichAReferenceIsMissing) {
  samples::Job job;
  job.models.emplace_back().no_reference = "signal 9 after 3 s";
  const JobIdentity identity = identity_of(job);
  job.models[0].no_reference = "signal 9 after 4 s";
  EXPECT_EQ(identity_of(job), identity);
  job.models[0].reference_path = "references/00ff/outputs.ref";
  EXPECT_NE(identity_of(job), identity);
}

}  // namespace
}  // namespace ngb::agent
