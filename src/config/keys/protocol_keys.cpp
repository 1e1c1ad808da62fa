// SPDX-License-Identifier: Apache-2.0
// Makes keys of a study file from the rows of work/protocol.h.
#include <cstdint>
#include <optional>
#include <type_traits>

#include "config/keys/key.h"
#include "config/keys/row.h"

namespace ngb::config {
namespace {

using nlohmann::json;

// Finds a record in a study. `read` returns a record of defaults if the study has none.
template <class Record>
struct Access {
  std::function<Record&(Study&)> change;
  std::function<Record(const Study&)> read;
};

template <IsRecord Record>
std::vector<Key> keys_of(const Access<Record>& access);

template <IsRecord Value>
void describe(Key& key, const work::StudyKey& /*row*/, const Access<Value>& access) {
  key.type = ValueType::section;
  key.keys = keys_of(access);
}

// Describes an optional section. The value null means that the study has no such section.
template <IsRecord Inner>
void describe(Key& key, const work::StudyKey& /*row*/, const Access<std::optional<Inner>>& access) {
  key.type = ValueType::section;
  key.accepts_null = true;
  key.keys = keys_of<Inner>({.change = [access](Study& study) -> Inner& { return *access.change(study); },
                             .read = [access](const Study& study) { return access.read(study).value_or(Inner{}); }});
  key.set = [access](Study& study, const json& value) {
    access.change(study) = value.is_null() ? std::nullopt : std::optional<Inner>(Inner{});
  };
  key.get = [access](const Study& study) { return access.read(study) ? json::object() : json(); };
}

void describe(Key& key, const work::StudyKey& /*row*/, const Access<std::optional<std::uint64_t>>& access) {
  key.type = ValueType::bytes;
  key.accepts_null = true;
  key.set = [access](Study& study, const json& value) {
    access.change(study) = value.is_null() ? std::nullopt : std::optional(value.get<std::uint64_t>());
  };
  key.get = [access](const Study& study) { return access.read(study) ? json(*access.read(study)) : json(); };
}

void describe(Key& key, const work::StudyKey& /*row*/, const Access<std::optional<double>>& access) {
  key.type = ValueType::number;
  key.accepts_null = true;
  key.set = [access](Study& study, const json& value) {
    access.change(study) = value.is_null() ? std::nullopt : std::optional(value.get<double>());
  };
  key.get = [access](const Study& study) { return access.read(study) ? json(*access.read(study)) : json(); };
}

void describe(Key& key, const work::StudyKey& /*row*/, const Access<std::optional<int>>& access) {
  key.type = ValueType::integer_or_word;
  key.words = {"auto"};
  key.set = [access](Study& study, const json& value) {
    access.change(study) = value.is_string() ? std::nullopt : std::optional(value.get<int>());
  };
  key.get = [access](const Study& study) { return access.read(study) ? json(*access.read(study)) : json("auto"); };
}

void describe(Key& key, const work::StudyKey& /*row*/, const Access<std::string>& access) {
  key.type = ValueType::text;
  key.pattern = "^[a-z][a-z0-9_]*(:.*)?$";
  key.example = "a metric such as timed_peak_bytes:5%";  // the only text of a protocol
  key.accepts_null = true;
  key.set = [access](Study& study, const json& value) {
    access.change(study) = value.is_null() ? "" : value.get<std::string>();
  };
  key.get = [access](const Study& study) { return access.read(study).empty() ? json() : json(access.read(study)); };
}

void describe(Key& key, const work::StudyKey& /*row*/, const Access<bool>& access) {
  key.type = ValueType::boolean;
  key.set = [access](Study& study, const json& value) { access.change(study) = value.get<bool>(); };
  key.get = [access](const Study& study) { return json(access.read(study)); };
}

void describe(Key& key, const work::StudyKey& /*row*/, const Access<work::Until>& access) {
  key.type = ValueType::word;
  for (const work::Until until : {work::Until::decided, work::Until::decided_against_baseline}) {
    key.words.emplace_back(work::name(until));
  }
  key.set = [access](Study& study, const json& value) {
    access.change(study) = work::parse_until(value.get<std::string>()).value_or(work::Until::decided);
  };
  key.get = [access](const Study& study) { return json(work::name(access.read(study))); };
}

void describe(Key& key, const work::StudyKey& /*row*/, const Access<work::Over>& access) {
  key.type = ValueType::word;
  for (const work::Over over : {work::Over::compilers, work::Over::models}) key.words.emplace_back(work::name(over));
  key.set = [access](Study& study, const json& value) {
    access.change(study) = work::parse_over(value.get<std::string>()).value_or(work::Over::compilers);
  };
  key.get = [access](const Study& study) { return json(work::name(access.read(study))); };
}

void describe(Key& key, const work::StudyKey& /*row*/, const Access<work::Compilation>& access) {
  key.type = ValueType::word;
  key.words.assign(work::kCompilations.begin(), work::kCompilations.end());
  key.set = [access](Study& study, const json& value) {
    access.change(study) = work::parse_compilation(value.get<std::string>()).value();
  };
  key.get = [access](const Study& study) { return name(access.read(study)); };
}

template <class Value>
  requires std::is_arithmetic_v<Value>
void describe(Key& key, const work::StudyKey& row, const Access<Value>& access) {
  key.type = std::is_integral_v<Value> && !is_scaled(row) ? ValueType::integer : ValueType::number;
  key.set = [access, row](Study& study, const json& value) { access.change(study) = from_key<Value>(row, value); };
  key.get = [access, row](const Study& study) { return to_key(row, access.read(study)); };
}

template <IsRecord Record>
std::vector<Key> keys_of(const Access<Record>& access) {
  std::vector<Key> keys;
  for_each_field<Record>([&](const auto& field) {
    const auto member = field.member;
    using Value = std::remove_cvref_t<decltype(Record{}.*member)>;
    Key key = key_of_row(field.key);
    describe(key, field.key,
             Access<Value>{.change = [access, member](Study& study) -> Value& { return access.change(study).*member; },
                           .read = [access, member](const Study& study) { return access.read(study).*member; }});
    keys.push_back(std::move(key));
  });
  return keys;
}

}  // namespace

std::span<const Key> protocol_keys() {
  static const std::vector<Key> kKeys =
      keys_of<work::Protocol>({.change = [](Study& study) -> work::Protocol& { return study.protocol; },
                               .read = [](const Study& study) { return study.protocol; }});
  return kKeys;
}

std::span<const Key> limit_keys() {
  static const std::vector<Key> kKeys =
      keys_of<work::Limits>({.change = [](Study& study) -> work::Limits& { return study.limits; },
                             .read = [](const Study& study) { return study.limits; }});
  return kKeys;
}

}  // namespace ngb::config
