// SPDX-License-Identifier: Apache-2.0
// Says by what a request's outputs are judged, and whether outputs may judge others.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "samples/process_result.h"
#include "work/job.h"
#include "worker/check.h"
#include "worker/plugin_session.h"
#include "worker/reference_file.h"

namespace ngb::worker {

// Returns "identity 2.15.0", or "openvino 2026.4.1, with which tvm 0.27.0 agrees, made by the client".
std::string who_judges(const ReferenceFacts& facts, bool is_given);

Tolerance tolerance_for(const work::WorkerRequest& request, std::span<const OutputView> reference);

// Returns how the outputs differ from `before`, which is called `noun`, by more than the tolerance; "" if they agree.
std::string difference(std::span<const OutputView> outputs, std::span<const OutputView> before,
                       const work::WorkerRequest& request, const char* noun);
inline constexpr const char* kFirst = "the first inference's";

// Opens the reference outputs of a request. Fails if they are not readable, or those of something else.
Attempt<Reference> open_reference(const work::WorkerRequest& request);

// Compares the outputs with the reference's. Sensitive outputs that differ are left out of the comparison: a right
// compiler may differ there as much as a wrong one. The check's reason names them; if no other output is left, its
// reference is "none".
Verdict judge(std::span<const OutputView> outputs, const Reference& reference, const work::WorkerRequest& request);

// Returns for each output whether it differs from that of `before` in its place by more than the tolerance.
std::vector<bool> which_differ(std::span<const OutputView> outputs, std::span<const OutputView> before,
                               const work::WorkerRequest& request);

// Returns what to do about outputs that differ. `arithmetic` is the model's.
std::string advice_on(const Verdict& verdict, const std::string& arithmetic);

// Returns the check of outputs that are compared with nobody's.
samples::Check no_check(const work::WorkerRequest& request);

// Returns what is known of outputs that the request asks for as reference outputs: who made them, whether an element is
// NaN or a shape is not the one that the file declares, and which of the unconfirmed outputs agree with them.
ReferenceFacts facts_of(std::span<const OutputView> outputs, const work::WorkerRequest& request);

}  // namespace ngb::worker
