// SPDX-License-Identifier: Apache-2.0
// A client for tests of a real agent process, whose worker misbehaves as the test says.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/process.h"
#include "samples/frame.h"
#include "samples/message.h"
#include "temporary_folder.h"

namespace ngb::agent::test {

inline std::filesystem::path fake_worker() { return std::filesystem::path(NGB_BUILD_DIR) / "tests/fake/ngb-worker"; }

// The programs that an agent starts.
struct Programs {
  std::filesystem::path worker = fake_worker();
  std::filesystem::path lib = NGB_SOURCE_DIR "/tests/unit/agent/lib";
};

// Returns a job of one model without cells; `add_cell` adds them. Its processes run round by round.
inline work::Job small_job(int processes = 2) {
  work::Job job;
  job.run_id = "run-1";
  job.device = "local";
  job.protocol.processes = processes;
  job.protocol.repetitions = 4;
  job.limits.memory_bytes = 1ULL << 34U;
  job.limits.disturbance = {.max_wait_ratio = 1, .wait_ns = 0};  // the machine of a test is busy
  job.models.push_back({{.key = {"0123456789abcdef0123", 1}, .label = "tiny"}, work::Recipe{R"({"family":"tiny"})"}});
  job.groups.emplace_back();
  return job;
}

// Each cell has its own compiler and place, with the cell's index.
inline work::Compiler& compiler_of(work::Job& job, std::size_t cell) { return job.compilers.at(cell); }
inline work::Place& place_of(work::Job& job, std::size_t cell) { return job.places.at(cell); }

inline void add_cell(work::Job& job, const std::string& id, const std::string& behave = "",
                     const std::string& on = "") {
  const int number = static_cast<int>(job.cells.size());
  work::Compiler& compiler = job.compilers.emplace_back();
  compiler.name = "fake";
  compiler.version = number == 0 ? "" : std::to_string(number);
  if (!behave.empty()) compiler.options.emplace_back("behave", behave);
  if (!on.empty()) compiler.options.emplace_back("on", on);
  job.places.push_back({.compiler = compiler.name, .version = compiler.version, .host = "native"});
  job.cells.push_back({.id = id, .compiler_index = number});
  job.groups[0].steps.clear();
  for (int process = 0; process < job.protocol.processes; ++process) {
    for (int cell = 0; cell <= number; ++cell) job.groups[0].steps.push_back({cell, process});
  }
}

// Makes Python host the cell's processes. tests/unit/agent/lib says how a compiler of that name behaves.
inline void host_by_python(work::Job& job, std::size_t cell, const std::string& name) {
  compiler_of(job, cell).name = place_of(job, cell).compiler = name;
  place_of(job, cell).host = "python";
  place_of(job, cell).python = NGB_PYTHON;
}

// Runs a real agent as a child and is its client.
class AgentClient {
 public:
  explicit AgentClient(const std::filesystem::path& work_folder, const Programs& programs = {})
      : AgentClient(std::vector<std::string>{"serve", "--work", work_folder.string(), "--worker",
                                             programs.worker.string(), "--lib", programs.lib.string()}) {}
  explicit AgentClient(const std::vector<std::string>& words) {
    ::setenv("NGB_FAKE_WORKER", fake_worker().c_str(), 1);
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) std::abort();
    ours_ = FileDescriptor(ends[0]);
    const FileDescriptor theirs(ends[1]);
    process::Spawn spawn{{NGB_BUILD_DIR "/bin/ngb-agent"}};
    spawn.arguments.insert(spawn.arguments.end(), words.begin(), words.end());
    spawn.inherits = environment::Share::all;
    spawn.descriptors = {{theirs.get(), 0}, {theirs.get(), 1}};
    const Result<pid_t> pid = process::spawn(spawn);
    if (!pid) std::abort();
    pid_ = *pid;
  }
  AgentClient(const AgentClient&) = delete;
  AgentClient& operator=(const AgentClient&) = delete;
  ~AgentClient() {
    hang_up();
    if (pid_ > 0) wait();
  }

  [[nodiscard]] pid_t pid() const { return pid_; }
  void kill() const { ::kill(pid_, SIGKILL); }
  void hang_up() { ours_.reset(); }

  void send(const samples::ClientMessage& message) {
    const std::string bytes = samples::frame(samples::encode(message));
    if (ours_.is_open()) ::send(ours_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  // Does the same for a message that may be larger than the socket's buffer.
  void send_all(const samples::ClientMessage& message) {
    const std::string bytes = samples::frame(samples::encode(message));
    (void)file::write_all(ours_.get(), bytes, "agent");
  }
  void send_plain(std::string_view bytes) { ::send(ours_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL); }
  void begin(const work::Job& job, std::uint64_t after = 0) {
    send(samples::Hello{});
    send(job);
    send(samples::Follow{after});
  }

  // Returns the next message; nothing if the agent has disconnected or was silent for `patience`.
  std::optional<samples::AgentMessage> next(std::chrono::milliseconds patience = std::chrono::seconds(120)) {
    const auto give_up = std::chrono::steady_clock::now() + patience;
    for (;;) {
      if (!events_.empty()) {
        samples::AgentMessage first = std::move(events_.front());
        events_.pop_front();
        return first;
      }
      auto frame = frames_.next();
      if (frame && frame->has_value()) {
        samples::AgentMessage message = *samples::decode_agent_message(**frame);
        auto* const events = std::get_if<samples::Events>(&message);
        if (events == nullptr) return message;
        ++records_of_several_;
        events_.assign(events->events.begin(), events->events.end());
        continue;
      }
      if (!frame || !ours_.is_open()) return std::nullopt;
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(give_up - std::chrono::steady_clock::now());
      pollfd source{ours_.get(), POLLIN, 0};
      if (left.count() <= 0 || ::poll(&source, 1, static_cast<int>(left.count())) <= 0) return std::nullopt;
      std::array<char, 4096> chunk{};
      const ssize_t count = ::read(ours_.get(), chunk.data(), chunk.size());
      if (count <= 0) return std::nullopt;
      frames_.feed({chunk.data(), static_cast<std::size_t>(count)});
    }
  }

  // Drops messages until one of that type and returns it; nothing where `next` returns nothing, or after an Error.
  template <class Message>
  std::optional<Message> next_of() {
    while (std::optional<samples::AgentMessage> message = next()) {
      if (auto* wanted = std::get_if<Message>(&*message)) return std::move(*wanted);
      if (const auto* error = std::get_if<Error>(&*message)) {
        error_ = *error;
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  // Acknowledges and returns all events in order, until the agent disconnects or sends an Error.
  std::vector<samples::Event> follow_to_the_end() {
    std::vector<samples::Event> events;
    while (const std::optional<samples::AgentMessage> message = next()) {
      if (const auto* error = std::get_if<Error>(&*message)) error_ = *error;
      if (const auto* progress = std::get_if<samples::Progress>(&*message)) progress_.push_back(*progress);
      if (const auto* remark = std::get_if<samples::Remark>(&*message)) remarks_.push_back(remark->text);
      const auto* event = std::get_if<samples::Event>(&*message);
      if (event == nullptr) continue;
      events.push_back(*event);
      send(samples::Acknowledge{event->sequence});
    }
    return events;
  }

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  // Returns how many records of several events have come.
  [[nodiscard]] int records_of_several() const { return records_of_several_; }
  [[nodiscard]] const std::vector<samples::Progress>& progress() const { return progress_; }

  [[nodiscard]] const std::vector<std::string>& remarks() const { return remarks_; }

  process::Outcome wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return process::decode(status);
  }

 private:
  FileDescriptor ours_{};
  samples::FrameReader frames_{};
  std::deque<samples::AgentMessage> events_{};  // of a record of several, not returned yet
  int records_of_several_ = 0;
  pid_t pid_ = -1;
  std::optional<Error> error_{};
  std::vector<samples::Progress> progress_{};
  std::vector<std::string> remarks_{};
};

inline std::vector<samples::ProcessResult> processes_of(const std::vector<samples::Event>& events) {
  std::vector<samples::ProcessResult> results;
  for (const samples::Event& event : events) {
    if (const auto* result = std::get_if<samples::ProcessResult>(&event.body)) results.push_back(*result);
  }
  return results;
}

inline bool ends_finished(const std::vector<samples::Event>& events) {
  return !events.empty() && std::holds_alternative<samples::Finished>(events.back().body);
}

// Returns whether the process runs. A process that has ended and was not reaped does not run.
inline bool is_alive(pid_t pid) {
  const std::string stat = file::read("/proc/" + std::to_string(pid) + "/stat").value_or(") Z");
  const char state = stat[stat.rfind(')') + 2];
  return state != 'Z' && state != 'X';
}

// The messages of a job that one agent ran to its end.
struct WholeRun {
  std::vector<samples::Event> events{};
  std::vector<samples::ProcessResult> processes{};
  std::optional<Error> error{};
  std::vector<samples::Progress> progress{};
  std::vector<std::string> remarks{};
  process::Outcome outcome{};
};
inline WholeRun run_job(const std::filesystem::path& work_folder, const work::Job& job, std::uint64_t after = 0,
                        const Programs& programs = {}) {
  AgentClient client(work_folder, programs);
  client.begin(job, after);
  WholeRun run;
  run.events = client.follow_to_the_end();
  run.processes = processes_of(run.events);
  run.error = client.error();
  run.progress = client.progress();
  run.remarks = client.remarks();
  client.hang_up();
  run.outcome = client.wait();
  return run;
}

}  // namespace ngb::agent::test
