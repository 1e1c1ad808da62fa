// SPDX-License-Identifier: Apache-2.0
// Writes the paper's tables of results into the folder of a report.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/results.h"
#include "report/tables/parquet.h"

namespace ngb::report::folder {

// The folder of tables in that of a report.
inline constexpr const char* kTablesFolder = "tables";

struct TablesRequest {
  std::vector<std::string> formats{};              // of table_formats(); none: no tables
  std::vector<std::string> published{};            // the paper's devices to show beside one's own, in figures too
  std::optional<tables::ParquetWriter> parquet{};  // nothing: no table is written as Parquet
};

struct WrittenTables {
  std::filesystem::path folder{};
  std::size_t count = 0;                    // of tables, each in every format
  std::vector<std::string> without_rows{};  // "table8_mha_depth: these results have no mha_block"
};

// Completes the request from the values of --paper and --device: the latter's words that name devices of the paper are
// removed from `wanted` and choose among these devices; without such words, --paper (`with_paper`) means all of them.
// Returns an error if a format or a device of the paper is unknown.
ngb::Status complete_request(TablesRequest& request, bool with_paper,
                             std::map<std::string, std::vector<std::string>>& wanted);

// Returns whether tables in this format are asked for.
bool is_asked_for(const TablesRequest& request, std::string_view format);

// Writes FOLDER/tables/NAME.ENDING of each table that has rows, each in one step, and numbers.tex beside tables in
// LaTeX. Files that an earlier call has written there are removed first. `made_by` is the program that they name.
// Precondition: complete_request has accepted the request.
Result<WrittenTables> write_tables(const std::filesystem::path& folder, const Results& results,
                                   const std::vector<store::MeasuredEnvironment>& environments,
                                   const TablesRequest& request, const std::string& made_by);

}  // namespace ngb::report::folder
