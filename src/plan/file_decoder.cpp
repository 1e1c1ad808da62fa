// SPDX-License-Identifier: Apache-2.0
#include "plan/file_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "base/hash.h"
#include "base/json_text.h"
#include "base/text.h"
#include "plan/decoder_model.h"
#include "userfiles/cache_pairs.h"
#include "userfiles/onnx_graph.h"

namespace ngb::plan {
namespace {

using userfiles::CacheForm;
using userfiles::FileCache;
using userfiles::FileTensors;
using userfiles::ScannedExtent;
using userfiles::ScannedInput;

constexpr const char* kGenAiConfig = "genai_config.json";
constexpr std::uint64_t kMostConfigBytes = 1U << 20U;

const char* name_of(CacheForm form) {
  return form == CacheForm::growing ? "growing" : form == CacheForm::whole ? "static" : "delta";
}

// Returns what onnxruntime-genai's builder has written beside the file about its decoder; an empty object if nothing.
nlohmann::json genai_decoder(const std::filesystem::path& file) {
  const Result<std::string> text = file::read(file.parent_path() / kGenAiConfig, kMostConfigBytes);
  if (!text) return nlohmann::json::object();
  try {
    return json_text::parse(*text).at("model").at("decoder");
  } catch (const nlohmann::json::exception&) {
    return nlohmann::json::object();
  }
}

class StepInputs {
 public:
  StepInputs(const config::ModelEntry& entry, const FileTensors& file, const FileCache& cache)
      : entry_(entry), decoder_(*entry.decoder), file_(file), cache_(cache), genai_(genai_decoder(entry.file)) {}

  Result<FileDecoder> make() {
    made_.rows_axis = cache_.rows_axis;
    if (const Status form = check_form(); !form) return error_of(form);
    if (const Status given = check_given(); !given) return error_of(given);
    for (const userfiles::CachePair& pair : cache_.pairs) {
      if (const Status added = add_part(pair); !added) return error_of(added);
    }
    if (const Status added = add_tokens(); !added) return error_of(added);
    if (const Status added = add_mask(); !added) return error_of(added);
    if (const Status added = add_counters(); !added) return error_of(added);
    if (cache_.branch) add_value(*cache_.branch, decoder_.is_prefill ? 0 : 1);
    add_vocabulary();
    if (decoder_.is_prefill) made_.prompt_tokens = decoder_.context;
    if (!decoder_.is_prefill) made_.decoding = decoding();
    return std::move(made_);
  }

 private:
  [[nodiscard]] const ScannedInput& input(std::size_t index) const { return file_.inputs[index]; }
  [[nodiscard]] bool grows() const { return cache_.form == CacheForm::growing; }
  [[nodiscard]] std::int64_t tokens() const { return decoder_.is_prefill ? decoder_.context : 1; }
  [[nodiscard]] std::int64_t tokens_before() const { return decoder_.is_prefill ? 0 : decoder_.context; }

  // Finds the rows of the cache, and refuses what the file cannot do.
  Status check_form() {
    const bool is_any = decoder_.cache == config::kFormOfFile;
    is_shared_ =
        grows() && file_.can_share_cache && !decoder_.is_prefill && decoder_.cache == name_of(CacheForm::whole);
    if (is_shared_) {
      rows_ = rows_of_cache(decoder_);
      return check_room(static_cast<int>(rows_), decoder_);
    }
    if (!is_any && decoder_.cache != name_of(cache_.form)) {
      return fail(fmt::format("its cache is {}, not {}", name_of(cache_.form), decoder_.cache), "cache",
                  "write auto, or export the model in the other form");
    }
    if (grows()) {
      rows_ = tokens_before();
      if (decoder_.capacity) return fail("a growing cache has no capacity", "capacity", "remove this key");
      return Done{};
    }
    if (decoder_.is_prefill) {
      return fail(fmt::format("a prompt is read without a cache, and this file has a {} one", name_of(cache_.form)),
                  "phase", "measure decode only, or export the model with a cache that grows");
    }
    const ScannedExtent& rows = (*input(cache_.pairs.front().input).shape)[cache_.rows_axis];
    rows_ = rows.value.value_or(rows_of_cache(decoder_));
    if (decoder_.capacity && *decoder_.capacity != rows_) {
      return fail(fmt::format("the file's cache has {} rows, not {}", rows_, *decoder_.capacity), "capacity",
                  "remove this key");
    }
    return check_room(static_cast<int>(rows_), decoder_);
  }

  // Refuses shapes that follow from the decoder's keys.
  [[nodiscard]] Status check_given() const {
    std::set<std::string> ours{input(cache_.ids).name};
    for (const userfiles::CachePair& pair : cache_.pairs) ours.insert(input(pair.input).name);
    if (cache_.mask) ours.insert(input(*cache_.mask).name);
    for (const auto& [name, shape] : entry_.shapes) {
      if (!ours.contains(name)) continue;
      return fail(fmt::format("the shape of \"{}\" follows from context and cache", text::to_utf8(name)), "shapes",
                  "remove it, or the keys of decoding");
    }
    return Done{};
  }

  // Returns the extent of an input that neither its place in the cache nor the step decides.
  [[nodiscard]] Result<std::int64_t> other_extent(std::size_t index, std::size_t axis, const ScannedInput* twin) const {
    const ScannedExtent& extent = (*input(index).shape)[axis];
    if (const auto number = userfiles::extent_of(extent)) return *number;
    if (axis == 0 || userfiles::names_batch(extent.name)) return kBatchExtent;
    for (const auto& [name, number] : entry_.dimensions) {
      if (!extent.name.empty() && name == extent.name) return number;
    }
    if (twin != nullptr && twin->shape && axis < twin->shape->size()) {
      if (const auto number = userfiles::extent_of((*twin->shape)[axis])) return *number;
    }
    const char* const key = axis == 1 ? "num_key_value_heads" : "head_size";
    const bool is_of_cache = twin != nullptr && input(index).shape->size() == 4;
    if (is_of_cache && genai_.contains(key) && genai_.at(key).is_number_integer()) {
      return genai_.at(key).get<std::int64_t>();
    }
    return fail(fmt::format("an extent of \"{}\" is open: {}", text::to_utf8(input(index).name),
                            extent.name.empty() ? fmt::format("axis {}", axis) : text::to_utf8(extent.name)),
                "dimensions", "give its name a size there, or export the file with this extent fixed");
  }

  // Adds an input whose extent along `axis` is `wanted`.
  Status add_shape(std::size_t index, std::optional<std::size_t> axis, std::int64_t wanted, const ScannedInput* twin) {
    const ScannedInput& of = input(index);
    if (!of.shape) {
      return fail(fmt::format("the file does not say how many dimensions \"{}\" has", text::to_utf8(of.name)));
    }
    std::vector<std::int64_t> shape;
    for (std::size_t i = 0; i < of.shape->size(); ++i) {
      const auto fixed = (*of.shape)[i].value;
      if (axis == i && fixed && *fixed != wanted) {
        return fail(
            fmt::format("\"{}\" is {} long along axis {}, and {} of context {} needs {}", text::to_utf8(of.name),
                        *fixed, i, decoder_.is_prefill ? "a prompt" : "a step", decoder_.context, wanted),
            {}, "export the model with this extent open");
      }
      Result<std::int64_t> extent = wanted;
      if (axis != i) extent = other_extent(index, i, twin);
      if (!extent) return error_of(extent);
      shape.push_back(*extent);
    }
    made_.shapes.emplace_back(of.name, std::move(shape));
    return Done{};
  }

  void add_value(std::size_t index, std::int64_t value) {
    const auto number = static_cast<double>(value);
    made_.values.push_back({.input = input(index).name, .range = {{number, number}}});
  }

  Status add_part(const userfiles::CachePair& pair) {
    const bool is_empty = rows_ == 0;
    if (is_empty) made_.empty.push_back(input(pair.input).name);
    return add_shape(pair.input, cache_.rows_axis, is_empty ? 1 : rows_, &file_.outputs[pair.output]);
  }

  Status add_tokens() {
    const std::size_t rank = input(cache_.ids).shape ? input(cache_.ids).shape->size() : 0;
    return add_shape(cache_.ids, rank == 0 ? std::nullopt : std::optional(rank - 1), tokens(), nullptr);
  }

  Status add_mask() {
    if (!cache_.mask) return Done{};
    const ScannedInput& mask = input(*cache_.mask);
    if (!mask.shape || mask.shape->empty()) {
      return fail(fmt::format("the mask \"{}\" has no axis of tokens", text::to_utf8(mask.name)));
    }
    add_value(*cache_.mask, 1);
    const std::int64_t length = grows() ? tokens_before() + tokens() : rows_;
    for (std::size_t i = 1; i + 1 < mask.shape->size(); ++i) {
      if ((*mask.shape)[i].value == 1) continue;
      return fail(
          fmt::format("the mask \"{}\" is one of each token for each, which is not measured", text::to_utf8(mask.name)),
          {}, "export the model with a mask [batch, tokens]");
    }
    return add_shape(*cache_.mask, mask.shape->size() - 1, length, nullptr);
  }

  // Adds inputs that count tokens: `first` is what they say of the first step, or of the prompt.
  Status add_counting(const std::vector<std::size_t>& inputs, std::int64_t first) {
    for (const std::size_t index : inputs) {
      add_value(index, first);
      counters_.push_back({input(index).name, static_cast<int>(first - tokens_before())});
      if (const Status added = add_shape(index, std::nullopt, 0, nullptr); !added) return added;
    }
    return Done{};
  }

  Status add_counters() {
    for (const std::size_t index : cache_.places) {
      const std::size_t rank = input(index).shape ? input(index).shape->size() : 0;
      // check_tables reads the range: a table of positions has a row for each.
      const auto first = static_cast<double>(tokens_before());
      const double last = decoder_.is_prefill ? decoder_.context - 1 : first + decoder_.new_tokens - 1;
      made_.values.push_back({.input = input(index).name, .range = {{first, last}}, .counts = true});
      counters_.push_back({input(index).name, 0});
      const Status added = add_shape(index, rank == 0 ? std::nullopt : std::optional(rank - 1), tokens(), nullptr);
      if (!added) return added;
    }
    if (const Status added = add_counting(cache_.befores, tokens_before()); !added) return added;
    if (const Status added = add_counting(cache_.lasts, tokens_before() + tokens() - 1); !added) return added;
    return add_counting(cache_.lengths, tokens_before() + tokens());
  }

  // Draws tokens from as many as the scores are of.
  void add_vocabulary() {
    for (std::size_t i = 0; i < file_.outputs.size(); ++i) {
      const bool is_fed = std::any_of(cache_.pairs.begin(), cache_.pairs.end(),
                                      [i](const userfiles::CachePair& pair) { return pair.output == i; });
      const auto& shape = file_.outputs[i].shape;
      if (is_fed || !shape || shape->empty() || !shape->back().value || *shape->back().value < 2) continue;
      const auto last = static_cast<double>(*shape->back().value - 1);
      made_.values.push_back({.input = input(cache_.ids).name, .range = {{0, last}}});
      return;
    }
  }

  [[nodiscard]] work::Decoding decoding() const {
    const auto axis = static_cast<int>(cache_.rows_axis);
    work::Decoding decoding{.new_tokens = decoder_.new_tokens,
                            .context = decoder_.context,
                            .cache = name_of(is_shared_ ? CacheForm::whole : cache_.form),
                            .rows_axis = axis,
                            .ids = input(cache_.ids).name,
                            .counters = counters_};
    if (cache_.mask) decoding.mask = input(*cache_.mask).name;
    decoding.mask_grows = cache_.mask && grows();
    for (const userfiles::CachePair& pair : cache_.pairs) {
      decoding.parts.push_back({input(pair.input).name, static_cast<int>(pair.output),
                                cache_.form == CacheForm::rows ? axis : -1, grows() && !is_shared_});
    }
    return decoding;
  }

  const config::ModelEntry& entry_;
  const config::DecoderEntry& decoder_;
  const FileTensors& file_;
  const FileCache& cache_;
  nlohmann::json genai_;
  std::int64_t rows_ = 0;
  bool is_shared_ = false;  // the file's cache may grow, and is written into a buffer instead
  std::vector<work::Counter> counters_{};
  FileDecoder made_{};
};

// Returns what a step reads at least (work::Decoding::bytes_per_token); 0 if a node's weights are not known.
std::uint64_t least_bytes_of(const work::Model& model) {
  const auto nodes = userfiles::read_graph(model.path, model.inputs);
  if (!nodes) return 0;
  std::uint64_t bytes = 0;
  for (const work::GraphNode& node : *nodes) {
    if (!node.weight_bytes) return 0;
    bytes += *node.weight_bytes;
  }
  for (const work::CachePart& part : model.decoding->parts) {
    const auto input = std::find_if(model.inputs.begin(), model.inputs.end(),
                                    [&](const TensorSignature& each) { return each.name == part.input; });
    TensorSignature read = *input;
    read.shape[static_cast<std::size_t>(model.decoding->rows_axis)] = model.decoding->context;
    bytes += read.element_count() * size_bytes(read.type);
  }
  return bytes;
}

// Returns the size of the model's cache after the last step.
std::uint64_t bytes_of_cache(const work::Model& model) {
  std::uint64_t bytes = 0;
  for (const TensorSignature& input : model.inputs) {
    for (const work::CachePart& part : model.decoding->parts) {
      if (part.input != input.name) continue;
      TensorSignature last = input;
      if (part.grows) last.shape[static_cast<std::size_t>(model.decoding->rows_axis)] += model.decoding->new_tokens;
      bytes += last.element_count() * size_bytes(last.type);
    }
  }
  return bytes;
}

Status check_type(const Plan& plan, const work::Cell& cell) {
  const work::Model& model = plan.models[static_cast<std::size_t>(cell.model_index)];
  const work::Compiler& compiler = plan.compilers[static_cast<std::size_t>(cell.compiler_index)];
  const std::vector<work::CachePart>& parts = model.decoding->parts;
  for (const TensorSignature& input : model.inputs) {
    const bool is_half = input.type == DataType::f16 || input.type == DataType::bf16;
    const bool is_of_cache = !parts.empty() && input.name == parts.front().input;
    if (!is_half || !is_of_cache || compiler.precision != "f32") continue;
    return fail(
        fmt::format("{}: its cache is {}, and {} computes in f32", model.label, name(input.type), compiler.label),
        model.path,
        fmt::format("set precision: {} for a compiler that computes so, or export the model in f32", name(input.type)));
  }
  return Done{};
}

}  // namespace

Result<FileDecoder> file_decoder(const config::ModelEntry& entry) {
  if (!entry.decoder) return FileDecoder{.shapes = entry.shapes};
  if (entry.data) return fail("a decoder has no labels", "data", "remove this key");
  const Result<FileTensors> file = userfiles::tensors_of(entry.file);
  if (!file) return error_of(file);
  const Result<FileCache> cache = userfiles::find_cache(*file, entry.decoder->names);
  if (!cache) return tl::unexpected(cache.error().within(entry.file.string()));
  Result<FileDecoder> made = StepInputs(entry, *file, *cache).make();
  if (made) made->shapes.insert(made->shapes.end(), entry.shapes.begin(), entry.shapes.end());
  return made;
}

void add_decoding(work::Model& model, FileDecoder decoder) {
  for (std::vector<TensorSignature>* const inputs : {&model.inputs, &model.open_inputs}) {
    for (TensorSignature& input : *inputs) {
      const bool is_empty = std::find(decoder.empty.begin(), decoder.empty.end(), input.name) != decoder.empty.end();
      if (is_empty) input.shape[decoder.rows_axis] = 0;
    }
  }
  nlohmann::json content{{"content", model.key.hash}, {"prompt_tokens", decoder.prompt_tokens}};
  if (decoder.decoding) content["context"] = decoder.decoding->context;
  for (const auto& [input, shape] : decoder.shapes) content["shapes"][input] = shape;
  model.key.hash = hash::sha256(json_text::dump(content));
  model.values = std::move(decoder.values);
  model.prompt_tokens = decoder.prompt_tokens;
  model.decoding = std::move(decoder.decoding);
  if (!model.decoding) return;
  model.outputs.clear();  // those of a pass have one extent more than those of a step, which the file declares
  model.decoding->bytes_per_token = least_bytes_of(model);
}

Status check_caches(const Plan& plan, std::optional<std::uint64_t> available_bytes) {
  for (const work::Cell& cell : plan.cells) {
    const work::Model& model = plan.models[static_cast<std::size_t>(cell.model_index)];
    if (!model.decoding) continue;
    if (const Status type = check_type(plan, cell); !type) return type;
    const auto device = std::find_if(plan.study.devices.begin(), plan.study.devices.end(),
                                     [&](const config::DeviceEntry& each) { return each.name == cell.device; });
    const bool is_here = device != plan.study.devices.end() && config::is_here(*device);
    const std::uint64_t needed = 2 * bytes_of_cache(model);  // what a step reads, and what it returns
    const std::optional<std::uint64_t> limit = plan.study.limits.memory_bytes;
    if (!limit && !(is_here && available_bytes)) continue;
    const std::uint64_t room = limit ? *limit : *available_bytes;
    if (needed <= room) continue;
    return fail(fmt::format("{}: its cache at batch {} is there twice, which are {}, and {} {}", model.label,
                            model.key.batch, text::human_bytes(needed), text::human_bytes(room),
                            limit ? "are its limit of memory" : "of memory are free"),
                cell.device, "choose a smaller context, capacity or batch");
  }
  return Done{};
}

}  // namespace ngb::plan
