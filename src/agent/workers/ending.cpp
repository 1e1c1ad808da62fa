// SPDX-License-Identifier: Apache-2.0
#include "agent/workers/ending.h"

#include <fmt/format.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/process.h"
#include "base/text.h"
#include "samples/codec.h"

namespace ngb::agent {
namespace {

using samples::Failure;
using samples::FailureKind;
using samples::ProcessResult;

Result<ProcessResult> delivered(const work::WorkerRequest& request, const std::string& text) {
  const nlohmann::json message = json_text::parse(text);
  if (message.is_discarded()) return fail("the worker delivered something that is not JSON");
  Result<ProcessResult> result = work::parse_json<ProcessResult>(message, "process result");
  if (!result) return error_of(result);
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
  if (outcome.signal == SIGKILL && ending.has_group_run_out_of_memory) {
    failure.kind = FailureKind::out_of_memory;
    failure.message = fmt::format("ended by the memory limit: its control group may hold {}",
                                  text::human_bytes(ending.memory_limit_bytes));
    failure.advice = "raise the study's memory limit, or choose a smaller batch size";
  } else if (outcome.signal == SIGKILL && ending.has_kernel_killed_for_memory && !ending.is_counted_for_group) {
    failure.kind = FailureKind::out_of_memory;
    failure.message = "killed by the kernel because the machine ran out of memory";
    failure.advice = "choose a smaller batch size, or give the device more memory";
  } else if (outcome.signal && ending.launched.peak_rss_bytes.value_or(0) > ending.memory_limit_bytes / 10 * 9) {
    failure.kind = FailureKind::out_of_memory;
    failure.message =
        fmt::format("the worker crashed with signal {} when it held {} of its limit of {}", *outcome.signal,
                    text::human_bytes(*ending.launched.peak_rss_bytes), text::human_bytes(ending.memory_limit_bytes));
    failure.advice = "raise the study's memory limit, or choose a smaller batch size";
  } else if (outcome.signal) {
    failure.kind = FailureKind::crash;
    failure.message = fmt::format("the worker crashed with signal {}", *outcome.signal);
  } else {
    failure.kind = FailureKind::exit;
    failure.message = fmt::format("the worker exited with code {} and without a result", *outcome.exit_code);
  }
  return failure;
}

ProcessResult failed(const work::WorkerRequest& request, Failure failure) {
  ProcessResult result;
  result.cell_id = request.cell_id;
  result.process_index = request.process_index;
  result.attempt = request.attempt;
  result.threads_used = Known<int>::unknown("the worker delivered no result");
  result.failure = std::move(failure);
  return result;
}

ProcessResult told_or_seen(const work::WorkerRequest& request, const Ending& ending) {
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

// Names the toolchain where its files may be the reason, and nothing else is advised.
void advise_on_toolchain(Failure& failure, const work::Place& place) {
  if (place.toolchain_dir.empty() || !failure.advice.empty()) return;
  const std::string name = place.compiler + "@" + place.version;
  if (failure.kind == FailureKind::import_error || failure.kind == FailureKind::toolchain_missing) {
    failure.advice = "mend the toolchain: ngb toolchain install " + name;
  } else if (failure.kind == FailureKind::crash && failure.phase == samples::Phase::start) {
    failure.advice = "see whether the toolchain's files are as they were installed: ngb toolchain verify " + name;
  }
}

}  // namespace

ProcessResult result_of(const work::WorkerRequest& request, const Ending& ending) {
  ProcessResult result = told_or_seen(request, ending);
  if (result.failure) advise_on_toolchain(*result.failure, request.place);
  return result;
}

void shorten(ProcessResult& result) {
  constexpr std::size_t kLongestBytes = 64U << 10U;
  const auto cut = [](std::string& text) {
    if (text.size() <= kLongestBytes) return;
    const std::size_t more = text.size() - kLongestBytes;
    text = text::to_utf8(text.substr(0, kLongestBytes)) + fmt::format(" … ({} more bytes)", more);
  };
  if (result.failure) cut(result.failure->message);
  for (auto& [name, value] : result.facts) cut(value);
}

}  // namespace ngb::agent
