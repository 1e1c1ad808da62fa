// SPDX-License-Identifier: Apache-2.0
// What a study file may say, as data: the parser's checks, the JSON Schema and docs/study.md all come from these rows.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/device.h"
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
  arguments,   // a list of texts, each as bare_text, at least one
  batches,     // integers without repetition, or a single one
  section,     // a mapping of `keys`
  structured,  // models, compilers, devices, pairs: read by their own files
};

// One line of text without blanks at its ends.
inline constexpr const char* kLabel = R"(^[^\x00-\x20]([^\x00-\x1f]{0,98}[^\x00-\x20])?$)";
inline constexpr double kMaxExact = 9007199254740991;  // 2^53 - 1: an integer that every JSON reader keeps

// A way to reach a device; a device's kind has the name of the key.
struct Way {
  std::string example{};          // "ssh: HOST", for "Add ssh: HOST"
  std::string through{};          // the key of another way that may be given, too; empty: none may
  bool may_name_devices = false;  // the mapping may appear in a study's devices without a device's name
};

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
  std::function<void(Study& study, const nlohmann::json& value)> set{};
  std::function<nlohmann::json(const Study& study)> get{};

  // The rest is for keys of devices. `get_of` returns null for what was not given.
  void (*set_of)(DeviceEntry& device, const nlohmann::json& value) = nullptr;
  nlohmann::json (*get_of)(const DeviceEntry& device) = nullptr;
  std::string example{};               // what a mapping looks like, for "expected …": "limits such as {memory: 4 GB}"
  bool first_may_stand_alone = false;  // the value of the first of `keys`, which is required, may replace the mapping
  std::optional<Way> way{};
};

// The keys of a study file, in the order of docs/study.md.
std::span<const Key> study_keys();
// Those of them that are fields of work::Protocol, and of work::Limits.
std::span<const Key> protocol_keys();
std::span<const Key> limit_keys();
// What the study says under a key, with the key's default where it says nothing.
nlohmann::json value_of(const Study& study, const Key& key);
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
