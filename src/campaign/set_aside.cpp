// SPDX-License-Identifier: Apache-2.0
#include "campaign/set_aside.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/file.h"
#include "campaign/elsewhere.h"
#include "store/store.h"

namespace ngb::campaign {
namespace {

namespace fs = std::filesystem;

Status check_nobody_needs(const Installation& installation, const fs::path& results, const Say& say) {
  auto store = store::Store::open(results / "results.db", store::Mode::read_write);
  if (!store) return error_of(store);
  const auto runs = runs_elsewhere(installation, *store, say);
  if (!runs) return error_of(runs);
  const bool is_elsewhere = std::any_of(runs->begin(), runs->end(), [](const RunElsewhere& run) {
    return !run.strangers.empty() || !std::all_of(run.devices.begin(), run.devices.end(), config::is_here);
  });
  if (!is_elsewhere) return Done{};
  return fail("a run of these results is still on devices elsewhere", results.string(),
              "to end it there, run: ngb cancel " + results.string());
}

}  // namespace

Result<std::optional<fs::path>> set_aside(const Installation& installation, const fs::path& results, const Say& say) {
  std::error_code code;
  if (!fs::exists(results / "results.db", code)) return std::nullopt;
  if (const Status free = check_nobody_needs(installation, results, say); !free) return error_of(free);
  const fs::path folder = results.has_filename() ? results : results.parent_path();
  fs::path aside;
  for (int number = 1; aside.empty() || fs::exists(fs::symlink_status(aside, code)); ++number) {
    aside = folder.parent_path() / fmt::format("{}-{}", folder.filename().string(), number);
  }
  if (const Status moved = file::put_in_new_place(folder, aside); !moved) return error_of(moved);
  return aside;
}

}  // namespace ngb::campaign
