// SPDX-License-Identifier: Apache-2.0
#include "dispatch/link/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

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
  spawn.inherits = environment::Share::all;
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

namespace {

constexpr std::size_t kLastWordsBytes = 2000;

// "https://host/path?a=b" becomes "https://host/path".
std::string without_queries(std::string words) {
  constexpr std::string_view kScheme = "://";
  for (std::size_t url = words.find(kScheme); url != std::string::npos; url = words.find(kScheme, url + 1)) {
    const std::size_t end = std::min(words.find_first_of(" \t\n\"'", url), words.size());
    const std::size_t query = words.find('?', url);
    if (query < end) words.erase(query, end - query);
  }
  return words;
}

}  // namespace

Result<ProgramLog> ProgramLog::open(const std::filesystem::path& path) {
  if (const Status made = file::make_folder(path.parent_path()); !made) return error_of(made);
  std::error_code code;
  const std::uintmax_t size_bytes = std::filesystem::file_size(path, code);
  if (!code && size_bytes > kMaxFileBytes) (void)file::rename_to(path, path.string() + ".1");
  FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_open()) return tl::unexpected(file::from_errno("write", path, errno));
  return ProgramLog(std::move(file));
}

// Ignores write errors: a log that cannot be written (the disk is full) does not end the run.
void ProgramLog::add(std::string_view bytes) {
  tail_ += bytes;
  if (tail_.size() > 2 * kLastWordsBytes) tail_.erase(0, tail_.size() - kLastWordsBytes);
  const auto kept = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), kMaxProgramBytes - written_bytes_));
  if (kept > 0) (void)file::write_all(file_.get(), bytes.substr(0, kept), "log");
  written_bytes_ += kept;
  dropped_bytes_ += bytes.size() - kept;
}

void ProgramLog::end() {
  if (dropped_bytes_ == 0) return;
  const std::string line = fmt::format("\n({} more were not kept)\n", text::human_bytes(dropped_bytes_));
  (void)file::write_all(file_.get(), line, "log");
  dropped_bytes_ = 0;
}

std::string ProgramLog::last_words() const {
  std::string_view words = tail_;
  if (words.size() > kLastWordsBytes) words.remove_prefix(words.size() - kLastWordsBytes);
  return text::to_utf8(text::trim(without_queries(std::string(words))));
}

}  // namespace ngb::dispatch
