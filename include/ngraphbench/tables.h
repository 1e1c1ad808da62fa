// SPDX-License-Identifier: Apache-2.0
// The rows of compiler.h to be looked up in: for the worker, plugins in C++ and the bridge to Python alike.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "ngraphbench/compiler.h"

namespace ngb::table {

struct StatusRow {
  ngb_status status;
  std::string_view word;
};
#define NGB_ROW(constant, number, word) StatusRow{constant, word},
inline constexpr std::array kStatuses{NGB_STATUSES(NGB_ROW)};
#undef NGB_ROW

struct TypeRow {
  ngb_dtype type;
  const char* word;
  std::size_t size_bytes;
  const char* numpy;
};
#define NGB_ROW(constant, name, number, word, bytes, numpy) TypeRow{constant, word, bytes, numpy},
inline constexpr std::array kTypes{NGB_DTYPES(NGB_ROW)};
#undef NGB_ROW

// The word of a failure; "internal" for a number that is none of the table.
constexpr std::string_view word_of(ngb_status status) {
  for (const StatusRow& row : kStatuses) {
    if (row.status == status) return row.word;
  }
  return "internal";
}

// NGB_INTERNAL for a word that is none of the table.
constexpr ngb_status status_called(std::string_view word) {
  for (const StatusRow& row : kStatuses) {
    if (row.word == word) return row.status;
  }
  return NGB_INTERNAL;
}

// Null for what is no type of the table.
constexpr const TypeRow* type_row(ngb_dtype type) {
  for (const TypeRow& row : kTypes) {
    if (row.type == type) return &row;
  }
  return nullptr;
}
constexpr const TypeRow* type_row(std::string_view word) {
  for (const TypeRow& row : kTypes) {
    if (row.word == word) return &row;
  }
  return nullptr;
}

// "f32, f16, …"
inline std::string all_types() {
  std::string list;
  for (const TypeRow& row : kTypes) list.append(list.empty() ? "" : ", ").append(row.word);
  return list;
}

}  // namespace ngb::table
