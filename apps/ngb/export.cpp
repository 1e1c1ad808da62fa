// SPDX-License-Identifier: Apache-2.0
// ngb export: writes a measured cell as a program of the user's own, and holds such a program against ngb.
#include <fmt/format.h>

#include <memory>

#include "apps/ngb/command.h"
#include "apps/ngb/run_display.h"
#include "apps/ngb/sources.h"
#include "apps/ngb/terminal.h"
#include "exports/cell_choice.h"
#include "exports/folder.h"
#include "exports/verification.h"
#include "store/store.h"

namespace ngb::app {
namespace {

struct ExportArguments {
  std::string folder;  // results or, with --verify, what was exported
  exports::Wanted wanted;
  std::string form = "program";
  std::string output;
  bool has_dockerfile = false;
  bool verifies = false;
  int processes = 5;
};

Result<store::CellData> wanted_cell(const ExportArguments& arguments) {
  auto store = store::Store::open(std::filesystem::path(arguments.folder) / "results.db", store::Mode::read_only);
  if (!store) return error_of(store);
  const auto cells = store->load_cells(store::Detail::speeds);
  if (!cells) return error_of(cells);
  const auto chosen = exports::choose_cell(*cells, arguments.wanted);
  if (!chosen) return error_of(chosen);
  auto whole = store->load_cell((*chosen)->cell_id);
  if (!whole) return error_of(whole);
  return *whole ? Result<store::CellData>(**std::move(whole)) : fail("the cell is gone", arguments.folder);
}

int export_cell(const Installation& installation, const ExportArguments& arguments) {
  const bool is_snippet = arguments.form == "snippet";
  if (arguments.output.empty() != is_snippet) {
    return report_failure({is_snippet ? "a snippet is printed, and no folder is written" : "no folder is named", "-o",
                           is_snippet ? "leave -o out" : "give -o a new name"},
                          kWrongUsage);
  }
  if (arguments.has_dockerfile && arguments.form != "program") {
    return report_failure({"it is written for run.py only", "--docker", "leave --docker or --form out"}, kWrongUsage);
  }
  auto cell = wanted_cell(arguments);
  if (!cell) return report_failure(cell.error(), kWrongUsage);
  RunDisplay display({.hides_speeds = true});
  const auto subject =
      exports::find_subject(installation, arguments.folder, *std::move(cell), campaign::saying(display));
  if (!subject) return report_refusal(subject.error());
  if (is_snippet) {
    const auto text = exports::snippet(installation, arguments.folder, *subject, display);
    if (!text) return report_refusal(text.error());
    print_out(*text);
    return kSuccess;
  }
  const exports::Form form{.is_cpp = arguments.form == "cpp", .has_dockerfile = arguments.has_dockerfile};
  const auto done = exports::write_folder(installation, arguments.folder, *subject, form, arguments.output, display);
  if (!done) return report_refusal(done.error());
  say("{}: {}\n", arguments.output, exports::title_of(subject->cell));
  if (form.is_cpp) {
    say("Build and run it: as its README.md says\n");
  } else {
    say("Run it: python {}/run.py, with the packages of its requirements.txt\n", arguments.output);
  }
  if (form.has_dockerfile) say("Or: docker build -t program {} && docker run --rm program\n", arguments.output);
  say("Hold it against ngb: ngb export --verify {}\n", arguments.output);
  return kSuccess;
}

int verify_program(const Installation& installation, const ExportArguments& arguments) {
  RunDisplay display({.hides_speeds = true});
  const auto verified = exports::verify_folder(installation, arguments.folder, arguments.processes, display);
  if (!verified) return report_refusal(verified.error());
  std::string ratio = fmt::format("{:.3f}", *verified->ratio.value);
  if (verified->ratio.low) ratio += fmt::format(" [{:.3f}, {:.3f}]", *verified->ratio.low, *verified->ratio.high);
  say("{}; program / ngb: {} by the medians of {} processes of each, in turns\n", verified->words, ratio,
      arguments.processes);
  for (const std::string& reason : verified->reasons) say("  {}\n", reason);
  switch (verified->outcome) {
    case exports::Outcome::as_fast:
      return kSuccess;
    case exports::Outcome::differs:
      return kNotAsFast;
    case exports::Outcome::undecided:
      break;
  }
  return kUndecided;
}

}  // namespace

void add_export(CLI::App& app, const Installation& installation, Action& chosen) {
  const auto arguments = std::make_shared<ExportArguments>();
  CLI::App* command =
      app.add_subcommand("export", "Write a measured cell as a program that gets its number without ngb");
  command->add_option("results", arguments->folder, "The results folder; with --verify, the exported folder")
      ->required();
  command->add_option("cell", arguments->wanted.id, "The first digits of the cell's id");
  add_filter_options(*command, arguments->wanted.filters);
  command->add_flag("--fastest", arguments->wanted.fastest,
                    "Of these cells, the fastest of the first model and batch size");
  command->add_option("-o,--output", arguments->output, "The folder to write, which must not exist");
  command
      ->add_option("--form", arguments->form,
                   "program: a folder with run.py and all that it needs; cpp: with main.cpp and CMakeLists.txt; "
                   "snippet: print the session and its call alone")
      ->check(CLI::IsMember({"program", "cpp", "snippet"}));
  command->add_flag("--docker", arguments->has_dockerfile, "Write a Dockerfile too, which runs run.py");
  CLI::Option* verifies = command->add_flag("--verify", arguments->verifies,
                                            "Run the program and ngb in turns, and say whether they are equally fast");
  command->add_option("--processes", arguments->processes, "How many of each run with --verify")
      ->check(CLI::Range(3, 100))
      ->needs(verifies);
  command->footer(
      "For which compilers and cells, and what the folder holds: docs/export.md.\n\n"
      "Exit codes of --verify: 0 as fast (within 3 %), 4 it differs, 5 not decided.\n\n"
      "Examples:\n  ngb export results/quickstart --model resnet18 --batch 1 --fastest -o resnet18\n"
      "  ngb export --verify resnet18");
  command->callback([=, &installation, &chosen] {
    chosen = [=, &installation] {
      return arguments->verifies ? verify_program(installation, *arguments) : export_cell(installation, *arguments);
    };
  });
}

}  // namespace ngb::app
