// SPDX-License-Identifier: Apache-2.0
#include "work/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/words.h"

namespace ngb::work {

namespace {

constexpr EnumWords<2> kTasks{"measure", "make_references"};

template <class T>
bool is_in(int index, const std::vector<T>& list) {
  return index >= 0 && static_cast<std::size_t>(index) < list.size();
}

const Place* find_place(const Job& job, const Compiler& compiler) {
  const auto found =
      std::find_if(job.places.begin(), job.places.end(), [&](const Place& place) { return place.is_of(compiler); });
  return found == job.places.end() ? nullptr : &*found;
}

Status check_places(const Job& job) {
  std::vector<const Compiler*> compilers;
  for (const Compiler& compiler : job.compilers) compilers.push_back(&compiler);
  if (job.reference) compilers.push_back(&*job.reference);
  for (const Compiler& compiler : job.other_references) compilers.push_back(&compiler);
  if (job.exporter) compilers.push_back(&*job.exporter);
  for (const Compiler* const compiler : compilers) {
    if (find_place(job, *compiler) != nullptr) continue;
    return fail(fmt::format("does not say where {} {} is", compiler->name, compiler->version), "job");
  }
  return Done{};
}

Status outside(const char* what, int index) {
  return fail(fmt::format("names {} {}, which is not in its list", what, index), "job");
}

}  // namespace

std::string_view name(Task task) { return word_in(kTasks, task); }
Result<Task> parse_task(std::string_view name) { return parse_word<Task>(kTasks, name, "task"); }

bool runs_modules(const Place& place, const Compiler& compiler) {
  if (place.runs_modules == "always") return true;
  const std::size_t equals = std::min(place.runs_modules.find('='), place.runs_modules.size());
  const std::string option = place.runs_modules.substr(0, equals);
  const std::string value =
      fmt::format("\"{}\"", place.runs_modules.substr(std::min(equals + 1, place.runs_modules.size())));
  return std::find(compiler.options.begin(), compiler.options.end(), std::pair(option, value)) !=
         compiler.options.end();
}

const Place& Job::place_of(const Compiler& compiler) const { return *find_place(*this, compiler); }

const GivenReference* Job::given_reference(int model_index) const {
  const auto found = std::find_if(given_references.begin(), given_references.end(),
                                  [&](const GivenReference& each) { return each.model_index == model_index; });
  return found == given_references.end() ? nullptr : &*found;
}

Status check_job(const Job& job) {
  if (const Status placed = check_places(job); !placed) return placed;
  if (job.task == Task::make_references && !job.reference) {
    return fail("asks for reference outputs, and does not say which compiler makes them", "job");
  }
  std::set<std::string_view> ids;
  for (const Cell& cell : job.cells) {
    if (!is_in(cell.compiler_index, job.compilers)) return outside("compiler", cell.compiler_index);
    if (!is_in(cell.model_index, job.models)) return outside("model", cell.model_index);
    if (!is_in(cell.load_index, job.loads)) return outside("load", cell.load_index);
    if (!ids.insert(cell.id).second) return fail(fmt::format("has two cells \"{}\"", cell.id), "job");
  }
  std::set<ModelKey> models;
  for (const Model& model : job.models) {
    if (!models.insert(model.key).second)
      return fail(fmt::format("has two models \"{}\"", file_name(model.key)), "job");
  }
  for (const GivenReference& each : job.given_references) {
    if (!is_in(each.model_index, job.models)) return outside("model", each.model_index);
  }
  for (const Group& group : job.groups) {
    if (!is_in(group.model_index, job.models)) return outside("model", group.model_index);
    for (const Step& step : group.steps) {
      if (!is_in(step.cell_index, job.cells)) return outside("cell", step.cell_index);
    }
    for (const Question& question : group.questions) {
      if (!is_in(question.cell_index, job.cells)) return outside("cell", question.cell_index);
      if (!is_in(question.baseline_index, job.cells)) return outside("cell", question.baseline_index);
    }
  }
  return Done{};
}

std::string_view name(Order order) { return word_in(kOrders, order); }
Result<Order> parse_order(std::string_view name) { return parse_word<Order>(kOrders, name, "order"); }

}  // namespace ngb::work
