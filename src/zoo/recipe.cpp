// SPDX-License-Identifier: Apache-2.0
#include "zoo/recipe.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "base/json_text.h"
#include "zoo/counting.h"
#include "zoo/family.h"
#include "zoo/graph.h"
#include "zoo/model_file.h"

namespace ngb::zoo {
namespace {

constexpr int kLargestBatch = 65536;

Result<Graph> build(const Recipe& recipe, BatchSize size) {
  const int batch = size.value_or(1);
  if (batch < 1 || batch > kLargestBatch) {
    return fail(fmt::format("batch {} is out of range, expected 1 to {}", batch, kLargestBatch), recipe.family);
  }
  const Result<NamedFamily> named = find_family(recipe.family);
  if (!named) return error_of(named);
  const Result<nlohmann::json> parameters = complete(*named, recipe.parameters);
  if (!parameters) return error_of(parameters);
  Graph graph(size ? BatchKind::fixed : BatchKind::dynamic);
  if (const Status status = named->family->build(*parameters, batch, graph); !status) {
    return tl::unexpected(status.error().within(recipe.family, "."));
  }
  return graph;
}

}  // namespace

Result<Recipe> resolve(const std::string& name, const nlohmann::json& parameters, std::uint64_t seed) {
  const Result<NamedFamily> named = find_family(name);
  if (!named) return error_of(named);
  const Result<nlohmann::json> all = complete(*named, parameters);
  if (!all) {
    return tl::unexpected(all.error().within(name, "."));
  }
  Recipe recipe{named->family->name, *all, seed};
  if (const Result<ModelFacts> possible = facts(recipe, 1); !possible) return error_of(possible);
  return recipe;
}

std::string canonical_json(const Recipe& recipe) {
  return json_text::dump(nlohmann::json{{"family", recipe.family},
                                        {"parameters", recipe.parameters},
                                        {"revision", kRecipeRevision},
                                        {"seed", recipe.seed}});
}

Result<Recipe> parse_canonical_json(const std::string& text) {
  const nlohmann::json json = json_text::parse(text);
  const bool complete = json.is_object() && json.size() == 4 && json.contains("family") &&
                        json.contains("parameters") && json.contains("revision") && json.contains("seed") &&
                        json["family"].is_string() && json["parameters"].is_object() &&
                        json["revision"].is_number_integer() && json["seed"].is_number_unsigned();
  if (!complete) {
    return fail(R"(not a recipe, expected {"family":…,"parameters":{…},"revision":…,"seed":…})", "recipe");
  }
  if (json["revision"] != kRecipeRevision) {
    return fail(fmt::format("this program makes recipes of revision {}, not {}", kRecipeRevision,
                            json_text::dump(json["revision"])),
                "recipe.revision", "use the same version of NGraphBench on both sides");
  }
  Result<Recipe> recipe =
      resolve(json["family"].get<std::string>(), json["parameters"], json["seed"].get<std::uint64_t>());
  if (!recipe) return recipe;
  for (const auto& item : recipe->parameters.items()) {
    if (json["parameters"].contains(item.key())) continue;
    return fail(fmt::format("{}.{} is missing", recipe->family, item.key()), "recipe",
                "use the same version of NGraphBench on both sides");
  }
  return recipe;
}

std::string content_hash(const Recipe& recipe) { return hash::sha256(canonical_json(recipe)); }

Result<ModelFacts> facts(const Recipe& recipe, int batch) {
  const Result<Graph> graph = build(recipe, batch);
  if (!graph) return error_of(graph);
  const Result<Counts> counts = total(graph->layers());
  if (!counts) return error_of(counts);
  return ModelFacts{
      .inputs = graph->inputs(),
      .ranges = graph->ranges(),
      .outputs = graph->outputs(),
      .parameters = counts->parameters,
      .macs = counts->macs,
      .macs_torchinfo = counts->macs_torchinfo,
      .file_bytes = ModelFile(*graph, recipe.family, recipe.seed, "model.onnx.data", kLargestMessageBytes).size_bytes(),
      .node_count = graph->nodes().size()};
}

Result<std::vector<Layer>> layers(const Recipe& recipe, int batch) {
  Result<Graph> graph = build(recipe, batch);
  if (!graph) return error_of(graph);
  return graph->layers();
}

Status write_onnx(const Recipe& recipe, BatchSize batch, const std::filesystem::path& path, int threads,
                  std::uint64_t largest_message_bytes) {
  const Result<Graph> graph = build(recipe, batch);
  if (!graph) return error_of(graph);
  const std::string data_name = path.filename().string() + ".data";
  return ModelFile(*graph, recipe.family, recipe.seed, data_name, largest_message_bytes).write(path, threads);
}

}  // namespace ngb::zoo
