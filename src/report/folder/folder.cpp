// SPDX-License-Identifier: Apache-2.0
#include "report/folder/folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>

#include "base/file.h"
#include "base/processors.h"
#include "base/text.h"
#include "metrics/derive.h"
#include "metrics/series/derive_series.h"
#include "report/explain/profiles.h"
#include "report/figures/selection.h"
#include "report/folder/figures.h"
#include "report/page/page.h"
#include "report/page/spanning.h"
#include "report/series/models.h"
#include "store/store.h"

namespace ngb::report::folder {
namespace {

namespace fs = std::filesystem;
using ngb::Status;  // not that of a pair in a report
using page::Content;
using page::kMostCells;

constexpr const char* kPageFile = "index.html";
constexpr const char* kReportMarkText = "A report of ngb. ngb report replaces what it has written here.\n";
constexpr const char* kFiguresFolder = "figures";

tl::unexpected<ReportFailure> failed(Error error) { return tl::unexpected(ReportFailure{std::move(error)}); }

tl::unexpected<ReportFailure> refused(Error error) {
  return tl::unexpected(ReportFailure{.error = std::move(error), .is_of_request = true});
}

// Returns an error if the folder contains something and has no mark: then it is not ours to write in.
Status check_folder(const fs::path& folder) {
  std::error_code code;
  const fs::file_status status = fs::status(folder, code);
  if (!fs::exists(status)) return Done{};
  const std::string next = "name another folder with -o";
  if (!fs::is_directory(status)) return fail("a file has the report's name", folder.string(), next);
  for (const char* const name : {kFiguresFolder, kTablesFolder}) {
    if (!fs::is_symlink(folder / name, code)) continue;
    return fail("is a link, and files behind it would be replaced", (folder / name).string(), next);
  }
  if (fs::exists(folder / kReportMark, code)) return Done{};
  const bool is_empty = fs::is_empty(folder, code);
  if (code) return tl::unexpected(file::from_errno("read the folder", folder, code.value()));
  if (is_empty) return Done{};
  return fail("the folder contains something and is not a report of ngb", folder.string(), next);
}

// Results and all that they point into. It does not move.
struct Loaded {
  std::vector<store::Source> sources{};
  metrics::Derived derived{};
  std::vector<store::SeriesPart> series{};
  std::optional<Results> results{};  // absent only while this is loaded
  std::string folded{};              // what the page leaves out; "" if it shows all
  std::set<std::string> studies{};
  std::string day{};  // of the last run: "2026-11-29"
  std::map<std::string, std::string> protocol{};
};

std::string day_of(std::int64_t unix_ns) {
  using namespace std::chrono;
  const year_month_day day(floor<days>(sys_time<nanoseconds>(nanoseconds(unix_ns))));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                     static_cast<unsigned>(day.day()));
}

// Reads what each file says of its studies. Files that are read as one have one protocol.
Status load_origin(const std::vector<store::Source>& sources, Loaded& loaded) {
  for (const store::Source& source : sources) {
    auto store = store::Store::open(source.file, store::Mode::read_only);
    if (!store) return error_of(store);
    auto protocol = store->protocol();
    if (!protocol) return error_of(protocol);
    if (!protocol->empty()) loaded.protocol = *std::move(protocol);
    const auto runs = store->runs();
    if (!runs) return error_of(runs);
    if (runs->empty()) continue;
    loaded.studies.insert(runs->back().study_name);
    loaded.day = std::max(loaded.day, day_of(runs->back().started_unix_ns));
  }
  return Done{};
}

// Derives the cells that a page shows: all, or those of the first families that fit.
Result<metrics::Derived> derive_for_page(metrics::FamilyReader& reader, const PassingFamilies& chosen, int threads) {
  if (reader.cell_count() <= kMostCells) return metrics::derive(reader, reader.families(), threads);
  std::vector<store::ValueFamily> part;
  std::size_t cells = 0;
  for (const store::ValueFamily& family : chosen.families) {
    cells += family.cells.size();
    if (cells > kMostCells && !part.empty()) break;
    part.push_back(family);
  }
  return metrics::derive(reader, part, threads);
}

// Says what a page of `shown` cells leaves out of the chosen ones; "" if nothing.
std::string words_of_folded(std::size_t shown, const PassingFamilies& chosen) {
  std::size_t all = 0;
  for (const std::size_t passing : chosen.passing) all += passing;
  if (shown >= all) return {};
  return fmt::format(
      "This page shows {} of {} cells, the first ones of the study; its findings, tables and figures are of these. To "
      "see "
      "others here, choose with --device, --compiler, --model or --batch; ngb show lists all",
      shown, all);
}

tl::expected<std::unique_ptr<Loaded>, ReportFailure> load_for_report(const ReportRequest& request) {
  auto loaded = std::make_unique<Loaded>();
  loaded->sources = request.sources;
  const int threads = processor_count();
  auto reader = metrics::FamilyReader::open(
      request.sources, request.baseline.empty() ? std::nullopt : std::optional(request.baseline), request.metric);
  if (!reader) {
    return reader.error().code == ErrorCode::not_found ? refused(reader.error()) : failed(reader.error());
  }
  CellFilter filter(request.wanted);
  const auto chosen = passing_families(*reader, filter);
  if (!chosen) return failed(chosen.error());
  if (const Status known = filter.check(); !known) return refused(known.error());
  auto derived = derive_for_page(*reader, *chosen, threads);
  if (!derived) return failed(derived.error());
  loaded->derived = *std::move(derived);
  const metrics::Derived& kept = loaded->derived;
  loaded->results = results_of(kept.cells, kept.values, filter, kept.baseline, true);
  loaded->results->numbers.add_speeds(kept.cells, kept.steady);
  if (loaded->results->cells.size() > kMostCells) loaded->results->cells.resize(kMostCells);
  loaded->folded = words_of_folded(loaded->results->cells.size(), *chosen);
  add_differences(*loaded->results, kept.environments);
  loaded->results->allocator = kept.allocator;
  loaded->series = metrics::series::derive_series(kept, request.publication.claims.rows);
  add_series(*loaded->results, loaded->series);
  if (Status known = load_origin(request.sources, *loaded); !known) return failed(known.error());
  return loaded;
}

// Returns the name under which the page shows a results folder.
std::string name_on_page(const fs::path& folder) {
  std::error_code code;
  const fs::path whole = fs::weakly_canonical(folder, code);
  const std::string name = (code ? folder : whole).filename().string();
  return name.empty() ? folder.string() : name;
}

Content content_of(const Loaded& loaded, const ReportRequest& request) {
  std::vector<std::string> names;
  for (const store::Source& source : request.sources) names.push_back(name_on_page(source.file.parent_path()));
  const std::vector<std::string> studies(loaded.studies.begin(), loaded.studies.end());
  Content content{.name = request.name.empty() ? text::join(names, ", ") : request.name,
                  .study = text::join(studies, ", "),
                  .day = loaded.day,
                  .results = &*loaded.results,
                  .environments = &loaded.derived.environments,
                  .protocol = loaded.protocol,
                  .folded = loaded.folded,
                  .claims = request.publication.claims,
                  .by = loaded.derived.by};
  content.models = models_of_answer(loaded.derived);
  content.asks_models = loaded.derived.goal.is_asked;
  page::add_what_spans_cells(content);
  return content;
}

// Explains each compiler beside the first one. Results whose processes were timed for a speed have nothing to explain.
Result<std::optional<Profiles>> profiles_of(const Loaded& loaded, const ReportRequest& request) {
  if (!loaded.protocol.contains("profile")) return std::nullopt;
  std::vector<std::string> labels;
  for (const store::CellData* const cell : loaded.results->cells) {
    const std::string& label = cell->of.compiler.label;
    if (std::find(labels.begin(), labels.end(), label) == labels.end()) labels.push_back(label);
  }
  const ExplainOrder order{.sources = request.sources, .wanted = request.wanted, .peak_of = request.peak_of};
  auto profiles = explain_results(order);
  if (!profiles) return error_of(profiles);
  explain_each(*profiles, labels);
  return *std::move(profiles);
}

figures::Figures make_all_figures(const Content& content, CellLoader& cells, const ReportRequest& request) {
  const Publication& publication = request.publication;
  const std::vector<std::string>& devices = request.tables.published;
  const figures::Selection selection(content, cells.loader(),
                                     devices.empty() ? figures::Published{} : publication.published(devices));
  return figures::make_figures(
      selection, request.figures.form,
      request.figures.with_publication ? publication.figures : std::span<const figures::Figure>{});
}

void tell_begin(const ReportRequest& request, const std::string& what) {
  if (request.on_begin) request.on_begin(what);
}

Status mark_folder(const fs::path& folder) {
  if (Status made = file::make_folder(folder); !made) return made;
  return file::write_atomically(folder / kReportMark, kReportMarkText);
}

}  // namespace

Result<fs::path> begin_report(const fs::path& folder) {
  if (const Status usable = check_folder(folder); !usable) return error_of(usable);
  if (const Status marked = mark_folder(folder); !marked) return error_of(marked);
  return folder / kPageFile;
}

tl::expected<WrittenReport, ReportFailure> write_report(const ReportRequest& request) {
  if (const Status usable = check_folder(request.folder); !usable) return refused(usable.error());
  tell_begin(request, "reading the results");
  const auto loaded = load_for_report(request);
  if (!loaded) return tl::unexpected(loaded.error());
  const Loaded& kept = **loaded;
  Content content = content_of(kept, request);
  const auto profiles = profiles_of(kept, request);
  if (!profiles) return failed(profiles.error());
  if (*profiles) content.profiles = &**profiles;
  WrittenReport written{.page = request.folder / kPageFile, .cells = kept.results->cells.size(), .folded = kept.folded};
  if (const Status marked = mark_folder(request.folder); !marked) return failed(marked.error());
  if (!request.tables.formats.empty()) {
    auto tables =
        write_tables(request.folder, *kept.results, kept.derived.environments, request.tables, request.publication);
    if (!tables) return failed(tables.error());
    written.tables = *std::move(tables);
  }
  CellLoader cells(kept.sources);
  const figures::Figures figures = make_all_figures(content, cells, request);
  if (!cells.status()) return failed(cells.status().error());
  const std::string& format = request.figures.image_format;
  const std::optional<figures::Drawer>& drawer = request.figures.drawer;
  if (drawer && !format.empty()) {
    tell_begin(request, fmt::format("drawing {} figures as {}", figures.made.size(), format));
  }
  auto files = write_figures(request.folder / kFiguresFolder, figures, request.publication.figures, request.figures);
  if (!files) return failed(files.error());
  written.figures = *std::move(files);
  const std::string html = page::html(content, figures_of_page(figures, written.cells), request.made_by);
  written.bytes = html.size();
  const Status done = file::write_atomically(written.page, html);
  if (!done) return failed(done.error());
  return written;
}

}  // namespace ngb::report::folder
