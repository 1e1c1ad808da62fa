// SPDX-License-Identifier: Apache-2.0
#include "work/compilation.h"

#include <fmt/format.h>

#include <algorithm>

namespace ngb::work {

std::string_view name(Compilation compilation) { return kCompilations[static_cast<std::size_t>(compilation)]; }

Result<Compilation> parse_compilation(std::string_view name) {
  const auto* const found = std::find(kCompilations.begin(), kCompilations.end(), name);
  if (found != kCompilations.end()) return static_cast<Compilation>(found - kCompilations.begin());
  return fail(fmt::format("unknown compilation \"{}\"", name));
}

}  // namespace ngb::work
