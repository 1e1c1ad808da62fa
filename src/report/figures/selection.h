// SPDX-License-Identifier: Apache-2.0
// Holds the cells that figures show, with the names under which they show them. All texts are safe to show
// (text::visible).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "report/looks.h"
#include "report/page/labels.h"
#include "report/page/page.h"

namespace ngb::report::figures {

// Returns a cell with all its repetitions, or nothing if it cannot be loaded.
using LoadCell = std::function<std::optional<store::CellData>(const std::string& cell_id)>;

// Returns the name of a compiler of the published tables: "openvino (paper)" of "OpenVINO".
std::string published_compiler(std::string_view called);

class Selection {
 public:
  // The content must outlive this object. Its cells have phases. Without `load_cell` no repetition is drawn.
  // `published` has those of tables::published_devices() that are shown beside the selected cells.
  explicit Selection(const page::Content& content, LoadCell load_cell = {}, std::vector<std::string> published = {});

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

  // The names of all compilers in the order of their first cells, then those of the paper if its devices are shown; and
  // how each is drawn, in the same order.
  [[nodiscard]] const std::vector<std::string>& compilers() const { return compilers_; }
  [[nodiscard]] const std::vector<Look>& looks() const { return looks_; }
  // The place of the paper's first compiler in compilers().
  [[nodiscard]] std::size_t first_published() const { return first_published_; }

 private:
  using ById = std::unordered_map<std::string_view, const store::CellData*>;

  const page::Content& content_;
  page::Labels labels_;
  LoadCell load_cell_;
  std::vector<std::string> published_;
  ById selected_{};
  std::vector<std::string> compilers_{};
  std::vector<Look> looks_{};
  std::size_t first_published_ = 0;
  bool has_several_devices_ = false;
};

}  // namespace ngb::report::figures
