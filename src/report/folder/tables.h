// SPDX-License-Identifier: Apache-2.0
// Writes the publication's tables of results into the folder of a report.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/folder/publication.h"
#include "report/results.h"

namespace ngb::report::folder {

// The folder of tables in that of a report.
inline constexpr const char* kTablesFolder = "tables";

struct TablesRequest {
  std::vector<std::string> formats{};    // of table_formats(); none: no tables
  std::vector<std::string> published{};  // devices of the publication to show beside one's own
};

struct WrittenTables {
  std::filesystem::path folder{};
  std::size_t count = 0;                    // of tables, each in every format
  std::vector<std::string> without_rows{};  // "table8_mha_depth: these results have no mha_block"
};

// Completes the request from the values of --paper and --device: the latter's words that name devices of the
// publication are removed from `wanted` and choose among these devices; without such words, --paper (`with_published`)
// means all of them. Returns an error if a format or a device of the publication is unknown.
ngb::Status complete_request(TablesRequest& request, const Publication& publication, bool with_published,
                             std::map<std::string, std::vector<std::string>>& wanted);

// Writes FOLDER/tables/NAME.ENDING of each table that has rows, each in one step. Files that an earlier call has
// written there are removed first. Precondition: complete_request has accepted the request.
Result<WrittenTables> write_tables(const std::filesystem::path& folder, const Results& results,
                                   const std::vector<store::MeasuredEnvironment>& environments,
                                   const TablesRequest& request, const Publication& publication);

}  // namespace ngb::report::folder
