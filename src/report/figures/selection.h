// SPDX-License-Identifier: Apache-2.0
// Holds the cells that figures show, with the names under which they show them. All texts are safe to show
// (plain_text.h).
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "report/looks.h"
#include "report/page/labels.h"
#include "report/page/page.h"

namespace ngb::report::figures {

// A selected cell of one of the sources.
struct Place {
  std::size_t source = 0;
  const store::CellData* cell = nullptr;
};

// Returns a cell of a source with all its repetitions, or nothing if it cannot be loaded.
using LoadCell = std::function<std::optional<store::CellData>(std::size_t source, const std::string& cell_id)>;

class Selection {
 public:
  // The sources must outlive this object. Their cells have phases. Without `load_cell` no repetition is drawn.
  explicit Selection(std::span<const page::Source> sources, LoadCell load_cell = {});

  [[nodiscard]] std::span<const page::Source> sources() const { return sources_; }
  // Returns all selected cells, in the order of the sources and of each study.
  [[nodiscard]] const std::vector<Place>& places() const { return places_; }
  // Returns the selected cell of that source, or null.
  [[nodiscard]] const store::CellData* find(std::size_t source, std::string_view cell_id) const;
  // Returns the selected cell with all its repetitions, or nothing if they cannot be loaded.
  [[nodiscard]] std::optional<store::CellData> load(const Place& place) const;

  [[nodiscard]] std::string device(const Place& place) const { return labels_.device(place.source, *place.cell); }
  [[nodiscard]] std::string compiler(const Place& place) const { return labels_.compiler(*place.cell); }
  // Returns `words`, or "batch 8, on local" if the selected cells are of several devices.
  [[nodiscard]] std::string with_device(std::string words, const Place& place) const;

  // The names of all compilers in the order of their first cells, and how each is drawn, in the same order.
  [[nodiscard]] const std::vector<std::string>& compilers() const { return compilers_; }
  [[nodiscard]] const std::vector<Look>& looks() const { return looks_; }

 private:
  using ById = std::unordered_map<std::string_view, const store::CellData*>;

  std::span<const page::Source> sources_;
  page::Labels labels_;
  LoadCell load_cell_;
  std::vector<Place> places_{};
  std::vector<ById> selected_{};
  std::vector<std::string> compilers_{};
  std::vector<Look> looks_{};
  bool has_several_devices_ = false;
};

}  // namespace ngb::report::figures
