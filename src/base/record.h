// SPDX-License-Identifier: Apache-2.0
// A record lists its fields once, in a function of its own; whatever reads, writes or checks all of them goes through
// that list:
//
//   static constexpr auto fields(auto visit) { return visit(Field{"name", &Load::name}, Field{"count", &Load::count});
//   }
//
// It is a call and no std::tuple, which took a tenth of the time of a build to instantiate.
#pragma once

#include <cstddef>

namespace ngb {

// One field: its name in JSON and where its value is. `check` throws like the field's reader (work/codec.h) if the
// value is not allowed; null: any value of the type is.
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

struct CountFields {
  constexpr std::size_t operator()(const auto&... field) const { return sizeof...(field); }
};
template <class T>
concept IsRecord = requires { T::fields(CountFields{}); };

template <IsRecord Record>
inline constexpr std::size_t kFieldCount = Record::fields(CountFields{});

// Calls `visit` with each field of the record, in the order of the list.
template <IsRecord Record, class Visit>
constexpr void for_each_field(const Visit& visit) {
  Record::fields([&visit](const auto&... field) { (visit(field), ...); });
}

}  // namespace ngb
