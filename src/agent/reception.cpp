// SPDX-License-Identifier: Apache-2.0
#include "agent/reception.h"

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
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "agent/hold.h"
#include "agent/listener.h"
#include "agent/receiving.h"
#include "agent/removal.h"
#include "agent/toolchains.h"
#include "base/clock.h"
#include "base/process.h"
#include "base/text.h"
#include "probe/probe.h"
#include "samples/frame.h"
#include "samples/message.h"

namespace ngb::agent {
namespace {

constexpr int kCannotGoOn = 3;
constexpr std::size_t kChunkBytes = 1U << 18U;
constexpr Nanoseconds kHolderPause = std::chrono::milliseconds(50);

// Copies what comes from one end to the other, both ways, until one of them is gone.
void relay(const FileDescriptor& agent) {
  std::string chunk(kChunkBytes, '\0');
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

samples::Known<std::string> python_version() {
  const Result<process::Outcome> told = process::run({{"python3", "--version"}});
  if (!told) return samples::Known<std::string>::unknown(text::to_utf8(told.error().what));
  if (!told->succeeded()) return samples::Known<std::string>::unknown("python3 --version fails");
  return samples::Known<std::string>::of(text::to_utf8(text::trim(told->output)));
}

class Reception {
 public:
  explicit Reception(const ReceptionOptions& options) : options_(options) {}

  int run() {
    const Status done = receive();
    if (done) return 0;
    say(Error{text::to_utf8(done.error().what), text::to_utf8(done.error().where), text::to_utf8(done.error().next)});
    return kCannotGoOn;
  }

 private:
  Status receive() {
    std::error_code code;
    if (Status made = file::make_folder(options_.device_folder); !made) return made;
    folder_ = std::filesystem::canonical(options_.device_folder, code);
    greet();
    std::string chunk(kChunkBytes, '\0');
    while (!is_over_) {
      const ssize_t count = ::read(STDIN_FILENO, chunk.data(), chunk.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return Done{};
      if (Status taken = take(std::string_view(chunk).substr(0, static_cast<std::size_t>(count))); !taken) return taken;
    }
    return Done{};
  }

  // Plain bytes of a tree, or frames. The client sends nothing beyond a message before it has been answered.
  Status take(std::string_view bytes) {
    if (receiving_) {
      const Result<std::size_t> taken = receiving_->take(bytes);
      if (!taken) return tl::unexpected(taken.error());
      bytes.remove_prefix(*taken);
      if (receiving_->is_complete()) {
        if (Status installed = install(); !installed) return installed;
      }
    }
    frames_.feed(bytes);
    for (;;) {
      const Result<std::optional<std::string>> frame = frames_.next();
      if (!frame) return tl::unexpected(frame.error());
      if (!frame->has_value()) return Done{};
      Result<samples::ClientMessage> message = samples::decode_client_message(**frame);
      if (!message) return tl::unexpected(message.error());
      if (Status done = std::visit([this](auto& body) { return answer(body); }, *message); !done) return done;
    }
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
    samples::Lacking lacking;
    std::error_code code;
    for (const std::string& tree : ask.trees) {
      if (!std::filesystem::exists(folder_ / tree, code)) lacking.trees.push_back(tree);
    }
    say(lacking);
    return Done{};
  }

  Status answer(samples::Tree& tree) {
    path_ = tree.path;
    Result<Receiving> receiving = Receiving::begin(folder_, std::move(tree));
    if (!receiving) return tl::unexpected(receiving.error());
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
    for (const std::string& needed : {attach.worker, attach.lib}) {
      std::error_code code;
      if (!std::filesystem::exists(folder_ / needed, code)) return fail("was not delivered, or removed since", needed);
    }
    if (reach_agent(attach)) return Done{};
    return attach.holder.empty() ? attach_to_ours(attach) : attach_to_held(attach);
  }

  // False: none is at work.
  bool reach_agent(const samples::Attach& attach) {
    const FileDescriptor agent = connect_to(folder_ / attach.run);
    if (agent.is_open()) relay(agent);
    return agent.is_open();
  }

  // Another client may start one at the same moment: only one of them gets the folder's lock, and both reach it.
  Status attach_to_ours(const samples::Attach& attach) {
    constexpr int kTries = 3;
    for (int i = 0; i < kTries; ++i) {
      const Result<std::string> words = start_agent(attach);
      if (!words) return tl::unexpected(words.error());
      if (!words->empty()) return file::write_all(STDOUT_FILENO, *words, "client");
      if (reach_agent(attach)) return Done{};
    }
    return fail("the agent does not start", (folder_ / attach.run).string(), "see agent.log there");
  }

  Status attach_to_held(const samples::Attach& attach) {
    if (Status made = file::make_folder(folder_ / attach.run); !made) return made;
    constexpr int kTries = 600;
    for (int i = 0; i < kTries; ++i) {
      // A job that has only just begun takes away what it was told before.
      if (Status told = tell_holder(folder_, attach); !told) return told;
      std::this_thread::sleep_for(kHolderPause);
      if (reach_agent(attach)) return Done{};
    }
    return fail("the batch job does not start the agent", (folder_ / attach.run).string(), "see agent.log there");
  }

  // Until it listens, or has said why it cannot: as a message, to be passed on.
  Result<std::string> start_agent(const samples::Attach& attach) {
    const std::filesystem::path work_folder = folder_ / attach.run;
    if (const Status made = file::make_folder(work_folder); !made) return tl::unexpected(made.error());
    const std::filesystem::path log_path = work_folder / "agent.log";
    const FileDescriptor log(::open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (!log.is_open()) return tl::unexpected(file::from_errno("write", log_path, errno));
    const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return tl::unexpected(file::from_errno("start", options_.program, errno));
    const FileDescriptor read_end(ends[0]);
    FileDescriptor write_end(ends[1]);
    process::Spawn spawn{{options_.program.string(), "reside", "--work", work_folder.string(), "--worker",
                          (folder_ / attach.worker).string(), "--lib", (folder_ / attach.lib).string(), "--folder",
                          folder_.string()}};
    spawn.descriptors = {{nothing.get(), 0}, {write_end.get(), 1}, {log.get(), 2}};
    spawn.own_session = true;
    spawn.dies_with_parent = false;
    spawn.folder = "/";
    const Result<pid_t> pid = process::spawn(spawn);
    if (!pid) return tl::unexpected(pid.error());
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
    if (!removed) return tl::unexpected(removed.error());
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

  Status answer(const samples::Adopt& adoption) { return installed(adopt(folder_, adoption), adoption.path); }

  Status answer(const samples::InstallThere& wanted) { return installed(install_there(folder_, wanted), wanted.path); }

  static Status installed(const Status& done, const std::string& path) {
    if (done) say(samples::Installed{path});
    return done;
  }

  template <class Other>
  Status answer(const Other& /*other*/) {
    return fail("a message for the agent of a run, which nobody has attached to", "ngb-agent receive");
  }

  static void say(const samples::AgentMessage& message) {
    // A client that is gone shows at the next read.
    (void)file::write_all(STDOUT_FILENO, samples::line_frame(samples::encode(message)), "client");
  }

  const ReceptionOptions& options_;
  std::filesystem::path folder_{};
  samples::FrameReader frames_{};
  std::optional<Receiving> receiving_{};
  std::string path_{};  // of the tree on its way
  bool is_over_ = false;
};

}  // namespace

int receive_client(const ReceptionOptions& options) {
  ::signal(SIGPIPE, SIG_IGN);
  ::umask(077);
  return Reception(options).run();
}

}  // namespace ngb::agent
