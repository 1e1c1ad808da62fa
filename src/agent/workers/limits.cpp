// SPDX-License-Identifier: Apache-2.0
#include "agent/workers/limits.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <charconv>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/text.h"

namespace ngb::agent {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif

}  // namespace

Deadlines::Deadlines(const work::Timeouts& timeouts, Nanoseconds started)
    : run_timeout_(timeouts.run_ns),
      allowed_(timeouts.compile_ns),
      deadline_(started + Nanoseconds(timeouts.compile_ns)) {}

std::optional<samples::Failure> Deadlines::look(Nanoseconds now, samples::Phase phase) {
  if (!is_running_ && phase >= samples::Phase::warm_up) {
    is_running_ = true;
    allowed_ = run_timeout_;
    deadline_ = now + run_timeout_;
  }
  if (now < deadline_) return std::nullopt;
  samples::Failure failure;
  failure.kind = samples::FailureKind::timeout;
  failure.phase = phase;
  const double seconds = std::chrono::duration<double>(allowed_).count();
  failure.message = fmt::format("ended by the time limit: {} took longer than {}",
                                is_running_ ? "warm-up and timed repetitions" : "start, open, compile and check",
                                text::human_duration(seconds));
  failure.advice = fmt::format("raise the study's {} timeout", is_running_ ? "run" : "compile");
  return failure;
}

std::optional<samples::Failure> look_at_memory(std::uint64_t resident_bytes, std::uint64_t limit_bytes,
                                               samples::Phase phase) {
  if (resident_bytes <= limit_bytes) return std::nullopt;
  samples::Failure failure;
  failure.kind = samples::FailureKind::out_of_memory;
  failure.phase = phase;
  failure.message = fmt::format("ended by the memory limit: its processes held {}, the limit is {}",
                                text::human_bytes(resident_bytes), text::human_bytes(limit_bytes));
  failure.advice = "raise the study's memory limit, or choose a smaller batch size";
  return failure;
}

void limit_data(pid_t pid, std::uint64_t limit_bytes) {
  if (kIsSanitized) return;
  const rlimit limit{limit_bytes, limit_bytes};
  ::prlimit(pid, RLIMIT_DATA, &limit, nullptr);
}

Status may_begin(const work::DeviceLimits& limits, Nanoseconds taken, const std::filesystem::path& folder) {
  if (limits.time_ns && taken >= Nanoseconds(*limits.time_ns)) {
    return fail(fmt::format("the device may be used for {}, and that time is over",
                            text::human_duration(static_cast<double>(*limits.time_ns) / 1e9)),
                folder.string(), "run the same command again to continue");
  }
  std::error_code code;
  const std::filesystem::space_info space = std::filesystem::space(folder, code);
  if (code || space.available >= limits.free_disk_bytes.value_or(0)) return Done{};
  return fail(fmt::format("the disk is too full: {} are free, {} must stay free", text::human_bytes(space.available),
                          text::human_bytes(*limits.free_disk_bytes)),
              folder.string(), "free some space and run the same command again");
}

bool is_disk_full(const std::filesystem::path& folder) {
  constexpr std::uintmax_t kRoomOfOneProcess = 1U << 20U;
  std::error_code code;
  const std::filesystem::space_info space = std::filesystem::space(folder, code);
  return !code && space.available < kRoomOfOneProcess;
}

std::optional<std::uint64_t> kernel_memory_kills() {
  const Result<std::string> content = file::read("/proc/vmstat", 1U << 20U);
  if (!content) return std::nullopt;
  constexpr std::string_view kKills = "\noom_kill ";
  const std::size_t at = content->find(kKills);
  if (at == std::string::npos) return std::nullopt;
  std::uint64_t count = 0;
  std::from_chars(content->data() + at + kKills.size(), content->data() + content->size(), count);
  return count;
}

}  // namespace ngb::agent
