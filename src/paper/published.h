// SPDX-License-Identifier: Apache-2.0
// The tables that the paper has published, as reference data. Nothing of them was measured here.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ngb::paper {

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

// The compilers that the paper calls those of vendors, by the names of their plugins.
inline constexpr std::array<std::string_view, 3> kVendors{"tensorrt", "tensorrt-cpp", "openvino"};

// The names under which the paper's devices appear: "paper: Xeon", "paper: RTX 4070", "paper: Orin".
inline constexpr std::string_view kPublishedPrefix = "paper: ";
std::span<const std::string_view> published_devices();
// Returns the name of a device that the published tables call "Xeon", "xeon", "CPU", "GPU", "rtx" or "Orin".
std::string published_device(std::string_view called);

// A column of Table III.
struct PublishedColumn {
  const char* name;    // in published/table3_compile_seconds.csv
  const char* called;  // the device
  const char* compiler;
};
std::span<const PublishedColumn> published_compile_columns();

// The smallest and the largest batch size of each group of Table VI.
std::span<const std::pair<int, int>> published_batches();

// Returns timm's name of a published model: "resnet101" of "ResNet-101". Returns "" if Table IV has no such model.
std::string timm_name(std::string_view published_model);

// Returns the style of a family by Table IV: "transformer"; "" if the table has no such family.
std::string style_of_family(std::string_view family);

// Returns the row of Identity in Table VI that is about the same device and family as `row`.
std::size_t identity_row(std::size_t row);

// Returns whether a published depth slope and retention contradict each other: one says that the speed-up grows with
// depth, the other that it falls.
bool contradict(double slope, double retention);

}  // namespace ngb::paper
