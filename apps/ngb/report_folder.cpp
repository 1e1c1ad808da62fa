// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/report_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include "apps/ngb/report_figures.h"
#include "apps/ngb/terminal.h"
#include "apps/revision/revision.h"
#include "base/file.h"
#include "base/text.h"
#include "metrics/derive.h"
#include "metrics/series/derive_series.h"
#include "report/page/page.h"
#include "report/page/spanning.h"
#include "store/store.h"

namespace ngb::app {
namespace {

namespace fs = std::filesystem;
using report::page::Content;
using report::page::kMostCells;

constexpr const char* kPageFile = "index.html";
constexpr const char* kReportMark = ".ngb-report";
constexpr const char* kReportMarkText = "A report of ngb. ngb report replaces what it has written here.\n";
constexpr const char* kFiguresFolder = "figures";

tl::unexpected<ReportFailure> failed(Error error, ExitCode code) {
  return tl::unexpected(ReportFailure{std::move(error), code});
}

// Returns an error if the folder contains something and has no mark: then it is not ours to write in.
Status check_folder(const fs::path& folder) {
  std::error_code code;
  const fs::file_status status = fs::status(folder, code);
  if (!fs::exists(status)) return Done{};
  const std::string next = "name another folder with -o";
  if (!fs::is_directory(status)) return fail("a file has the report's name", folder.string(), next);
  if (fs::exists(folder / kReportMark, code)) return Done{};
  const bool is_empty = fs::is_empty(folder, code);
  if (code) return tl::unexpected(file::from_errno("read the folder", folder, code.value()));
  if (is_empty) return Done{};
  return fail("the folder contains something and is not a report of ngb", folder.string(), next);
}

// Results and all that they point into. It does not move.
struct Loaded {
  metrics::Derived derived{};
  metrics::series::DerivedSeries series{};
  std::optional<report::Results> results{};  // absent only while this is loaded
  MeasuredCells measured{};
  std::set<std::string> studies{};
  std::map<std::string, std::string> protocol{};
};

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
    if (!runs->empty()) loaded.studies.insert(runs->back().study_name);
  }
  return Done{};
}

tl::expected<std::unique_ptr<Loaded>, ReportFailure> load_for_report(const ReportRequest& request) {
  const auto sources = sources_of(request.results);
  if (!sources) return failed(sources.error(), kWrongUsage);
  auto loaded = std::make_unique<Loaded>();
  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  auto derived =
      metrics::derive(*sources, threads, request.baseline.empty() ? std::nullopt : std::optional(request.baseline));
  if (!derived) {
    return failed(derived.error(), derived.error().code == ErrorCode::not_found ? kWrongUsage : kCannotGoOn);
  }
  loaded->derived = *std::move(derived);
  const metrics::Derived& kept = loaded->derived;
  auto results = report::chosen_results(kept.cells, kept.values, request.wanted, kept.baseline);
  if (!results) return failed(results.error(), kWrongUsage);
  if (results->cells.size() > kMostCells) {
    return failed({fmt::format("a page shows at most {} cells, not {}", kMostCells, results->cells.size()),
                   request.results.folders.front(), "choose with --device, --compiler, --model or --batch"},
                  kWrongUsage);
  }
  loaded->results = *std::move(results);
  report::add_differences(*loaded->results, kept.environments);
  loaded->results->allocator = kept.allocator;
  auto series = metrics::series::derive_series(*sources, kept);
  if (!series) return failed(series.error(), kCannotGoOn);
  loaded->series = *std::move(series);
  report::add_series(*loaded->results, loaded->series.parts);
  if (Status known = load_origin(*sources, *loaded); !known) return failed(known.error(), kCannotGoOn);
  if (Status done = loaded->measured.load(*sources, kept); !done) return failed(done.error(), kCannotGoOn);
  return loaded;
}

report::figures::Figures figures_of(const Loaded& loaded, const Content& content) {
  report::figures::Measured measured;
  loaded.measured.add_to(measured);
  return report::figures::make_figures(report::figures::Selection(content, measured));
}

// Returns the name under which the page shows a results folder.
std::string name_of(const fs::path& folder) {
  std::error_code code;
  const fs::path whole = fs::weakly_canonical(folder, code);
  const std::string name = (code ? folder : whole).filename().string();
  return name.empty() ? folder.string() : name;
}

Content content_of(const Loaded& loaded, const ReportRequest& request) {
  std::vector<std::string> names;
  for (const std::string& folder : request.results.folders) names.push_back(name_of(folder));
  const std::vector<std::string> studies(loaded.studies.begin(), loaded.studies.end());
  Content content{.name = text::join(names, ", "),
                  .study = text::join(studies, ", "),
                  .results = &*loaded.results,
                  .environments = &loaded.derived.environments,
                  .protocol = loaded.protocol};
  report::page::add_what_spans_cells(content);
  return content;
}

Status mark_folder(const fs::path& folder) {
  if (Status made = file::make_folder(folder); !made) return made;
  return file::write_atomically(folder / kReportMark, kReportMarkText);
}

}  // namespace

tl::expected<WrittenReport, ReportFailure> write_report(const ReportRequest& request) {
  if (const Status usable = check_folder(request.folder); !usable) return failed(usable.error(), kWrongUsage);
  const auto drawer = find_drawer(request.figures);
  if (!drawer) return failed(drawer.error(), kCannotGoOn);
  const auto loaded = load_for_report(request);
  if (!loaded) return tl::unexpected(loaded.error());
  const Loaded& kept = **loaded;
  const Content content = content_of(kept, request);
  WrittenReport written{.page = request.folder / kPageFile, .cells = kept.results->cells.size()};
  if (const Status marked = mark_folder(request.folder); !marked) return failed(marked.error(), kCannotGoOn);
  if (!request.tables.formats.empty()) {
    auto tables = write_tables(request.folder, *kept.results, kept.derived.environments, request.tables);
    if (!tables) return failed(tables.error(), kCannotGoOn);
    written.tables = *std::move(tables);
  }
  const report::figures::Figures figures = figures_of(kept, content);
  const std::string& format = request.figures.image_format;
  auto files = write_figures(request.folder / kFiguresFolder, figures, *drawer, format);
  if (!files) return failed(files.error(), kCannotGoOn);
  written.figures = *std::move(files);
  const auto shown = figures_of_page(request.folder / kFiguresFolder, figures, *drawer, !format.empty(), written.cells);
  if (!shown) return failed(shown.error(), kCannotGoOn);
  const std::string html = report::page::html(content, *shown, describe(this_revision()));
  written.bytes = html.size();
  const Status done = file::write_atomically(written.page, html);
  if (!done) return failed(done.error(), kCannotGoOn);
  return written;
}

void write_report_of_run(const fs::path& results) {
  constexpr std::size_t kMostCellsAtTheEnd = 5'000;
  {
    auto store = store::Store::open(results / "results.db", store::Mode::read_only);
    const auto states = store ? store->cell_states() : Result<std::vector<store::CellState>>(error_of(store));
    if (states && states->size() > kMostCellsAtTheEnd) {
      say("To see these results as a page: ngb report {}\n", results.string());
      return;
    }
  }
  const auto written = write_report({.results = {{results.string()}, {}}, .folder = results / "report"});
  if (!written) {
    warn("ngb: no report was written: {}\n", written.error().error.text());
    return;
  }
  say("Report: {}\n", written->page.string());
}

}  // namespace ngb::app
