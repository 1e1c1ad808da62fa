// SPDX-License-Identifier: Apache-2.0
// A record lists its fields once, in a function `fields()` of its own; whatever reads, writes or checks all of them
// goes through that list.
#pragma once

#include <tuple>

namespace ngb {

// One field: its name in JSON and where its value is. `check` throws what its reader throws (work/codec.h) when the
// value cannot be; null: any value of the type can.
template <class Record, class Value>
struct Field {
  const char* name;
  Value Record::* member;
  void (*check)(const Value&) = nullptr;
};
template <class Record, class Value>
Field(const char*, Value Record::*) -> Field<Record, Value>;
template <class Record, class Value>
Field(const char*, Value Record::*, void (*)(const Value&)) -> Field<Record, Value>;

// Calls `visit` with each field of the record, in the order of the list.
template <class Record, class Visit>
constexpr void for_each_field(Visit&& visit) {
  std::apply([&](const auto&... field) { (visit(field), ...); }, Record::fields());
}

}  // namespace ngb
