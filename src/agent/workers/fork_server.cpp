// SPDX-License-Identifier: Apache-2.0
#include "agent/workers/fork_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "agent/workers/attempt_log.h"
#include "agent/workers/process_tree.h"
#include "base/json_text.h"
#include "base/process.h"
#include "base/processors.h"
#include "base/python.h"
#include "base/text.h"

namespace ngb::agent {

namespace {

using nlohmann::json;
using samples::Failure;
using samples::FailureKind;

constexpr int kServerSocketFd = 3;
constexpr std::size_t kMaxPacketBytes = 1U << 16U;

std::filesystem::path log_name(const work::Place& place, int number) {
  return fmt::format("fork-server-{}-{}{}.log", place.compiler, place.version.empty() ? "none" : place.version,
                     number == 0 ? "" : fmt::format("-{}", number));
}

// Sends one packet with these descriptors.
bool send_packet(int socket, std::string text, const std::array<int, 4>& descriptors) {
  iovec part{text.data(), text.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof descriptors)> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof descriptors);
  std::memcpy(CMSG_DATA(header), descriptors.data(), sizeof descriptors);
  return ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(text.size());
}

Failure failure_of(FailureKind kind, std::string message) {
  Failure failure;
  failure.kind = kind;
  failure.message = std::move(message);
  return failure;
}

// Returns the last line of a Python traceback, such as "ImportError: no libfoo"; "" if the lines do not end with one.
std::string exception_of(std::string_view lines) {
  const std::string_view last = lines.substr(lines.rfind('\n') + 1);
  const bool is_traceback = lines.find("Traceback (most recent call last)") != std::string_view::npos;
  return is_traceback && last.find("Error: ") != std::string_view::npos ? std::string(last) : "";
}

// Returns whether a file of ours lacked a module. Such files import only Python's own modules.
bool lacks_own_modules(std::string_view lines, std::string_view exception) {
  constexpr std::string_view kFrame = "File \"";
  const std::size_t frame = lines.rfind(kFrame);
  if (frame == std::string_view::npos || !exception.starts_with("ModuleNotFoundError")) return false;
  const std::string_view file = lines.substr(frame + kFrame.size());
  return file.substr(0, file.find('"')).find("/python/ngraphbench/") != std::string_view::npos;
}

}  // namespace

ForkServer::ForkServer(const Surroundings& surroundings, Children& children, const work::Place& place, int number)
    : surroundings_(surroundings),
      children_(children),
      python_(python::of_toolchain(place.python, place.toolchain_dir)),
      compiler_folder_((surroundings.lib / "compilers" / place.compiler).string()),
      environment_(python_variables(surroundings, place)),
      log_(surroundings.logs() / log_name(place, number)),
      fresh_(surroundings, children, command("ngraphbench.worker"), environment_) {}

std::vector<std::string> ForkServer::command(const char* module) const {
  std::vector<std::string> words = python_;
  words.insert(words.end(), {"-m", module, "--compiler-dir", compiler_folder_});
  for (const std::string& kind : surroundings_.model_kinds) words.insert(words.end(), {"--model-kind", kind});
  return words;
}

void ForkServer::begin(const Launch& launch) {
  launch_ = launch;
  launched_ = {};
  is_fresh_ = false;
  is_pending_ = false;
  if (import_failure_) {
    launched_.failure = import_failure_;
    return;
  }
  is_pending_ = true;
  if (!server_) start_server();
  if (is_ready_) send_request();
}

void ForkServer::start_server() {
  const auto give_up = [&](const Error& error) {
    is_pending_ = false;
    launched_.failure = failure_of(FailureKind::toolchain_missing, text::to_utf8(error.text()));
    launched_.failure->advice = "install the compiler's toolchain again";
  };
  const Result<FileDescriptor> log = create_log(log_);
  if (!log) return give_up(log.error());
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return give_up(file::from_errno("start", python_.front(), errno));
  }
  socket_ = FileDescriptor(ends[0]);
  const FileDescriptor theirs(ends[1]);
  const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  process::Spawn spawn{command("ngraphbench.fork_server")};
  spawn.arguments.insert(spawn.arguments.end(), {"--socket-fd", std::to_string(kServerSocketFd)});
  spawn.environment = surroundings_.environment;
  spawn.environment.insert(spawn.environment.end(), environment_.begin(), environment_.end());
  // A library that starts threads when it is loaded would make the server unable to fork.
  for (const auto& variable : thread_variables(1)) spawn.environment.push_back(variable);
  for (const auto& variable : cuda_variables(surroundings_)) spawn.environment.push_back(variable);
  spawn.descriptors = {{nothing.get(), 0}, {log->get(), 1}, {log->get(), 2}, {theirs.get(), kServerSocketFd}};
  spawn.own_group = true;
  spawn.folder = surroundings_.scratch();
  const Result<pid_t> pid = process::spawn(spawn);
  if (!pid) {
    socket_.reset();
    return give_up(pid.error());
  }
  confine(*pid, surroundings_.cpus);
  children_.watch(*pid);
  server_ = *pid;
  own_processes_ = {*pid};
}

void ForkServer::send_request() {
  is_pending_ = false;
  json environment = json::object();
  for (const auto& [name, value] : launch_.environment) environment[name] = value;
  launched_.started = system_clock().now();
  launched_.facts = facts_;
  const std::string packet = json_text::dump(json{{"run", ++run_}, {"environment", environment}});
  if (send_packet(socket_.get(), packet,
                  {launch_.request_fd, launch_.result_fd, launch_.progress_fd, launch_.log_fd})) {
    return;
  }
  launched_.failure = failure_of(FailureKind::crash, "the fork server no longer answers");
  if (server_) ::kill(*server_, SIGKILL);
}

void ForkServer::abandon() {
  if (!is_ready_) own_processes_.clear();
}

// Kills the server; its end is not reported.
void ForkServer::forget() {
  if (server_) ::kill(*server_, SIGKILL);
  server_.reset();
  socket_.reset();
  own_processes_.clear();
  is_pending_ = false;
  is_ready_ = false;
}

void ForkServer::advance() {
  if (is_fresh_) fresh_.advance();
  if (socket_.get() >= 0) read_packets();
  if (!server_) return;
  if (const std::optional<Children::Ended> ended = children_.take(*server_)) server_ended(ended->wait_status);
}

void ForkServer::read_packets() {
  std::string buffer(kMaxPacketBytes, '\0');
  for (;;) {
    const ssize_t count = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    json packet = json_text::parse({buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))});
    if (count > 0 && packet.is_object()) {
      handle(packet);
      continue;
    }
    // The server has closed its end or sent something invalid. SIGCHLD reports its end.
    socket_.reset();
    own_processes_.clear();
    if (server_ && count > 0) ::kill(*server_, SIGKILL);
    return;
  }
}

void ForkServer::handle(const json& packet) {
  const auto number = [&](const char* key) {
    const auto field = packet.find(key);
    return field != packet.end() && field->is_number_integer() ? std::optional<std::int64_t>(*field) : std::nullopt;
  };
  if (packet.contains("ready")) {
    is_ready_ = true;
    facts_.clear();
    if (const auto import_ns = number("import_ns")) facts_["import_ns"] = std::to_string(*import_ns);
    for (const pid_t pid : descendants(*server_)) own_processes_.insert(pid);
    if (is_pending_) send_request();
  } else if (packet.contains("error")) {
    if (!is_waiting()) return;
    launched_ = {};
    is_fresh_ = true;
    fresh_.begin(launch_);
  } else if (number("run") == static_cast<std::int64_t>(run_)) {
    if (const auto pid = number("pid"); pid && !launched_.pid) launched_.pid = static_cast<pid_t>(*pid);
    if (const auto threads = number("threads")) launched_.facts["threads_at_fork"] = std::to_string(*threads);
    if (const auto peak = number("max_rss_bytes")) launched_.peak_rss_bytes = static_cast<std::uint64_t>(*peak);
    if (const auto status = number("status")) launched_.wait_status = static_cast<int>(*status);
  }
}

void ForkServer::server_ended(int wait_status) {
  const process::Outcome outcome = process::decode(wait_status);
  const std::string how = outcome.signal ? fmt::format("signal {} ended the server", *outcome.signal)
                                         : fmt::format("it exited with code {}", outcome.exit_code.value_or(-1));
  Failure failure = failure_of(FailureKind::crash, fmt::format("the fork server was lost: {}", how));
  failure.signal = outcome.signal;
  if (!is_ready_ && !outcome.signal) {
    const std::string lines = last_lines(log_);
    const std::string exception = exception_of(lines);
    failure.kind = FailureKind::import_error;
    failure.message =
        fmt::format("{} cannot import the compiler: {}", python_.front(), exception.empty() ? how : exception);
    failure.advice = lacks_own_modules(lines, exception)
                         ? "give the device all of Python: the package python3, where there is only python3-minimal"
                         : "";  // the toolchain is named where the result is made
    quote_log(failure, log_, "logs/" + log_.filename().string());
    import_failure_ = failure;
  }
  if (is_pending_ || (!is_fresh_ && is_waiting())) launched_.failure = failure;
  is_pending_ = false;
  is_ready_ = false;
  server_.reset();
  socket_.reset();
  own_processes_.clear();
}

namespace {

// Returns "module" for a recipe without a family, for which anything may be needed.
std::string kind_of(const work::Model& model) {
  const auto* const recipe = std::get_if<work::Recipe>(&model.source);
  if (recipe == nullptr) return model.is_module() ? work::Module::kType : work::OnnxFile::kType;
  const nlohmann::json parsed = json_text::parse(recipe->json);
  const auto family = parsed.is_object() ? parsed.find("family") : parsed.end();
  return family != parsed.end() && family->is_string() ? family->get<std::string>() : work::Module::kType;
}

}  // namespace

std::set<std::string> model_kinds(const work::Job& job) {
  std::set<std::string> kinds;
  for (const work::Model& model : job.models) {
    kinds.insert(kind_of(model));
    for (const work::Model& exact : model.exact) kinds.insert(kind_of(exact));
  }
  return kinds;
}

}  // namespace ngb::agent
