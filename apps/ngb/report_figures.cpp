// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/report_figures.h"

#include <fmt/format.h>

#include <array>
#include <system_error>

#include "base/file.h"
#include "store/store.h"
#include "toolchain/toolchain.h"
#include "toolchain/tools.h"

namespace ngb::app {
namespace {

namespace fs = std::filesystem;
using report::figures::Drawer;
using report::figures::Figures;

constexpr std::array kEndings{".vl.json", ".csv", ".svg", ".png", ".pdf"};

void remove_earlier(const fs::path& folder) {
  for (const report::figures::Figure& figure : report::figures::all_figures()) {
    for (const char* const ending : kEndings) {
      std::error_code ignored;
      fs::remove(folder / (std::string(figure.name) + ending), ignored);
    }
  }
}

Status write_specifications(const fs::path& folder, const Figures& figures) {
  if (Status made = file::make_folder(folder); !made) return made;
  remove_earlier(folder);
  for (const report::figures::Made& each : figures.made) {
    const std::string name = each.figure->name;
    if (Status done = file::write_atomically(folder / (name + ".vl.json"), each.specification); !done) return done;
    if (Status done = file::write_atomically(folder / (name + ".csv"), each.data); !done) return done;
  }
  return Done{};
}

// Returns what Vega-Lite warned about.
Result<std::vector<std::string>> write_images(const fs::path& folder, const Figures& figures, const Drawer& drawer,
                                              const std::string& format) {
  std::vector<report::figures::Image> images;
  std::vector<fs::path> places;
  for (const report::figures::Made& each : figures.made) {
    places.push_back(folder / (std::string(each.figure->name) + "." + format));
    images.push_back({each.figure->name, each.specification, file::partial_path(places.back())});
  }
  auto warnings = report::figures::draw(drawer, format, images);
  Status placed;
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (warnings && placed) placed = file::put_in_place(images[i].file, places[i]);
    std::error_code ignored;
    fs::remove(images[i].file, ignored);  // what could not be placed
  }
  if (!placed) return error_of(placed);
  return warnings;
}

}  // namespace

Result<std::optional<Drawer>> find_drawer(const FiguresRequest& request) {
  if (request.image_format.empty()) return std::optional<Drawer>();
  const toolchain::CompilerDescription tool = toolchain::drawing_tool();
  const auto installed = toolchain::list(request.toolchains);
  if (!installed) return error_of(installed);
  const toolchain::Toolchain* found = nullptr;  // the default version, else the newest
  for (const toolchain::Toolchain& each : *installed) {
    if (each.compiler != tool.name) continue;
    if (found == nullptr || found->version != tool.default_version) found = &each;
  }
  if (found != nullptr) return std::optional(Drawer{found->python, found->site});
  return fail("images of figures need vl-convert, which is not installed", request.toolchains.string(),
              "type: ngb toolchain install " + tool.name);
}

report::figures::LoadCell CellLoader::loader() {
  return [this](std::size_t /*source*/, const std::string& cell_id) { return load(cell_id); };
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
                                     const std::optional<Drawer>& drawer, const std::string& format) {
  if (Status done = write_specifications(folder, figures); !done) return error_of(done);
  WrittenFigures written{
      .folder = folder, .count = figures.made.size(), .left_out = report::figures::words_of(figures.left_out)};
  for (const report::figures::Made& each : figures.made) {
    if (!each.remark.empty()) written.remarks.push_back(fmt::format("{}: {}", each.figure->name, each.remark));
  }
  if (!drawer) return written;
  auto warnings = write_images(folder, figures, *drawer, format);
  if (!warnings) return error_of(warnings);
  written.warnings = *std::move(warnings);
  return written;
}

}  // namespace ngb::app
