// SPDX-License-Identifier: Apache-2.0
// What a study file may say, as data: the parser's checks, the JSON Schema and docs/study.md all come from these rows.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "config/study.h"

namespace ngb::config {

enum class ValueType {
  text,        // matches `pattern`; of at most `maximum` characters (0: 100)
  version,     // as text, but 1.30 needs no quotes
  bare_text,   // likewise
  word,        // one of `words`
  boolean,     //
  integer,     // minimum … maximum
  number,      // minimum … maximum
  warm_up,     // "auto", or an integer
  bytes,       // an integer, or text such as "4 GB"; minimum … maximum of bytes
  path,        // of a file or folder
  integers,    // a list of integers, at least one
  texts,       // a list of different texts, each as text, at least one
  batches,     // integers without repetition, or a single one
  section,     // a mapping of `keys`
  structured,  // models, compilers, devices, pairs: read by their own files
};

// One line of text without blanks at its ends.
inline constexpr const char* kLabel = R"(^[^\x00-\x20]([^\x00-\x1f]{0,98}[^\x00-\x20])?$)";
inline constexpr double kMaxExact = 9007199254740991;  // 2^53 - 1: an integer that every JSON reader keeps

struct Key {
  std::string name{};
  ValueType type = ValueType::text;
  double minimum = 0;
  double maximum = 0;
  std::string pattern{};             // ECMAScript regular expression
  std::vector<std::string> words{};  // allowed ones of a word
  bool accepts_null = false;         // null means the default
  std::string meaning{};
  std::string default_text{};  // in docs, where the default follows from something else
  std::vector<Key> keys{};
  void (*set)(Study& study, const nlohmann::json& value) = nullptr;
  nlohmann::json (*get)(const Study& study) = nullptr;
};

// The keys of a study file, in the order of docs/study.md.
std::span<const Key> study_keys();
// The keys beside `zoo`, `onnx`, `pytorch` or `timm` in an entry of models.
std::span<const Key> model_keys();
// The keys below an input's name in `inputs` of a model.
const std::vector<Key>& input_keys();
// The keys below a compiler's name in an entry of compilers.
std::span<const Key> compiler_keys();

// The keys below a device's name in an entry of devices.
std::span<const Key> device_keys();

// An option of a compiler or a parameter of a model family, checked like any other key.
Key key_of(const Parameter& parameter);

std::vector<std::string> names(std::span<const Key> keys);
const Key* find_key(std::span<const Key> keys, std::string_view name);

}  // namespace ngb::config
