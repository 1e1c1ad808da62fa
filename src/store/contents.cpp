// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "store/implementation.h"

namespace ngb::store {

Result<std::map<std::string, std::set<std::string>>> Store::contents(const std::string& device) {
  return sql::guarded([&]() -> Result<std::map<std::string, std::set<std::string>>> {
    std::map<std::string, std::set<std::string>> found;
    sql::Statement models = implementation_->database.statement(
        "SELECT DISTINCT label, batch, model_hash FROM model JOIN cell USING (model_key)");
    while (models.step()) {
      found[fmt::format("{}, batch {}", models.text(0), models.integer(1))].insert(models.text(2));
    }
    sql::Statement toolchains = implementation_->database.statement(
        "SELECT compiler, compiler_version, manifest_sha256 FROM toolchain JOIN toolchain_manifest USING "
        "(toolchain_key) WHERE device = ? ORDER BY position");
    toolchains.bind(device);
    while (toolchains.step()) {
      found[fmt::format("toolchain {} {}", toolchains.text(0), toolchains.text(1))] = {toolchains.text(2)};
    }
    return found;
  });
}

}  // namespace ngb::store
