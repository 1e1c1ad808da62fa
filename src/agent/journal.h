// SPDX-License-Identifier: Apache-2.0
// What is recorded stays: events in a file of frames (samples/frame.h), each on disk before anybody hears of it.
// The first frame says whose journal it is; every further one is an event in its journal form.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "samples/message.h"

namespace ngb::agent {

// Two jobs with the same identity have the same processes to run.
struct JobIdentity {
  std::string run_id{};
  std::string job_sha256{};
  bool operator==(const JobIdentity&) const = default;
};
JobIdentity identity_of(const samples::Job& job);

class Journal {
 public:
  // Opens `folder`/journal, or begins one, and hands every event in it to `replay`, in order.
  // - A last frame that was not written to its end is cut off: nobody has heard of it.
  // - Damage anywhere else: what stands before it is kept, the rest is moved to journal.damaged-N.
  // - A journal of another job is moved to journal.other-N, and a new one begun.
  // The last two are told in `remarks`. Errors: the file cannot be read or written, the disk is full.
  using Replay = std::function<void(const samples::Event&)>;
  static Result<Journal> open(const std::filesystem::path& folder, const JobIdentity& identity, const Replay& replay);

  // Numbers the event and puts it on disk (fdatasync); then, and only then, it is part of the journal. After an Error
  // the file is as it was before. Returns the event's sequence number.
  Result<std::uint64_t> append(samples::Event event);

  // Events appended from now on have numbers above `sequence`: a client may know of more than a damaged journal does.
  void continue_after(std::uint64_t sequence);

  [[nodiscard]] std::uint64_t last_sequence() const { return records_.empty() ? 0 : records_.back().sequence; }

  struct Entry {
    std::uint64_t sequence = 0;
    std::string payload{};  // as samples::encode(Event) wrote it
  };
  // The first event with a number above `sequence`; an empty payload when there is none.
  [[nodiscard]] Result<Entry> next_after(std::uint64_t sequence) const;

  [[nodiscard]] const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  struct Record {
    std::uint64_t sequence = 0;
    std::uint64_t begin_bytes = 0;  // of its payload in the file
    std::uint32_t size_bytes = 0;
  };

  Status read_all(const JobIdentity& identity, const Replay& replay);
  Status take(const std::string& payload, const Replay& replay);
  Status end_torn_tail();
  Status begin(const JobIdentity& identity);
  Status set_aside(std::string_view word, std::uint64_t from_bytes, const std::string& why);
  Status write_frame(std::string_view payload);

  std::filesystem::path path_{};
  FileDescriptor fd_{};
  std::uint64_t size_bytes_ = 0;
  std::uint64_t next_sequence_ = 1;
  std::vector<Record> records_{};
  std::vector<std::string> remarks_{};
};

}  // namespace ngb::agent
