// SPDX-License-Identifier: Apache-2.0
#include "toolchain/collection.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "toolchain/pins.h"
#include "toolchain/site.h"

namespace ngb::toolchain {

namespace {

// Returns "cp311-x86_64", the kind of device for which the wheels are.
std::string kind_of_wheels(const Python& python) {
  utsname here{};
  ::uname(&here);
  const std::string& version = python.target ? python.target->python : python.version;
  const std::string machine = python.target ? python.target->machine : std::string(here.machine);
  const std::size_t minor = version.find('.');
  const std::size_t end = minor == std::string::npos ? minor : version.find('.', minor + 1);
  std::string digits = version.substr(0, end);
  std::erase(digits, '.');
  return fmt::format("cp{}-{}", digits, machine);
}

}  // namespace

Collection::Collection(Python python, std::filesystem::path folder, bool with_dependencies, Progress progress)
    : python_(std::move(python)),
      folder_(std::move(folder)),
      with_dependencies_(with_dependencies),
      progress_(std::move(progress)) {
  if (python_.target) requirements_.markers = marker_variables(*python_.target);
}

Status Collection::take(std::vector<Installed> packages) {
  const std::filesystem::path incoming = folder_ / "incoming";
  std::vector<std::string> replaced;
  for (const Installed& package : packages) {
    if (!only_choose_ && installed_.contains(package.name)) replaced.push_back(package.name);
  }
  if (Status removed = site::remove_packages(python_.command, site(), replaced); !removed) return removed;
  if (!packages.empty() && !only_choose_) {
    if (Status merged = site::merge(incoming, site()); !merged) return merged;
  }
  std::error_code code;
  std::filesystem::remove_all(incoming, code);
  if (code) return tl::unexpected(file::from_errno("remove", incoming, code.value()));
  for (Installed& package : packages) {
    requirements_.installed[package.name] = {package.version,
                                             with_dependencies_ ? package.requires_dist : std::vector<std::string>{}};
    installed_[package.name] = std::move(package);
  }
  return Done{};
}

Status Collection::fill() {
  for (;;) {
    Result<Round> round = next_round(python_.command, requirements_);
    if (!round) return error_of(round);
    requirements_.known = std::move(round->known);
    has_skipped_ = round->has_skipped;
    if (round->ask.empty()) break;
    Result<std::vector<Installed>> packages = pip_install(python_,
                                                          {.site = folder_ / "incoming",
                                                           .scratch = folder_ / "scratch",
                                                           .requirements = round->ask,
                                                           .only_choose = only_choose_},
                                                          progress_);
    if (!packages) return error_of(packages);
    const std::string kind = kind_of_wheels(python_);
    for (const Installed& package : *packages) {
      if (Status same = check_wheel(kind, package.name, package.version, package.sha256); !same) return same;
    }
    if (Status taken = take(*std::move(packages)); !taken) return taken;
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_ / "scratch", ignored);
  return Done{};
}

std::vector<Installed> Collection::installed() const {
  std::vector<Installed> all;
  std::transform(installed_.begin(), installed_.end(), std::back_inserter(all),
                 [](const auto& entry) { return entry.second; });
  return all;
}

}  // namespace ngb::toolchain
