// SPDX-License-Identifier: Apache-2.0
#include "worker/reference_outputs.h"

#include <algorithm>
#include <filesystem>

#include "base/removal.h"
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
  file::remove(nudged);  // of an attempt that was killed
  const Result<bool> written = write_with_nudged_choices(request.model_path, nudged);
  if (written && *written) add_by_choice(nudged, reference, request, compiler, inputs, differ);
  file::remove(nudged);
  return differ;
}

namespace {

using samples::FailureKind;

Attempt<Done> write(const work::WorkerRequest& request, const ReferenceFacts& facts,
                    std::span<const OutputView> outputs) {
  const Status written = write_reference(request.reference_path, facts, outputs);
  if (written) return Done{};
  const bool is_full = has_code(written, ErrorCode::disk_full);
  return tl::unexpected(failure_of(is_full ? FailureKind::disk_full : FailureKind::no_reference, written.error()));
}

}  // namespace

Attempt<Done> write_reference_outputs(const work::WorkerRequest& request, const std::string& made_by,
                                      const std::vector<OutputView>& first, const Running& running,
                                      const Infer& infer) {
  Attempt<AllOutputs> all = AllOutputs();
  if (request.is_for_agreement) all = AllOutputs::of(request, first, infer);
  if (!all) return error_of(all);
  const std::vector<OutputView>& views = request.is_for_agreement ? all->views() : first;
  ReferenceFacts facts = facts_of(views, request);
  facts.made_by = made_by;
  if (const Attempt<Done> written = write(request, facts, views); !written) return written;
  const Result<Reference> file = Reference::open(request.reference_path);
  if (!file) return tl::unexpected(failure_of(FailureKind::no_reference, file.error()));
  const Attempt<Done> bound = request.is_for_agreement ? running.session.bind(running.inputs) : Done{};
  if (!bound) return bound;
  const Attempt<std::vector<OutputView>> again = running.infer_again();
  if (!again) return error_of(again);
  const std::string differs = difference(*again, file->outputs().first(again->size()), request, kFirst);
  if (!differs.empty()) {
    facts.doubt_kind = kRandom;
    facts.doubt = "its own outputs differ from one inference to the next on the same inputs (" + differs +
                  "): the model is random, or keeps state between inferences, so nothing can be compared with them";
  } else if (!request.is_for_agreement && !request.model.decoding && request.model.visited.empty()) {
    facts.is_sensitive = find_sensitive(*file, request, running.compiler, running.session, running.inputs);
  }
  return write(request, facts, file->outputs());
}

}  // namespace ngb::worker
