// SPDX-License-Identifier: Apache-2.0
// Sends a client what a device would send through ssh, without the device, for the benchmark of large fleets. It is
// called as device_simulator COMMAND, where COMMAND is what ssh would run there. It delivers, measures and keeps
// nothing. It makes up the processes of its job as the client reads them, so that a thousand simulators fit on one
// machine.
#include <fmt/format.h>
#include <poll.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/result.h"
#include "samples/frame.h"
#include "samples/message.h"

namespace {

using ngb::Done;
using ngb::fail;
using ngb::Result;
using ngb::Status;
namespace samples = ngb::samples;

// A pipe that poll reports as writable has room for this many bytes: writing never waits, and the client's messages are
// always read.
constexpr std::size_t kPipeBytes = 4096;

// The bootstrap is `eval "$(head -c BYTES)"`.
std::size_t script_bytes(std::string_view command) {
  constexpr std::string_view kBefore = "head -c ";
  const std::size_t begin = command.find(kBefore);
  if (begin == std::string_view::npos) return 0;
  return std::strtoull(std::string(command.substr(begin + kBefore.size())).c_str(), nullptr, 10);
}

samples::Environment environment_of(const std::string& machine) {
  return {{{"cpu_model", "", ngb::Known<std::string>::of("simulated"), true},
           {"cpu_threads", "", ngb::Known<std::string>::of("4"), true},
           {"machine", "", ngb::Known<std::string>::of(machine), true}}};
}

// Makes up a job's processes in the job's order. They are the same at every call, so that nothing needs to be kept.
class MadeUp {
 public:
  MadeUp(const ngb::work::Job& job, const samples::Environment& environment)
      : protocol_(job.protocol), environment_hash_(environment.hash()), random_(job.protocol.seed) {}

  samples::ProcessResult process(const std::string& cell_id, const ngb::work::Step& step) {
    samples::ProcessResult result;
    result.cell_id = cell_id;
    result.process_index = step.process_index;
    result.environment_hash = environment_hash_;
    result.started_unix_ns = ngb::system_clock().unix_now().count();
    result.stop_reason = "repetitions";
    result.threads_used = ngb::Known<int>::of(1);
    constexpr int kWarmUp = 3;
    std::int64_t timed_ns = 0;
    for (int i = 0; i < kWarmUp + ngb::work::most_repetitions(protocol_); ++i) {
      const auto wall_ns = static_cast<std::int64_t>(1'000'000 + random_() % 100'000);
      result.repetitions.push_back({wall_ns, 1, i < kWarmUp});
      timed_ns += wall_ns;
    }
    for (const samples::Phase phase : {samples::Phase::start, samples::Phase::open, samples::Phase::compile,
                                       samples::Phase::check, samples::Phase::timed}) {
      const std::int64_t wall_ns = phase == samples::Phase::timed ? timed_ns : 1'000'000;
      result.phases.push_back(
          {phase, wall_ns, ngb::Known<std::int64_t>::of(wall_ns), ngb::Known<std::uint64_t>::of(10'000'000)});
      result.wall_ns += wall_ns;
    }
    for (const char* moment : {"start", "end"}) {
      result.readings.push_back({"frequency", "hz", moment, ngb::Known<double>::of(2e9)});
      result.readings.push_back({"temperature", "celsius", moment, ngb::Known<double>::unknown("no sensor")});
      result.readings.push_back({"load_1min", "1", moment, ngb::Known<double>::of(0.5)});
    }
    result.readings.push_back({"steal", "percent", "timed", ngb::Known<double>::of(0)});
    return result;
  }

 private:
  ngb::work::Protocol protocol_;
  std::string environment_hash_;
  std::minstd_rand random_;
};

class Device {
 public:
  explicit Device(std::size_t script_bytes_left) : script_bytes_left_(script_bytes_left) {
    utsname system{};
    ::uname(&system);
    machine_ = system.machine;
  }

  // Runs until the client is gone or has received everything.
  Status run() {
    std::string chunk(1U << 16U, '\0');
    while (!is_over_ || !outgoing_.empty()) {
      make_more();
      std::array<pollfd, 2> ends{{{STDIN_FILENO, POLLIN, 0}, {STDOUT_FILENO, POLLOUT, 0}}};
      if (outgoing_.empty()) ends[1].fd = -1;
      if (::poll(ends.data(), ends.size(), -1) < 0 && errno != EINTR) return fail("cannot wait");
      if (ends[0].revents != 0) {
        const ssize_t count = ::read(STDIN_FILENO, chunk.data(), chunk.size());
        if (count <= 0) return Done{};
        if (Status taken = take(std::string_view(chunk).substr(0, static_cast<std::size_t>(count))); !taken) {
          return taken;
        }
      }
      if (ends[1].revents != 0) {
        const std::string_view part = std::string_view(outgoing_).substr(0, kPipeBytes);
        if (Status written = ngb::file::write_all(STDOUT_FILENO, part, "client"); !written) return written;
        outgoing_.erase(0, part.size());
      }
    }
    return Done{};
  }

 private:
  Status take(std::string_view bytes) {
    if (script_bytes_left_ > 0) {
      const std::size_t of_script = std::min(script_bytes_left_, bytes.size());
      script_bytes_left_ -= of_script;
      bytes.remove_prefix(of_script);
      if (script_bytes_left_ == 0) arrive();
    }
    frames_.feed(bytes);
    for (;;) {
      const Result<std::optional<std::string>> frame = frames_.next();
      if (!frame) return tl::unexpected(frame.error());
      if (!frame->has_value()) return Done{};
      const Result<samples::ClientMessage> message = samples::decode_client_message(**frame);
      if (!message) return tl::unexpected(message.error());
      std::visit([this](const auto& body) { answer(body); }, *message);
    }
  }

  void arrive() {
    outgoing_ += "ngb-have " + machine_ + "\n";
    say(samples::Arrival{"/simulated", machine_, 1U << 30U, ngb::system_clock().unix_now().count()});
  }

  void answer(const samples::Ask& /*ask*/) { say(samples::Lacking{}); }
  void answer(const samples::Attach& /*attach*/) { say(samples::Hello{samples::kProtocolVersion, "simulated"}); }
  void answer(const ngb::work::Job& job) {
    environment_ = environment_of(machine_);
    made_up_.emplace(job, environment_);
    take_lists(job);
  }
  void answer(const ngb::work::JobPart& part) { take_lists(part); }
  void answer(const samples::Completed& completed) {
    for (const auto& [cell, processes] : completed.processes) {
      for (const int process : processes) completed_.emplace(cell, process);
    }
  }
  void answer(const samples::Follow& follow) {
    sequence_ = follow.after;
    std::erase_if(
        steps_, [&](const ngb::work::Step& step) { return completed_.contains({cell_of(step), step.process_index}); });
    if (sequence_ == 0) {
      record(environment_);
      for (const ngb::work::Model& model : models_) record(samples::ModelWritten{model.key, model.key.hash, 1, 1});
    }
    is_followed_ = true;
  }
  // Ends once everything is recorded.
  void answer(const samples::Acknowledge& acknowledge) {
    is_over_ = has_finished_ && acknowledge.sequence == sequence_;
  }
  void answer(const samples::Stop& /*stop*/) {
    is_over_ = true;
    outgoing_.clear();
  }
  void answer(const samples::Remove& /*remove*/) {
    say(samples::Removed{});
    is_over_ = true;
  }
  template <class Other>
  void answer(const Other& /*other*/) {}

  [[nodiscard]] const std::string& cell_of(const ngb::work::Step& step) const {
    return cells_.at(static_cast<std::size_t>(step.cell_index));
  }

  template <class Lists>
  void take_lists(const Lists& lists) {
    models_.insert(models_.end(), lists.models.begin(), lists.models.end());
    for (const ngb::work::Cell& cell : lists.cells) cells_.push_back(cell.id);
    for (const ngb::work::Group& group : lists.groups) {
      steps_.insert(steps_.end(), group.steps.begin(), group.steps.end());
    }
  }

  // Makes no more than the client can read at once.
  void make_more() {
    while (is_followed_ && !has_finished_ && !is_over_ && outgoing_.size() < kPipeBytes) {
      if (next_ < steps_.size()) {
        const ngb::work::Step& step = steps_[next_++];
        record(made_up_->process(cell_of(step), step));
      } else {
        record(samples::Finished{});
        has_finished_ = true;
      }
    }
  }

  template <class Body>
  void record(Body body) {
    say(samples::Event{++sequence_, std::move(body)});
  }
  void say(const samples::AgentMessage& message) { outgoing_ += samples::line_frame(samples::encode(message)); }

  std::size_t script_bytes_left_;
  std::string machine_{};
  samples::FrameReader frames_{};
  std::string outgoing_{};
  samples::Environment environment_{};
  std::optional<MadeUp> made_up_{};
  std::vector<ngb::work::Model> models_{};
  std::vector<std::string> cells_{};  // ids
  std::vector<ngb::work::Step> steps_{};
  std::set<std::pair<std::string, int>> completed_{};
  std::size_t next_ = 0;
  std::uint64_t sequence_ = 0;
  bool is_followed_ = false;
  bool has_finished_ = false;
  bool is_over_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  const std::size_t script = argc == 2 ? script_bytes(argv[1]) : 0;
  if (script == 0) {
    fmt::print(stderr, "usage: device_simulator COMMAND (as ngb gives it to ssh)\n");
    return 2;
  }
  const Status done = Device(script).run();
  if (!done) fmt::print(stderr, "device_simulator: {}\n", done.error().text());
  return done ? 0 : 1;
}
