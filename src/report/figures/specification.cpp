// SPDX-License-Identifier: Apache-2.0
#include "report/figures/specification.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/json_text.h"
#include "base/text.h"
#include "report/figures/axes.h"
#include "report/figures/print.h"
#include "report/looks.h"
#include "report/write/csv.h"
#include "theme.json.h"

namespace ngb::report::figures {
namespace {

using nlohmann::ordered_json;

// The order is that of the shapes on the page (page/page.js).
constexpr std::array<const char*, kShapes> kShapeNames{"circle", "square", "triangle-up", "diamond", "triangle-down"};

// Returns the field's different values, in the order of the rows.
ordered_json values_of(const std::vector<Row>& rows, const std::string& field) {
  ordered_json values = ordered_json::array();
  std::set<std::string> known;
  for (const Row& row : rows) {
    const auto value = row.find(field);
    if (value != row.end() && known.insert(json_text::dump_ascii(*value, -1)).second) values.push_back(*value);
  }
  return values;
}

// The labels 9 and 90 of a logarithmic axis are so close to 10 and 100 that Vega leaves one of them out. These go.
constexpr const char* kLabelOfLogAxis = R"(test(/^9\.000e/, format(datum.value, '.3e')) ? '' : datum.label)";

bool is_logarithmic(const ordered_json& channel) {
  return channel.is_object() && channel.contains("scale") && channel.at("scale").value("type", "") == "log";
}

// Lines and gaps, in pixels: of a compiler's settings, and of what the paper publishes.
constexpr std::array<std::array<int, 2>, 3> kDashes{{{1, 0}, {6, 3}, {2, 2}}};
constexpr std::array kDashesOfPublished{6, 2, 1, 2};

// Fills in what the files beside the code leave open.
class Filler {
 public:
  Filler(const Selection& selection, const std::vector<Row>& rows, const ordered_json& palette, bool has_own_axes)
      : rows_(rows), has_own_axes_(has_own_axes) {
    const ordered_json drawn = values_of(rows, "compiler");
    for (std::size_t i = 0; i < selection.compilers().size(); ++i) {
      const std::string& compiler = selection.compilers()[i];
      if (std::find(drawn.begin(), drawn.end(), ordered_json(compiler)) == drawn.end()) continue;
      compilers_.push_back(compiler);
      const Look& look = selection.looks()[i];
      const int setting = settings_[look.colour]++;
      colours_.push_back(shade(palette.at(static_cast<std::size_t>(look.colour)).get<std::string>(), setting));
      const bool is_published = i >= selection.first_published();
      dashes_.push_back(is_published ? ordered_json(kDashesOfPublished)
                                     : ordered_json(kDashes.at(static_cast<std::size_t>(setting) % kDashes.size())));
      has_dashes_ = has_dashes_ || is_published || setting > 0;
      shapes_.push_back(kShapeNames.at(static_cast<std::size_t>(look.shape % kShapes)));
    }
  }

  void fill(ordered_json& whole) {
    find_logarithmic_fields(whole, {});
    fill(whole, {});
  }

 private:
  // Notes the fields of the axis y, whose ticks are those of all layers together.
  void find_logarithmic_fields(const ordered_json& part, const std::string& channel) {
    if (channel == "y" && is_logarithmic(part) && part.contains("field")) {
      fields_of_log_axis_.insert(part.at("field").get<std::string>());
    }
    if (!part.is_structured()) return;
    for (const auto& [key, value] : part.items()) find_logarithmic_fields(value, part.is_object() ? key : channel);
  }

  // Visits every object of the specification. `channel` is the key of the object.
  void fill(ordered_json& part, const std::string& channel) const {
    if (part.is_object() && part.contains("field")) fill_channel(part, channel);
    if (channel == "y" && is_logarithmic(part)) part["axis"]["labelExpr"] = kLabelOfLogAxis;
    if (channel == "y" && is_logarithmic(part) && part.contains("field")) set_ticks(part);
    if (channel == "y" && part.is_object() && part.value("type", "") == "quantitative") part["axis"]["grid"] = true;
    if (has_dashes_ && part.is_object() && part.contains("mark") && part.at("mark").value("style", "") == "curve") {
      dash_by_compiler(part.at("encoding"));
    }
    if (part.is_object()) {
      for (auto& [key, value] : part.items()) fill(value, key);
    } else if (part.is_array()) {
      for (ordered_json& value : part) fill(value, channel);
    }
  }

  // Adds dashes to a curve of a compiler. All other curves differ in colour alone.
  void dash_by_compiler(ordered_json& encoding) const {
    ordered_json dash = encoding.at("color");
    if (dash.value("field", "") != "compiler") return;
    dash["scale"] = {{"domain", compilers_}, {"range", dashes_}};
    encoding["strokeDash"] = std::move(dash);
  }

  // The ticks 1, 2 and 5 of each decade, if the numbers take so much of the axis that three of these are seen; more of
  // them on a shorter axis.
  void set_ticks(ordered_json& part) const {
    constexpr double kWide = 8;
    constexpr double kNarrow = 1.3;
    constexpr double kShort = 2;
    double least = HUGE_VAL;
    double most = 0;
    for (const Row& row : rows_) {
      for (const std::string& field : fields_of_log_axis_) {
        const auto value = row.find(field);
        if (value == row.end() || !value->is_number() || value->get<double>() <= 0) continue;
        least = std::min(least, value->get<double>());
        most = std::max(most, value->get<double>());
      }
    }
    if (has_own_axes_ || most < kNarrow * least) return;
    const std::vector<double> steps = most >= kWide * least ? std::vector<double>{1, 2, 5}
                                      : most >= kShort * least
                                          ? std::vector<double>{1, 1.5, 2, 3, 5, 7}
                                          : std::vector<double>{1, 1.2, 1.4, 1.7, 2, 2.5, 3, 4, 5, 6, 7, 8};
    ordered_json ticks = ordered_json::array();
    const int last = static_cast<int>(std::ceil(std::log10(most)));
    for (int decade = static_cast<int>(std::floor(std::log10(least))); decade <= last; ++decade) {
      for (const double step : steps) ticks.push_back(step * std::pow(10.0, decade));
    }
    part["axis"]["values"] = std::move(ticks);
    part["axis"].erase("labelExpr");
  }

  void fill_channel(ordered_json& part, const std::string& channel) const {
    if (!part.at("field").is_string()) return;
    const auto field = part.at("field").get<std::string>();
    const auto sort = part.find("sort");
    const bool keeps_order = sort != part.end() && sort->is_null();
    if (field != "compiler") {
      if (!keeps_order) return;
      const ordered_json order = values_of(rows_, field);
      *sort = order;
      // A colour and a shape share a legend if they have one domain.
      if (channel == "color" || channel == "shape") part["scale"]["domain"] = order;
      return;
    }
    if (keeps_order) *sort = compilers_;
    if (!part.contains("scale")) return;
    part["scale"]["domain"] = compilers_;
    if (channel == "color") part["scale"]["range"] = colours_;
    if (channel == "shape") part["scale"]["range"] = shapes_;
  }

  const std::vector<Row>& rows_;
  std::set<std::string> fields_of_log_axis_{};
  ordered_json compilers_ = ordered_json::array();
  ordered_json colours_ = ordered_json::array();
  ordered_json shapes_ = ordered_json::array();
  ordered_json dashes_ = ordered_json::array();
  std::map<int, int> settings_{};  // how many have this colour
  bool has_dashes_ = false;
  bool has_own_axes_ = false;  // each panel has its own y axis
};

// The name of a grid's row stands on its side, along its panels. One that is longer than they are high would run into
// the next row's, so it is broken into lines, at spaces. The name of a panel above it would push the axis away if it
// were wider than the panel, and run into its neighbour's. Its letters are bold, and wider than those of an axis.
void break_names_of_panels(ordered_json& whole, const std::vector<Row>& rows) {
  const auto name_within = [&](ordered_json& named, const char* side) {
    if (const int size = extent_of_panel(whole, rows, side); size > 0)
      named["header"]["labelExpr"] = lines_of_at_most(size * 6 / 7);
  };
  ordered_json& facet = whole["facet"];
  if (!facet.contains("column")) return name_within(facet, "width");
  name_within(facet["row"], "height");
  name_within(facet["column"], "width");
}

constexpr int kGap = 34;   // between panels
constexpr int kAxis = 56;  // what an axis with its title takes

// Returns how many panels are side by side.
int columns_of(const ordered_json& whole, const std::vector<Row>& rows) {
  const ordered_json& facet = whole.at("facet");
  if (facet.contains("column")) {
    return static_cast<int>(values_of(rows, facet.at("column").at("field").get<std::string>()).size());
  }
  const auto panels = static_cast<int>(values_of(rows, facet.at("field").get<std::string>()).size());
  return std::min(panels, whole.value("columns", panels));
}

// Returns how wide the panels with their axes are together, in pixels.
int width_of(const ordered_json& whole, const std::vector<Row>& rows) {
  constexpr int kOfSteps = 200;
  const ordered_json width = whole.at("spec").value("width", ordered_json());
  const int panel = width.is_number() ? width.get<int>() : kOfSteps;
  return kAxis + columns_of(whole, rows) * (panel + kGap);
}

// A grid with one column would be a tower, and one with a single long row wider than a page: its panels are laid out
// side by side, in lines, instead.
void lay_out(ordered_json& whole, const std::vector<Row>& rows) {
  constexpr int kNarrow = 350;  // three panels of this width fit a page
  constexpr std::size_t kMostColumns = 5;
  constexpr int kMostPixelsOfAName = 320;
  ordered_json& facet = whole.at("facet");
  if (!facet.contains("column")) return;
  const auto count = [&](const char* side) {
    return values_of(rows, facet.at(side).at("field").get<std::string>()).size();
  };
  const bool is_long_row = count("row") == 1 && count("column") > kMostColumns;
  if (count("column") > 1 && !is_long_row) return;
  facet = ordered_json(facet.at(is_long_row ? "column" : "row"));
  facet["header"]["labelLimit"] = kMostPixelsOfAName;
  const ordered_json width = whole.at("spec").value("width", ordered_json());
  whole["columns"] = is_long_row                                        ? static_cast<int>(kMostColumns)
                     : width.is_number() && width.get<int>() <= kNarrow ? 3
                                                                        : 2;
  whole["spacing"] = {{"row", kGap}, {"column", kAxis}};
  whole["resolve"]["axis"]["x"] = "independent";  // else panels above an incomplete last row have none
}

// Returns whether the layer writes the reason into a panel without data.
bool says_why(const ordered_json& layer) {
  return layer.at("mark").is_object() && layer.at("mark").value("style", "") == "why";
}

// A reason has lines that are no longer than the panel is wide, but of a word at least.
void break_reasons(ordered_json& whole, const std::vector<Row>& rows) {
  constexpr int kPixelsOfACharacter = 6;
  constexpr int kOneWord = 60;
  const int width = std::max(kOneWord, extent_of_panel(whole, rows, "width"));
  for (ordered_json& layer : whole.at("spec").at("layer")) {
    if (!says_why(layer)) continue;
    const std::string lines =
        fmt::format(R"(replace(datum.reason, /(.{{1,{}}})(?: |$)/g, '$1\n'))", width / kPixelsOfACharacter);
    layer["transform"].push_back({{"calculate", lines}, {"as", "why"}});
    layer["encoding"]["text"]["field"] = "why";
  }
}

// Vega-Lite lays the panels of a grid out one after the other. If one is missing, the next ones take its place and
// stand beside the wrong names. So a panel without data gets a row that no layer draws; only the reason of such a panel
// is drawn.
void keep_empty_panels(ordered_json& whole) {
  constexpr const char* kNothing = "";  // the compiler of such a row
  const ordered_json& facet = whole.at("facet");
  if (!facet.contains("column")) return;
  const auto prepend = [](ordered_json& part, ordered_json transform) {
    ordered_json all = ordered_json::array();
    all.push_back(std::move(transform));
    for (const ordered_json& each : part.value("transform", ordered_json::array())) all.push_back(each);
    part["transform"] = std::move(all);
  };
  prepend(whole, {{"impute", "compiler"},
                  {"key", facet.at("row").at("field")},
                  {"groupby", ordered_json::array({facet.at("column").at("field")})},
                  {"value", kNothing}});
  for (ordered_json& layer : whole.at("spec").at("layer")) {
    if (!says_why(layer)) prepend(layer, {{"filter", "datum.compiler !== ''"}});
  }
}

// Titles the figure, or, without a heading, what its axes show, if that was taken off them for print.
void add_heading(ordered_json& whole, const Figure& figure, const std::string& reading, const Form& form,
                 int width_px) {
  constexpr double kPixelsOfACharacter = 5.6;  // of the theme's subtitles
  constexpr std::size_t kFewestCharacters = 50;
  constexpr int kPixelsOfATitle = 8;  // a character of it
  const std::string axes = form.width_px > 0 ? take_titles_of_axes(whole) : "";
  const auto characters = static_cast<std::size_t>(width_px / kPixelsOfACharacter);
  const ordered_json lines_of_axes = axes.empty() ? ordered_json::array() : lines_of(axes, characters);
  if (!form.has_heading) {
    if (!axes.empty()) whole["title"] = {{"text", lines_of_axes}, {"fontSize", 10}, {"fontWeight", "normal"}};
    return;
  }
  ordered_json subtitle = lines_of(reading, std::max(kFewestCharacters, characters));
  for (const ordered_json& line : lines_of_axes) subtitle.push_back(line);
  whole["title"] = {{"text", figure.title}, {"subtitle", std::move(subtitle)}};
  if (form.width_px > 0)
    whole["title"]["text"] = lines_of(figure.title, static_cast<std::size_t>(width_px / kPixelsOfATitle));
}

std::string field_of(const Row& row, const std::string& column) {
  const auto value = row.find(column);
  if (value == row.end() || value->is_null()) return {};
  return value->is_string() ? csv_text(value->get<std::string>()) : value->dump();
}

}  // namespace

std::vector<Row> drawn_rows(std::vector<Row> rows, std::size_t most, std::string& remark) {
  std::set<std::string> panels;
  std::set<std::string> drawn;
  std::vector<Row> kept;
  for (Row& row : rows) {
    const auto panel = row.at("panel").get<std::string>();
    if (panels.insert(panel).second && drawn.size() < most) drawn.insert(panel);
    if (drawn.contains(panel)) kept.push_back(std::move(row));
  }
  if (panels.size() == drawn.size()) return kept;
  remark += fmt::format("{}{} of {} panels are drawn; the data has all", remark.empty() ? "" : "; ", drawn.size(),
                        panels.size());
  return kept;
}

ordered_json theme() { return json_text::parse_ordered(kText_theme_json); }

std::string reading_of(const Figure& figure, const std::string& remark) {
  if (remark.empty()) return figure.reading;
  std::string sentence = fmt::format("{}.", remark);
  if (sentence.front() >= 'a' && sentence.front() <= 'z')
    sentence.front() = static_cast<char>(sentence.front() - 'a' + 'A');
  return fmt::format("{} {}", figure.reading, sentence);
}

std::string specification_text(const Selection& selection, const Figure& figure, std::vector<Row> rows,
                               std::string remark, const Form& form) {
  ordered_json whole = figure.specification;
  ordered_json config = theme().at("config");
  const bool is_for_print = form.width_px > 0;
  if (is_for_print) config.merge_patch(theme().at("print"));
  lay_out(whole, rows);
  if (is_for_print) fit_to_width(whole, rows, form.width_px);
  break_names_of_panels(whole, rows);
  share_axes_of_a_quantity(whole, rows);
  if (end_intervals_at_the_frame(whole, rows)) {
    remark += remark.empty() ? "" : "; ";
    remark += "a triangle at the end of an interval: it reaches farther";
  }
  use_quantitative_axis(selection.compilers(), whole, rows);
  break_reasons(whole, rows);
  const std::string reading = reading_of(figure, remark);
  add_heading(whole, figure, reading, form, is_for_print ? form.width_px : width_of(whole, rows));
  whole["description"] = fmt::format("{}. {} A row is {}.", figure.title, reading, figure.rows);
  whole["usermeta"]["figure"] = figure.name;
  if (!figure.also.empty()) whole["usermeta"]["also"] = text::split(figure.also, ' ');
  whole["usermeta"]["paper"] = figure.paper;
  whole["usermeta"]["row"] = figure.rows;
  whole["usermeta"]["columns"] = text::split(figure.columns, ' ');
  if (is_for_print) config["legend"]["columns"] = columns_of_legend(rows, form.width_px);
  whole["config"] = config;
  keep_empty_panels(whole);
  const bool has_own_axes = panels_have_own_axes(whole);
  if (is_for_print) set_rows_as_views(whole, rows, form.width_px);
  Filler(selection, rows, config.at("range").at("category"), has_own_axes).fill(whole);
  std::string text = json_text::dump_ascii(whole, 2);
  text.resize(text.rfind("\n}"));
  text += ",\n  \"datasets\": {\"rows\": [";
  for (std::size_t i = 0; i < rows.size(); ++i)
    text += (i == 0 ? "\n    " : ",\n    ") + json_text::dump_ascii(rows[i], -1);
  return text + "\n  ]}\n}\n";
}

std::string csv_of(const Figure& figure, const std::vector<Row>& rows) {
  const std::vector<std::string> columns = text::split(figure.columns, ' ');
  std::string text = text::join(columns, ",") + "\r\n";
  for (const Row& row : rows) {
    std::vector<std::string> fields;
    for (const std::string& column : columns) fields.push_back(field_of(row, column));
    text += text::join(fields, ",") + "\r\n";
  }
  return text;
}

}  // namespace ngb::report::figures
