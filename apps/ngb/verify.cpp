// SPDX-License-Identifier: Apache-2.0
// ngb verify: checks a bundle and says which rules it breaks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "apps/ngb/command.h"
#include "apps/ngb/format_option.h"
#include "apps/ngb/terminal.h"
#include "apps/revision/revision.h"
#include "bundle/verification.h"

namespace ngb::app {
namespace {

using bundle::Level;
using bundle::RuleOutcome;
using bundle::Verification;

struct VerifyArguments {
  std::string bundle;
  FormatArguments format;
};

// The outcome of the whole: a word for programs, a sentence for people, and the exit code.
struct BundleVerdict {
  const char* word;
  const char* sentence;
  ExitCode code;
};

BundleVerdict verdict_on(const Verification& verification) {
  if (!verification.holds(Level::files)) {
    return {"files_differ", "the files are not those that the manifest lists: the bundle was damaged or changed",
            kFilesDiffer};
  }
  if (!verification.holds(Level::numbers)) {
    return {"numbers_differ",
            "the files are those that the manifest lists, but not all of them follow from the samples: somebody has "
            "changed the bundle and made its manifest anew",
            kNumbersDiffer};
  }
  if (!verification.is_complete()) return {"unknown", "not every rule could be checked", kCannotGoOn};
  return {"verified", "the files are those that the manifest lists, and every number follows from the samples",
          kSuccess};
}

const char* outcome_word(const RuleOutcome& outcome) {
  if (!outcome.problems.empty()) return "fails";
  return outcome.why_unchecked ? "unchecked" : "holds";
}

// What is said after the word: why a rule is unchecked, or a remark.
std::string outcome_note(const RuleOutcome& outcome) {
  return outcome.problems.empty() && outcome.why_unchecked ? *outcome.why_unchecked : outcome.remark;
}

// Returns how many rules, from the one at `begin` on, are unchecked for the reason for which that one is.
std::size_t unchecked_alike(const std::vector<RuleOutcome>& outcomes, std::size_t begin) {
  std::size_t end = begin;
  while (end < outcomes.size() && outcomes[end].problems.empty() && outcomes[end].why_unchecked &&
         outcomes[end].why_unchecked == outcomes[begin].why_unchecked) {
    ++end;
  }
  return end - begin;
}

std::string ids_of(std::span<const RuleOutcome> outcomes) {
  std::vector<std::string_view> ids;
  for (const RuleOutcome& outcome : outcomes) ids.emplace_back(outcome.rule->id);
  return fmt::format("{}", fmt::join(ids, ", "));
}

void print_verification(const std::string& given, const Verification& verification, const BundleVerdict& verdict) {
  constexpr std::size_t kMostShown = 10;
  if (verification.about) {
    say("{}: made by ngb {}, verified by ngb {}\n", given, verification.about->made_by, describe(this_revision()));
  }
  const std::vector<RuleOutcome>& outcomes = verification.outcomes;
  for (std::size_t at = 0; at < outcomes.size(); ++at) {
    const RuleOutcome& outcome = outcomes[at];
    const std::string note = outcome_note(outcome);
    if (const std::size_t alike = unchecked_alike(outcomes, at); alike > 1) {
      say("  unchecked: {}: {}\n", ids_of(std::span(outcomes).subspan(at, alike)), note);
      at += alike - 1;
      continue;
    }
    say("  {:<12}{}{}{}\n", outcome.rule->id, outcome_word(outcome), note.empty() ? "" : ": ", note);
    for (std::size_t i = 0; i < std::min(kMostShown, outcome.problems.size()); ++i) {
      say("    {}: {}\n", outcome.problems[i].where, outcome.problems[i].what);
    }
    if (outcome.problems.size() > kMostShown) {
      say("    and {} more; --format json has all\n", outcome.problems.size() - kMostShown);
    }
  }
  say("{}: {}\n", verdict.word, verdict.sentence);
}

nlohmann::json verification_json(const std::string& given, const Verification& verification,
                                 const BundleVerdict& verdict) {
  nlohmann::json rules = nlohmann::json::array();
  for (const RuleOutcome& outcome : verification.outcomes) {
    nlohmann::json problems = nlohmann::json::array();
    for (const bundle::Problem& problem : outcome.problems) {
      problems.push_back({{"where", problem.where}, {"what", problem.what}});
    }
    rules.push_back({{"rule", outcome.rule->id},
                     {"level", outcome.rule->level == Level::files ? "files" : "numbers"},
                     {"meaning", outcome.rule->meaning},
                     {"outcome", outcome_word(outcome)},
                     {"note", outcome_note(outcome)},
                     {"problems", std::move(problems)}});
  }
  const auto& about = verification.about;
  return {{"bundle", given},
          {"made_by", about ? nlohmann::json(about->made_by) : nlohmann::json()},
          {"verified_by", describe(this_revision())},
          {"verdict", verdict.word},
          {"rules", std::move(rules)}};
}

int verify(const VerifyArguments& arguments) {
  const auto format = arguments.format.among(report::text_and_json());
  if (!format) return report_failure(format.error(), kWrongUsage);
  const auto verification = bundle::verify_bundle(arguments.bundle, describe(this_revision()));
  if (!verification) return report_failure(verification.error(), kCannotGoOn);
  const BundleVerdict verdict = verdict_on(*verification);
  if ((*format)->is("json")) {
    print_json_text(verification_json(arguments.bundle, *verification, verdict));
  } else {
    print_verification(arguments.bundle, *verification, verdict);
  }
  return verdict.code;
}

std::string help_on_rules() {
  std::string text = "Rules on the files (exit code 6 if one fails):\n";
  for (const bundle::Rule& rule : bundle::rules()) {
    const bool is_first_on_numbers = std::string_view(rule.id) == "samples";
    if (is_first_on_numbers) text += "Rules on the numbers (exit code 7 if one fails, and none on the files):\n";
    text += fmt::format("  {:<12}{}\n", rule.id, rule.meaning);
  }
  return text;
}

}  // namespace

void add_verify(CLI::App& app, const Installation& /*installation*/, Action& chosen) {
  const auto arguments = std::make_shared<VerifyArguments>();
  CLI::App* command = app.add_subcommand("verify", "Check a bundle: its files, and every number from the samples");
  command->add_option("bundle", arguments->bundle, "The zip file, or the folder that it was unpacked into")->required();
  add_format_option(*command, arguments->format, report::text_and_json(),
                    help_on_rules() +
                        "Exit code 0: all hold. 3: the bundle cannot be read, a newer version of ngb has made it, or "
                        "the version that\n"
                        "has made it has to decide.\n\n"
                        "Examples:\n  ngb verify quickstart.zip\n  ngb verify quickstart.zip --format json");
  command->callback([=, &chosen] { chosen = [=] { return verify(*arguments); }; });
}

}  // namespace ngb::app
