// SPDX-License-Identifier: Apache-2.0
#include "toolchain/wheels.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "base/file.h"
#include "base/json_text.h"
#include "base/process.h"
#include "base/python.h"
#include "base/removal.h"
#include "base/text.h"
#include "install.py.h"
#include "resolve.py.h"
#include "toolchain/pip.h"
#include "toolchain/spelling.h"

namespace ngb::toolchain {
namespace {

using nlohmann::json;

constexpr std::string_view kHashInUrl = "#sha256=";

// Returns the wheel's hash. pip writes "hashes" since version 23, and before that only "hash": "sha256=…".
std::string hash_in(const json& archive) {
  const std::string sha256 = archive.value("hashes", json::object()).value("sha256", std::string());
  const std::string old_form = archive.value("hash", std::string());
  constexpr std::string_view kPrefix = "sha256=";
  return sha256.empty() && old_form.starts_with(kPrefix) ? old_form.substr(kPrefix.size()) : sha256;
}

std::optional<std::uint64_t> size_in(const json& sizes, const char* key) {
  const auto size = sizes.find(key);
  return size == sizes.end() ? std::nullopt : std::optional(size->get<std::uint64_t>());
}

Result<ChosenWheel> read_item(const json& item) {
  ChosenWheel wheel;
  const auto metadata = item.find("metadata");
  if (metadata == item.end() || !metadata->contains("name") || !metadata->contains("version")) {
    return fail("an entry lacks name and version", "pip's report");
  }
  wheel.name = normalised_name(metadata->at("name").get<std::string>());
  wheel.version = metadata->at("version").get<std::string>();
  wheel.requires_dist = metadata->value("requires_dist", std::vector<std::string>());
  const json info = item.value("download_info", json::object());
  wheel.sha256 = hash_in(info.value("archive_info", json::object()));
  const json details = item.value("wheel", json::object());
  wheel.url = details.value("url", info.value("url", std::string()));
  wheel.download_bytes = size_in(details, "download");
  wheel.installed_bytes = size_in(details, "installed");
  wheel.python_bytes = size_in(details, "python");
  return wheel;
}

// Returns what goes into pip's requirements file.
std::string line_for(const ChosenWheel& wheel) {
  if (wheel.url.empty()) return fmt::format("{}=={}\n", wheel.name, wheel.version);
  const bool has_hash = wheel.url.find('#') != std::string::npos || wheel.sha256.empty();
  return has_hash ? wheel.url + "\n" : fmt::format("{}{}{}\n", wheel.url, kHashInUrl, wheel.sha256);
}

// Returns pip's "Downloading https://…/x-1.0-py3-none-any.whl (3 MB)" without the address, and "" for other lines.
std::string about_download(std::string_view line) {
  constexpr std::string_view kWord = "Downloading ";
  line = text::trim(line);
  if (!line.starts_with(kWord)) return "";
  const std::size_t slash = line.rfind('/');
  return std::string(kWord) + std::string(line.substr(slash == std::string_view::npos ? kWord.size() : slash + 1));
}

// Runs pip, whose arguments are complete, and returns its report.
Result<std::vector<ChosenWheel>> run_pip(const Python& python, process::Spawn spawn,
                                         const std::filesystem::path& scratch,
                                         const std::function<void(std::string_view)>& on_line) {
  const std::filesystem::path temporary = scratch / "tmp";
  const std::filesystem::path report = scratch / "report.json";
  if (Status made = file::make_folder(temporary); !made) return error_of(made);
  file::remove(report);
  spawn.arguments.insert(spawn.arguments.end(), {"--no-input", "--no-warn-conflicts", "--progress-bar", "off",
                                                 "--only-binary", ":all:", "--report", report});
  if (python.target) {
    const std::vector<std::string> options = pip_options(*python.target);
    spawn.arguments.insert(spawn.arguments.end(), options.begin(), options.end());
  }
  spawn.inherits = environment::Share::network;
  // pip unpacks here and then moves the files, which costs nothing within one file system.
  spawn.environment = {{"TMPDIR", temporary.string()}, {"PYTHONDONTWRITEBYTECODE", "1"}, {"LC_ALL", "C.UTF-8"}};
  const auto forward = [&](std::string_view line) {
    const std::string news = about_download(line);
    if (!news.empty() && on_line) on_line(news);
  };
  // Gigabytes may have to come over a slow line. pip itself stops if nothing arrives.
  constexpr Nanoseconds kLimit = std::chrono::hours(6);
  const Result<process::Outcome> outcome = process::run(spawn, forward, kLimit);
  if (!outcome) return error_of(outcome);
  if (outcome->signal) return fail(fmt::format("ended by signal {}", *outcome->signal), "pip");
  if (!outcome->succeeded()) {
    return tl::unexpected(explain_pip_failure(outcome->output, python.target ? name_for_people(*python.target) : ""));
  }
  std::error_code ignored;
  if (!std::filesystem::exists(report, ignored)) return std::vector<ChosenWheel>{};  // all markers were false
  const Result<std::string> content = file::read(report, 256U << 20U);
  if (!content) return error_of(content);
  return parse_report(*content);
}

}  // namespace

Result<std::vector<ChosenWheel>> parse_report(std::string_view report_text) {
  const json report = json_text::parse(report_text);
  if (!report.is_object() || !report.contains("install") || !report["install"].is_array()) {
    return fail("the list \"install\" is missing", "pip's report", "update pip");
  }
  std::vector<ChosenWheel> wheels;
  try {
    for (const json& item : report["install"]) {
      Result<ChosenWheel> read = read_item(item);
      if (!read) return error_of(read);
      wheels.push_back(*std::move(read));
    }
  } catch (const json::exception& exception) {
    return fail(exception.what(), "pip's report", "update pip");
  }
  return wheels;
}

Result<std::vector<ChosenWheel>> pip_choose(const Python& python, const PipChoice& choice) {
  const json question{{"report", (choice.scratch / "report.json").string()},
                      {"markers", python.target ? marker_variables(*python.target) : MarkerVariables{}},
                      {"prefer_cpu", choice.prefer_cpu},
                      {"needs_hashes", choice.needs_hashes}};
  process::Spawn spawn{.arguments = python::run_program({python.command}, kPython_resolve)};
  spawn.arguments.insert(spawn.arguments.end(),
                         {json_text::dump(question), "install", "--dry-run", "--target", choice.scratch / "nothing"});
  if (!choice.with_dependencies) spawn.arguments.emplace_back("--no-deps");
  spawn.arguments.insert(spawn.arguments.end(), choice.requirements.begin(), choice.requirements.end());
  return run_pip(python, std::move(spawn), choice.scratch, {});
}

Result<std::vector<ChosenWheel>> pip_install(const Python& python, const PipRun& run,
                                             const std::function<void(std::string_view)>& on_line) {
  if (Status made = file::make_folder(run.scratch); !made) return error_of(made);
  const std::filesystem::path list = run.scratch / "wheels.txt";
  std::string lines;
  for (const ChosenWheel& wheel : run.wheels) lines += line_for(wheel);
  if (Status written = file::write_atomically(list, lines); !written) return error_of(written);
  // Bytecode is not delivered to other devices.
  const json question{{"site", run.site.string()}, {"bytecode", !python.target.has_value()}};
  process::Spawn spawn{.arguments = python::run_program({python.command}, kPython_install)};
  spawn.arguments.insert(spawn.arguments.end(), {json_text::dump(question), "--no-deps", "--requirement", list});
  return run_pip(python, std::move(spawn), run.scratch, on_line);
}

}  // namespace ngb::toolchain
