// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/report_figures.h"

#include <array>
#include <system_error>

#include "base/file.h"
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

}  // namespace

Result<Drawer> find_drawer(const fs::path& toolchains) {
  const toolchain::CompilerDescription tool = toolchain::drawing_tool();
  const auto installed = toolchain::list(toolchains);
  if (!installed) return error_of(installed);
  const toolchain::Toolchain* found = nullptr;  // the default version, else the newest
  for (const toolchain::Toolchain& each : *installed) {
    if (each.compiler != tool.name) continue;
    if (found == nullptr || found->version != tool.default_version) found = &each;
  }
  if (found != nullptr) return Drawer{found->python, found->site};
  return fail("images of figures need vl-convert, which is not installed", toolchains.string(),
              "type: ngb toolchain install " + tool.name);
}

Status write_figures(const fs::path& folder, const Figures& figures) {
  if (Status made = file::make_folder(folder); !made) return made;
  remove_earlier(folder);
  for (const report::figures::Made& each : figures.made) {
    const std::string name = each.figure->name;
    if (Status done = file::write_atomically(folder / (name + ".vl.json"), each.specification); !done) return done;
    if (Status done = file::write_atomically(folder / (name + ".csv"), each.data); !done) return done;
  }
  return Done{};
}

Result<std::vector<std::string>> write_images(const fs::path& folder, const Figures& figures, const Drawer& drawer,
                                              const std::string& format) {
  std::vector<report::figures::Image> images;
  std::vector<fs::path> places;
  for (const report::figures::Made& each : figures.made) {
    places.push_back(folder / (std::string(each.figure->name) + "." + format));
    images.push_back({each.figure->name, each.specification, file::partial_path(places.back())});
  }
  auto warnings = report::figures::draw(drawer, format, images);
  for (std::size_t i = 0; i < images.size(); ++i) {
    std::error_code ignored;
    if (!fs::exists(images[i].file, ignored)) continue;
    const Status placed = warnings ? file::put_in_place(images[i].file, places[i]) : Status{};
    if (warnings && placed) continue;
    fs::remove(images[i].file, ignored);
    if (!placed) return error_of(placed);
  }
  return warnings;
}

}  // namespace ngb::app
