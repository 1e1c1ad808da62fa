// SPDX-License-Identifier: Apache-2.0
#include "userfiles/cache_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <string_view>

#include "base/onnx_wire.h"
#include "base/text.h"

namespace ngb::userfiles {
namespace {

constexpr std::size_t kLeastRank = 3;
constexpr std::size_t kMostNames = 12;
constexpr const char* kAdvice =
    "name them in the model's entry, as in cache: {past: \"past_key_values.{layer}.{part}\", present: "
    "\"present.{layer}.{part}\"}";

// Words that a past and its present may have without being different parts.
constexpr std::array<std::string_view, 20> kNoise{"past", "present",   "cache",  "caches",  "new",   "updated", "next",
                                                  "in",   "out",       "input",  "output",  "layer", "layers",  "self",
                                                  "attn", "attention", "states", "decoder", "model", "kv"};

std::string lower_of(const std::string& name) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

bool has(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

// Returns the runs of letters and the runs of digits.
std::vector<std::string> words_of(const std::string& lower) {
  std::vector<std::string> words;
  int before = 0;
  for (const char c : lower) {
    const auto letter = static_cast<unsigned char>(c);
    const int kind = std::isalpha(letter) != 0 ? 1 : std::isdigit(letter) != 0 ? 2 : 0;
    if (kind != 0 && kind != before) words.emplace_back();
    if (kind != 0) words.back() += c;
    before = kind;
  }
  return words;
}

// Returns what {layer} and {part} stand for in the name, or nothing if it does not have the pattern.
std::optional<std::string> match(std::string_view pattern, std::string_view name) {
  constexpr std::array<std::string_view, 3> kWords{"{layer}", "{part}", "%d"};  // %d as in genai_config.json
  std::string layer;
  std::string part;
  while (!pattern.empty()) {
    const auto* const word =
        std::find_if(kWords.begin(), kWords.end(), [&](std::string_view each) { return pattern.starts_with(each); });
    if (word == kWords.end()) {
      if (name.empty() || name.front() != pattern.front()) return std::nullopt;
      name.remove_prefix(1);
      pattern.remove_prefix(1);
      continue;
    }
    pattern.remove_prefix(word->size());
    std::size_t length = name.find_first_not_of("0123456789");
    if (*word == "{part}")
      length = pattern.empty() || pattern.front() == '{' ? name.size() : name.find(pattern.front());
    length = std::min(length, name.size());
    if (length == 0) return std::nullopt;
    (*word == "{part}" ? part : layer) += fmt::format("{} ", name.substr(0, length));
    name.remove_prefix(length);
  }
  return name.empty() ? std::optional(layer + part) : std::nullopt;
}

bool is_floating(const ScannedInput& tensor) {
  const int type = tensor.element_type;
  return tensor.is_tensor && (type == wire::kFloat32 || type == wire::kFloat16 || type == wire::kBfloat16);
}

bool is_whole_number(const ScannedInput& tensor) {
  return tensor.is_tensor && (tensor.element_type == wire::kInt64 || tensor.element_type == wire::kInt32);
}

std::size_t rank_of(const ScannedInput& tensor) { return tensor.shape ? tensor.shape->size() : 0; }

// Returns the parts of one side by what identifies them, and those that are named twice.
struct Side {
  std::map<std::string, std::size_t> parts{};
  std::vector<std::string> names{};
  std::vector<std::string> twice{};
};

Side side_of(const std::vector<ScannedInput>& tensors, const std::string& pattern, bool is_output) {
  Side side;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const ScannedInput& tensor = tensors[i];
    const std::string lower = lower_of(tensor.name);
    const bool may_be = is_floating(tensor) && (rank_of(tensor) >= kLeastRank || (is_output && !tensor.shape));
    const bool is_named = has(lower, {"past", "cache", "kv"}) || (is_output && has(lower, {"present", "key", "value"}));
    std::optional<std::string> part = pattern.empty() ? std::nullopt : match(pattern, tensor.name);
    if (pattern.empty() && may_be && is_named) part = part_of(tensor.name);
    if (!part) continue;
    side.names.push_back(text::to_utf8(tensor.name));
    if (!side.parts.emplace(*part, i).second) side.twice.push_back(side.names.back());
  }
  return side;
}

std::string listed(std::vector<std::string> names) {
  if (names.empty()) return "none";
  const std::size_t more = names.size() - std::min(names.size(), kMostNames);
  names.resize(names.size() - more);
  return text::join(names, ", ") + (more == 0 ? "" : fmt::format(" and {} more", more));
}

std::vector<std::string> names_of(const std::vector<ScannedInput>& tensors) {
  std::vector<std::string> names;
  for (const ScannedInput& tensor : tensors) names.push_back(text::to_utf8(tensor.name));
  return names;
}

bool is_of_encoder(const std::string& part) { return has(part, {"encoder", "cross"}); }

// Pairs both sides. Parts of an encoder need no output, because no step changes them.
Status pair_up(const FileTensors& file, const Side& past, const Side& present, FileCache& cache) {
  if (past.names.empty()) {
    return fail(fmt::format("no input is a cache; inputs: {}; outputs: {}", listed(names_of(file.inputs)),
                            listed(names_of(file.outputs))),
                {}, kAdvice);
  }
  std::vector<std::string> alone = past.twice;
  std::vector<std::string> alone_after = present.twice;
  for (const auto& [part, input] : past.parts) {
    const auto output = present.parts.find(part);
    if (is_of_encoder(part)) {
      cache.fixed.push_back(input);
    } else if (output == present.parts.end()) {
      alone.push_back(text::to_utf8(file.inputs[input].name));
    } else {
      cache.pairs.push_back({input, output->second});
    }
  }
  for (const auto& [part, output] : present.parts) {
    if (!is_of_encoder(part) && !past.parts.contains(part))
      alone_after.push_back(text::to_utf8(file.outputs[output].name));
  }
  if (!alone.empty() || !alone_after.empty()) {
    return fail(fmt::format("its cache does not pair: inputs without an output: {}; outputs without an input: {}",
                            listed(alone), listed(alone_after)),
                {}, kAdvice);
  }
  std::sort(cache.pairs.begin(), cache.pairs.end(),
            [](const CachePair& a, const CachePair& b) { return a.input < b.input; });
  return Done{};
}

std::string shown(const ScannedInput& tensor) {
  std::vector<std::string> extents;
  for (const ScannedExtent& extent : tensor.shape.value_or(std::vector<ScannedExtent>())) {
    extents.push_back(extent.value          ? std::to_string(*extent.value)
                      : extent.name.empty() ? "?"
                                            : text::to_utf8(extent.name));
  }
  return fmt::format("\"{}\" [{}]", text::to_utf8(tensor.name), text::join(extents, ", "));
}

tl::unexpected<Error> misfit(const ScannedInput& past, const ScannedInput& present) {
  return fail(
      fmt::format("{} cannot be fed back into {}: they have other types or shapes", shown(present), shown(past)), {},
      "export the model with presents that have their pasts' shapes, longer by a step's tokens if at all");
}

// Returns the form of a part whose present the file describes.
Result<CacheForm> form_of(const ScannedInput& past, const ScannedInput& present, std::size_t axis) {
  if (past.element_type != present.element_type) return misfit(past, present);
  if (!present.shape) return (*past.shape)[axis].value ? CacheForm::whole : CacheForm::growing;
  if (past.shape->size() != present.shape->size()) return misfit(past, present);
  for (std::size_t i = 0; i < past.shape->size(); ++i) {
    const auto before = extent_of((*past.shape)[i]);
    const auto after = extent_of((*present.shape)[i]);
    if (i != axis && before && after && before != after) return misfit(past, present);
  }
  const ScannedExtent& before = (*past.shape)[axis];
  const ScannedExtent& after = (*present.shape)[axis];
  if (before.value && after.value && *before.value != *after.value && *after.value != 1) return misfit(past, present);
  if (after.value == 1) return CacheForm::rows;
  if (before.value) return CacheForm::whole;
  return !before.name.empty() && before.name == after.name ? CacheForm::whole : CacheForm::growing;
}

Status find_form(const FileTensors& file, FileCache& cache) {
  std::optional<CacheForm> form;
  const CachePair& first = cache.pairs.front();
  const std::size_t rank = rank_of(file.inputs[first.input]);
  cache.rows_axis = rank - 2;
  for (const CachePair& pair : cache.pairs) {
    const ScannedInput& past = file.inputs[pair.input];
    const ScannedInput& present = file.outputs[pair.output];
    if (rank < kLeastRank || rank_of(past) != rank) return misfit(past, present);
    for (const ScannedExtent& extent : *past.shape) {
      if (!has(lower_of(extent.name), {"beam"})) continue;
      return fail(fmt::format("{} has a dimension of beams, which are not measured", shown(past)), {},
                  "export the model without beams");
    }
    const Result<CacheForm> of_part = form_of(past, present, cache.rows_axis);
    if (!of_part) return error_of(of_part);
    if (form && *form != *of_part) {
      return fail(fmt::format("{} changes otherwise than {}: states that do not grow are not measured beside a cache",
                              shown(past), shown(file.inputs[first.input])),
                  {}, "choose a model of attention alone");
    }
    form = *of_part;
  }
  cache.form = *form;
  return Done{};
}

// Adds what the input of integers says of a step. Returns whether it is one of those that are known.
bool add_counter(const std::string& lower, std::size_t index, const work::CacheNames& names, FileCache& cache) {
  if (has(lower, {"seqlens_k"})) {
    cache.lasts.push_back(index);
  } else if (has(lower, {"total_seq", "nonpad_kv_seqlen", "kv_len"})) {
    cache.lengths.push_back(index);
  } else if (has(lower, {"write_ind", "past_len", "past_seq", "start_pos"})) {
    cache.befores.push_back(index);
  } else if (names.position.empty() && has(lower, {"position"})) {
    cache.places.push_back(index);
  } else {
    return false;
  }
  return true;
}

Status find_others(const FileTensors& file, const work::CacheNames& names, FileCache& cache) {
  std::optional<std::size_t> ids;
  const auto is_called = [](const std::string& given, const std::string& name) { return given == name; };
  for (std::size_t i = 0; i < file.inputs.size(); ++i) {
    const ScannedInput& input = file.inputs[i];
    const std::string lower = lower_of(input.name);
    if (has(lower, {"beam", "cache_indirection"})) {
      return fail(fmt::format("\"{}\" is of beams, which are not measured", text::to_utf8(input.name)), {},
                  "export the model without beams");
    }
    if (lower == "use_cache_branch") cache.branch = i;
    const bool is_integer = is_whole_number(input);
    if (is_called(names.position, input.name)) {
      cache.places.push_back(i);
    } else if (is_called(names.mask, input.name) ||
               (names.mask.empty() && has(lower, {"mask"}) && !has(lower, {"encoder"}) &&
                (is_integer || input.element_type == wire::kBool))) {
      cache.mask = i;
    } else if (is_integer && !add_counter(lower, i, names, cache) && !ids && has(lower, {"ids", "token"}) &&
               !has(lower, {"type", "mask", "encoder", "position"})) {
      ids = i;
    }
  }
  for (const std::string& given : {names.position, names.mask}) {
    const auto all = names_of(file.inputs);
    if (given.empty() || given == work::CacheNames::kNoInput || std::find(all.begin(), all.end(), given) != all.end())
      continue;
    return fail(fmt::format("no input \"{}\", expected one of {}", text::to_utf8(given), listed(all)), "cache");
  }
  if (!ids) {
    return fail(fmt::format("no input has the ids of tokens; inputs: {}", listed(names_of(file.inputs))), {},
                "export the model with its table of tokens");
  }
  cache.ids = *ids;
  return Done{};
}

}  // namespace

std::optional<std::int64_t> extent_of(const ScannedExtent& extent) {
  if (extent.value) return extent.value;
  std::int64_t number = 0;
  const char* const end = extent.name.data() + extent.name.size();
  const auto read = std::from_chars(extent.name.data(), end, number);
  if (extent.name.empty() || read.ec != std::errc() || read.ptr != end || number < 0) return std::nullopt;
  return number;
}

std::string part_of(const std::string& name) {
  std::string lower = lower_of(name);
  for (const std::string_view both : {"key_values", "key_value"}) {
    const std::size_t at = lower.find(both);
    if (at != std::string::npos) lower.replace(at, both.size(), "");
  }
  std::string part;
  std::vector<std::string> words;
  for (const std::string& word : words_of(lower)) {
    if (std::isdigit(static_cast<unsigned char>(word.front())) != 0) {
      part += (part.empty() ? "" : " ") + word;
    } else if (word == "k" || word == "keys") {
      words.emplace_back("key");
    } else if (word == "v" || word == "values") {
      words.emplace_back("value");
    } else if (std::find(kNoise.begin(), kNoise.end(), word) == kNoise.end()) {
      words.push_back(word);
    }
  }
  std::sort(words.begin(), words.end());
  for (const std::string& word : words) part += (part.empty() ? "" : " ") + word;
  return part;
}

Result<FileCache> find_cache(const FileTensors& file, const work::CacheNames& names) {
  FileCache cache;
  const Side past = side_of(file.inputs, names.past, false);
  const Side present = side_of(file.outputs, names.present, true);
  if (const Status others = find_others(file, names, cache); !others) return error_of(others);
  if (const Status paired = pair_up(file, past, present, cache); !paired) return error_of(paired);
  if (cache.pairs.empty()) return fail("each part of its cache is of an encoder", {}, kAdvice);
  if (const Status formed = find_form(file, cache); !formed) return error_of(formed);
  return cache;
}

}  // namespace ngb::userfiles
