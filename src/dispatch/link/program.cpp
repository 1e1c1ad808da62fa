// SPDX-License-Identifier: Apache-2.0
#include "dispatch/link/program.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"

namespace ngb::dispatch {
namespace {

constexpr std::size_t kMaxOutputBytes = 64U << 20U;
constexpr std::size_t kMaxWordsBytes = 2000;

// Returns a file in memory. The program reads or writes it without any action of ours.
FileDescriptor memory(const char* name) { return FileDescriptor(::memfd_create(name, MFD_CLOEXEC)); }

std::string content_of(const FileDescriptor& file, std::size_t limit_bytes) {
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  std::string content(size < 0 ? 0 : std::min(static_cast<std::size_t>(size), limit_bytes), '\0');
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t count = ::pread(file.get(), content.data() + done, content.size() - done, static_cast<off_t>(done));
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  content.resize(done);
  return content;
}

}  // namespace

asio::awaitable<std::optional<int>> end_of_child(Loop& loop, pid_t pid, pid_t to_kill, Nanoseconds patience,
                                                 Nanoseconds after_stop) {
  const auto pause = std::make_shared<Alarm>(loop);
  asio::posix::stream_descriptor end(loop.io);
  boost::system::error_code refused;
  FileDescriptor handle = process::end_of(pid);
  if (handle.is_open()) end.assign(handle.get(), refused);  // NOLINT(bugprone-unused-return-value): as in `refused`
  if (end.is_open()) {
    handle.release();
    end.async_wait(end.wait_read, [pause](const boost::system::error_code& error) {
      if (!error) pause->ring();
    });
  }
  const Nanoseconds begun = loop.clock.now();
  for (std::optional<Nanoseconds> killed_at;;) {
    int status = 0;
    const pid_t ended = ::waitpid(pid, &status, WNOHANG);
    if (ended == pid || (ended < 0 && errno != EINTR)) co_return status;
    const Nanoseconds now = loop.clock.now();
    Nanoseconds left = killed_at ? *killed_at + kKillPatience - now : loop.left_of(begun + patience - now, after_stop);
    if (left <= Nanoseconds(0) && killed_at) co_return std::nullopt;
    if (left <= Nanoseconds(0)) {
      ::kill(to_kill, SIGKILL);
      killed_at = now;
      left = kKillPatience;
    }
    co_await pause->wait_regardless(end.is_open() ? left : std::min(left, process::kPollPause));
  }
}

asio::awaitable<Result<ProgramEnd>> run_program(Loop& loop, const std::vector<std::string>& words,
                                                const std::string& input, Nanoseconds patience, bool stops_with_loop) {
  const FileDescriptor in = memory("input");
  const FileDescriptor out = memory("output");
  const FileDescriptor err = memory("error");
  const Status filled = file::write_all(in.get(), input, "a program's input");
  if (!filled) co_return error_of(filled);
  ::lseek(in.get(), 0, SEEK_SET);
  process::Spawn spawn{words};
  spawn.descriptors = {{in.get(), 0}, {out.get(), 1}, {err.get(), 2}};
  spawn.own_group = true;
  const Result<pid_t> pid = process::spawn(spawn);
  if (!pid) co_return error_of(pid);
  const Nanoseconds begun = loop.clock.now();
  const std::optional<int> status =
      co_await end_of_child(loop, *pid, -*pid, patience, stops_with_loop ? Nanoseconds(0) : kWordsAfterStop);
  if (!status) {
    co_return fail(fmt::format("process {} does not end", *pid), text::join(words, " ").substr(0, 200),
                   "it may wait for a network file system that does not answer");
  }
  ProgramEnd end;
  end.succeeded = process::decode(*status).succeeded();
  end.was_slow = !end.succeeded && loop.clock.now() - begun >= patience;
  end.output = content_of(out, kMaxOutputBytes);
  end.words = text::to_utf8(text::trim(content_of(err, kMaxWordsBytes)));
  if (end.words.empty()) end.words = process::describe(*status);
  co_return end;
}

}  // namespace ngb::dispatch
