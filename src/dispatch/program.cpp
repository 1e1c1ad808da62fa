// SPDX-License-Identifier: Apache-2.0
#include "dispatch/program.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"

namespace ngb::dispatch {
namespace {

constexpr std::size_t kMaxOutputBytes = 64U << 20U;
constexpr std::size_t kMaxWordsBytes = 2000;
constexpr Nanoseconds kPollPause = std::chrono::milliseconds(5);

// Memory as a file: nobody has to take part while the program reads or writes it.
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

asio::awaitable<Result<ProgramEnd>> run_program(Loop& loop, const std::vector<std::string>& words,
                                                const std::string& input, Nanoseconds patience, bool stops_with_loop) {
  const FileDescriptor in = memory("input");
  const FileDescriptor out = memory("output");
  const FileDescriptor err = memory("error");
  const Status filled = file::write_all(in.get(), input, "a program's input");
  if (!filled) co_return tl::unexpected(filled.error());
  ::lseek(in.get(), 0, SEEK_SET);
  process::Spawn spawn{words};
  spawn.descriptors = {{in.get(), 0}, {out.get(), 1}, {err.get(), 2}};
  spawn.own_group = true;
  const Result<pid_t> pid = process::spawn(spawn);
  if (!pid) co_return tl::unexpected(pid.error());
  const Nanoseconds give_up = system_clock().now() + patience;
  Alarm pause(loop);
  int status = 0;
  for (bool is_killed = false;;) {
    const pid_t ended = ::waitpid(*pid, &status, WNOHANG);
    if (ended == *pid || (ended < 0 && errno != EINTR)) break;
    const bool is_enough = system_clock().now() > give_up || (stops_with_loop && loop.is_stopping);
    if (!is_killed && is_enough) is_killed = ::kill(*pid, SIGKILL) == 0;
    co_await pause.wait_regardless(kPollPause);
  }
  ProgramEnd end;
  end.succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  end.output = content_of(out, kMaxOutputBytes);
  end.words = text::to_utf8(text::trim(content_of(err, kMaxWordsBytes)));
  if (end.words.empty()) end.words = process::describe(status);
  co_return end;
}

}  // namespace ngb::dispatch
