// SPDX-License-Identifier: Apache-2.0
// Writes records and their fields as JSON and reads them back. Reading throws FieldError if a field is missing, has the
// wrong type or fails its check.
#pragma once

#include <concepts>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/record.h"
#include "base/result.h"
#include "base/shared_list.h"
#include "base/tensor.h"
#include "work/json_fields.h"

namespace ngb::work {

// Codec<T> writes and reads values of type T. `name` is the field that is read, or the field that contains the value;
// errors name it.
template <class T>
struct Codec;

template <class T>
nlohmann::json write_json(const T& value) {
  return Codec<T>::write(value);
}
template <class T>
T read_json(const nlohmann::json& value, const char* name) {
  return Codec<T>::read(value, name);
}
// Returns the value that was read, or an error "not a valid <what>: …".
template <class T>
Result<T> parse_json(const nlohmann::json& value, const char* what) {
  return fields::parse(what, [&] { return read_json<T>(value, what); });
}

// A Plain type is one that the JSON library writes and reads unchanged.
template <class T>
concept Plain = std::is_arithmetic_v<T> || std::same_as<T, std::string>;
template <Plain T>
struct Codec<T> {
  static nlohmann::json write(const T& value) { return value; }
  static T read(const nlohmann::json& value, const char* name) { return fields::as<T>(value, name); }
};

// Writes an enumeration as the word that `name` returns, and reads it with `Parse`.
template <class Enum, Result<Enum> (*Parse)(std::string_view)>
struct WordCodec {
  static Result<Enum> parse(std::string_view word) { return Parse(word); }
  static nlohmann::json write(Enum value) { return name(value); }
  static Enum read(const nlohmann::json& value, const char* field) {
    return fields::value_of(Parse(fields::as<std::string>(value, field)));
  }
};
template <>
struct Codec<DataType> : WordCodec<DataType, parse_data_type> {};

// Writes an empty optional as null.
template <class T>
struct Codec<std::optional<T>> {
  static nlohmann::json write(const std::optional<T>& value) {
    return value ? write_json(*value) : nlohmann::json(nullptr);
  }
  static std::optional<T> read(const nlohmann::json& value, const char* name) {
    if (value.is_null()) return std::nullopt;
    return read_json<T>(value, name);
  }
};

// Writes the value, or {"unknown": reason}.
template <class T>
struct Codec<Known<T>> {
  static nlohmann::json write(const Known<T>& known) {
    return known.value ? write_json(*known.value) : nlohmann::json{{"unknown", known.reason}};
  }
  static Known<T> read(const nlohmann::json& value, const char* name) {
    if (value.is_object()) return Known<T>::unknown(fields::get<std::string>(value, "unknown"));
    return Known<T>::of(read_json<T>(value, name));
  }
};

template <class T>
struct Codec<std::vector<T>> {
  static nlohmann::json write(const std::vector<T>& items) {
    nlohmann::json array = nlohmann::json::array();
    for (const T& item : items) array.push_back(write_json(item));
    return array;
  }
  static std::vector<T> read(const nlohmann::json& array, const char* name) {
    if (!array.is_array()) throw fields::FieldError(fmt::format("\"{}\" is not an array", name));
    std::vector<T> items;
    items.reserve(array.size());
    for (const nlohmann::json& item : array) items.push_back(read_json<T>(item, name));
    return items;
  }
};

template <class T>
struct Codec<SharedList<T>> {
  static nlohmann::json write(const SharedList<T>& items) { return write_json(items.list()); }
  static SharedList<T> read(const nlohmann::json& array, const char* name) {
    return read_json<std::vector<T>>(array, name);
  }
};

template <class T>
struct Codec<std::map<std::string, T>> {
  static nlohmann::json write(const std::map<std::string, T>& items) {
    nlohmann::json object = nlohmann::json::object();
    for (const auto& [key, item] : items) object[key] = write_json(item);
    return object;
  }
  static std::map<std::string, T> read(const nlohmann::json& object, const char* name) {
    if (!object.is_object()) throw fields::FieldError(fmt::format("\"{}\" is not an object", name));
    std::map<std::string, T> items;
    for (const auto& [key, item] : object.items()) items.emplace(key, read_json<T>(item, name));
    return items;
  }
};

// Writes a pair as an array of two elements.
template <class A, class B>
struct Codec<std::pair<A, B>> {
  static nlohmann::json write(const std::pair<A, B>& pair) {
    return nlohmann::json::array({write_json(pair.first), write_json(pair.second)});
  }
  static std::pair<A, B> read(const nlohmann::json& array, const char* name) {
    if (!array.is_array() || array.size() != 2) throw fields::FieldError(fmt::format("\"{}\" is not a pair", name));
    return {read_json<A>(array[0], name), read_json<B>(array[1], name)};
  }
};

// Writes a record as an object with a member for each field, or, if its `kIsArray` is true, as an array of its fields
// in order. Fields behind the first `kFewestFields` of an array may be missing at its end: earlier versions had fewer.
template <class T>
concept IsArrayRecord = IsRecord<T> && requires { requires T::kIsArray; };
template <class T>
constexpr std::size_t fewest_fields() {
  if constexpr (requires { T::kFewestFields; }) {
    return T::kFewestFields;
  } else {
    return kFieldCount<T>;
  }
}
template <IsRecord T>
struct Codec<T> {
  static nlohmann::json write(const T& record) {
    nlohmann::json whole = IsArrayRecord<T> ? nlohmann::json::array() : nlohmann::json::object();
    for_each_field<T>([&](const auto& field) {
      if constexpr (IsArrayRecord<T>) {
        whole.push_back(write_json(record.*field.member));
      } else {
        whole[field.name] = write_json(record.*field.member);
      }
    });
    return whole;
  }
  static T read(const nlohmann::json& whole, const char* name) {
    T record;
    std::size_t position = 0;
    if constexpr (IsArrayRecord<T>) {
      if (!whole.is_array() || whole.size() > kFieldCount<T> || whole.size() < fewest_fields<T>()) {
        throw fields::FieldError(fmt::format("\"{}\" is not an array of the right length", name));
      }
    }
    for_each_field<T>([&](const auto& field) {
      if (IsArrayRecord<T> && position == whole.size()) return;
      auto& value = record.*field.member;
      const nlohmann::json& part = IsArrayRecord<T> ? whole[position++] : fields::child(whole, field.name);
      value = read_json<std::remove_reference_t<decltype(value)>>(part, field.name);
      if (field.check != nullptr) field.check(value);
    });
    return record;
  }
};

// Writes one of several records as that record's object, with the record's kType under "type".
template <IsRecord... Ts>
struct Codec<std::variant<Ts...>> {
  using Variant = std::variant<Ts...>;
  static nlohmann::json write(const Variant& value) {
    return std::visit(
        [](const auto& record) {
          nlohmann::json object = write_json(record);
          object["type"] = std::remove_cvref_t<decltype(record)>::kType;
          return object;
        },
        value);
  }
  static Variant read(const nlohmann::json& object, const char* name) {
    const auto type = fields::get<std::string>(object, "type");
    std::optional<Variant> value;
    ((value || type != Ts::kType ? void() : void(value.emplace(read_json<Ts>(object, name)))), ...);
    if (!value) throw fields::FieldError("unknown type \"" + type + "\"");
    return *std::move(value);
  }
};

}  // namespace ngb::work
