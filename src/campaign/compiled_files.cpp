// SPDX-License-Identifier: Apache-2.0
#include "campaign/compiled_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/text.h"
#include "campaign/toolchain_question.h"
#include "plan/stateful_decoder.h"
#include "toolchain/catalog.h"

namespace ngb::campaign {
namespace {

namespace fs = std::filesystem;
using config::ModelEntry;
using nlohmann::json;

// Returns the shape that the study gives the input, else that of the file, whose first extent is the batch if it is
// open.
std::vector<std::int64_t> shape_of(const ModelEntry& entry, const json& input) {
  const auto name = input.at("name").get<std::string>();
  for (const auto& [given, shape] : entry.shapes) {
    if (given == name) return shape;
  }
  if (input.at("shape").is_null()) return {kBatchExtent, -1};
  auto shape = input.at("shape").get<std::vector<std::int64_t>>();
  if (!shape.empty() && shape.front() < 0) shape.front() = kBatchExtent;
  return shape;
}

// Returns an error with the key to write if extents other than the batch are open.
Status refuse_open(const ModelEntry& entry, const config::InputShapes& shapes) {
  std::vector<std::string> open;
  std::vector<std::string> keys;
  for (const auto& [name, shape] : shapes) {
    if (std::find(shape.begin(), shape.end(), -1) == shape.end()) continue;
    open.push_back(name);
    std::vector<std::string> extents;
    for (const std::int64_t extent : shape) {
      extents.push_back(extent == kBatchExtent ? "batch" : extent < 0 ? "128" : std::to_string(extent));
    }
    keys.push_back(fmt::format("{}: [{}]", name, text::join(extents, ", ")));
  }
  if (open.empty()) return Done{};
  return fail("it does not say the whole shape of " + text::join(open, ", "), entry.file.string(),
              fmt::format("give it, as in shapes: {{{}}}", text::join(keys, ", ")));
}

void give_type(ModelEntry& entry, const json& input) {
  const auto name = input.at("name").get<std::string>();
  const auto place =
      std::find_if(entry.inputs.begin(), entry.inputs.end(), [&](const auto& each) { return each.first >= name; });
  const bool is_there = place != entry.inputs.end() && place->first == name;
  (is_there ? place : entry.inputs.insert(place, {name, {}}))->second.type = input.at("type").get<std::string>();
}

Result<json> ask_compiler(const Installation& installation, const toolchain::CompilerDescription& compiler,
                          const toolchain::Toolchain& runtime, const fs::path& file) {
  std::vector<toolchain::Toolchain> sites{runtime};
  for (const char* package : {"numpy", "torch"}) {  // OpenVINO's needs the first, ExecuTorch's both
    if (const auto other = toolchain_with(installation, "", {package})) sites.push_back(*other);
  }
  const fs::path owner = compiler.folder.parent_path() / compiler.toolchain;
  auto answer = ask(installation, "compiled_file", sites,
                    {{"folders", {compiler.folder.string(), owner.string()}}, {"file", file.string()}});
  if (answer) return answer;
  const std::string& next = answer.error().next;
  return fail("it cannot be read: " + answer.error().what, file.string(),
              next.empty() ? fmt::format("is it a file of {}, and whole?", compiler.name) : next);
}

// Enters what a step of a model reads that keeps its cache, and so generates tokens. `cache` is {"vocabulary": the
// number of its tokens, or null}.
Status enter_decoder(ModelEntry& entry, const std::vector<std::string>& names, const json& cache, const Say& say) {
  if (!entry.decoder) {
    entry.decoder = config::DecoderEntry{.cache = config::kStatefulForm};
    say(fmt::format("ngb: {} keeps a cache; chosen: {} tokens after a context of {} (edit the study for others)\n",
                    entry.file.string(), entry.decoder->new_tokens, entry.decoder->context));
  }
  Result<config::InputShapes> shapes = plan::inputs_of_stateful(*entry.decoder, names);
  if (!shapes) return tl::unexpected(shapes.error().within(entry.file.string()));
  for (const auto& given : entry.shapes) {
    if (std::find(shapes->begin(), shapes->end(), given) != shapes->end()) continue;
    return fail("the shapes of a model that keeps its cache follow from context", entry.file.string(),
                "remove the key shapes");
  }
  entry.shapes = *std::move(shapes);
  for (auto& [name, given] : entry.inputs) {
    const bool is_given = given.range || !given.file.empty();
    if (name != plan::kIdsOfStateful || is_given || cache.at("vocabulary").is_null()) continue;
    given.range = {0, cache.at("vocabulary").get<double>() - 1};
  }
  return Done{};
}

}  // namespace

Status read_compiled_file(const Installation& installation, const config::Study& study, ModelEntry& entry,
                          const Say& say) {
  const auto compiler = std::find_if(study.compilers.begin(), study.compilers.end(), [&](const auto& each) {
    return std::find(entry.compilers.begin(), entry.compilers.end(), each.label) != entry.compilers.end();
  });
  const auto catalog = toolchain::read_catalog(installation.parts.lib);
  if (!catalog) return error_of(catalog);
  const auto described = toolchain::find_compiler(*catalog, compiler->name);
  if (!described) return error_of(described);
  const auto runtime = toolchain_with(installation, described->toolchain, {});
  if (!runtime) {
    if (!entry.shapes.empty() && !entry.decoder) return Done{};
    return fail(fmt::format("{} says what its inputs are, and is not installed", compiler->name), entry.file.string(),
                fmt::format("run: ngb toolchain install {}; or give the key shapes", described->toolchain));
  }
  const auto answer = ask_compiler(installation, *described, *runtime, entry.file);
  if (!answer) return error_of(answer);
  if (answer->at("inputs").is_null()) {
    if (!entry.shapes.empty() && !entry.decoder) return Done{};
    return fail("it does not say its inputs", entry.file.string(),
                "give them in their order, as in shapes: {input0: [batch, 3, 224, 224], input1: [batch, 16]}");
  }
  config::InputShapes in_order;
  std::vector<std::string> names;
  for (const json& input : answer->at("inputs")) {
    names.push_back(input.at("name").get<std::string>());
    in_order.emplace_back(names.back(), shape_of(entry, input));
    if (input.at("type").is_string()) give_type(entry, input);
  }
  if (!answer->at("cache").is_null()) return enter_decoder(entry, names, answer->at("cache"), say);
  if (entry.decoder) {
    return fail(
        "it keeps no cache from one inference to the next", entry.file.string(),
        "remove the keys phase, context, cache and new_tokens; a step with a past and a present is measured from "
        "its ONNX file");
  }
  if (Status are_known = refuse_open(entry, in_order); !are_known) return are_known;
  for (const auto& [name, shape] : entry.shapes) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    return fail("the key shapes names an input that it does not have: " + name, entry.file.string(),
                "its inputs are " + text::join(names, ", "));
  }
  entry.shapes = std::move(in_order);
  return Done{};
}

}  // namespace ngb::campaign
