// SPDX-License-Identifier: Apache-2.0
#include "agent/incoming_job.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "base/hash.h"
#include "base/json_text.h"
#include "probe/probe.h"
#include "samples/codec.h"
#include "work/own_processors.h"

namespace ngb::agent {

void stand_in(work::Job& job, const std::filesystem::path& device_folder) {
  if (device_folder.empty()) return;
  const auto complete = [&](std::string& path) {
    if (!path.empty()) path = (device_folder / path).string();
  };
  for (work::Place& place : job.places) {
    complete(place.toolchain_dir);
    complete(place.python_path);
  }
  for (work::Model& model : job.models) {
    for (work::UserFile& file : model.files) complete(file.path);
  }
  for (work::GivenReference& given : job.given_references) complete(given.path);
  complete(job.reference_cache);
}

namespace {

Status check_own_processors(const work::Compiler& compiler, const std::vector<LogicalProcessor>& there) {
  const auto own = work::own_processors(compiler, there);
  if (!own) return error_of(own);
  const auto choice = parse_processor_choice(compiler.processors);
  const auto nodes = choice ? memory_meant(*choice, memory_nodes()) : error_of(choice);
  return nodes ? Status() : error_of(nodes);
}

}  // namespace

Status resolve_threads(work::Job& job, const std::vector<LogicalProcessor>& there, int most) {
  int most_threads = 1;
  for (work::Compiler& compiler : job.compilers) {
    if (!compiler.threads_asked.empty()) {
      const int all = work::threads_meant(compiler.threads_asked, work::usable_by(compiler, there), most);
      compiler.threads = work::threads_of_each(all, compiler);
    }
    most_threads = std::max(most_threads, compiler.threads);
    if (compiler.processors == work::kChosenProcessors) continue;
    if (Status fits = check_own_processors(compiler, there); !fits) {
      fits.error().where = compiler.label + ": processors";
      return fits;
    }
  }
  const int all = work::threads_meant(work::kAllThreads, there, most);
  if (job.reference) job.reference->threads = std::min(std::max(job.reference->threads, most_threads), all);
  return Done{};
}

samples::Environment environment_of(const work::Job& job, const ControlGroups& groups, const Revision& agent) {
  using Text = Known<std::string>;
  samples::Environment environment = probe::environment(job.environment);
  const bool is_known = !agent.commit.empty();
  environment.entries.push_back(
      {"agent_revision", "", is_known ? Text::of(agent.commit) : Text::unknown("not built from git"), false});
  environment.entries.push_back({"agent_sources", "",
                                 agent.is_changed ? Text::of(*agent.is_changed ? "changed" : "as committed")
                                                  : Text::unknown("not built from git"),
                                 false});
  for (const auto& [name, value] : job.client_facts) environment.entries.push_back({name, "", Text::of(value)});
  environment.entries.push_back({"process_control", "", groups.description(), false});
  std::sort(environment.entries.begin(), environment.entries.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return environment;
}

namespace {

using nlohmann::json;

// Keeps only the fact that something is missing.
std::string without_words(const std::string& why) { return why.empty() ? why : "missing"; }

void add(hash::Sha256& sum, const std::string& text) { sum.add(std::to_string(text.size()) + ':' + text); }
void add(hash::Sha256& sum, const json& object) { add(sum, json_text::dump(object)); }

json head_of(const work::Job& job) {
  work::Job head;
  head.run_id = job.run_id;
  head.device = job.device;
  head.task = job.task;
  head.protocol = job.protocol;
  head.limits = job.limits;
  head.environment = job.environment;
  head.compilers = job.compilers;
  head.loads = job.loads;
  head.places = job.places;
  for (work::Place& place : head.places) place.why_missing = without_words(place.why_missing);
  head.reference = job.reference;
  head.other_references = job.other_references;
  head.exporter = job.exporter;
  head.reference_cache = job.reference_cache;
  head.given_references = job.given_references;
  for (work::GivenReference& each : head.given_references) each.why_not = without_words(each.why_not);
  return work::write_json(head);
}

}  // namespace

// Hashes one item at a time, because the JSON of a job with a million cells would need as much memory as the job again.
JobIdentity identity_of(const work::Job& job) {
  hash::Sha256 sum;
  add(sum, head_of(job));
  for (const work::Model& model : job.models) add(sum, work::write_json(model));
  for (const work::Cell& cell : job.cells) add(sum, work::write_json(cell));
  for (const work::Group& group : job.groups) {
    add(sum, std::to_string(group.model_index));
    for (const work::Step& step : group.steps) add(sum, work::write_json(step));
  }
  return {job.run_id, sum.finish()};
}

}  // namespace ngb::agent
