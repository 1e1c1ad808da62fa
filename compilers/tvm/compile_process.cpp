// SPDX-License-Identifier: Apache-2.0
#include "compile_process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "../plugin_boundary.h"

namespace ngb::tvm {
namespace {

using nlohmann::json;
using plugin::Failure;

constexpr int kRepliesFd = 3;  // compile.py's
constexpr const char* kReinstall = "install the toolchain again: ngb toolchain install tvm";

// lib/ngraphbench/compilers/tvm/python. Not the plugin's own folder: there Python would take tvm.so for the module.
std::filesystem::path python_folder() {
  Dl_info info{};
  ::dladdr(reinterpret_cast<const void*>(&description), &info);
  return std::filesystem::path(info.dli_fname == nullptr ? "" : info.dli_fname).parent_path() / "python";
}

ngb_status status_named(const std::string& kind) {
  static const std::map<std::string, ngb_status> kKinds{
      {"invalid_model", NGB_INVALID_MODEL}, {"unsupported_operator", NGB_UNSUPPORTED_OPERATOR},
      {"out_of_memory", NGB_OUT_OF_MEMORY}, {"toolchain_missing", NGB_TOOLCHAIN_MISSING},
      {"import_error", NGB_IMPORT_ERROR},   {"internal", NGB_INTERNAL}};
  const auto found = kKinds.find(kind);
  return found == kKinds.end() ? NGB_INTERNAL : found->second;
}

// The process's own variables with these in place of its own.
std::vector<std::string> variables(const std::map<std::string, std::string>& ours) {
  std::vector<std::string> all;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string text = *each;
    if (!ours.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : ours) all.emplace_back(name).append("=").append(value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

// Equal threads in tuning and running; processors are those that this process has.
std::map<std::string, std::string> python_variables(const Settings& settings) {
  const std::string threads = std::to_string(settings.threads);
  return {{"PYTHONPATH", settings.toolchain_dir},
          {"TVM_NUM_THREADS", threads},
          {"OMP_NUM_THREADS", threads},
          {"TVM_BIND_THREADS", "0"}};
}

pid_t start(const Settings& settings, int requests, int replies) {
  std::vector<std::string> arguments{settings.python, (python_folder() / "compile.py").string()};
  std::vector<std::string> environment = variables(python_variables(settings));
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, requests, 0);
  ::posix_spawn_file_actions_adddup2(&actions, replies, kRepliesFd);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, kRepliesFd + 1);
  pid_t pid = -1;
  const int code = ::posix_spawnp(&pid, settings.python.c_str(), &actions, nullptr, pointers(arguments).data(),
                                  pointers(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (code == 0) return pid;
  throw Failure(NGB_TOOLCHAIN_MISSING, settings.python + " cannot be started: " + std::strerror(code), kReinstall);
}

}  // namespace

CompileProcess::CompileProcess(const Settings& settings) {
  if (settings.python.empty()) {
    throw Failure(NGB_TOOLCHAIN_MISSING, "tvm compiles in a Python, and none is given", kReinstall);
  }
  std::array<int, 2> requests{};
  std::array<int, 2> replies{};
  // A socket, so that a process that is gone is an error to write to and no signal.
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, requests.data()) != 0) {
    throw Failure(NGB_INTERNAL, std::string("no channel to the compile process: ") + std::strerror(errno));
  }
  requests_ = requests[0];
  if (::pipe2(replies.data(), O_CLOEXEC) != 0) {
    const int why = errno;
    ::close(requests[1]);
    close_channels();
    throw Failure(NGB_INTERNAL, std::string("no channel from the compile process: ") + std::strerror(why));
  }
  replies_ = replies[0];
  try {
    pid_ = start(settings, requests[1], replies[1]);
    ::close(std::exchange(requests[1], -1));
    ::close(std::exchange(replies[1], -1));
    version_ = next_message("ready", {}).value("version", "");
  } catch (...) {
    for (const int fd : {requests[1], replies[1]}) {
      if (fd >= 0) ::close(fd);
    }
    close_channels();
    wait();
    throw;
  }
}

CompileProcess::~CompileProcess() {
  close_channels();
  if (pid_ > 0) ::kill(pid_, SIGKILL);
  wait();
}

json CompileProcess::compile(const json& request, const Report& report) {
  const std::string line = request.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t count = ::send(requests_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) fail_as_it_ended();
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
  json done = next_message("done", report);
  close_channels();
  wait();
  return done;
}

// The content of the next message of this kind; the others are taken care of.
json CompileProcess::next_message(const char* kind, const Report& report) {
  for (std::string line; read_line(line);) {
    const json message = json::parse(line, nullptr, false);
    if (!message.is_object()) continue;
    if (message.contains(kind)) return message[kind];
    if (message.contains("report") && report) report(message["report"].get<std::string>());
    if (!message.contains("failed")) continue;
    const json& failed = message["failed"];
    throw Failure(status_named(failed.value("kind", "")), failed.value("message", ""), failed.value("advice", ""));
  }
  fail_as_it_ended();
}

bool CompileProcess::read_line(std::string& line) {
  for (;;) {
    if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
      line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return true;
    }
    std::array<char, 1U << 14U> chunk;
    const ssize_t count = ::read(replies_, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    unread_.append(chunk.data(), static_cast<std::size_t>(count));
  }
}

void CompileProcess::fail_as_it_ended() {
  close_channels();
  const int status = wait();
  const std::string how = WIFSIGNALED(status) ? "was ended by signal " + std::to_string(WTERMSIG(status))
                                              : "ended by itself with " + std::to_string(WEXITSTATUS(status));
  throw Failure(NGB_INTERNAL, "TVM's compile process " + how, "what it printed is in the log of this attempt");
}

int CompileProcess::wait() {
  int status = 0;
  if (pid_ > 0) {
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  pid_ = -1;
  return status;
}

void CompileProcess::close_channels() {
  for (int* fd : {&requests_, &replies_}) {
    if (*fd >= 0) ::close(std::exchange(*fd, -1));
  }
}

}  // namespace ngb::tvm
