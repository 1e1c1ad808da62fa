// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "base/file.h"
#include "made_up.h"
#include "store/sqlite.h"

namespace ngb::store {
namespace {

using made_up::Folder;
using testing::HasSubstr;

void create(const std::filesystem::path& file) {
  auto store = Store::open(file, Mode::read_write);
  ASSERT_TRUE(store) << store.error().text();
  const std::string run = store->begin_run(made_up::plan(), 7).value();
  ASSERT_TRUE(store->record(run, "local", {1, made_up::process("aa", 0)}));
  ASSERT_TRUE(store->flush());
}

// Opens the file and loads all of it. Returns the first error.
Status read_all(const std::filesystem::path& file) {
  auto store = Store::open(file, Mode::read_only);
  if (!store) return tl::unexpected(store.error());
  const auto cells = store->load_cells();
  if (!cells) return tl::unexpected(cells.error());
  return Done{};
}

TEST(Faults, AMissingFileIsNamed) {
  const Folder folder;
  const Status refused = read_all(folder.results());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "there are no results here");
  EXPECT_EQ(refused.error().where, folder.results().string());
}

TEST(Faults, AFileThatIsNotADatabaseIsNotAResultsFile) {
  const Folder folder;
  std::ofstream(folder.results()) << std::string(8192, 'x');
  EXPECT_EQ(read_all(folder.results()).error().what, "not a results file");
  EXPECT_EQ(Store::open(folder.results(), Mode::read_write).error().what, "not a results file");
}

TEST(Faults, SomebodyElsesDatabaseIsNotTouched) {
  const Folder folder;
  sql::Database(folder.results(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE).execute("CREATE TABLE photos (name)");
  EXPECT_EQ(read_all(folder.results()).error().what, "not a results file");
  EXPECT_EQ(Store::open(folder.results(), Mode::read_write).error().what, "not a results file");
  const sql::Database database(folder.results(), SQLITE_OPEN_READONLY);
  EXPECT_EQ(database.integer("SELECT count(*) FROM sqlite_master"), 1);
}

TEST(Faults, AnEmptyFileHoldsNoResultsYetAndCanBecomeAResultsFile) {
  const Folder folder;
  std::ofstream(folder.results()).flush();
  EXPECT_EQ(read_all(folder.results()).error().what, "there are no results in this file yet");
  create(folder.results());
  EXPECT_TRUE(read_all(folder.results()));
}

TEST(Faults, AFileThatIsDeletedOrReplacedWhileItIsWrittenIsReportedAtOnce) {
  for (const bool is_replaced : {false, true}) {
    const Folder folder;
    auto store = Store::open(folder.results(), Mode::read_write);
    ASSERT_TRUE(store);
    const std::string run = store->begin_run(made_up::plan(), 1).value();
    ASSERT_TRUE(store->record(run, "local", {1, made_up::process("aa", 0)}));
    ASSERT_TRUE(store->flush());
    ASSERT_TRUE(store->record(run, "local", {2, made_up::process("aa", 1)}));
    const std::filesystem::path moved = folder.results().string() + ".moved";
    std::filesystem::rename(folder.results(), moved);
    if (is_replaced) std::filesystem::copy_file(moved, folder.results());
    const Status flushed = store->flush();
    ASSERT_FALSE(flushed);
    const char* const how = is_replaced ? "was replaced" : "was deleted or moved";
    EXPECT_THAT(flushed.error().what, HasSubstr(how));
    // Once the file is put back, it still has what was recorded before.
    EXPECT_THAT(store->record(run, "local", {3, made_up::process("cc", 0)}).error().what, HasSubstr(how));
    std::filesystem::rename(moved, folder.results());
    EXPECT_TRUE(
        store->record(run, "local", {store->last_sequence(run, "local").value() + 1, made_up::process("bb", 0)}));
    EXPECT_TRUE(store->flush());
  }
}

TEST(Faults, ATruncatedFileIsDamaged) {
  const Folder folder;
  create(folder.results());
  std::filesystem::resize_file(folder.results(), std::filesystem::file_size(folder.results()) - 4096);
  EXPECT_THAT(read_all(folder.results()).error().what, HasSubstr("the results file is damaged"));
  EXPECT_THAT(Store::open(folder.results(), Mode::read_write).error().what, HasSubstr("the results file is damaged"));
}

TEST(Faults, AFileOverwrittenInTheMiddleEndsInAnError) {
  const Folder folder;
  create(folder.results());
  const auto size_bytes = std::filesystem::file_size(folder.results());
  {
    std::fstream file(folder.results(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    file << std::string(size_bytes - 4096, '\xA5');
  }
  const Status refused = read_all(folder.results());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("damaged"));
}

TEST(Faults, ASecondWriterIsRefusedWithTheNameOfTheFirst) {
  const Folder folder;
  auto first = Store::open(folder.results(), Mode::read_write);
  ASSERT_TRUE(first);
  const auto second = Store::open(folder.results(), Mode::read_write);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().what, HasSubstr("the results are in use by pid " + std::to_string(::getpid())));
  EXPECT_TRUE(Store::open(folder.results(), Mode::read_only)) << "a reader may open the file at any time";
}

TEST(Faults, AReaderSeesWhatWasFlushedWhileAWriterHasTheFile) {
  const Folder folder;
  auto writer = Store::open(folder.results(), Mode::read_write);
  const std::string run = writer->begin_run(made_up::plan(), 7).value();
  ASSERT_TRUE(writer->record(run, "local", {1, made_up::process("aa", 0)}));
  ASSERT_TRUE(writer->flush());
  ASSERT_TRUE(writer->record(run, "local", {2, made_up::process("aa", 1)}));
  auto reader = Store::open(folder.results(), Mode::read_only);
  ASSERT_TRUE(reader) << reader.error().text();
  EXPECT_EQ(reader->load_cells().value()[0].processes.size(), 1U);
}

TEST(Faults, AReaderThatOutlastsTheWritersPatienceCausesNoLoss) {
  const Folder folder;
  auto writer = Store::open(folder.results(), Mode::read_write);
  ASSERT_TRUE(writer) << writer.error().text();
  const std::string run = writer->begin_run(made_up::plan(), 7).value();
  writer->be_patient(std::chrono::milliseconds(1));
  sql::Database reader(folder.results(), SQLITE_OPEN_READONLY);
  reader.execute("BEGIN; SELECT count(*) FROM process");
  ASSERT_TRUE(writer->begin()) << "a reader does not keep a writer from writing to memory";
  ASSERT_TRUE(writer->record(run, "local", {1, made_up::process("aa", 0)}));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(has_code(writer->try_flush(), ErrorCode::busy));
  ASSERT_TRUE(writer->record(run, "local", {2, made_up::process("aa", 1)}));
  EXPECT_TRUE(has_code(writer->try_flush(), ErrorCode::busy));
  reader.execute("COMMIT");
  EXPECT_TRUE(writer->try_flush());
  EXPECT_EQ(writer->load_cells().value()[0].processes.size(), 2U);
  EXPECT_EQ(writer->last_sequence(run, "local").value(), 2U);
}

TEST(Faults, AProgramThatHoldsTheFileIsNamed) {
  const Folder folder;
  create(folder.results());
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    sql::Database reader(folder.results(), SQLITE_OPEN_READONLY);
    reader.execute("BEGIN; SELECT count(*) FROM process");
    if (::write(ready[1], "x", 1) == 1) ::pause();
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  auto writer = Store::open(folder.results(), Mode::read_write);
  ASSERT_TRUE(writer) << writer.error().text();
  EXPECT_THAT(writer->who_holds_it(), HasSubstr(fmt::format("(process {})", child)));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(writer->who_holds_it(), "another program");
}

TEST(Faults, AWriterThatEndsBeforeItsReaderHasRecordedNothing) {
  const Folder folder;
  create(folder.results());
  sql::Database reader(folder.results(), SQLITE_OPEN_READONLY);
  {
    auto writer = Store::open(folder.results(), Mode::read_write);
    ASSERT_TRUE(writer) << writer.error().text();
    const std::string run = writer->runs().value().back().run_id;
    writer->be_patient(std::chrono::milliseconds(1));
    reader.execute("BEGIN; SELECT count(*) FROM process");
    ASSERT_TRUE(writer->record(run, "local", {2, made_up::process("aa", 1)}));
    EXPECT_TRUE(has_code(writer->try_flush(), ErrorCode::busy));
  }
  reader.execute("COMMIT");
  EXPECT_EQ(reader.integer("SELECT count(*) FROM process"), 1);
  auto again = Store::open(folder.results(), Mode::read_write);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->last_sequence(again->runs().value().back().run_id, "local").value(), 1U);
}

TEST(Faults, AKilledWriterLeavesNoLockAndNothingHalfWritten) {
  const Folder folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto store = Store::open(folder.results(), Mode::read_write);
    const std::string run = store->begin_run(made_up::plan(), 7).value();
    (void)store->record(run, "local", {1, made_up::process("aa", 0)});
    (void)store->flush();
    (void)store->record(run, "local", {2, made_up::process("aa", 1)});
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  auto store = Store::open(folder.results(), Mode::read_write);
  ASSERT_TRUE(store) << store.error().text();
  EXPECT_EQ(store->load_cells().value()[0].processes.size(), 1U);
}

// Copies the folder after the writer has written its journal and before its last page, as a kill during a commit leaves
// it.
void leave_half_a_commit(const Folder& from, const Folder& to) {
  create(from.results());
  sql::Database writer(from.results(), SQLITE_OPEN_READWRITE);
  writer.execute("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; PRAGMA synchronous = FULL; BEGIN EXCLUSIVE");
  writer.execute(
      "CREATE TABLE big (x); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) "
      "INSERT INTO big SELECT randomblob(400) FROM n; DELETE FROM repetition");
  std::filesystem::copy(from.path(), to.path(), std::filesystem::copy_options::recursive);
}

TEST(Faults, AReaderUndoesACommitThatWasCutShort) {
  const Folder source;
  const Folder folder;
  leave_half_a_commit(source, folder);
  ASSERT_TRUE(std::filesystem::exists(folder.results().string() + "-journal"));
  auto reader = Store::open(folder.results(), Mode::read_only);
  ASSERT_TRUE(reader) << reader.error().text();
  EXPECT_EQ(reader->load_cells().value()[0].processes[0].repetitions.size(), 4U);
}

// Mounts a tmpfs of a given size, which needs root, and unmounts it at the end of the test.
class SmallDisk {
 public:
  explicit SmallDisk(const char* options) {
    is_mounted_ = ::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, options) == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (is_mounted_) ::umount2(folder_.path().c_str(), MNT_DETACH);
  }
  [[nodiscard]] bool is_mounted() const { return is_mounted_; }
  [[nodiscard]] const Folder& folder() const { return folder_; }
  bool make_read_only() {
    return ::mount("tmpfs", folder_.path().c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr) == 0;
  }

 private:
  Folder folder_;
  bool is_mounted_ = false;
};

TEST(Faults, AFullDiskIsReportedAndKeepsWhatWasFlushed) {
  SmallDisk disk("size=600k");
  if (!disk.is_mounted()) GTEST_SKIP() << "only root may mount the small disk that this test fills";
  auto store = Store::open(disk.folder().results(), Mode::read_write);
  ASSERT_TRUE(store) << store.error().text();
  const std::string run = store->begin_run(made_up::plan(), 7).value();
  ASSERT_TRUE(store->record(run, "local", {1, made_up::process("aa", 0)}));
  ASSERT_TRUE(store->flush());
  auto large = made_up::process("aa", 1);
  large.repetitions.resize(60'000, {1'000'000, 1, false});
  Status status = store->record(run, "local", {2, large});
  if (status) status = store->flush();
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().what, HasSubstr("no space left on the disk"));
  EXPECT_THAT(status.error().next, HasSubstr("free some space"));
  EXPECT_EQ(store->last_sequence(run, "local").value(), 1U);
  ASSERT_TRUE(store->record(run, "local", {2, made_up::process("aa", 1)})) << "a smaller one still fits";
  ASSERT_TRUE(store->flush());
  EXPECT_EQ(store->load_cells().value()[0].processes.size(), 2U);
}

TEST(Faults, TheNextFlushFailsIfAFailedEventDiscardedOthers) {
  const Folder folder;
  auto store = Store::open(folder.results(), Mode::read_write);
  ASSERT_TRUE(store) << store.error().text();
  const std::string run = store->begin_run(made_up::plan(), 7).value();
  sql::Database(folder.results(), SQLITE_OPEN_READWRITE).execute("DROP TABLE fact");
  auto without_facts = made_up::process("aa", 0);
  without_facts.facts.clear();
  ASSERT_TRUE(store->record(run, "local", {1, without_facts}));
  EXPECT_FALSE(store->record(run, "local", {2, made_up::process("aa", 1)}));
  EXPECT_FALSE(store->flush()) << "event 1 was discarded";
  EXPECT_EQ(store->last_sequence(run, "local").value(), 0U);
  ASSERT_TRUE(store->record(run, "local", {1, without_facts}));
  EXPECT_TRUE(store->flush());
}

TEST(Faults, AFileInAReadOnlyFolderIsReadAndNotWritten) {
  SmallDisk disk("size=4m");
  if (!disk.is_mounted()) GTEST_SKIP() << "only root may mount the disk that this test makes read-only";
  create(disk.folder().results());
  ASSERT_TRUE(disk.make_read_only());
  const Status read = read_all(disk.folder().results());
  EXPECT_TRUE(read) << read.error().text();
  const auto refused = Store::open(disk.folder().results(), Mode::read_write);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text(), HasSubstr("Read-only file system"));
  EXPECT_THAT(refused.error().next, HasSubstr("choose another folder"));
}

}  // namespace
}  // namespace ngb::store
