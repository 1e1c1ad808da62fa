// SPDX-License-Identifier: Apache-2.0
#include "report/figures/figure.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/json_text.h"
#include "base/text.h"
#include "compile_time.vl.json.h"
#include "curves.vl.json.h"
#include "figures.json.h"
#include "front.vl.json.h"
#include "memory.vl.json.h"
#include "operator_times.vl.json.h"
#include "ratio_to_best.vl.json.h"
#include "region_differences.vl.json.h"
#include "report/figures/rows.h"
#include "samples.vl.json.h"
#include "scaling.vl.json.h"

namespace ngb::report::figures {
namespace {

using nlohmann::ordered_json;

constexpr std::array kForms{
    NamedForm{"compile_time", kText_compile_time_vl_json},
    NamedForm{"curves", kText_curves_vl_json},
    NamedForm{"front", kText_front_vl_json},
    NamedForm{"memory", kText_memory_vl_json},
    NamedForm{"operator_times", kText_operator_times_vl_json},
    NamedForm{"ratio_to_best", kText_ratio_to_best_vl_json},
    NamedForm{"region_differences", kText_region_differences_vl_json},
    NamedForm{"samples", kText_samples_vl_json},
    NamedForm{"scaling", kText_scaling_vl_json},
};

constexpr std::array kRowsOf{
    RowsOf{"cpu_use", cpu_use},
    RowsOf{"speed_up_by_depth", speed_up_by_depth},
    RowsOf{"batch_width_friction", batch_width_friction},
    RowsOf{"compile_time", compile_time},
    RowsOf{"break_even", break_even},
    RowsOf{"pareto_compile", pareto_compile},
    RowsOf{"pareto_cpu", pareto_cpu},
    RowsOf{"speed_and_agreement", speed_and_agreement},
    RowsOf{"ratio_to_best", ratio_to_best},
    RowsOf{"samples", sample_strips},
    RowsOf{"scaling", scaling},
    RowsOf{"memory_over_inferences", memory_over_inferences},
    RowsOf{"decoding_by_context", decoding_by_context},
    RowsOf{"first_pass_by_context", first_pass_by_context},
    RowsOf{"visits_by_shape", visits_by_shape},
    RowsOf{"operator_times", operator_times},
    RowsOf{"region_differences", region_differences},
};

const NamedForm* find_form(std::string_view name, std::span<const NamedForm> forms) {
  const auto found = std::find_if(forms.begin(), forms.end(), [&](const NamedForm& each) { return each.name == name; });
  return found == forms.end() ? nullptr : &*found;
}

const RowsOf& rows_of(std::string_view figure, std::span<const RowsOf> all) {
  return *std::find_if(all.begin(), all.end(), [&](const RowsOf& each) { return each.figure == figure; });
}

// Returns the text with the value of each name between "${" and "}".
std::string with_values(std::string text, const ordered_json& values) {
  for (std::size_t begin = text.find("${"); begin != std::string::npos; begin = text.find("${", begin)) {
    const std::size_t end = text.find('}', begin);
    text.replace(begin, end + 1 - begin, values.at(text.substr(begin + 2, end - begin - 2)).get<std::string>());
  }
  return text;
}

// Returns a part of a form with the values in place of the names: "$x" becomes the value of x, whatever that is, and is
// left out if there is none, as is an object whose "if" is such a name.
std::optional<ordered_json> filled(const ordered_json& part, const ordered_json& values) {
  if (part.is_string()) {
    const auto text = part.get<std::string>();
    if (!text.starts_with('$') || text.starts_with("${")) return with_values(text, values);
    const auto value = values.find(text.substr(1));
    return value == values.end() ? std::nullopt : filled(*value, values);
  }
  if (!part.is_structured()) return part;
  if (part.is_object() && part.contains("if") && !values.contains(part.at("if"))) return std::nullopt;
  ordered_json whole = part.is_object() ? ordered_json::object() : ordered_json::array();
  for (const auto& [key, each] : part.items()) {
    std::optional<ordered_json> value = key == "if" ? std::nullopt : filled(each, values);
    if (!value) continue;
    if (part.is_object())
      whole[key] = *std::move(value);
    else
      whole.push_back(*std::move(value));
  }
  return whole;
}

Selected selected_of(const ordered_json& from) {
  const auto text = [&from](const char* key) { return from.value(key, ""); };
  return {.cells = text("cells"),
          .groups = text("groups"),
          .panel = text("panel"),
          .where = text("where"),
          .why_none = text("why_none"),
          .why_empty = text("why_empty")};
}

Figure figure_of(const ordered_json& row, std::span<const RowsOf> rows, std::span<const NamedForm> forms) {
  const auto text = [&row](const char* key) { return row.value(key, ""); };
  const NamedForm* const own = find_form(text("form"), forms);
  ordered_json form = json_text::parse_ordered((own != nullptr ? own : find_form(text("form"), kForms))->text);
  static const ordered_json kOfAllForms = json_text::parse_ordered(kText_figures_json).at("with");
  ordered_json values = kOfAllForms;
  values.update(form.value("with", ordered_json::object()));
  values.update(row.value("with", ordered_json::object()));
  form.erase("with");
  return {.name = text("name"),
          .also = text("also"),
          .title = text("title"),
          .reading = text("reading"),
          .paper = text("paper"),
          .rows = text("row"),
          .columns = text("columns"),
          .specification = filled(form, values).value(),
          .selected = row.contains("from") ? selected_of(row.at("from")) : Selected{},
          .find_rows = row.contains("from") ? nullptr : rows_of(text("name"), rows).make};
}

// Returns a figure of all_figures() with the name, the title and the place in a paper that this row gives it.
Figure renamed(const ordered_json& row) {
  const auto all = all_figures();
  const auto name = row.at("same_as").get<std::string>();
  Figure figure = *std::find_if(all.begin(), all.end(), [&](const Figure& each) { return each.name == name; });
  figure.also = figure.name + (figure.also.empty() ? "" : " ") + figure.also;
  figure.name = row.at("name");
  figure.title = row.at("title");
  figure.paper = row.at("paper");
  return figure;
}

}  // namespace

std::vector<Figure> read_figures(std::string_view table, std::span<const RowsOf> rows,
                                 std::span<const NamedForm> forms) {
  const ordered_json whole = json_text::parse_ordered(table);
  std::vector<Figure> figures;
  for (const ordered_json& row : whole.at("figures")) {
    figures.push_back(row.contains("same_as") ? renamed(row) : figure_of(row, rows, forms));
    figures.back().section = whole.value("section", "");
    figures.back().section_reading = whole.value("section_reading", "");
  }
  return figures;
}

std::span<const Figure> all_figures() {
  static const std::vector<Figure> kFigures = read_figures(kText_figures_json, kRowsOf);
  return kFigures;
}

Rows make_rows(const Figure& figure, const Selection& selection) {
  Rows made = figure.find_rows == nullptr ? select_rows(selection, figure.selected) : figure.find_rows(selection);
  const std::vector<std::string> columns = text::split(figure.columns, ' ');
  for (Row& row : made.rows) {
    Row whole;
    for (const std::string& column : columns) whole[column] = row.contains(column) ? row.at(column) : Row(nullptr);
    row = std::move(whole);
  }
  return made;
}

}  // namespace ngb::report::figures
