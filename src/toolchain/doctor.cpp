// SPDX-License-Identifier: Apache-2.0
#include "toolchain/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "base/text.h"
#include "base/words.h"
#include "toolchain/catalog.h"
#include "toolchain/hardware.h"
#include "toolchain/pins.h"
#include "toolchain/pip.h"
#include "toolchain/python.h"
#include "toolchain/toolchain.h"

namespace ngb::toolchain {
namespace {

namespace fs = std::filesystem;
using State = Check::State;

// These compilers have plugins that are built only if their headers exist.
constexpr std::array<std::string_view, 3> kUsual{"identity", "onnxruntime", "openvino"};

Check from_error(std::string name, const Error& error) {
  return {std::move(name), State::missing, error.where.empty() ? error.what : error.where + ": " + error.what,
          error.next};
}

void examine_python(std::vector<Check>& checks) {
  const Result<Python> python = find_python();
  if (!python) return checks.push_back(from_error("python", python.error()));
  checks.push_back({"python", State::ok, fmt::format("{} ({})", python->version, python->executable), ""});
  const Status pip = check_pip(*python);
  checks.push_back(pip ? Check{"pip", State::ok, python->pip_version, ""} : from_error("pip", pip.error()));
}

bool runs_here(const CompilerDescription& compiler) { return has_device(compiler.devices.front()); }

// Returns the part of `path` that exists.
fs::path existing_part(fs::path path) {
  std::error_code ignored;
  while (!fs::exists(path, ignored) && path.has_relative_path()) path = path.parent_path();
  return path.empty() ? fs::path(".") : path;
}

Check examine_disk(const fs::path& root, const std::vector<CompilerDescription>& catalog,
                   const std::vector<Toolchain>& toolchains) {
  std::uint64_t needed_bytes = 0;
  for (const CompilerDescription& compiler : catalog) {
    const bool is_there = std::any_of(toolchains.begin(), toolchains.end(),
                                      [&](const Toolchain& toolchain) { return toolchain.compiler == compiler.name; });
    if (!is_there && compiler.toolchain == compiler.name && runs_here(compiler)) needed_bytes += compiler.disk_bytes;
  }
  std::error_code code;
  const fs::space_info space = fs::space(existing_part(root), code);
  if (code) return {"disk", State::warning, root.string() + ": " + code.message(), "choose another NGB_TOOLCHAINS"};
  const std::string found =
      fmt::format("{} free for toolchains in {}", text::human_bytes(space.available), root.string());
  if (space.available >= needed_bytes) return {"disk", State::ok, found, ""};
  return {"disk", State::warning,
          fmt::format("{}; the missing ones need about {}", found, text::human_bytes(needed_bytes)),
          "free some space, or set NGB_TOOLCHAINS to a folder on a larger disk"};
}

Check examine_toolchain(const CompilerDescription& compiler, const std::vector<Toolchain>& toolchains) {
  Check check{"toolchain " + compiler.name, State::ok, "", ""};
  std::vector<std::string> versions;
  for (const Toolchain& toolchain : toolchains) {
    if (toolchain.compiler != compiler.toolchain) continue;
    const bool is_there = fs::exists(toolchain.site) && (compiler.host != "python" || fs::exists(toolchain.python));
    versions.push_back(toolchain.version + (toolchain.is_adopted ? " (adopted)" : "") + (is_there ? "" : " (broken)"));
    const bool is_own = compiler.toolchain == compiler.name;
    const auto unlike = is_own ? unlike_pins(toolchain, compiler.requirements) : std::vector<std::string>();
    if (is_there && unlike.empty()) continue;
    check.state = State::warning;
    const std::string name = compiler.toolchain + "@" + toolchain.version;
    check.advice = is_there
                       ? fmt::format("{}: ngb toolchain install {}", text::join(unlike, "; "), name)
                       : fmt::format("{} does not exist any more: ngb toolchain remove {}, then install it again",
                                     fs::exists(toolchain.site) ? toolchain.python : toolchain.site.string(), name);
  }
  check.found = text::join(versions, ", ");
  if (!versions.empty() && compiler.toolchain != compiler.name) check.found = compiler.toolchain + " " + check.found;
  if (!versions.empty()) return check;
  if (!runs_here(compiler)) return {check.name, State::ok, "none installed, and there is no NVIDIA GPU here", ""};
  return {check.name, toolchains.empty() ? State::missing : State::absent, "none installed",
          "ngb toolchain install " + compiler.name};
}

void examine_compilers(const std::vector<CompilerDescription>& catalog, std::vector<Check>& checks) {
  for (const std::string_view usual : kUsual) {
    const bool is_known = std::any_of(catalog.begin(), catalog.end(), [&](const auto& c) { return c.name == usual; });
    if (is_known) continue;
    checks.push_back({fmt::format("compiler {}", usual), State::missing, "not part of this build",
                      "run scripts/setup, which fetches the headers it needs, and build again"});
  }
  for (const CompilerDescription& compiler : catalog) {
    std::error_code ignored;
    const bool is_there = compiler.host != "native" || fs::exists(compiler.plugin, ignored);
    checks.push_back({"compiler " + compiler.name, is_there ? State::ok : State::missing,
                      is_there ? compiler.host : "no " + compiler.plugin.string(), is_there ? "" : "build ngb again"});
  }
}

}  // namespace

std::string_view name(Check::State state) {
  constexpr EnumWords<4> kWords{"ok", "warning", "absent", "missing"};
  return word_in(kWords, state);
}

std::vector<Check> examine(const fs::path& lib, const fs::path& root) {
  std::vector<Check> checks;
  examine_python(checks);
  const Result<std::vector<CompilerDescription>> catalog = read_catalog(lib);
  if (!catalog) {
    checks.push_back(from_error("compilers", catalog.error()));
    return checks;
  }
  Result<std::vector<Toolchain>> toolchains = list(root);
  if (!toolchains) {
    checks.push_back(from_error("toolchains", toolchains.error()));
    return checks;
  }
  checks.push_back(examine_disk(root, *catalog, *toolchains));
  examine_compilers(*catalog, checks);
  const std::vector<DamagedToolchain> all_damaged = take_damaged(root, *toolchains);
  for (const CompilerDescription& compiler : *catalog) {
    const auto is_of = [&](const auto& each) { return each.compiler == compiler.toolchain; };
    const bool has_only_damaged = std::any_of(all_damaged.begin(), all_damaged.end(), is_of) &&
                                  std::none_of(toolchains->begin(), toolchains->end(), is_of);
    if (compiler.needs_toolchain && !has_only_damaged) checks.push_back(examine_toolchain(compiler, *toolchains));
  }
  for (const DamagedToolchain& damaged : all_damaged) {
    checks.push_back(from_error("toolchain " + damaged.compiler, damaged.why));
    if (damaged.can_be_used) checks.back().state = State::warning;
  }
  return checks;
}

}  // namespace ngb::toolchain
