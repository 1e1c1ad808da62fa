// SPDX-License-Identifier: Apache-2.0
#include "store/holders.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <unistd.h>

#include <charconv>
#include <set>
#include <vector>

#include "base/file.h"
#include "base/text.h"

namespace ngb::store {
namespace {

// Returns the process (123) of a line "1: POSIX  ADVISORY  READ 123 fd:01:456 1073741826 1073742335" about that inode.
// Returns 0 if the line is about another inode or this process, or if the kernel does not give the process.
pid_t holder_in(const std::string& line, const std::string& inode) {
  std::vector<std::string> words = text::split(line, ' ');
  std::erase(words, "");
  if (words.size() < 6 || words[5] != inode) return 0;
  pid_t pid = 0;
  std::from_chars(words[4].data(), words[4].data() + words[4].size(), pid);
  return pid == ::getpid() || pid < 0 ? 0 : pid;
}

}  // namespace

std::string describe_holders(const std::filesystem::path& file) {
  struct stat status{};
  const Result<std::string> locks = file::read("/proc/locks");
  if (::stat(file.c_str(), &status) != 0 || !locks) return "another program";
  const std::string inode = fmt::format("{:02x}:{:02x}:{}", major(status.st_dev), minor(status.st_dev), status.st_ino);
  std::set<pid_t> holders;
  for (const std::string& line : text::split(*locks, '\n')) {
    if (const pid_t pid = holder_in(line, inode); pid > 0) holders.insert(pid);
  }
  std::vector<std::string> names;
  for (const pid_t pid : holders) {
    const std::string name = file::read(fmt::format("/proc/{}/comm", pid)).value_or("a program");
    names.push_back(fmt::format("{} (process {})", text::to_utf8(text::trim(name)), pid));
  }
  return names.empty() ? "another program" : text::join(names, ", ");
}

}  // namespace ngb::store
