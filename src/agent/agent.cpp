// SPDX-License-Identifier: Apache-2.0
#include "agent/agent.h"

#include <fmt/format.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "agent/client_session.h"
#include "agent/idle_time.h"
#include "agent/incoming_job.h"
#include "agent/journal.h"
#include "agent/ledger.h"
#include "agent/listener.h"
#include "agent/runner.h"
#include "agent/signals.h"
#include "agent/work_folder.h"
#include "agent/workers/children.h"
#include "agent/workers/fork_server.h"
#include "base/text.h"
#include "probe/probe.h"
#include "work/job_parts.h"

namespace ngb::agent {
namespace {

constexpr Nanoseconds kFlushPatience = std::chrono::seconds(5);

// Runs one agent. `run` returns when the agent ends.
class Server {
 public:
  explicit Server(const Options& options)
      : options_(options),
        signals_(open_signals()),
        timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
        idle_time_(system_clock(), options.has_device_to_itself) {
    session_.emplace(STDIN_FILENO, STDOUT_FILENO);
  }

  int serve() {
    session_->send(samples::Hello{samples::kProtocolVersion, describe(options_.revision)});
    return run(prepare());
  }

  int reside() {
    Status done = prepare_to_reside();
    if (done) {
      // The end of the output tells the program that started this one that the socket is ready.
      session_.reset();
      close_standard_streams();
    }
    return run(done);
  }

 private:
  int run(Status done) {
    while (done && !is_over_) {
      idle_time_.note(is_idle());
      done = wait();
      children_.reap();
      if (done && runner_ && !is_over_) done = runner_->advance();
      report_end_of_fetch();
      // The client receives all recorded events before the error.
      if (done && refusal_ && (!session_ || session_->has_acknowledged_all())) done = tl::unexpected(*refusal_);
      if (done && is_finished() && session_ && session_->has_acknowledged_all()) is_over_ = true;
      if (is_finished()) device_lock_.reset();  // the device is free for other runs
      if (is_idle() && idle_time_.is_over(runner_ != nullptr)) is_over_ = true;
      tick_while_busy();
    }
    if (runner_) runner_->stop();
    if (done) return 0;
    const Error error{text::to_utf8(done.error().what), text::to_utf8(done.error().where),
                      text::to_utf8(done.error().next)};
    std::fputs((error.text() + "\n").c_str(), stderr);
    if (session_) {
      send_failure(error);
      session_->flush(kFlushPatience);
    }
    return kCannotGoOn;
  }

  [[nodiscard]] bool is_finished() const { return runner_ && runner_->is_finished(); }
  [[nodiscard]] bool is_idle() const { return !session_ && (!runner_ || runner_->is_finished()); }

  // Locks the device. The lock is released when the job is finished, and needed again for another job.
  Status hold_device() {
    if (options_.device_folder.empty() || options_.has_device_to_itself || device_lock_.is_open()) return Done{};
    return hold(lock_device(options_.device_folder, "runs/" + options_.work_folder.filename().string(), busy_));
  }

  // Locks the client's machine for a job that measures there.
  Status hold_machine(const work::Job& job) {
    const bool is_measured = job.task == work::Task::measure;
    if (options_.machine_folder.empty() || !is_measured || device_lock_.is_open()) return Done{};
    return hold(lock_machine(options_.machine_folder, surroundings_.work_folder));
  }

  Status hold(Result<FileDescriptor> lock) {
    if (!lock) return error_of(lock);
    device_lock_ = std::move(*lock);
    return Done{};
  }

  // Locks the device before the work folder, because another run may be using the device.
  Status prepare_to_reside() {
    if (const Status held = hold_device(); !held) return held;
    if (Status prepared = prepare(); !prepared) return prepared;
    Result<FileDescriptor> listener = listen_in(surroundings_.work_folder);
    if (!listener) return error_of(listener);
    listener_ = std::move(*listener);
    return Done{};
  }

  Status prepare() {
    std::error_code code;
    // The paths are absolute because workers run in another current folder.
    surroundings_ = {std::filesystem::absolute(options_.worker), std::filesystem::absolute(options_.lib),
                     std::filesystem::weakly_canonical(options_.work_folder, code), probe::allowed_cpus()};
    Result<FileDescriptor> lock = begin_work_in(surroundings_.work_folder);
    if (!lock) return error_of(lock);
    lock_ = std::move(*lock);
    surroundings_.groups = std::make_shared<const ControlGroups>(ControlGroups::find());
    return Done{};
  }

  Status wait() {
    const bool has_output = session_ && session_->wants_to_write();
    std::vector<pollfd> sources{{session_ ? session_->input_fd() : -1, POLLIN, 0},
                                {has_output ? session_->output_fd() : -1, POLLOUT, 0},
                                {signals_.get(), POLLIN, 0},
                                {timer_.get(), POLLIN, 0},
                                {listener_.get(), POLLIN, 0}};
    if (runner_) {
      for (const int fd : runner_->poll_fds()) sources.push_back({fd, POLLIN, 0});
    }
    if (::poll(sources.data(), sources.size(), wait_ms()) < 0 && errno != EINTR) {
      return tl::unexpected(file::from_errno("wait", "poll", errno));
    }
    if (sources[2].revents != 0) read_signals();
    if (sources[3].revents != 0) handle_tick();
    Status done;
    if (sources[1].revents != 0) done = session_->write();
    if (done && sources[0].revents != 0) {
      done = read_messages();
      if (!done && runner_ && listener_.is_open()) done = refuse(done.error());
    }
    if (session_ && session_->is_gone()) disconnect();
    if (sources[4].revents != 0) greet_client();
    return done;
  }

  // Sends Busy instead of an error if the device is in use, so that the client can wait.
  void send_failure(const Error& error) {
    if (busy_) {
      session_->send(*std::exchange(busy_, std::nullopt));
    } else {
      session_->send(error);
    }
  }

  // Disconnects a client that sent an invalid message; the job continues without it.
  Status refuse(const Error& error) {
    send_failure(error);
    session_->flush(kFlushPatience);
    disconnect();
    return Done{};
  }

  // Forgets the client. An agent that is not resident ends with it.
  void disconnect() {
    is_over_ = is_over_ || !listener_.is_open();
    session_.reset();
    client_.reset();
    incoming_.reset();
    is_fetching_ = false;
  }

  void greet_client() {
    FileDescriptor client = accept_client(listener_);
    if (!client.is_open()) return;
    client_ = std::move(client);
    session_.emplace(client_.get(), client_.get());
    session_->send(samples::Hello{samples::kProtocolVersion, describe(options_.revision)});
    has_greeted_ = false;
    has_job_ = false;
  }

  [[nodiscard]] int wait_ms() const {
    std::optional<Nanoseconds> deadline = runner_ ? runner_->deadline() : std::nullopt;
    if (!deadline) deadline = idle_time_.end(runner_ != nullptr);
    if (!deadline) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - system_clock().now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
  }

  void read_signals() {
    signalfd_siginfo signal{};
    while (::read(signals_.get(), &signal, sizeof signal) == sizeof signal) {
      if (signal.ssi_signo != SIGCHLD) is_over_ = true;
    }
  }

  void handle_tick() {
    std::uint64_t ticks = 0;
    if (::read(timer_.get(), &ticks, sizeof ticks) != sizeof ticks || !runner_) return;
    runner_->look();
    if (session_ && session_->is_following() && runner_->is_busy()) session_->send_if_idle(runner_->progress());
  }

  // Starts or stops the timer of one second, which is needed only while the runner is busy.
  void tick_while_busy() {
    const bool is_busy = runner_ && runner_->is_busy();
    if (is_busy == is_ticking_) return;
    is_ticking_ = is_busy;
    const itimerspec period{{is_busy ? 1 : 0, 0}, {is_busy ? 1 : 0, 0}};
    ::timerfd_settime(timer_.get(), 0, &period, nullptr);
  }

  Status read_messages() {
    Result<std::vector<samples::ClientMessage>> messages = session_->read();
    if (!messages) return error_of(messages);
    for (samples::ClientMessage& message : *messages) {
      if (Status done = std::visit([this](auto& body) { return handle(body); }, message); !done) return done;
    }
    return Done{};
  }

  Status handle(const samples::Hello& hello) {
    has_greeted_ = true;
    if (hello.protocol == samples::kProtocolVersion) return Done{};
    return fail(fmt::format("the client speaks protocol {}, this agent {}", hello.protocol, samples::kProtocolVersion),
                "ngb-agent " + describe(options_.revision), "install the same version of NGraphBench on both sides");
  }

  // A client that reconnects sends its job again. If the job has changed (because toolchains were installed since), the
  // agent continues with the new one.
  Status handle(work::Job& job) {
    if (!has_greeted_) return fail("received a job before hello", "ngb-agent");
    if (has_job_) return fail("received a second job", "ngb-agent");
    has_job_ = true;
    if (!job.continues) return begin(std::move(job));
    incoming_ = std::make_unique<work::Job>(std::move(job));
    return Done{};
  }

  Status handle(work::JobPart& part) {
    if (!incoming_) return fail("received a part of a job before the job", "ngb-agent");
    work::append(*incoming_, std::move(part));
    if (incoming_->continues) return Done{};
    const std::unique_ptr<work::Job> whole = std::move(incoming_);
    return begin(std::move(*whole));
  }

  Status begin(work::Job job) {
    stand_in(job, options_.device_folder);
    JobIdentity identity = identity_of(job);
    if (job_ && identity == identity_) return Done{};
    const int most = probe::usable_processors(surroundings_.cpus).all;
    if (Status resolved = resolve_threads(job, topology_of(surroundings_.cpus), most); !resolved) return resolved;
    if (Status valid = work::check_job(job); !valid) return valid;
    if (Status ours = hold_device(); !ours) return ours;
    if (Status ours = hold_machine(job); !ours) return ours;
    // Temporary files of killed processes are deleted when the folder is emptied.
    surroundings_.environment = {{"TMPDIR", surroundings_.scratch().string()}};
    surroundings_.environment.insert(surroundings_.environment.end(), job.environment.begin(), job.environment.end());
    surroundings_.model_kinds = model_kinds(job);
    runner_.reset();
    journal_.reset();
    job_ = std::make_unique<work::Job>(std::move(job));
    identity_ = std::move(identity);
    ledger_.emplace(job_->limits, work::planned_processes(job_->protocol), job_->protocol.rounds.has_value(),
                    job_->decided_by);
    const StillMissing still_missing(*job_);
    Status done = open_journal(
        identity_,
        {[this](const samples::Event& event) { ledger_->add(event); },
         [&] { ledger_->begin_other_job([&](const auto& cell, auto kind) { return still_missing(cell, kind); }); }});
    ::malloc_trim(0);
    return done;
  }

  Status open_journal(const JobIdentity& identity, const Journal::Replay& replay) {
    Result<Journal> journal = Journal::open(surroundings_.work_folder, identity, replay);
    if (!journal) return error_of(journal);
    journal_.emplace(*std::move(journal));
    for (const std::string& remark : journal_->remarks()) {
      std::fputs((remark + "\n").c_str(), stderr);
      session_->send(samples::Remark{text::to_utf8(remark)});
    }
    return Done{};
  }

  Status handle(const samples::Completed& completed) {
    if (!job_ || incoming_) return fail("received completed processes before a whole job", "ngb-agent");
    ledger_->add_completed(completed);
    return Done{};
  }

  // Starts the job. Nothing may start before the client has sent the last number that it knows, because numbers must
  // continue above it.
  Status handle(const samples::Follow& follow) {
    if (!job_ || incoming_) return fail("received follow before a whole job", "ngb-agent");
    journal_->continue_after(follow.after);
    // The end of a finished job is sent again, even to a client that knows everything.
    const std::uint64_t last = journal_->last_sequence();
    const std::uint64_t after = ledger_->is_finished() ? std::min(follow.after, last - 1) : follow.after;
    session_->follow(*journal_, after);
    session_->acknowledge(after);
    if (runner_) return Done{};
    auto runner = std::make_unique<Runner>(surroundings_, children_, *job_, *journal_, *ledger_,
                                           environment_of(*job_, *surroundings_.groups, options_.revision));
    if (const Status prepared = runner->prepare(); !prepared) {
      refusal_ = prepared.error();
      return Done{};
    }
    runner_ = std::move(runner);
    return Done{};
  }

  // Sends the run's journal, whether this agent or an earlier one recorded it.
  Status handle(const samples::Fetch& fetch) {
    if (!has_greeted_) return fail("received fetch before hello", "ngb-agent");
    if (job_ && job_->run_id != fetch.run_id) return fail("another run is active here: " + job_->run_id, "ngb-agent");
    if (fetch.ends) runner_.reset();
    if (!journal_ && Journal::is_there(surroundings_.work_folder, fetch.run_id)) {
      if (Status opened = open_journal({fetch.run_id, {}}, {[](const samples::Event&) {}}); !opened) return opened;
    }
    if (journal_) session_->follow(*journal_, fetch.after);
    is_fetching_ = true;
    return Done{};
  }

  void report_end_of_fetch() {
    if (!is_fetching_ || !session_ || session_->wants_to_write()) return;
    is_fetching_ = false;
    session_->send(samples::Fetched{journal_ ? journal_->last_sequence() : 0});
  }

  Status handle(const samples::Acknowledge& acknowledge) {
    session_->acknowledge(acknowledge.sequence);
    return Done{};
  }

  Status handle(const samples::Stop& /*stop*/) {
    is_over_ = true;
    return Done{};
  }

  // Refuses the messages that only the reception serves (samples/delivery_messages.h).
  template <class Delivery>
  Status handle(const Delivery& /*delivery*/) {
    return fail("received a delivery, which only the reception serves", "ngb-agent");
  }

  const Options& options_;
  FileDescriptor signals_;
  FileDescriptor timer_;
  IdleTime idle_time_;
  FileDescriptor listener_{};  // of a resident agent
  FileDescriptor client_{};    // of a resident agent: the connection of session_
  std::optional<Session> session_{};
  Children children_{};
  Surroundings surroundings_{};
  FileDescriptor device_lock_{};
  FileDescriptor lock_{};
  std::unique_ptr<work::Job> incoming_{};  // a job whose later parts have not arrived
  std::unique_ptr<work::Job> job_{};
  JobIdentity identity_{};  // of job_
  std::optional<Ledger> ledger_{};
  std::optional<Journal> journal_{};
  std::unique_ptr<Runner> runner_{};
  std::optional<Error> refusal_{};       // why this agent cannot do the job
  std::optional<samples::Busy> busy_{};  // who uses the device
  bool has_greeted_ = false;             // the client has sent Hello
  bool has_job_ = false;                 // the client has sent its job
  bool is_fetching_ = false;             // the client waits for the end of a fetch
  bool is_ticking_ = false;
  bool is_over_ = false;
};

}  // namespace

int serve(const Options& options) { return Server(options).serve(); }

int reside(const Options& options) { return Server(options).reside(); }

}  // namespace ngb::agent
