// SPDX-License-Identifier: Apache-2.0
// ngb bundle: writes results, and all that is made of them, as one zip file that can be handed in.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <system_error>

#include "apps/ngb/command.h"
#include "apps/ngb/terminal.h"
#include "apps/revision/revision.h"
#include "base/hash.h"
#include "base/text.h"
#include "bundle/contents.h"
#include "bundle/manifest.h"
#include "store/store.h"

namespace ngb::app {
namespace {

namespace fs = std::filesystem;

struct BundleArguments {
  std::string results;
  std::string output;
  bundle::About about;
  std::string licence;  // "": none
};

// Returns "2026-11-25", in UTC.
std::string day_of(std::int64_t unix_ns) {
  const std::chrono::sys_time<std::chrono::nanoseconds> time{std::chrono::nanoseconds(unix_ns)};
  const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(time));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                     static_cast<unsigned>(day.day()));
}

// Returns an error if a text would be more than one line of a file.
Status check_texts(const bundle::About& about) {
  std::vector<std::string> texts{about.name, about.description, about.url};
  texts.insert(texts.end(), about.authors.begin(), about.authors.end());
  for (const std::string& text : texts) {
    const bool has_control =
        std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7F; });
    if (has_control || text != text::to_utf8(text)) {
      return fail("a text has control characters or is not UTF-8", "--name, --description, --author or --url",
                  "write it in one line");
    }
  }
  return Done{};
}

Status complete_about(BundleArguments& arguments, const store::RunState& last) {
  bundle::About& about = arguments.about;
  if (!arguments.licence.empty()) {
    const auto licence = bundle::find_licence(arguments.licence);
    if (!licence) return error_of(licence);
    about.licence = arguments.licence;
  }
  if (about.name.empty()) about.name = text::to_utf8(last.study_name);
  if (about.description.empty()) {
    about.description = fmt::format("Times of inference with graph compilers, measured by NGraphBench in the study {}.",
                                    text::to_utf8(last.study_name));
  }
  // No file of a zip is older; the clock of a board that has none of its own begins at 1970.
  constexpr std::int64_t kFirstDayUnixNs = 315'532'800'000'000'000;
  if (about.date.empty()) about.date = day_of(std::max(last.started_unix_ns, kFirstDayUnixNs));
  if (!bundle::is_date(about.date)) {
    return fail(fmt::format("\"{}\" is no day of the calendar", about.date), "--date", "write YYYY-MM-DD");
  }
  about.made_by = describe(this_revision());
  about.formulas = bundle::formulas();
  return check_texts(about);
}

Result<store::RunState> newest_run(const fs::path& results_file) {
  auto store = store::Store::open(results_file, store::Mode::read_only);
  if (!store) return error_of(store);
  const auto runs = store->runs();
  if (!runs) return error_of(runs);
  if (runs->empty()) return fail("no study was run here", results_file.string(), "run the study first");
  return runs->back();
}

int make_bundle(BundleArguments arguments) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(arguments.output, error))) {
    return report_failure({"it exists already", arguments.output, "give -o a name that is not in use"}, kWrongUsage);
  }
  const fs::path results_file = fs::path(arguments.results) / "results.db";
  const auto last = newest_run(results_file);
  if (!last) return report_failure(last.error(), kCannotGoOn);
  if (const Status complete = complete_about(arguments, *last); !complete) {
    return report_failure(complete.error(), kWrongUsage);
  }
  const auto count = bundle::write_bundle(results_file, arguments.about, arguments.output);
  if (!count) return report_failure(count.error(), kCannotGoOn);
  const auto sha256 = hash::sha256_of_file(arguments.output);
  if (!sha256) return report_failure(sha256.error(), kCannotGoOn);
  const std::uintmax_t bytes = fs::file_size(arguments.output, error);
  say("Bundle: {} ({} files, {})\nSHA-256: {}\n", arguments.output, *count, text::human_bytes(error ? 0 : bytes),
      *sha256);
  if (!arguments.about.licence) {
    say("No licence was chosen, so nobody may use the data without asking: choose one with --licence, such as "
        "CC-BY-4.0\n");
  }
  if (arguments.about.authors.empty()) say("No author is named: name each with --author\n");
  return kSuccess;
}

std::string help_on_licences() {
  std::string text = "Licences:\n";
  for (const bundle::Licence& licence : bundle::licences()) {
    text += fmt::format("  {:<20}{}\n", licence.spdx, licence.name);
  }
  return text;
}

}  // namespace

void add_bundle(CLI::App& app, const Installation& /*installation*/, Action& chosen) {
  const auto arguments = std::make_shared<BundleArguments>();
  bundle::About& about = arguments->about;
  CLI::App* command = app.add_subcommand("bundle", "Write results, and all that is made of them, as one zip file");
  command->add_option("results", arguments->results, "The results folder")->required();
  command->add_option("-o,--output", arguments->output, "The zip file, which must not exist")->required();
  command->add_option("--licence,--license", arguments->licence,
                      "The licence of the data, by its SPDX identifier; see below (default: none)");
  command->add_option("--author", about.authors, "An author of the data; may be repeated (default: unknown)")
      ->allow_extra_args(false);
  command->add_option("--name", about.name, "The name of the data (default: that of the study)");
  command->add_option("--description", about.description, "What the data are, in a sentence");
  command->add_option("--date", about.date, "The day of publication, YYYY-MM-DD (default: that of the last run)");
  command->add_option("--url", about.url, "Where the bundle is published (default: unknown)");
  command->footer(help_on_licences() +
                  "\nThe same results, options and version of ngb give the same bytes. ngb verify checks a bundle.\n\n"
                  "Example:\n  ngb bundle results/quickstart -o quickstart.zip --licence CC-BY-4.0 --author \"Ada "
                  "Lovelace\"");
  command->callback([=, &chosen] { chosen = [=] { return make_bundle(*arguments); }; });
}

}  // namespace ngb::app
