// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "apps/ngb/command.h"
#include "base/text.h"
#include "zoo/family.h"
#include "zoo/recipe.h"

namespace ngb::app {
namespace {

struct Arguments {
  std::string name;
  std::string parameters = "{}";
  std::string output;
  std::uint64_t seed = 1;
  int batch = 1;
  bool json = false;
};

Result<zoo::Recipe> resolve(const Arguments& arguments) {
  const auto parameters = nlohmann::json::parse(arguments.parameters, nullptr, false);
  if (!parameters.is_object()) {
    return fail("not a JSON object", "--parameters", "for example --parameters '{\"width\": 96}'");
  }
  return zoo::resolve(arguments.name, parameters, arguments.seed);
}

int write(const Arguments& arguments) {
  const auto recipe = resolve(arguments);
  if (!recipe) return report_failure(recipe.error(), kWrongUsage);
  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const auto written = zoo::write_onnx(*recipe, arguments.batch, arguments.output, threads);
  if (!written) return report_failure(written.error(), kCannotGoOn);
  return kAllCellsHaveResults;
}

// One row: a family with its defaults, or a variant of it.
struct Row {
  std::string name;
  std::string family;
  zoo::ModelFacts facts;
};

Result<std::vector<Row>> rows(int batch) {
  std::vector<Row> rows;
  for (const zoo::Family& family : zoo::families()) {
    std::vector<std::string> names;
    for (const zoo::Variant& variant : family.variants) names.push_back(variant.name);
    if (names.empty()) names.push_back(family.name);
    for (const std::string& name : names) {
      const auto recipe = zoo::resolve(name, nlohmann::json::object(), 1);
      if (!recipe) return tl::unexpected(recipe.error());
      auto facts = zoo::facts(*recipe, batch);
      if (!facts) return tl::unexpected(facts.error());
      rows.push_back({name, family.name, *std::move(facts)});
    }
  }
  return rows;
}

int list(const Arguments& arguments) {
  const auto models = rows(arguments.batch);
  if (!models) return report_failure(models.error(), kWrongUsage);
  nlohmann::json all = nlohmann::json::array();
  if (!arguments.json) {
    fmt::print("{:<16} {:<12} {:>12} {:>16} {:>16} {:>10}\n", "model", "family", "parameters", "MACs", "MACs torchinfo",
               "file");
  }
  for (const Row& row : *models) {
    all.push_back({{"name", row.name},
                   {"family", row.family},
                   {"batch", arguments.batch},
                   {"parameters", row.facts.parameters},
                   {"macs", row.facts.macs},
                   {"macs_torchinfo", row.facts.macs_torchinfo},
                   {"file_bytes", row.facts.file_bytes},
                   {"node_count", row.facts.node_count}});
    if (arguments.json) continue;
    fmt::print("{:<16} {:<12} {:>12} {:>16} {:>16} {:>10}\n", row.name, row.family, row.facts.parameters,
               row.facts.macs, row.facts.macs_torchinfo, text::human_bytes(row.facts.file_bytes));
  }
  if (arguments.json) std::printf("%s\n", all.dump(2).c_str());
  return kAllCellsHaveResults;
}

}  // namespace

void add_models(CLI::App& app, const Installation& /*installation*/, Action& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* group = app.add_subcommand("models", "List the built-in models, or write one as an ONNX file");
  group->require_subcommand(0, 1);
  group->add_option("--batch", arguments->batch, "Batch size that the counts are for")->check(CLI::PositiveNumber);
  group->add_flag("--json", arguments->json, "Print JSON");
  group->footer("Example:\n  ngb models write resnet50 --batch 8 -o resnet50.onnx");
  group->callback([=, &chosen] {
    if (!chosen) chosen = [=] { return list(*arguments); };
  });
  CLI::App* file = group->add_subcommand("write", "Write a model with weights from a seed");
  file->add_option("name", arguments->name, "Model or family")->required();
  file->add_option("--parameters", arguments->parameters, "Those that differ from the defaults, as a JSON object");
  file->add_option("--batch", arguments->batch, "Batch size")->check(CLI::PositiveNumber);
  file->add_option("--seed", arguments->seed, "Of the weights");
  file->add_option("-o,--output", arguments->output, "ONNX file")->required();
  file->callback([=, &chosen] { chosen = [=] { return write(*arguments); }; });
}

}  // namespace ngb::app
