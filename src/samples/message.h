// SPDX-License-Identifier: Apache-2.0
// The messages between client and agent. A frame (samples/frame.h) holds one message as JSON text.
//
// Client to agent:
//   hello        first: protocol and program version
//   job          once; if a journal of the same run is there, the run is resumed
//   part         lists of a job that continues, a piece at a time (work/job_parts.h)
//   completed    processes that are recorded already and are not measured again; any number of times
//   follow       asks for every event with a higher sequence number, as it comes
//   fetch        instead of job to follow: asks for what the journal holds
//   acknowledge  all events up to this sequence number are recorded
//   stop         ends the process in flight; the agent keeps its journal and leaves
//
// Agent to client:
//   hello        first
//   event        recorded in the journal: a process result, a model written, reference outputs made, the environment,
//                the end of a group's rounds, the end, or a sequence number under which nothing is recorded any more
//   events       those of one record of the journal: the processes of a round in turns, which belong together
//   remark       shown to the user whatever else is shown
//   fetched      answers fetch, after the last event
//   progress     what runs now; not recorded, may be lost
//   error        the agent cannot go on and ends
//
// On another machine a delivery comes first (samples/delivery_messages.h). The agent begins it with `arrival`; then
// each message of the client is answered, with any number of `progress` messages before the answer:
//   ask -> lacking
//   tree -> want, then the client sends plain bytes -> installed
//   describe -> description
//   inspect -> inspection
//   adopt, install -> installed
//   remove -> removed
//   attach -> as above, or busy
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "base/result.h"
#include "samples/delivery_messages.h"
#include "samples/environment.h"
#include "samples/process_result.h"
#include "work/job.h"
#include "work/json_bounds.h"

namespace ngb::samples {

inline constexpr int kProtocolVersion = 16;

// The largest event is a process of 3,000,000 repetitions, each an array of five values; other messages have fewer
// than 100,000 of anything.
inline constexpr work::JsonBounds kFromDevice{20'000'000, 4'000'000, 500'000, 32};
// A client that has logged in here may send what a frame can hold.
inline constexpr work::JsonBounds kFromClient{64'000'000, 32'000'000, 64'000'000, 64};

struct Hello {
  int protocol = kProtocolVersion;
  std::string version{};  // of the program

  static constexpr const char* kType = "hello";
  static constexpr auto fields(auto visit) {
    return visit(Field{"protocol", &Hello::protocol}, Field{"version", &Hello::version});
  }
};
// Recorded processes of the same provenance and environment, by cell id; also those of a machine that this device has
// replaced.
struct Completed {
  Provenance made_with{};
  std::string environment_hash{};
  std::map<std::string, std::vector<int>> processes{};
  // The numbers of each of these processes that decide how many rounds there are, in the same order: its speeds by time
  // (steady_rates.h) in inferences per second, or its number of a metric (process_numbers.h), none if it is unknown.
  // Empty if nothing decides.
  std::map<std::string, std::vector<std::vector<double>>> numbers{};

  static constexpr const char* kType = "completed";
  static constexpr auto fields(auto visit) {
    return visit(Field{"made_with", &Completed::made_with}, Field{"environment_hash", &Completed::environment_hash},
                 Field{"processes", &Completed::processes}, Field{"numbers", &Completed::numbers});
  }
};
struct Follow {
  std::uint64_t after = 0;

  static constexpr const char* kType = "follow";
  static constexpr auto fields(auto visit) { return visit(Field{"after", &Follow::after}); }
};
// Asks for what the journal of a run holds. Without a job, so nothing new is begun.
struct Fetch {
  std::string run_id{};
  std::uint64_t after = 0;
  bool ends = false;  // the process in flight is ended first, and no other begins

  static constexpr const char* kType = "fetch";
  static constexpr auto fields(auto visit) {
    return visit(Field{"run_id", &Fetch::run_id}, Field{"after", &Fetch::after}, Field{"ends", &Fetch::ends});
  }
};
struct Acknowledge {
  std::uint64_t sequence = 0;

  static constexpr const char* kType = "acknowledge";
  static constexpr auto fields(auto visit) { return visit(Field{"sequence", &Acknowledge::sequence}); }
};
struct Stop {
  static constexpr const char* kType = "stop";
  static constexpr auto fields(auto visit) { return visit(); }
};

// The device has made a model file.
struct ModelWritten {
  work::ModelKey model{};
  std::string file_sha256{};              // with weights in a second file: of both files' hashes in a row; "": no file
  std::uint64_t file_bytes = 0;           // of both
  std::int64_t wall_ns = 0;               // time to make it, also if an earlier run made it
  std::vector<TensorSignature> inputs{};  // of a module that alone knows them; else none
  std::vector<TensorSignature> open_inputs{};  // likewise, as in work::Model
  std::string exporter{};                      // which of PyTorch's wrote the file: "tracing", "dynamo"; "" for none
  std::string no_file_reason{};                // why a module has no file; its cells in PyTorch's compilers need none
  bool is_kept = false;                        // an earlier run on the device exported the module

  static constexpr const char* kType = "model";
  static constexpr auto fields(auto visit) {
    return visit(Field{"model", &ModelWritten::model}, Field{"file_sha256", &ModelWritten::file_sha256},
                 Field{"file_bytes", &ModelWritten::file_bytes}, Field{"wall_ns", &ModelWritten::wall_ns},
                 Field{"inputs", &ModelWritten::inputs}, Field{"open_inputs", &ModelWritten::open_inputs},
                 Field{"exporter", &ModelWritten::exporter}, Field{"no_file_reason", &ModelWritten::no_file_reason},
                 Field{"is_kept", &ModelWritten::is_kept});
  }
};
// A job for references has made or found the reference outputs of a model, or could not.
struct ReferenceMade {
  work::ModelKey model{};
  std::string path{};  // there; "" after a failure
  std::string key{};   // of all that the outputs depend on
  std::optional<Failure> failure{};

  static constexpr const char* kType = "reference";
  static constexpr auto fields(auto visit) {
    return visit(Field{"model", &ReferenceMade::model}, Field{"path", &ReferenceMade::path},
                 Field{"key", &ReferenceMade::key}, Field{"failure", &ReferenceMade::failure});
  }
};
// What the study asks of its cells was judged (work::Rounds).
struct RoundsEnded {
  std::vector<std::string> cell_ids{};      // need no more processes: it is decided
  std::vector<std::string> reopened_ids{};  // need more, although an earlier event says that they need none

  [[nodiscard]] bool is_empty() const { return cell_ids.empty() && reopened_ids.empty(); }

  static constexpr const char* kType = "rounds_ended";
  static constexpr auto fields(auto visit) {
    return visit(Field{"cell_ids", &RoundsEnded::cell_ids}, Field{"reopened_ids", &RoundsEnded::reopened_ids});
  }
};
// Every cell has its results; a failure is one.
struct Finished {
  static constexpr const char* kType = "finished";
  static constexpr auto fields(auto visit) { return visit(); }
};
// Stands in place of an event that the journal no longer has: its record was damaged, or was the end of a job that
// another job has replaced.
struct Skipped {
  std::string why{};

  static constexpr const char* kType = "skipped";
  static constexpr auto fields(auto visit) { return visit(Field{"why", &Skipped::why}); }
};

// Recorded in the journal, numbered from 1 without gaps, delivered at least once, stored exactly once.
struct Event {
  std::uint64_t sequence = 0;
  std::variant<ProcessResult, ModelWritten, ReferenceMade, Environment, RoundsEnded, Finished, Skipped> body{};

  static constexpr const char* kType = "event";
  static constexpr auto fields(auto visit) {
    return visit(Field{"sequence", &Event::sequence}, Field{"body", &Event::body});
  }
};

// Events that the journal holds in one record, in order. The client records all of them, or none.
struct Events {
  std::vector<Event> events{};

  static constexpr const char* kType = "events";
  static constexpr auto fields(auto visit) { return visit(Field{"events", &Events::events}); }
};

struct Progress {
  std::string cell_id{};
  int process_index = 0;
  int attempt = 1;
  Phase phase = Phase::start;
  std::uint64_t repetitions_done = 0;
  std::string doing{};   // when no cell runs: "write model resnet18 batch 4", "reference outputs of …"
  std::string remark{};  // what its compiler says is under way: "tuning: 64 of 1500 trials, …"

  static constexpr const char* kType = "progress";
  static constexpr auto fields(auto visit) {
    return visit(Field{"cell_id", &Progress::cell_id}, Field{"process_index", &Progress::process_index},
                 Field{"attempt", &Progress::attempt}, Field{"phase", &Progress::phase},
                 Field{"repetitions_done", &Progress::repetitions_done}, Field{"doing", &Progress::doing},
                 Field{"remark", &Progress::remark});
  }
};

struct Remark {
  std::string text{};

  static constexpr const char* kType = "remark";
  static constexpr auto fields(auto visit) { return visit(Field{"text", &Remark::text}); }
};
struct Fetched {
  std::uint64_t last_sequence = 0;  // of the journal; 0: it holds nothing of that run

  static constexpr const char* kType = "fetched";
  static constexpr auto fields(auto visit) { return visit(Field{"last_sequence", &Fetched::last_sequence}); }
};

using ClientMessage = std::variant<Hello, work::Job, work::JobPart, Completed, Follow, Fetch, Acknowledge, Stop, Ask,
                                   Tree, Attach, Describe, Inspect, Adopt, InstallThere, Remove>;
using AgentMessage = std::variant<Hello, Event, Events, Progress, Remark, Fetched, Error, Arrival, Lacking, Want,
                                  Installed, Description, Inspection, Removed, Busy>;

std::string encode(const ClientMessage& message);
std::string encode(const AgentMessage& message);
Result<ClientMessage> decode_client_message(std::string_view text);
Result<AgentMessage> decode_agent_message(std::string_view text);

// Returns the size of the largest record that a study with this protocol can have, if its compilers have up to
// `instances` instances and a round in turns has up to `processes` processes. A device may send no larger record, which
// bounds the memory for reading one.
std::uint32_t largest_record_bytes(const work::Protocol& protocol, int instances = 1, std::size_t processes = 1);

// Splits the processes into messages of bounded size.
std::vector<Completed> completed_parts(std::vector<Completed> all);

// A record as the journal keeps it: an event, or several. Both are also messages to the client.
std::string encode(const Event& event);
std::string encode(const std::vector<Event>& events);
Result<std::vector<Event>> decode_record(std::string_view text);

}  // namespace ngb::samples
