// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/ngb/command.h"
#include "apps/ngb/terminal.h"
#include "base/json_text.h"
#include "base/processors.h"
#include "base/text.h"
#include "zoo/family.h"
#include "zoo/recipe.h"

namespace ngb::app {
namespace {

struct ModelsArguments {
  std::string name;
  std::string parameters = "{}";
  std::string output;
  std::uint64_t seed = 1;
  int batch = 1;
  std::string written_batch = "1";  // or "dynamic"
  bool as_measured = false;
  bool json = false;
};

// Precondition: check_batch has accepted the text.
zoo::BatchSize batch_size(const std::string& text) {
  if (text == "dynamic") return std::nullopt;
  return std::stoi(text);
}

std::string check_batch(const std::string& text) {
  const bool is_number = !text.empty() && text.size() < 9 && text.find_first_not_of("0123456789") == std::string::npos;
  const bool is_positive = is_number && std::stoi(text) > 0;
  return is_positive || text == "dynamic" ? "" : "expected a number of at least 1, or dynamic";
}

Result<zoo::Recipe> resolve(const ModelsArguments& arguments) {
  const auto parameters = json_text::parse(arguments.parameters);
  if (!parameters.is_object()) {
    return fail("not a JSON object", "--parameters", "for example --parameters '{\"width\": 96}'");
  }
  return zoo::resolve(arguments.name, parameters, arguments.seed);
}

int write_model(const ModelsArguments& arguments) {
  const auto recipe = resolve(arguments);
  if (!recipe) return report_failure(recipe.error(), kWrongUsage);
  for (const std::string& file : {arguments.output, arguments.output + ".data"}) {
    std::error_code code;
    if (!std::filesystem::exists(std::filesystem::symlink_status(file, code))) continue;
    return report_failure({"this file exists already", file, "give another name"}, kWrongUsage);
  }
  const int threads = processor_count();
  const std::uint64_t whole_bytes =
      arguments.as_measured ? zoo::kLargestMeasuredMessageBytes : zoo::kLargestMessageBytes;
  const auto written =
      zoo::write_onnx(*recipe, batch_size(arguments.written_batch), arguments.output, threads, whole_bytes);
  if (!written) return report_failure(written.error(), kCannotGoOn);
  return kSuccess;
}

std::string joined(const zoo::Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

nlohmann::json model_json(const zoo::Layer& row) {
  return {{"name", row.name},
          {"operator", row.op_type},
          {"output_shape", row.output_shape},
          {"parameters", row.parameters},
          {"macs", row.macs},
          {"macs_torchinfo", row.macs_torchinfo}};
}

nlohmann::json model_json(const zoo::ModelFacts& facts, int batch) {
  return {{"batch", batch},
          {"parameters", facts.parameters},
          {"macs", facts.macs},
          {"macs_torchinfo", facts.macs_torchinfo},
          {"file_bytes", facts.file_bytes},
          {"node_count", facts.node_count}};
}

void print_parameters(const zoo::Recipe& recipe) {
  for (const zoo::Family& family : zoo::families()) {
    if (family.name != recipe.family) continue;
    say("{}: {}\n\n{:<16} {:<24} {}\n", family.name, family.meaning, "parameter", "value", "meaning");
    for (const zoo::FamilyParameter& parameter : family.parameters) {
      say("{:<16} {:<24} {}\n", parameter.name, json_text::dump(recipe.parameters.at(parameter.name)),
          parameter.meaning);
    }
  }
}

void print_layers(const std::vector<zoo::Layer>& layers, const zoo::ModelFacts& facts) {
  std::size_t name_width = 4;
  std::size_t shape_width = 12;
  for (const zoo::Layer& row : layers) {
    name_width = std::max(name_width, row.name.size());
    shape_width = std::max(shape_width, joined(row.output_shape).size());
  }
  say("\n{:<{}}  {:<18}  {:<{}}  {:>12}  {:>15}\n", "name", name_width, "operator", "output shape", shape_width,
      "parameters", "MACs");
  for (const zoo::Layer& row : layers) {
    say("{:<{}}  {:<18}  {:<{}}  {:>12}  {:>15}\n", row.name, name_width, row.op_type, joined(row.output_shape),
        shape_width, row.parameters, row.macs);
  }
  say("\n{} parameters, {} MACs ({} by torchinfo's convention), {} nodes, {}\n", facts.parameters, facts.macs,
      facts.macs_torchinfo, facts.node_count, text::human_bytes(facts.file_bytes));
}

int show_model(const ModelsArguments& arguments) {
  const auto recipe = resolve(arguments);
  if (!recipe) return report_failure(recipe.error(), kWrongUsage);
  const auto facts = zoo::facts(*recipe, arguments.batch);
  if (!facts) return report_failure(facts.error(), kWrongUsage);
  const auto layers = zoo::layers(*recipe, arguments.batch);
  if (!layers) return report_failure(layers.error(), kWrongUsage);
  if (!arguments.json) {
    print_parameters(*recipe);
    print_layers(*layers, *facts);
    return kSuccess;
  }
  nlohmann::json whole = model_json(*facts, arguments.batch);
  whole["family"] = recipe->family;
  whole["family_parameters"] = recipe->parameters;
  for (const zoo::Layer& row : *layers) whole["layers"].push_back(model_json(row));
  print_json_text(whole);
  return kSuccess;
}

nlohmann::json text_or_null(const std::string& text) { return text.empty() ? nlohmann::json() : nlohmann::json(text); }

// A row of the list: a family with its defaults, or a variant of it.
struct ModelRow {
  std::string name;
  std::string family;
  zoo::ModelFacts facts;
};

Result<std::vector<ModelRow>> rows(int batch) {
  std::vector<ModelRow> rows;
  for (const zoo::Family& family : zoo::families()) {
    std::vector<std::string> names;
    for (const zoo::Variant& variant : family.variants) names.push_back(variant.name);
    if (names.empty()) names.push_back(family.name);
    for (const std::string& name : names) {
      const auto recipe = zoo::resolve(name, nlohmann::json::object(), 1);
      if (!recipe) return error_of(recipe);
      auto facts = zoo::facts(*recipe, batch);
      if (!facts) return error_of(facts);
      rows.push_back({name, family.name, *std::move(facts)});
    }
  }
  return rows;
}

int list_models(const ModelsArguments& arguments) {
  const auto models = rows(arguments.batch);
  if (!models) return report_failure(models.error(), kWrongUsage);
  nlohmann::json all = nlohmann::json::array();
  if (!arguments.json) {
    say("{:<24} {:<13} {:>11} {:>15} {:>15} {:>9}\n", "model", "family", "parameters", "MACs", "MACs torchinfo",
        "file");
  }
  for (const ModelRow& row : *models) {
    nlohmann::json& entry = all.emplace_back(model_json(row.facts, arguments.batch));
    entry["name"] = row.name;
    entry["family"] = row.family;
    const zoo::ModelGroup known = zoo::model_group_of(row.name);
    entry["group"] = text_or_null(known.group);
    entry["style"] = text_or_null(known.style);
    entry["size"] = known.size ? nlohmann::json(*known.size) : nlohmann::json();
    if (arguments.json) continue;
    say("{:<24} {:<13} {:>11} {:>15} {:>15} {:>9}\n", row.name, row.family, row.facts.parameters, row.facts.macs,
        row.facts.macs_torchinfo, text::human_bytes(row.facts.file_bytes));
  }
  if (arguments.json) print_json_text(all);
  return kSuccess;
}

}  // namespace

void add_models(CLI::App& app, const Installation& /*installation*/, Action& chosen) {
  const auto arguments = std::make_shared<ModelsArguments>();
  CLI::App* group = app.add_subcommand("models", "List the built-in models, or write one as an ONNX file");
  group->require_subcommand(0, 1);
  group->add_option("--batch", arguments->batch, "Batch size that the counts are for")->check(CLI::PositiveNumber);
  group->add_flag("--json", arguments->json, "Print JSON");
  group->footer(
      "Example:\n  ngb models write resnet50 --batch 8 -o resnet50.onnx\n"
      "  ngb models show resnet --parameters '{\"depths\": [1, 1, 1, 1], \"width\": 0.5}'");
  group->callback([=, &chosen] {
    if (!chosen) chosen = [=] { return list_models(*arguments); };
  });
  CLI::App* table = group->add_subcommand("show", "Print a model's parameters and its layers, one by one");
  table->add_option("name", arguments->name, "Model or family")->required();
  table->add_option("--parameters", arguments->parameters,
                    "Parameters that differ from the defaults, as a JSON object");
  table->add_option("--batch", arguments->batch, "Batch size that the counts are for")->check(CLI::PositiveNumber);
  table->add_flag("--json", arguments->json, "Print JSON");
  table->callback([=, &chosen] { chosen = [=] { return show_model(*arguments); }; });
  CLI::App* file = group->add_subcommand("write", "Write a model with weights from a seed");
  file->add_option("name", arguments->name, "Model or family")->required();
  file->add_option("--parameters", arguments->parameters, "Parameters that differ from the defaults, as a JSON object");
  file->add_option("--batch", arguments->written_batch, "Batch size, or dynamic")->check(check_batch);
  file->add_option("--seed", arguments->seed, "Seed of the weights");
  file->add_flag("--as-measured", arguments->as_measured,
                 "Write it as it is measured: weights of more than 1 MB are in a file beside it, which ends in .data");
  file->add_option("-o,--output", arguments->output,
                   "ONNX file; the weights of a model above 2 GB are beside it, in a file that ends in .data")
      ->required();
  file->callback([=, &chosen] { chosen = [=] { return write_model(*arguments); }; });
}

}  // namespace ngb::app
