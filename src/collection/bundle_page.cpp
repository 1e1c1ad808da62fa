// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "collection.css.h"
#include "collection/pages.h"
#include "report/page/html.h"
#include "report/page/page_parts.h"

namespace ngb::collection {
namespace {

using report::page::escaped;
using report::page::prose;

bool holds(const bundle::RuleOutcome& outcome) { return outcome.problems.empty() && !outcome.why_unchecked; }

// The rule by which the bundle's own values of its cells were computed again. Where these are left to another ngb, only
// the samples were checked, from which all numbers here are computed.
const char* rule_of_numbers(const bundle::Verification& verification) {
  const bool has_same_values = std::ranges::any_of(verification.outcomes, [](const bundle::RuleOutcome& outcome) {
    return std::string_view(outcome.rule->id) == "derived" && holds(outcome);
  });
  return has_same_values ? "derived" : "samples";
}

std::string rules_html(const bundle::Verification& verification) {
  std::string html =
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Rules\"><table><caption>Rules of ngb "
      "verify</caption><thead><tr><th scope=\"col\">rule</th><th scope=\"col\">came out</th><th "
      "scope=\"col\">meaning</th></tr></thead><tbody>\n";
  for (const bundle::RuleOutcome& each : verification.outcomes) {
    const std::string why = each.why_unchecked ? "unchecked: " + *each.why_unchecked : "holds";
    html += fmt::format("<tr id=\"rule-{0}\"><th scope=\"row\">{0}<td>{1}<td>{2}\n", each.rule->id, prose(why),
                        prose(each.rule->meaning));
  }
  return html + "</tbody></table></div>\n";
}

std::string cell_row_html(const Measurement& shown, const char* rule) {
  std::string html = fmt::format("<tr id=\"{}\"><th scope=\"row\">{} {}<td>{}<td>{}<td>{}<td>{}", anchor_of(shown),
                                 escaped(shown.compiler), escaped(shown.version), escaped(shown.model), shown.batch,
                                 escaped(shown.setting), escaped(shown.machine));
  if (!shown.why_none.empty()) return html + fmt::format("<td colspan=\"4\">{}\n", prose(shown.why_none));
  for (const Quantity each : {kSpeedUp, kLatency, kThroughput}) {
    html += fmt::format("<td class=\"n\">{}", number_html(shown, each));
  }
  html += fmt::format("<td><a href=\"#rule-{0}\">{0}</a>", rule);
  if (shown.is_copy) html += ", in another bundle too";
  for (const std::string& flag : shown.flags) html += fmt::format(" <span class=\"flag\">{}</span>", escaped(flag));
  return html + "\n";
}

std::string cells_html(const Collection& collection, std::size_t bundle, const char* rule) {
  std::string html =
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Cells\"><table class=\"cells\"><caption>Cells"
      "</caption><thead><tr>";
  for (const char* const column : {"compiler", "model", "batch", "setting", "machine"}) {
    html += fmt::format("<th scope=\"col\">{}</th>", column);
  }
  for (const report::NumberColumn& each : quantities()) {
    html += fmt::format("<th scope=\"col\" class=\"n\">{}</th>", escaped(report::heading(each, "")));
  }
  html += "<th scope=\"col\">computed again by</th></tr></thead><tbody>\n";
  for (const Measurement& each : collection.measurements) {
    if (each.bundle == bundle) html += cell_row_html(each, rule);
  }
  return html + "</tbody></table></div>\n";
}

std::string machine_html(const Machine& machine) {
  std::vector<std::vector<std::string>> rows;
  for (const samples::EnvironmentEntry& each : machine.entries) {
    const std::string unit = each.unit.empty() || each.unit == "1" ? "" : " " + each.unit;
    rows.push_back({each.name, each.value.value ? *each.value.value + unit : "unknown: " + each.value.reason});
  }
  return report::page::html_table(machine.name, {"entry", "value"}, rows);
}

std::string about_html(const Bundle& bundle) {
  const bundle::About& about = *bundle.verification->about;
  std::vector<std::vector<std::string>> rows{
      {"description", about.description},
      {"authors", about.authors.empty() ? "unknown" : text::join(about.authors, ", ")},
      {"licence", about.licence.value_or("none was chosen: nobody may use the data without asking")},
      {"date", about.date},
      {"published at", about.url.empty() ? "unknown" : about.url},
      {"study", bundle.study},
      {"made by", "ngb " + about.made_by},
      {"SHA-256", bundle.sha256}};
  return report::page::html_table("What its authors say", {"what", "text"}, rows);
}

}  // namespace

std::string anchor_of(const Measurement& measurement) { return "cell-" + escaped(measurement.cell_id); }

std::string number_html(const Measurement& measurement, Quantity quantity) {
  const report::Entry& entry = measurement.numbers.at(quantity);
  const report::Shown shown = report::shown_entry(entry, quantities()[quantity].metric->unit);
  if (entry.is_empty()) return fmt::format("<span title=\"{}\">–</span>", escaped(entry.reason));
  const std::string tail = shown.tail.empty() ? "" : fmt::format("<small>{}</small>", escaped(shown.tail));
  return escaped(shown.main) + tail;
}

std::string bundle_page(const Collection& collection, std::size_t bundle, const std::string& made_by) {
  const Bundle& shown = collection.bundles[bundle];
  std::string body = fmt::format(
      "<section id=\"about\" aria-labelledby=\"about-heading\"><h2 id=\"about-heading\">The bundle</h2>\n{}<p>To check "
      "it yourself: <code>ngb verify {}.zip</code></p>\n</section>\n",
      about_html(shown), shown.page());
  body += fmt::format(
      "<section aria-labelledby=\"rules-heading\"><h2 id=\"rules-heading\">How it was verified</h2>\n{}</section>\n"
      "<section aria-labelledby=\"cells-heading\"><h2 id=\"cells-heading\">Its numbers</h2>\n{}</section>\n"
      "<section aria-labelledby=\"machines-heading\"><h2 id=\"machines-heading\">Its machines</h2>\n",
      rules_html(*shown.verification), cells_html(collection, bundle, rule_of_numbers(*shown.verification)));
  for (const Machine& each : shown.machines) body += machine_html(each);
  return report::page::whole_page(
      {.title = shown.name,
       .summary = fmt::format("<p class=\"machines\"><a href=\"../index.html\">All numbers</a> · <a "
                              "href=\"{}.zip\">Download the bundle</a></p>",
                              shown.page()),
       .first = "about",
       .body = body + "</section>\n",
       .further_style = kText_collection_css,
       .only_script = "",
       .made_by = made_by});
}

}  // namespace ngb::collection
