// SPDX-License-Identifier: Apache-2.0
#include "campaign/experience.h"

#include <unistd.h>

#include <array>

#include "campaign/installation.h"
#include "store/protocol.h"
#include "toolchain/catalog.h"

namespace ngb::campaign {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "local";
  return name.data();
}

}  // namespace

DurationsFile durations_file(const Installation& installation, const Say& say) {
  const std::filesystem::path cache = usable_cache(installation, say);
  return DurationsFile(cache.empty() ? std::filesystem::path() : cache / "durations.jsonl");
}

plan::Experience experience_for(const Installation& installation, const plan::Plan& plan, const Say& say) {
  plan::Experience experience;
  experience.durations = durations_file(installation, say).read();
  experience.here = host_name();
  experience.study = store::study_hash(plan);
  if (const auto catalog = toolchain::read_catalog(installation.parts.lib)) {
    for (const toolchain::CompilerDescription& compiler : *catalog) {
      if (compiler.produces_file) experience.file_makers.insert(compiler.name);
    }
  }
  return experience;
}

}  // namespace ngb::campaign
