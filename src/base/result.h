// SPDX-License-Identifier: Apache-2.0
// Expected failures are values: Result<T> holds a T, or an Error that says what failed, where, and what to do next.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <tuple>

#include "base/record.h"

namespace ngb {

struct Error {
  std::string what;   // what failed, one sentence
  std::string where;  // file:line:key, path, device and step, …; may be empty
  std::string next;   // what the user can do; may be empty

  // "where: what; next"
  [[nodiscard]] std::string text() const;

  static constexpr const char* kType = "error";
  static constexpr auto fields() {
    return std::tuple(Field{"what", &Error::what}, Field{"where", &Error::where}, Field{"next", &Error::next});
  }
};

template <class T>
using Result = tl::expected<T, Error>;

// Done is the value of functions that yield nothing on success.
struct Done {};
using Status = Result<Done>;

inline tl::unexpected<Error> fail(std::string what, std::string where = {}, std::string next = {}) {
  return tl::unexpected<Error>(Error{std::move(what), std::move(where), std::move(next)});
}

}  // namespace ngb
