// SPDX-License-Identifier: Apache-2.0
#include "agent/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/hash.h"
#include "samples/frame.h"

namespace ngb::agent {
namespace {

constexpr int kJournalVersion = 1;
constexpr std::uint64_t kMaxSequence = 1ULL << 62U;  // there is always a next one
constexpr std::uint64_t kMaxJournalBytes = 1ULL << 36U;

std::string header(const JobIdentity& identity) {
  return nlohmann::json{{"journal", kJournalVersion}, {"run_id", identity.run_id}, {"job_sha256", identity.job_sha256}}
      .dump();
}

// Whether a whole frame starts somewhere behind the first byte: then `bytes` is no torn tail but damage in the middle.
// JSON text cannot be mistaken for a frame's length, its four characters would mean more than kMaxFrameBytes.
bool holds_a_whole_frame(std::string_view bytes) {
  for (std::size_t begin = 1; begin + samples::kFrameHeaderBytes < bytes.size(); ++begin) {
    if (bytes[begin + samples::kFrameHeaderBytes] != '{') continue;
    samples::FrameReader reader;
    reader.feed(bytes.substr(begin, samples::kFrameHeaderBytes));
    if (!reader.next()) continue;
    reader.feed(bytes.substr(begin + samples::kFrameHeaderBytes));
    const Result<std::optional<std::string>> frame = reader.next();
    if (frame && frame->has_value()) return true;
  }
  return false;
}

// The first name "journal.<word>-N" that is free.
std::filesystem::path free_name(const std::filesystem::path& journal, std::string_view word) {
  for (int number = 1;; ++number) {
    std::filesystem::path path = journal.string() + fmt::format(".{}-{}", word, number);
    std::error_code code;
    if (!std::filesystem::exists(path, code)) return path;
  }
}

Status sync_folder(const std::filesystem::path& folder) {
  const FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.is_open() || ::fsync(fd.get()) != 0) return tl::unexpected(file::from_errno("write", folder, errno));
  return Done{};
}

}  // namespace

// Neither what a device may give nor why there are no reference outputs (which may be said in other words next time)
// changes anything about what is to be done.
JobIdentity identity_of(const samples::Job& job) {
  nlohmann::json json = samples::to_json(job);
  json.erase("limits");
  for (nlohmann::json& model : json["models"]) model.erase("no_reference");
  return {job.run_id, hash::sha256(json.dump())};
}

Result<Journal> Journal::open(const std::filesystem::path& folder, const JobIdentity& identity, const Replay& replay) {
  Journal journal;
  journal.path_ = folder / "journal";
  journal.fd_ = FileDescriptor(::open(journal.path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!journal.fd_.is_open()) return tl::unexpected(file::from_errno("open the journal", journal.path_, errno));
  Status done = journal.read_all(identity, replay);
  if (done && journal.size_bytes_ == 0) done = journal.begin(identity);
  if (!done) return tl::unexpected(done.error());
  return journal;
}

Status Journal::read_all(const JobIdentity& identity, const Replay& replay) {
  samples::FrameReader reader;
  std::string chunk(1U << 16U, '\0');
  std::uint64_t file_bytes = 0;
  std::string damage;
  while (damage.empty()) {
    const ssize_t count = ::pread(fd_.get(), chunk.data(), chunk.size(), static_cast<off_t>(file_bytes));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return tl::unexpected(file::from_errno("read", path_, errno));
    if (count == 0) break;
    file_bytes += static_cast<std::uint64_t>(count);
    reader.feed(std::string_view(chunk).substr(0, static_cast<std::size_t>(count)));
    while (damage.empty()) {
      const Result<std::optional<std::string>> frame = reader.next();
      if (frame && !frame->has_value()) break;
      if (!frame) {
        damage = frame.error().what;
      } else if (size_bytes_ == 0 && **frame != header(identity)) {
        return set_aside("other", 0, "it belongs to another job");
      } else if (const Status taken = take(**frame, replay); !taken) {
        damage = taken.error().what;
      } else {
        size_bytes_ = reader.good_bytes();
      }
    }
  }
  if (!damage.empty()) return set_aside("damaged", size_bytes_, damage);
  return file_bytes == size_bytes_ ? Status{} : end_torn_tail();
}

// A record of the file, which starts at size_bytes_.
Status Journal::take(const std::string& payload, const Replay& replay) {
  if (size_bytes_ == 0) return Done{};
  const Result<samples::Event> event = samples::decode_event(payload);
  if (!event) return tl::unexpected(event.error());
  if (event->sequence < next_sequence_) return fail("a sequence number goes back");
  if (event->sequence > kMaxSequence) return fail("a sequence number is too large");
  records_.push_back(
      {event->sequence, size_bytes_ + samples::kFrameHeaderBytes, static_cast<std::uint32_t>(payload.size())});
  next_sequence_ = event->sequence + 1;
  replay(*event);
  return Done{};
}

Status Journal::end_torn_tail() {
  const Result<std::string> content = file::read(path_, kMaxJournalBytes);
  if (!content) return tl::unexpected(content.error());
  if (holds_a_whole_frame(std::string_view(*content).substr(size_bytes_))) {
    return set_aside("damaged", size_bytes_, "a record's length is wrong");
  }
  if (::ftruncate(fd_.get(), static_cast<off_t>(size_bytes_)) != 0) {
    return tl::unexpected(file::from_errno("cut the journal", path_, errno));
  }
  return Done{};
}

Status Journal::begin(const JobIdentity& identity) {
  if (Status written = write_frame(header(identity)); !written) return written;
  return sync_folder(path_.parent_path());
}

// Copies everything from that byte on into a file of its own, then cuts it off.
Status Journal::set_aside(std::string_view word, std::uint64_t from_bytes, const std::string& why) {
  const Result<std::string> content = file::read(path_, kMaxJournalBytes);
  if (!content) return tl::unexpected(content.error());
  const std::filesystem::path aside = free_name(path_, word);
  if (Status copied = file::write_atomically(aside, std::string_view(*content).substr(from_bytes)); !copied) {
    return copied;
  }
  if (Status synced = sync_folder(path_.parent_path()); !synced) return synced;
  if (::ftruncate(fd_.get(), static_cast<off_t>(from_bytes)) != 0 || ::fdatasync(fd_.get()) != 0) {
    return tl::unexpected(file::from_errno("cut the journal", path_, errno));
  }
  remarks_.push_back(fmt::format("{}: {} (byte {}); {} bytes were moved to {}", path_.string(), why, from_bytes,
                                 content->size() - from_bytes, aside.filename().string()));
  return Done{};
}

Status Journal::write_frame(std::string_view payload) {
  if (payload.size() > samples::kMaxFrameBytes) return fail("a record is too large for the journal", path_.string());
  const std::string bytes = samples::frame(payload);
  const auto end = static_cast<off_t>(size_bytes_);
  if (::lseek(fd_.get(), end, SEEK_SET) != end) return tl::unexpected(file::from_errno("write", path_, errno));
  Status written = file::write_all(fd_.get(), bytes, path_.string());
  if (written && ::fdatasync(fd_.get()) != 0) written = tl::unexpected(file::from_errno("write", path_, errno));
  if (!written) {
    // The rest of a record that could not be written; should this fail too, it is a torn tail.
    [[maybe_unused]] const int ignored = ::ftruncate(fd_.get(), end);
    return written;
  }
  size_bytes_ += bytes.size();
  return Done{};
}

Result<std::uint64_t> Journal::append(samples::Event event) {
  event.sequence = next_sequence_;
  const std::string payload = samples::encode(event);
  const std::uint64_t begin_bytes = size_bytes_ + samples::kFrameHeaderBytes;
  if (Status written = write_frame(payload); !written) return tl::unexpected(written.error());
  records_.push_back({event.sequence, begin_bytes, static_cast<std::uint32_t>(payload.size())});
  return next_sequence_++;
}

void Journal::continue_after(std::uint64_t sequence) { next_sequence_ = std::max(next_sequence_, sequence + 1); }

Result<Journal::Entry> Journal::next_after(std::uint64_t sequence) const {
  const auto record = std::upper_bound(records_.begin(), records_.end(), sequence,
                                       [](std::uint64_t number, const Record& each) { return number < each.sequence; });
  if (record == records_.end()) return Entry{};
  Entry entry{record->sequence, std::string(record->size_bytes, '\0')};
  std::size_t done = 0;
  while (done < entry.payload.size()) {
    const ssize_t count = ::pread(fd_.get(), entry.payload.data() + done, entry.payload.size() - done,
                                  static_cast<off_t>(record->begin_bytes + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return tl::unexpected(file::from_errno("read", path_, errno));
    if (count == 0) return fail("the journal has become shorter", path_.string());
    done += static_cast<std::size_t>(count);
  }
  return entry;
}

}  // namespace ngb::agent
