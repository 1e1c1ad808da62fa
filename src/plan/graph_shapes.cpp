// SPDX-License-Identifier: Apache-2.0
#include "plan/graph_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/json_text.h"
#include "base/python.h"
#include "base/text.h"
#include "userfiles/onnx_file.h"

namespace ngb::plan {
namespace {

using nlohmann::json;
using userfiles::Proposal;
using userfiles::Ranges;
using userfiles::UnsettledInput;

constexpr std::string_view kProgram =
    "import sys\nsys.path.append(sys.argv[1])\nfrom ngraphbench import shape_questions\n"
    "shape_questions.print = print\nshape_questions.answer()\n";
constexpr const char* kIndent = "    ";

AskedInputs inputs_of(const work::Model& model) {
  AskedInputs inputs;
  for (const TensorSignature& input : model.inputs) {
    inputs.shapes[input.name] = input.shape;
    const work::InputValues* values = work::values_of(model.values, input.name);
    if (values == nullptr) continue;
    auto& range = inputs.ranges[input.name];
    if (values->range) range.emplace(values->range->first, values->range->second);
  }
  return inputs;
}

// Returns the shapes of the model at batch size one, or nothing if the file has another batch size only.
std::optional<Shapes> shapes_at_one(const Plan& plan, const work::Model& model) {
  const auto entry = std::find_if(plan.study.models.begin(), plan.study.models.end(),
                                  [&](const config::ModelEntry& each) { return each.label == model.label; });
  if (model.key.batch == 1 || entry == plan.study.models.end()) return std::nullopt;
  const auto file = userfiles::inspect_onnx(entry->file, 1, entry->shapes, entry->dimensions);
  if (!file) return std::nullopt;
  Shapes shapes;
  for (const TensorSignature& input : file->inputs) shapes[input.name] = input.shape;
  return shapes;
}

std::string missing_ranges(const work::Model& model, const Ranges& ranges) {
  Ranges missing;
  for (const auto& [name, range] : ranges) {
    if (work::values_of(model.values, name) == nullptr) missing.emplace(name, range);
  }
  if (missing.empty()) return {};
  return "inputs index tables of the file, and without a range they are 0 and 1 only; give, in the model's entry:" +
         userfiles::to_yaml({}, missing, kIndent);
}

std::string left_out(const std::map<std::string, std::string>& outputs) {
  std::vector<std::string> words;
  bool has_maps = false;
  for (const auto& [name, kind] : outputs) {
    words.push_back(fmt::format("\"{}\" ({})", text::to_utf8(name), kind));
    has_maps = has_maps || kind != "text";
  }
  if (words.empty()) return {};
  return fmt::format("outputs that are no tensors of numbers are not compared: {}{}", text::join(words, ", "),
                     has_maps
                         ? "; for a tensor instead, export with options={'zipmap': False} (skl2onnx) or zipmap=False "
                           "(onnxmltools), which more compilers accept"
                         : "");
}

// Says how many weights are subnormal; "" if fewer than one in a thousand are.
std::string slow_weights(const std::pair<std::int64_t, std::int64_t>& subnormal) {
  const auto [found, of] = subnormal;
  if (found * 1000 < of || found == 0) return {};
  return fmt::format(
      "{} of {} weights are subnormal (nearer to 0 than 1.2e-38), with which processors may compute many times slower; "
      "what that costs is found by measuring it beside compilers that take such values as 0: onnxruntime: {{settings: "
      "{{session.set_denormal_as_zero: 1}}}}, openvino: {{settings: {{CPU_DENORMALS_OPTIMIZATION: true}}}}",
      found, of);
}

// Adds what the answer says of the model. Its shapes at the batch size of the plan, then those at batch size one, were
// asked.
void add_notes(std::vector<std::string>& notes, const work::Model& model, const GraphAnswer& answer) {
  const auto add = [&](const std::string& note) {
    const std::string text = fmt::format("{}: {}", model.label, note);
    if (!note.empty() && std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(text);
  };
  const bool is_baked_in = answer.problems.size() == 2 && !answer.problems[0].empty() && answer.problems[1].empty();
  if (is_baked_in) {
    add(fmt::format(
        "the file leaves its batch open, but its graph fits batch size 1 and not {}: {}; set batch_sizes: [1], "
        "or export the model again with a dynamic batch",
        model.key.batch, answer.problems[0]));
  }
  add(missing_ranges(model, answer.ranges));
  add(left_out(answer.not_compared));
  add(slow_weights(answer.subnormal));
}

}  // namespace

Result<GraphAnswer> ask_graph(const OnnxPackage& package, const std::filesystem::path& file,
                              const std::vector<AskedInputs>& inputs, Until until) {
  if (package.python.empty()) return fail("no toolchain with the package onnx is installed");
  json question{{"file", file.string()}, {"stops_at_fit", until == Until::first_fit}};
  for (const AskedInputs& each : inputs) {
    question["shapes"].push_back(each.shapes);
    json& ranges = question["values"].emplace_back(json::object());
    for (const auto& [name, range] : each.ranges) ranges[name] = range ? json(*range) : json();
  }
  const Result<std::string> text = python::ask({.interpreter = python::of_toolchain(package.python, package.site),
                                                .program = kProgram,
                                                .arguments = {package.library.string()},
                                                .input = json_text::dump(question),
                                                .site = package.site});
  if (!text) return error_of(text);
  try {
    const json answer = json_text::parse(*text);
    return GraphAnswer{answer.at("problems").get<std::vector<std::string>>(), answer.at("ranges").get<Ranges>(),
                       answer.at("beyond").get<std::string>(),
                       answer.at("not_compared").get<std::map<std::string, std::string>>(),
                       answer.at("subnormal").get<std::pair<std::int64_t, std::int64_t>>()};
  } catch (const json::exception&) {
    return fail("gave an unexpected answer: " + *text, package.python,
                "run: ngb toolchain install " + package.toolchain);
  }
}

Advice advise(const OnnxPackage& package, const std::filesystem::path& file,
              const std::vector<UnsettledInput>& inputs) {
  const std::vector<Proposal> proposals = userfiles::propose(inputs);
  std::vector<AskedInputs> asked;
  for (const Proposal& each : proposals) {
    const Ranges guessed = userfiles::guess_ranges(inputs, each, {});
    asked.push_back({userfiles::shapes_under(each, inputs, 1), {guessed.begin(), guessed.end()}});
  }
  const Result<GraphAnswer> answer = ask_graph(package, file, asked, Until::first_fit);
  if (!answer || answer->problems.empty() || answer->problems.size() > proposals.size()) {
    const Ranges guessed = userfiles::guess_ranges(inputs, proposals.front(), {});
    return {userfiles::to_yaml(proposals.front(), guessed, kIndent), "guessed by their names"};
  }
  const bool has_found = answer->problems.back().empty();
  const Proposal& chosen = proposals[has_found ? answer->problems.size() - 1 : 0];
  const Ranges guessed = userfiles::guess_ranges(inputs, chosen, answer->ranges);
  Ranges ranges = answer->ranges;
  ranges.insert(guessed.begin(), guessed.end());
  std::vector<std::string> guessed_names;
  for (const auto& [name, range] : guessed) guessed_names.push_back(text::to_utf8(name));
  std::string basis = has_found ? "shape inference accepts these sizes"
                                : "sizes are guessed by name; shape inference accepts none that was tried";
  if (!guessed_names.empty()) basis += "; ranges of " + text::join(guessed_names, ", ") + " are guessed by name";
  return {userfiles::to_yaml(chosen, ranges, kIndent), basis};
}

Status check_tables(const Plan& plan, const OnnxPackage& package) {
  for (const work::Model& model : plan.models) {
    const bool has_indices = std::any_of(model.inputs.begin(), model.inputs.end(), [](const TensorSignature& input) {
      return input.type == DataType::i64 || input.type == DataType::i32;
    });
    if (model.is_made() || model.is_compiled() || package.python.empty() || !has_indices) continue;
    const Result<GraphAnswer> answer = ask_graph(package, model.path, {inputs_of(model)});
    if (!answer || answer->beyond.empty()) continue;
    std::string advice = "give smaller dimensions or other ranges in the model's entry";
    if (model.decoding || model.prompt_tokens > 0) {
      return fail(answer->beyond, model.path, "choose a smaller context, fewer new_tokens, or other ranges");
    }
    if (!answer->ranges.empty()) advice += ", where these fit:" + userfiles::to_yaml({}, answer->ranges, kIndent);
    return fail(answer->beyond, model.path, advice);
  }
  return Done{};
}

std::vector<std::string> notes_on_files(const Plan& plan, const OnnxPackage& package) {
  std::vector<std::string> notes;
  for (const work::Model& model : plan.models) {
    if (model.is_made() || model.is_compiled() || package.python.empty()) continue;
    std::vector<AskedInputs> asked{inputs_of(model)};
    if (const auto at_one = shapes_at_one(plan, model)) asked.push_back({*at_one, asked.front().ranges});
    const Result<GraphAnswer> answer = ask_graph(package, model.path, asked);
    if (answer) add_notes(notes, model, *answer);
  }
  return notes;
}

}  // namespace ngb::plan
