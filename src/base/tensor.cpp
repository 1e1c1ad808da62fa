// SPDX-License-Identifier: Apache-2.0
#include "base/tensor.h"

#include <fmt/format.h>

#include "ngraphbench/tables.h"

namespace ngb {

std::string_view name(DataType type) { return table::type_row(static_cast<ngb_dtype>(type))->word; }

std::size_t size_bytes(DataType type) { return table::type_row(static_cast<ngb_dtype>(type))->size_bytes; }

std::vector<std::string> data_type_names() {
  std::vector<std::string> names;
  for (const table::TypeRow& row : table::kTypes) names.emplace_back(row.word);
  return names;
}

Result<DataType> parse_data_type(std::string_view name) {
  if (const table::TypeRow* const row = table::type_row(name)) return static_cast<DataType>(row->type);
  return fail(fmt::format("unknown element type \"{}\"", name));
}

std::uint64_t TensorSignature::element_count() const {
  std::uint64_t count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<std::uint64_t>(extent);
  return count;
}

}  // namespace ngb
