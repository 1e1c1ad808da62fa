// SPDX-License-Identifier: Apache-2.0
#include "report/folder/figures.h"

#include <fmt/format.h>

#include <array>

#include "base/file.h"
#include "base/removal.h"
#include "base/text.h"
#include "report/figures/on_page.h"
#include "store/store.h"

namespace ngb::report::folder {
namespace {

namespace fs = std::filesystem;
using figures::Drawer;
using figures::Figures;
using ngb::Status;  // not that of a pair in a report

constexpr std::array kEndings{".vl.json", ".csv", ".svg", ".png", ".pdf"};

void remove_sheets(const fs::path& image) {
  file::remove(image);
  for (int sheet = 2; fs::exists(figures::file_of_sheet(image, sheet)); ++sheet)
    file::remove(figures::file_of_sheet(image, sheet));
}

void remove_earlier(const fs::path& folder, std::span<const figures::Figure> figures) {
  for (const figures::Figure& figure : figures) {
    for (const std::string& name : text::split(figure.name + ' ' + figure.also, ' ')) {
      for (const char* const ending : kEndings) {
        if (!name.empty()) remove_sheets(folder / (name + ending));
      }
    }
  }
}

Status write_specifications(const fs::path& folder, const Figures& figures) {
  for (const figures::Made& each : figures.made) {
    const std::string name = each.figure->name;
    if (Status done = file::write_atomically(folder / (name + ".vl.json"), each.specification); !done) return done;
    if (Status done = file::write_atomically(folder / (name + ".csv"), each.data); !done) return done;
  }
  return Done{};
}

// Puts the sheets of an image in their places, and removes what cannot be put there.
Status place_sheets(const fs::path& made, const fs::path& place, int sheets) {
  Status placed;
  for (int sheet = 1; sheet <= sheets; ++sheet) {
    const fs::path drawn = figures::file_of_sheet(made, sheet);
    if (placed) placed = file::put_in_place(drawn, figures::file_of_sheet(place, sheet));
    file::remove(drawn);
  }
  return placed;
}

// Adds remarks on figures that take several sheets, and what Vega-Lite warned about.
Status write_images(const fs::path& folder, const Figures& figures, const FiguresRequest& request,
                    WrittenFigures& written) {
  const std::string& format = request.image_format;
  std::vector<figures::Image> images;
  std::vector<fs::path> places;
  for (const figures::Made& each : figures.made) {
    places.push_back(folder / (std::string(each.figure->name) + "." + format));
    images.push_back({each.figure->name, each.specification, file::partial_path(places.back())});
  }
  const auto drawn = figures::draw(*request.drawer, format, images, request.form.width_px);
  if (!drawn) {
    for (const figures::Image& image : images) remove_sheets(image.file);
    return error_of(drawn);
  }
  for (std::size_t i = 0; i < images.size(); ++i) {
    const int sheets = drawn->sheets.at(i);
    if (Status placed = place_sheets(images[i].file, places[i], sheets); !placed) return placed;
    if (sheets == 1) continue;
    written.remarks.push_back(fmt::format("{0}: {1} sheets, {0}.{2} to {0}-{1}.{2}", images[i].name, sheets, format));
  }
  written.warnings = drawn->warnings;
  return Done{};
}

}  // namespace

figures::LoadCell CellLoader::loader() {
  return [this](const std::string& cell_id) { return load(cell_id); };
}

std::optional<store::CellData> CellLoader::load(const std::string& cell_id) {
  if (!status_) return std::nullopt;
  if (!store_) {
    auto opened = store::open_sources(sources_);
    if (!opened) {
      status_ = error_of(opened);
      return std::nullopt;
    }
    store_ = *std::move(opened);
  }
  auto cell = store_->load_cell(cell_id);
  if (cell) return *std::move(cell);
  status_ = error_of(cell);
  return std::nullopt;
}

Result<WrittenFigures> write_figures(const fs::path& folder, const Figures& figures,
                                     std::span<const figures::Figure> of_publication, const FiguresRequest& request) {
  if (Status made = file::make_folder(folder); !made) return error_of(made);
  for (const auto all : {figures::all_figures(), of_publication}) remove_earlier(folder, all);
  if (Status done = write_specifications(folder, figures); !done) return error_of(done);
  WrittenFigures written{
      .folder = folder, .count = figures.made.size(), .left_out = figures::words_of(figures.left_out)};
  for (const figures::Made& each : figures.made) {
    if (!each.remark.empty()) written.remarks.push_back(fmt::format("{}: {}", each.figure->name, each.remark));
  }
  if (!request.drawer || request.image_format.empty()) return written;
  if (Status done = write_images(folder, figures, request, written); !done) return error_of(done);
  return written;
}

page::Figures figures_of_page(const Figures& figures, std::size_t cells) {
  constexpr std::size_t kSomeCells = 250;
  constexpr std::size_t kManyCells = 1'500;
  const figures::MostRows most = cells <= kSomeCells   ? figures::MostRows()
                                 : cells <= kManyCells ? figures::MostRows{.in_table = 100, .drawn = 600}
                                                       : figures::MostRows{.in_table = 100, .drawn = 200};
  page::Figures shown{.left_out = figures::words_of(figures.left_out)};
  for (const figures::Made& each : figures.made) shown.shown.push_back(figures::on_page(each, most));
  return shown;
}

}  // namespace ngb::report::folder
