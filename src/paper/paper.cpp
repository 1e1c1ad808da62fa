// SPDX-License-Identifier: Apache-2.0
#include "paper/paper.h"

#include "paper/claims.h"
#include "paper/figures/published_rows.h"
#include "paper/figures/rows.h"
#include "paper/published.h"
#include "paper/tables/quoted_numbers.h"
#include "paper/tables/tables.h"

namespace ngb::paper {
namespace {

report::folder::Tables tables_of(const report::Results& results,
                                 const std::vector<store::MeasuredEnvironment>& environments,
                                 const std::vector<std::string>& published) {
  const tables::Input input(results, environments, published);
  return {tables::make_all(input), tables::quoted_numbers(input)};
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
