// SPDX-License-Identifier: Apache-2.0
#include "agent/agent.h"

#include <fcntl.h>
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
#include <vector>

#include "agent/children.h"
#include "agent/journal.h"
#include "agent/ledger.h"
#include "agent/listener.h"
#include "agent/lock.h"
#include "agent/process_tree.h"
#include "agent/runner.h"
#include "agent/session.h"
#include "base/text.h"
#include "probe/probe.h"

namespace ngb::agent {
namespace {

constexpr int kCannotGoOn = 3;
constexpr Nanoseconds kLockPatience = std::chrono::seconds(5);
constexpr Nanoseconds kFlushPatience = std::chrono::seconds(5);
// A resident agent without a client leaves after this, with a job that is finished or with none.
constexpr Nanoseconds kFinishedPatience = std::chrono::hours(24);
// So long a machine that others wait for is kept for a client to come back.
constexpr Nanoseconds kHoggingPatience = std::chrono::minutes(30);
constexpr Nanoseconds kJoblessPatience = std::chrono::minutes(1);

// Paths of a job for a device elsewhere are within the device's folder.
void stand_in(samples::Job& job, const std::filesystem::path& device_folder) {
  if (device_folder.empty()) return;
  const auto complete = [&](std::string& path) {
    if (!path.empty()) path = (device_folder / path).string();
  };
  const auto complete_compiler = [&](samples::CompilerWork& compiler) {
    complete(compiler.toolchain_dir);
    complete(compiler.python_path);
  };
  for (samples::CellWork& cell : job.cells) complete_compiler(cell.compiler);
  for (samples::ModelWork& model : job.models) {
    for (UserFile& file : model.files) complete(file.path);
    complete(model.reference_path);
  }
  if (job.reference) complete_compiler(*job.reference);
  if (job.exporter) complete_compiler(*job.exporter);
  complete(job.reference_cache);
}

// What the device tells of itself, and the variables that the job's processes get there.
samples::Environment environment_of(const samples::Job& job) {
  samples::Environment environment = probe::environment();
  for (const auto& [name, value] : job.environment) {
    environment.entries.push_back({"variable_" + name, "", samples::Known<std::string>::of(value)});
  }
  std::sort(environment.entries.begin(), environment.entries.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return environment;
}

// Signals as something to poll for.
FileDescriptor open_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : {SIGCHLD, SIGTERM, SIGINT}) ::sigaddset(&set, number);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  return FileDescriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

// One agent at work. `run` returns when it is to end.
class Server {
 public:
  explicit Server(const Options& options)
      : options_(options),
        signals_(open_signals()),
        timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
    session_.emplace(STDIN_FILENO, STDOUT_FILENO);
  }

  int serve() {
    session_->send(samples::Hello{samples::kProtocolVersion, options_.version});
    return run(prepare());
  }

  int reside() {
    Status done = prepare_to_reside();
    if (done) {
      // Whoever started this one sees the end of its output, and may call.
      session_.reset();
      const FileDescriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
      ::dup2(nothing.get(), STDOUT_FILENO);
      ::dup2(nothing.get(), STDIN_FILENO);
    }
    return run(done);
  }

 private:
  int run(Status done) {
    while (done && !is_over_) {
      done = wait();
      children_.reap();
      if (done && runner_ && !is_over_) done = runner_->advance();
      if (done && is_finished() && session_ && session_->has_acknowledged_all()) is_over_ = true;
      if (is_finished()) device_lock_.reset();  // nothing is measured here any more
      if (is_idle() && system_clock().now() >= idle_end()) is_over_ = true;
      tick_while_busy();
    }
    if (runner_) runner_->stop();
    if (done) return 0;
    const Error error{text::to_utf8(done.error().what), text::to_utf8(done.error().where),
                      text::to_utf8(done.error().next)};
    std::fputs((error.text() + "\n").c_str(), stderr);
    if (session_) {
      session_->send(error);
      session_->flush(kFlushPatience);
    }
    return kCannotGoOn;
  }

  [[nodiscard]] bool is_finished() const { return runner_ && runner_->is_finished(); }
  [[nodiscard]] bool is_idle() const { return !session_ && (!runner_ || runner_->is_finished()); }
  [[nodiscard]] Nanoseconds idle_end() const {
    if (!runner_) return idle_since_ + kJoblessPatience;
    return idle_since_ + (options_.has_device_to_itself ? kHoggingPatience : kFinishedPatience);
  }

  // Given back when the job is finished; another job needs it again.
  Status hold_device() {
    if (options_.device_folder.empty() || options_.has_device_to_itself || device_lock_.is_open()) return Done{};
    if (const Status made = file::make_folder(options_.device_folder); !made) return made;
    Result<FileDescriptor> lock = lock_folder(options_.device_folder, kLockPatience);
    if (!lock) return tl::unexpected(lock.error());
    device_lock_ = std::move(*lock);
    return Done{};
  }

  // The device before the folder: another run may be at work on it.
  Status prepare_to_reside() {
    if (const Status held = hold_device(); !held) return held;
    if (Status prepared = prepare(); !prepared) return prepared;
    Result<FileDescriptor> listener = listen_in(surroundings_.work_folder);
    if (!listener) return tl::unexpected(listener.error());
    listener_ = std::move(*listener);
    return Done{};
  }

  Status prepare() {
    std::error_code code;
    if (const Status made = file::make_folder(options_.work_folder); !made) return made;
    // Absolute: workers stand in a folder of their own.
    surroundings_ = {std::filesystem::absolute(options_.worker), std::filesystem::absolute(options_.lib),
                     std::filesystem::canonical(options_.work_folder, code), probe::allowed_cpus()};
    Result<FileDescriptor> lock = lock_folder(surroundings_.work_folder, kLockPatience);
    if (!lock) return tl::unexpected(lock.error());
    lock_ = std::move(*lock);
    kill_leftovers(surroundings_.work_folder);
    // What an agent that was killed has left in the middle of something.
    for (const char* name : {"models", "scratch"}) std::filesystem::remove_all(surroundings_.work_folder / name, code);
    for (const char* name : {"models", "scratch", "logs"}) {
      if (const Status made = file::make_folder(surroundings_.work_folder / name); !made) return made;
    }
    return Done{};
  }

  Status wait() {
    const bool has_words = session_ && session_->wants_to_write();
    std::vector<pollfd> sources{{session_ ? session_->input_fd() : -1, POLLIN, 0},
                                {has_words ? session_->output_fd() : -1, POLLOUT, 0},
                                {signals_.get(), POLLIN, 0},
                                {timer_.get(), POLLIN, 0},
                                {listener_.get(), POLLIN, 0}};
    if (runner_) {
      for (const int fd : runner_->poll_fds()) sources.push_back({fd, POLLIN, 0});
    }
    if (::poll(sources.data(), sources.size(), wait_ms()) < 0 && errno != EINTR) {
      return tl::unexpected(file::from_errno("wait", "poll", errno));
    }
    if (sources[2].revents != 0) take_signals();
    if (sources[3].revents != 0) take_tick();
    Status done;
    if (sources[1].revents != 0) done = session_->write();
    if (done && sources[0].revents != 0) {
      done = take_messages();
      if (!done && runner_ && listener_.is_open()) done = refuse(done.error());
    }
    if (session_ && session_->is_gone()) part();
    if (sources[4].revents != 0) meet_client();
    return done;
  }

  // What one client says wrong does not end a job that goes on without it.
  Status refuse(const Error& error) {
    session_->send(error);
    session_->flush(kFlushPatience);
    part();
    return Done{};
  }

  // The client is gone. Who has only that one leaves too.
  void part() {
    is_over_ = is_over_ || !listener_.is_open();
    session_.reset();
    client_.reset();
    idle_since_ = system_clock().now();
  }

  void meet_client() {
    FileDescriptor client = accept_client(listener_);
    if (!client.is_open()) return;
    client_ = std::move(client);
    session_.emplace(client_.get(), client_.get());
    session_->send(samples::Hello{samples::kProtocolVersion, options_.version});
    has_greeted_ = false;
    has_job_ = false;
  }

  [[nodiscard]] int wait_ms() const {
    std::optional<Nanoseconds> deadline = runner_ ? runner_->deadline() : std::nullopt;
    if (!deadline && is_idle()) deadline = idle_end();
    if (!deadline) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - system_clock().now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
  }

  void take_signals() {
    signalfd_siginfo signal{};
    while (::read(signals_.get(), &signal, sizeof signal) == sizeof signal) {
      if (signal.ssi_signo != SIGCHLD) is_over_ = true;
    }
  }

  void take_tick() {
    std::uint64_t ticks = 0;
    if (::read(timer_.get(), &ticks, sizeof ticks) != sizeof ticks || !runner_) return;
    runner_->look();
    if (session_ && session_->is_following() && runner_->is_busy()) session_->send_if_idle(runner_->progress());
  }

  // The once-a-second look, only while there is something to look at.
  void tick_while_busy() {
    const bool is_busy = runner_ && runner_->is_busy();
    if (is_busy == is_ticking_) return;
    is_ticking_ = is_busy;
    const itimerspec period{{is_busy ? 1 : 0, 0}, {is_busy ? 1 : 0, 0}};
    ::timerfd_settime(timer_.get(), 0, &period, nullptr);
  }

  Status take_messages() {
    Result<std::vector<samples::ClientMessage>> messages = session_->read();
    if (!messages) return tl::unexpected(messages.error());
    for (samples::ClientMessage& message : *messages) {
      if (Status done = std::visit([this](auto& body) { return take(body); }, message); !done) return done;
    }
    return Done{};
  }

  Status take(const samples::Hello& hello) {
    has_greeted_ = true;
    if (hello.protocol == samples::kProtocolVersion) return Done{};
    return fail(fmt::format("the client speaks protocol {}, this agent {}", hello.protocol, samples::kProtocolVersion),
                "ngb-agent " + options_.version, "install the same version of NGraphBench on both sides");
  }

  // A client that comes back brings its job again; should it be another one (toolchains have come since), that is done
  // from here on.
  Status take(samples::Job& job) {
    if (!has_greeted_) return fail("a job before hello", "ngb-agent");
    if (has_job_) return fail("a second job", "ngb-agent");
    has_job_ = true;
    stand_in(job, options_.device_folder);
    if (job_ && identity_of(*job_) == identity_of(job)) return Done{};
    if (Status valid = check_job(job); !valid) return valid;
    if (Status ours = hold_device(); !ours) return ours;
    // What a killed process leaves there goes when the folder is emptied.
    surroundings_.environment = {{"TMPDIR", surroundings_.scratch().string()}};
    surroundings_.environment.insert(surroundings_.environment.end(), job.environment.begin(), job.environment.end());
    runner_.reset();
    journal_.reset();
    job_ = std::make_unique<samples::Job>(std::move(job));
    ledger_.emplace(job_->protocol.attempts);
    Result<Journal> journal = Journal::open(surroundings_.work_folder, identity_of(*job_),
                                            [this](const samples::Event& event) { ledger_->add(event); });
    ::malloc_trim(0);
    if (!journal) return tl::unexpected(journal.error());
    journal_.emplace(*std::move(journal));
    for (const std::string& remark : journal_->remarks()) {
      std::fputs((remark + "\n").c_str(), stderr);
      samples::Progress progress;
      progress.doing = text::to_utf8(remark);
      session_->send(progress);
    }
    return Done{};
  }

  // Nothing is started before the client has said what it knows: numbers must go on above that.
  Status take(const samples::Follow& follow) {
    if (!journal_) return fail("follow before a job", "ngb-agent");
    journal_->continue_after(follow.after);
    ledger_->add_completed(follow.completed);
    // Of a finished job the end is told again, even to a client that knows all.
    const std::uint64_t last = journal_->last_sequence();
    const std::uint64_t after = ledger_->is_finished() ? std::min(follow.after, last - 1) : follow.after;
    session_->follow(*journal_, after);
    session_->acknowledge(after);
    if (runner_) return Done{};
    runner_ = std::make_unique<Runner>(surroundings_, children_, *job_, *journal_, *ledger_, environment_of(*job_));
    return Done{};
  }

  Status take(const samples::Acknowledge& acknowledge) {
    session_->acknowledge(acknowledge.sequence);
    return Done{};
  }

  Status take(const samples::Stop& /*stop*/) {
    is_over_ = true;
    return Done{};
  }

  // What comes to a device before a job does is not for the agent of a run (delivery.h).
  template <class Delivery>
  Status take(const Delivery& /*delivery*/) {
    return fail("a delivery to the agent of a run", "ngb-agent");
  }

  const Options& options_;
  FileDescriptor signals_;
  FileDescriptor timer_;
  FileDescriptor listener_{};  // of a resident agent
  FileDescriptor client_{};    // there: the connection of session_
  std::optional<Session> session_{};
  Nanoseconds idle_since_ = system_clock().now();
  Children children_{};
  Surroundings surroundings_{};
  FileDescriptor device_lock_{};
  FileDescriptor lock_{};
  std::unique_ptr<samples::Job> job_{};
  std::optional<Ledger> ledger_{};
  std::optional<Journal> journal_{};
  std::unique_ptr<Runner> runner_{};
  bool has_greeted_ = false;  // the client of this session
  bool has_job_ = false;      // likewise: has brought its job
  bool is_ticking_ = false;
  bool is_over_ = false;
};

}  // namespace

int serve(const Options& options) { return Server(options).serve(); }

int reside(const Options& options) { return Server(options).reside(); }

}  // namespace ngb::agent
