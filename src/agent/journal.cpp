// SPDX-License-Identifier: Apache-2.0
#include "agent/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "agent/journal_file.h"
#include "samples/frame.h"

namespace ngb::agent {
namespace {

constexpr std::uint64_t kMaxSequence = 1ULL << 62U;  // leaves room for further numbers

// Returns the first name "journal.<word>-N" that is free.
std::filesystem::path free_name(const std::filesystem::path& journal, const std::string& word) {
  for (int number = 1;; ++number) {
    std::filesystem::path path = journal.string() + fmt::format(".{}-{}", word, number);
    std::error_code code;
    if (!std::filesystem::exists(path, code)) return path;
  }
}

// Returns where the journal of an inactive run is kept; empty if the run's id cannot be part of a file name.
std::optional<std::filesystem::path> waiting_journal(const std::filesystem::path& journal, const std::string& run_id) {
  constexpr std::size_t kMostCharacters = 100;
  const bool is_name =
      !run_id.empty() && run_id.size() <= kMostCharacters && std::all_of(run_id.begin(), run_id.end(), [](char each) {
        return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') || (each >= '0' && each <= '9') ||
               each == '-' || each == '_';
      });
  if (!is_name) return std::nullopt;
  return journal.string() + ".run-" + run_id;
}

Result<std::uint64_t> size_of(const FileDescriptor& fd, const std::filesystem::path& path) {
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return tl::unexpected(file::from_errno("read", path, errno));
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace

Result<Journal> Journal::open(const std::filesystem::path& folder, const JobIdentity& identity, const Replay& replay) {
  Journal journal;
  journal.path_ = folder / "journal";
  Status done = journal.open_file();
  if (done) done = journal.make_way(identity.run_id);
  if (done) done = journal.read_all(replay);
  const bool is_new = journal.size_bytes_ == 0;
  if (done && is_new) done = journal.write_mark(identity);
  if (done && !identity.job_sha256.empty() && journal.job_sha256_ != identity.job_sha256) {
    journal.begin_other_job(replay);
    done = journal.write_mark(identity);
  } else if (done && is_new) {
    done = journal.write_mark(identity);
  }
  // Syncs also what a killed agent has written: its events are sent from here on, so they must be on disk.
  if (done && ::fsync(journal.fd_.get()) != 0) done = tl::unexpected(file::from_errno("write", journal.path_, errno));
  if (done) done = file::sync_folder(folder);
  if (!done) return error_of(done);
  return journal;
}

bool Journal::is_there(const std::filesystem::path& folder, const std::string& run_id) {
  const std::filesystem::path path = folder / "journal";
  std::error_code code;
  if (const auto waiting = waiting_journal(path, run_id); waiting && std::filesystem::exists(*waiting, code)) {
    return true;
  }
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const Result<std::uint64_t> size = size_of(fd, path);
  if (!size) return false;
  const Result<std::optional<JournalMark>> mark = first_mark(fd.get(), *size, path.string());
  return mark && *mark && (*mark)->run_id == run_id;
}

Status Journal::open_file() {
  fd_ = FileDescriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!fd_.is_open()) return tl::unexpected(file::from_errno("open the journal", path_, errno));
  const Result<std::uint64_t> size = size_of(fd_, path_);
  if (!size) return error_of(size);
  size_bytes_ = *size;
  return Done{};
}

// Renames files so that the file at the journal's path is this run's, and opens it.
Status Journal::make_way(const std::string& run_id) {
  const Result<std::optional<JournalMark>> mark = first_mark(fd_.get(), size_bytes_, path_.string());
  if (!mark) return error_of(mark);
  if (*mark && ((*mark)->version < kOldestJournalVersion || (*mark)->version > kJournalVersion)) {
    return set_aside((*mark)->version > kJournalVersion ? "newer" : "older",
                     fmt::format("it has version {}, this agent reads version {}", (*mark)->version, kJournalVersion));
  }
  if (*mark && (*mark)->run_id == run_id) return Done{};
  if (!*mark && size_bytes_ > 0) {
    const Result<FoundFrame> first = frame_at(fd_.get(), 0, size_bytes_, path_.string());
    if (!first) return error_of(first);
    // A file with nothing but an incomplete first frame is begun again.
    const Result<std::uint64_t> next = next_frame(fd_.get(), 1, size_bytes_, path_.string());
    if (!next) return error_of(next);
    if (first->state == FoundFrame::State::cut && *next == size_bytes_) return Done{};
    return set_aside("damaged", "it has no record of the run it belongs to");
  }
  if (*mark) {
    const auto waiting = waiting_journal(path_, (*mark)->run_id);
    std::error_code code;
    if (!waiting || std::filesystem::exists(*waiting, code)) return set_aside("damaged", "it belongs to another run");
    if (Status renamed = file::rename_to(path_, *waiting); !renamed) return renamed;
  }
  const auto ours = waiting_journal(path_, run_id);
  const Status renamed = ours ? file::rename_to(*ours, path_) : Status{};
  if (!renamed && !has_code(renamed, ErrorCode::not_found)) return renamed;
  return open_file();
}

Status Journal::set_aside(const std::string& word, const std::string& why) {
  const std::filesystem::path aside = free_name(path_, word);
  if (Status renamed = file::rename_to(path_, aside); !renamed) return renamed;
  remarks_.push_back(fmt::format("{} cannot be used: {}; it was renamed to {}, and its processes are measured again",
                                 path_.string(), why, aside.filename().string()));
  return open_file();
}

Status Journal::read_all(const Replay& replay) {
  std::vector<Damage> damages;
  for (std::uint64_t at = 0; at < size_bytes_;) {
    const Result<FoundFrame> frame = frame_at(fd_.get(), at, size_bytes_, path_.string());
    if (!frame) return error_of(frame);
    std::string why = frame->why;
    if (frame->state == FoundFrame::State::whole) {
      const Status taken = read_record(frame->payload, at + samples::kFrameHeaderBytes, replay);
      const std::uint64_t next = at + samples::kFrameHeaderBytes + frame->payload.size();
      if (!taken) damages.push_back({at, next - at, taken.error().what});
      at = next;
      continue;
    }
    const Result<std::uint64_t> next = next_frame(fd_.get(), at + 1, size_bytes_, path_.string());
    if (!next) return error_of(next);
    if (*next == size_bytes_ && frame->state == FoundFrame::State::cut) {
      if (::ftruncate(fd_.get(), static_cast<off_t>(at)) != 0) {
        return tl::unexpected(file::from_errno("cut the journal", path_, errno));
      }
      size_bytes_ = at;
      break;
    }
    damages.push_back({at, *next - at, std::move(why)});
    at = *next;
  }
  // The lost records may have belonged to a job that counts as finished.
  if (!damages.empty()) begin_other_job(replay);
  report_damage(damages);
  return Done{};
}

void Journal::report_damage(const std::vector<Damage>& damages) {
  if (damages.empty()) return;
  std::uint64_t bytes = 0;
  for (const Damage& each : damages) bytes += each.size_bytes;
  remarks_.push_back(
      fmt::format("{}: {} bytes from byte {} on are damaged ({}){}; whole records before and after them are kept, and "
                  "processes of the damaged ones are measured again",
                  path_.string(), bytes, damages.front().begin_bytes, damages.front().why,
                  damages.size() > 1 ? fmt::format(", in {} places", damages.size()) : ""));
}

// Reads one record of the file.
Status Journal::read_record(const std::string& payload, std::uint64_t begin_bytes, const Replay& replay) {
  if (const std::optional<JournalMark> mark = decode_mark(payload)) {
    if (!job_sha256_.empty() && job_sha256_ != mark->job_sha256) begin_other_job(replay);
    job_sha256_ = mark->job_sha256;
    return Done{};
  }
  const Result<std::vector<samples::Event>> events = samples::decode_record(payload);
  if (!events) return error_of(events);
  if (events->empty()) return fail("a record is empty");
  const std::uint64_t first = events->front().sequence;
  if (first < next_sequence_) return fail("a sequence number is too low");
  if (first > kMaxSequence) return fail("a sequence number is too large");
  for (std::size_t i = 0; i < events->size(); ++i) {
    if ((*events)[i].sequence != first + i) return fail("the sequence numbers of a record have a gap");
  }
  add_record(*events, begin_bytes, payload.size());
  for (const samples::Event& event : *events) replay.event(event);
  return Done{};
}

void Journal::add_record(const std::vector<samples::Event>& events, std::uint64_t begin_bytes, std::size_t size_bytes) {
  records_.push_back({events.front().sequence, events.back().sequence, begin_bytes,
                      static_cast<std::uint32_t>(size_bytes),
                      std::holds_alternative<samples::Finished>(events.back().body)});
  next_sequence_ = events.back().sequence + 1;
}

void Journal::begin_other_job(const Replay& replay) {
  other_jobs_until_ = last_sequence();
  if (replay.other_job) replay.other_job();
}

Status Journal::write_mark(const JobIdentity& identity) {
  job_sha256_ = identity.job_sha256;
  return write_frame(encode(JournalMark{kJournalVersion, identity.run_id, identity.job_sha256}));
}

Status Journal::write_frame(std::string_view payload) {
  const std::string bytes = samples::frame(payload);
  const auto end = static_cast<off_t>(size_bytes_);
  if (::lseek(fd_.get(), end, SEEK_SET) != end) return tl::unexpected(file::from_errno("write", path_, errno));
  Status written = file::write_all(fd_.get(), bytes, path_.string());
  if (written && ::fdatasync(fd_.get()) != 0) written = tl::unexpected(file::from_errno("write", path_, errno));
  if (!written) {
    // Removes the incomplete record. If this fails too, the next agent cuts it off.
    [[maybe_unused]] const int ignored = ::ftruncate(fd_.get(), end);
    return written;
  }
  size_bytes_ += bytes.size();
  return Done{};
}

// Counts the line break that the wire adds (samples::line_frame).
bool Journal::fits(const std::vector<samples::Event>& events) {
  constexpr std::size_t kSequenceDigits = 20;
  return samples::encode(events).size() + kSequenceDigits * events.size() < samples::kMaxFrameBytes;
}

Result<std::uint64_t> Journal::append(std::vector<samples::Event> events) {
  std::uint64_t sequence = next_sequence_;
  for (samples::Event& event : events) event.sequence = sequence++;
  const std::string payload = samples::encode(events);
  if (payload.size() >= samples::kMaxFrameBytes) return fail("a record is too large for the journal", path_.string());
  const std::uint64_t begin_bytes = size_bytes_ + samples::kFrameHeaderBytes;
  if (Status written = write_frame(payload); !written) return error_of(written);
  add_record(events, begin_bytes, payload.size());
  return last_sequence();
}

void Journal::continue_after(std::uint64_t sequence) { next_sequence_ = std::max(next_sequence_, sequence + 1); }

Result<Journal::Entry> Journal::next_after(std::uint64_t sequence) const {
  const auto record = std::upper_bound(records_.begin(), records_.end(), sequence,
                                       [](std::uint64_t number, const Record& each) { return number < each.sequence; });
  if (record == records_.end()) return Entry{};
  const auto skipped = [](std::uint64_t number, const char* why) {
    return Entry{number, samples::encode(samples::Event{number, samples::Skipped{why}})};
  };
  if (record->first > sequence + 1) return skipped(sequence + 1, "its record is lost");
  if (record->is_end && (record->sequence <= other_jobs_until_ || std::next(record) != records_.end())) {
    return skipped(record->sequence, "it ended a job that another job has replaced");
  }
  Entry entry{record->sequence, std::string(record->size_bytes, '\0')};
  std::size_t done = 0;
  while (done < entry.payload.size()) {
    const ssize_t count = ::pread(fd_.get(), entry.payload.data() + done, entry.payload.size() - done,
                                  static_cast<off_t>(record->begin_bytes + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return tl::unexpected(file::from_errno("read", path_, errno));
    if (count == 0) return fail("the journal became shorter while it was read", path_.string());
    done += static_cast<std::size_t>(count);
  }
  return entry;
}

}  // namespace ngb::agent
