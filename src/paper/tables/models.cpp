// SPDX-License-Identifier: Apache-2.0
// Table IV: the models, and Table V: the blocks of which stacks are made.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/json_text.h"
#include "metrics/series/workload.h"
#include "paper/published.h"
#include "paper/tables/tables.h"
#include "zoo/recipe.h"

namespace ngb::paper::tables {
namespace {

using store::CellData;

constexpr const char* kNoRecipe = "known of recipes only";

// Returns the facts of a recipe's model at batch 1, or the reason why there are none. Parameters of `changed` replace
// those of the recipe.
Known<zoo::ModelFacts> facts_of(const CellData& cell, const nlohmann::json& changed = nlohmann::json::object()) {
  using Facts = Known<zoo::ModelFacts>;
  nlohmann::json parameters = cell.recipe_parameters;
  if (cell.of.model.family.empty() || !parameters.is_object()) return Facts::unknown(kNoRecipe);
  parameters.update(changed);
  const auto recipe = zoo::resolve(cell.of.model.family, parameters, 1);
  if (!recipe) return Facts::unknown(recipe.error().text());
  const auto facts = zoo::facts(*recipe, 1);
  return facts ? Facts::of(*facts) : Facts::unknown(facts.error().text());
}

Entry count_entry(const Known<zoo::ModelFacts>& facts, std::uint64_t zoo::ModelFacts::* count) {
  if (!facts.value) return empty_entry(facts.reason);
  return number_entry(static_cast<double>((*facts.value).*count), "");
}

bool is_block(const CellData& cell) { return cell.of.model.family == kConvBlock || cell.of.model.family == kMhaBlock; }

Row row_of_model(const CellData& cell) {
  const Known<zoo::ModelFacts> facts = facts_of(cell);
  const std::string no_size = "the study gives no size";
  Row row{{text_entry(cell.of.model.label), text_entry(metrics::series::model_group_of(cell)),
           cell.of.model.style.empty() ? empty_entry("the study gives no style") : text_entry(cell.of.model.style),
           cell.of.model.size ? number_entry(*cell.of.model.size, "") : empty_entry(no_size)}};
  row.entries.push_back(cell.of.model.parameters ? number_entry(static_cast<double>(*cell.of.model.parameters), "")
                                                 : empty_entry(kNoRecipe));
  row.entries.push_back(count_entry(facts, &zoo::ModelFacts::macs_torchinfo));
  row.entries.push_back(count_entry(facts, &zoo::ModelFacts::macs));
  return row;
}

void add_published_models(Document& made) {
  const PublishedTable& published = published_models();
  for (std::size_t i = 0; i < published.size(); ++i) {
    Row row{.note = kPublishedNote};
    row.entries = {text_entry(published.text(i, "name")), text_entry(published.text(i, "family")),
                   text_entry(published.text(i, "style"))};
    for (const char* const column : {"size_rank", "parameters", "macs_torchinfo"}) {
      row.entries.push_back(number_entry(published.number(i, column), ""));
    }
    row.entries.push_back(empty_entry("the paper counts by torchinfo's convention only"));
    add_row(made, std::move(row));
  }
}

// Returns the parameters of one block: those of a stack of two, less those of a stack of one.
Entry parameters_of_block(const CellData& cell) {
  const Known<zoo::ModelFacts> one = facts_of(cell, {{"depth", 1}});
  const Known<zoo::ModelFacts> two = facts_of(cell, {{"depth", 2}});
  if (!one.value || !two.value) return empty_entry(one.value ? two.reason : one.reason);
  Entry entry = number_entry(static_cast<double>(two.value->parameters - one.value->parameters), "");
  if (cell.of.model.family == kMhaBlock) {
    entry.notes.emplace_back("With the 2·embed parameters of LayerNorm, which the paper's Table V does not count.");
  }
  return entry;
}

void add_published_blocks(Document& made) {
  const PublishedTable& published = published_blocks();
  for (std::size_t i = 0; i < published.size(); ++i) {
    Row row{.note = kPublishedNote};
    row.entries = {text_entry(published.text(i, "block") == "conv" ? kConvBlock : kMhaBlock),
                   number_entry(published.number(i, "width"), ""), number_entry(published.number(i, "parameters"), "")};
    add_row(made, std::move(row));
  }
}

}  // namespace

Document models(const Input& input) {
  Document made{.why_empty = "these results have stacks of blocks only, or no cells"};
  made.table.columns = {column("name", "model", Kind::text),
                        column("family", "family", Kind::text),
                        column("style", "style", Kind::text),
                        column("size_rank", "size", Kind::count),
                        column("parameters", "parameters", Kind::count),
                        column("macs_torchinfo", "MACs (torchinfo)", Kind::count),
                        column("macs", "MACs", Kind::count)};
  std::set<std::string> seen;
  for (const CellData* cell : input.results().cells) {
    if (!is_block(*cell) && seen.insert(cell->of.model.label).second) add_row(made, row_of_model(*cell));
  }
  if (input.shows_published()) add_published_models(made);
  return made;
}

Document blocks(const Input& input) {
  Document made{.why_empty = "these results have no conv_block and no mha_block"};
  made.table.columns = {column("block", "block", Kind::text), column("width", "width", Kind::count),
                        column("parameters", "parameters", Kind::count)};
  std::set<std::pair<std::string, double>> seen;
  for (const CellData* cell : input.results().cells) {
    const auto block = metrics::series::block_of(*cell);
    if (!is_block(*cell) || !block || !block->width) continue;
    if (!seen.emplace(cell->of.model.family, *block->width).second) continue;
    Row row{{text_entry(cell->of.model.family), number_entry(block->width, ""), parameters_of_block(*cell)}};
    add_row(made, std::move(row));
  }
  if (input.shows_published()) add_published_blocks(made);
  return made;
}

}  // namespace ngb::paper::tables
