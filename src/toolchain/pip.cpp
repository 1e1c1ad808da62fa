// SPDX-License-Identifier: Apache-2.0
#include "toolchain/pip.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/process.h"
#include "base/python.h"
#include "base/text.h"
#include "toolchain/requirement.h"
#include "toolchain/spelling.h"

namespace ngb::toolchain {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::optional<std::string> line_with(std::string_view output, std::string_view part) {
  for (const std::string& line : text::split(output, '\n')) {
    if (contains(line, part)) return std::string(text::trim(line));
  }
  return std::nullopt;
}

// Returns the nearest versions or, if Python cannot tell them, the last ones of pip's ascending list.
std::vector<std::string> near_or_last(std::string_view wanted, std::vector<std::string> versions) {
  constexpr std::ptrdiff_t kMost = 6;
  if (auto near = nearest_versions(python::default_command(), wanted, versions)) return *std::move(near);
  const auto count = std::min(kMost, std::ssize(versions));
  versions.erase(versions.begin(), versions.end() - count);
  return versions;
}

// Parses "Could not find a version that satisfies the requirement x==9 (from versions: 1, 2, 3)".
std::optional<Error> explain_missing_version(std::string_view output, std::string_view device) {
  constexpr std::string_view kMark = "Could not find a version that satisfies the requirement ";
  constexpr std::string_view kFrom = "(from versions: ";
  const std::optional<std::string> line = line_with(output, kMark);
  if (!line) return std::nullopt;
  const std::string_view rest = std::string_view(*line).substr(line->find(kMark) + kMark.size());
  const std::size_t from = rest.find(kFrom);
  const std::string wanted(text::trim(rest.substr(0, from)));
  std::string_view listed = from == std::string_view::npos ? "none" : rest.substr(from + kFrom.size());
  listed = listed.substr(0, listed.find(')'));
  const std::string no_wheel = fmt::format("there is no wheel of {} for {}", wanted, device);
  if (listed == "none" || listed.empty()) {
    if (device.empty()) {
      return Error{fmt::format("pip finds no version of {}", wanted), "pip",
                   "check the name, the network and pip's index settings (pip config list)", ErrorCode::not_found};
    }
    return Error{
        no_wheel, "pip",
        "no version of it has one: measure other compilers there, or name an index that has it (pip config list)",
        ErrorCode::not_found};
  }
  std::vector<std::string> versions;
  for (const std::string& version : text::split(listed, ',')) versions.emplace_back(text::trim(version));
  return Error{device.empty() ? fmt::format("no such version: {}", wanted) : no_wheel, "pip",
               (device.empty() ? "versions near it: " : "versions near it that have one: ") +
                   text::join(near_or_last(wanted, std::move(versions)), ", "),
               ErrorCode::not_found};
}

struct Symptom {
  std::string_view part;
  std::string_view what;
  std::string_view next;
  ErrorCode code = ErrorCode::unreachable;
};

constexpr std::string_view kCheckIndex = "check the network and pip's index and proxy settings (pip config list)";
constexpr std::string_view kDownloadAgain =
    "run the same command again; if it fails in the same way, the index has a damaged file";

constexpr auto kSymptoms = std::to_array<Symptom>({
    {"No space left on device", "the disk is full", "free some space and run the same command again",
     ErrorCode::disk_full},
    {"No module named pip", "python3 has no pip", "install it (apt-get install python3-pip)", ErrorCode::other},
    {"Disk quota exceeded", "the disk quota is used up", "free some space and run the same command again",
     ErrorCode::disk_full},
    {"File too large", "a file is larger than the shell's limit allows", "raise it (ulimit -f unlimited)",
     ErrorCode::disk_full},
    {"Read-only file system", "the file system is read-only", "check TMPDIR and NGB_TOOLCHAINS",
     ErrorCode::no_permission},
    {"Temporary failure in name resolution", "no network", "connect, or adopt a folder (ngb toolchain adopt)"},
    {"Name or service not known", "no network", "connect, or adopt a folder (ngb toolchain adopt)"},
    {"Network is unreachable", "no network", "connect, or adopt a folder (ngb toolchain adopt)"},
    {"Failed to establish a new connection", "no connection to the package index", kCheckIndex},
    {"ConnectTimeoutError", "no connection to the package index", kCheckIndex},
    {"Max retries exceeded", "no connection to the package index", kCheckIndex},
    {"CERTIFICATE_VERIFY_FAILED", "the package index's certificate is not trusted", "set pip's cert option"},
    {"HTTP error 5", "the package index answered with an error", "run the same command later"},
    {"ReadTimeoutError", "the package index stopped answering", "run the same command again"},
    // A download that was cut off: by the connection, by its length, by its content, by the hash that the index lists.
    {"Connection broken: ", "the package index ended a download before its end", kDownloadAgain},
    {"not enough bytes were received", "the package index ended a download before its end", kDownloadAgain},
    {"Connection reset by peer", "the package index ended the connection", kDownloadAgain},
    {"RemoteDisconnected", "the package index ended the connection", kDownloadAgain},
    {"' located at ", "a downloaded package is cut off or damaged",
     kDownloadAgain},  // "Wheel 'x' located at … is invalid."
    {"BadZipFile", "a downloaded package is cut off or damaged", kDownloadAgain},
    {"zlib.error", "a downloaded package is cut off or damaged", kDownloadAgain},
    {"DO NOT MATCH THE HASHES", "a downloaded package is cut off or damaged", kDownloadAgain},
    {"is not a supported wheel on this platform", "no wheel for this machine and Python", "try another version",
     ErrorCode::other},
});

}  // namespace

Status check_pip(const Python& python) {
  if (python.pip_version.empty()) {
    return fail("this Python has no pip", python.executable,
                "apt-get install python3-pip, or: python3 -m ensurepip --user");
  }
  if (release_numbers(python.pip_version) < std::vector<int>{22, 2}) {
    return fail(fmt::format("pip {} is too old: 22.2 is the oldest that reports what it installs", python.pip_version),
                python.executable, fmt::format("{} -m pip install --upgrade pip", python.command));
  }
  return Done{};
}

Result<std::vector<std::string>> parse_versions(std::string_view output, const std::string& package) {
  constexpr std::string_view kList = "Available versions: ";
  constexpr std::string_view kUnread = "Could not fetch URL ";
  std::optional<std::vector<std::string>> versions;
  for (const std::string& line : text::split(output, '\n')) {
    const std::string_view trimmed = text::trim(line);
    // One of several indexes may lack the package. pip passes over a page that it cannot read for any other reason too.
    if (trimmed.starts_with(kUnread) && !contains(trimmed, ": 404 Client Error")) {
      const Error why = explain_pip_failure(trimmed);
      const bool is_known = why.code == ErrorCode::unreachable;
      return fail(is_known ? why.what : "the package index cannot be read", "pip",
                  is_known ? why.next : std::string(trimmed), ErrorCode::unreachable);
    }
    if (!trimmed.starts_with(kList)) continue;
    versions.emplace();
    for (const std::string& each : text::split(trimmed.substr(kList.size()), ',')) {
      versions->emplace_back(text::trim(each));
    }
  }
  if (versions) return *std::move(versions);
  if (!contains(output, "No matching distribution found")) return tl::unexpected(explain_pip_failure(output));
  return fail("pip finds no version of " + package, "pip",
              "check the name, the network and pip's index settings (pip config list)", ErrorCode::not_found);
}

Result<std::vector<std::string>> pip_versions(const Python& python, const std::string& package) {
  std::string output;
  const auto keep = [&output](std::string_view line) {
    // pip prints a line for each file of the index. These lines may be megabytes and are dropped.
    constexpr std::string_view kFile = "Found link ";
    if (text::trim(line).starts_with(kFile)) return;
    output.append(line).append("\n");
  };
  constexpr Nanoseconds kListLimit = std::chrono::hours(1);  // pip retries for minutes if nothing arrives
  process::Spawn spawn{.arguments = python::run_module({python.command}, "pip"),
                       .inherits = environment::Share::network,
                       .environment = {{"LC_ALL", "C.UTF-8"}}};
  spawn.arguments.insert(spawn.arguments.end(),
                         {"index", "versions", package, "--pre", "--only-binary", ":all:", "--no-input", "-vv"});
  const Result<process::Outcome> outcome = process::run(spawn, keep, kListLimit);
  if (!outcome) return error_of(outcome);
  if (outcome->signal) return fail(fmt::format("ended by signal {}", *outcome->signal), "pip");
  return parse_versions(output, package);
}

Error explain_pip_failure(std::string_view output, std::string_view device) {
  // Connection errors are searched first, because without a network pip also reports that it found no version.
  for (const Symptom& symptom : kSymptoms) {
    if (contains(output, symptom.part))
      return {std::string(symptom.what), "pip", std::string(symptom.next), symptom.code};
  }
  if (const std::optional<Error> missing = explain_missing_version(output, device)) return *missing;
  const std::optional<std::string> line = line_with(output, "ERROR: ");
  const std::string_view trimmed = text::trim(output);
  // pip's own faults are a traceback below the line "ERROR: Exception:", which ends with the reason.
  const bool has_reason = line && !line->ends_with("ERROR: Exception:");
  return {has_reason ? line->substr(line->find("ERROR: ") + 7) : std::string(trimmed.substr(trimmed.rfind('\n') + 1)),
          "pip", "run the same command again; pip config list shows which index pip asks"};
}

}  // namespace ngb::toolchain
