// SPDX-License-Identifier: Apache-2.0
#include "worker/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>

namespace ngb::worker {

namespace {

constexpr std::string_view kReinstall = "use a plugin that was built together with this ngb-worker";

Status check_table(const ngb_compiler* table, const std::string& path) {
  if (table == nullptr) return fail("the plugin returns no table", path, std::string(kReinstall));
  if (table->abi != NGB_ABI) {
    return fail(fmt::format("the plugin has ABI {}, this worker needs ABI {}", table->abi, NGB_ABI), path,
                std::string(kReinstall));
  }
  if (table->struct_size < sizeof(ngb_compiler)) {
    return fail(fmt::format("the plugin's table has {} bytes, {} are needed", table->struct_size, sizeof(ngb_compiler)),
                path, std::string(kReinstall));
  }
  if (table->describe == nullptr || table->open == nullptr || table->compile == nullptr || table->bind == nullptr ||
      table->run == nullptr || table->read == nullptr || table->inspect == nullptr || table->close == nullptr) {
    return fail("the plugin's table lacks a function", path, std::string(kReinstall));
  }
  return Done{};
}

}  // namespace

Result<const ngb_compiler*> open_plugin(const std::filesystem::path& path) {
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return fail(fmt::format("the plugin does not load: {}", ::dlerror()), path.string());
  const auto entry = reinterpret_cast<ngb_entry>(::dlsym(library, NGB_ENTRY_SYMBOL));
  if (entry == nullptr) return fail("the plugin does not export " NGB_ENTRY_SYMBOL, path.string());
  const ngb_compiler* table = entry();
  const Status checked = check_table(table, path.string());
  if (!checked) return error_of(checked);
  return table;
}

namespace {

std::string_view without_build(std::string_view version) { return version.substr(0, version.find_first_of("+- ")); }

bool begins(std::string_view longer, std::string_view shorter) {
  const bool has_three_numbers = std::count(shorter.begin(), shorter.end(), '.') >= 2;
  return has_three_numbers && longer.size() > shorter.size() && longer.starts_with(shorter) &&
         longer[shorter.size()] == '.';
}

}  // namespace

bool is_same_version(std::string_view reported, std::string_view asked) {
  const std::string_view ours = without_build(reported);
  const std::string_view theirs = without_build(asked);
  return ours == theirs || begins(theirs, ours) || begins(ours, theirs);
}

Status check_same_version(std::string_view reported, const work::Compiler& compiler, const work::Place& place) {
  if (compiler.version.empty() || is_same_version(reported, compiler.version)) return Done{};
  return fail(fmt::format("{} {} was requested, but the loaded library says that it is {}", compiler.name,
                          compiler.version, reported),
              place.toolchain_dir,
              fmt::format("install it again: ngb toolchain remove {0}@{1}, then ngb toolchain install {0}@{1}; check "
                          "LD_LIBRARY_PATH, LD_PRELOAD and PYTHONPATH",
                          compiler.name, compiler.version));
}

}  // namespace ngb::worker
