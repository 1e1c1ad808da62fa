// SPDX-License-Identifier: Apache-2.0
// The keys of a study file, as data. The parser's checks, the JSON Schema and docs/study.md all come from these rows.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/device.h"
#include "config/study.h"
#include "work/property.h"

namespace ngb::config {

enum class ValueType {
  text,             // matches `pattern`, at most `maximum` characters (0: 100)
  version,          // like text, but 1.30 needs no quotes
  bare_text,        // like text, but a number needs no quotes
  word,             // one of `words`
  boolean,          // true or false
  integer,          // minimum … maximum
  number,           // minimum … maximum
  integer_or_word,  // one of `words`, or an integer; minimum … maximum
  bytes,            // an integer, or text such as "4 GB"; minimum … maximum bytes
  path,             // of a file or folder
  scalar,           // a text, a number or a boolean
  integers,         // a list of integers, at least one
  texts,            // a list of different values of type text, at least one
  arguments,        // a list of values of type bare_text, at least one
  batches,          // a list of different integers, or a single one
  processors,       // a choice of processors (base/topology.h): a text, or a list of integers
  processor_axis,   // such a choice, or a list of different ones
  section,          // a mapping of `keys`
  structured,       // models, compilers, devices, pairs, loads: each is read by a file of its own
};

// Matches one line of text without blanks at its ends.
inline constexpr const char* kLabel = R"(^[^\x00-\x20]([^\x00-\x1f]{0,98}[^\x00-\x20])?$)";
// The same for the name of a model or a compiler, which may be made of all its parameters: at most kLongestLabel.
inline constexpr const char* kEntryLabel = R"(^[^\x00-\x20]([^\x00-\x1f]*[^\x00-\x20])?$)";
inline constexpr double kLongestLabel = 1000;

// A way to reach a device. The kind of a device is the name of the key that has its way.
struct Way {
  std::string example{};          // "ssh: HOST", for "Add ssh: HOST"
  std::string through{};          // the key of another way that may be given as well; empty: none
  bool may_name_devices = false;  // may be an entry of a study's devices that has no device's name
  // Completes a device of this way after its keys have been read. Returns what is wrong with them; "" if nothing is.
  std::function<std::string(DeviceEntry& device)> complete{};
};

struct Key {
  std::string name{};
  ValueType type = ValueType::text;
  double minimum = 0;
  double maximum = 0;
  std::string pattern{};             // ECMAScript regular expression
  std::vector<std::string> words{};  // the allowed words
  bool accepts_null = false;         // null means the default
  std::string meaning{};
  std::string default_text{};           // in docs, if the default follows from something else
  bool is_left_out_at_default = false;  // of the protocol and of hashes (work::StudyKey)
  std::vector<Key> keys{};
  std::function<void(Study& study, const nlohmann::json& value)> set{};
  std::function<nlohmann::json(const Study& study)> get{};

  // The fields below are for keys of models.
  std::vector<std::string> kinds{};  // the kinds of model that may have the key ("onnx"); empty: all kinds
  bool is_axis = false;              // a list of values makes a model of each
  // The key's value in an entry; null functions if it is read and written by code of its own. `get_in_model` returns
  // null for the default.
  std::function<void(ModelEntry& model, const nlohmann::json& value)> set_in_model{};
  std::function<nlohmann::json(const ModelEntry& model)> get_in_model{};

  // The fields below are for keys of devices. `get_of` returns null if the value was not given.
  std::function<void(DeviceEntry& device, const nlohmann::json& value)> set_of{};
  std::function<nlohmann::json(const DeviceEntry& device)> get_of{};
  // For "expected …": a mapping, as in "limits such as {memory: 4 GB}", or a text's form in words.
  std::string example{};
  bool first_may_stand_alone = false;  // the value of keys[0], which is required, may replace the mapping
  // For a mapping whose names the user chooses and whose values keys[0] describes: the pattern of a name, also in
  // words.
  std::string names_pattern{};
  std::string names_in_words{};
  std::optional<Way> way{};
};

// Returns the keys of a study file, in the order of docs/study.md.
std::span<const Key> study_keys();
// Return the keys of a study file that are fields of work::Protocol or of work::Limits.
std::span<const Key> protocol_keys();
std::span<const Key> limit_keys();
// Returns the study's value of a key, which is the key's default if the study does not give one.
nlohmann::json value_of(const Study& study, const Key& key);
// Returns the keys beside `zoo`, `onnx`, `pytorch`, `timm` or `quantise` in an entry of models.
std::span<const Key> model_keys();
// Returns whether a model of that kind may have the key.
bool may_have(std::string_view kind, const Key& key);
// Returns the keys below an input's name in `inputs` of a model.
const std::vector<Key>& input_keys();
// Returns the keys of `data` in an entry of models, and those of an entry's `quantise`: below static or dynamic, and
// those of a compiler's own tool.
const std::vector<Key>& data_keys();
const std::vector<Key>& quantise_keys();
const std::vector<Key>& tool_keys();
// Returns the keys of `cache` in an entry of models that is an ONNX file.
const std::vector<Key>& cache_keys();
// Returns the keys below a compiler's name in an entry of compilers, in the order of words in its label.
std::span<const Key> compiler_keys();
// Returns the property of a cell that such a key says: `version` is compiler_version.
const work::Property& property_of(const Key& compiler_key);
// Returns the compiler's value of such a key, and sets it. Precondition of the latter: read_value has accepted the
// value.
nlohmann::json value_of(const work::Compiler& compiler, const Key& key);
void set_value(work::Compiler& compiler, const Key& key, const nlohmann::json& value);

// Returns the keys of an entry of loads. The value of kProcessorsKey is a word, or a list that the other function
// describes.
inline constexpr const char* kProcessorsKey = "processors";
std::span<const Key> load_keys();
const Key& listed_processors_key();

// Returns the key of a number of threads, or of a word for one; without meaning, default and functions.
Key threads_key();

// Returns the keys below a device's name in an entry of devices.
std::span<const Key> device_keys();

// Returns the key by which an option of a compiler or a parameter of a model family is checked.
Key key_of(const Parameter& parameter);

std::vector<std::string> names(std::span<const Key> keys);

// Returns the message for a key that is not among `known`. It names the place of a study where the key belongs, or the
// key that is probably meant.
std::string unknown_key(std::string_view name, std::span<const std::string> known);
const Key* find_key(std::span<const Key> keys, std::string_view name);

}  // namespace ngb::config
