// SPDX-License-Identifier: Apache-2.0
#include "bundle/contents.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/file.h"
#include "base/json_text.h"
#include "base/processors.h"
#include "base/removal.h"
#include "base/scratch_folder.h"
#include "bundle/archive.h"
#include "bundle/descriptions.h"
#include "bundle/paths.h"
#include "metrics/families.h"
#include "metrics/series/derive_series.h"
#include "paper/claims.h"
#include "paper/paper.h"
#include "report/folder/folder.h"
#include "report/show/show.h"
#include "report/write/csv.h"
#include "report/write/json.h"
#include "store/copy.h"
#include "store/store.h"
#include "work/json_bounds.h"

namespace ngb::bundle {

namespace {

void add_samples(const store::CellData& cell, std::string& text) {
  const std::string cell_id = report::csv_text(cell.cell_id);
  for (const store::RecordedProcess& process : cell.processes) {
    std::size_t index = 0;
    for (const samples::Repetition& repetition : process.repetitions) {
      fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{}\r\n", cell_id, process.process_index,
                     repetition.instance, index++, repetition.is_warm_up ? 1 : 0, repetition.wall_ns,
                     repetition.inferences);
    }
  }
}

// Writes every repetition of the processes that count: a line of names, then a line for each, by cells, processes and
// repetitions in the order of the study. Times are in nanoseconds, around all inferences of the repetition.
Status write_samples(metrics::FamilyReader& reader, const std::filesystem::path& file) {
  const FileDescriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!out.is_open()) return tl::unexpected(file::from_errno("write", file, errno));
  Status written = file::write_all(
      out.get(), "cell_id,process_index,instance,repetition_index,is_warm_up,wall_ns,inferences\r\n", file.string());
  for (const store::ValueFamily& family : reader.families()) {
    if (!written) return written;
    const auto cells = reader.results().load_family(family);
    if (!cells) return error_of(cells);
    std::string text;
    for (const store::CellData& cell : *cells) add_samples(cell, text);
    written = file::write_all(out.get(), text, file.string());
  }
  return written;
}

// {"runs": [{"run_id", "study_name", "started_unix_ns", "study": {…}}]}, the oldest first; the study has every default.
std::string study_text(const std::vector<store::RunState>& runs) {
  nlohmann::json list = nlohmann::json::array();
  for (const store::RunState& run : runs) {
    // JSON that is nested deeper than any study could exhaust the stack.
    constexpr work::JsonBounds kStudyBounds{10'000'000, 1'000'000, 10'000'000, 64};
    const bool is_bounded = work::check_bounds(run.study_json, kStudyBounds).has_value();
    nlohmann::json study = is_bounded ? json_text::parse(run.study_json) : nlohmann::json();
    if (study.is_discarded()) study = nullptr;
    list.push_back({{"run_id", run.run_id},
                    {"study_name", run.study_name},
                    {"started_unix_ns", run.started_unix_ns},
                    {"study", std::move(study)}});
  }
  return report::json_text({{"runs", std::move(list)}});
}

// {"environments": [{"device", "hash", "entries": [{"name", "unit", "value", "unknown_reason", "is_identity"}]}]}. An
// unknown value is null.
std::string environment_text(const std::vector<store::MeasuredEnvironment>& environments) {
  nlohmann::json list = nlohmann::json::array();
  for (const store::MeasuredEnvironment& measured : environments) {
    nlohmann::json entries = nlohmann::json::array();
    for (const samples::EnvironmentEntry& entry : measured.environment.entries) {
      entries.push_back({{"name", entry.name},
                         {"unit", entry.unit},
                         {"value", entry.value.value ? nlohmann::json(*entry.value.value) : nlohmann::json()},
                         {"unknown_reason", entry.value.reason},
                         {"is_identity", entry.is_identity}});
    }
    list.push_back(
        {{"device", measured.device}, {"hash", measured.environment.hash()}, {"entries", std::move(entries)}});
  }
  return report::json_text({{"environments", std::move(list)}});
}

namespace fs = std::filesystem;

// Computes all derived values, keeps them in the file, and writes those of the cells as a table.
Status derive_all(const fs::path& results_file, const fs::path& cells_file) {
  const auto derived = metrics::series::derive_and_keep(results_file, paper::claims().rows, processor_count());
  if (!derived) return error_of(derived);
  const report::Results results = report::all_results(derived->cells, derived->values, derived->baseline);
  return file::write_atomically(cells_file, report::show_csv(results));
}

Status write_what_the_results_say(const fs::path& results_file, const fs::path& folder) {
  auto reader = metrics::FamilyReader::open({{results_file, {}}});
  if (!reader) return error_of(reader);
  if (Status done = write_samples(*reader, folder / kSamplesPath); !done) return done;
  const auto runs = reader->results().runs();
  if (!runs) return error_of(runs);
  if (Status done = file::write_atomically(folder / kStudyPath, study_text(*runs)); !done) return done;
  return file::write_atomically(folder / kEnvironmentPath, environment_text(reader->heading().environments));
}

// Images are left out: whether they can be drawn depends on the machine.
Status write_page(const About& about, const fs::path& folder) {
  report::folder::ReportRequest request{.sources = {{folder / kResultsPath, {}}},
                                        .folder = folder / kReportFolder,
                                        .publication = paper::publication(),
                                        .name = about.name,
                                        .made_by = about.made_by};
  request.tables.formats = {"csv"};
  const auto written = report::folder::write_report(request);
  if (!written) return tl::unexpected(written.error().error);
  const fs::path mark = request.folder / report::folder::kReportMark;
  if (!file::remove(mark)) return tl::unexpected(file::from_errno("remove", mark, errno));
  return Done{};
}

// Adds to the folder what describes the files in it. Returns the names of all files.
Result<std::vector<std::string>> describe_contents(const About& about, const fs::path& folder) {
  const auto contents = list_files(folder);
  if (!contents) return error_of(contents);
  for (const Description& each : descriptions(about, *contents)) {
    if (const Status done = file::write_atomically(folder / each.path, each.text); !done) return error_of(done);
  }
  auto paths = list_files(folder);
  if (!paths) return error_of(paths);
  auto files = describe_files(folder, *paths);
  if (!files) return error_of(files);
  const std::string manifest = to_text({about, *std::move(files)});
  if (const Status done = file::write_atomically(folder / kManifestPath, manifest); !done) {
    return error_of(done);
  }
  paths->insert(std::lower_bound(paths->begin(), paths->end(), kManifestPath), kManifestPath);
  return paths;
}

}  // namespace

Status make_contents(const fs::path& results_file, const About& about, const fs::path& folder) {
  const fs::path copy = folder / kResultsPath;
  const fs::path cells = folder / kCellsPath;
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

Result<std::size_t> write_bundle(const fs::path& results_file, const About& about, const fs::path& zip) {
  const auto scratch = ScratchFolder::beside(zip);
  if (!scratch) return error_of(scratch);
  const fs::path contents = scratch->path() / "contents";
  if (const Status made = make_contents(results_file, about, contents); !made) return error_of(made);
  const auto paths = describe_contents(about, contents);
  if (!paths) return error_of(paths);
  const fs::path packed = scratch->path() / "bundle.zip";
  if (const Status written = write_zip(contents, *paths, packed); !written) return error_of(written);
  if (const Status placed = file::put_in_new_place(packed, zip); !placed) return error_of(placed);
  return paths->size();
}

}  // namespace ngb::bundle
