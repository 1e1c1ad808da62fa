// SPDX-License-Identifier: Apache-2.0
// Reading typed fields out of JSON that comes from elsewhere. A missing or wrong field throws FieldError, which the
// room's public functions turn into an Error.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "samples/known.h"

namespace ngb::samples::fields {

struct FieldError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The value of a Result, or its error as a FieldError.
template <class T>
T value_of(Result<T> result) {
  if (!result) throw FieldError(result.error().text());
  return *std::move(result);
}

template <class T>
T get(const nlohmann::json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end()) throw FieldError(fmt::format("\"{}\" is missing", key));
  try {
    return found->get<T>();
  } catch (const nlohmann::json::exception&) {
    throw FieldError(fmt::format("\"{}\" has the wrong type ({})", key, found->type_name()));
  }
}

// Absent or null: nothing.
template <class T>
std::optional<T> get_optional(const nlohmann::json& object, const char* key) {
  if (!object.is_object() || !object.contains(key) || object.at(key).is_null()) return std::nullopt;
  return get<T>(object, key);
}

inline const nlohmann::json& child(const nlohmann::json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) throw FieldError(fmt::format("\"{}\" is missing", key));
  return object.at(key);
}

// Runs `read` (which may throw FieldError or a JSON exception) and yields its value or an Error "not a valid <what>".
template <class Read>
auto parse(const char* what, Read&& read) -> Result<decltype(read())> {
  try {
    return read();
  } catch (const FieldError& error) {
    return fail(fmt::format("not a valid {}: {}", what, error.what()));
  } catch (const nlohmann::json::exception& error) {
    return fail(fmt::format("not a valid {}: {}", what, error.what()));
  }
}

// The same of JSON text, to which `read` is applied.
template <class Read>
auto parse_text(const char* what, std::string_view text, Read&& read)
    -> Result<decltype(read(std::declval<const nlohmann::json&>()))> {
  const nlohmann::json object = nlohmann::json::parse(text, nullptr, false);
  if (object.is_discarded()) return fail(fmt::format("not a valid {}: not JSON", what));
  return parse(what, [&] { return read(object); });
}

// A Known is its value, or {"unknown": reason}.
template <class T>
nlohmann::json to_json(const Known<T>& known) {
  if (known.value) return *known.value;
  return {{"unknown", known.reason}};
}

template <class T>
Known<T> get_known(const nlohmann::json& object, const char* key) {
  const nlohmann::json& field = child(object, key);
  if (field.is_object()) return Known<T>::unknown(get<std::string>(field, "unknown"));
  return Known<T>::of(get<T>(object, key));
}

template <class T>
nlohmann::json to_json(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

// An array made of `write` over the items, and a vector made of `read` over an array field's items.
template <class T, class Write>
nlohmann::json array_of(const std::vector<T>& items, Write write) {
  nlohmann::json array = nlohmann::json::array();
  for (const T& item : items) array.push_back(write(item));
  return array;
}

template <class Read>
auto vector_of(const nlohmann::json& object, const char* key, Read read) {
  const nlohmann::json& array = child(object, key);
  if (!array.is_array()) throw FieldError(fmt::format("\"{}\" is not an array", key));
  std::vector<decltype(read(array))> items;
  items.reserve(array.size());
  for (const nlohmann::json& item : array) items.push_back(read(item));
  return items;
}

}  // namespace ngb::samples::fields
