// SPDX-License-Identifier: Apache-2.0
#include "campaign/prepared_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "base/json_text.h"
#include "base/processors.h"
#include "base/python.h"
#include "base/scratch_folder.h"
#include "plan/make_model.h"
#include "toolchain/toolchain.h"
#include "zoo/recipe.h"

namespace ngb::campaign {

plan::OnnxPackage find_onnx_package(const Installation& installation) {
  const auto toolchains = toolchain::list(installation.toolchains);
  if (!toolchains) return {};
  for (const toolchain::Toolchain& each : *toolchains) {
    std::error_code code;
    if (each.python.empty() || !std::filesystem::exists(each.site / "onnx" / "reference", code)) continue;
    return {each.python, each.site, installation.parts.lib / "python"};
  }
  return {};
}

namespace {

namespace fs = std::filesystem;
using config::ModelEntry;
using nlohmann::json;

constexpr const char* kProgram =
    "import sys\nsys.path.extend(sys.argv[2:])\nimport importlib\n"
    "module = importlib.import_module('ngraphbench.' + sys.argv[1])\nmodule.print = print\nmodule.answer()\n";
// Raise this when the programs make other files of the same things.
constexpr int kRevision = 1;

// Returns the toolchain that has these folders among its packages, the last of the compiler's versions; nothing if none
// has. "" is any compiler.
std::optional<toolchain::Toolchain> toolchain_with(const Installation& installation, const std::string& compiler,
                                                   const std::vector<std::string>& packages) {
  const auto all = toolchain::list(installation.toolchains);
  std::optional<toolchain::Toolchain> found;
  for (const toolchain::Toolchain& each : all ? *all : std::vector<toolchain::Toolchain>()) {
    if (each.python.empty() || (!compiler.empty() && each.compiler != compiler)) continue;
    const bool has_all = std::all_of(packages.begin(), packages.end(), [&](const std::string& package) {
      std::error_code code;
      return fs::exists(each.site / package, code);
    });
    if (has_all) found = each;
  }
  return found;
}

// Runs a module of ours that reads a question and prints an answer, with the packages of `sites`.
Result<json> ask(const Installation& installation, const std::string& module,
                 const std::vector<toolchain::Toolchain>& sites, const json& question) {
  std::vector<std::string> arguments{module, (installation.parts.lib / "python").string()};
  for (std::size_t i = 1; i < sites.size(); ++i) arguments.push_back(sites[i].site.string());
  const Result<std::string> text =
      python::ask({.interpreter = python::of_toolchain(sites.front().python, sites.front().site),
                   .program = kProgram,
                   .arguments = arguments,
                   .input = json_text::dump(question),
                   .site = sites.front().site});
  if (!text) return error_of(text);
  json answer = json_text::parse(*text);
  if (!answer.is_object()) return fail("gave an unexpected answer: " + *text, module, "install the toolchain again");
  if (answer.contains("error")) return fail(answer["error"].get<std::string>(), {}, answer.value("next", ""));
  return answer;
}

// Returns the folder of what is made from `content`, and whether it is there already.
struct Kept {
  fs::path folder{};
  bool is_there = false;
};
Kept kept(const fs::path& cache, const json& content) {
  Kept kept{cache / "prepared" / hash::sha256(json_text::dump(json{{"revision", kRevision}, {"of", content}}))};
  std::error_code code;
  kept.is_there = fs::exists(kept.folder, code);
  return kept;
}

// Puts what `make` writes into a folder in the place of `kept`, whole or not at all.
template <class Make>
Status make_once(const Kept& kept, const Make& make) {
  if (kept.is_there) return Done{};
  if (const Status made = file::make_folder(kept.folder.parent_path()); !made) return made;
  const auto scratch = ScratchFolder::beside(kept.folder);
  if (!scratch) return error_of(scratch);
  const fs::path whole = scratch->path() / "made";
  if (const Status made = file::make_folder(whole); !made) return made;
  if (const Status made = make(whole); !made) return made;
  std::error_code code;
  fs::rename(whole, kept.folder, code);
  if (code && !fs::exists(kept.folder)) return fail("cannot be put in place: " + code.message(), kept.folder.string());
  return Done{};
}

class Preparing {
 public:
  Preparing(const Installation& installation, config::Study& study, const Say& say, fs::path cache)
      : installation_(installation), study_(study), say_(say), cache_(std::move(cache)) {}

  Status data(ModelEntry& entry) {
    const config::LabelledData& data = *entry.data;
    const bool has_images = !data.images.empty();
    const auto site = toolchain_with(
        installation_, "", has_images ? std::vector<std::string>{"numpy", "PIL"} : std::vector<std::string>{"numpy"});
    if (!site) {
      return fail(has_images ? "decoding images needs NumPy and Pillow, which no installed toolchain has"
                             : "reading arrays needs NumPy, which no installed toolchain has",
                  entry.label, "install one that has it: ngb toolchain install identity");
    }
    const fs::path& source = has_images ? data.images : data.arrays;
    json content{{"data", json::array()}, {"has_images", has_images}};
    for (const fs::path& each : {source, data.labels}) {
      const Result<json> hashes = hashes_of(each);
      if (!hashes) return error_of(hashes);
      content["data"].push_back(*hashes);
    }
    json question{{"source", source.string()}, {"labels", data.labels.string()}, {"has_images", has_images}};
    const auto model = exact_model(entry);
    if (!model) return error_of(model);
    if (model->inputs.size() != 1) {
      return fail(model->inputs.empty() ? "data needs to know the model's input" : "data needs a model with one input",
                  entry.label,
                  "give the input's shape with the key shapes, or export the model to a file with one input");
    }
    if (has_images) question["shape"] = content["shape"] = model->inputs.front().shape;
    const Kept made = kept(cache_, content);
    const Status done = make_once(made, [&](const fs::path& folder) -> Status {
      question["output"] = folder.string();
      const auto answer = ask(installation_, "labelled_data", {*site}, question);
      return answer ? Status{} : Status(fail(answer.error().what, entry.label + ": data", answer.error().next));
    });
    entry.inputs = {{model->inputs.front().name, {.file = made.folder / "samples.npy"}}};
    entry.labels = made.folder / "labels.npy";
    return done;
  }

  Status quantised(ModelEntry& entry) {
    const auto exact = std::find_if(study_.models.begin(), study_.models.end(),
                                    [&](const ModelEntry& each) { return each.label == entry.variant_of; });
    const auto model = exact_model(*exact);
    if (!model) return error_of(model);
    if (model->is_module()) {
      return fail(fmt::format("quantise needs an ONNX file, and {} is a PyTorch module", exact->label), entry.label,
                  "export it to a file (torch.onnx.export), and name that with the key onnx");
    }
    const auto runtime = toolchain_with(installation_, "onnxruntime", {"onnxruntime"});
    const auto onnx = toolchain_with(installation_, "", {"onnx", "numpy", "packaging"});  // what quantisation imports
    if (!runtime || !onnx) {
      return fail(fmt::format("quantise needs {}, which {} installed",
                              runtime ? "the packages onnx and packaging" : "onnxruntime",
                              runtime ? "no toolchain has that is" : "is not"),
                  entry.label,
                  runtime ? "install one that has it: ngb toolchain install identity"
                          : "run: ngb toolchain install onnxruntime");
    }
    const config::Quantisation& how = *entry.quantise;
    const Kept made = kept(cache_, {{"model", model->key.hash},
                                    {"is_static", how.is_static},
                                    {"per_channel", how.per_channel},
                                    {"inputs", how.is_static ? how.inputs : 0},
                                    {"seed", study_.protocol.seed},
                                    {"onnxruntime", runtime->version}});
    const fs::path name = fmt::format("{}.onnx", how.is_static ? "static" : "dynamic");
    const Status done = make_once(made, [&](const fs::path& folder) -> Status {
      say_(fmt::format("ngb: making {} with onnxruntime {}\n", entry.label, runtime->version));
      json question = question_of(*model, how);
      const fs::path written = folder / "exact.onnx";
      if (const Status there = write_exact(*exact, written); !there) return there;
      question["exact"] = (exact->kind() == config::ModelKind::zoo ? written : exact->file).string();
      question["output"] = (folder / name).string();
      const auto answer = ask(installation_, "quantise", {*onnx, *runtime}, question);
      std::error_code code;
      fs::remove(written, code);
      return answer ? Status{} : Status(fail(answer.error().what, entry.label + ": quantise", answer.error().next));
    });
    entry.file = made.folder / name;
    entry.shapes = exact->shapes;
    entry.dimensions = exact->dimensions;
    return done;
  }

 private:
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

  [[nodiscard]] json question_of(const work::Model& model, const config::Quantisation& how) const {
    json inputs = json::array();
    for (const TensorSignature& input : model.inputs) {
      json& each = inputs.emplace_back(json{{"name", input.name}, {"type", name(input.type)}, {"shape", input.shape}});
      const work::InputValues* const values = work::values_of(model.values, input.name);
      if (values == nullptr) continue;
      if (values->range) each["range"] = {values->range->first, values->range->second};
      if (const work::UserFile* const file = work::file_called(model.files, values->file); file != nullptr) {
        each["file"] = file->path;
        each["array"] = values->array.empty() ? input.name : values->array;
      }
    }
    return {{"inputs", std::move(inputs)}, {"seed", study_.protocol.seed},   {"batch", model.key.batch},
            {"is_static", how.is_static},  {"per_channel", how.per_channel}, {"calibration_inputs", how.inputs}};
  }

  // Returns the hash of a file, or of each file in a folder.
  static Result<json> hashes_of(const fs::path& path) {
    std::error_code code;
    std::set<fs::path> files{path};
    if (fs::is_directory(path, code)) {
      files.clear();
      for (const auto& each : fs::directory_iterator(path, code)) files.insert(each.path());
    }
    json hashes = json::object();
    for (const fs::path& each : files) {
      if (!fs::is_regular_file(each, code)) continue;
      const Result<std::string> hash = hash::sha256_of_file(each);
      if (!hash) return error_of(hash);
      hashes[each.filename().string()] = *hash;
    }
    return hashes;
  }

  const Installation& installation_;
  config::Study& study_;
  const Say& say_;
  fs::path cache_;
  plan::PythonFiles python_files_{};
};

}  // namespace

Status prepare_models(const Installation& installation, config::Study& study, const Say& say) {
  const bool has_any = std::any_of(study.models.begin(), study.models.end(),
                                   [](const ModelEntry& each) { return each.quantise || each.data; });
  if (!has_any) return Done{};
  const fs::path cache = usable_cache(installation, say);
  if (cache.empty()) return fail("there is no cache for the models that are made", study.path.string());
  Preparing preparing(installation, study, say, cache);
  for (ModelEntry& entry : study.models) {
    if (!entry.data) continue;
    if (Status made = preparing.data(entry); !made) return made;
  }
  for (ModelEntry& entry : study.models) {
    if (!entry.quantise) continue;
    if (Status made = preparing.quantised(entry); !made) return made;
  }
  return Done{};
}

}  // namespace ngb::campaign
