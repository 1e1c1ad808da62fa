// SPDX-License-Identifier: Apache-2.0
// ngb new: writes a commented study to start from.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>

#include "apps/ngb/command.h"
#include "apps/ngb/terminal.h"
#include "base/file.h"
#include "campaign/models_study.h"
#include "campaign/study_file.h"

namespace ngb::app {
namespace {

constexpr const char* kText = R"(# A study for NGraphBench. What it would do: ngb plan {file}
# Every key: docs/study.md, or in an editor the schema that `ngb schema` prints.
name: "{name}"

models:                    # every model is measured with every compiler
{models}  # - onnx: my_model.onnx
  # - pytorch: my_net.py:build     # a function in a file that returns a module; the study runs its code
  #   shapes: {{x: [batch, 3, 224, 224]}}

# ngb compilers lists them and their options. The identity is PyTorch as it is: what the others are compared with.
{compilers}
batch_sizes: {batches}
threads: 1                 # or all, or physical

# processes: 5             # each of a cell's processes compiles anew; their spread is what an interval rests on
# repetitions: 20          # timed inferences of a process, or auto
# protocol: paper          # one process after the other; usually the processes of a round take turns
# rounds: {{until: decided}} # instead of processes: as many as the answers need
# devices:                 # without it, this machine; docs/devices.md
#   - local
#   - orin: {{ssh: user@orin}}
)";
constexpr const char* kSomeModel = "  - zoo: resnet18          # a recipe with random weights; ngb models lists them\n";

// A study that is to be written.
struct Draft {
  std::filesystem::path file{};
  std::vector<std::string> models{};
};

// Returns what the words name: a file, and models of which the first ones name the file if no word does.
Result<Draft> draft_of(const Installation& installation, const std::vector<std::string>& words) {
  Draft draft;
  for (const std::string& word : words) {
    const Result<bool> is_model = campaign::is_model(installation, word);
    if (!is_model) return error_of(is_model);
    if (*is_model) draft.models.push_back(word);
    if (!*is_model && !draft.file.empty()) return fail("a second study; ngb new writes one", word);
    if (!*is_model) draft.file = word;
  }
  if (draft.file.empty()) draft.file = draft.models.empty() ? "study.yaml" : campaign::name_of(draft.models) + ".yaml";
  const std::string stem = draft.file.stem().string();  // the study's name, which names a folder
  const bool is_plain = !stem.empty() && std::all_of(stem.begin(), stem.end(), [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_' || letter == '-';
  });
  const bool is_yaml = draft.file.extension() == ".yaml" || draft.file.extension() == ".yml";
  if (is_plain && is_yaml) return draft;
  return fail("expected a model, or a name of letters, digits, _ and - that ends in .yaml", draft.file.string());
}

int write_study(const Installation& installation, const std::vector<std::string>& words) {
  const Result<Draft> draft = draft_of(installation, words);
  if (!draft) return report_failure(draft.error(), kWrongUsage);
  const std::filesystem::path& file = draft->file;
  std::error_code code;
  if (std::filesystem::exists(file, code)) {
    return report_failure({"this file exists already", file.string(), "give another name"}, kWrongUsage);
  }
  const auto models = campaign::entries_of_models(installation, draft->models,
                                                  std::filesystem::absolute(file, code).parent_path(), print_error);
  if (!models) return report_failure(models.error(), kWrongUsage);
  auto installed = campaign::installed_compilers(installation);
  if (installed && installed->empty()) installed = campaign::quickstart_compilers(installation);
  if (!installed) return report_failure(installed.error(), kCannotGoOn);
  const auto compilers = campaign::keys_of_compilers(installation, *installed);
  if (!compilers) return report_failure(compilers.error(), kCannotGoOn);
  const std::string text =
      fmt::format(kText, fmt::arg("file", file.string()), fmt::arg("name", file.stem().string()),
                  fmt::arg("models", models->empty() ? kSomeModel : *models),
                  fmt::arg("batches", models->empty() ? "[1, 8]" : "[1]"),  // a file may be made for one
                  fmt::arg("compilers", *compilers));
  if (const Status written = file::write_new(file, text); !written) {
    return report_failure(written.error(), kCannotGoOn);
  }
  say("{0}: written. Next:\n  ngb plan {0}\n  ngb run {0}\n", file.string());
  return kSuccess;
}

}  // namespace

void add_new(CLI::App& app, const Installation& installation, Action& chosen) {
  const auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("new", "Write a commented study to start from");
  command->footer("Examples:\n  ngb new my_study.yaml\n  ngb new my_model.onnx");
  command->add_option("what", *words,
                      "The study's file (default: study.yaml), and the models to put in, as of `ngb run`");
  command->callback(
      [=, &installation, &chosen] { chosen = [=, &installation] { return write_study(installation, *words); }; });
}

}  // namespace ngb::app
