// SPDX-License-Identifier: Apache-2.0
#include "toolchain/marker.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "toolchain/requirement.h"
#include "toolchain/version.h"

namespace ngb::toolchain {
namespace {

struct Operand {
  std::string value{};
  bool is_extra = false;
};

// Recursive descent over: or := and ("or" and)*, and := one ("and" one)*, one := "(" or ")" | operand relation operand.
class Evaluation {
 public:
  Evaluation(std::string_view marker, const MarkerVariables& variables, const std::set<std::string>& extras)
      : marker_(marker), rest_(marker), variables_(variables), extras_(extras) {}

  Result<bool> run() {
    const bool value = any();
    skip_blanks();
    if (is_broken_ || !rest_.empty()) {
      return fail(fmt::format("\"{}\" is not a marker, at \"{}\"", marker_, rest_));
    }
    return value;
  }

 private:
  bool any() {
    bool value = all();
    while (take_word("or")) value = all() || value;
    return value;
  }

  bool all() {
    bool value = one();
    while (take_word("and")) value = one() && value;
    return value;
  }

  bool one() {
    if (is_broken_) return false;
    if (take("(")) {
      const bool value = any();
      is_broken_ = is_broken_ || !take(")");
      return value;
    }
    const std::optional<Operand> left = operand();
    const std::string_view relation = left ? take_relation() : std::string_view{};
    const std::optional<Operand> right = relation.empty() ? std::nullopt : operand();
    is_broken_ = is_broken_ || !right;
    return !is_broken_ && compare(*left, relation, *right);
  }

  std::optional<Operand> operand() {
    skip_blanks();
    if (rest_.starts_with('"') || rest_.starts_with('\'')) {
      const std::size_t end = rest_.find(rest_.front(), 1);
      if (end == std::string_view::npos) return std::nullopt;
      Operand literal{std::string(rest_.substr(1, end - 1)), false};
      rest_.remove_prefix(end + 1);
      return literal;
    }
    const std::size_t length = std::min(rest_.find_first_of(" \t()<>=!~\"'"), rest_.size());
    const std::string_view name = rest_.substr(0, length);
    rest_.remove_prefix(length);
    if (name == "extra") return Operand{"", true};
    const auto known = variables_.find(name);
    if (known == variables_.end()) return std::nullopt;
    return Operand{known->second, false};
  }

  std::string_view take_relation() {
    static constexpr std::array<std::string_view, 8> kRelations{"===", "==", ">=", "<=", "!=", "~=", "<", ">"};
    for (const std::string_view relation : kRelations) {
      if (take(relation)) return relation;
    }
    if (take_word("in")) return "in";
    return take_word("not") && take_word("in") ? "not in" : "";
  }

  [[nodiscard]] bool compare(const Operand& left, std::string_view relation, const Operand& right) const {
    if (left.is_extra || right.is_extra) {
      const bool is_wanted = extras_.contains(normalised_name(left.is_extra ? right.value : left.value));
      return relation == "!=" ? !is_wanted : is_wanted;
    }
    if (relation == "in") return right.value.find(left.value) != std::string::npos;
    if (relation == "not in") return right.value.find(left.value) == std::string::npos;
    if (is_version(left.value) && is_version(right.value)) {
      return satisfies(left.value, std::string(relation) + right.value);
    }
    if (relation == "==" || relation == "===") return left.value == right.value;
    if (relation == "!=") return left.value != right.value;
    if (relation == "<") return left.value < right.value;
    if (relation == ">") return left.value > right.value;
    return relation == "<=" ? left.value <= right.value : left.value >= right.value;
  }

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }

  bool take(std::string_view symbol) {
    skip_blanks();
    if (!rest_.starts_with(symbol)) return false;
    rest_.remove_prefix(symbol.size());
    return true;
  }

  bool take_word(std::string_view word) {
    skip_blanks();
    const bool is_whole =
        rest_.starts_with(word) &&
        (rest_.size() == word.size() || std::string_view(" \t(\"'").find(rest_[word.size()]) != std::string_view::npos);
    return is_whole && take(word);
  }

  std::string_view marker_;
  std::string_view rest_;
  const MarkerVariables& variables_;
  const std::set<std::string>& extras_;
  bool is_broken_ = false;
};

}  // namespace

Result<bool> holds(std::string_view marker, const MarkerVariables& variables, const std::set<std::string>& extras) {
  if (marker.empty()) return true;
  return Evaluation(marker, variables, extras).run();
}

}  // namespace ngb::toolchain
