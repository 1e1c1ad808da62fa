// SPDX-License-Identifier: Apache-2.0
#include "worker/version.h"

#include <fmt/format.h>

#include <algorithm>

namespace ngb::worker {
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
