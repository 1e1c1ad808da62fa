// SPDX-License-Identifier: Apache-2.0
#include "agent/workers/load_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "agent/workers/attempt_log.h"
#include "agent/workers/process_tree.h"
#include "base/json_text.h"
#include "base/process.h"
#include "base/text.h"
#include "samples/codec.h"
#include "samples/worker_signal.h"

namespace ngb::agent {
namespace {

using work::LoadKind;
using work::LoadPlace;

bool is_among(int cpu, const std::vector<int>& cpus) { return std::find(cpus.begin(), cpus.end(), cpu) != cpus.end(); }

std::vector<int> without(const std::vector<int>& cpus, const std::vector<int>& left_out) {
  std::vector<int> rest;
  std::copy_if(cpus.begin(), cpus.end(), std::back_inserter(rest), [&](int cpu) { return !is_among(cpu, left_out); });
  return rest;
}

std::vector<int> candidates(const work::Load& load, const std::vector<int>& allowed, const std::vector<int>& of_cell) {
  const std::vector<int> others = without(allowed, of_cell);
  switch (load.place) {
    case LoadPlace::listed:
      return load.listed;
    case LoadPlace::all:
      return allowed;
    case LoadPlace::others:
      // Without other processors, a memory load still uses the memory, at the price of the cell's processors.
      return others.empty() && load.kind == LoadKind::memory ? of_cell : others;
    case LoadPlace::cell:
      break;
  }
  std::vector<int> cpus = of_cell;
  if (load.kind == LoadKind::cpu) cpus.insert(cpus.end(), others.begin(), others.end());
  return cpus;
}

constexpr Nanoseconds kLook = std::chrono::milliseconds(5);
constexpr Nanoseconds kLongestStart = std::chrono::seconds(30);  // of a load of ours

std::vector<int> united(std::vector<int> one, const std::vector<int>& other) {
  one.insert(one.end(), other.begin(), other.end());
  std::sort(one.begin(), one.end());
  one.erase(std::unique(one.begin(), one.end()), one.end());
  return one;
}

// Returns the program of loads: the agent's own file, even if it was replaced since the agent was started.
std::string burner() {
  const std::filesystem::path self = process::self();
  std::error_code code;
  return std::filesystem::exists(self, code) ? self.string() : "/proc/self/exe";
}

samples::Reading reading_of(const char* quantity, const char* unit, Known<double> value) {
  return {quantity, unit, "timed", std::move(value), {}};
}

}  // namespace

Result<std::vector<int>> processors_of(const work::Load& load, const std::vector<int>& allowed,
                                       const std::vector<int>& of_cell) {
  const std::string where = "loads: " + load.name;
  std::vector<int> cpus = candidates(load, allowed, of_cell);
  const std::vector<int> foreign = without(cpus, allowed);
  if (!foreign.empty()) {
    return fail(fmt::format("processor {} is none of those that the study may use here: {}", foreign.front(),
                            fmt::join(allowed, ", ")),
                where, "list others below processors");
  }
  if (cpus.empty()) {
    return fail(fmt::format("the cell's inference uses all {} processors that the study may use here", allowed.size()),
                where, "give the compilers fewer threads, or leave out processors: others");
  }
  if (load.kind != LoadKind::cpu) return cpus;
  const auto wanted = static_cast<std::size_t>(std::ceil(load.processors));
  if (wanted > cpus.size()) {
    return fail(
        fmt::format("it needs {} processors, and may run on {} here: {}", wanted, cpus.size(), fmt::join(cpus, ", ")),
        where, "ask for less, or leave the load out on this device");
  }
  cpus.resize(wanted);
  return cpus;
}

void LoadRun::Unmap::operator()(LoadPage* page) const { ::munmap(page, kLoadPageBytes); }

LoadRun::LoadRun(const Surroundings& surroundings, Children& children, work::Load load, std::vector<int> cpus,
                 const std::vector<int>& of_cell, std::filesystem::path log)
    : surroundings_(surroundings),
      children_(children),
      load_(std::move(load)),
      cpus_(std::move(cpus)),
      all_cpus_(united(cpus_, of_cell)),
      log_(std::move(log)) {}

LoadRun::~LoadRun() { end(); }

bool LoadRun::receive(std::string_view frame, const std::vector<pid_t>& workers) {
  if (frame == samples::kWantsLoad) {
    const Status started = start();
    if (!started) fail_with(started.error().text());
    started_ = system_clock().now();
    next_look_ = started_;
    return true;
  }
  if (frame == samples::kBeginsTiming) {
    meter_.emplace(workers, all_cpus_);
    begin_ = mark();
  } else if (frame == samples::kEndsTiming) {
    end_ = mark();
    // A load that has ended in the last moment has not been there all the time.
    children_.reap();
    if (!advance(system_clock().now())) end();
  } else {
    return false;
  }
  may_go_on_ = true;
  return true;
}

Status LoadRun::start() {
  const Result<FileDescriptor> log = create_log(log_);
  if (!log) return error_of(log);
  const FileDescriptor page(::memfd_create("ngb-load", MFD_CLOEXEC));
  if (!page.is_open() || ::ftruncate(page.get(), kLoadPageBytes) != 0) {
    return tl::unexpected(file::from_errno("create", "load page", errno));
  }
  void* const memory = ::mmap(nullptr, kLoadPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, page.get(), 0);
  if (memory == MAP_FAILED) return tl::unexpected(file::from_errno("map", "load page", errno));
  page_.reset(static_cast<LoadPage*>(memory));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return tl::unexpected(file::from_errno("open", "pipe", errno));
  const FileDescriptor theirs(ends[0]);
  life_ = FileDescriptor(ends[1]);
  process::Spawn spawn{
      {burner(), "load", json_text::dump(work::write_json(load_)), fmt::format("{}", fmt::join(cpus_, ","))}};
  spawn.environment = surroundings_.environment;
  spawn.environment.emplace_back(kWorkFolderVariable, surroundings_.work_folder.string());
  spawn.descriptors = {{theirs.get(), 0}, {log->get(), 1}, {log->get(), 2}, {page.get(), kLoadPageFd}};
  spawn.own_group = true;
  // One that runs a command outlives the agent for a moment, to end what the command has started.
  spawn.dies_with_parent = load_.kind != work::LoadKind::command;
  spawn.folder = surroundings_.scratch();
  const Result<pid_t> pid = process::spawn(spawn);
  if (!pid) return error_of(pid);
  children_.watch(*pid);
  pid_ = *pid;
  return Done{};
}

std::optional<samples::Failure> LoadRun::advance(Nanoseconds now) {
  if (failed_) return failed_;
  if (!pid_) return std::nullopt;
  if (const std::optional<Children::Ended> ended = children_.take(*pid_)) {
    pid_.reset();
    const char* const when = begin_ ? "while the cell was timed" : "before the cell was timed";
    return fail_with(fmt::format("it ended {}, after {:.3g} s, with {}", when,
                                 std::chrono::duration<double>(now - started_).count(),
                                 process::describe(ended->wait_status)));
  }
  if (!next_look_) return std::nullopt;
  const bool is_running = page_->is_running.load() != 0;
  if (is_running && now - started_ >= wait()) {
    next_look_.reset();
    may_go_on_ = true;
    return std::nullopt;
  }
  if (!is_running && now - started_ > kLongestStart) {
    return fail_with("it did not begin within 30 s");
  }
  next_look_ = is_running ? started_ + wait() : now + kLook;
  return std::nullopt;
}

// A load of ours says itself when it runs.
Nanoseconds LoadRun::wait() const {
  if (load_.kind != work::LoadKind::command) return Nanoseconds(0);
  return std::chrono::round<Nanoseconds>(std::chrono::duration<double>(load_.wait_s));
}

bool LoadRun::lets_worker_go_on() { return std::exchange(may_go_on_, false); }

void LoadRun::end() {
  life_.reset();
  next_look_.reset();
  if (!pid_) return;
  const bool has_ended = children_.take(*pid_).has_value();  // then its number may belong to another process
  // The program of a command needs the end of its input to end the command; the others need nothing.
  if (!has_ended && load_.kind != work::LoadKind::command) ::kill(*pid_, SIGKILL);
  children_.forget(*pid_);
  pid_.reset();
}

std::set<pid_t> LoadRun::processes() const {
  if (!pid_) return {};
  const std::vector<pid_t> all = with_descendants(*pid_);
  return {all.begin(), all.end()};
}

LoadRun::Mark LoadRun::mark() const {
  Mark mark;
  mark.cpu_ns = pid_ ? cpu_ns_of(*pid_) : 0;
  mark.bytes = page_ ? page_->bytes.load() : 0;
  mark.counters = meter_->read();
  return mark;
}

std::optional<samples::Failure> LoadRun::fail_with(const std::string& what) {
  samples::Failure& failure = failed_.emplace();
  failure.kind = samples::FailureKind::load_failed;
  failure.message = fmt::format("loads: {}: {}", load_.name, what);
  quote_log(failure, log_, "logs/" + log_.filename().string());
  failure.advice = load_.kind == work::LoadKind::command
                       ? "the command must run until it is ended (while true; do …; done); /bin/sh runs it on the "
                         "device, in an empty folder"
                       : "";
  return failed_;
}

void LoadRun::add_use(samples::ProcessResult& result) const {
  if (!begin_ || !end_) return;
  using Value = Known<double>;
  const auto elapsed_ns = static_cast<double>(end_->counters.taken_ns - begin_->counters.taken_ns);
  const auto cpu_ns = static_cast<double>(std::max(end_->cpu_ns, begin_->cpu_ns) - begin_->cpu_ns);
  constexpr double kPercent = 100;
  result.readings.push_back(reading_of("load_cpu_time", "s", Value::of(cpu_ns * 1e-9)));
  result.readings.push_back(reading_of("load_cpu", "percent", Value::of(kPercent * cpu_ns / elapsed_ns)));
  const bool is_counted = load_.kind == work::LoadKind::memory;
  result.readings.push_back(
      reading_of("load_memory", "bytes/s",
                 is_counted ? Value::of(1e9 * static_cast<double>(end_->bytes - begin_->bytes) / elapsed_ns)
                            : Value::unknown("only a load of memory counts the bytes that it moves")));
  for (const samples::Reading& wait : probe::waits_between(begin_->counters, end_->counters)) {
    if (wait.quantity != "other_cpu") continue;
    const auto own = std::find_if(result.readings.begin(), result.readings.end(), [](const auto& reading) {
      return reading.quantity == "other_cpu" && reading.moment == "timed";
    });
    if (own == result.readings.end()) continue;
    own->value = wait.value;
    const double of_load = kPercent * cpu_ns / elapsed_ns / static_cast<double>(all_cpus_.size());
    if (own->value.value) own->value.value = std::max(*own->value.value - of_load, 0.0);
  }
}

}  // namespace ngb::agent
