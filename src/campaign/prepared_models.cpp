// SPDX-License-Identifier: Apache-2.0
#include "campaign/prepared_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
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
#include "base/text.h"
#include "plan/make_model.h"
#include "toolchain/catalog.h"
#include "toolchain/toolchain.h"
#include "zoo/recipe.h"

namespace ngb::campaign {

plan::OnnxPackage find_onnx_package(const Installation& installation) {
  const auto toolchains = toolchain::list(installation.toolchains);
  if (!toolchains) return {};
  for (const toolchain::Toolchain& each : *toolchains) {
    std::error_code code;
    if (each.python.empty() || !std::filesystem::exists(each.site / "onnx" / "reference", code)) continue;
    return {each.python, each.site, installation.parts.lib / "python", each.compiler + "@" + each.version};
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
// Is raised when a change of the programs changes the files that they make.
constexpr int kRevision = 3;

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
  if (!found) return found;
  // With what has changed of its files, which is a part of its hash; one that is damaged is none.
  return toolchain::find(installation.toolchains, found->compiler, found->version).value_or(std::nullopt);
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
  if (!answer.is_object())
    return fail("gave an unexpected answer: " + *text, module,
                fmt::format("run: ngb toolchain install {}@{}", sites.front().compiler, sites.front().version));
  if (answer.contains("error")) return fail(answer["error"].get<std::string>(), {}, answer.value("next", ""));
  return answer;
}

// Returns the name under which the cache keeps what is made from `content`.
fs::path name_of_prepared(const json& content) {
  return "prepared" / fs::path(hash::sha256(json_text::dump(json{{"revision", kRevision}, {"of", content}})));
}

// Copies the file below the folder `into`, under its name. Returns the copy's path, or an error if the file is not what
// it was when its hash became a part of a name.
Result<fs::path> copy_as_hashed(const work::UserFile& file, const fs::path& into) {
  const fs::path copy = into / file.name;
  if (Status made = file::make_folder(copy.parent_path()); !made) return error_of(made);
  const Result<std::string> hash = hash::copy_file(file.path, copy);
  if (!hash) return error_of(hash);
  if (*hash == file.sha256) return copy;
  return fail("has changed while it was read", file.path, "run the same command again");
}

class Preparing {
 public:
  Preparing(const Installation& installation, config::Study& study, const Say& say, CacheFolder cache)
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
    std::vector<work::UserFile> files;
    for (const auto& [name, path] : {std::pair("samples", &source), std::pair("labels", &data.labels)}) {
      if (Status added = add_files(name, *path, files); !added) return added;
    }
    json content{{"data", json::object()}, {"has_images", has_images}, {"tools", site->manifest_sha256}};
    for (const work::UserFile& file : files) content["data"][file.name] = file.sha256;
    const auto model = exact_model(entry);
    if (!model) return error_of(model);
    if (model->inputs.size() != 1) {
      return fail(model->inputs.empty() ? "data needs to know the model's input" : "data needs a model with one input",
                  entry.label,
                  "give the input's shape with the key shapes, or export the model to a file with one input");
    }
    if (has_images) content["shape"] = model->inputs.front().shape;
    const auto made =
        kept_or_made(name_of_prepared(content), [&](const fs::path& folder, const fs::path& copies) -> Status {
          for (const work::UserFile& file : files) {
            if (const auto copy = copy_as_hashed(file, copies); !copy) return error_of(copy);
          }
          json question{{"source", (copies / name_among_copies("samples", source)).string()},
                        {"labels", (copies / name_among_copies("labels", data.labels)).string()},
                        {"called", {source.string(), data.labels.string()}},
                        {"has_images", has_images},
                        {"output", folder.string()}};
          if (has_images) question["shape"] = content["shape"];
          const auto answer = ask(installation_, "labelled_data", {*site}, question);
          return answer ? Status{} : Status(fail(answer.error().what, entry.label + ": data", answer.error().next));
        });
    if (!made) return error_of(made);
    entry.inputs = {{model->inputs.front().name, {.file = *made / "samples.npy"}}};
    entry.labels = *made / "labels.npy";
    return Done{};
  }

  // Enters the inputs of a compiled file, in its order, as a compiler that runs it reads them. Shapes that the study
  // gives stay.
  Status compiled(ModelEntry& entry) {
    const auto compiler = std::find_if(study_.compilers.begin(), study_.compilers.end(), [&](const auto& each) {
      return std::find(entry.compilers.begin(), entry.compilers.end(), each.label) != entry.compilers.end();
    });
    const auto catalog = toolchain::read_catalog(installation_.parts.lib);
    if (!catalog) return error_of(catalog);
    const auto described = toolchain::find_compiler(*catalog, compiler->name);
    if (!described) return error_of(described);
    const auto runtime = toolchain_with(installation_, described->toolchain, {});
    if (!runtime) {
      if (!entry.shapes.empty()) return Done{};
      return fail(fmt::format("{} says what its inputs are, and is not installed", compiler->name), entry.file.string(),
                  fmt::format("run: ngb toolchain install {}; or give the key shapes", described->toolchain));
    }
    std::vector<toolchain::Toolchain> sites{*runtime};
    for (const char* package : {"numpy", "torch"}) {  // OpenVINO's needs the first, ExecuTorch's both
      if (const auto other = toolchain_with(installation_, "", {package})) sites.push_back(*other);
    }
    const fs::path owner = described->folder.parent_path() / described->toolchain;
    const auto answer = ask(installation_, "compiled_file", sites,
                            {{"folders", {described->folder.string(), owner.string()}}, {"file", entry.file.string()}});
    if (!answer)
      return fail("it cannot be read: " + answer.error().what, entry.file.string(),
                  answer.error().next.empty() ? fmt::format("is it a file of {}, and whole?", compiler->name)
                                              : answer.error().next);
    if (answer->at("inputs").is_null()) {
      if (!entry.shapes.empty()) return Done{};
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
    if (Status are_known = refuse_open(entry, in_order); !are_known) return are_known;
    for (const auto& [name, shape] : entry.shapes) {
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      return fail("the key shapes names an input that it does not have: " + name, entry.file.string(),
                  "its inputs are " + text::join(names, ", "));
    }
    entry.shapes = std::move(in_order);
    return Done{};
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
    json content{{"model", model->key.hash},
                 {"is_static", how.is_static},
                 {"per_channel", how.per_channel},
                 {"exclude", how.exclude},
                 {"tools", {runtime->manifest_sha256, onnx->manifest_sha256}}};
    // The batch decides how many calibration inputs there are, and what they hold.
    if (how.is_static)
      content["calibration"] = {how.inputs, how.method, model->key.batch, study_.protocol.seed, judging_rows()};
    const fs::path name = fmt::format("{}.onnx", how.is_static ? "static" : "dynamic");
    const auto made =
        kept_or_made(name_of_prepared(content), [&](const fs::path& folder, const fs::path& copies) -> Status {
          say_(fmt::format("ngb: making {} with onnxruntime {}\n", entry.label, runtime->version));
          fs::path file = copies / "exact.onnx";
          if (Status there = write_exact(*exact, file); !there) return there;
          std::map<std::string, std::string> copied;  // by name
          for (const work::UserFile& each : model->files) {
            const auto copy = copy_as_hashed(each, copies);
            if (!copy) return error_of(copy);
            copied[each.name] = copy->string();
            if (each.path == model->path) file = *copy;
          }
          json question = question_of(*model, how, copied);
          question["exact"] = file.string();
          question["output"] = (folder / name).string();
          const auto answer = ask(installation_, "quantise", {*onnx, *runtime}, question);
          if (!answer) return fail(answer.error().what, entry.label + ": quantise", answer.error().next);
          if (answer->value("shares_rows", false))
            say_(
                fmt::format("ngb: {} is calibrated with the rows that judge it: its exact model's files have no more "
                            "than the {} of agreement_inputs\n",
                            entry.label, judging_rows()));
          return Done{};
        });
    if (!made) return error_of(made);
    entry.file = *made / name;
    entry.shapes = exact->shapes;
    entry.dimensions = exact->dimensions;
    return Done{};
  }

 private:
  // Returns the shape that the study gives the input, else that of the file, whose first extent is the batch if it is
  // open.
  static std::vector<std::int64_t> shape_of(const ModelEntry& entry, const json& input) {
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
  static Status refuse_open(const ModelEntry& entry, const config::InputShapes& shapes) {
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

  static void give_type(ModelEntry& entry, const json& input) {
    const auto name = input.at("name").get<std::string>();
    const auto place =
        std::find_if(entry.inputs.begin(), entry.inputs.end(), [&](const auto& each) { return each.first >= name; });
    const bool is_there = place != entry.inputs.end() && place->first == name;
    (is_there ? place : entry.inputs.insert(place, {name, {}}))->second.type = input.at("type").get<std::string>();
  }

  [[nodiscard]] int judging_rows() const { return study_.protocol.agreement_inputs; }

  // Returns the folder that the cache keeps under the name. If there is none, or it is damaged, `make` is called with a
  // new folder, which is then kept, and with one for copies of the user's files, which is removed.
  template <class Make>
  [[nodiscard]] Result<fs::path> kept_or_made(const fs::path& name, const Make& make) const {
    if (const auto kept = cache_.find(name)) return *kept;
    const auto made = cache_.make_scratch(name);
    if (!made) return error_of(made);
    const auto copies = cache_.make_scratch(name);
    if (!copies) return error_of(copies);
    if (const Status done = make(made->path(), copies->path()); !done) return error_of(done);
    if (const Status kept = cache_.keep(made->path(), name); !kept) return error_of(kept);
    return cache_.path() / name;
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

  [[nodiscard]] json question_of(const work::Model& model, const config::Quantisation& how,
                                 const std::map<std::string, std::string>& copied) const {
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
    return {{"inputs", std::move(inputs)}, {"seed", study_.protocol.seed},   {"batch", model.key.batch},
            {"is_static", how.is_static},  {"per_channel", how.per_channel}, {"calibration_inputs", how.inputs},
            {"method", how.method},        {"exclude", how.exclude},         {"judging_rows", judging_rows()}};
  }

  // Adds the file, or each file in the folder, with its hash and the name of its copy.
  static Status add_files(const char* folder, const fs::path& path, std::vector<work::UserFile>& files) {
    std::error_code code;
    std::set<fs::path> found{path};
    if (fs::is_directory(path, code)) {
      found.clear();
      for (const auto& each : fs::directory_iterator(path, code)) found.insert(each.path());
    }
    for (const fs::path& each : found) {
      if (!fs::is_regular_file(each, code)) continue;
      auto file = plan::user_file((fs::path(folder) / each.filename()).string(), each);
      if (!file) return error_of(file);
      files.push_back(*std::move(file));
    }
    return Done{};
  }

  static fs::path name_among_copies(const char* folder, const fs::path& path) {
    std::error_code code;
    return fs::is_directory(path, code) ? fs::path(folder) : fs::path(folder) / path.filename();
  }

  const Installation& installation_;
  config::Study& study_;
  const Say& say_;
  CacheFolder cache_;
  plan::PythonFiles python_files_{};
};

}  // namespace

Status prepare_models(const Installation& installation, config::Study& study, const Say& say) {
  const bool has_any = std::any_of(study.models.begin(), study.models.end(), [](const ModelEntry& each) {
    return each.quantise || each.data || !each.compiled.empty();
  });
  if (!has_any) return Done{};
  const CacheFolder cache = usable_cache(installation, say);
  if (cache.is_none()) return fail("there is no cache for the models that are made", study.path.string());
  Preparing preparing(installation, study, say, cache);
  for (ModelEntry& entry : study.models) {
    if (entry.compiled.empty()) continue;
    if (Status known = preparing.compiled(entry); !known) return known;
  }
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
