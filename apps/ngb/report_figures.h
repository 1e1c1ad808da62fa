// SPDX-License-Identifier: Apache-2.0
// Writes the figures of a report: specifications, data and images.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/figures/draw.h"
#include "report/figures/figure.h"

namespace ngb::app {

// Returns the installed toolchain that draws figures, or an error that says how to install it.
Result<report::figures::Drawer> find_drawer(const std::filesystem::path& toolchains);

// Writes NAME.vl.json and NAME.csv of each figure into `folder`, each in one step, and removes the files of figures
// that an earlier report had there. Other files in the folder are not changed.
Status write_figures(const std::filesystem::path& folder, const report::figures::Figures& figures);

// Writes NAME.FORMAT of each figure into `folder`, each in one step. Returns what Vega-Lite warned about.
Result<std::vector<std::string>> write_images(const std::filesystem::path& folder,
                                              const report::figures::Figures& figures,
                                              const report::figures::Drawer& drawer, const std::string& format);

}  // namespace ngb::app
