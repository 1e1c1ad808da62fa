// SPDX-License-Identifier: Apache-2.0
#include "campaign/same_contents.h"

#include <fmt/format.h>

#include "base/text.h"
#include "store/store.h"

namespace ngb::campaign {
namespace {

Contents contents_now(const plan::Plan& plan, const Compilers& compilers) {
  Contents now = models_of(plan);
  for (const toolchain::Toolchain& toolchain : compilers.installed()) {
    now[fmt::format("toolchain {} {}", toolchain.compiler, toolchain.version)].insert(toolchain.manifest_sha256);
  }
  return now;
}

}  // namespace

Contents models_of(const plan::Plan& plan) {
  Contents models;
  for (const work::Model& model : plan.models) {
    models[fmt::format("{}, batch {}", model.label, model.key.batch)].insert(model.key.hash);
  }
  return models;
}

std::vector<std::string> names_of_changed(const Contents& before, const Contents& now) {
  std::vector<std::string> names;
  for (const auto& [name, hashes] : now) {
    const auto found = before.find(name);
    if (found != before.end() && found->second != hashes) names.push_back(name);
  }
  return names;
}

Status check_same_contents(const plan::Plan& plan, const Compilers& compilers) {
  const std::filesystem::path file = plan.study.output / "results.db";
  std::error_code code;
  if (!std::filesystem::exists(file, code)) return Done{};
  auto store = store::Store::open(file, store::Mode::read_only);
  if (!store) return error_of(store);
  for (const config::DeviceEntry& device : plan.study.devices) {
    if (!config::is_here(device)) continue;
    const auto before = store->contents(device.name);
    if (!before) return error_of(before);
    const std::vector<std::string> names = names_of_changed(*before, contents_now(plan, compilers));
    if (names.empty()) continue;
    return fail("what was measured there has changed since: " + text::join(names, "; "), plan.study.output.string(),
                "measure into another folder (--output), or restore what has changed");
  }
  return Done{};
}

}  // namespace ngb::campaign
