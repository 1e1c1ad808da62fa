// SPDX-License-Identifier: Apache-2.0
// Says why a cell has no number, with a kind from a fixed list. A failure is stored like any other result.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "work/protocol.h"

namespace ngb::samples {

// The phases of a worker process, in order. A process that loads what another one has compiled has the phase `load` and
// no phase `compile`; in the others, loading is part of compiling. Only the first process of a cell whose processes
// take turns has the phase `alone`, whose inferences count for nothing but readings of the whole machine.
enum class Phase { start, open, compile, load, check, warm_up, timed, alone };
std::string_view name(Phase phase);  // "start", …, "warm_up", "timed", "alone"
Result<Phase> parse_phase(std::string_view name);

// Lists every kind once: ROW(name, is_worth_retrying). A kind is worth retrying if another attempt may end differently;
// the others are properties of the cell. Kinds that a compiler can report are also listed in ngraphbench/compiler.h.
#define NGB_FAILURE_KINDS(ROW)                                                                                   \
  ROW(crash, true)                 /* a signal ended the worker */                                               \
  ROW(exit, true)                  /* the worker ended by itself without a result */                             \
  ROW(timeout, true)               /* the phase took longer than the study allows */                             \
  ROW(out_of_memory, true)         /* over the memory limit, or killed by the kernel for memory */               \
  ROW(unsupported_operator, false) /* the model is valid, but this compiler cannot compile it */                 \
  ROW(invalid_model, false)        /* the model is unreadable, not ONNX or inconsistent */                       \
  ROW(invalid_option, false)       /* the compiler refuses an option, device, thread count or precision */       \
  ROW(toolchain_missing, false)    /* the toolchain is not installed on this device */                           \
  ROW(import_error, false)         /* the toolchain is installed, but does not load */                           \
  ROW(inaccurate, false)           /* outputs differ from the reference by more than the tolerance */            \
  ROW(disagrees, false)            /* a variant cannot be compared with its exact model, or agrees too little */ \
  ROW(no_reference, false)         /* the reference outputs could not be made */                                 \
  ROW(fallback, false)             /* work ran on another device, provider or precision than asked for */        \
  ROW(no_device, false)            /* no device of the kind that was asked for: no GPU or no driver */           \
  ROW(device_lost, true)           /* the device was available and then failed */                                \
  ROW(disk_full, true)                                                                                           \
  ROW(disturbed, true)        /* other work kept it from its processors (disturbance.h) */                       \
  ROW(load_failed, false)     /* the load of its cell could not start, or ended before the cell was timed */     \
  ROW(compiler_failed, false) /* the compiler's library or the user's module raised an error without a kind */   \
  ROW(no_profile, false)      /* the compiler does not tell its kernels' times, or not with these options */     \
  ROW(internal, false)        /* any other failure of NGraphBench */

#define NGB_NAME(kind, is_worth_retrying) kind,
enum class FailureKind { NGB_FAILURE_KINDS(NGB_NAME) };
#undef NGB_NAME
std::string_view name(FailureKind kind);  // "crash", "out_of_memory", …
Result<FailureKind> parse_failure_kind(std::string_view name);
// Returns true if another attempt may end differently.
bool is_worth_retrying(FailureKind kind);
// Returns whether no attempt follows the failed `attempt` (1 …). Disturbed processes have a bound of their own.
bool is_final(FailureKind kind, int attempt, const work::Limits& limits);
// Returns whether a final failure of one process is a failure of its cell: the cell's other processes are not run. A
// disturbed process says nothing about the cell.
bool is_of_cell(FailureKind kind);
// Returns the highest number that an attempt can have.
int most_attempts(const work::Limits& limits);

// The exit code of a program that could not write a model file because the disk is full: the number of ENOSPC.
inline constexpr int kDiskFullExitCode = 28;

struct Failure {
  FailureKind kind = FailureKind::internal;
  Phase phase = Phase::start;
  std::string message{};           // what failed, where
  std::string advice{};            // what to do next; may be empty
  std::optional<int> signal{};     // of a crash
  std::optional<int> exit_code{};  // of an exit

  // Returns the message's first line, which says what is wrong. Libraries add lines about their own code, which are in
  // the process's log and in JSON.
  [[nodiscard]] std::string first_line() const { return message.substr(0, message.find('\n')); }

  static constexpr auto fields(auto visit) {
    return visit(Field{"kind", &Failure::kind}, Field{"phase", &Failure::phase}, Field{"message", &Failure::message},
                 Field{"advice", &Failure::advice}, Field{"signal", &Failure::signal},
                 Field{"exit_code", &Failure::exit_code});
  }
};

}  // namespace ngb::samples
