// SPDX-License-Identifier: Apache-2.0
#include "reception/reception.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <functional>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "agent/agent.h"
#include "agent/listener.h"
#include "agent/lock.h"
#include "base/clock.h"
#include "base/process.h"
#include "base/removal.h"
#include "base/text.h"
#include "probe/probe.h"
#include "reception/belongings.h"
#include "reception/device_toolchains.h"
#include "reception/hold.h"
#include "reception/receiving.h"
#include "reception/removal.h"
#include "samples/frame.h"
#include "samples/message.h"

namespace ngb::reception {
namespace {

constexpr std::size_t kReadBytes = 1U << 18U;
constexpr Nanoseconds kHolderPause = std::chrono::milliseconds(50);
// A client may be silent for this long during a delivery, and longer otherwise: it may download before it delivers.
constexpr Nanoseconds kDeliverySilence = std::chrono::minutes(10);
constexpr Nanoseconds kSilence = std::chrono::hours(6);
constexpr Nanoseconds kBusyPause = std::chrono::seconds(2);

// Copies bytes between client and agent, both ways, until one of them disconnects.
void relay(const FileDescriptor& agent) {
  std::string chunk(kReadBytes, '\0');
  const auto pass_on = [&](int from, int to) {
    const ssize_t count = ::read(from, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) return true;
    if (count <= 0) return false;
    return file::write_all(to, std::string_view(chunk).substr(0, static_cast<std::size_t>(count)), "relay").has_value();
  };
  for (;;) {
    std::array<pollfd, 2> sources{{{STDIN_FILENO, POLLIN, 0}, {agent.get(), POLLIN, 0}}};
    if (::poll(sources.data(), sources.size(), -1) < 0 && errno != EINTR) return;
    if (sources[1].revents != 0 && !pass_on(agent.get(), STDOUT_FILENO)) return;
    if (sources[0].revents != 0 && !pass_on(STDIN_FILENO, agent.get())) return;
  }
}

Known<std::string> python_version() {
  const Result<process::Outcome> told = process::run({{"python3", "--version"}});
  if (!told) return Known<std::string>::unknown(text::to_utf8(told.error().what));
  if (!told->succeeded()) return Known<std::string>::unknown("python3 --version failed");
  return Known<std::string>::of(text::to_utf8(text::trim(told->output)));
}

class Reception {
 public:
  explicit Reception(const ReceptionOptions& options) : options_(options) {}

  int run() {
    const Status done = receive();
    if (done) return 0;
    say(Error{text::to_utf8(done.error().what), text::to_utf8(done.error().where), text::to_utf8(done.error().next)});
    return agent::kCannotGoOn;
  }

 private:
  Status receive() {
    Result<std::filesystem::path> folder = claim_device_folder(options_.device_folder);
    if (!folder) {
      leave_no_program();
      return error_of(folder);
    }
    folder_ = *std::move(folder);
    greet();
    std::string chunk(kReadBytes, '\0');
    while (!is_over_) {
      if (Status spoken = wait_for_client(); !spoken) return spoken;
      const ssize_t count = ::read(STDIN_FILENO, chunk.data(), chunk.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return Done{};
      if (Status done = handle(std::string_view(chunk).substr(0, static_cast<std::size_t>(count))); !done) return done;
    }
    return Done{};
  }

  // Waits until the client sends or disconnects. A connection may be lost without a sign, so silence that is too long
  // is an error; a client that delivers sends all the time.
  [[nodiscard]] Status wait_for_client() const {
    constexpr int kPauseMs = 500;
    const Nanoseconds began = system_clock().now();
    for (;;) {
      pollfd client{STDIN_FILENO, POLLIN, 0};
      if (::poll(&client, 1, kPauseMs) > 0) return Done{};
      const Nanoseconds silence = system_clock().now() - began;
      if (receiving_ && silence > options_.silence && is_delivery_awaited(folder_)) {
        return fail("the client of this delivery was silent, so the delivery of another client went first");
      }
      if (silence > (receiving_ ? kDeliverySilence : kSilence)) return fail("the client has been silent for too long");
    }
  }

  // Reports to the client what this device waits for. Returns false if the client has disconnected.
  static bool report_waiting(const std::string& for_whom) {
    samples::Progress progress;
    progress.doing = for_whom;
    say(progress);
    pollfd client{STDIN_FILENO, 0, 0};
    ::poll(&client, 1, 0);
    return (client.revents & (POLLHUP | POLLERR)) == 0;
  }
  static bool report_other_delivery(const std::string& holder) {
    return report_waiting("waiting for another delivery to this device (" + holder + ")");
  }

  // Handles plain bytes of a tree, or frames. After a message the client sends nothing until it is answered.
  Status handle(std::string_view bytes) {
    if (receiving_) {
      const Result<std::size_t> used = receiving_->receive(bytes);
      if (!used) return error_of(used);
      bytes.remove_prefix(*used);
      if (receiving_->is_complete()) {
        if (Status installed = install(); !installed) return installed;
      }
    }
    frames_.feed(bytes);
    for (;;) {
      const Result<std::optional<std::string>> frame = frames_.next();
      if (!frame) return error_of(frame);
      if (!frame->has_value()) return Done{};
      Result<samples::ClientMessage> message = samples::decode_client_message(**frame);
      if (!message) return error_of(message);
      if (Status done = std::visit([this](auto& body) { return answer(body); }, *message); !done) return done;
    }
  }

  // Removes this program, which the bootstrap had put into a folder that is somebody else's.
  void leave_no_program() const {
    const std::filesystem::path ours = options_.program.parent_path();
    std::error_code code;
    const bool is_within = std::filesystem::equivalent(ours.parent_path(), options_.device_folder / "agents", code);
    if (!is_within || code) return;
    file::remove(options_.program);
    file::remove(ours);
    file::remove(ours.parent_path());
  }

  void greet() {
    utsname system{};
    ::uname(&system);
    std::error_code code;
    const std::filesystem::space_info space = std::filesystem::space(folder_, code);
    say(samples::Arrival{folder_.string(), system.machine, code ? 0 : space.available,
                         system_clock().unix_now().count()});
  }

  Status answer(const samples::Ask& ask) {
    if (!ask.run.empty()) {
      if (Status claimed = make_run_folder(ask.run); !claimed) return claimed;
    }
    samples::Lacking lacking;
    // Hashing every file would disturb a run that is being measured.
    const bool is_measuring = agent::is_locked(folder_);
    for (const std::string& tree : ask.trees) {
      using file_list::Check;
      const Check check = is_measuring || is_toolchain_folder(tree) ? Check::sizes : Check::hashes;
      std::error_code code;
      const bool is_there = std::filesystem::exists(folder_ / tree, code);
      if (!is_there || !is_tree_whole(folder_ / tree, check)) lacking.trees.push_back(tree);
    }
    say(lacking);
    return Done{};
  }

  Status make_run_folder(const std::string& run) const {
    if (!is_run_folder(run)) return fail("is not a valid name for a run's folder", run);
    return file::make_folder(folder_ / run);
  }

  Status answer(samples::Tree& tree) {
    if (!is_tree_folder(tree.path)) return fail("is not a place for deliveries", tree.path);
    path_ = tree.path;
    Result<Receiving> receiving = Receiving::begin(folder_, std::move(tree), report_other_delivery);
    if (!receiving) return error_of(receiving);
    receiving_.emplace(*std::move(receiving));
    say(receiving_->want());
    return receiving_->is_complete() ? install() : Status{};
  }

  Status install() {
    if (Status installed = receiving_->install(); !installed) return installed;
    receiving_.reset();
    say(samples::Installed{path_});
    return Done{};
  }

  Status answer(const samples::Attach& attach) {
    is_over_ = true;
    if (Status made = make_run_folder(attach.run); !made) return made;
    for (const std::string& needed : {attach.worker, attach.lib}) {
      std::error_code code;
      if (!std::filesystem::exists(folder_ / needed, code))
        return fail("was not delivered, or was removed since", needed);
    }
    if (reach_agent(attach)) return Done{};
    return attach.holder.empty() ? attach_to_ours(attach) : attach_to_held(attach);
  }

  // Connects the client to the run's agent until one of them disconnects. Returns false if no agent listens.
  bool reach_agent(const samples::Attach& attach) {
    const FileDescriptor agent = agent::connect_to(folder_ / attach.run);
    if (agent.is_open()) relay(agent);
    return agent.is_open();
  }

  // Connects the client to the agent, which is started if necessary. Another client may start one at the same moment:
  // only one of the agents gets the folder's lock, and both clients reach that one.
  Status attach_to_ours(const samples::Attach& attach) {
    constexpr int kTries = 3;
    for (int i = 0; i < kTries; ++i) {
      const Result<std::string> words = start_agent(attach);
      if (!words) return error_of(words);
      if (is_busy(*words)) {
        (void)file::write_all(STDOUT_FILENO, *words, "client");
        if (!wait_until_free()) return Done{};
        i = -1;
        continue;
      }
      if (!words->empty()) return file::write_all(STDOUT_FILENO, *words, "client");
      if (reach_agent(attach)) return Done{};
    }
    return fail("the agent did not start", (folder_ / attach.run).string(), "see agent.log there");
  }

  // Returns whether the agent did not start because another run is being measured.
  static bool is_busy(const std::string& words) {
    samples::FrameReader reader;
    reader.feed(words);
    const auto frame = reader.next();
    if (!frame || !frame->has_value()) return false;
    const auto message = samples::decode_agent_message(**frame);
    return message && std::holds_alternative<samples::Busy>(*message);
  }

  // Waits until no run is measured here. Returns false if the client sends something or disconnects. Meanwhile reports
  // to the client every two seconds, which also shows that the connection lives.
  [[nodiscard]] bool wait_until_free() const {
    for (Nanoseconds told = system_clock().now(); agent::is_locked(folder_);) {
      pollfd client{STDIN_FILENO, POLLIN, 0};
      constexpr int kPauseMs = 200;
      if (::poll(&client, 1, kPauseMs) > 0) return false;
      if (system_clock().now() - told < kBusyPause) continue;
      told = system_clock().now();
      const std::optional<agent::LockOwner> owner = agent::lock_owner(folder_);
      if (owner) say(samples::Busy{text::to_utf8(owner->task), owner->text()});
    }
    return true;
  }

  Status attach_to_held(const samples::Attach& attach) {
    constexpr int kTries = 600;
    for (int i = 0; i < kTries; ++i) {
      // A job that has just begun deletes a file that was written before.
      if (Status written = write_holder(folder_, attach); !written) return written;
      std::this_thread::sleep_for(kHolderPause);
      if (reach_agent(attach)) return Done{};
    }
    return fail("the batch job did not start the agent", (folder_ / attach.run).string(), "see agent.log there");
  }

  // Starts the agent. Returns "" once it listens, or a message for the client that says why it cannot.
  Result<std::string> start_agent(const samples::Attach& attach) {
    const std::filesystem::path work_folder = folder_ / attach.run;
    const std::filesystem::path log_path = work_folder / "agent.log";
    const FileDescriptor log(::open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!log.is_open()) return tl::unexpected(file::from_errno("write", log_path, errno));
    const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return tl::unexpected(file::from_errno("start", options_.program, errno));
    const FileDescriptor read_end(ends[0]);
    FileDescriptor write_end(ends[1]);
    process::Spawn spawn{{options_.program.string(), "reside", "--work", work_folder.string(), "--worker",
                          (folder_ / attach.worker).string(), "--lib", (folder_ / attach.lib).string(), "--folder",
                          folder_.string()}};
    spawn.inherits = environment::Share::all;
    spawn.descriptors = {{nothing.get(), 0}, {write_end.get(), 1}, {log.get(), 2}};
    spawn.own_session = true;
    spawn.dies_with_parent = false;
    spawn.folder = "/";
    const Result<pid_t> pid = process::spawn(spawn);
    if (!pid) return error_of(pid);
    write_end.reset();
    std::string words;
    for (std::array<char, 4096> chunk{};;) {
      const ssize_t count = ::read(read_end.get(), chunk.data(), chunk.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return words;
      words.append(chunk.data(), static_cast<std::size_t>(count));
    }
  }

  Status answer(const samples::Remove& remove) {
    const Result<samples::Removed> removed = remove_runs(folder_, remove);
    if (!removed) return error_of(removed);
    say(*removed);
    is_over_ = true;
    return Done{};
  }

  Status answer(const samples::Describe& /*describe*/) {
    say(samples::Description{probe::environment(), toolchains_in(folder_), python_version()});
    return Done{};
  }

  Status answer(const samples::Inspect& inspected) {
    say(inspect(folder_, inspected));
    return Done{};
  }

  Status answer(const samples::Adopt& adoption) {
    return at_toolchain(adoption.path, [&] { return adopt(folder_, adoption); });
  }

  Status answer(const samples::InstallThere& wanted) {
    return at_toolchain(wanted.path, [&] { return install_there(folder_, wanted); });
  }

  // Performs the task under the lock of deliveries, so that no teardown happens meanwhile.
  Status at_toolchain(const std::string& path, const std::function<Status()>& task) {
    if (!is_toolchain_folder(path)) return fail("is not a place for a toolchain", path);
    const Result<FileDescriptor> lock = lock_deliveries(folder_, report_other_delivery);
    if (!lock) return error_of(lock);
    return installed(task(), path);
  }

  static Status installed(const Status& done, const std::string& path) {
    if (done) say(samples::Installed{path});
    return done;
  }

  template <class Other>
  Status answer(const Other& /*other*/) {
    return fail("the message is for a run's agent, but the client has not attached to one", "ngb-agent receive");
  }

  static void say(const samples::AgentMessage& message) {
    // If the client has disconnected, the next read says so.
    (void)file::write_all(STDOUT_FILENO, samples::line_frame(samples::encode(message)), "client");
  }

  const ReceptionOptions& options_;
  std::filesystem::path folder_{};
  samples::FrameReader frames_{};
  std::optional<Receiving> receiving_{};
  std::string path_{};  // of the tree that is being received
  bool is_over_ = false;
};

}  // namespace

int receive_client(const ReceptionOptions& options) {
  ::signal(SIGPIPE, SIG_IGN);
  ::umask(077);
  return Reception(options).run();
}

}  // namespace ngb::reception
