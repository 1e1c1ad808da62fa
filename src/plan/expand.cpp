// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/text.h"
#include "config/value.h"
#include "plan/make_model.h"
#include "plan/order.h"
#include "plan/plan.h"

namespace ngb::plan {
namespace {

using nlohmann::json;

// Everything that is wrong with the models, so that it can be mended at once.
class ModelProblems {
 public:
  void add(const std::string& label, const Error& error) {
    const std::string text = fmt::format("{}: {}", label, error.text());
    if (std::find(texts_.begin(), texts_.end(), text) == texts_.end()) texts_.push_back(text);
  }
  [[nodiscard]] bool empty() const { return texts_.empty(); }
  [[nodiscard]] Error error(const std::string& where) const {
    if (texts_.size() == 1) return {texts_[0], where, {}};
    return {fmt::format("{} models cannot be used:\n  {}", texts_.size(), text::join(texts_, "\n  ")), where, {}};
  }

 private:
  std::vector<std::string> texts_;
};

Result<std::vector<Model>> make_models(const config::Study& study) {
  std::vector<Model> models;
  ModelProblems problems;
  std::map<std::string, std::string> label_of_hash;
  for (const config::ModelEntry& entry : study.models) {
    for (const int batch : study.batch_sizes) {
      auto model = make_model(entry, batch, study.seed);
      if (!model) {
        problems.add(entry.label, model.error());
        continue;
      }
      const auto [known, is_new] = label_of_hash.emplace(model->hash, entry.label);
      if (!is_new && known->second != entry.label) {
        problems.add(entry.label, {fmt::format("the same model as {}; keep one of them", known->second), {}, {}});
      }
      models.push_back(*std::move(model));
    }
  }
  if (!problems.empty()) return tl::unexpected(problems.error(study.path.string()));
  return models;
}

std::string cell_id(const Cell& cell, const Model& model) {
  const json made_of{{"batch", model.batch},
                     {"compiler", cell.compiler},
                     {"device", cell.device},
                     {"model", model.hash},
                     {"options", config::object_of(cell.options)},
                     {"precision", cell.precision},
                     {"threads", cell.threads},
                     {"version", cell.compiler_version}};
  return hash::sha256(made_of.dump(-1, ' ', false, json::error_handler_t::replace)).substr(0, 16);
}

std::vector<Cell> make_cells(const config::Study& study, const std::vector<Model>& models) {
  std::vector<Cell> cells;
  for (const config::DeviceEntry& device : study.devices) {
    for (std::size_t i = 0; i < models.size(); ++i) {
      for (const config::CompilerEntry& compiler : study.compilers) {
        const auto& chosen = device.compilers;
        if (std::find(chosen.begin(), chosen.end(), compiler.label) == chosen.end()) continue;
        Cell cell{.device = device.name,
                  .compiler = compiler.name,
                  .compiler_label = compiler.label,
                  .compiler_version = compiler.version,
                  .options = compiler.options,
                  .threads = compiler.threads,
                  .precision = study.precision,
                  .model_index = static_cast<int>(i)};
        cell.id = cell_id(cell, models[i]);
        cells.push_back(std::move(cell));
      }
    }
  }
  return cells;
}

}  // namespace

Result<Plan> expand(const config::Study& study) {
  auto models = make_models(study);
  if (!models) return tl::unexpected(models.error());
  Plan plan{.study = study, .models = *std::move(models)};
  plan.cells = make_cells(study, plan.models);
  plan.groups = order(plan.models, plan.cells, study.processes, study.seed);
  return plan;
}

std::uint64_t process_count(const Plan& plan) {
  std::uint64_t count = 0;
  for (const Group& group : plan.groups) count += group.steps.size();
  return count;
}

}  // namespace ngb::plan
