// SPDX-License-Identifier: Apache-2.0
// Writes the paper's tables of results into the folder of a report.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/results.h"
#include "report/tables/parquet.h"

namespace ngb::app {

// The folder of tables in that of a report.
inline constexpr const char* kTablesFolder = "tables";

struct TablesRequest {
  std::vector<std::string> formats{};    // names of report::tables::formats(); none: no tables
  std::vector<std::string> published{};  // the paper's devices to show beside one's own, in figures too
  std::filesystem::path toolchains{};    // where to look for the program that writes Parquet
};

struct WrittenTables {
  std::filesystem::path folder{};
  std::size_t count = 0;                    // of tables, each in every format
  std::vector<std::string> without_rows{};  // "table8_mha_depth: these results have no mha_block"
};

// Completes the request from the values of --paper and --device: the latter's words that name devices of the paper are
// removed from `wanted` and choose among these devices; without such words, --paper (`with_paper`) means all of them.
// Returns an error if a format or a device of the paper is unknown.
Status complete_request(TablesRequest& request, bool with_paper,
                        std::map<std::string, std::vector<std::string>>& wanted);

// Returns what writes Parquet, or nothing if that is not asked for. Returns an error that says how to install it if it
// is asked for and not installed.
Result<std::optional<report::tables::ParquetWriter>> find_parquet_writer(const TablesRequest& request);

// The programs that tables name or that write them.
struct TableMakers {
  std::string made_by{};  // "0.1.0 (git 0123456789ab)"
  std::optional<report::tables::ParquetWriter> parquet{};
};

// Writes FOLDER/tables/NAME.ENDING of each table that has rows, each in one step, and numbers.tex beside tables in
// LaTeX. Files that an earlier call has written there are removed first. Preconditions: complete_request has accepted
// the request, and `makers` has what find_parquet_writer returned for it.
Result<WrittenTables> write_tables(const std::filesystem::path& folder, const report::Results& results,
                                   const std::vector<store::MeasuredEnvironment>& environments,
                                   const TablesRequest& request, const TableMakers& makers);

}  // namespace ngb::app
