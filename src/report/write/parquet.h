// SPDX-License-Identifier: Apache-2.0
// Writes tables as Parquet files with pyarrow, in a Python process of its own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/document.h"

namespace ngb::report {

// A Python that can import pyarrow from `site`.
struct ParquetWriter {
  std::string python{};
  std::filesystem::path site{};
};

struct ParquetFile {
  const Document* table = nullptr;  // has rows
  std::filesystem::path file{};     // to be written; its folder exists
};

// Writes each table with the columns of its CSV file. A column of counts holds integers of 64 bits, or doubles if one
// of them is no whole number. A column of other numbers holds doubles. Any other column holds texts, also if only one
// of its values is a text. A missing value is a null. The file's key-value metadata are `title`, `remarks` (a JSON
// list) and `ngb_version`, which is `made_by`. Returns an error that names the table if one cannot be written; files
// before it are then written.
ngb::Status write_parquet(const ParquetWriter& writer, const std::string& made_by,
                          const std::vector<ParquetFile>& files);

}  // namespace ngb::report
