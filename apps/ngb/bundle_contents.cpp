// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/bundle_contents.h"

#include <algorithm>
#include <system_error>

#include "apps/ngb/report_folder.h"
#include "base/file.h"
#include "base/processors.h"
#include "bundle/data_files.h"
#include "bundle/paths.h"
#include "metrics/derive.h"
#include "metrics/series/derive_series.h"
#include "report/show.h"
#include "store/copy.h"

namespace ngb::app {
namespace {

namespace fs = std::filesystem;

int threads_for_contents() { return processor_count(); }

// Computes all derived values, which keeps them in the file, and writes those of the cells as a table.
Status derive_all(const fs::path& results_file, const fs::path& cells_file) {
  const std::vector<store::Source> sources{{results_file, {}}};
  const auto derived = metrics::derive(sources, threads_for_contents());
  if (!derived) return error_of(derived);
  const auto series = metrics::series::derive_series(sources, *derived, threads_for_contents());
  if (!series) return error_of(series);
  const auto kept = store::stored_derived(results_file);
  if (!kept) return error_of(kept);
  if (kept->size() != derived->values.size()) {
    return fail("the derived values cannot be kept in the copy of the results", results_file.string(),
                "check that the disk has room");
  }
  const report::Results results = report::all_results(derived->cells, derived->values, derived->baseline);
  const auto format = report::find_format("csv");
  if (!format) return error_of(format);
  return file::write_atomically(cells_file, (*format)->show(results, {}));
}

Status write_what_the_results_say(const fs::path& results_file, const fs::path& folder) {
  auto reader = metrics::FamilyReader::open({{results_file, {}}});
  if (!reader) return error_of(reader);
  if (Status done = bundle::write_samples(*reader, folder / bundle::kSamplesPath); !done) return done;
  const auto runs = reader->results().runs();
  if (!runs) return error_of(runs);
  if (Status done = file::write_atomically(folder / bundle::kStudyPath, bundle::study_text(*runs)); !done) return done;
  return file::write_atomically(folder / bundle::kEnvironmentPath,
                                bundle::environment_text(reader->heading().environments));
}

// Images are left out: whether they can be drawn depends on the machine.
Status write_page(const bundle::About& about, const fs::path& folder) {
  ReportRequest request{.results = {{(folder / bundle::kResultsFolder).string()}, {}},
                        .folder = folder / bundle::kReportFolder,
                        .name = about.name,
                        .made_by = about.made_by};
  request.tables.formats = {"csv"};
  const auto written = write_report(request);
  if (!written) return tl::unexpected(written.error().error);
  std::error_code code;
  fs::remove(request.folder / kReportMark, code);
  if (code) return tl::unexpected(file::from_errno("remove", request.folder / kReportMark, code.value()));
  return Done{};
}

}  // namespace

Status make_contents(const fs::path& results_file, const bundle::About& about, const fs::path& folder) {
  const fs::path copy = folder / bundle::kResultsPath;
  const fs::path cells = folder / bundle::kCellsPath;
  for (const fs::path& each : {copy.parent_path(), cells.parent_path()}) {
    if (Status made = file::make_folder(each); !made) return made;
  }
  if (Status copied = store::copy_measured(results_file, copy); !copied) return copied;
  if (Status derived = derive_all(copy, cells); !derived) return derived;
  if (Status said = write_what_the_results_say(copy, folder); !said) return said;
  return write_page(about, folder);
}

Result<std::vector<std::string>> list_files(const fs::path& folder) {
  constexpr std::size_t kMostBundled = 1000;  // as in a zip file
  std::size_t count = 0;
  std::vector<std::string> paths;
  std::error_code code;
  for (fs::recursive_directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
    const std::string path = entry->path().lexically_relative(folder).string();
    const fs::file_status status = entry->symlink_status(code);
    if (++count > kMostBundled) {
      return fail(fmt::format("it has more than {} files, which no bundle has", kMostBundled), path, {},
                  ErrorCode::not_found);
    }
    if (fs::is_directory(status)) continue;
    if (!fs::is_regular_file(status)) {
      return fail("it is neither a file nor a folder", path, {}, ErrorCode::not_found);
    }
    paths.push_back(path);
  }
  if (code) return tl::unexpected(file::from_errno("read the folder", folder, code.value()));
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace ngb::app
