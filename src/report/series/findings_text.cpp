// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/text.h"
#include "metrics/series/claims.h"
#include "metrics/series/findings.h"
#include "report/series/series.h"
#include "report/write/text.h"
#include "report/write/text_width.h"

namespace ngb::report {

std::string text_at(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool is_true_at(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && *found == true;
}

std::optional<double> number_at(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

namespace {

using nlohmann::json;

std::string title(const std::string& words, const ShowOptions& options) {
  return styled(words, Style::heading, options.color) + '\n';
}

std::string sentences_text(const json& findings, bool is_to_act_on, const ShowOptions& options) {
  std::string text;
  for (const json& finding : findings) {
    if (is_true_at(finding, "to_act_on") != is_to_act_on) continue;
    text += "  " + text::visible(text_at(finding, "sentence")) + '\n';
  }
  return wrapped(text, options.wrap);
}

std::string words_of_status(const std::string& status) {
  using metrics::series::ClaimStatus;
  for (const ClaimStatus each :
       {ClaimStatus::holds, ClaimStatus::does_not, ClaimStatus::undecided, ClaimStatus::not_measured}) {
    if (metrics::series::name(each) == status) return std::string(metrics::series::words(each));
  }
  return status;
}

// Returns how many cells a claim's number was formed of, each once.
std::size_t number_of_workloads(const json& claim) {
  const auto ids = claim.find("cell_ids");
  return ids == claim.end() || !ids->is_array() ? 0 : std::set<json>(ids->begin(), ids->end()).size();
}

std::string claims_text(const json& all, const ShowOptions& options) {
  const Table table = claims_table(all);
  if (table.sections.empty()) return "";
  const RenderedTable rendering = render(table, options.all ? 0 : options.width, options.color);
  return rendering.text + (rendering.left_out.empty() ? "" : "\n--all also says why a claim is undecided.\n");
}

}  // namespace

Entry ratio_with_interval(const json& row) {
  Entry entry = number_entry(number_at(row, "value"), "not known");
  if (entry.is_empty()) return entry;
  entry.low = number_at(row, "low");
  entry.high = number_at(row, "high");
  return entry;
}

std::size_t drop_unmeasured_claims(json& all) {
  json& claims = all["claims"];
  const std::size_t count = claims.size();
  const std::string unmeasured(name(metrics::series::ClaimStatus::not_measured));
  claims.erase(std::remove_if(claims.begin(), claims.end(),
                              [&](const json& row) { return text_at(row, "status") == unmeasured; }),
               claims.end());
  return count - claims.size();
}

Table claims_table(const json& all) {
  Table table;
  table.columns = {text_column("compiler"),  text_column("device"),
                   text_column("status"),    number_column("value [95 %]", 0, "ratio"),
                   text_column("workloads"), text_column("why it is undecided", 1)};
  std::string last;
  for (const json& row : all["claims"]) {
    if (table.sections.empty() || last != text_at(row, "claim")) {
      last = text_at(row, "claim");
      const std::string quantity = text_at(row, "quantity");
      table.sections.push_back({.title = fmt::format("{} ({}){}", text_at(row, "sentence"), text_at(row, "source"),
                                                     quantity.empty() ? "" : ": " + quantity)});
    }
    const std::string compiler = text_at(row, "compiler");
    Row shown;
    shown.entries = {{.value = compiler.empty() ? "–" : compiler},        {.value = text_at(row, "device")},
                     {.value = words_of_status(text_at(row, "status"))},  ratio_with_interval(row),
                     {.value = std::to_string(number_of_workloads(row))}, {.value = text_at(row, "reason")}};
    if (compiler.empty()) shown.rest = Entry{.value = "not measured: " + text_at(row, "reason")};
    table.sections.back().rows.push_back(std::move(shown));
  }
  return table;
}

std::string words_of_orders(const json& all) {
  const json& orders = all["orders"];
  if (!orders.is_object()) return {};
  if (is_true_at(orders, "are_too_many")) return "Too many pairs to look for reversed orders.";
  const double looked_at = number_at(orders, "looked_at").value_or(0);
  if (all["reversals"].empty()) return fmt::format("No reversal; comparisons of two orders: {}.", looked_at);
  return fmt::format("Reversals: {}, among {} comparisons of two orders; at most 5 % of them are expected to be false.",
                     all["reversals"].size(), looked_at);
}

std::vector<std::string> sentences_of_answer(const json& all) {
  std::vector<std::string> texts;
  const json& answer = all["answer"];
  if (!answer.is_object() || !answer.contains("sentences") || !answer["sentences"].is_array()) return texts;
  for (const json& sentence : answer["sentences"]) {
    if (sentence.is_string()) texts.push_back(sentence.get<std::string>());
  }
  return texts;
}

std::string answer_text(const Results& results) {
  std::string text;
  for (const std::string& sentence : sentences_of_answer(conclusions_json(results)))
    text += text::visible(sentence) + '\n';
  return text;
}

std::string findings_text(const Results& results, const ShowOptions& options, std::string_view publication) {
  json all = conclusions_json(results);
  const std::size_t unmeasured = options.all ? 0 : drop_unmeasured_claims(all);
  std::string text = wrapped(answer_text(results), options.wrap);
  if (!text.empty()) text += '\n';
  const std::string to_act_on = sentences_text(all["findings"], true, options);
  if (!to_act_on.empty()) text += title("To act on", options) + to_act_on + '\n';
  const std::string for_information = sentences_text(all["findings"], false, options);
  text += title("For information", options);
  text +=
      for_information.empty() ? "  No difference in these results is certain enough to be stated.\n" : for_information;
  const std::string orders = words_of_orders(all);
  text += '\n' + title("Reversed orders", options) + wrapped(orders.empty() ? "" : "  " + orders + '\n', options.wrap);
  if (!publication.empty()) {
    text += '\n' + title(fmt::format("The {}'s claims", publication), options) + claims_text(all, options);
  }
  if (unmeasured > 0) {
    text += fmt::format("{} {} {} not measured by this study; --all says what {} needs.\n", unmeasured,
                        unmeasured == 1 ? "claim" : "claims", unmeasured == 1 ? "is" : "are",
                        unmeasured == 1 ? "it" : "each");
  }
  text += wrapped(fmt::format("\nOf studies in which nothing differs, at most {:g} % have any of these sentences of a "
                              "difference. --json has the rows behind each.\n",
                              100 * metrics::series::kSentenceErrorRate),
                  options.wrap);
  return text;
}

}  // namespace ngb::report
