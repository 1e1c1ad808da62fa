// SPDX-License-Identifier: Apache-2.0
#include "bundle/licences.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "base/text.h"

namespace ngb::bundle {

std::span<const Licence> licences() {
  static constexpr std::array kLicences{
      Licence{"CC-BY-4.0", "Creative Commons Attribution 4.0 International",
              "https://creativecommons.org/licenses/by/4.0/"},
      Licence{"CC-BY-SA-4.0", "Creative Commons Attribution-ShareAlike 4.0 International",
              "https://creativecommons.org/licenses/by-sa/4.0/"},
      Licence{"CC-BY-NC-4.0", "Creative Commons Attribution-NonCommercial 4.0 International",
              "https://creativecommons.org/licenses/by-nc/4.0/"},
      Licence{"CC0-1.0", "Creative Commons Zero 1.0 Universal", "https://creativecommons.org/publicdomain/zero/1.0/"},
      Licence{"ODbL-1.0", "Open Data Commons Open Database License 1.0",
              "https://opendatacommons.org/licenses/odbl/1-0/"},
      Licence{"ODC-By-1.0", "Open Data Commons Attribution License 1.0",
              "https://opendatacommons.org/licenses/by/1-0/"},
      Licence{"PDDL-1.0", "Open Data Commons Public Domain Dedication and License 1.0",
              "https://opendatacommons.org/licenses/pddl/1-0/"},
      Licence{"CDLA-Permissive-2.0", "Community Data License Agreement Permissive 2.0",
              "https://cdla.dev/permissive-2-0/"},
      Licence{"Apache-2.0", "Apache License 2.0", "https://www.apache.org/licenses/LICENSE-2.0"},
      Licence{"MIT", "MIT License", "https://opensource.org/license/mit"}};
  return kLicences;
}

Result<const Licence*> find_licence(const std::string& spdx) {
  std::vector<std::string> names;
  for (const Licence& licence : licences()) {
    if (spdx == licence.spdx) return &licence;
    names.emplace_back(licence.spdx);
  }
  const auto near = text::nearest(spdx, names);
  return fail(fmt::format("ngb knows no licence of data named \"{}\"", spdx), "--licence",
              near ? "did you mean " + *near + "?" : "expected one of: " + text::join(names, ", "));
}

}  // namespace ngb::bundle
