// SPDX-License-Identifier: Apache-2.0
#include "agent/ending.h"

#include <fmt/format.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "base/process.h"
#include "base/text.h"

namespace ngb::agent {
namespace {

using samples::Failure;
using samples::FailureKind;
using samples::ProcessResult;

Result<ProcessResult> delivered(const samples::WorkerRequest& request, const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) return fail("what the worker delivered is not JSON");
  Result<ProcessResult> result = samples::process_result_from_json(json);
  if (!result) return tl::unexpected(result.error());
  if (result->cell_id != request.cell_id || result->process_index != request.process_index ||
      result->attempt != request.attempt) {
    return fail(fmt::format("the worker delivered the result of another process ({} process {} attempt {})",
                            result->cell_id, result->process_index, result->attempt));
  }
  return result;
}

Failure without_result(const Ending& ending) {
  if (ending.launched.failure) return *ending.launched.failure;
  const process::Outcome outcome = process::decode(ending.launched.wait_status.value_or(0));
  Failure failure;
  failure.signal = outcome.signal;
  failure.exit_code = outcome.exit_code;
  if (outcome.signal == SIGKILL && ending.has_kernel_killed_for_memory) {
    failure.kind = FailureKind::out_of_memory;
    failure.message = "killed by the kernel for want of memory";
    failure.advice = "choose a smaller batch size, or give the device more memory";
  } else if (outcome.signal && ending.launched.peak_rss_bytes.value_or(0) > ending.memory_limit_bytes / 10 * 9) {
    failure.kind = FailureKind::out_of_memory;
    failure.message =
        fmt::format("the worker crashed with signal {} when it held {} of the {} that it may have", *outcome.signal,
                    text::human_bytes(*ending.launched.peak_rss_bytes), text::human_bytes(ending.memory_limit_bytes));
    failure.advice = "raise the study's memory limit, or choose a smaller batch size";
  } else if (outcome.signal) {
    failure.kind = FailureKind::crash;
    failure.message = fmt::format("the worker crashed with signal {}", *outcome.signal);
  } else {
    failure.kind = FailureKind::exit;
    failure.message = fmt::format("the worker ended by itself with {} and without a result", *outcome.exit_code);
  }
  return failure;
}

ProcessResult failed(const samples::WorkerRequest& request, Failure failure) {
  ProcessResult result;
  result.cell_id = request.cell_id;
  result.process_index = request.process_index;
  result.attempt = request.attempt;
  result.threads_used = samples::Known<int>::unknown("the worker delivered no result");
  result.failure = std::move(failure);
  return result;
}

}  // namespace

ProcessResult result_of(const samples::WorkerRequest& request, const Ending& ending) {
  if (ending.result_text && !ending.ended_by_agent) {
    Result<ProcessResult> result = delivered(request, *ending.result_text);
    if (result) {
      const process::Outcome outcome = process::decode(ending.launched.wait_status.value_or(0));
      if (outcome.signal) result->facts["ended"] = fmt::format("signal {}, after its result", *outcome.signal);
      return *std::move(result);
    }
    Failure failure;
    failure.phase = ending.phase;
    failure.message = result.error().text();
    return failed(request, std::move(failure));
  }
  Failure failure = ending.ended_by_agent ? *ending.ended_by_agent : without_result(ending);
  failure.phase = ending.phase;
  return failed(request, std::move(failure));
}

}  // namespace ngb::agent
