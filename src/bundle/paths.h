// SPDX-License-Identifier: Apache-2.0
// Decides which names of files a bundle may have. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ngb::bundle {

// The files of a bundle that others refer to.
inline constexpr const char* kManifestPath = "manifest.json";
inline constexpr const char* kResultsPath = "results/results.db";
inline constexpr const char* kReportFolder = "report";
inline constexpr const char* kPagePath = "report/index.html";
inline constexpr const char* kCellsPath = "data/cells.csv";
inline constexpr const char* kSamplesPath = "data/samples.csv";
inline constexpr const char* kStudyPath = "study.json";
inline constexpr const char* kEnvironmentPath = "environment.json";
inline constexpr const char* kLicencePath = "LICENCE";
inline constexpr const char* kReadmePath = "README.md";

// Returns why no bundle may hold a file of this name; "" if one may. A name is a relative path of 200 characters at
// most, whose parts consist of letters, digits and . _ - and do not begin with a dot: so it stays within a folder,
// hides nothing, and is the same name on every file system.
std::string why_not_a_path(std::string_view path);

// Returns a name that another one equals on a file system that ignores case, or that has a file where the other has a
// folder; "" if there is none.
std::string twice_used_path(std::span<const std::string> paths);

}  // namespace ngb::bundle
