// SPDX-License-Identifier: Apache-2.0
// Says how a model generates tokens: in passes of so many steps, each of which reads from a cache what the steps before
// it have left there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/record.h"

namespace ngb::work {

// A part of the cache: an output that is an input of the next step (ngb_feedback).
struct CachePart {
  std::string input{};
  int output = 0;      // in graph order
  int axis = -1;       // along which the output has rows for the input; -1: the output takes the input's place
  bool grows = false;  // it then is longer along `Decoding::rows_axis`

  static constexpr bool kIsArray = true;
  static constexpr auto fields(auto visit) {
    return visit(Field{"input", &CachePart::input}, Field{"output", &CachePart::output},
                 Field{"axis", &CachePart::axis}, Field{"grows", &CachePart::grows});
  }
};

// An input that says how many tokens the cache holds: each of its numbers is that of the tokens before the step, plus
// `offset`.
struct Counter {
  std::string input{};
  int offset = 0;
  bool operator==(const Counter&) const = default;

  static constexpr auto fields(auto visit) {
    return visit(Field{"input", &Counter::input}, Field{"offset", &Counter::offset});
  }
};

// How the tensors of a user's file are called that a step reads and returns. In the first two, {layer} is a number and
// {part} any text. "": by the usual names.
struct CacheNames {
  std::string past{};
  std::string present{};
  std::string position{};  // an input; kNoInput: it has none
  std::string mask{};      // likewise
  static constexpr const char* kNoInput = "none";
  bool operator==(const CacheNames&) const = default;
};

// A repetition is a pass of `new_tokens` steps. It begins with `context` tokens in the cache.
struct Decoding {
  int new_tokens = 1;
  int context = 0;
  std::string cache{};  // its form, as the study calls it: "delta"
  int rows_axis = 2;    // of every part of the cache: the axis of its tokens
  std::string ids{};    // the input that receives a step's tokens
  std::vector<Counter> counters{};
  // The input whose elements are 1 for each token that a step reads, along its last axis, and 0 behind them. "": none.
  std::string mask{};
  bool mask_grows = false;  // it is one longer at each step
  // The model keeps its cache itself: it has no `parts`, and a pass begins with the reading of `context` tokens.
  bool is_stateful = false;
  std::vector<CachePart> parts{};
  // What a step has to read at least: each weight of a product or a norm once, a row of each table for each sample, and
  // the rows of the context. 0: not known.
  std::uint64_t bytes_per_token = 0;

  // Returns whether a part of the cache has another shape at each step.
  [[nodiscard]] bool grows() const {
    return std::any_of(parts.begin(), parts.end(), [](const CachePart& part) { return part.grows; });
  }

  static constexpr auto fields(auto visit) {
    return visit(Field{"new_tokens", &Decoding::new_tokens}, Field{"context", &Decoding::context},
                 Field{"cache", &Decoding::cache}, Field{"rows_axis", &Decoding::rows_axis},
                 Field{"ids", &Decoding::ids}, Field{"counters", &Decoding::counters}, Field{"mask", &Decoding::mask},
                 Field{"mask_grows", &Decoding::mask_grows}, Field{"is_stateful", &Decoding::is_stateful},
                 Field{"parts", &Decoding::parts}, Field{"bytes_per_token", &Decoding::bytes_per_token});
  }
};

}  // namespace ngb::work
