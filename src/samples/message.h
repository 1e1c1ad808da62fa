// SPDX-License-Identifier: Apache-2.0
// What client and agent say to each other. One frame (samples/frame.h) holds one message as JSON text.
//
//   client -> agent   hello{protocol, version}          first
//                     job{job}                          once; a journal of the same run is resumed
//                     follow{after, completed}          send every event with a sequence number > after; what is
//                     recorded is not
//                                                       to be done again
//                     acknowledge{sequence}             all events up to here are recorded
//                     stop{}                            end the process in flight, keep what is recorded, leave
//   agent -> client   hello{protocol, version}
//                     event{sequence, …}                recorded: ProcessResult, ModelWritten, Environment, Finished
//                     progress{…}                       not recorded, may be lost: what runs now
//                     error{kind, what, where, next}    the agent cannot go on; it ends after this
//
// On another machine, this comes first (delivery.h):
//   agent -> client   arrival{…}
//   client -> agent   ask{trees}       -> lacking{trees}
//                     tree{path, files} -> want{pieces}, plain bytes, -> installed{path}
//                     describe{} -> description{…}, inspect{paths} -> inspection{…}
//                     adopt{path, site, manifest}, install{path, requirements, …} -> installed{path}
//                     attach{run, …}   then as above; or remove{runs} -> removed{…}
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "samples/delivery.h"
#include "samples/environment.h"
#include "samples/job.h"
#include "samples/process_result.h"

namespace ngb::samples {

inline constexpr int kProtocolVersion = 1;

struct Hello {
  int protocol = kProtocolVersion;
  std::string version{};  // of the program
};
struct Follow {
  std::uint64_t after = 0;
  // By cell id, the processes that are recorded: also those which a machine did that is not this one any more.
  std::map<std::string, std::vector<int>> completed{};
};
struct Acknowledge {
  std::uint64_t sequence = 0;
};
struct Stop {};

// The model file as it was made on the device.
struct ModelWritten {
  std::string model_id{};
  std::string file_sha256{};     // with weights in a file beside it: of the two hashes, one after the other
  std::uint64_t file_bytes = 0;  // of both
  std::int64_t wall_ns = 0;
  std::vector<TensorSignature> inputs{};       // of a module that alone knows them; else none
  std::vector<TensorSignature> open_inputs{};  // likewise, as in ModelWork
};
// Nothing is left to do; failed cells are results too.
struct Finished {};

// Recorded in the journal, numbered from 1 without gaps, delivered at least once, stored exactly once.
struct Event {
  std::uint64_t sequence = 0;
  std::variant<ProcessResult, ModelWritten, Environment, Finished> body{};
};

struct Progress {
  std::string cell_id{};
  int process_index = 0;
  int attempt = 1;
  Phase phase = Phase::start;
  std::uint64_t repetitions_done = 0;
  std::string doing{};   // when no cell runs: "write model resnet18 batch 4", "reference outputs of …"
  std::string remark{};  // what its compiler says is under way: "tuning: 64 of 1500 trials, …"
};

using ClientMessage = std::variant<Hello, Job, Follow, Acknowledge, Stop, Ask, Tree, Attach, Describe, Inspect, Adopt,
                                   InstallThere, Remove>;
using AgentMessage =
    std::variant<Hello, Event, Progress, Error, Arrival, Lacking, Want, Installed, Description, Inspection, Removed>;

std::string encode(const ClientMessage& message);
std::string encode(const AgentMessage& message);
Result<ClientMessage> decode_client_message(std::string_view text);
Result<AgentMessage> decode_agent_message(std::string_view text);

// The journal's form of an event.
std::string encode(const Event& event);
Result<Event> decode_event(std::string_view text);

}  // namespace ngb::samples
