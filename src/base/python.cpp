// SPDX-License-Identifier: Apache-2.0
#include "base/python.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/environment.h"
#include "base/file.h"
#include "base/json_text.h"
#include "base/process.h"
#include "base/text.h"

namespace ngb::python {
namespace {

std::string last_line(std::string_view output) {
  const std::string_view trimmed = text::trim(output);
  const std::size_t newline = trimmed.rfind('\n');
  return std::string(newline == std::string_view::npos ? trimmed : trimmed.substr(newline + 1));
}

// Returns a file in memory, positioned at its beginning. A pipe would block after 64 KiB unless somebody reads it.
Result<FileDescriptor> in_memory(std::string_view content) {
  FileDescriptor fd(::memfd_create("question", MFD_CLOEXEC));
  for (std::size_t done = 0; fd.is_open() && done < content.size();) {
    const ssize_t count = ::write(fd.get(), content.data() + done, content.size() - done);
    if (count < 0 && errno != EINTR) break;
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  const off_t size = fd.is_open() ? ::lseek(fd.get(), 0, SEEK_CUR) : -1;
  if (size != static_cast<off_t>(content.size()) || ::lseek(fd.get(), 0, SEEK_SET) != 0) {
    return fail(fmt::format("no memory for the input of a Python program: {}", std::strerror(errno)));
  }
  return fd;
}

// Returns the Python of the virtual environment into which this program was installed, if that environment has pip:
// nobody has to activate it, and the system's Python may have none. The environments of uvx have no pip.
std::optional<std::string> environment_python() {
  const std::filesystem::path programs = process::self().parent_path();
  const std::filesystem::path python = programs / "python3";
  const std::filesystem::path environment = programs.parent_path();
  std::error_code code;
  if (programs.empty() || !std::filesystem::exists(python, code) ||
      !std::filesystem::exists(environment / "pyvenv.cfg", code))
    return std::nullopt;
  for (const auto& version : std::filesystem::directory_iterator(environment / "lib", code)) {
    if (std::filesystem::exists(version.path() / "site-packages/pip", code)) return python.string();
  }
  return std::nullopt;
}

// These programs are short: imports alone would make Python look for garbage hundreds of times.
constexpr std::string_view kBegin =
    "import sys\n"
    "sys.path = [folder for folder in sys.path if folder]\n"
    "import gc\n"
    "gc.set_threshold(100000)\n";

constexpr int kAnswerFd = 3;
constexpr Nanoseconds kLimitOfTask = std::chrono::minutes(10);
constexpr std::string_view kAnswer =
    "print = lambda *words, write=print, to=open(3, 'w', 1, 'utf-8'): write(*words, file=to)\n";

}  // namespace

std::string default_command() {
  if (std::string chosen = environment::variable("NGB_PYTHON"); !chosen.empty()) return chosen;
  return environment_python().value_or("python3");
}

std::vector<std::string> run_program(std::vector<std::string> interpreter, std::string_view program) {
  interpreter.insert(interpreter.end(), {"-c", std::string(kBegin).append(program)});
  return interpreter;
}

std::vector<std::string> run_module(std::vector<std::string> interpreter, std::string_view module) {
  constexpr std::string_view kRun = "import runpy\nrunpy.run_module(\"{}\", run_name=\"__main__\", alter_sys=True)\n";
  return run_program(std::move(interpreter), fmt::format(kRun, module));
}

bool is_installed_by_ngb(const std::filesystem::path& site) {
  if (site.empty()) return false;
  constexpr std::uint64_t kMostBytes = 16U << 20U;
  const Result<std::string> text = file::read(site.parent_path() / "manifest.json", kMostBytes);
  const nlohmann::json manifest = text ? json_text::parse(*text) : nlohmann::json();
  return manifest.is_object() && manifest.contains("adopted") && manifest["adopted"] == false;
}

std::vector<std::string> of_toolchain(const std::string& python, const std::filesystem::path& site) {
  if (is_installed_by_ngb(site)) return {python, "-S"};
  return {python};
}

Result<std::string> ask(const Question& question) {
  const std::string& command = question.interpreter.front();
  process::Spawn spawn{.arguments = run_program(question.interpreter, std::string(kAnswer).append(question.program)),
                       .environment = {{"PYTHONDONTWRITEBYTECODE", "1"}},
                       .folder = question.folder};
  spawn.arguments.insert(spawn.arguments.end(), question.arguments.begin(), question.arguments.end());
  if (!question.site.empty()) {
    spawn.environment.emplace_back("PYTHONPATH", question.site.string());
    spawn.environment.emplace_back("PYTHONNOUSERSITE", "1");
  }
  const Result<FileDescriptor> input = in_memory(question.input);
  const Result<FileDescriptor> answer = in_memory("");
  if (!input || !answer) return error_of(input ? answer : input);
  spawn.descriptors = {{input->get(), STDIN_FILENO}, {answer->get(), kAnswerFd}};
  const Nanoseconds limit = question.tasks * kLimitOfTask;
  const Result<process::Outcome> outcome = process::run(spawn, {}, limit);
  if (!outcome) return error_of(outcome);
  if (outcome->succeeded()) {
    const Result<std::string> printed = file::read(fmt::format("/proc/self/fd/{}", answer->get()));
    return printed ? Result<std::string>(text::trim(*printed)) : printed;
  }
  if (outcome->signal) return fail(fmt::format("ended by signal {}", *outcome->signal), command);
  const std::string last = last_line(outcome->output);
  return fail(last.empty() ? fmt::format("ended with code {} and said nothing", *outcome->exit_code) : last, command);
}

}  // namespace ngb::python
