// SPDX-License-Identifier: Apache-2.0
#include "reception/device_toolchains.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/file_list.h"
#include "base/json_text.h"
#include "base/process.h"
#include "base/python.h"
#include "base/removal.h"
#include "base/text.h"
#include "reception/receiving.h"

namespace ngb::reception {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxManifestBytes = 4U << 20U;
constexpr std::size_t kMaxPackages = 2000;
constexpr std::size_t kMaxWordsBytes = 4000;
constexpr int kPollMs = 100;

// Resolves an absolute path of the user's, or a path relative to the device's folder.
fs::path resolved(const fs::path& device_folder, const std::string& path) {
  const fs::path home = environment::variable("HOME");
  if (path.starts_with("~/") && !home.empty()) return home / path.substr(2);
  return device_folder / path;  // an absolute path stays as it is
}

// Reads name and version from a folder <name>-<version>.dist-info.
std::optional<samples::FoundPackage> package_of(const fs::path& entry) {
  constexpr std::string_view kEnding = ".dist-info";
  const std::string folder = text::to_utf8(entry.filename().string());
  if (!folder.ends_with(kEnding)) return std::nullopt;
  const std::string stem = folder.substr(0, folder.size() - kEnding.size());
  const std::size_t dash = stem.rfind('-');
  if (dash == std::string::npos) return std::nullopt;
  return samples::FoundPackage{stem.substr(0, dash), stem.substr(dash + 1)};
}

std::vector<samples::FoundPackage> packages_in(const fs::path& site) {
  std::vector<samples::FoundPackage> packages;
  std::error_code code;
  for (fs::directory_iterator entry(site, code), end; !code && entry != end; entry.increment(code)) {
    const std::optional<samples::FoundPackage> package = package_of(entry->path());
    if (package && packages.size() < kMaxPackages) packages.push_back(*package);
  }
  std::sort(packages.begin(), packages.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return packages;
}

// Returns the folders that may hold the packages of a toolchain, a virtual environment or a folder of packages.
std::vector<fs::path> possible_sites(const fs::path& folder) {
  std::vector<fs::path> sites{folder / "site", folder};
  std::error_code code;
  for (fs::directory_iterator entry(folder / "lib", code), end; !code && entry != end; entry.increment(code)) {
    if (!entry->path().filename().string().starts_with("python3")) continue;
    sites.push_back(entry->path() / "site-packages");
    sites.push_back(entry->path() / "dist-packages");
  }
  return sites;
}

samples::FoundFolder look_into(const fs::path& device_folder, const std::string& path) {
  samples::FoundFolder found{.path = path};
  const fs::path folder = resolved(device_folder, path);
  for (const fs::path& site : possible_sites(folder)) {
    found.packages = packages_in(site);
    if (found.packages.empty()) continue;
    std::error_code code;
    found.site = text::to_utf8(fs::canonical(site, code).string());
    break;
  }
  found.manifest = text::to_utf8(file::read(folder / "manifest.json", kMaxManifestBytes).value_or(""));
  // Files that have changed since make it another toolchain (toolchain/manifest.h).
  const auto changed = file_list::changes(folder);
  nlohmann::json manifest = json_text::parse(found.manifest);
  if (changed && !changed->empty() && manifest.is_object()) {
    manifest["changed"] = *changed;
    found.manifest = json_text::dump(manifest);
  }
  return found;
}

Status check_is_new(const fs::path& toolchain) {
  std::error_code code;
  if (!fs::exists(toolchain, code)) return Done{};
  return fail("already exists", toolchain.string(), "remove that folder on the device first");
}

// Renames the toolchain into place as the last step, so that a folder with its name is complete.
Status finish(const fs::path& partial, const fs::path& toolchain, const std::string& manifest) {
  if (Status written = file::write_atomically(partial / "manifest.json", manifest); !written) return written;
  const bool is_adopted = fs::is_symlink(partial / "site");
  const Status listed = is_adopted ? Status{} : file_list::write(partial);
  return listed ? file::put_in_place(partial, toolchain) : listed;
}

// Waits for the program to end. Returns an error if that takes longer than `patience` or if the client disconnects.
Status wait_for(pid_t pid, Nanoseconds patience, int& wait_status) {
  const Nanoseconds give_up = system_clock().now() + patience;
  std::optional<Error> why;
  for (const FileDescriptor end = process::end_of(pid);;) {
    const pid_t ended = ::waitpid(pid, &wait_status, why ? 0 : WNOHANG);
    if (ended == pid || (ended < 0 && errno != EINTR)) break;
    std::array<pollfd, 2> either{{{STDIN_FILENO, 0, 0}, {end.get(), POLLIN, 0}}};
    ::poll(either.data(), either.size(), kPollMs);
    if ((either[0].revents & (POLLHUP | POLLERR)) != 0) why = Error{"the client has disconnected", {}, {}};
    if (system_clock().now() > give_up) why = Error{"pip took too long", {}, "try again, or without --install-there"};
    if (why) ::kill(-pid, SIGKILL);
  }
  if (why) return tl::unexpected(*why);
  return Done{};
}

std::string end_of(const fs::path& log) {
  const std::string words = text::to_utf8(text::trim(file::read(log).value_or("")));
  return words.size() <= kMaxWordsBytes ? words : text::to_utf8(words.substr(words.size() - kMaxWordsBytes));
}

Status run_pip(const fs::path& partial, const fs::path& log_path, Nanoseconds patience) {
  const FileDescriptor log(::open(log_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!log.is_open()) return tl::unexpected(file::from_errno("write", log_path, errno));
  process::Spawn spawn{python::run_module({"python3"}, "pip")};
  spawn.arguments.insert(
      spawn.arguments.end(),
      {"install", "--no-deps", "--no-input", "--progress-bar", "off", "--only-binary", ":all:", "--require-hashes",
       "--requirement", (partial / "requirements.txt").string(), "--target", (partial / "site").string()});
  spawn.inherits = environment::Share::network;
  spawn.environment = {{"TMPDIR", (partial / "scratch").string()}, {"PYTHONDONTWRITEBYTECODE", "1"}, {"LC_ALL", "C"}};
  spawn.descriptors = {{nothing.get(), 0}, {log.get(), 1}, {log.get(), 2}};
  spawn.own_group = true;
  const Result<pid_t> pid = process::spawn(spawn);
  if (!pid) return fail(pid.error().what, "python3", "install python3 with pip on the device");
  int wait_status = 0;
  if (Status waited = wait_for(*pid, patience, wait_status); !waited) return waited;
  if (process::decode(wait_status).succeeded()) return Done{};
  const std::string words = end_of(log_path);
  return fail(words.empty() ? "pip failed without a message" : words, "pip",
              "the whole output of pip is in " + log_path.string());
}

}  // namespace

std::vector<samples::ToolchainFolder> toolchains_in(const fs::path& device_folder) {
  std::vector<samples::ToolchainFolder> found;
  std::error_code code;
  const fs::directory_iterator end;
  for (fs::directory_iterator compiler(device_folder / "toolchains", code); !code && compiler != end;
       compiler.increment(code)) {
    std::error_code inner;
    for (fs::directory_iterator version(compiler->path(), inner); !inner && version != end; version.increment(inner)) {
      std::error_code ignored;
      const bool is_toolchain = fs::is_directory(version->path() / "site", ignored);
      if (!is_toolchain || version->path().string().find(".partial") != std::string::npos) continue;
      found.push_back({text::to_utf8(compiler->path().filename().string() + "@" + version->path().filename().string()),
                       fs::exists(version->path() / "manifest.json", ignored)});
    }
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return found;
}

samples::Inspection inspect(const fs::path& device_folder, const samples::Inspect& inspected) {
  samples::Inspection inspection;
  for (const std::string& path : inspected.paths) inspection.folders.push_back(look_into(device_folder, path));
  return inspection;
}

Status adopt(const fs::path& device_folder, const samples::Adopt& adoption) {
  const fs::path toolchain = device_folder / adoption.path;
  std::error_code code;
  if (!fs::is_directory(adoption.site, code)) return fail("is not a folder on the device", adoption.site);
  if (Status is_new = check_is_new(toolchain); !is_new) return is_new;
  file::remove_old_partials(toolchain);
  const fs::path partial = file::partial_path(toolchain);
  if (Status made = file::make_folder(partial); !made) return made;
  fs::create_directory_symlink(adoption.site, partial / "site", code);
  Status done = code ? Status(tl::unexpected(file::from_errno("link", adoption.site, code.value())))
                     : finish(partial, toolchain, adoption.manifest);
  if (!done) file::remove_all(partial);
  return done;
}

Status install_there(const fs::path& device_folder, const samples::InstallThere& wanted) {
  const fs::path toolchain = device_folder / wanted.path;
  const fs::path partial = file::partial_path(toolchain);
  if (Status is_new = check_is_new(toolchain); !is_new) return is_new;
  file::remove_old_partials(toolchain);
  if (Status made = file::make_folder(partial / "scratch"); !made) return made;
  if (Status written = file::write_atomically(partial / "requirements.txt", wanted.requirements); !written) {
    return written;
  }
  Status done = run_pip(partial, toolchain.string() + ".log", Nanoseconds(wanted.timeout_ns));
  file::remove_all(partial / "scratch");
  if (done) done = finish(partial, toolchain, wanted.manifest);
  if (!done) file::remove_all(partial);
  return done;
}

}  // namespace ngb::reception
