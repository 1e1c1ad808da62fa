// SPDX-License-Identifier: Apache-2.0
// ngb new: writes a commented study to start from.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "apps/ngb/command.h"
#include "apps/ngb/terminal.h"
#include "base/file.h"
#include "toolchain/toolchain.h"

namespace ngb::app {
namespace {

constexpr const char* kText = R"(# A study for NGraphBench. What it would do: ngb plan {file}
# Every key: docs/study.md, or in an editor the schema that `ngb schema` prints.
name: "{name}"

models:                    # every model is measured with every compiler
  - zoo: resnet18          # a recipe with random weights; ngb models lists them
  # - onnx: my_model.onnx
  # - pytorch: my_net.py:build     # a function in a file that returns a module; the study runs its code
  #   shapes: {{x: [batch, 3, 224, 224]}}

compilers:                 # ngb compilers lists them and their options
  - identity               # PyTorch as it is: what the others are compared with
{compilers}
batch_sizes: [1, 8]
threads: 1                 # or all, or physical

# processes: 5             # each of a cell's processes compiles anew; their spread is what an interval rests on
# repetitions: 20          # timed inferences of a process, or auto
# protocol: paper          # one process after the other; usually the processes of a round take turns
# rounds: {{until: decided}} # instead of processes: as many as the answers need
# devices:                 # without it, this machine; docs/devices.md
#   - local
#   - orin: {{ssh: user@orin}}
)";

// The compilers that can measure here, beside the identity; those of the quickstart if there are none yet.
std::vector<std::string> usual_compilers(const Installation& installation) {
  std::vector<std::string> names;
  if (const auto installed = toolchain::list(installation.toolchains)) {
    for (const toolchain::Toolchain& each : *installed) {
      const bool is_known = each.compiler == "onnxruntime" || each.compiler == "openvino" || each.compiler == "tvm" ||
                            each.compiler == "xla" || each.compiler == "iree" || each.compiler == "mnn" ||
                            each.compiler == "ncnn" || each.compiler == "litert" || each.compiler == "executorch";
      const bool is_new = std::find(names.begin(), names.end(), each.compiler) == names.end();
      if (is_known && is_new) names.push_back(each.compiler);
    }
  }
  return names.empty() ? std::vector<std::string>{"onnxruntime", "openvino"} : names;
}

int write_study(const Installation& installation, const std::filesystem::path& file) {
  std::error_code code;
  if (std::filesystem::exists(file, code)) {
    return report_failure({"this file exists already", file.string(), "give another name"}, kWrongUsage);
  }
  std::string compilers;
  for (const std::string& name : usual_compilers(installation)) compilers += fmt::format("  - {}\n", name);
  const std::string text = fmt::format(kText, fmt::arg("file", file.string()), fmt::arg("name", file.stem().string()),
                                       fmt::arg("compilers", compilers));
  if (const Status written = file::write_new(file, text); !written) {
    return report_failure(written.error(), kCannotGoOn);
  }
  say("{0}: written. Next:\n  ngb plan {0}\n  ngb run {0}\n", file.string());
  return kSuccess;
}

// The file's name becomes the study's, which names a folder.
std::string check_name(const std::string& file) {
  const std::filesystem::path path(file);
  const std::string stem = path.stem().string();
  const bool is_plain = !stem.empty() && stem.find_first_not_of(
                                             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "0123456789_-") == std::string::npos;
  const bool is_yaml = path.extension() == ".yaml" || path.extension() == ".yml";
  return is_plain && is_yaml ? "" : "expected a name of letters, digits, _ and - that ends in .yaml";
}

}  // namespace

void add_new(CLI::App& app, const Installation& installation, Action& chosen) {
  const auto file = std::make_shared<std::string>("study.yaml");
  CLI::App* command = app.add_subcommand("new", "Write a commented study to start from");
  command->footer("Example:\n  ngb new my_study.yaml");
  command->add_option("file", *file, "The study's file")->capture_default_str()->check(check_name);
  command->callback(
      [=, &installation, &chosen] { chosen = [=, &installation] { return write_study(installation, *file); }; });
}

}  // namespace ngb::app
