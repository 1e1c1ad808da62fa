// SPDX-License-Identifier: Apache-2.0
#include "worker/version.h"

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

}  // namespace ngb::worker
