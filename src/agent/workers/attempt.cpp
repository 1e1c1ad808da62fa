// SPDX-License-Identifier: Apache-2.0
#include "agent/workers/attempt.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "agent/workers/attempt_log.h"
#include "agent/workers/ending.h"
#include "agent/workers/load_run.h"
#include "agent/workers/process_tree.h"
#include "base/json_text.h"
#include "base/processors.h"
#include "samples/codec.h"
#include "samples/disturbance.h"
#include "samples/worker_signal.h"

namespace ngb::agent {
namespace {

using samples::Failure;
using samples::FailureKind;
using samples::Phase;

Status make_pipe(FileDescriptor& read_end, FileDescriptor& write_end) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return tl::unexpected(file::from_errno("open", "pipe", errno));
  read_end = FileDescriptor(ends[0]);
  write_end = FileDescriptor(ends[1]);
  return Done{};
}

// Makes times of the monotonic clock relative to the start of the process.
void make_relative(samples::ProcessResult& result, Nanoseconds started) {
  const auto relative = [started](samples::StartTime& time) {
    if (time) *time -= started.count();
  };
  for (samples::PhaseUse& use : result.phases) relative(use.started_ns);
  for (samples::Repetition& repetition : result.repetitions) relative(repetition.started_ns);
  for (samples::Reading& reading : result.readings) relative(reading.at_ns);
}

}  // namespace

void Attempt::Unmap::operator()(samples::ProgressPage* page) const { ::munmap(page, samples::kProgressPageBytes); }

Attempt::Attempt(const Surroundings& surroundings, Children& children, Launcher& launcher, AttemptPlan plan)
    : surroundings_(surroundings),
      children_(children),
      launcher_(launcher),
      plan_(std::move(plan)),
      memory_kills_before_(kernel_memory_kills()),
      created_(system_clock().now()) {
  if (const Status opened = open_channels(); !opened) {
    const bool is_full = has_code(opened, ErrorCode::disk_full);
    ended_by_us_ = failure_here(is_full ? FailureKind::disk_full : FailureKind::internal, opened.error().text());
    finish();
    return;
  }
  deadlines_.emplace(plan_.timeouts, created_);
  prepare_load();
  if (ended_by_us_) {
    finish();
    return;
  }
  if (surroundings_.groups) group_ = surroundings_.groups->make(plan_.memory_limit_bytes);
  Launch launch;
  launch.environment = thread_variables(plan_.request.compiler.threads);
  for (auto& variable : cuda_variables(surroundings_)) launch.environment.push_back(std::move(variable));
  launch.environment.emplace_back("NGB_PROCESS_INDEX", std::to_string(plan_.request.process_index));
  launch.environment.emplace_back("NGB_ATTEMPT", std::to_string(plan_.request.attempt));
  launch.request_fd = request_read_.get();
  launch.result_fd = result_write_.get();
  launch.progress_fd = page_fd_.get();
  launch.log_fd = log_.get();
  is_begun_ = true;
  launcher_.begin(launch);
  advance();
}

Status Attempt::open_channels() {
  Result<FileDescriptor> log = create_log(surroundings_.logs() / plan_.log_name);
  if (!log) return error_of(log);
  log_ = std::move(*log);
  if (const Status made = make_pipe(request_read_, request_write_); !made) return made;
  if (const Status made = make_pipe(result_read_, result_write_); !made) return made;
  ::fcntl(result_read_.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(request_write_.get(), F_SETFL, O_NONBLOCK);
  page_fd_ = FileDescriptor(::memfd_create("ngb-progress", MFD_CLOEXEC));
  if (!page_fd_.is_open() || ::ftruncate(page_fd_.get(), samples::kProgressPageBytes) != 0) {
    return tl::unexpected(file::from_errno("create", "progress page", errno));
  }
  void* const page =
      ::mmap(nullptr, samples::kProgressPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, page_fd_.get(), 0);
  if (page == MAP_FAILED) return tl::unexpected(file::from_errno("map", "progress page", errno));
  page_.reset(static_cast<samples::ProgressPage*>(page));
  return Done{};
}

samples::Phase Attempt::phase() const {
  const std::int32_t number = page_ ? page_->phase.load(std::memory_order_relaxed) : 0;
  return static_cast<Phase>(std::clamp(number, 0, static_cast<std::int32_t>(Phase::alone)));
}

std::uint64_t Attempt::repetitions_done() const {
  return page_ ? page_->done.repetitions.load(std::memory_order_relaxed) : 0;
}

std::string Attempt::remark() const { return page_ ? samples::read_remark(*page_) : std::string(); }

Nanoseconds Attempt::deadline() const {
  if (exit_deadline_) return *exit_deadline_;
  const Nanoseconds of_worker = deadlines_ ? deadlines_->next() : created_;
  return load_ ? std::min(of_worker, load_->deadline().value_or(of_worker)) : of_worker;
}

void Attempt::prepare_load() {
  if (!plan_.request.has_load) return;
  const Result<std::vector<int>> cpus = processors_of(plan_.load, surroundings_.cpus, plan_.cpus);
  if (!cpus) {
    ended_by_us_ = failure_here(FailureKind::load_failed, cpus.error().where + ": " + cpus.error().what);
    ended_by_us_->advice = cpus.error().next;
    return;
  }
  const std::string log = std::filesystem::path(plan_.log_name).stem().string() + "-load.log";
  load_.emplace(surroundings_, children_, plan_.load, *cpus, plan_.cpus, surroundings_.logs() / log);
}

void Attempt::advance_load() {
  std::optional<Failure> failed = load_->advance(system_clock().now());
  if (failed) {
    failed->phase = phase();
    return end_with(*failed);
  }
  if (!load_->lets_worker_go_on()) return;
  // If the worker has ended, its exit status says why.
  (void)file::write_all(request_write_.get(), samples::frame(samples::kGoOn), "request");
}

// Handles what a worker says before its result. Returns whether the frame is such a signal.
bool Attempt::receive_signal(std::string_view frame) {
  if (load_ && load_->receive(frame, workers())) return true;
  if (!plan_.takes_turns || frame != samples::kWantsTurn) return false;
  calm(*launcher_.launched().pid);
  waiting_since_ = system_clock().now();
  return true;
}

void Attempt::give_turn() {
  const Nanoseconds waited = system_clock().now() - *std::exchange(waiting_since_, std::nullopt);
  waited_ += waited;
  if (deadlines_) deadlines_->extend(waited);
  resume_all(*launcher_.launched().pid);
  // If the worker has ended, its exit status says why.
  (void)file::write_all(request_write_.get(), samples::frame(samples::kGoOn), "request");
}

std::set<pid_t> Attempt::processes() const {
  const Launched& launched = launcher_.launched();
  if (finished_ || !launched.pid || launched.wait_status) return {};
  const std::vector<pid_t> all = with_descendants(*launched.pid);
  return {all.begin(), all.end()};
}

void Attempt::advance() {
  if (finished_) return;
  launcher_.advance();
  const Launched& launched = launcher_.launched();
  if (launched.pid && !is_handed_over_) hand_over_request();
  read_result();
  if (load_) advance_load();
  if (launched.failure || launched.wait_status) return finish();
  check_time();
}

// Sets limits and processors before sending the request. The worker waits for the request and starts nothing before.
void Attempt::hand_over_request() {
  is_handed_over_ = true;
  const pid_t pid = *launcher_.launched().pid;
  deadlines_.emplace(plan_.timeouts, launcher_.launched().started.value_or(created_));
  if (group_) group_->add(pid);
  confine(pid, plan_.cpus);
  limit_data(pid, plan_.memory_limit_bytes);
  // The watch begins here: the launch may import a library for seconds, and what others did meanwhile does not count.
  if (plan_.request.task == work::Task::measure) watch_.emplace(plan_.cpus);
  const std::string bytes = samples::frame(json_text::dump(work::write_json(plan_.request)));
  constexpr std::size_t kPipeBytes = 1U << 16U;
  if (bytes.size() > kPipeBytes) ::fcntl(request_write_.get(), F_SETPIPE_SZ, bytes.size());
  const Status written = file::write_all(request_write_.get(), bytes, "request");
  if (!load_ && !plan_.takes_turns) request_write_.reset();
  request_read_.reset();
  result_write_.reset();
  page_fd_.reset();
  // If the worker has ended already, its exit status says why.
  if (!written && errno == EAGAIN) end_with(failure_here(FailureKind::internal, "the worker's request is too large"));
}

void Attempt::read_result() {
  char chunk[1U << 14U];
  while (result_read_.is_open()) {
    const ssize_t count = ::read(result_read_.get(), chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return result_read_.reset();
    frames_.feed({chunk, static_cast<std::size_t>(count)});
    Result<std::optional<std::string>> frame = frames_.next();
    if (frame && !frame->has_value()) continue;
    if (frame && receive_signal(**frame)) continue;
    if (!frame || result_text_) {
      result_read_.reset();
      const std::string why = frame ? "there is more than one" : frame.error().what;
      return end_with(failure_here(FailureKind::internal, "the worker delivered an invalid result: " + why));
    }
    result_text_ = std::move(**frame);
    exit_deadline_ = system_clock().now() + plan_.exit_patience;
  }
}

void Attempt::check_time() {
  const Nanoseconds now = system_clock().now();
  if (exit_deadline_) {
    if (now < *exit_deadline_) return;
    if (is_killed_) return give_up();
    end_processes();
    exit_deadline_ = system_clock().now() + plan_.exit_patience;
    return;
  }
  if (!deadlines_ || waits_for_turn()) return;
  if (const std::optional<Failure> over = deadlines_->look(now, phase())) end_with(*over);
}

void Attempt::look() {
  if (finished_ || !launcher_.launched().pid || result_text_) return;
  if (watch_ && plan_.request.compiler.instances == 1) {  // the page is the first instance's
    watch_->mark(workers(), page_->done.inferences.load(std::memory_order_relaxed), system_clock().now());
  }
  // In turns, what the machine did within a second concerns other processes as well, except in the phase alone.
  if (watch_ && (!plan_.takes_turns || phase() == Phase::alone)) watch_->look(workers(), phase(), system_clock().now());
  std::set<pid_t> others = spared();
  if (load_) others.merge(load_->processes());
  const std::uint64_t bytes = resident_bytes(Children::living(others));
  if (const std::optional<Failure> over = look_at_memory(bytes, plan_.memory_limit_bytes, phase())) end_with(*over);
}

void Attempt::abandon() {
  if (!finished_) end_with(failure_here(FailureKind::internal, "stopped"));
}

std::set<pid_t> Attempt::spared() const {
  std::set<pid_t> all = plan_.spared();
  all.merge(launcher_.own_processes());
  return all;
}

// Returns the processes that infer: the worker's own, or its instances, which are below it.
std::vector<pid_t> Attempt::workers() const {
  const pid_t worker = *launcher_.launched().pid;
  return plan_.request.compiler.instances == 1 ? std::vector{worker} : with_descendants(worker);
}

// Records the cause and kills all its processes. The attempt is finished when the launcher reports how the worker
// ended.
void Attempt::end_with(const samples::Failure& failure) {
  if (ended_by_us_) return;
  ended_by_us_ = failure;
  end_processes();
  exit_deadline_ = system_clock().now() + (left_.empty() ? plan_.exit_patience : Nanoseconds(0));
}

void Attempt::end_processes() {
  is_killed_ = true;
  launcher_.abandon();
  if (group_) group_->kill();
  left_ = children_.end_all(spared());
}

// Gives up on killed processes that have not ended, or whose end the fork server does not report.
void Attempt::give_up() {
  const std::string cause = ended_by_us_ ? ended_by_us_->message + "; " : "";
  launcher_.forget();
  end_processes();
  const bool is_whole = left_.empty() && result_text_ && !ended_by_us_;
  if (is_whole) return finish();
  ended_by_us_ = failure_here(FailureKind::device_lost, "");
  if (left_.empty()) {
    ended_by_us_->message = cause + "the fork server did not answer and was killed";
    ended_by_us_->advice = "see the server's log: fork-server-*.log in logs/";
  } else {
    ended_by_us_->message = fmt::format("{}did not end after SIGKILL: {}", cause, describe_processes(left_));
    ended_by_us_->advice = "check the device's kernel log, or restart the device";
  }
  finish();
}

samples::Failure Attempt::failure_here(samples::FailureKind kind, std::string message) const {
  Failure failure;
  failure.kind = kind;
  failure.phase = phase();
  failure.message = std::move(message);
  return failure;
}

void Attempt::finish() {
  if (left_.empty()) end_processes();
  Ending ending;
  if (is_begun_) ending.launched = launcher_.launched();
  ending.phase = phase();
  ending.result_text = result_text_;
  ending.ended_by_agent = ended_by_us_;
  ending.memory_limit_bytes = plan_.memory_limit_bytes;
  ending.has_kernel_killed_for_memory = kernel_memory_kills() > memory_kills_before_;
  ending.is_counted_for_group = group_ && group_->counts_memory_kills();
  ending.has_group_run_out_of_memory = group_ && group_->has_run_out_of_memory();
  samples::ProcessResult result = result_of(plan_.request, ending);
  shorten(result);
  // A compiler that cannot write gives any reason. What it has written is still there.
  if (result.failure && is_disk_full(surroundings_.work_folder)) result.failure->kind = FailureKind::disk_full;
  const Nanoseconds now = system_clock().now();
  const Nanoseconds started = ending.launched.started.value_or(created_);
  result.wall_ns = (now - started - waited_).count();
  result.started_unix_ns = (system_clock().unix_now() - (now - started)).count();
  add_what_was_watched(result);
  make_relative(result, started);
  result.log_path = "logs/" + plan_.log_name;
  result.facts.insert(ending.launched.facts.begin(), ending.launched.facts.end());
  // The failure of a launch quotes the log already, and that of a load the load's. A worker that reported its failure
  // itself has said what failed; a library's traceback of it stays in the log.
  const bool says_nothing_of_worker = result.failure && (result.failure->kind == FailureKind::disturbed ||
                                                         result.failure->kind == FailureKind::load_failed);
  const bool has_reported = ending.result_text && !ending.ended_by_agent;
  if (result.failure && !says_nothing_of_worker && !ending.launched.failure && !has_reported) {
    quote_log(*result.failure, surroundings_.logs() / plan_.log_name, result.log_path);
  }
  finished_ = std::move(result);
}

// Adds the readings from outside. If other work disturbed the process, that becomes its failure.
void Attempt::add_what_was_watched(samples::ProcessResult& result) const {
  if (!watch_) return;
  result.readings.insert(result.readings.end(), watch_->readings().begin(), watch_->readings().end());
  if (load_) load_->add_use(result);
  const auto disturbance = [&] {
    return load_ ? samples::disturbance_beside_load(result, plan_.disturbance)
                 : samples::disturbance_of(result, plan_.disturbance);
  };
  if (result.failure || !disturbance()) return;
  std::set<pid_t> own = spared();
  own.insert(::getpid());
  result.neighbours = watch_->neighbours(own);
  result.failure = disturbance();
}

}  // namespace ngb::agent
