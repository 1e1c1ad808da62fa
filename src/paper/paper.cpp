// SPDX-License-Identifier: Apache-2.0
#include "paper/paper.h"

#include "paper/claims.h"
#include "paper/figures/published_rows.h"
#include "paper/figures/rows.h"
#include "paper/published.h"
#include "paper/tables/tables.h"

namespace ngb::paper {
namespace {

std::vector<report::Document> tables_of(const report::Results& results,
                                        const std::vector<store::MeasuredEnvironment>& environments,
                                        const std::vector<std::string>& published) {
  return tables::make_all(tables::Input(results, environments, published));
}

}  // namespace

report::folder::Publication publication() {
  return {.claims = claims(),
          .figures = figures::all_figures(),
          .device_prefix = kPublishedPrefix,
          .devices = published_devices(),
          .published = figures::published,
          .tables = tables_of};
}

}  // namespace ngb::paper
