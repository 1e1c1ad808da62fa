// SPDX-License-Identifier: Apache-2.0
#include "campaign/quantised_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "base/processors.h"
#include "base/text.h"
#include "campaign/prepared_files.h"
#include "campaign/prepared_models.h"
#include "campaign/toolchain_question.h"
#include "plan/make_model.h"
#include "toolchain/catalog.h"
#include "toolchain/toolchain.h"
#include "zoo/recipe.h"

namespace ngb::campaign {
namespace {

namespace fs = std::filesystem;
using config::ModelEntry;
using nlohmann::json;

// What quantises models.
struct QuantisingTool {
  std::string name{};                         // "onnxruntime 1.31.1"
  std::vector<toolchain::Toolchain> sites{};  // their packages; the first one's Python runs it
  toolchain::CompilerDescription compiler{};  // whose own tool it is; without a name: onnxruntime.quantization
  std::string ending = ".onnx";               // of the file that it writes
  [[nodiscard]] bool is_of_compiler() const { return !compiler.name.empty(); }
};

class Quantising {
 public:
  Quantising(const Installation& installation, config::Study& study, const Say& say, CacheFolder cache)
      : installation_(installation), study_(study), say_(say), cache_(std::move(cache)) {}

  // Makes the files of all variants that are quantised. One process makes those of one model by one tool: opening a
  // library often takes longer than its work.
  Status all() {
    std::vector<Group> groups;
    for (ModelEntry& entry : study_.models) {
      if (!entry.quantise) continue;
      Result<Variant> variant = quantised_variant(entry);
      if (!variant) return error_of(variant);
      if (const auto kept = cache_.find(variant->place)) {
        use_file(*variant, *kept);
        continue;
      }
      const auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& each) {
        return each.front().exact == variant->exact && each.front().tool.name == variant->tool.name;
      });
      (group == groups.end() ? groups.emplace_back() : *group).push_back(*std::move(variant));
    }
    for (const Group& group : groups) {
      if (Status made = quantise(group); !made) return made;
    }
    return Done{};
  }

 private:
  [[nodiscard]] int judging_rows() const { return study_.protocol.agreement_inputs; }

  // A file that is to be made of an exact model.
  struct Variant {
    ModelEntry* entry = nullptr;
    const ModelEntry* exact = nullptr;
    work::Model model{};  // the exact one
    QuantisingTool tool{};
    fs::path place{};  // in the cache
    fs::path file{};   // its name there
  };
  using Group = std::vector<Variant>;  // of one model, by one tool

  [[nodiscard]] Result<Variant> quantised_variant(ModelEntry& entry) {
    const auto exact = std::find_if(study_.models.begin(), study_.models.end(),
                                    [&](const ModelEntry& each) { return each.label == entry.variant_of; });
    if (exact->kind() == config::ModelKind::compiled) {
      return fail(exact->label + " is a compiled file, which nothing quantises", entry.label,
                  "make it a variant of what that file was made of");
    }
    const auto model = exact_model(*exact);
    if (!model) return error_of(model);
    const config::Quantisation& how = *entry.quantise;
    const Result<QuantisingTool> tool = how.tool.empty() ? tool_for_onnx(entry) : tool_of_compiler(entry);
    if (!tool) return error_of(tool);
    if (Status fits = check_quantisable(*model, *tool, entry); !fits) return error_of(fits);
    json content{{"model", model->key.hash},
                 {"how", how.how},
                 {"per_channel", how.per_channel},
                 {"exclude", how.exclude},
                 {"tools", json::array()}};
    for (const toolchain::Toolchain& site : tool->sites) content["tools"].push_back(site.manifest_sha256);
    if (tool->is_of_compiler()) content["tool"] = {how.tool, how.bits, model->key.batch};
    // The batch decides how many calibration inputs there are, and what they hold.
    if (how.is_static())
      content["calibration"] = {how.inputs, how.method, model->key.batch, study_.protocol.seed, judging_rows()};
    return Variant{&entry, &*exact, *model, *tool, name_of_prepared(content), how.how + tool->ending};
  }

  static void use_file(const Variant& variant, const fs::path& folder) {
    ModelEntry& entry = *variant.entry;
    entry.file = folder / variant.file;
    if (!entry.compiled.empty()) {  // it says its own shapes
      const std::string& weights = variant.tool.compiler.compiled_files.at(entry.compiled);
      if (!weights.empty()) entry.weights = fs::path(entry.file).replace_extension(weights);
      return;
    }
    entry.shapes = variant.exact->shapes;
    entry.dimensions = variant.exact->dimensions;
  }

  [[nodiscard]] Status quantise(const Group& group) const {
    const Variant& first = group.front();
    const auto copies = cache_.make_scratch(first.place);
    if (!copies) return error_of(copies);
    json question;
    if (Status ready = ask_of(first, copies->path(), question); !ready) return ready;
    std::vector<std::string> labels;
    std::vector<ScratchFolder> folders;
    for (const Variant& variant : group) {
      auto folder = cache_.make_scratch(variant.place);
      if (!folder) return error_of(folder);
      question["variants"].push_back(question_of(*variant.entry->quantise, folder->path() / variant.file));
      folders.push_back(*std::move(folder));
      labels.push_back(variant.entry->label);
    }
    say_(fmt::format("ngb: making {} with {}\n", text::join(labels, ", "), first.tool.name));
    const auto answer = ask(installation_, "quantise", first.tool.sites, question, static_cast<int>(group.size()));
    if (!answer) return fail(answer.error().what, text::join(labels, ", ") + ": quantise", answer.error().next);
    const json made = answer->value("variants", json::array());  // up to the first that could not be made
    for (std::size_t i = 0; i < made.size() && i < group.size(); ++i) {
      if (made[i].contains("error"))
        return fail(made[i]["error"].get<std::string>(), labels[i] + ": quantise", made[i].value("next", ""));
      if (const Status kept = cache_.keep(folders[i].path(), group[i].place); !kept) return kept;
      use_file(group[i], cache_.path() / group[i].place);
      if (made[i].value("shares_rows", false))
        say_(
            fmt::format("ngb: {} is calibrated with the rows that judge it: its exact model's files have no more "
                        "than the {} of agreement_inputs\n",
                        labels[i], judging_rows()));
    }
    return Done{};
  }

  // Fills the question with what all variants of the exact model share. `copies` is for copies of the user's files.
  [[nodiscard]] Status ask_of(const Variant& variant, const fs::path& copies, json& question) const {
    const work::Model& model = variant.model;
    fs::path file = model.is_module() ? fs::path() : copies / "exact.onnx";
    if (Status there = write_exact(*variant.exact, file); !there) return there;
    std::map<std::string, std::string> copied;  // by name
    for (const work::UserFile& each : model.files) {
      const auto copy = copy_as_hashed(each, copies);
      if (!copy) return error_of(copy);
      copied[each.name] = copy->string();
      if (each.path == model.path && !model.is_module()) file = *copy;
    }
    question = question_of(model, copied);
    question["exact"] = file.string();
    question["scratch"] = copies.string();
    if (variant.tool.is_of_compiler()) question.update(question_of_tool(variant, copied));
    return Done{};
  }

  // Adds to the question what a compiler's own tool needs.
  [[nodiscard]] json question_of_tool(const Variant& variant, const std::map<std::string, std::string>& copied) const {
    const work::Model& model = variant.model;
    json recipe = json_text::parse(work::json_of(model.source));
    for (const char* const key : {"file", "state_dict"}) {
      if (!model.is_module() || !recipe["module"].contains(key)) continue;
      recipe["module"][key] = copied.at(recipe["module"][key].get<std::string>());
    }
    const auto exporter = toolchain_with(installation_, config::kExporter, {});
    return {{"tool", variant.entry->quantise->tool},
            {"recipe", recipe.is_object() ? json_text::dump(recipe) : ""},
            {"folders", json::array({variant.tool.compiler.folder.string()})},
            {"module_site", exporter ? exporter->site.string() : ""}};
  }

  // onnxruntime.quantization, with what it imports.
  [[nodiscard]] Result<QuantisingTool> tool_for_onnx(const ModelEntry& entry) const {
    const auto runtime = toolchain_with(installation_, "onnxruntime", {"onnxruntime"});
    const auto onnx = toolchain_with(installation_, "", {"onnx", "numpy", "packaging"});
    if (runtime && onnx) return QuantisingTool{"onnxruntime " + runtime->version, {*onnx, *runtime}};
    return fail(
        fmt::format("quantise needs {}, which {} installed",
                    runtime ? "the packages onnx and packaging" : "onnxruntime",
                    runtime ? "no toolchain has that is" : "is not"),
        entry.label,
        runtime ? "install one that has it: ngb toolchain install identity" : "run: ngb toolchain install onnxruntime");
  }

  [[nodiscard]] Result<QuantisingTool> tool_of_compiler(const ModelEntry& entry) const {
    const std::string& name = entry.quantise->tool;
    const auto catalog = toolchain::read_catalog(installation_.parts.lib);
    if (!catalog) return error_of(catalog);
    const auto owner =
        std::find_if(catalog->begin(), catalog->end(), [&](const auto& each) { return each.quantiser.tool == name; });
    QuantisingTool tool{.name = name, .compiler = *owner, .ending = owner->quantiser.file};
    std::set<std::string> needed{owner->quantiser.toolchain, owner->toolchain, config::kExporter};
    for (const std::string& each : {owner->quantiser.toolchain, owner->toolchain, std::string(config::kExporter)}) {
      if (needed.erase(each) == 0) continue;  // it is there
      const auto site = toolchain_with(installation_, each, {});
      if (!site) {
        return fail(fmt::format("{} needs the toolchain {}, which is not installed", name, each), entry.label,
                    "run: ngb toolchain install " + each);
      }
      if (tool.sites.empty())
        tool.name += each == name ? " " + site->version : fmt::format(" of {} {}", each, site->version);
      tool.sites.push_back(*site);
    }
    return tool;
  }

  [[nodiscard]] static Status check_quantisable(const work::Model& model, const QuantisingTool& tool,
                                                const ModelEntry& entry) {
    const bool takes_modules = tool.compiler.runs_modules == "always";
    if (model.is_module() && !takes_modules) {
      return fail(fmt::format("{} needs an ONNX file, and {} is a PyTorch module",
                              tool.is_of_compiler() ? entry.quantise->tool : "quantise", entry.variant_of),
                  entry.label, "export it to a file (torch.onnx.export), and name that with the key onnx");
    }
    if (!model.inputs.empty()) return Done{};
    return fail(fmt::format("quantise needs the inputs of {}", entry.variant_of), entry.label,
                "give their shapes with the key shapes");
  }

  [[nodiscard]] Result<work::Model> exact_model(const ModelEntry& entry) {
    ModelEntry without_labels = entry;
    without_labels.labels.clear();
    return plan::make_model(without_labels, study_.batch_sizes.front(), study_.protocol.seed, python_files_,
                            find_onnx_package(installation_));
  }

  // Writes the file of a recipe, whose batch it leaves open; does nothing for a user's file.
  [[nodiscard]] Status write_exact(const ModelEntry& exact, const fs::path& path) const {
    if (exact.kind() != config::ModelKind::zoo) return Done{};
    const auto recipe = zoo::resolve(exact.family, work::object_of(exact.parameters), study_.protocol.seed);
    return recipe ? zoo::write_onnx(*recipe, {}, path, processor_count()) : error_of(recipe);
  }

  [[nodiscard]] json question_of(const work::Model& model, const std::map<std::string, std::string>& copied) const {
    json inputs = json::array();
    for (const TensorSignature& input : model.inputs) {
      json& each = inputs.emplace_back(json{{"name", input.name}, {"type", name(input.type)}, {"shape", input.shape}});
      const work::InputValues* const values = work::values_of(model.values, input.name);
      if (values == nullptr) continue;
      if (values->range) each["range"] = {values->range->first, values->range->second};
      if (const auto file = copied.find(values->file); file != copied.end()) {
        each["file"] = file->second;
        each["array"] = values->array.empty() ? input.name : values->array;
      }
    }
    return {{"inputs", std::move(inputs)},
            {"seed", study_.protocol.seed},
            {"batch", model.key.batch},
            {"judging_rows", judging_rows()},
            {"variants", json::array()}};
  }

  static json question_of(const config::Quantisation& how, const fs::path& output) {
    return {{"how", how.how},
            {"bits", how.bits},
            {"per_channel", how.per_channel},
            {"calibration_inputs", how.inputs},
            {"method", how.method},
            {"exclude", how.exclude},
            {"output", output.string()}};
  }

  const Installation& installation_;
  config::Study& study_;
  const Say& say_;
  CacheFolder cache_;
  plan::PythonFiles python_files_{};
};

}  // namespace

Status make_quantised_models(const Installation& installation, config::Study& study, const Say& say,
                             const CacheFolder& cache) {
  return Quantising(installation, study, say, cache).all();
}

}  // namespace ngb::campaign
