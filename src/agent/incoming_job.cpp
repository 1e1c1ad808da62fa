// SPDX-License-Identifier: Apache-2.0
#include "agent/incoming_job.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/processors.h"
#include "probe/probe.h"

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

void resolve_threads(work::Job& job, const probe::UsableProcessors& processors) {
  const auto& [all, physical] = processors;
  int most = 1;
  for (work::Compiler& compiler : job.compilers) {
    if (!compiler.threads_asked.empty())
      compiler.threads = work::threads_of_each(compiler.threads_asked == work::kAllThreads ? all : physical, compiler);
    most = std::max(most, compiler.threads);
  }
  if (job.reference) job.reference->threads = std::min(std::max(job.reference->threads, most), all);
}

samples::Environment environment_of(const work::Job& job, const ControlGroups& groups, const Revision& agent) {
  using Text = Known<std::string>;
  samples::Environment environment = probe::environment();
  const bool is_known = !agent.commit.empty();
  environment.entries.push_back(
      {"agent_revision", "", is_known ? Text::of(agent.commit) : Text::unknown("not built from git"), false});
  environment.entries.push_back({"agent_sources", "",
                                 agent.is_changed ? Text::of(*agent.is_changed ? "changed" : "as committed")
                                                  : Text::unknown("not built from git"),
                                 false});
  for (const auto& [name, value] : job.environment) {
    environment.entries.push_back({"variable_" + name, "", Known<std::string>::of(value)});
  }
  for (const auto& [name, value] : job.client_facts) environment.entries.push_back({name, "", Text::of(value)});
  environment.entries.push_back({"process_control", "", groups.description(), false});
  std::sort(environment.entries.begin(), environment.entries.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return environment;
}

}  // namespace ngb::agent
