// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <utility>

#include "base/file.h"
#include "store/implementation.h"
#include "store/kept_values.h"
#include "store/open.h"
#include "store/writer_lock.h"

namespace ngb::store {

namespace {

constexpr Nanoseconds kPatience = std::chrono::seconds(1);  // longest wait for another writer

}  // namespace

void Store::Implementation::require_same_file() const {
  if (!mark) return;
  struct stat status{};
  const bool is_there = ::stat(database.file().c_str(), &status) == 0;
  if (is_there && status.st_dev == mark->device && status.st_ino == mark->inode) return;
  throw sql::SqlError(
      {fmt::format("the results file was {} while it was written", is_there ? "replaced" : "deleted or moved"),
       database.file().string(),
       "put the file back and run the same command again: the devices' journals still hold what it lacks; "
       "without the file, everything is measured again"},
      SQLITE_READONLY);
}

void Store::Implementation::begin_result() {
  begin_change();
  if (!std::exchange(may_keep_values, false)) return;
  remove_kept(database);
}

Store::Store(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Result<Store> Store::open(const std::filesystem::path& file, Mode mode) {
  return sql::guarded([&]() -> Result<Store> {
    if (mode == Mode::read_only) {
      return Store(
          std::make_unique<Implementation>(Implementation{.lock = {}, .database = open_to_read(file, migrations())}));
    }
    const std::filesystem::path folder = file.parent_path();
    if (const Status made = file::make_folder(folder.empty() ? "." : folder); !made) {
      return error_of(made);
    }
    Result<WriterLock> lock = WriterLock::acquire(file, mode == Mode::read_write ? kPatience : Nanoseconds{});
    if (!lock) return error_of(lock);
    auto implementation = std::make_unique<Implementation>(
        Implementation{.lock = std::move(*lock), .database = open_to_write(file, migrations())});
    struct stat status{};
    if (::stat(file.c_str(), &status) == 0)
      implementation->mark = Implementation::FileMark{status.st_dev, status.st_ino};
    return Store(std::move(implementation));
  });
}

bool Store::is_older() const { return implementation_->database.file() == kInMemory; }

Status Store::flush() {
  if (const std::optional<Error> lost = std::exchange(implementation_->lost, std::nullopt)) {
    return tl::unexpected(*lost);
  }
  implementation_->pending = 0;  // an error of the commit is returned here, not by the next flush
  return implementation_->changing([&]() -> Status {
    implementation_->commit_change();
    return Done{};
  });
}

void Store::be_patient(Nanoseconds patience) {
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(patience).count();
  sqlite3_busy_timeout(implementation_->database.handle(), static_cast<int>(milliseconds));
}

namespace {

// Returns an error with the code `busy` if another program holds the file; the open transaction then stays open. Any
// other error discards everything since the last flush.
template <class Step>
Status unless_busy(Store::Implementation& store, Step&& step) {
  try {
    step();
    return Done{};
  } catch (const sql::SqlError& error) {
    if (error.error.code == ErrorCode::busy) return tl::unexpected(error.error);
    if (store.pending > 0) store.lost = error.error;
    store.forget_change();
    return tl::unexpected(error.error);
  }
}

}  // namespace

Status Store::begin() {
  return unless_busy(*implementation_, [&] { implementation_->open_transaction(); });
}

Status Store::try_flush() {
  if (const std::optional<Error> lost = std::exchange(implementation_->lost, std::nullopt)) {
    return tl::unexpected(*lost);
  }
  Status flushed = unless_busy(*implementation_, [&] { implementation_->commit_change(); });
  if (!flushed && !has_code(flushed, ErrorCode::busy)) implementation_->lost.reset();  // it is returned here
  return flushed;
}

std::string Store::who_holds_it() const { return describe_holders(implementation_->database.file()); }

Result<std::int64_t> Store::revision() {
  return sql::guarded(
      [&]() -> Result<std::int64_t> { return implementation_->database.integer("SELECT revision FROM revision"); });
}

}  // namespace ngb::store
