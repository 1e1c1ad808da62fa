// SPDX-License-Identifier: Apache-2.0
// Reads typed fields from JSON that comes from elsewhere. A missing or wrong field throws FieldError, which `parse`
// converts into an Error.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/json_text.h"
#include "base/result.h"
#include "work/json_bounds.h"

namespace ngb::work::fields {

struct FieldError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Returns the value of a Result, or throws its error as a FieldError.
template <class T>
T value_of(Result<T> result) {
  if (!result) throw FieldError(result.error().text());
  return *std::move(result);
}

// Checks that a JSON number fits into the integer type T. The JSON library would silently convert 1.5 or 10^20.
template <class T>
struct Fits {
  static bool check(const nlohmann::json& /*value*/) { return true; }
};
template <std::integral T>
  requires(!std::same_as<T, bool>)
struct Fits<T> {
  static bool check(const nlohmann::json& value) {
    if (value.is_number_unsigned()) return std::in_range<T>(value.get<std::uint64_t>());
    if (value.is_number_integer()) return std::in_range<T>(value.get<std::int64_t>());
    return !value.is_number();
  }
};
// Converts a value to T. `name` is the field that it is, or the field that contains it.
template <class T>
T as(const nlohmann::json& value, const char* name) {
  if (!Fits<T>::check(value)) throw FieldError(fmt::format("\"{}\" is not an integer within its range", name));
  try {
    return value.get<T>();
  } catch (const nlohmann::json::exception&) {
    throw FieldError(fmt::format("\"{}\" has the wrong type ({})", name, value.type_name()));
  }
}

template <class T>
T get(const nlohmann::json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end()) throw FieldError(fmt::format("\"{}\" is missing", key));
  return as<T>(*found, key);
}

inline const nlohmann::json& child(const nlohmann::json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) throw FieldError(fmt::format("\"{}\" is missing", key));
  return object.at(key);
}

// Returns the value of `read()`, or an error "not a valid <what>: …" if it throws FieldError or a JSON exception.
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

// Parses JSON text within `bounds` and returns the value of `read(json)`. Errors are those of `parse`.
template <class Read>
auto parse_text(const char* what, std::string_view text, const JsonBounds& bounds, Read&& read)
    -> Result<decltype(read(std::declval<const nlohmann::json&>()))> {
  if (const Status within = check_bounds(text, bounds); !within) {
    return fail(fmt::format("not a valid {}: {}", what, within.error().what));
  }
  const nlohmann::json object = json_text::parse(text);
  if (object.is_discarded()) return fail(fmt::format("not a valid {}: not JSON", what));
  return parse(what, [&] { return read(object); });
}

}  // namespace ngb::work::fields
