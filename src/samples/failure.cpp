// SPDX-License-Identifier: Apache-2.0
#include "samples/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/words.h"

namespace ngb::samples {
namespace {

constexpr EnumWords<8> kPhases{"start", "open", "compile", "load", "check", "warm_up", "timed", "alone"};

struct KindRow {
  FailureKind kind;
  std::string_view name;
  bool is_worth_retrying;
};

#define NGB_KIND_ROW(kind, is_worth_retrying) KindRow{FailureKind::kind, #kind, is_worth_retrying},
constexpr std::array kKinds{NGB_FAILURE_KINDS(NGB_KIND_ROW)};
#undef NGB_KIND_ROW

}  // namespace

std::string_view name(Phase phase) { return word_in(kPhases, phase); }
Result<Phase> parse_phase(std::string_view name) { return parse_word<Phase>(kPhases, name, "phase"); }

std::string_view name(FailureKind kind) { return kKinds[static_cast<std::size_t>(kind)].name; }

Result<FailureKind> parse_failure_kind(std::string_view name) {
  for (const KindRow& row : kKinds) {
    if (row.name == name) return row.kind;
  }
  return fail(fmt::format("unknown kind of failure \"{}\"", name));
}

bool is_worth_retrying(FailureKind kind) { return kKinds[static_cast<std::size_t>(kind)].is_worth_retrying; }

bool is_final(FailureKind kind, int attempt, const work::Limits& limits) {
  const int attempts = kind == FailureKind::disturbed ? limits.disturbance.attempts : limits.attempts;
  return attempt >= attempts || !is_worth_retrying(kind);
}

bool is_of_cell(FailureKind kind) { return kind != FailureKind::disturbed; }

int most_attempts(const work::Limits& limits) {
  const bool may_be_disturbed = limits.disturbance.max_wait_ratio < 1;
  return may_be_disturbed ? std::max(limits.attempts, limits.disturbance.attempts) : limits.attempts;
}

}  // namespace ngb::samples
