// SPDX-License-Identifier: Apache-2.0
// Reads which sizes of named dimensions a model meets: `shapes_in_one_session` and `mix` of an entry of models.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/problems.h"
#include "config/user_models.h"

namespace ngb::config {

inline constexpr std::size_t kMostVisitedShapes = 32;
inline constexpr int kMostVisits = 100;  // of a pass

// Returns how often a pass visits each shape: as few visits as give all shares exactly, or kMostVisits that are shared
// out by the largest remainders, each shape at least once. Precondition: shares are above 0 and add up to 1.
std::vector<int> visits_of(std::span<const double> shares);

// Returns the share of each size among lengths as traffic has them, which `text` lists, one in each line: a length
// counts for the smallest size that holds it. Fails, with the line, if there is another text or a longer length, or if
// a size holds none.
Result<std::vector<double>> shares_of(std::string_view text, std::span<const std::int64_t> sizes);

// Reads `shapes_in_one_session` into the entry.
void read_visited(const DocumentNode& node, const std::string& path, ModelEntry& model, Problems& problems);
// Reads `mix` into the entry: a share for each of its shapes, or a file of lengths, relative to `folder`.
void read_mix(const DocumentNode& node, const std::string& path, const std::filesystem::path& folder, ModelEntry& model,
              Problems& problems);
// Checks the entry's keys `dynamic`, `pad_to` and `shapes_in_one_session` against each other and, but for an ONNX file,
// against the names in its shapes.
void check_named_shapes(const ModelFields& given, const std::string& path, const ModelEntry& model, Problems& problems);

}  // namespace ngb::config
