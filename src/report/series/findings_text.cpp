// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/text.h"
#include "metrics/series/claims.h"
#include "metrics/series/findings.h"
#include "report/series/series.h"
#include "report/write/text.h"
#include "report/write/text_width.h"

namespace ngb::report {

namespace {

using metrics::series::ClaimStatus;
using metrics::series::KeptClaim;
using metrics::series::KeptFinding;

std::string title(const std::string& words, const ShowOptions& options) {
  return styled(words, Style::heading, options.color) + '\n';
}

std::string sentences_text(const std::vector<KeptFinding>& findings, bool is_to_act_on, const ShowOptions& options) {
  std::string text;
  for (const KeptFinding& finding : findings) {
    if (finding.is_to_act_on == is_to_act_on) text += "  " + text::visible(finding.sentence) + '\n';
  }
  return wrapped(text, options.wrap);
}

std::string words_of_status(const std::string& status) {
  for (const ClaimStatus each :
       {ClaimStatus::holds, ClaimStatus::does_not, ClaimStatus::undecided, ClaimStatus::not_measured}) {
    if (metrics::series::name(each) == status) return std::string(metrics::series::words(each));
  }
  return status;
}

std::string claims_text(const std::vector<KeptClaim>& claims, const ShowOptions& options) {
  const Table table = claims_table(claims);
  if (table.sections.empty()) return "";
  const RenderedTable rendering = render(table, options.all ? 0 : options.width, options.color);
  return rendering.text + (rendering.left_out.empty() ? "" : "\n--all also says why a claim is undecided.\n");
}

}  // namespace

Entry ratio_with_interval(const metrics::Value& ratio) {
  Entry entry = number_entry(ratio.value, "not known");
  if (entry.is_empty()) return entry;
  entry.low = ratio.low;
  entry.high = ratio.high;
  return entry;
}

std::vector<KeptClaim> take_unmeasured(std::vector<KeptClaim>& claims) {
  const auto is_measured = [](const KeptClaim& claim) { return claim.status != name(ClaimStatus::not_measured); };
  const auto end = std::stable_partition(claims.begin(), claims.end(), is_measured);
  std::vector<KeptClaim> unmeasured(std::make_move_iterator(end), std::make_move_iterator(claims.end()));
  claims.erase(end, claims.end());
  return unmeasured;
}

Table claims_table(const std::vector<KeptClaim>& claims) {
  Table table;
  table.columns = {text_column("compiler"),  text_column("device"),
                   text_column("status"),    number_column("value [95 %]", 0, "ratio"),
                   text_column("workloads"), text_column("why it is undecided", 1)};
  std::string last;
  for (const KeptClaim& claim : claims) {
    if (table.sections.empty() || last != claim.claim) {
      last = claim.claim;
      table.sections.push_back({.title = fmt::format("{} ({}){}", claim.sentence, claim.source,
                                                     claim.quantity.empty() ? "" : ": " + claim.quantity)});
    }
    const std::set<std::string> workloads(claim.cell_ids.begin(), claim.cell_ids.end());
    Row shown;
    shown.entries = {{.value = claim.compiler.empty() ? "–" : claim.compiler},
                     {.value = claim.device},
                     {.value = words_of_status(claim.status)},
                     ratio_with_interval(claim),
                     {.value = std::to_string(workloads.size())},
                     {.value = claim.reason}};
    if (claim.compiler.empty()) shown.rest = Entry{.value = "not measured: " + claim.reason};
    table.sections.back().rows.push_back(std::move(shown));
  }
  return table;
}

std::string words_of_orders(const Conclusions& all) {
  if (!all.orders) return {};
  if (all.orders->are_too_many) return "Too many pairs to look for reversed orders.";
  const std::size_t looked_at = all.orders->looked_at;
  if (all.reversals.empty()) return fmt::format("No reversal; comparisons of two orders: {}.", looked_at);
  return fmt::format("Reversals: {}, among {} comparisons of two orders; at most 5 % of them are expected to be false.",
                     all.reversals.size(), looked_at);
}

std::string answer_text(const Results& results) {
  std::string text;
  for (const std::string& sentence : conclusions_in(results).answer.sentences) text += text::visible(sentence) + '\n';
  return text;
}

std::string findings_text(const Results& results, const ShowOptions& options, std::string_view publication) {
  Conclusions all = conclusions_in(results);
  const std::size_t unmeasured = options.all ? 0 : take_unmeasured(all.claims).size();
  std::string text = wrapped(answer_text(results), options.wrap);
  if (!text.empty()) text += '\n';
  const std::string to_act_on = sentences_text(all.findings, true, options);
  if (!to_act_on.empty()) text += title("To act on", options) + to_act_on + '\n';
  const std::string for_information = sentences_text(all.findings, false, options);
  text += title("For information", options);
  text +=
      for_information.empty() ? "  No difference in these results is certain enough to be stated.\n" : for_information;
  const std::string orders = words_of_orders(all);
  text += '\n' + title("Reversed orders", options) + wrapped(orders.empty() ? "" : "  " + orders + '\n', options.wrap);
  if (!publication.empty()) {
    text += '\n' + title(fmt::format("The {}'s claims", publication), options) + claims_text(all.claims, options);
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
