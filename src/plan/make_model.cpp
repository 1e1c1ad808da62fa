// SPDX-License-Identifier: Apache-2.0
#include "plan/make_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "base/hash.h"
#include "base/json_text.h"
#include "base/python.h"
#include "base/text.h"
#include "config/keys/value.h"
#include "plan/decoder_model.h"
#include "plan/file_decoder.h"
#include "plan/graph_shapes.h"
#include "plan/module_decoder.h"
#include "plan/named_shapes.h"
#include "plan/stateful_decoder.h"
#include "python_files.py.h"
#include "userfiles/input_values.h"
#include "userfiles/onnx_file.h"
#include "userfiles/onnx_scan.h"
#include "zoo/family.h"
#include "zoo/recipe.h"

namespace ngb::plan {

namespace {

using nlohmann::json;

constexpr std::uint64_t kMostBytes = 64U << 20U;

// Returns the names of the files, relative to the folder of `path`. That of `path` is the first.
Result<std::vector<std::string>> names_of(const std::filesystem::path& path) {
  constexpr const char* kMostFiles = "1000";
  const std::string command = python::default_command();
  const Result<std::string> answer = python::ask({.interpreter = {command, "-S"},
                                                  .program = kPython_python_files,
                                                  .arguments = {path.filename().string(), kMostFiles},
                                                  .folder = path.parent_path()});
  if (!answer) {
    return fail(answer.error().what, path.string(),
                fmt::format("correct the imports, which {} has parsed, or set NGB_PYTHON to another Python", command));
  }
  try {
    return json_text::parse(*answer).get<std::vector<std::string>>();
  } catch (const nlohmann::json::exception&) {
    return fail("gave an unexpected answer: " + *answer, command, "install Python 3.9 or newer");
  }
}

Result<std::vector<work::UserFile>> find_files(const std::filesystem::path& path) {
  if (const auto readable = file::read(path, kMostBytes); !readable) return error_of(readable);
  const Result<std::vector<std::string>> names = names_of(path);
  if (!names) return error_of(names);
  std::vector<work::UserFile> files;
  std::uint64_t bytes = 0;
  for (const std::string& name : *names) {
    const std::filesystem::path source = path.parent_path() / name;
    const Result<std::string> content = file::read(source, kMostBytes);
    if (!content) return error_of(content);
    bytes += content->size();
    if (bytes > kMostBytes) return fail("the model's Python files are larger than 64 MiB", path.parent_path().string());
    files.push_back({"model/" + name, source.string(), hash::sha256(*content)});
  }
  return files;
}

template <class T>
json object_of_pairs(const std::vector<std::pair<std::string, T>>& pairs) {
  json object = json::object();
  for (const auto& [name, value] : pairs) object[name] = value;
  return object;
}

// Adds a file that needs no other files beside it, unless the model has it already. Returns its name, which contains a
// part of its hash.
Result<std::string> add_file(work::Model& model, const std::string& folder, const std::filesystem::path& path) {
  Result<work::UserFile> file = user_file("", path);
  if (!file) return error_of(file);
  file->name = fmt::format("{}/{}/{}", folder, file->sha256.substr(0, 16), path.filename().string());
  if (work::file_called(model.files, file->name) == nullptr) model.files.push_back(*file);
  return file->name;
}

Result<work::Model> from_recipe(const config::ModelEntry& entry, int batch, std::uint64_t seed) {
  Result<config::Parameters> parameters = entry.parameters;
  if (entry.decoder) parameters = decoder_parameters(entry);
  if (!parameters) return error_of(parameters);
  const auto recipe = zoo::resolve(entry.family, work::object_of(*parameters), seed);
  if (!recipe) return error_of(recipe);
  const auto facts = zoo::facts(*recipe, batch);
  if (!facts) return error_of(facts);
  work::Model model;
  if (entry.decoder && entry.decoder->is_prefill) model.prompt_tokens = entry.decoder->context;
  if (entry.decoder && !entry.decoder->is_prefill) {
    auto decoding = decoding_of(entry, *recipe, *facts, batch);
    if (!decoding) return error_of(decoding);
    model.decoding = *std::move(decoding);
  }
  model.key.hash = zoo::content_hash(*recipe);
  model.family = recipe->family;
  model.source = work::Recipe{zoo::canonical_json(*recipe)};
  model.inputs = facts->inputs;
  model.open_inputs = facts->inputs;
  model.parameters = facts->parameters;
  model.macs = facts->macs;
  model.macs_torchinfo = facts->macs_torchinfo;
  for (TensorSignature& input : model.open_inputs) input.shape.front() = kOpenExtent;
  for (const auto& [input, range] : facts->ranges) model.values.push_back({.input = input, .range = range});
  return model;
}

Result<work::Model> from_onnx(const config::ModelEntry& entry, int batch, const OnnxPackage& onnx) {
  auto decoder = file_decoder(entry);
  if (!decoder) return error_of(decoder);
  Result<ExtentNames> names = entry.named ? names_in_file(entry) : ExtentNames();
  if (!names) return error_of(names);
  const auto dimensions = entry.named ? first_sizes(entry) : entry.dimensions;
  auto file = userfiles::inspect_onnx(entry.file, batch, decoder->shapes, dimensions, [&](const auto& inputs) {
    const Advice advice = advise(onnx, entry.file, inputs);
    return fmt::format("for instance ({}):{}", advice.basis, advice.keys);
  });
  if (!file) return error_of(file);
  auto outputs = userfiles::inspect_outputs(entry.file);
  if (!outputs) return error_of(outputs);
  work::Model model;
  model.key.hash = file->content_hash;
  model.path = entry.file.string();
  model.inputs = std::move(file->inputs);
  model.open_inputs = std::move(file->open_inputs);
  model.arithmetic = std::move(outputs->arithmetic);
  model.outputs = std::move(outputs->declared);
  for (const userfiles::FilePart& part : file->parts) {
    const std::filesystem::path location = std::filesystem::path(part.location).lexically_normal();
    model.files.push_back({"model/" + location.string(), (entry.file.parent_path() / location).string(), part.sha256});
  }
  if (entry.decoder) add_decoding(model, *std::move(decoder));
  if (!entry.named) return model;
  if (const Status settled = settle_named(model, entry, *names); !settled) return error_of(settled);
  open_named(model, entry, *names);
  return model;
}

// Adds the module's inputs whose shapes the study gives. Returns an error if it gives shapes, but none with the batch
// size.
Status add_inputs(work::Model& model, const config::ModelEntry& entry, int batch) {
  bool has_batch = entry.shapes.empty();
  for (const auto& [input, shape] : entry.shapes) {
    const auto given = std::find_if(entry.inputs.begin(), entry.inputs.end(),
                                    [&name = input](const auto& each) { return each.first == name; });
    const std::string type = given == entry.inputs.end() || given->second.type.empty() ? "f32" : given->second.type;
    TensorSignature signature{input, *parse_data_type(type), shape};
    TensorSignature open = signature;
    std::replace(signature.shape.begin(), signature.shape.end(), kBatchExtent, std::int64_t{batch});
    std::replace(open.shape.begin(), open.shape.end(), kBatchExtent, kOpenExtent);
    has_batch = has_batch || signature.shape != open.shape || (!shape.empty() && shape.front() == batch);
    model.inputs.push_back(std::move(signature));
    model.open_inputs.push_back(std::move(open));
  }
  if (has_batch) return Done{};
  return fail(fmt::format("no shape has the batch size {}", batch), entry.label,
              "write the word batch in its place, as in shapes: {x: [batch, 3, 224, 224]}");
}

// Makes a model of a file that a compiler runs as it is. The study has its inputs (campaign/prepared_models.h).
Result<work::Model> from_compiled(const config::ModelEntry& entry, int batch) {
  work::Model model;
  model.source = work::CompiledFile{};
  model.path = entry.file.string();
  json content{{"compiled", entry.compiled}};
  for (const std::filesystem::path& path : {entry.file, entry.weights}) {
    if (path.empty()) continue;
    Result<work::UserFile> file = user_file("model/" + path.filename().string(), path);
    if (!file) return error_of(file);
    content["files"][path.extension().string()] = file->sha256;
    model.files.push_back(*std::move(file));
  }
  if (entry.decoder) content["context"] = entry.decoder->context;
  model.key.hash = hash::sha256(json_text::dump(content));
  if (const Status added = add_inputs(model, entry, batch); !added) {
    return fail(fmt::format("it was compiled for another batch size than {}", batch), entry.file.string(),
                "list its own in batch_sizes, or give it a study of its own");
  }
  if (entry.decoder) add_stateful_decoding(model, *entry.decoder);
  return model;
}

// Makes a model whose source is {"module":{…}}, from which the exporter and PyTorch's compilers make the module. It
// names files by UserFile::name.
Result<work::Model> from_module(const config::ModelEntry& entry, int batch, std::uint64_t seed,
                                PythonFiles& python_files) {
  work::Model model;
  model.path = entry.file.string();
  json module{{"parameters", work::object_of(entry.parameters)}, {"seed", seed}};
  if (entry.kind() == config::ModelKind::timm) {
    module["timm"] = entry.factory;
  } else {
    auto files = python_files.of(entry.file);
    if (!files) return error_of(files);
    model.files = *std::move(files);
    module["file"] = model.files.front().name;
    module["factory"] = entry.factory;
  }
  if (!entry.state_dict.empty()) {
    const Result<std::string> name = add_file(model, "state_dict", entry.state_dict);
    if (!name) return error_of(name);
    module["state_dict"] = *name;
  }
  const auto step = entry.decoder ? with_inputs_of_step(entry) : Result<config::ModelEntry>(entry);
  if (!step) return error_of(step);
  if (const Status added = add_inputs(model, *step, batch); !added) return error_of(added);
  if (entry.decoder) module["decoder"] = add_decoding_of_module(model, entry);
  if (entry.named) {
    if (const Status settled = settle_named(model, entry, entry.named->extents); !settled) return error_of(settled);
  }
  for (const TensorSignature& input : model.open_inputs) {
    module["inputs"].push_back({{"name", input.name}, {"type", name(input.type)}, {"shape", input.shape}});
    if (entry.named) add_open_axes(module["inputs"].back(), input, *entry.named);
  }
  if (entry.named) open_named(model, entry, entry.named->extents);
  work::Module source{json_text::dump(json{{"module", module}})};
  json content{{"recipe", source.json}, {"files", json::object()}};
  for (const work::UserFile& file : model.files) content["files"][file.name] = file.sha256;
  model.source = std::move(source);
  model.key.hash = hash::sha256(json_text::dump(content));
  return model;
}

Status check_values(const work::Model& model, const work::InputValues& values) {
  if (!model.visited.empty() && !values.file.empty()) {
    return fail("an array has one shape, and the model visits several", fmt::format("input \"{}\"", values.input),
                "give a range: {range: [0, 30521]}");
  }
  std::vector<std::string> names;
  for (const TensorSignature& input : model.unpadded.empty() ? model.inputs : model.unpadded) {
    names.push_back(input.name);
    if (!values.input.empty() && values.input != input.name) continue;
    if (work::values_of(model.values, input.name) != &values) continue;
    if (const Status fits = userfiles::check_range(values, input); !fits) return fits;
    const work::UserFile* const file = work::file_called(model.files, values.file);
    if (file == nullptr) continue;
    const auto array = userfiles::fitting_array(values, file->path, input, model.key.batch);
    if (!array) return error_of(array);
  }
  const bool is_known = std::find(names.begin(), names.end(), values.input) != names.end();
  if (model.inputs.empty() || values.input.empty() || is_known) return Done{};
  const auto near = text::nearest(values.input, names);
  return fail(near ? fmt::format("no such input, did you mean {}?", *near)
                   : fmt::format("no such input, expected one of {}", text::join(names, ", ")),
              fmt::format("input \"{}\"", text::to_utf8(values.input)));
}

// Adds the labels of the samples, which `values` has.
Status add_labels(work::Model& model, const config::ModelEntry& entry) {
  if (entry.labels.empty()) return Done{};
  const Result<std::string> name = add_file(model, "labels", entry.labels);
  if (!name) return error_of(name);
  model.labels = *name;
  return Done{};
}

Status add_values(work::Model& model, const config::ModelEntry& entry) {
  for (const auto& [input, given] : entry.inputs) {
    if (!given.range && given.file.empty()) continue;  // a type alone
    // The study's values replace those that the model has for an input.
    std::erase_if(model.values, [&name = input](const auto& of) { return name.empty() || of.input == name; });
    work::InputValues values{.input = input, .range = given.range, .array = given.array};
    if (!given.file.empty()) {
      const Result<std::string> name = add_file(model, "inputs", given.file);
      if (!name) return error_of(name);
      values.file = *name;
    }
    model.values.push_back(std::move(values));
  }
  for (const work::InputValues& values : model.values) {
    if (const Status fits = check_values(model, values); !fits) return fits;
  }
  return Done{};
}

// Says what the model belongs to: as the study does, else as the zoo does of a recipe or of timm's model of that name.
void add_model_group(work::Model& model, const config::ModelEntry& entry) {
  if (!entry.variant_of.empty()) return;  // a variant is pooled with no other model
  const config::ModelKind kind = entry.kind();
  zoo::ModelGroup known;
  if (kind == config::ModelKind::zoo) known = zoo::model_group_of(entry.family);
  if (kind == config::ModelKind::timm) known = zoo::model_group_of(entry.factory);
  if (!entry.parameters.empty()) known.size.reset();  // they may make it another size
  if (!entry.parameters.empty() && (kind == config::ModelKind::onnx || kind == config::ModelKind::compiled))
    model.file_parameters = json_text::dump(json{{"parameters", work::object_of(entry.parameters)}});
  model.group = entry.group.empty() ? known.group : entry.group;
  model.style = entry.style.empty() ? known.style : entry.style;
  model.size = entry.size ? entry.size : known.size;
  model.raw_bytes = entry.raw_bytes;
  model.encoded_bytes = entry.encoded_bytes;
}

// Returns the hash of the model with its shapes, its values and the way in which it is compiled. A model in which one
// of these differs is another model.
std::string hash_of_all(const work::Model& model, const config::ModelEntry& entry) {
  json all{{"content", model.key.hash}};
  const bool is_file = entry.kind() == config::ModelKind::onnx || entry.kind() == config::ModelKind::compiled;
  if (is_file && !entry.shapes.empty()) all["shapes"] = object_of_pairs(entry.shapes);
  if (!entry.dimensions.empty()) all["dimensions"] = object_of_pairs(entry.dimensions);
  for (const work::InputValues& values : model.values) {
    json& given = all["values"][values.input];
    if (values.range) given["range"] = {values.range->first, values.range->second};
    if (!values.file.empty()) given["file"] = work::file_called(model.files, values.file)->sha256;
    if (!values.array.empty()) given["array"] = values.array;
    if (values.counts) given["counts"] = true;
  }
  if (model.dynamic_batch) all["dynamic_batch"] = true;
  if (entry.named) add_to_hashed(all, model, *entry.named);
  if (model.decoding) all["new_tokens"] = model.decoding->new_tokens;
  if (!model.labels.empty()) all["labels"] = work::file_called(model.files, model.labels)->sha256;
  if (all.size() == 1) return model.key.hash;
  return hash::sha256(json_text::dump(all));
}

}  // namespace

Result<work::UserFile> user_file(const std::string& name, const std::filesystem::path& path) {
  const Result<std::string> hash = hash::sha256_of_file(path);
  if (!hash) return error_of(hash);
  return work::UserFile{name, path.string(), *hash};
}

Result<std::vector<work::UserFile>> PythonFiles::of(const std::filesystem::path& path) {
  const auto known = found_.find(path);
  return known != found_.end() ? known->second : found_.emplace(path, find_files(path)).first->second;
}

Result<work::Model> make_model(const config::ModelEntry& entry, int batch, std::uint64_t seed,
                               PythonFiles& python_files, const OnnxPackage& onnx) {
  const config::ModelKind kind = entry.kind();
  Result<work::Model> model = kind == config::ModelKind::zoo        ? from_recipe(entry, batch, seed)
                              : kind == config::ModelKind::onnx     ? from_onnx(entry, batch, onnx)
                              : kind == config::ModelKind::compiled ? from_compiled(entry, batch)
                                                                    : from_module(entry, batch, seed, python_files);
  if (!model) return model;
  model->label = entry.label;
  add_model_group(*model, entry);
  model->key.batch = batch;
  model->dynamic_batch = entry.dynamic_batch;
  const bool is_dynamic = entry.dynamic_batch || (entry.named && !entry.named->dynamic.empty());
  if (!is_dynamic) model->open_inputs.clear();
  leave_length_open(*model);
  if (const Status added = add_values(*model, entry); !added) return error_of(added);
  if (const Status added = add_labels(*model, entry); !added) return error_of(added);
  model->key.hash = hash_of_all(*model, entry);
  return model;
}

}  // namespace ngb::plan
