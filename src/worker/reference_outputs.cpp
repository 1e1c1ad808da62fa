// SPDX-License-Identifier: Apache-2.0
#include "worker/reference_outputs.h"

#include "worker/judging.h"
#include "worker/sensitivity.h"

namespace ngb::worker {
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
  Attempt<Done> ran = request.is_for_agreement ? running.session.bind(running.inputs) : Done{};
  if (ran) ran = running.session.run();
  if (!ran) return ran;
  const Attempt<std::vector<OutputView>> again = running.session.outputs();
  if (!again) return error_of(again);
  const std::string differs = difference(*again, file->outputs().first(again->size()), request, kFirst);
  if (!differs.empty()) {
    facts.doubt_kind = kRandom;
    facts.doubt = "its own outputs differ from one inference to the next on the same inputs (" + differs +
                  "): the model is random, or keeps state between inferences, so nothing can be compared with them";
  } else if (!request.is_for_agreement) {
    facts.is_sensitive = find_sensitive(*file, request, running.compiler, running.session, running.inputs);
  }
  return write(request, facts, file->outputs());
}

}  // namespace ngb::worker
