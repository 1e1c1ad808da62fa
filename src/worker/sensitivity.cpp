// SPDX-License-Identifier: Apache-2.0
#include "worker/sensitivity.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "worker/judging.h"
#include "worker/nudged_choices.h"

namespace ngb::worker {
namespace {

// Runs an inference of the session, and adds which of its outputs differ from the reference's.
void add_differing(Session& session, const Inputs& inputs, const Reference& reference,
                   const work::WorkerRequest& request, std::vector<bool>& differ) {
  if (!session.bind(inputs) || !session.run()) return;
  const Attempt<std::vector<OutputView>> outputs = session.outputs();
  if (!outputs) return;
  const std::vector<bool> found = which_differ(*outputs, reference.outputs(), request);
  for (std::size_t i = 0; i < differ.size(); ++i) differ[i] = differ[i] || found[i];
}

void add_by_choice(const std::filesystem::path& nudged, const Reference& reference, const work::WorkerRequest& request,
                   const ngb_compiler& compiler, const Inputs& inputs, std::vector<bool>& differ) {
  Session session(compiler);
  if (!session.open(request.compiler, request.place, request.cache_dir)) return;
  if (!session.compile(nudged.string(), request.model)) return;
  add_differing(session, inputs, reference, request, differ);
}

}  // namespace

std::vector<bool> find_sensitive(const Reference& reference, const work::WorkerRequest& request,
                                 const ngb_compiler& compiler, Session& session, Inputs& inputs) {
  std::vector<bool> differ(reference.outputs().size());
  if (inputs.nudge(request.protocol.seed)) add_differing(session, inputs, reference, request, differ);
  if (std::find(differ.begin(), differ.end(), false) == differ.end()) return differ;
  const std::filesystem::path nudged = request.reference_path + ".onnx";
  std::error_code code;
  std::filesystem::remove(nudged, code);  // of an attempt that was killed
  const Result<bool> written = write_with_nudged_choices(request.model_path, nudged);
  if (written && *written) add_by_choice(nudged, reference, request, compiler, inputs, differ);
  std::filesystem::remove(nudged, code);
  return differ;
}

}  // namespace ngb::worker
