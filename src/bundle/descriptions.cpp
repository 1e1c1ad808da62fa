// SPDX-License-Identifier: Apache-2.0
#include "bundle/descriptions.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "bundle/manifest.h"
#include "bundle/paths.h"
#include "metrics/metric.h"
#include "metrics/series/series.h"
#include "readme.md.h"
#include "report/page/html.h"

namespace ngb::bundle {

namespace {

using report::page::escaped;
using report::page::prose;

constexpr const char* kDataOfMetric = "{\"formula\":\"";

// A text that ngb writes into a page: it follows the first `before` after `section`. If `is_behind`, it follows the
// last `before` that precedes `section`.
struct Place {
  std::string section{};
  std::string before{};
  std::string words{};  // as this ngb writes them there
  bool is_behind = false;
};

// A piece of a text.
struct Piece {
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::string within_script(const char* words) {
  const std::string quoted = report::page::script_json(nlohmann::json(words));
  return quoted.substr(1, quoted.size() - 2);
}

std::vector<Place> all_places() {
  std::vector<Place> places;
  for (const metrics::Metric& metric : metrics::metrics()) {
    const std::string row = fmt::format("<td>{}</td><td>{}</td>", metric.name, escaped(metric.unit));
    places.push_back({row, "<td>", prose(metric.formula)});
    places.push_back({row + "<td>", "</td><td>", prose(metric.source)});
    places.push_back({fmt::format("\"name\":\"{}\",\"refers_to_baseline\"", metric.name), kDataOfMetric,
                      within_script(metric.formula), true});
  }
  for (const metrics::series::Series& series : metrics::series::all_series()) {
    places.push_back({fmt::format(": {}</caption>", series.name), "</table></div>\n<p>",
                      prose(fmt::format("{} ({})", series.formula, series.source))});
  }
  for (const metrics::Flag& flag : metrics::flag_table()) {
    places.push_back({fmt::format("<dt id=\"flag-{0}\"><span class=\"flag\">{0}</span></dt>", flag.name), "<dd>",
                      fmt::format("Raised if: {}. It means: {}.", prose(flag.threshold), prose(flag.meaning))});
  }
  return places;
}

// Returns the rest of the element or string in which the words of the place are.
std::optional<Piece> find_place(std::string_view text, const Place& place) {
  const std::size_t section = text.find(place.section);
  if (section == std::string_view::npos) return std::nullopt;
  const std::size_t before =
      place.is_behind ? text.rfind(place.before, section) : text.find(place.before, section + place.section.size());
  if (before == std::string_view::npos) return std::nullopt;
  const char last = place.before.back() == '"' ? '"' : '<';
  const std::size_t begin = before + place.before.size();
  std::size_t end = text.find(last, begin);
  const auto is_of_code = [&](std::size_t at) {
    const std::string_view tag = text.substr(std::min(at, text.size()));
    return tag.starts_with("<code>") || tag.starts_with("</code>");
  };
  while (is_of_code(end)) end = text.find(last, end + 1);
  while (last == '"' && end != std::string_view::npos && text[end - 1] == '\\') end = text.find(last, end + 1);
  if (end == std::string_view::npos) return std::nullopt;
  return Piece{begin, end};
}

}  // namespace

std::string with_words_of(std::string_view given, std::string follows) {
  static const std::vector<Place> places = all_places();
  for (const Place& place : places) {
    const auto ours = find_place(follows, place);
    const auto theirs = find_place(given, place);
    if (!ours || !theirs) continue;
    const std::string_view our_text = std::string_view(follows).substr(ours->begin, ours->end - ours->begin);
    const std::string_view their_text = given.substr(theirs->begin, theirs->end - theirs->begin);
    if (!our_text.starts_with(place.words)) continue;
    const std::string_view tail = our_text.substr(place.words.size());  // of numbers: it has to be the same
    if (!their_text.ends_with(tail)) continue;
    follows.replace(ours->begin, place.words.size(), their_text.substr(0, their_text.size() - tail.size()));
  }
  return follows;
}

std::vector<Description> descriptions(const About& about, const std::vector<std::string>& paths) {
  std::vector<std::string> others = paths;
  std::erase_if(others, [](const std::string& path) { return path == kLicencePath || path == kReadmePath; });
  return {{kLicencePath, licence_text(about)}, {kReadmePath, readme_text(about, others)}};
}

namespace {

std::string words_of_licence(const About& about) {
  const auto licence = about.licence ? find_licence(*about.licence) : Result<const Licence*>(nullptr);
  if (!licence || *licence == nullptr) return "none was chosen";
  return fmt::format("{} ({}), {}", (*licence)->name, (*licence)->spdx, (*licence)->url);
}

// Returns the row of a file that a command makes; "" for others.
std::string command_row(const std::string& path) {
  const auto row = [&](const std::string& command, const std::string& place) {
    return fmt::format("| `{}` | `{}` | {} |\n", path, command, place);
  };
  if (path == kCellsPath) return row("ngb show results --format csv", "its output");
  if (path == kSamplesPath) {
    return row(
        "sqlite3 -csv -header results/results.db 'SELECT cell_id, process_index, instance, repetition_index, "
        "is_warm_up, "
        "wall_ns, inferences FROM sample'",
        "its output");
  }
  const std::string prefix = std::string(kReportFolder) + '/';
  if (!path.starts_with(prefix)) return {};
  const bool is_table = path.starts_with("report/tables/");
  return row(is_table ? "ngb report results --tables csv -o mine" : "ngb report results -o mine",
             fmt::format("`mine/{}`", path.substr(prefix.size())));
}

}  // namespace

std::string licence_text(const About& about) {
  const auto licence = about.licence ? find_licence(*about.licence) : Result<const Licence*>(nullptr);
  if (!licence || *licence == nullptr) {
    return "The authors of these data have chosen no licence. Ask them before you use the data.\n";
  }
  return fmt::format("SPDX-License-Identifier: {}\n\nThese data may be used under the terms of the {}:\n{}\n",
                     (*licence)->spdx, (*licence)->name, (*licence)->url);
}

std::string readme_text(const About& about, const std::vector<std::string>& paths) {
  std::string commands;
  for (const std::string& path : paths) commands += command_row(path);
  const std::string_view source = kText_readme_md;
  const std::string_view form =
      source.substr(source.find('\n') + 1);  // the first line is about the licence of this program
  return text::filled(form, {{"name", about.name},
                             {"description", about.description},
                             {"authors", about.authors.empty() ? "unknown" : text::join(about.authors, ", ")},
                             {"licence", words_of_licence(about)},
                             {"date", about.date},
                             {"made_by", about.made_by},
                             {"commands", commands}});
}

}  // namespace ngb::bundle
