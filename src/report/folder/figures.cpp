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

void remove_earlier(const fs::path& folder, std::span<const figures::Figure> figures) {
  for (const figures::Figure& figure : figures) {
    for (const std::string& name : text::split(figure.name + ' ' + figure.also, ' ')) {
      for (const char* const ending : kEndings) {
        if (!name.empty()) file::remove(folder / (name + ending));
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

// Returns what Vega-Lite warned about.
Result<std::vector<std::string>> write_images(const fs::path& folder, const Figures& figures, const Drawer& drawer,
                                              const std::string& format) {
  std::vector<figures::Image> images;
  std::vector<fs::path> places;
  for (const figures::Made& each : figures.made) {
    places.push_back(folder / (std::string(each.figure->name) + "." + format));
    images.push_back({each.figure->name, each.specification, file::partial_path(places.back())});
  }
  auto warnings = figures::draw(drawer, format, images);
  Status placed;
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (warnings && placed) placed = file::put_in_place(images[i].file, places[i]);
    file::remove(images[i].file);  // what could not be placed
  }
  if (!placed) return error_of(placed);
  return warnings;
}

// Returns the images as SVG.
Result<std::vector<std::string>> draw_for_page(const fs::path& folder, const std::vector<figures::OnPage>& figures,
                                               const Drawer& drawer) {
  std::vector<figures::Image> images;
  for (const figures::OnPage& each : figures) {
    images.push_back({each.figure.name, each.to_draw, file::partial_path(folder / (each.figure.name + ".svg"))});
  }
  const auto warnings = figures::draw(drawer, "svg", images);
  Status complete = warnings ? Status(Done{}) : Status(error_of(warnings));
  std::vector<std::string> texts;
  for (const figures::Image& image : images) {
    const auto text = complete ? file::read(image.file) : Result<std::string>(error_of(complete));
    if (text) {
      texts.push_back(*text);
    } else {
      complete = error_of(text);
    }
    file::remove(image.file);
  }
  if (!complete) return error_of(complete);
  return texts;
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
                                     std::span<const figures::Figure> of_publication,
                                     const std::optional<Drawer>& drawer, const std::string& format) {
  if (Status made = file::make_folder(folder); !made) return error_of(made);
  for (const auto all : {figures::all_figures(), of_publication}) remove_earlier(folder, all);
  if (Status done = write_specifications(folder, figures); !done) return error_of(done);
  WrittenFigures written{
      .folder = folder, .count = figures.made.size(), .left_out = figures::words_of(figures.left_out)};
  for (const figures::Made& each : figures.made) {
    if (!each.remark.empty()) written.remarks.push_back(fmt::format("{}: {}", each.figure->name, each.remark));
  }
  if (!drawer || format.empty()) return written;
  auto warnings = write_images(folder, figures, *drawer, format);
  if (!warnings) return error_of(warnings);
  written.warnings = *std::move(warnings);
  return written;
}

Result<page::Figures> figures_of_page(const fs::path& folder, const Figures& figures,
                                      const std::optional<Drawer>& drawer, bool are_asked_for, std::size_t cells) {
  const std::size_t most_rows = cells > kCellsWithLongTables ? 100 : 500;
  std::vector<figures::OnPage> prepared;
  for (const figures::Made& each : figures.made) {
    prepared.push_back(figures::on_page(each, most_rows));
  }
  std::vector<std::string> images;
  std::string why_none;
  if (!drawer) {
    why_none =
        "The figures are not drawn here. To have them drawn, type: ngb report RESULTS; and before it, if nothing "
        "draws figures on your machine yet: ngb toolchain install figures";
  } else if (!are_asked_for && cells > kFewCells) {
    why_none = fmt::format(
        "The figures of more than {} cells are drawn only if you type: ngb report RESULTS --figures svg", kFewCells);
  } else if (!prepared.empty()) {
    auto drawn = draw_for_page(folder, prepared, *drawer);
    if (!drawn && are_asked_for) return error_of(drawn);
    if (!drawn) {
      why_none = "The figures could not be drawn. To read why, type: ngb report RESULTS --figures svg";
    } else {
      images = *std::move(drawn);
    }
  }
  page::Figures shown = figures::with_images(std::move(prepared), images);
  if (!shown.shown.empty()) shown.why_not_drawn = why_none;
  shown.left_out = figures::words_of(figures.left_out);
  return shown;
}

}  // namespace ngb::report::folder
