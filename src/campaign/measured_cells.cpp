// SPDX-License-Identifier: Apache-2.0
#include "campaign/measured_cells.h"

#include <filesystem>

#include "campaign/measure.h"

namespace ngb::campaign {

Answer<std::vector<store::CellData>> measured_cells(const Installation& installation, plan::Plan plan,
                                                    const Compilers& compilers, Observer& observer) {
  const std::filesystem::path results = plan.study.output / "results.db";
  const auto done = measure_plan(installation, std::move(plan), compilers, observer);
  if (!done) return tl::unexpected(done.error());
  auto store = store::Store::open(results, store::Mode::read_only);
  if (!store) return cannot_go_on(store.error());
  auto cells = store->load_cells(store::Detail::full);
  if (!cells) return cannot_go_on(cells.error());
  return *std::move(cells);
}

}  // namespace ngb::campaign
