// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/experience.h"

#include <unistd.h>

#include <array>

#include "apps/ngb/command.h"
#include "store/protocol.h"
#include "toolchain/catalog.h"

namespace ngb::app {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "local";
  return name.data();
}

}  // namespace

DurationsFile durations_file(const Installation& installation) {
  const std::filesystem::path cache = usable_cache(installation);
  return DurationsFile(cache.empty() ? std::filesystem::path() : cache / "durations.jsonl");
}

plan::Experience experience_for(const Installation& installation, const plan::Plan& plan) {
  plan::Experience experience;
  experience.durations = durations_file(installation).read();
  experience.here = host_name();
  experience.study = store::study_hash(plan);
  if (const auto catalog = toolchain::read_catalog(installation.parts.lib)) {
    for (const toolchain::CompilerDescription& compiler : *catalog) {
      if (compiler.produces_file) experience.file_makers.insert(compiler.name);
    }
  }
  return experience;
}

}  // namespace ngb::app
