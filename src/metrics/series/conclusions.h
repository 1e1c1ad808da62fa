// SPDX-License-Identifier: Apache-2.0
// Writes findings, reversals and claims in the form in which the store keeps them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/record.h"
#include "metrics/analysis.h"
#include "metrics/families.h"
#include "metrics/series/claims.h"
#include "store/store.h"

namespace ngb::metrics::series {

inline constexpr const char* kFinding = "finding";
inline constexpr const char* kReversal = "reversal";
inline constexpr const char* kClaim = "claim";
inline constexpr const char* kAnswer = "answer";
inline constexpr const char* kOrders = "orders";  // how many orders were compared for the reversals

// What the store keeps of each kind, as JSON with a member for each field.

// A number with its interval, or the reason why there is none.
struct KeptValue : Value {
  static constexpr auto fields(auto visit) {
    return visit(Field{"value", &KeptValue::value}, Field{"low", &KeptValue::low}, Field{"high", &KeptValue::high},
                 Field{"reason", &KeptValue::reason});
  }
};

// As in findings.h.
struct KeptRow : Value {
  std::string device{};
  std::string compiler{};
  std::string model{};
  std::string batch_sizes{};
  std::string against{};
  std::string metric{};
  std::string outcome{};
  std::optional<double> adjusted_p{};
  std::vector<std::string> cell_ids{};

  static constexpr auto fields(auto visit) {
    return visit(Field{"device", &KeptRow::device}, Field{"compiler", &KeptRow::compiler},
                 Field{"model", &KeptRow::model}, Field{"batch_sizes", &KeptRow::batch_sizes},
                 Field{"against", &KeptRow::against}, Field{"metric", &KeptRow::metric},
                 Field{"value", &KeptRow::value}, Field{"low", &KeptRow::low}, Field{"high", &KeptRow::high},
                 Field{"reason", &KeptRow::reason}, Field{"outcome", &KeptRow::outcome},
                 Field{"adjusted_p", &KeptRow::adjusted_p}, Field{"cell_ids", &KeptRow::cell_ids});
  }
};
struct KeptFinding {
  std::string kind{};
  bool is_to_act_on = false;
  bool is_difference = false;
  std::string sentence{};
  std::vector<KeptRow> rows{};

  static constexpr auto fields(auto visit) {
    return visit(Field{"kind", &KeptFinding::kind}, Field{"to_act_on", &KeptFinding::is_to_act_on},
                 Field{"is_difference", &KeptFinding::is_difference}, Field{"sentence", &KeptFinding::sentence},
                 Field{"rows", &KeptFinding::rows});
  }
};

// T_a / T_b of two cells.
struct KeptSide : Value {
  std::string device{};
  std::string compiler_a{};
  std::string compiler_b{};
  std::string model_a{};
  std::string model_b{};
  int batch = 0;
  std::vector<std::string> cell_ids{};

  static constexpr auto fields(auto visit) {
    return visit(Field{"device", &KeptSide::device}, Field{"compiler_a", &KeptSide::compiler_a},
                 Field{"compiler_b", &KeptSide::compiler_b}, Field{"model_a", &KeptSide::model_a},
                 Field{"model_b", &KeptSide::model_b}, Field{"batch", &KeptSide::batch},
                 Field{"value", &KeptSide::value}, Field{"low", &KeptSide::low}, Field{"high", &KeptSide::high},
                 Field{"reason", &KeptSide::reason}, Field{"cell_ids", &KeptSide::cell_ids});
  }
};
struct KeptReversal {
  std::string ranked{};   // "models" or "compilers"
  std::string between{};  // "device_compilers", "devices" or "batch_sizes"
  double adjusted_p = 1;
  std::vector<KeptSide> sides{};  // two: a is the faster one on the first, the slower one on the second

  static constexpr auto fields(auto visit) {
    return visit(Field{"ranked", &KeptReversal::ranked}, Field{"between", &KeptReversal::between},
                 Field{"adjusted_p", &KeptReversal::adjusted_p}, Field{"sides", &KeptReversal::sides});
  }
};

// The race of a workload (fastest.h).
struct KeptRace {
  std::string device{};
  std::string model{};
  int batch = 0;
  std::string compiler{};  // with the highest speed
  bool is_decided = false;
  std::vector<std::string> may_be_fastest{};  // Race::candidates
  std::optional<double> throughput_per_s{};
  std::optional<double> inference_s{};  // nothing of several inferences at a time
  KeptValue speed_up{};
  std::string runner_up{};
  KeptValue margin{};
  std::vector<std::string> cell_ids{};  // of may_be_fastest

  static constexpr auto fields(auto visit) {
    return visit(Field{"device", &KeptRace::device}, Field{"model", &KeptRace::model}, Field{"batch", &KeptRace::batch},
                 Field{"compiler", &KeptRace::compiler}, Field{"is_decided", &KeptRace::is_decided},
                 Field{"may_be_fastest", &KeptRace::may_be_fastest},
                 Field{"throughput_per_s", &KeptRace::throughput_per_s}, Field{"inference_s", &KeptRace::inference_s},
                 Field{"speed_up", &KeptRace::speed_up}, Field{"runner_up", &KeptRace::runner_up},
                 Field{"margin", &KeptRace::margin}, Field{"cell_ids", &KeptRace::cell_ids});
  }
};
struct KeptAnswer {
  std::vector<std::string> sentences{};
  std::vector<KeptRace> rows{};

  static constexpr auto fields(auto visit) {
    return visit(Field{"sentences", &KeptAnswer::sentences}, Field{"rows", &KeptAnswer::rows});
  }
};

struct KeptOrders {
  std::size_t looked_at = 0;
  bool are_too_many = false;

  static constexpr auto fields(auto visit) {
    return visit(Field{"looked_at", &KeptOrders::looked_at}, Field{"are_too_many", &KeptOrders::are_too_many});
  }
};

struct KeptClaim : Value {
  std::string claim{};  // its name
  std::string sentence{};
  std::string quantity{};
  std::string source{};
  std::string device{};
  std::string compiler{};
  std::string status{};
  std::optional<double> adjusted_p{};
  std::vector<std::string> cell_ids{};

  static constexpr auto fields(auto visit) {
    return visit(Field{"claim", &KeptClaim::claim}, Field{"sentence", &KeptClaim::sentence},
                 Field{"quantity", &KeptClaim::quantity}, Field{"source", &KeptClaim::source},
                 Field{"device", &KeptClaim::device}, Field{"compiler", &KeptClaim::compiler},
                 Field{"status", &KeptClaim::status}, Field{"value", &KeptClaim::value}, Field{"low", &KeptClaim::low},
                 Field{"high", &KeptClaim::high}, Field{"reason", &KeptClaim::reason},
                 Field{"adjusted_p", &KeptClaim::adjusted_p}, Field{"cell_ids", &KeptClaim::cell_ids});
  }
};
KeptClaim as_kept(const ClaimRow& row);

// Returns findings, reversals, the answer, the count of orders and claims, in this order. `size_factor` is as in
// find_reversals. The answer's sentences are by the speed or the metric of `by`, its rows by the speed.
std::vector<store::Conclusion> conclusions_of(const Analysis& analysis, std::span<const Claim> claims = {},
                                              double size_factor = kSizeFactor, const Judged& by = {});

}  // namespace ngb::metrics::series
