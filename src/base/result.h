// SPDX-License-Identifier: Apache-2.0
// Expected failures are values: Result<T> holds a T, or an Error that says what failed, where, and what to do next. To
// pass an error on: `if (!made) return error_of(made);`
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <tuple>
#include <utility>

#include "base/record.h"

namespace ngb {

// What callers act on; `other` for an error that they can only report.
enum class ErrorCode {
  other,
  busy,       // another program holds it: worth another try
  lost,       // the connection ended, or this program is stopping
  disk_full,  // or a quota is used up
  not_found,
  no_permission,
  unreachable,  // the network or a package index: worth another try later
  unable,       // this program lacks memory, descriptors, rights or a disk that works: the content may be sound
};

struct Error {
  std::string what;   // what failed, one sentence
  std::string where;  // file:line:key, path, device and step, …; may be empty
  std::string next;   // what the user can do; may be empty
  ErrorCode code = ErrorCode::other;

  // "where: what; next"
  [[nodiscard]] std::string text() const;
  // Returns the error of a thing that is in `place`: its `where` follows the place's name.
  [[nodiscard]] Error within(const std::string& place, const char* between = ": ") const;

  static constexpr const char* kType = "error";
  static constexpr auto fields(auto visit) {
    return visit(Field{"what", &Error::what}, Field{"where", &Error::where}, Field{"next", &Error::next});
  }
};

template <class T>
using Result = tl::expected<T, Error>;

// Done is the value of functions that yield nothing on success.
struct Done {};
using Status = Result<Done>;

inline tl::unexpected<Error> fail(std::string what, std::string where = {}, std::string next = {},
                                  ErrorCode code = ErrorCode::other) {
  return tl::unexpected<Error>(Error{std::move(what), std::move(where), std::move(next), code});
}

template <class T, class E>
tl::unexpected<E> error_of(const tl::expected<T, E>& failed) {
  return tl::unexpected<E>(failed.error());
}
template <class T, class E>
tl::unexpected<E> error_of(tl::expected<T, E>&& failed) {
  return tl::unexpected<E>(std::move(failed).error());
}

template <class T>
bool has_code(const Result<T>& result, ErrorCode code) {
  return !result && result.error().code == code;
}

// Known is a quantity that a device may be unable to report. An unknown one is never 0: it has no value, but a reason.
template <class T>
struct Known {
  std::optional<T> value{};
  std::string reason{};  // why there is no value; empty when there is one

  static Known of(T value) { return {std::move(value), {}}; }
  static Known unknown(std::string reason) { return {std::nullopt, std::move(reason)}; }
};

}  // namespace ngb
