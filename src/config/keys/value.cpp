// SPDX-License-Identifier: Apache-2.0
#include "config/keys/value.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <regex>
#include <set>

#include "base/json_text.h"
#include "base/text.h"
#include "base/topology.h"

namespace ngb::config {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxTextBytes = 4096;
constexpr std::size_t kMaxListItems = 1000;
constexpr const char* kBytes = R"(^[0-9]{1,15}(\.[0-9]{1,9})? ?(B|kB|MB|GB|TB|KiB|MiB|GiB|TiB)$)";

bool matches(const std::string& text, const std::string& pattern) {
  return text.size() <= kMaxTextBytes && std::regex_match(text, std::regex(pattern, std::regex::ECMAScript));
}

bool is_null_word(const std::string& text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

std::optional<json> plain_number(const std::string& text) {
  static const std::regex kInteger("^[-+]?(0|[1-9][0-9]*)$");
  static const std::regex kNumber(R"(^[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?$)");
  static const std::regex kInfinite(R"(^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$)");
  constexpr std::size_t kMaxNumberBytes = 400;
  if (text.size() > kMaxNumberBytes) return std::nullopt;
  if (std::regex_match(text, kInfinite)) return json(std::numeric_limits<double>::infinity());
  if (std::regex_match(text, kInteger) && text.size() <= 17) return json(std::strtoll(text.c_str(), nullptr, 10));
  if (std::regex_match(text, kNumber)) return json(std::strtod(text.c_str(), nullptr));
  return std::nullopt;
}

bool in_range(const Key& key, double value) { return value >= key.minimum && value <= key.maximum; }

std::optional<json> as_integer(const Key& key, const json& value) {
  if (!value.is_number()) return std::nullopt;
  const auto number = value.get<double>();
  if (!in_range(key, number) || number != std::trunc(number)) return std::nullopt;
  return json(value.is_number_integer() ? value.get<std::int64_t>() : static_cast<std::int64_t>(number));
}

std::optional<json> as_number(const Key& key, const json& value) {
  if (!value.is_number() || !in_range(key, value.get<double>())) return std::nullopt;
  return value;
}

std::optional<json> as_text(const Key& key, const json& value) {
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  const bool is_short = key.maximum == 0 || text.size() <= static_cast<std::size_t>(key.maximum);
  return is_short && matches(text, key.pattern) ? std::optional(value) : std::nullopt;
}

std::optional<json> as_bare_text(const Key& key, const DocumentNode& node, const json& value) {
  const bool is_text = value.is_string() || (value.is_number() && node.is_plain);
  return is_text && matches(node.text, key.pattern) ? std::optional<json>(node.text) : std::nullopt;
}

std::optional<json> as_bytes(const Key& key, const json& value) {
  if (value.is_number()) return as_integer(key, value);
  const auto bytes = value.is_string() ? parse_bytes(value.get_ref<const std::string&>()) : std::nullopt;
  if (!bytes || !in_range(key, *bytes)) return std::nullopt;
  return json(static_cast<std::uint64_t>(std::llround(*bytes)));
}

std::optional<json> as_word(const Key& key, const json& value) {
  const auto is_it = [&](const std::string& word) { return value == word; };
  return std::any_of(key.words.begin(), key.words.end(), is_it) ? std::optional(value) : std::nullopt;
}

std::optional<json> as_scalar(const json& value) {
  if (value.is_number()) return std::isfinite(value.get<double>()) ? std::optional(value) : std::nullopt;
  if (value.is_boolean()) return value;
  const bool is_text = value.is_string() && value.get_ref<const std::string&>().size() <= kMaxTextBytes &&
                       value.get_ref<const std::string&>().find('\0') == std::string::npos;
  return is_text ? std::optional(value) : std::nullopt;
}

std::optional<json> accept_scalar(const Key& key, const DocumentNode& node) {
  const json value = scalar_json(node);
  switch (key.type) {
    case ValueType::text:
      return as_text(key, value);
    case ValueType::path:
      return value.is_string() && !node.text.empty() && node.text.size() <= kMaxTextBytes ? std::optional(value)
                                                                                          : std::nullopt;
    case ValueType::scalar:
      return as_scalar(value);
    case ValueType::version:
    case ValueType::bare_text:
      return as_bare_text(key, node, value);
    case ValueType::word:
      return as_word(key, value);
    case ValueType::boolean:
      return value.is_boolean() ? std::optional(value) : std::nullopt;
    case ValueType::integer:
      return as_integer(key, value);
    case ValueType::number:
      return as_number(key, value);
    case ValueType::integer_or_word:
      return value.is_string() ? as_word(key, value) : as_integer(key, value);
    case ValueType::bytes:
      return as_bytes(key, value);
    default:
      return std::nullopt;
  }
}

std::string range_text(const Key& key) { return fmt::format("from {} to {}", key.minimum, key.maximum); }

// Returns the range of a count, without exponents: "from 1 to 1000000".
std::string integer_range(const Key& key) { return fmt::format("from {:.0f} to {:.0f}", key.minimum, key.maximum); }

Key one_of_list(const Key& key) {
  Key item = key;
  item.type = key.type == ValueType::texts       ? ValueType::text
              : key.type == ValueType::arguments ? ValueType::bare_text
                                                 : ValueType::integer;
  return item;
}

std::optional<json> read_list(const Key& key, const DocumentNode& node, const std::string& path, Problems& problems) {
  if (key.type == ValueType::batches && node.is_scalar()) {
    const auto one = read_value(one_of_list(key), node, path, problems);
    return one ? std::optional(json::array({*one})) : std::nullopt;
  }
  if (!node.is_sequence() || node.items.empty() || node.items.size() > kMaxListItems) {
    problems.add(node, path,
                 fmt::format("expected {}, found {}", expected(key),
                             node.is_sequence() && node.items.empty() ? "an empty list" : found(node)));
    return std::nullopt;
  }
  json list = json::array();
  std::set<json> seen;
  bool is_good = true;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::string item_path = fmt::format("{}[{}]", path, i);
    const auto value = read_value(one_of_list(key), *node.items[i], item_path, problems);
    is_good = is_good && value.has_value();
    if (!value) continue;
    const bool may_repeat = key.type == ValueType::integers || key.type == ValueType::arguments;
    if (!may_repeat && !seen.insert(*value).second) {
      problems.add_repeated(*node.items[i], item_path, value->dump());
      is_good = false;
    }
    list.push_back(*value);
  }
  return is_good ? std::optional(std::move(list)) : std::nullopt;
}

// Returns the one form of a choice of processors.
std::optional<json> read_processors(const Key& key, const DocumentNode& node, const std::string& path,
                                    Problems& problems) {
  std::string text = node.text;
  for (const NodePointer& item : node.items) text += (text.empty() ? "" : ",") + item->text;
  if (text == work::kChosenProcessors) return json(text);
  const bool is_choice = (node.is_scalar() && text.size() <= kMaxTextBytes) || is_one_list_of_processors(node);
  const Result<ProcessorChoice> choice = is_choice ? parse_processor_choice(text) : fail("");
  if (choice) return json(choice->text());
  problems.add(node, path, fmt::format("expected {}, found {}", expected(key), found(node)));
  return std::nullopt;
}

std::optional<json> read_processor_axis(const Key& key, const DocumentNode& node, const std::string& path,
                                        Problems& problems) {
  const bool is_axis = node.is_sequence() && !node.items.empty() && node.items.size() <= kMaxListItems &&
                       !is_one_list_of_processors(node);
  json list = json::array();
  for (std::size_t i = 0; i < (is_axis ? node.items.size() : 1); ++i) {
    const std::string item_path = is_axis ? fmt::format("{}[{}]", path, i) : path;
    const DocumentNode& item = is_axis ? *node.items[i] : node;
    const auto value = read_processors(key, item, item_path, problems);
    if (!value) return std::nullopt;
    if (std::find(list.begin(), list.end(), *value) != list.end()) {
      problems.add_repeated(item, item_path, value->dump());
      return std::nullopt;
    }
    list.push_back(*value);
  }
  return list;
}

json integer_schema(const Key& key) {
  return {{"type", "integer"},
          {"minimum", static_cast<std::int64_t>(key.minimum)},
          {"maximum", static_cast<std::int64_t>(key.maximum)}};
}

json bare_schema(const Key& key) {
  switch (key.type) {
    case ValueType::text:
      return key.maximum == 0
                 ? json{{"type", "string"}, {"pattern", key.pattern}}
                 : json{{"type", "string"}, {"pattern", key.pattern}, {"maxLength", static_cast<int>(key.maximum)}};
    case ValueType::path:
      return {{"type", "string"}, {"minLength", 1}, {"maxLength", kMaxTextBytes}};
    case ValueType::scalar:
      return {{"type", json::array({"string", "number", "boolean"})}};
    case ValueType::version:
    case ValueType::bare_text:
      return {{"anyOf",
               json::array({{{"type", "string"}, {"pattern", key.pattern}}, {{"type", "number"}, {"minimum", 0}}})}};
    case ValueType::word:
      return {{"enum", key.words}};
    case ValueType::boolean:
      return {{"type", "boolean"}};
    case ValueType::integer:
      return integer_schema(key);
    case ValueType::number:
      return {{"type", "number"}, {"minimum", key.minimum}, {"maximum", key.maximum}};
    case ValueType::integer_or_word: {
      const json words = key.words.size() == 1 ? json{{"const", key.words[0]}} : json{{"enum", key.words}};
      return {{"anyOf", json::array({words, integer_schema(key)})}};
    }
    case ValueType::bytes:
      return {{"anyOf", json::array({integer_schema(key), {{"type", "string"}, {"pattern", kBytes}}})}};
    case ValueType::integers:
      return {{"type", "array"}, {"items", integer_schema(key)}, {"minItems", 1}, {"maxItems", kMaxListItems}};
    case ValueType::arguments:
      return {
          {"type", "array"},
          {"items", {{"anyOf", json::array({{{"type", "string"}, {"pattern", key.pattern}}, {{"type", "number"}}})}}},
          {"minItems", 1},
          {"maxItems", kMaxListItems}};
    case ValueType::texts:
      return {{"type", "array"},
              {"items", {{"type", "string"}, {"pattern", key.pattern}}},
              {"minItems", 1},
              {"maxItems", kMaxListItems},
              {"uniqueItems", true}};
    case ValueType::batches: {
      const json list{{"type", "array"},
                      {"items", integer_schema(key)},
                      {"minItems", 1},
                      {"maxItems", kMaxListItems},
                      {"uniqueItems", true}};
      return {{"anyOf", json::array({integer_schema(key), list})}};
    }
    case ValueType::processors:
    case ValueType::processor_axis: {
      const json numbers{{"type", "array"},
                         {"items", {{"type", "integer"}, {"minimum", 0}}},
                         {"minItems", 1},
                         {"maxItems", kMaxListItems}};
      const json one{{"anyOf", json::array({{{"type", "string"}}, {{"type", "integer"}, {"minimum", 0}}, numbers})}};
      if (key.type == ValueType::processors) return one;
      return {{"anyOf", json::array({one, {{"type", "array"}, {"items", one}, {"minItems", 1}}})}};
    }
    default:
      return json::object();
  }
}

}  // namespace

bool is_one_list_of_processors(const DocumentNode& node) {
  return node.is_sequence() && !node.items.empty() && node.items.size() <= kMaxListItems &&
         std::all_of(node.items.begin(), node.items.end(), [](const NodePointer& item) {
           return item->is_scalar() && item->is_plain && scalar_json(*item).is_number_integer();
         });
}

json scalar_json(const DocumentNode& node) {
  if (node.is_null()) return {};
  if (!node.is_plain) return node.text;
  const std::string& text = node.text;
  if (is_null_word(text)) return {};
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return plain_number(text).value_or(json(text));
}

std::optional<json> read_value(const Key& key, const DocumentNode& node, const std::string& path, Problems& problems) {
  if (!node.tag.empty()) {
    problems.add(node, path, fmt::format("the tag {} has no meaning here; remove it", shown(node.tag)));
    return std::nullopt;
  }
  if (key.accepts_null && node.is_null()) return json();
  const bool is_list = key.type == ValueType::integers || key.type == ValueType::texts ||
                       key.type == ValueType::arguments || key.type == ValueType::batches;
  if (is_list) return read_list(key, node, path, problems);
  if (key.type == ValueType::processors) return read_processors(key, node, path, problems);
  if (key.type == ValueType::processor_axis) return read_processor_axis(key, node, path, problems);
  const bool is_single = node.is_scalar() || node.is_null();
  std::optional<json> value = is_single ? accept_scalar(key, node) : std::nullopt;
  if (value) return value;
  if (key.type == ValueType::word && node.is_scalar()) {
    problems.add(node, path, unknown_word(node.text, "value", key.words));
  } else {
    problems.add(node, path, fmt::format("expected {}, found {}", expected(key), found(node)));
  }
  return std::nullopt;
}

std::string expected(const Key& key) {
  switch (key.type) {
    case ValueType::text:
    case ValueType::bare_text:
      if (!key.example.empty()) return key.example;
      return fmt::format("one line of text, at most {} characters", key.maximum > 0 ? key.maximum : 100) +
             std::string(key.pattern.find('/') == std::string::npos ? "" : ", without slashes") +
             std::string(matches("n", key.pattern) && !matches("-n", key.pattern) ? ", not beginning with -" : "");
    case ValueType::path:
      return "text";
    case ValueType::scalar:
      return fmt::format("a text of at most {} characters, a number, true or false", kMaxTextBytes);
    case ValueType::version:
      return "a version such as 1.31.1";
    case ValueType::word:
      return "one of: " + text::join(key.words, ", ");
    case ValueType::boolean:
      return "true or false";
    case ValueType::integer:
      return "an integer " + integer_range(key);
    case ValueType::number:
      return "a number " + range_text(key);
    case ValueType::integer_or_word:
      return text::join(key.words, ", ") + ", or an integer " + integer_range(key);
    case ValueType::bytes:
      return "bytes such as 4000000000, 4 GB or 512 MiB, from 1 MB to 1000 TB";
    case ValueType::integers:
      return "a list of integers " + integer_range(key);
    case ValueType::texts:
      return "a list of different texts";
    case ValueType::arguments:
      return "a list of texts";
    case ValueType::batches:
      return "a list of different integers " + integer_range(key);
    case ValueType::processors:
    case ValueType::processor_axis:
      return "processors such as [0, 2, 4], numa:0, performance, efficiency, one_per_core, all or auto, with "
             "memory:0 or memory:interleave behind them or without";
    case ValueType::section:
      return "a mapping with " + text::join(names(key.keys), ", ");
    case ValueType::structured:
      return key.meaning;
  }
  return {};
}

json value_schema(const Key& key) {
  json schema = bare_schema(key);
  if (key.accepts_null) schema = {{"anyOf", json::array({{{"type", "null"}}, schema})}};
  if (!key.meaning.empty()) schema["description"] = key.meaning;
  return schema;
}

json json_of(const std::string& text) {
  if (text.empty()) return {};
  json value = json_text::parse(text);
  return value.is_discarded() ? json(text) : value;
}

std::string json_text(const json& value) {
  if (value.is_number_float()) {
    const auto number = value.get<double>();
    if (number == std::trunc(number) && std::abs(number) < 9e15)
      return std::to_string(static_cast<std::int64_t>(number));
  }
  return json_text::dump(value);
}

std::string plain_text(const json& value) { return value.is_string() ? value.get<std::string>() : json_text(value); }

std::optional<double> parse_bytes(const std::string& text) {
  if (!matches(text, kBytes)) return std::nullopt;
  char* end = nullptr;
  const double count = std::strtod(text.c_str(), &end);
  constexpr std::array<std::pair<const char*, double>, 9> kUnits{{{"B", 1},
                                                                  {"kB", 1e3},
                                                                  {"MB", 1e6},
                                                                  {"GB", 1e9},
                                                                  {"TB", 1e12},
                                                                  {"KiB", 1024.0},
                                                                  {"MiB", 1048576.0},
                                                                  {"GiB", 1073741824.0},
                                                                  {"TiB", 1099511627776.0}}};
  for (const auto& [unit, factor] : kUnits) {
    if (text::trim(end) == unit) return count * factor;
  }
  return std::nullopt;
}

}  // namespace ngb::config
