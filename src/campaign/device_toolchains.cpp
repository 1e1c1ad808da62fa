// SPDX-License-Identifier: Apache-2.0
#include "campaign/device_toolchains.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <memory>

#include "base/process.h"
#include "base/text.h"
#include "toolchain/manifest.h"
#include "toolchain/python.h"

namespace ngb::campaign {
namespace {

using toolchain::Target;
using toolchain::Toolchain;

// The oldest version that ngb-worker of a package supports, assumed if a device does not report its own.
constexpr const char* kOldestGlibc = "2.28";
constexpr const char* kOldestPython = "3.9";

std::optional<std::string> recorded_entry(const samples::Environment& environment, std::string_view name) {
  for (const samples::EnvironmentEntry& each : environment.entries) {
    if (each.name == name) return each.value.value;
  }
  return std::nullopt;
}

// Returns "3.11" for "3.11.2".
std::string minor_of(const std::string& version) {
  const std::vector<std::string> parts = text::split(version, '.');
  return parts.size() < 2 ? version : parts[0] + "." + parts[1];
}

// Finds the toolchain for each device; one Finder serves all devices.
class Finder {
 public:
  Finder(const Installation& installation, toolchain::CompilerDescription compiler, std::string version,
         std::optional<Toolchain> local, Way way)
      : root_(installation.toolchains),
        compiler_(std::move(compiler)),
        version_(std::move(version)),
        local_(std::move(local)),
        way_(way) {}

  Result<dispatch::ToolchainSource> find(const samples::Arrival& arrival, const samples::Description& description) {
    const Result<Target> target = target_of(arrival, description);
    if (!target) return error_of(target);
    if (way_ != Way::install_there) {
      if (local_ && fits(*target)) return dispatch::ToolchainSource{local_->folder, {}};
      const auto fetched = toolchain::find(toolchain::targets_root(root_, *target), compiler_.toolchain, version_);
      if (fetched && fetched->has_value()) return dispatch::ToolchainSource{(*fetched)->folder, {}};
    }
    if (way_ == Way::deliver_ours) {
      return fail(name() +
                  " is needed on the device only for reference outputs, which are computed on this machine instead");
    }
    dispatch::ToolchainSource source;
    source.command = {process::self().string(),
                      "toolchain",
                      "download",
                      name(),
                      "--machine",
                      target->machine,
                      "--glibc",
                      target->glibc,
                      "--python",
                      target->python,
                      "--json"};
    if (target->has_gpu) source.command.emplace_back("--gpu");
    if (way_ == Way::install_there) source.command.emplace_back("--choose");
    return source;
  }

 private:
  [[nodiscard]] std::string name() const { return compiler_.toolchain + "@" + version_; }
  [[nodiscard]] bool needs_python() const { return compiler_.host == "python" || !compiler_.imports.empty(); }

  Result<Target> target_of(const samples::Arrival& arrival, const samples::Description& description) {
    const bool has_to_tell = needs_python() || way_ == Way::install_there;
    if (has_to_tell && !description.python.value) {
      return fail(fmt::format("{} needs python3, which the device does not have ({})", name(),
                              text::to_utf8(description.python.reason)),
                  "", "install python3 on the device");
    }
    // The wheels for all Pythons contain the same native library, so those for this machine's Python are used: a newer
    // Python may have newer wheels.
    std::string python = has_to_tell ? *description.python.value : our_python();
    if (python.starts_with("Python ")) python = python.substr(std::string_view("Python ").size());
    auto target =
        toolchain::make_target(arrival.machine, recorded_entry(description.environment, "glibc").value_or(kOldestGlibc),
                               python, recorded_entry(description.environment, "gpu").has_value());
    if (!target) return fail(fmt::format("{}: {}", name(), target.error().what), "", target.error().next);
    return target;
  }

  [[nodiscard]] bool fits(const Target& target) {
    utsname system{};
    ::uname(&system);
    if (target.machine != system.machine) return false;
    return !needs_python() || minor_of(target.python) == minor_of(python_of_local());
  }

  std::string python_of_local() {
    if (!local_->python_version.empty()) return local_->python_version;
    if (!local_python_) {
      const auto python = toolchain::ask_python(local_->python);
      local_python_ = python ? python->version : "";
    }
    return *local_python_;
  }

  std::string our_python() {
    if (!our_python_) {
      const auto python = toolchain::find_python();
      our_python_ = python ? python->version : kOldestPython;  // the download then reports that there is no wheel
    }
    return *our_python_;
  }

  std::filesystem::path root_;
  toolchain::CompilerDescription compiler_;
  std::string version_;
  std::optional<Toolchain> local_;
  Way way_;
  std::optional<std::string> local_python_{};
  std::optional<std::string> our_python_{};
};

}  // namespace

std::string tree_path(const std::string& compiler, const std::string& version) {
  return fmt::format("toolchains/{}/{}", compiler, version);
}

dispatch::ToolchainTree toolchain_for_devices(const Installation& installation,
                                              const toolchain::CompilerDescription& compiler,
                                              const std::string& version, const std::optional<Toolchain>& local,
                                              Way way) {
  const bool can_be_given = local && !local->is_adopted && local->changed.empty();
  const auto finder =
      std::make_shared<Finder>(installation, compiler, version, can_be_given ? local : std::nullopt, way);
  return {tree_path(compiler.toolchain, version),
          [finder](const samples::Arrival& arrival, const samples::Description& description) {
            return finder->find(arrival, description);
          }};
}

std::vector<toolchain::Distribution> distributions(const samples::FoundFolder& found) {
  std::vector<toolchain::Distribution> packages;
  for (const samples::FoundPackage& each : found.packages) {
    packages.push_back({text::to_utf8(each.name), text::to_utf8(each.version)});
  }
  return packages;
}

Result<Toolchain> toolchain_there(const samples::FoundFolder& found) {
  const std::vector<std::string> parts = text::split(found.path, '/');
  if (parts.size() != 3) return fail("is not a toolchain's folder", text::to_utf8(found.path));
  Result<Toolchain> told = toolchain::parse_manifest(found.manifest, found.path);
  if (told && told->compiler == parts[1] && told->version == parts[2]) return told;
  return toolchain::without_manifest(parts[1], parts[2], text::to_utf8(found.site), distributions(found));
}

}  // namespace ngb::campaign
