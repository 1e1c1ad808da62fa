// SPDX-License-Identifier: Apache-2.0
// Holds the cells that figures show, with the names under which they show them. All texts are safe to show
// (text::visible).
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "report/looks.h"
#include "report/page/labels.h"
#include "report/page/page.h"

namespace ngb::report::figures {

// The record that is drawn: names as in docs/metrics.md, numbers unrounded, an unknown number null.
using Row = nlohmann::ordered_json;

// Returns a cell with all its repetitions, or nothing if it cannot be loaded.
using LoadCell = std::function<std::optional<store::CellData>(const std::string& cell_id)>;

class Selection;

// What a publication has measured of these devices, to be drawn beside one's own results.
struct Published {
  struct Compiler {
    std::string name{};  // "openvino (paper)"
    std::string kind{};  // "openvino", which decides its colour
  };
  std::vector<std::string> devices{};
  std::vector<Compiler> compilers{};
  // Adds rows with the state "published" to those of a figure that draws this number.
  void (*add_rows)(const Selection& selection, std::string_view number, std::vector<Row>& rows) = nullptr;
};

class Selection {
 public:
  // The content must outlive this object. Its cells have phases. Without `load_cell` no repetition is drawn. Without
  // devices of `published` nothing published is drawn.
  explicit Selection(const page::Content& content, LoadCell load_cell = {}, Published published = {});

  [[nodiscard]] const Results& results() const { return *content_.results; }
  // Returns all selected cells, in the order of the study.
  [[nodiscard]] const std::vector<const store::CellData*>& cells() const { return results().cells; }
  // Returns the profiles of the results, or null.
  [[nodiscard]] const Profiles* profiles() const { return content_.profiles; }
  // Returns the selected cell, or null.
  [[nodiscard]] const store::CellData* find(std::string_view cell_id) const;
  // Returns the selected cell with all its repetitions, or nothing if they cannot be loaded.
  [[nodiscard]] std::optional<store::CellData> load(const store::CellData& cell) const;

  [[nodiscard]] std::string device(const store::CellData& cell) const { return labels_.device(cell); }
  [[nodiscard]] std::string compiler(const store::CellData& cell) const { return labels_.compiler(cell); }
  // Returns `words`, or "batch 8, on local" if the selected cells are of several devices.
  [[nodiscard]] std::string with_device(std::string words, const store::CellData& cell) const;

  [[nodiscard]] bool shows_published(std::string_view device) const;
  // Adds what is published of this number, if it is shown.
  void add_published(std::string_view number, std::vector<Row>& rows) const;

  // The names of all compilers in the order of their first cells, then the published ones if they are shown; and how
  // each is drawn, in the same order.
  [[nodiscard]] const std::vector<std::string>& compilers() const { return compilers_; }
  [[nodiscard]] const std::vector<Look>& looks() const { return looks_; }
  // The place of the first published compiler in compilers().
  [[nodiscard]] std::size_t first_published() const { return first_published_; }

 private:
  using ById = std::unordered_map<std::string_view, const store::CellData*>;

  const page::Content& content_;
  page::Labels labels_;
  LoadCell load_cell_;
  Published published_;
  ById selected_{};
  std::vector<std::string> compilers_{};
  std::vector<Look> looks_{};
  std::size_t first_published_ = 0;
  bool has_several_devices_ = false;
};

}  // namespace ngb::report::figures
