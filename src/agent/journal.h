// SPDX-License-Identifier: Apache-2.0
// Keeps the events of a run in a file of frames (samples/frame.h). Each event is on disk before it is sent to a client.
// A mark is a frame that names the run, and the job for which the events after it were recorded. The file begins with
// two equal marks, so that one damaged place cannot destroy both, and has another mark where another job of the run
// begins. Every other frame is a record: an event, or the events of processes that belong together, of which either all
// or none are there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "agent/incoming_job.h"
#include "base/file.h"
#include "base/result.h"
#include "samples/message.h"

namespace ngb::agent {

class Journal {
 public:
  // Receives what the journal holds, in order.
  struct Replay {
    std::function<void(const samples::Event&)> event;
    // Called where another job of the run begins: the events after it belong to a different job than those before it.
    std::function<void()> other_job{};
  };
  // Opens or creates the journal of a run in `folder`. Its results are valid for the run even if the job has changed.
  // - An incomplete last frame is cut off: it was never sent to a client.
  // - Damage anywhere else is left in the file and skipped: whole records before and after it count.
  // - The journal of another run is renamed to journal.run-ID, where that run finds it again.
  // - A file without a mark, or of a newer version, is renamed to journal.damaged-N or journal.newer-N. `remarks`
  // reports the second and the fourth case. Returns an error if the file cannot be read or written or the disk is full.
  static Result<Journal> open(const std::filesystem::path& folder, const JobIdentity& identity, const Replay& replay);
  // Returns whether a journal of that run exists. Changes nothing.
  static bool is_there(const std::filesystem::path& folder, const std::string& run_id);

  // Numbers the events, writes them to disk as one record (fdatasync) and returns the last sequence number. After an
  // error the file is as it was before. Precondition: `fits`, and there is at least one event.
  Result<std::uint64_t> append(std::vector<samples::Event> events);
  Result<std::uint64_t> append(const samples::Event& event) { return append(std::vector{event}); }
  // Returns whether the events fit into a frame, in the file and on the wire.
  static bool fits(const std::vector<samples::Event>& events);

  // Events appended from now on get numbers above `sequence`: a client may know more events than a damaged journal.
  void continue_after(std::uint64_t sequence);

  [[nodiscard]] std::uint64_t last_sequence() const { return records_.empty() ? 0 : records_.back().sequence; }

  struct Entry {
    std::uint64_t sequence = 0;  // of the last event in it
    std::string payload{};       // as samples::encode wrote it
  };
  // Returns the record with the event after `sequence`, with an empty payload if there is none. Numbers have no gaps:
  // if a record is lost, or was the end of an earlier job, the entry is a samples::Skipped.
  [[nodiscard]] Result<Entry> next_after(std::uint64_t sequence) const;

  [[nodiscard]] const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  struct Record {
    std::uint64_t first = 0;        // sequence number of its first event
    std::uint64_t sequence = 0;     // of its last event
    std::uint64_t begin_bytes = 0;  // of its payload in the file
    std::uint32_t size_bytes = 0;
    bool is_end = false;  // its last event is a samples::Finished
  };
  struct Damage {
    std::uint64_t begin_bytes = 0;
    std::uint64_t size_bytes = 0;
    std::string why{};
  };

  Status open_file();
  Status make_way(const std::string& run_id);
  Status set_aside(const std::string& word, const std::string& why);
  Status read_all(const Replay& replay);
  Status read_record(const std::string& payload, std::uint64_t begin_bytes, const Replay& replay);
  void begin_other_job(const Replay& replay);
  Status write_mark(const JobIdentity& identity);
  Status write_frame(std::string_view payload);
  void add_record(const std::vector<samples::Event>& events, std::uint64_t begin_bytes, std::size_t size_bytes);
  void report_damage(const std::vector<Damage>& damages);

  std::filesystem::path path_{};
  FileDescriptor fd_{};
  std::uint64_t size_bytes_ = 0;
  std::uint64_t next_sequence_ = 1;
  std::uint64_t other_jobs_until_ = 0;  // last number that belongs to an earlier job
  std::string job_sha256_{};            // of the last mark
  std::vector<Record> records_{};
  std::vector<std::string> remarks_{};
};

}  // namespace ngb::agent
