// SPDX-License-Identifier: Apache-2.0
// The tables that the paper has published, as reference data. Nothing of them was measured here.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ngb::report::tables {

// The rows of a published table, as in published/*.csv.
class PublishedTable {
 public:
  // Lines that begin with "#" are comments; the first other line names the columns. No field contains a comma.
  explicit PublishedTable(std::string_view csv);

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  // Precondition: the table has this column.
  [[nodiscard]] const std::string& text(std::size_t row, std::string_view column) const;
  [[nodiscard]] double number(std::size_t row, std::string_view column) const;

 private:
  std::vector<std::string> columns_{};
  std::vector<std::vector<std::string>> rows_{};
};

const PublishedTable& published_compile_seconds();  // Table III
const PublishedTable& published_models();           // Table IV
const PublishedTable& published_blocks();           // Table V
const PublishedTable& published_families();         // Table VI
const PublishedTable& published_conv_depth();       // Table VII
const PublishedTable& published_mha_depth();        // Table VIII

// The names under which the paper's devices appear: "paper: Xeon", "paper: RTX 4070", "paper: Orin".
inline constexpr std::string_view kPublishedPrefix = "paper: ";
std::span<const std::string_view> published_devices();
// Returns the name of a device that the published tables call "Xeon", "xeon", "CPU", "GPU", "rtx" or "Orin".
std::string published_device(std::string_view called);

// Returns whether a published depth slope and retention contradict each other: one says that the speed-up grows with
// depth, the other that it falls.
bool contradict(double slope, double retention);

}  // namespace ngb::report::tables
