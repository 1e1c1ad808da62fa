// SPDX-License-Identifier: Apache-2.0
#include "agent/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "agent/journal_file.h"
#include "agent_client.h"

namespace ngb::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const JobIdentity kIdentity{"run-1", "abc"};

samples::Event event_of(const std::string& model_id) { return {0, samples::ModelWritten{{model_id}, "00", 1, 2}}; }

struct Opened {
  std::optional<Journal> journal{};
  std::vector<std::string> models{};  // of the events in the journal
  std::string error{};
};

Opened open(const std::filesystem::path& folder, const JobIdentity& identity = kIdentity) {
  Opened opened;
  Result<Journal> journal =
      Journal::open(folder, identity,
                    {[&](const samples::Event& event) {
                       opened.models.push_back(std::get<samples::ModelWritten>(event.body).model.hash);
                     },
                     [&] { opened.models.emplace_back("other job"); }});
  if (!journal) opened.error = journal.error().text();
  if (journal) opened.journal = *std::move(journal);
  return opened;
}

// Writes a journal of three events: one, two, three.
void write_three(const std::filesystem::path& folder) {
  Opened opened = open(folder);
  for (const char* model : {"one", "two", "three"}) ASSERT_TRUE(opened.journal->append(event_of(model)));
}

std::string content_of(const std::filesystem::path& path) { return file::read(path).value_or("unreadable"); }

void overwrite(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

TEST(Journal, ReturnsTheRecordedEventsInOrder) {
  const TemporaryFolder folder;
  write_three(folder.path());
  const Opened again = open(folder.path());
  EXPECT_THAT(again.models, ElementsAre("one", "two", "three"));
  EXPECT_EQ(again.journal->last_sequence(), 3U);
  EXPECT_TRUE(again.journal->remarks().empty());
}

TEST(Journal, NumbersFromOneAndContinuesWhenItIsOpenedAgain) {
  const TemporaryFolder folder;
  write_three(folder.path());
  EXPECT_EQ(open(folder.path()).journal->append(event_of("four")), 4U);
}

TEST(Journal, ReturnsTheEventsAfterANumber) {
  const TemporaryFolder folder;
  write_three(folder.path());
  const Opened opened = open(folder.path());
  const Result<Journal::Entry> entry = opened.journal->next_after(1);
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->sequence, 2U);
  EXPECT_THAT(entry->payload, HasSubstr("two"));
  EXPECT_TRUE(opened.journal->next_after(3)->payload.empty());
}

TEST(Journal, CutsOffAnIncompleteLastRecordOfEveryLength) {
  const TemporaryFolder folder;
  write_three(folder.path());
  const std::string whole = content_of(folder.path() / "journal");
  const std::size_t third_begins = whole.rfind("{\"body\"") - samples::kFrameHeaderBytes;
  for (std::size_t size = third_begins; size < whole.size(); ++size) {
    overwrite(folder.path() / "journal", whole.substr(0, size));
    Opened opened = open(folder.path());
    ASSERT_THAT(opened.models, ElementsAre("one", "two")) << size;
    ASSERT_TRUE(opened.journal->remarks().empty()) << size;
    ASSERT_EQ(std::filesystem::file_size(folder.path() / "journal"), third_begins);
  }
}

TEST(Journal, KeepsTheWholeRecordsBeforeAndAfterADamagedOne) {
  const TemporaryFolder folder;
  write_three(folder.path());
  std::string bytes = content_of(folder.path() / "journal");
  bytes[bytes.find("two")] = 'T';
  overwrite(folder.path() / "journal", bytes);
  Opened opened = open(folder.path());
  // The lost record may have belonged to a finished job, so another job begins.
  EXPECT_THAT(opened.models, ElementsAre("one", "three", "other job"));
  ASSERT_EQ(opened.journal->remarks().size(), 1U);
  EXPECT_THAT(opened.journal->remarks()[0], HasSubstr("a checksum is wrong"));
  EXPECT_THAT(opened.journal->remarks()[0], HasSubstr("measured again"));
  EXPECT_EQ(opened.journal->append(event_of("again")), 4U);
  EXPECT_THAT(open(folder.path()).models, ElementsAre("one", "three", "again", "other job"));
}

TEST(Journal, TellsAClientThatARecordIsLost) {
  const TemporaryFolder folder;
  write_three(folder.path());
  std::string bytes = content_of(folder.path() / "journal");
  bytes[bytes.find("two")] = 'T';
  overwrite(folder.path() / "journal", bytes);
  const Opened opened = open(folder.path());
  std::uint64_t last = 0;
  std::vector<std::string> kinds;
  for (;;) {
    const Result<Journal::Entry> entry = opened.journal->next_after(last);
    ASSERT_TRUE(entry);
    if (entry->payload.empty()) break;
    ASSERT_EQ(entry->sequence, last + 1);
    last = entry->sequence;
    const auto event = samples::decode_record(entry->payload);
    ASSERT_TRUE(event);
    kinds.emplace_back(std::holds_alternative<samples::Skipped>(event->front().body) ? "skipped" : "model");
  }
  EXPECT_THAT(kinds, ElementsAre("model", "skipped", "model"));
}

// A flipped bit of a record loses that record, one of a mark loses none, and the file keeps every byte.
TEST(Journal, NoticesEveryFlippedBitAndLosesNoByte) {
  const TemporaryFolder folder;
  write_three(folder.path());
  const std::string whole = content_of(folder.path() / "journal");
  const std::size_t first_record = whole.find("{\"body\"") - samples::kFrameHeaderBytes;
  for (std::size_t byte = 0; byte < whole.size(); ++byte) {
    const TemporaryFolder copy;
    std::string bytes = whole;
    bytes[byte] = static_cast<char>(bytes[byte] ^ 1);
    overwrite(copy.path() / "journal", bytes);
    Opened opened = open(copy.path());
    std::erase(opened.models, "other job");
    ASSERT_EQ(opened.models.size(), byte < first_record ? 3U : 2U) << "byte " << byte;
    // A last record whose length exceeds the file cannot be distinguished from an incomplete one, so it is cut off.
    if (opened.journal->remarks().empty()) {
      ASSERT_THAT(opened.models, ElementsAre("one", "two")) << "byte " << byte;
    } else {
      ASSERT_EQ(content_of(copy.path() / "journal"), bytes) << "byte " << byte;
    }
  }
}

TEST(Journal, FindsRecordsAfterDamageThatIsLongerThanOneRead) {
  const TemporaryFolder folder;
  Opened opened = open(folder.path());
  ASSERT_TRUE(opened.journal->append(event_of("one")));
  ASSERT_TRUE(opened.journal->append(event_of(std::string(200'000, 'x'))));
  ASSERT_TRUE(opened.journal->append(event_of("three")));
  std::string bytes = content_of(folder.path() / "journal");
  const std::size_t begin = bytes.find("xxxx");
  bytes.replace(begin, 150'000, std::string(150'000, '\0'));
  overwrite(folder.path() / "journal", bytes);
  EXPECT_THAT(open(folder.path()).models, ElementsAre("one", "three", "other job"));
}

TEST(Journal, DoesNotCutOffTheFileAtADamagedLengthInTheMiddle) {
  const TemporaryFolder folder;
  write_three(folder.path());
  std::string bytes = content_of(folder.path() / "journal");
  const std::size_t second_begins = bytes.find("{\"body\"", bytes.find("\"one\"")) - samples::kFrameHeaderBytes;
  bytes[second_begins + 2] = 1;  // 65,536 bytes more than the record has
  overwrite(folder.path() / "journal", bytes);
  const Opened opened = open(folder.path());
  EXPECT_THAT(opened.models, ElementsAre("one", "three", "other job"));
  EXPECT_EQ(content_of(folder.path() / "journal"), bytes);
}

TEST(Journal, TreatsANumberWithoutASuccessorAsDamage) {
  const TemporaryFolder folder;
  write_three(folder.path());
  const std::string last = samples::frame(samples::encode(samples::Event{UINT64_MAX, samples::Finished{}}));
  overwrite(folder.path() / "journal", content_of(folder.path() / "journal") + last);
  Opened opened = open(folder.path());
  EXPECT_THAT(opened.models, ElementsAre("one", "two", "three", "other job"));
  EXPECT_EQ(opened.journal->append(event_of("four")), 4U);
}

TEST(Journal, HoldsEventsThatBelongTogetherInOneRecordOfWhichAllOrNoneAreThere) {
  const TemporaryFolder folder;
  {
    Opened opened = open(folder.path());
    ASSERT_TRUE(opened.journal->append(event_of("one")));
    EXPECT_EQ(opened.journal->append({event_of("two"), event_of("three")}), 3U);
    const Result<Journal::Entry> entry = opened.journal->next_after(1);
    ASSERT_TRUE(entry);
    EXPECT_EQ(entry->sequence, 3U);
    EXPECT_EQ(samples::decode_record(entry->payload)->size(), 2U);
    EXPECT_EQ(opened.journal->next_after(2)->payload, entry->payload);
  }
  const std::string whole = content_of(folder.path() / "journal");
  EXPECT_THAT(open(folder.path()).models, ElementsAre("one", "two", "three"));
  const std::size_t second_begins = whole.rfind("{\"events\"") - samples::kFrameHeaderBytes;
  for (std::size_t size = second_begins; size < whole.size(); ++size) {
    overwrite(folder.path() / "journal", whole.substr(0, size));
    ASSERT_THAT(open(folder.path()).models, ElementsAre("one")) << size;
  }
}

TEST(Journal, OfTheVersionWithOneEventInEachRecordIsContinued) {
  const TemporaryFolder folder;
  write_three(folder.path());
  std::string bytes;
  const std::string before = content_of(folder.path() / "journal");
  for (std::string_view left = before; !left.empty();) {
    std::string payload(left.substr(samples::kFrameHeaderBytes, samples::frame_length(left)));
    left.remove_prefix(samples::kFrameHeaderBytes + payload.size());
    if (const auto mark = decode_mark(payload)) payload = encode(JournalMark{6, mark->run_id, mark->job_sha256});
    bytes += samples::frame(payload);
  }
  overwrite(folder.path() / "journal", bytes);
  Opened opened = open(folder.path());
  EXPECT_THAT(opened.models, ElementsAre("one", "two", "three"));
  EXPECT_EQ(opened.journal->append({event_of("four"), event_of("five")}), 5U);
  EXPECT_THAT(open(folder.path()).models, ElementsAre("one", "two", "three", "four", "five"));
}

TEST(Journal, KeepsTheJournalOfAnotherRunUntilThatRunReturns) {
  const TemporaryFolder folder;
  write_three(folder.path());
  {
    Opened opened = open(folder.path(), {"run-2", "abc"});
    EXPECT_TRUE(opened.models.empty());
    EXPECT_EQ(opened.journal->append(event_of("of run 2")), 1U);
  }
  EXPECT_TRUE(Journal::is_there(folder.path(), "run-1"));
  EXPECT_FALSE(Journal::is_there(folder.path(), "run-3"));
  EXPECT_THAT(open(folder.path()).models, ElementsAre("one", "two", "three"));
  EXPECT_TRUE(Journal::is_there(folder.path(), "run-2"));
  EXPECT_THAT(open(folder.path(), {"run-2", "abc"}).models, ElementsAre("of run 2"));
}

TEST(Journal, ReturnsTheEventsOfAnotherJobOfTheSameRun) {
  const TemporaryFolder folder;
  write_three(folder.path());
  {
    Opened opened = open(folder.path(), {"run-1", "another job"});
    EXPECT_THAT(opened.models, ElementsAre("one", "two", "three", "other job"));
    EXPECT_EQ(opened.journal->append(event_of("four")), 4U);
    EXPECT_TRUE(opened.journal->remarks().empty());
  }
  EXPECT_THAT(open(folder.path(), {"run-1", "another job"}).models,
              ElementsAre("one", "two", "three", "other job", "four"));
  EXPECT_THAT(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(Journal, SkipsTheEndOfAnEarlierJob) {
  const TemporaryFolder folder;
  ASSERT_TRUE(open(folder.path()).journal->append({0, samples::Finished{}}));
  const auto first = [](const Opened& opened) {
    return samples::decode_record(opened.journal->next_after(0)->payload)->front();
  };
  const auto reopen = [&](const std::string& job) {
    Opened opened;
    auto journal = Journal::open(folder.path(), {"run-1", job}, {[](const samples::Event&) {}});
    if (journal) opened.journal = *std::move(journal);
    return opened;
  };
  EXPECT_TRUE(std::holds_alternative<samples::Finished>(first(reopen("abc")).body));
  EXPECT_TRUE(std::holds_alternative<samples::Skipped>(first(reopen("another job")).body));
  EXPECT_TRUE(std::holds_alternative<samples::Skipped>(first(reopen("another job")).body));
}

TEST(Journal, SetsAsideAJournalOfTheFirstVersionWithARemark) {
  const TemporaryFolder folder;
  std::string bytes = samples::frame(R"({"job_sha256":"00","journal":1,"run_id":"run-1"})");
  bytes += samples::frame(R"({"event":"model","file_bytes":1,"file_sha256":"00","model_id":"one","sequence":1,)"
                          R"("type":"event","wall_ns":2})");
  overwrite(folder.path() / "journal", bytes);
  const Opened opened = open(folder.path());
  EXPECT_THAT(opened.models, IsEmpty());
  ASSERT_EQ(opened.journal->remarks().size(), 1U);
  EXPECT_THAT(opened.journal->remarks()[0], HasSubstr("it has version 1, this agent reads version 7"));
  EXPECT_EQ(file::read(folder.path() / "journal.older-1").value_or(""), bytes);
}

TEST(Journal, SetsAsideAFileThatNamesNoRunWithARemark) {
  const TemporaryFolder folder;
  for (const std::string& content : {samples::frame(R"({"journal":8,"run_id":"run-1","job_sha256":""})"),
                                     std::string("something else that is no journal")}) {
    overwrite(folder.path() / "journal", content);
    const Opened opened = open(folder.path());
    ASSERT_EQ(opened.journal->remarks().size(), 1U) << content;
    const std::string name = content.find("\"journal\"") == std::string::npos ? "journal.damaged-1" : "journal.newer-1";
    EXPECT_THAT(opened.journal->remarks()[0], HasSubstr(name));
    EXPECT_EQ(content_of(folder.path() / name), content);
  }
}

TEST(Journal, ContinuesAboveTheLastNumberThatTheClientKnows) {
  const TemporaryFolder folder;
  write_three(folder.path());
  Opened opened = open(folder.path());
  opened.journal->continue_after(10);
  EXPECT_EQ(opened.journal->append(event_of("eleven")), 11U);
  EXPECT_EQ(opened.journal->next_after(10)->sequence, 11U);
  const Opened again = open(folder.path());
  EXPECT_THAT(again.models, ElementsAre("one", "two", "three", "eleven"));
}

TEST(Journal, NamesAMissingFolder) {
  EXPECT_THAT(open("/nowhere/at/all").error, HasSubstr("/nowhere/at/all/journal: cannot open the journal"));
}

// Mounts a file system of 64 KiB.
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
  work::Job job = test::small_job(400);
  test::add_cell(job, "a");
  const test::WholeRun run = test::run_job(folder_.path(), job);
  ASSERT_TRUE(run.error) << "400 processes fitted on 64 KiB";
  EXPECT_THAT(run.error->what + run.error->next, HasSubstr("No space left on device"));
  EXPECT_THAT(run.error->next, HasSubstr("free some space"));
  EXPECT_EQ(run.outcome.exit_code, 3);
  ASSERT_FALSE(run.processes.empty());
  std::size_t kept = 0;
  const Result<Journal> journal =
      Journal::open(folder_.path(), identity_of(job), {[&](const samples::Event&) { ++kept; }});
  ASSERT_TRUE(journal);
  EXPECT_TRUE(journal->remarks().empty());
  EXPECT_EQ(kept, run.events.size());
}

TEST(Journal, KeepsItsJobIfTheReasonForAMissingToolchainChanges) {
  work::Job job;
  job.places = {{.why_missing = "no network"}};
  const JobIdentity identity = identity_of(job);
  job.places[0].why_missing = "versions near it that have one: 2.1";
  EXPECT_EQ(identity_of(job), identity);
  job.places[0].why_missing = "";
  EXPECT_NE(identity_of(job), identity);
}

TEST(Journal, KeepsItsJobIfTheReasonForAMissingReferenceChanges) {
  work::Job job;
  job.given_references = {{.why_not = "signal 9 after 3 s"}};
  const JobIdentity identity = identity_of(job);
  job.given_references[0].why_not = "signal 9 after 4 s";
  EXPECT_EQ(identity_of(job), identity);
  job.given_references[0].path = "references/00ff/outputs.ref";
  EXPECT_NE(identity_of(job), identity);
}

}  // namespace
}  // namespace ngb::agent
