// SPDX-License-Identifier: Apache-2.0
#include "compile_process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include "base/json_text.h"
#include "ngraphbench/tables.h"

namespace ngb::plugin {
namespace {

using nlohmann::json;
using Variables = CompileProcess::Variables;

constexpr int kRepliesFd = 3;  // where compile.py writes its replies

std::string reinstall(const std::string& compiler) {
  return "install the toolchain again: ngb toolchain install " + compiler;
}

// Returns lib/ngraphbench/compilers/<name>, which contains the plugin with this code.
std::filesystem::path plugin_folder() {
  Dl_info info{};
  ::dladdr(reinterpret_cast<const void*>(&reinstall), &info);
  return std::filesystem::path(info.dli_fname == nullptr ? "" : info.dli_fname).parent_path();
}

// The script has a folder of its own, because in the plugin's folder Python would import <name>.so as a module.
std::string script() { return (plugin_folder() / "python/compile.py").string(); }

// Returns PYTHONPATH with the toolchain's packages and ours.
std::string python_path(const ngb_settings& settings) {
  return std::string(settings.toolchain_dir) + ":" + (plugin_folder() / "../../python").lexically_normal().string();
}

// Returns this process's variables, replaced where `ours` has a value.
std::vector<std::string> environment_with(const Variables& ours) {
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

// Returns the open file descriptors above `last`.
std::vector<int> descriptors_above(int last) {
  std::vector<int> found;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", code)) {
    if (const int fd = std::atoi(entry.path().filename().c_str()); fd > last) found.push_back(fd);
  }
  return found;
}

// Returns whether ngb has installed the toolchain. Such a one sees none of the interpreter's own packages, as in
// base/python.h; one that was adopted is used as it is.
bool is_installed_by_ngb(const std::string& toolchain_dir) {
  std::ifstream file(std::filesystem::path(toolchain_dir).parent_path() / "manifest.json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const json manifest = json_text::parse(text);
  return manifest.is_object() && manifest.contains("adopted") && manifest["adopted"] == false;
}

pid_t start(const std::string& compiler, const std::vector<std::string>& command, const Variables& variables,
            int requests, int replies) {
  const std::string& python = command.front();
  std::vector<std::string> arguments = command;
  std::vector<std::string> environment = environment_with(variables);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, requests, 0);
  ::posix_spawn_file_actions_adddup2(&actions, replies, kRepliesFd);
  // One by one: the call that closes all above one came with glibc 2.34. Closing a descriptor that is closed already is
  // no error.
  for (const int fd : descriptors_above(kRepliesFd)) ::posix_spawn_file_actions_addclose(&actions, fd);
  pid_t pid = -1;
  const int code =
      ::posix_spawnp(&pid, python.c_str(), &actions, nullptr, pointers(arguments).data(), pointers(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (code == 0) return pid;
  throw Failure(NGB_TOOLCHAIN_MISSING, python + " cannot be started: " + std::strerror(code), reinstall(compiler));
}

const char* numpy_name(ngb_dtype type) {
  if (const table::TypeRow* const row = table::type_row(type)) return row->numpy;
  throw Failure(NGB_INVALID_MODEL, "an input has an unknown element type");
}

// Returns the inputs for compile.py: name, numpy's name of the type, shape. Throws plugin::Failure.
json inputs_for_python(const ngb_model& model) {
  json inputs = json::array();
  for (std::uint32_t i = 0; i < model.input_count; ++i) {
    const ngb_tensor& input = model.inputs[i];
    inputs.push_back({{"name", input.name},
                      {"dtype", numpy_name(input.dtype)},
                      {"shape", std::vector<std::int64_t>(input.shape, input.shape + input.rank)}});
  }
  return inputs;
}

Facts facts_in(const json& reported) {
  Facts facts;
  for (const auto& [key, value] : reported.items()) facts.emplace_back(key, value.get<std::string>());
  return facts;
}

}  // namespace

CompileProcess::CompileProcess(std::string compiler, const ngb_settings& settings, const Variables& variables)
    : compiler_(std::move(compiler)) {
  const std::string python = settings.python;
  if (python.empty()) {
    throw Failure(NGB_TOOLCHAIN_MISSING, compiler_ + " compiles in Python, and no interpreter is given",
                  reinstall(compiler_));
  }
  if (settings.report != nullptr) {
    report_ = [report = settings.report, context = settings.report_context](const std::string& text) {
      report(context, text.c_str());
    };
  }
  std::vector<std::string> command{python};
  if (is_installed_by_ngb(settings.toolchain_dir)) command.emplace_back("-S");
  command.push_back(script());
  Variables all = variables;
  all["PYTHONPATH"] = python_path(settings);
  all["PYTHONNOUSERSITE"] = "1";
  std::array<int, 2> requests{};
  std::array<int, 2> replies{};
  // Requests go through a socket, so that writing to a process that has ended is an error and not a signal.
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
    pid_ = start(compiler_, command, all, requests[1], replies[1]);
    ::close(std::exchange(requests[1], -1));
    ::close(std::exchange(replies[1], -1));
    ready_ = facts_in(next_message("ready"));
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

Facts CompileProcess::compile(const json& request) {
  const std::string line = json_text::dump(request) + "\n";
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t count = ::send(requests_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) fail_as_it_ended();
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
  Facts done = facts_in(next_message("done"));
  close_channels();
  wait();
  return done;
}

// Returns the content of the next message of this kind, and handles all others on the way.
json CompileProcess::next_message(const char* kind) {
  for (std::string line; read_line(line);) {
    const json message = json_text::parse(line);
    if (!message.is_object()) continue;
    if (message.contains(kind)) return message[kind];
    if (message.contains("report") && report_) report_(message["report"].get<std::string>());
    if (!message.contains("failed")) continue;
    const json& failed = message["failed"];
    throw Failure(table::status_called(failed.value("kind", std::string())), failed.value("message", ""),
                  failed.value("advice", ""));
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
  throw Failure(NGB_INTERNAL, compiler_ + "'s compile process " + how, "what it printed is in the log of this attempt");
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

void check_threads(const std::string& library, std::int64_t count, int wanted) {
  if (count == wanted) return;
  throw Failure(NGB_FALLBACK, library + " runs on " + std::to_string(count) + " threads, " + std::to_string(wanted) +
                                  " were asked for");
}

ArtifactFolder::ArtifactFolder(const ngb_model& model, const char* file)
    : program(std::string(model.artifact_path) + "/" + file),
      signature(std::string(model.artifact_path) + "/signature.json") {}

Facts ArtifactFolder::compile(CompileProcess& process, const ngb_model& model, json request) const {
  std::error_code code;
  std::filesystem::create_directories(model.artifact_path, code);  // the process says why it cannot write there
  request.update({{"model", model.path},
                  {"recipe", model.recipe_json == nullptr ? "" : model.recipe_json},
                  {"inputs", inputs_for_python(model)},
                  {"output", program},
                  {"signature", signature}});
  return process.compile(request);
}

json ArtifactFolder::read_signature() const {
  std::ifstream file(signature);
  json read = json_text::parse(std::string{std::istreambuf_iterator<char>(file), {}});
  if (!read.is_object()) throw Failure(NGB_INTERNAL, "there is no " + signature);
  return read;
}

void CompiledElsewhere::start_process(const char* compiler, const ngb_settings& settings,
                                      const CompileProcess::Variables& variables) {
  process_.emplace(compiler, settings, variables);
  facts_ = process_->ready();
}

void CompiledElsewhere::compile_elsewhere(const ngb_model& model, const json& request) {
  const Facts made = ArtifactFolder(model, file_).compile(*process_, model, request);
  facts_.insert(facts_.end(), made.begin(), made.end());
}

ArtifactFolder CompiledElsewhere::end_process(const ngb_model& model) {
  process_.reset();
  return {model, file_};
}

}  // namespace ngb::plugin
