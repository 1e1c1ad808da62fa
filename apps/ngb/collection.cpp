// SPDX-License-Identifier: Apache-2.0
// ngb collection: writes a site over the bundles of a folder that verify.
#include "collection/collection.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/ngb/command.h"
#include "apps/ngb/terminal.h"
#include "apps/revision/revision.h"
#include "base/processors.h"
#include "base/text.h"

namespace ngb::app {
namespace {

struct CollectionArguments {
  std::string folder;
  std::string site;
};

// Returns the exit code of `ngb verify` on the refused bundle.
ExitCode code_of_refused(const collection::Bundle& refused) {
  if (!refused.verification) return kCannotGoOn;
  if (!refused.verification->holds(bundle::Level::files)) return kFilesDiffer;
  return refused.verification->holds(bundle::Level::numbers) ? kCannotGoOn : kNumbersDiffer;
}

// Says what was read and what was not. Returns the highest exit code of the refused bundles, or kSuccess.
ExitCode report_bundles(const collection::Collection& read) {
  ExitCode code = kSuccess;
  for (const std::string& each : read.same_files) say("  {}, byte for byte: counted once\n", each);
  for (const collection::Bundle& each : read.bundles) {
    if (!each.copy_of.empty()) say("  {}: all its measurements are in {}: counted once\n", each.name, each.copy_of);
    if (each.why_refused.empty()) continue;
    warn("ngb: {}: refused: {}\n", each.name, each.why_refused);
    code = std::max(code, code_of_refused(each));
  }
  if (read.other_files > 0)
    say("  {} of other kinds left alone\n",
        read.other_files == 1 ? "1 file" : fmt::format("{} files", read.other_files));
  return code;
}

int make_collection(const CollectionArguments& arguments) {
  const std::string self = describe(this_revision());
  const auto read = collection::read_collection(arguments.folder, self, processor_count());
  if (!read) return report_failure(read.error(), kCannotGoOn);
  const auto written = collection::write_site(*read, arguments.site, self);
  if (!written) return report_failure(written.error(), kCannotGoOn);
  const auto shown =
      std::ranges::count_if(read->bundles, [](const collection::Bundle& each) { return each.why_refused.empty(); });
  say("{} of {} bundles verify: {} cells\n", shown, read->bundles.size(), written->numbers);
  const ExitCode code = report_bundles(*read);
  say("Site: {} ({} of pages)\n", written->page.string(), text::human_bytes(written->bytes));
  return code;
}

}  // namespace

void add_collection(CLI::App& app, const Installation& /*installation*/, Action& chosen) {
  const auto arguments = std::make_shared<CollectionArguments>();
  CLI::App* command = app.add_subcommand("collection", "Write a site over the bundles of many people and machines");
  command->add_option("folder", arguments->folder, "A folder with bundles (NAME.zip), also in folders below it")
      ->required();
  command->add_option("-o,--output", arguments->site, "The folder of the site: index.html and bundles/")->required();
  command->footer(
      "Each bundle is verified first, as ngb verify does it; nothing of one that fails is shown. What several bundles\n"
      "have counts once.\n\n"
      "Exit code 0: all bundles verify. 6, 7, 3: that of ngb verify on the refused bundles, the highest of them; the\n"
      "site has the others. 3: there is no bundle, or the site cannot be written.\n\n"
      "Example:\n  ngb collection bundles -o site");
  command->callback([=, &chosen] { chosen = [=] { return make_collection(*arguments); }; });
}

}  // namespace ngb::app
