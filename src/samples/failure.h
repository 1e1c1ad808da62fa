// SPDX-License-Identifier: Apache-2.0
// Why a cell has no number: a fixed taxonomy, stored like any other result.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ngb::samples {

// The parts of a worker process's life, in order.
enum class Phase { start, open, compile, check, warm_up, timed };
std::string_view name(Phase phase);  // "start", …, "warm_up", "timed"
Result<Phase> parse_phase(std::string_view name);

enum class FailureKind {
  crash,                 // a signal ended the worker
  exit,                  // the worker ended by itself without a result
  timeout,               // the phase took longer than the study allows
  out_of_memory,         // over the memory limit, or killed by the kernel for memory
  unsupported_operator,  // a valid model that this compiler cannot compile
  invalid_model,         // unreadable, not ONNX, inconsistent
  invalid_option,        // an option, device, thread count or precision the compiler does not take
  toolchain_missing,     // not installed on this device
  import_error,          // installed, but does not load
  inaccurate,            // outputs differ from the reference by more than the tolerance
  no_reference,          // the reference outputs could not be made
  fallback,              // work ran on another device, provider or precision than asked for
  no_device,             // there is no device of the kind that was asked for: no GPU, or no driver of it
  device_lost,           // it was there, and failed
  disk_full,
  internal,  // any other failure, of the compiler or of ours; the message says which
};
std::string_view name(FailureKind kind);  // "crash", "out_of_memory", …
Result<FailureKind> parse_failure_kind(std::string_view name);
// Another attempt may end differently (crash, exit, timeout, out_of_memory, device_lost, disk_full); the others are
// properties of the cell.
bool is_worth_retrying(FailureKind kind);

struct Failure {
  FailureKind kind = FailureKind::internal;
  Phase phase = Phase::start;
  std::string message{};           // what failed, where
  std::string advice{};            // what to do next; may be empty
  std::optional<int> signal{};     // of a crash
  std::optional<int> exit_code{};  // of an exit
};

}  // namespace ngb::samples
