// SPDX-License-Identifier: Apache-2.0
#include "bundle/words.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/json_text.h"
#include "metrics/metric.h"
#include "metrics/series/series.h"
#include "report/page/html.h"

namespace ngb::bundle {
namespace {

using report::page::escaped;

constexpr const char* kDataOfMetric = "{\"formula\":\"";

// Where words are: in the first `before` behind `section`; or, if `is_behind`, in the last one before it.
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

// Returns the text without its quotes, as it is within a JSON document.
std::string within_json(const char* words) {
  const std::string quoted = json_text::dump(nlohmann::json(words));
  return quoted.substr(1, quoted.size() - 2);
}

std::string within_script(const char* words) {
  const std::string quoted = report::page::script_json(nlohmann::json(words));
  return quoted.substr(1, quoted.size() - 2);
}

std::vector<Place> all_places() {
  std::vector<Place> places;
  for (const metrics::Metric& metric : metrics::metrics()) {
    const std::string row = fmt::format("<td>{}</td><td>{}</td>", metric.name, escaped(metric.unit));
    places.push_back({row, "<td>", escaped(metric.formula)});
    places.push_back({row + "<td>", "</td><td>", escaped(metric.source)});
    places.push_back({fmt::format("\"name\":\"{}\",\"refers_to_baseline\"", metric.name), kDataOfMetric,
                      within_script(metric.formula), true});
    places.push_back(
        {fmt::format("\"@id\": \"cells/{}\",", metric.name), "\"description\": \"", within_json(metric.formula)});
  }
  for (const metrics::series::Series& series : metrics::series::all_series()) {
    places.push_back({fmt::format(": {}</caption>", series.name), "</table></div>\n<p>",
                      escaped(fmt::format("{} ({})", series.formula, series.source))});
  }
  for (const metrics::Flag& flag : metrics::flag_table()) {
    places.push_back({fmt::format("<dt id=\"flag-{0}\"><span class=\"flag\">{0}</span></dt>", flag.name), "<dd>",
                      fmt::format("Raised if: {}. It means: {}.", escaped(flag.threshold), escaped(flag.meaning))});
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

}  // namespace ngb::bundle
