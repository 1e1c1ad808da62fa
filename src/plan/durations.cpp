// SPDX-License-Identifier: Apache-2.0
#include "plan/durations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "work/property.h"

namespace ngb::plan {
namespace {

constexpr std::size_t kNewest = 16;
constexpr double kOtherFamily = 3;  // as far away as a model of the same family with e^3 = 20 times the MACs

using Processes = std::vector<const MeasuredProcess*>;

// Precondition: there are values. Of an even number, the mean of the two in the middle.
double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Returns the ratio of two sizes, or 1 if one of them is unknown or 0.
double ratio_of(const std::optional<std::uint64_t>& one, const std::optional<std::uint64_t>& other) {
  if (!one || !other || *one == 0 || *other == 0) return 1;
  return static_cast<double>(*one) / static_cast<double>(*other);
}

// Returns how unlike two models are; infinite if nothing can be said.
double distance(const Likeness& one, const Likeness& other) {
  const bool is_family = !one.family.empty() && one.family == other.family;
  if (one.model == other.model) return std::fabs(std::log(static_cast<double>(one.batch) / other.batch)) / 1e3;
  if (!one.macs || !other.macs) return is_family ? kOtherFamily : std::numeric_limits<double>::infinity();
  return std::fabs(std::log(ratio_of(one.macs, other.macs))) + (is_family ? 0 : kOtherFamily);
}

template <class Get>
std::optional<double> middle(const Processes& processes, const Get& get) {
  std::vector<double> values;
  for (const MeasuredProcess* const process : processes) {
    if (const std::optional<double> value = get(process->took)) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return median(std::move(values));
}

ProcessTime typical(const Processes& processes) {
  const auto known = [&](double ProcessTime::* part) {
    return middle(processes, [part](const ProcessTime& time) { return std::optional(time.*part); }).value_or(0);
  };
  return {.start_s = known(&ProcessTime::start_s),
          .compile_s = middle(processes, [](const ProcessTime& time) { return time.compile_s; }),
          .load_s = middle(processes, [](const ProcessTime& time) { return time.load_s; }),
          .tuning_s = known(&ProcessTime::tuning_s),
          .inference_s = known(&ProcessTime::inference_s),
          .warming_s = known(&ProcessTime::warming_s)};
}

// Returns the newest of the processes that `is_meant` accepts.
template <class Predicate>
Processes newest(const std::vector<MeasuredProcess>& all, const Predicate& is_meant) {
  Processes found;
  for (auto process = all.rbegin(); process != all.rend() && found.size() < kNewest; ++process) {
    if (is_meant(process->like)) found.push_back(&*process);
  }
  return found;
}

}  // namespace

Durations::Setting Durations::setting_of(const Likeness& like) {
  return {like.device, like.compiler, like.options, like.threads, like.precision};
}

void Durations::add(MeasuredProcess process) {
  models_.emplace(process.like.device, process.like.model, process.like.batch);
  const Setting setting = setting_of(process.like);
  processes_[setting].push_back(std::move(process));
}

void Durations::add(const MeasuredStudy& study) { studies_[study.device].push_back(study); }

std::optional<Durations::Found> Durations::find(const Likeness& wanted) const {
  const auto known = processes_.find(setting_of(wanted));
  if (known == processes_.end()) return std::nullopt;
  const std::vector<MeasuredProcess>& all = known->second;
  const auto is_same_work = [&](const Likeness& like) {
    return like.model == wanted.model && like.batch == wanted.batch;
  };
  const auto with = [&](const Processes& found, Basis basis) {
    return Found{typical(found), found.front()->like, found, basis};
  };
  const Processes same =
      newest(all, [&](const Likeness& like) { return is_same_work(like) && like.version == wanted.version; });
  if (!same.empty()) return with(same, Basis::same);
  const Processes of_work = newest(all, is_same_work);
  if (!of_work.empty()) return with(of_work, Basis::other_version);
  const auto nearest = std::min_element(all.begin(), all.end(), [&](const auto& one, const auto& other) {
    return distance(one.like, wanted) < distance(other.like, wanted);
  });
  if (std::isinf(distance(nearest->like, wanted))) return std::nullopt;
  const Processes like_it = newest(all, [&](const Likeness& like) {
    return like.model == nearest->like.model && like.batch == nearest->like.batch;
  });
  return with(like_it, nearest->like.model == wanted.model ? Basis::other_batch : Basis::other_model);
}

bool Durations::has_model(const std::string& device, const std::string& model, int batch) const {
  return models_.contains({device, model, batch});
}

double Durations::between_s(const MeasuredStudy& wanted, double usual_s) const {
  constexpr double kUsualGroup_s = 0.1;
  const double usual_groups_s = usual_s + kUsualGroup_s * wanted.groups;
  const auto known = studies_.find(wanted.device);
  if (known == studies_.end()) return wanted.once_s + usual_groups_s;
  const std::vector<MeasuredStudy>& all = known->second;
  // Returns the median over the newest studies that `is_meant` accepts.
  const auto middle_of = [&all](const auto& is_meant, const auto& get) -> std::optional<double> {
    std::vector<double> values;
    for (auto each = all.rbegin(); each != all.rend() && values.size() < kNewest; ++each) {
      if (is_meant(*each)) values.push_back(get(*each));
    }
    return values.empty() ? std::nullopt : std::optional(median(std::move(values)));
  };
  const auto same =
      middle_of([&](const auto& each) { return each.study == wanted.study && each.new_groups == wanted.new_groups; },
                [](const auto& each) { return each.between_s; });
  if (same) return *same;
  const auto group_s =
      middle_of([](const auto& each) { return each.new_groups == 0 && each.groups > 0; },
                [](const auto& each) { return std::max(each.between_s - each.once_s, 0.0) / each.groups; });
  const auto groups_s = [&](int groups) { return group_s ? *group_s * groups : usual_s + kUsualGroup_s * groups; };
  constexpr double kMostWrong = 5;
  const auto factor = middle_of(
      [&](const auto& each) { return each.new_groups > 0 && each.once_s > 0 && each.reference == wanted.reference; },
      [&](const auto& each) {
        return std::clamp((each.between_s - groups_s(each.groups)) / each.once_s, 1 / kMostWrong, kMostWrong);
      });
  return wanted.once_s * factor.value_or(1) + groups_s(wanted.groups);
}

std::string name_in_durations(const Plan& plan, const std::string& device, const std::string& here) {
  const auto& devices = plan.study.devices;
  const auto found =
      std::find_if(devices.begin(), devices.end(), [&](const auto& each) { return each.name == device; });
  return found == devices.end() || config::is_here(*found) ? here : device;
}

Likeness likeness_of(const Plan& plan, const work::Cell& cell, std::string device) {
  const work::Compiler& compiler = plan.compiler_of(cell);
  work::Options configured = work::handed_options(plan.configuration_of(cell));
  const work::Model& model = plan.model_of(cell);
  if (const work::Load& load = plan.load_of(cell); !load.is_none()) configured.emplace_back("load", load.name);
  return {.device = std::move(device),
          .compiler = compiler.name,
          .version = compiler.version,
          .options = json_text::dump(nlohmann::json(configured)),
          .threads = compiler.threads,
          .precision = compiler.precision,
          .model = model.key.hash,
          .family = model.family,
          .batch = model.key.batch,
          .parameters = model.parameters,
          .macs = model.macs};
}

}  // namespace ngb::plan
