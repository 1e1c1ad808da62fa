// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "add_yours.html.h"
#include "base/text.h"
#include "collection.css.h"
#include "collection.js.h"
#include "collection/pages.h"
#include "metrics/baseline.h"
#include "metrics/history/history.h"
#include "report/page/html.h"
#include "report/page/page_parts.h"

namespace ngb::collection {
namespace {

using report::page::counted;
using report::page::escaped;

using OfCompiler = std::vector<const Measurement*>;  // the newest version first

// A workload on a machine, with the measurements of each compiler.
struct Row {
  std::string model{};
  int batch = 1;
  std::string setting{};
  std::map<std::string, OfCompiler> by_compiler{};
  std::set<const Measurement*> may_be_fastest{};  // of the newest versions
};

struct Numbers {
  std::vector<std::string> compilers{};            // PyTorch eager first
  std::map<std::string, std::vector<Row>> rows{};  // by machine
  std::set<std::string> models{};
  std::size_t count = 0;
};

bool is_shown_before(const Measurement* a, const Measurement* b) {
  if (a->version != b->version) return metrics::history::is_older_version(b->version, a->version);
  return a->why_none.empty() && !b->why_none.empty();
}

// Finds the newest versions that no interval tells from the one with the highest throughput.
void find_fastest(Row& row) {
  const Measurement* best = nullptr;
  const auto throughput = [](const Measurement* each) { return each->numbers[kThroughput].number(); };
  for (const auto& [compiler, all] : row.by_compiler) {
    const auto value = throughput(all.front());
    if (value && (best == nullptr || *value > *throughput(best))) best = all.front();
  }
  if (best == nullptr) return;
  const report::Entry& highest = best->numbers[kThroughput];
  for (const auto& [compiler, all] : row.by_compiler) {
    const report::Entry& other = all.front()->numbers[kThroughput];
    const auto value = other.number();
    if (value && other.high.value_or(*value) >= highest.low.value_or(*highest.number())) {
      row.may_be_fastest.insert(all.front());
    }
  }
}

// Models of one name and unlike content are told apart by the first digits of their hash.
std::set<std::string> ambiguous_models(const Collection& collection) {
  std::map<std::string, std::set<std::string>> hashes;
  for (const Measurement& each : collection.measurements) hashes[each.model].insert(each.model_hash);
  std::set<std::string> found;
  for (const auto& [model, of_model] : hashes) {
    if (of_model.size() > 1) found.insert(model);
  }
  return found;
}

Numbers numbers_of(const Collection& collection) {
  constexpr std::size_t kDigits = 6;
  const std::set<std::string> ambiguous = ambiguous_models(collection);
  std::map<std::tuple<std::string, std::string, int, std::string>, Row> rows;
  Numbers numbers;
  std::set<std::pair<bool, std::string>> compilers;
  for (const Measurement& each : collection.measurements) {
    if (each.is_copy) continue;
    std::string model = each.model;
    if (ambiguous.contains(model)) model += fmt::format(" ({})", each.model_hash.substr(0, kDigits));
    Row& row = rows[{each.machine, model, each.batch, each.setting}];
    row.model = model;
    row.batch = each.batch;
    row.setting = each.setting;
    row.by_compiler[each.compiler].push_back(&each);
    numbers.models.insert(model);
    compilers.emplace(!each.compiler.starts_with(metrics::known_as(metrics::kIdentity)), each.compiler);
    ++numbers.count;
  }
  for (const auto& [is_other, compiler] : compilers) numbers.compilers.push_back(compiler);
  for (auto& [key, row] : rows) {
    for (auto& [compiler, all] : row.by_compiler) std::ranges::stable_sort(all, is_shown_before);
    find_fastest(row);
    numbers.rows[std::get<0>(key)].push_back(std::move(row));
  }
  return numbers;
}

// Returns the class of a background: how far the speed-up is from 1, and only where its interval leaves 1 out.
const char* heat_of(const report::Entry& speed_up) {
  constexpr double kStrong = 2;
  constexpr double kClear = 1.25;
  const auto value = speed_up.number();
  if (!value || !speed_up.low || !speed_up.high || (*speed_up.low <= 1 && *speed_up.high >= 1)) return "h3";
  const double size = std::max(*value, 1 / *value);
  if (*value > 1) return size >= kStrong ? "h0" : size >= kClear ? "h1" : "h2";
  return size >= kStrong ? "h6" : size >= kClear ? "h5" : "h4";
}

std::string measurement_html(const Collection& collection, const Measurement& shown, bool is_newest, bool is_fastest) {
  const std::string page = collection.bundles[shown.bundle].page();
  const std::string link = fmt::format("{}/{}.html#{}", kBundlesFolder, page, anchor_of(shown));
  const std::string version = shown.version.empty() ? "" : fmt::format(" <small>{}</small>", escaped(shown.version));
  const char* const older = is_newest ? "" : " older";
  if (!shown.why_none.empty()) {
    return fmt::format("<div class=\"e none{}\"><a href=\"{}\" title=\"{}\">none</a>{}</div>", older, link,
                       escaped(shown.why_none), version);
  }
  const std::string flags = shown.flags.empty() ? ""
                                                : fmt::format(" <span class=\"flag\" title=\"{0}\">⚑</span>",
                                                              escaped(text::join(shown.flags, ", ")));
  return fmt::format(
      "<div class=\"e {}{}{}\"><a href=\"{}\"><span class=\"r\">{}</span> <span class=\"t\">{}</span></a>{}{}</div>",
      heat_of(shown.numbers[kSpeedUp]), is_fastest ? " fastest" : "", older, link, number_html(shown, kSpeedUp),
      number_html(shown, kLatency), version, flags);
}

std::string workload_html(const Collection& collection, const Numbers& numbers, const Row& row) {
  std::string html = fmt::format(
      "<tr data-model=\"{0}\" data-batch=\"{1}\" data-setting=\"{2}\"><th scope=\"row\">{0} <small>batch {1}, "
      "{2}</small>",
      escaped(row.model), row.batch, escaped(row.setting));
  for (const std::string& compiler : numbers.compilers) {
    html += "<td>";
    const auto found = row.by_compiler.find(compiler);
    if (found == row.by_compiler.end()) continue;
    for (const Measurement* each : found->second) {
      html += measurement_html(collection, *each, each == found->second.front(), row.may_be_fastest.contains(each));
    }
  }
  return html + "\n";
}

std::string head_html(const Numbers& numbers, const char* first) {
  std::string html = fmt::format("<thead><tr>{}", first);
  for (const std::string& compiler : numbers.compilers)
    html += fmt::format("<th scope=\"col\">{}</th>", escaped(compiler));
  return html + "</tr></thead>\n";
}

std::string named_table_html(const char* name, const char* caption, const std::string& html) {
  return fmt::format(
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table class=\"matrix\" "
      "id=\"{1}\"><caption>{0}</caption>{2}</table></div>\n",
      caption, name, html);
}

std::string numbers_table(const Collection& collection, const Numbers& numbers) {
  std::string html = head_html(numbers, "<th scope=\"col\">workload</th>");
  for (const auto& [machine, rows] : numbers.rows) {
    html +=
        fmt::format("<tbody><tr class=\"workload\"><th colspan=\"{}\" scope=\"rowgroup\"><span>{}</span></th></tr>\n",
                    numbers.compilers.size() + 1, escaped(machine));
    for (const Row& row : rows) html += workload_html(collection, numbers, row);
    html += "</tbody>\n";
  }
  return named_table_html("numbers", "Speed-up over PyTorch eager, and the median latency", html);
}

// "3 of 5": in how many of its workloads there the compiler's newest version may be the fastest.
std::string fastest_table(const Numbers& numbers) {
  std::string html = head_html(numbers, "<th scope=\"col\">machine</th>") + "<tbody>\n";
  for (const auto& [machine, rows] : numbers.rows) {
    html += fmt::format("<tr><th scope=\"row\">{}", escaped(machine));
    for (const std::string& compiler : numbers.compilers) {
      std::size_t measured = 0;
      std::size_t fastest = 0;
      for (const Row& row : rows) {
        const auto found = row.by_compiler.find(compiler);
        if (found == row.by_compiler.end() || !found->second.front()->why_none.empty()) continue;
        ++measured;
        fastest += row.may_be_fastest.count(found->second.front());
      }
      html += measured == 0 ? "<td class=\"none\">–" : fmt::format("<td>{} of {}", fastest, measured);
    }
    html += '\n';
  }
  return named_table_html("fastest", "Workloads in which the newest version is the fastest, or not told from it",
                          html + "</tbody>");
}

std::string bundles_table(const Collection& collection) {
  std::string html =
      "<thead><tr><th scope=\"col\">bundle</th><th scope=\"col\">by</th><th scope=\"col\">licence</th><th "
      "scope=\"col\">date</th><th scope=\"col\">machines</th><th scope=\"col\">left to its "
      "ngb</th></tr></thead><tbody>\n";
  for (const Bundle& each : collection.bundles) {
    if (!each.why_refused.empty()) continue;
    std::vector<std::string> machines;
    for (const Machine& machine : each.machines) machines.push_back(machine.name);
    const auto unchecked = std::ranges::count_if(each.verification->outcomes, [](const bundle::RuleOutcome& outcome) {
      return outcome.why_unchecked.has_value();
    });
    const bundle::About& about = *each.verification->about;
    html +=
        fmt::format("<tr><th scope=\"row\"><a href=\"{0}/{1}.html\">{2}</a>{3}<td>{4}<td>{5}<td>{6}<td>{7}<td>{8}\n",
                    kBundlesFolder, each.page(), escaped(each.name),
                    each.copy_of.empty() ? "" : escaped(", all of it in " + each.copy_of),
                    about.authors.empty() ? "unknown" : escaped(text::join(about.authors, ", ")),
                    escaped(about.licence.value_or("none: ask before you use it")), escaped(about.date),
                    escaped(text::join(machines, "; ")),
                    unchecked == 0 ? "" : counted(static_cast<std::size_t>(unchecked), "rule"));
  }
  return named_table_html("bundles", "Bundles that verify", html + "</tbody>");
}

std::string not_counted_html(const Collection& collection) {
  std::vector<std::vector<std::string>> refused;
  for (const Bundle& each : collection.bundles) {
    if (!each.why_refused.empty()) refused.push_back({each.name, each.why_refused});
  }
  std::string html;
  if (!refused.empty()) {
    html += "<h3>Refused</h3>\n<p>Nothing of them is shown. <code>ngb verify</code> says all.</p>\n" +
            report::page::html_table("Bundles that do not verify", {"bundle", "why"}, refused);
  }
  std::vector<std::string> copies;
  for (const std::string& each : collection.same_files) copies.push_back(each + ", byte for byte");
  for (const Bundle& each : collection.bundles) {
    if (!each.copy_of.empty())
      copies.push_back(fmt::format("all measurements of {} are in {}", each.name, each.copy_of));
  }
  if (!copies.empty()) html += "<h3>Counted once</h3>\n<ul>\n" + report::page::html_items(copies) + "</ul>\n";
  return html;
}

std::string summary_html(const Collection& collection, const Numbers& numbers) {
  const auto refused = static_cast<std::size_t>(
      std::ranges::count_if(collection.bundles, [](const Bundle& each) { return !each.why_refused.empty(); }));
  std::string html =
      fmt::format("<p class=\"machines\">{}, {}, {}: {} from {} that verify", counted(numbers.rows.size(), "machine"),
                  counted(numbers.models.size(), "model"), counted(numbers.compilers.size(), "compiler"),
                  counted(numbers.count, "cell"), counted(collection.bundles.size() - refused, "bundle"));
  if (refused > 0) html += fmt::format("; <a href=\"#from\">{} refused</a>", counted(refused, "bundle"));
  return html + "</p>";
}

constexpr const char* kReading =
    "<p>Each number is a link to its bundle, and to the rule by which it was computed again from the bundle's samples. "
    "Speed-ups are over PyTorch eager (identity) in the same bundle, with 95 % intervals; a colour means that the "
    "interval leaves 1 out: blue is faster, orange is slower. The time is the median latency. <b>Bold</b>: the fastest "
    "of the newest versions, or not told from it. Numbers of one bundle were measured in turns; those of two were not, "
    "so the fastest of several bundles is a hint, and <code>ngb run</code> with both decides.</p>\n";

}  // namespace

std::string index_page(const Collection& collection, const std::string& made_by) {
  const Numbers numbers = numbers_of(collection);
  std::string body;
  if (numbers.count > 0) {
    body = fmt::format(
        "<section aria-labelledby=\"answer-heading\"><h2 id=\"answer-heading\">What is fastest</h2>\n{}</section>\n"
        "<section id=\"all\" aria-labelledby=\"all-heading\"><h2 id=\"all-heading\">Numbers</h2>\n{}<div "
        "id=\"choices\"></div><p id=\"status\" role=\"status\"></p>\n{}</section>\n",
        fastest_table(numbers), kReading, numbers_table(collection, numbers));
  }
  body += fmt::format(
      "<section id=\"from\" aria-labelledby=\"from-heading\"><h2 id=\"from-heading\">Where this is "
      "from</h2>\n{}{}</section>\n{}",
      bundles_table(collection), not_counted_html(collection), kText_add_yours_html);
  return report::page::whole_page({.title = "Graph compilers, measured by many",
                                   .summary = summary_html(collection, numbers),
                                   .first = "all",
                                   .body = std::move(body),
                                   .further_style = kText_collection_css,
                                   .only_script = kText_collection_js,
                                   .made_by = made_by});
}

}  // namespace ngb::collection
