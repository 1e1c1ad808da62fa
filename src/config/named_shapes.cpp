// SPDX-License-Identifier: Apache-2.0
#include "config/named_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "config/keys/value.h"

namespace ngb::config {
namespace {

using nlohmann::json;
using Sizes = NamedShapes::Sizes;

constexpr double kRounding = 1e-6;
constexpr std::uint64_t kMostBytesOfLengths = 64U << 20U;

// Returns how many of `count` visits each shape has, if that gives all shares exactly; else nothing.
std::vector<int> exact_visits(std::span<const double> shares, int count) {
  std::vector<int> visits;
  for (const double share : shares) {
    const double wanted = share * count;
    const double whole = std::round(wanted);
    if (whole < 1 || std::abs(wanted - whole) > kRounding * count) return {};
    visits.push_back(static_cast<int>(whole));
  }
  return visits;
}

Sizes read_sizes(const DocumentNode& node, const std::string& path, Problems& problems) {
  static const Key kSize{.name = "size", .type = ValueType::integer, .minimum = 1, .maximum = 2147483647};
  Sizes sizes;
  for (const Field& field : fields_or_problem(node, path, "dimension: size", problems)) {
    const auto size = read_value(kSize, *field.value, join_path(path, shown(field.name)), problems);
    if (size) sizes.emplace_back(field.name, size->get<std::int64_t>());
  }
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

std::vector<std::string> names_of(const Sizes& sizes) {
  std::vector<std::string> names;
  for (const auto& [name, size] : sizes) names.push_back(name);
  return names;
}

// Returns the names that stand in the entry's shapes.
std::vector<std::string> names_in_shapes(const NamedShapes& named) {
  std::set<std::string> names;
  for (const auto& [input, extents] : named.extents) {
    for (const std::string& name : extents) {
      if (!name.empty()) names.insert(name);
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace

std::vector<int> visits_of(std::span<const double> shares) {
  for (int count = static_cast<int>(shares.size()); count <= kMostVisits; ++count) {
    if (std::vector<int> exact = exact_visits(shares, count); !exact.empty()) return exact;
  }
  std::vector<int> visits;
  std::vector<std::size_t> by_remainder(shares.size());
  std::iota(by_remainder.begin(), by_remainder.end(), std::size_t{0});
  for (const double share : shares) visits.push_back(std::max(1, static_cast<int>(share * kMostVisits)));
  std::ranges::stable_sort(by_remainder, std::greater<>(),
                           [&](std::size_t i) { return shares[i] * kMostVisits - visits[i]; });
  const int given = std::accumulate(visits.begin(), visits.end(), 0);
  for (int i = 0; i < kMostVisits - given; ++i) ++visits[by_remainder[static_cast<std::size_t>(i) % shares.size()]];
  return visits;
}

Result<std::vector<double>> shares_of(std::string_view text, std::span<const std::int64_t> sizes) {
  std::vector<double> counts(sizes.size(), 0);
  double all = 0;
  int line_number = 0;
  for (const std::string& line : text::split(text, '\n')) {
    ++line_number;
    const std::string word(text::trim(line));
    if (word.empty()) continue;
    std::int64_t length = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), length);
    if (error != std::errc() || end != word.data() + word.size() || length < 1) {
      return fail(fmt::format("line {}: expected a length, found {}", line_number, shown(word)));
    }
    std::size_t holds = sizes.size();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] >= length && (holds == sizes.size() || sizes[i] < sizes[holds])) holds = i;
    }
    if (holds == sizes.size()) {
      return fail(fmt::format("line {}: no shape holds a length of {}; add one that does", line_number, length));
    }
    ++counts[holds];
    ++all;
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) return fail(fmt::format("no length is for the shape of {}; remove the shape", sizes[i]));
    counts[i] /= all;
  }
  return counts;
}

void read_visited(const DocumentNode& node, const std::string& path, ModelEntry& model, Problems& problems) {
  if (!is_filled_list(node, path, "a list of shapes such as {sequence: 16}", problems)) return;
  NamedShapes& named = model.named ? *model.named : model.named.emplace();
  if (node.items.size() < 2 || node.items.size() > kMostVisitedShapes) {
    problems.add(node, path, fmt::format("expected 2 to {} shapes, found {}", kMostVisitedShapes, node.items.size()));
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const DocumentNode& item = *node.items[i];
    const std::string at = fmt::format("{}[{}]", path, i);
    Sizes sizes = read_sizes(item, at, problems);
    if (sizes.empty()) continue;
    if (std::find(named.visited.begin(), named.visited.end(), sizes) != named.visited.end()) {
      problems.add_repeated(item, at, "this shape");
    } else if (!named.visited.empty() && names_of(sizes) != names_of(named.visited.front())) {
      problems.add(item, at,
                   fmt::format("each shape has the dimensions of the first: {}",
                               text::join(names_of(named.visited.front()), ", ")));
    } else {
      named.visited.push_back(std::move(sizes));
    }
  }
  named.visits.assign(named.visited.size(), 1);
}

namespace {

void read_lengths(const DocumentNode& node, const std::string& path, const std::filesystem::path& folder,
                  NamedShapes& named, Problems& problems) {
  std::vector<std::int64_t> sizes;
  for (const Sizes& shape : named.visited) sizes.push_back(shape.front().second);
  if (named.visited.front().size() != 1) {
    problems.add(node, path, "a file of lengths is for shapes of one dimension; give a share for each shape");
    return;
  }
  const std::filesystem::path file = folder / node.text;
  const Result<std::string> text = file::read(file, kMostBytesOfLengths);
  if (!text) return problems.add(node, path, text.error().text());
  const auto shares = shares_of(*text, sizes);
  if (!shares) return problems.add(node, path, fmt::format("{}: {}", shown(node.text), shares.error().what));
  named.visits = visits_of(*shares);
}

}  // namespace

void read_mix(const DocumentNode& node, const std::string& path, const std::filesystem::path& folder, ModelEntry& model,
              Problems& problems) {
  if (!model.named || model.named->visited.empty()) {
    problems.add(node, path, "a mix is of shapes_in_one_session; add them, or remove this key");
    return;
  }
  NamedShapes& named = *model.named;
  if (node.is_scalar() && !node.is_null()) return read_lengths(node, path, folder, named, problems);
  std::vector<double> shares;
  for (const NodePointer& item : node.items) {
    const json value = item->is_scalar() ? scalar_json(*item) : json();
    if (value.is_number() && value.get<double>() > 0 && value.get<double>() <= 1) shares.push_back(value);
  }
  if (!node.is_sequence() || shares.size() != node.items.size() || shares.size() != named.visited.size()) {
    problems.add(node, path,
                 fmt::format("expected a share above 0 for each of the {} shapes, or a file of lengths, found {}",
                             named.visited.size(), found(node)));
    return;
  }
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (std::abs(sum - 1) > kRounding) {
    problems.add(node, path, fmt::format("the shares add up to {:.6g}, expected 1", sum));
    return;
  }
  named.visits = visits_of(shares);
}

void check_named_shapes(const ModelFields& given, const std::string& path, const ModelEntry& model,
                        Problems& problems) {
  if (!model.named) return;
  const NamedShapes& named = *model.named;
  const auto refuse = [&](const char* key, const std::string& message) {
    const auto node = given.find(key);
    if (node != given.end()) problems.add(*node->second, join_path(path, key), message);
  };
  if (!named.dynamic.empty() && named.pad_to > 0)
    refuse("pad_to", "what is compiled for any size needs no padding; remove pad_to or dynamic");
  if (model.dimensions.empty() && named.visited.empty())
    refuse(named.pad_to > 0 ? "pad_to" : "dynamic",
           "no dimension has a name; name it in shapes, and give its size in dimensions");
  for (const char* const other : {"variant_of", "data", "phase", "context", "capacity", "cache", "new_tokens"}) {
    if (given.contains(other)) refuse(other, "not together with dynamic, pad_to or shapes_in_one_session; remove one");
  }
  std::vector<std::string> known =
      model.kind() == ModelKind::onnx ? names_of(model.dimensions) : names_in_shapes(named);
  if (!named.visited.empty()) {
    for (const std::string& name : names_of(named.visited.front())) {
      const bool is_given = std::ranges::any_of(model.dimensions, [&](const auto& each) { return each.first == name; });
      if (is_given) refuse("dimensions", fmt::format("shapes_in_one_session gives {}; remove it here", shown(name)));
      if (model.kind() == ModelKind::onnx)
        known.push_back(name);  // the file is looked into by the plan
      else if (std::find(known.begin(), known.end(), name) == known.end())
        refuse("shapes_in_one_session", unknown_word(name, "dimension of the entry's shapes", known));
    }
  }
  for (const std::string& name : named.dynamic) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      refuse("dynamic", unknown_word(name, "dimension", known));
  }
}

}  // namespace ngb::config
