// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "plan/estimate.h"

namespace ngb::plan {
namespace {

std::string number_of(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

struct BasisRow {
  Basis basis;
  const char* key;    // in JSON
  const char* words;  // after the number of cells
};
constexpr std::array<BasisRow, kBases> kBasisRows{{
    {Basis::same, "same", "as measured before"},
    {Basis::other_version, "other_version", "from another version"},
    {Basis::other_batch, "other_batch", "from another batch size"},
    {Basis::other_model, "other_model", "from another model, by its size"},
    {Basis::table, "table", "from a table of usual times"},
}};

std::string basis_text(const Estimate& estimate) {
  if (estimate.measured_processes == 0) return "from a table of usual times: nothing like it was measured here yet";
  std::vector<std::string> parts;
  for (const BasisRow& row : kBasisRows) {
    const int count = estimate.cells_by_basis[static_cast<std::size_t>(row.basis)];
    if (count > 0)
      parts.push_back(fmt::format("{} {}", number_of(static_cast<std::uint64_t>(count), "cell", "cells"), row.words));
  }
  return fmt::format("from {} measured here before: {}", number_of(estimate.measured_processes, "process", "processes"),
                     text::join(parts, ", "));
}

// Returns a line on what `compile: auto` would save, if that is much.
std::string saving_text(const Plan& plan, const Experience& experience, double seconds) {
  constexpr double kMuch_s = 30;
  constexpr double kMuchShare = 0.8;
  if (plan.study.protocol.compile != work::Compilation::each) return {};
  Plan sharing = plan;
  sharing.study.protocol.compile = work::Compilation::automatic;
  const double less_s = estimate(sharing, experience).seconds;
  if (seconds - less_s < kMuch_s || less_s > kMuchShare * seconds) return {};
  return fmt::format("  about {} with compile: auto, which compiles dear models once\n", text::human_duration(less_s));
}

// Returns a line on what the estimate leaves out: a process that other programs disturb is measured again.
std::string waiting_text(const work::Disturbance& disturbance) {
  if (disturbance.attempts < 2 || disturbance.max_wait_ratio >= 1) return {};
  return fmt::format(
      "  beside other programs it takes longer: a disturbed process is tried {} times, after waits of up to {}\n",
      disturbance.attempts, text::human_duration(static_cast<double>(disturbance.wait_ns) / 1e9));
}

}  // namespace

std::string estimate_text(const Plan& plan, const Experience& experience) {
  const Estimate whole = estimate(plan, experience);
  return fmt::format(
      "{}, {}: about {}\n  {}\n{}{}", number_of(plan.cells.size(), "cell", "cells"),
      (plan.study.protocol.rounds ? "at most " : "") + number_of(process_count(plan), "process", "processes"),
      text::human_duration(whole.seconds), basis_text(whole), waiting_text(plan.study.limits.disturbance),
      saving_text(plan, experience, whole.seconds));
}

nlohmann::json estimate_json(const Plan& plan, const Experience& experience) {
  const Estimate whole = estimate(plan, experience);
  nlohmann::json cells = nlohmann::json::object();
  for (const BasisRow& row : kBasisRows) cells[row.key] = whole.cells_by_basis[static_cast<std::size_t>(row.basis)];
  return {{"estimate_s", whole.seconds},
          {"estimate_basis", {{"measured_processes", whole.measured_processes}, {"cells", std::move(cells)}}}};
}

}  // namespace ngb::plan
