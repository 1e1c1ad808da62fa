// SPDX-License-Identifier: Apache-2.0
// The rows of the figure of what variants of a model gain and cost.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "report/figures/rows.h"

namespace ngb::report::figures {
namespace {

// Names the panel: an exact model, its batch size and the device.
std::string panel_of_variants(const Selection& selection, const store::CellData& cell) {
  const auto& model = cell.of.model;
  const std::string& exact = model.is_variant() ? model.variant_of : model.label;
  return selection.with_device(fmt::format("{}, batch {}", text::visible(exact), model.key.batch), cell);
}

// Says in each row of a panel whether no other one is at least as good in both numbers, and better in one.
void mark_front(std::vector<Row>& rows, const char* speed, const char* agreement) {
  for (Row& row : rows) {
    row["on_front"] = nullptr;
    if (!row.at(speed).is_number()) continue;
    const auto beats = [&](const Row& other) {
      if (other.at("panel") != row.at("panel") || !other.at(speed).is_number()) return false;
      const bool is_no_worse = other.at(speed) >= row.at(speed) && other.at(agreement) >= row.at(agreement);
      return is_no_worse && (other.at(speed) > row.at(speed) || other.at(agreement) > row.at(agreement));
    };
    row["on_front"] = std::any_of(rows.begin(), rows.end(), beats) ? "no" : "yes";
  }
}

}  // namespace

Rows speed_and_agreement(const Selection& selection) {
  constexpr const char* kSpeed = "speed_up_ratio";
  constexpr const char* kAgreement = "agreement_ratio";
  std::set<std::string> panels;  // with a variant
  for (const store::CellData* cell : selection.cells()) {
    if (cell->of.model.is_variant()) panels.insert(panel_of_variants(selection, *cell));
  }
  std::vector<Row> rows;
  for (const store::CellData* cell : selection.cells()) {
    const std::string panel = panel_of_variants(selection, *cell);
    if (!panels.contains(panel)) continue;
    Row row = row_of(selection, *cell, panel);
    const Number agreement =
        cell->of.model.is_variant() ? number_of(selection, *cell, kAgreement) : Number{.value = 1.0};
    Number speed = number_of(selection, *cell, kSpeed);
    if (!agreement.value && speed.value) speed = {.reason = fmt::format("{}: {}", kAgreement, agreement.reason)};
    row[kAgreement] = agreement.value ? Row(*agreement.value) : Row(nullptr);
    add_number(row, kSpeed, speed, state_of(*cell));
    rows.push_back(std::move(row));
  }
  if (rows.empty()) return {.why_none = "no model is a variant of another"};
  mark_front(rows, kSpeed, kAgreement);
  return rows_with(std::move(rows), kSpeed, "no variant has both a speed-up and an agreement");
}

}  // namespace ngb::report::figures
