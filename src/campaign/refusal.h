// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace ngb::campaign {

// Why there is no answer.
struct Refusal {
  enum class Kind {
    wrong_usage,   // the study or what was asked is at fault
    cannot_go_on,  // something else has to change first
    interrupted    // the user stopped it; the results so far are kept
  };
  Kind kind = Kind::cannot_go_on;
  std::string text{};  // for the user: whole lines, which end with a line break
};

template <class Value>
using Answer = tl::expected<Value, Refusal>;

inline tl::unexpected<Refusal> refused(Refusal::Kind kind, const Error& error) {
  return tl::unexpected(Refusal{kind, "ngb: " + error.text() + "\n"});
}
inline tl::unexpected<Refusal> wrong_usage(const Error& error) { return refused(Refusal::Kind::wrong_usage, error); }
inline tl::unexpected<Refusal> cannot_go_on(const Error& error) { return refused(Refusal::Kind::cannot_go_on, error); }

}  // namespace ngb::campaign
