// SPDX-License-Identifier: Apache-2.0
#include "agent/job_identity.h"

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json_text.h"
#include "samples/codec.h"

namespace ngb::agent {
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
