// SPDX-License-Identifier: Apache-2.0
#include "report/folder/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "base/file.h"
#include "base/removal.h"
#include "base/text.h"
#include "report/formats.h"

namespace ngb::report::folder {
namespace {

namespace fs = std::filesystem;
using ngb::Status;  // not that of a pair in a report

Status check_published(const Publication& publication, const std::string& device) {
  const auto known = publication.devices;
  if (std::find(known.begin(), known.end(), device) != known.end()) return Done{};
  const std::vector<std::string> names(known.begin(), known.end());
  return fail(fmt::format("the {} has no such device", publication.claims.of), "--device \"" + device + "\"",
              "expected one of: " + text::join(names, ", "));
}

Status remove_earlier_tables(const fs::path& folder, const std::vector<Document>& all) {
  std::vector<fs::path> files;
  for (const Document& table : all) {
    for (const std::string& format : table_formats()) {
      files.push_back(folder / (table.name + (*find_format(format, table_formats()))->ending));
    }
  }
  for (const fs::path& file : files) {
    if (!file::remove(file)) return tl::unexpected(file::from_errno("remove", file, errno));
  }
  return Done{};
}

}  // namespace

Status complete_request(TablesRequest& request, const Publication& publication, bool with_published,
                        std::map<std::string, std::vector<std::string>>& wanted) {
  for (const std::string& format : request.formats) {
    if (const auto known = find_format(format, table_formats()); !known) return error_of(known);
  }
  std::vector<std::string> own;
  for (std::string& device : wanted["device"]) {
    const bool is_published = device.starts_with(publication.device_prefix);
    if (const Status known = is_published ? check_published(publication, device) : Status(Done{}); !known) return known;
    (is_published ? request.published : own).push_back(std::move(device));
  }
  wanted["device"] = std::move(own);
  const auto all = publication.devices;
  if (request.published.empty() && with_published) request.published.assign(all.begin(), all.end());
  return Done{};
}

Result<WrittenTables> write_tables(const fs::path& folder, const Results& results,
                                   const std::vector<store::MeasuredEnvironment>& environments,
                                   const TablesRequest& request, const Publication& publication) {
  WrittenTables written{.folder = folder / kTablesFolder};
  if (const Status made = file::make_folder(written.folder); !made) return error_of(made);
  std::vector<Document> all = publication.tables(results, environments, request.published);
  if (const Status removed = remove_earlier_tables(written.folder, all); !removed) return error_of(removed);
  for (const Document& each : all) {
    if (each.table.sections.empty()) written.without_rows.push_back(fmt::format("{}: {}", each.name, each.why_empty));
  }
  std::erase_if(all, [](const Document& each) { return each.table.sections.empty(); });
  written.count = all.size();
  for (const std::string& name : request.formats) {
    const auto format = find_format(name, table_formats());
    if (!format) return error_of(format);
    for (const Document& table : all) {
      const fs::path file = written.folder / (table.name + (*format)->ending);
      if (const Status done = file::write_atomically(file, (*format)->write(table, {})); !done) return error_of(done);
    }
  }
  return written;
}

}  // namespace ngb::report::folder
