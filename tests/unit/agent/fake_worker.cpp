// SPDX-License-Identifier: Apache-2.0
// A worker that does no work and behaves as its options say: {"behave", word}. With {"on", "process:attempt"} it
// behaves so only in that process, with {"on", ":attempt"} in that attempt of every process. {"walls_us", "30,31"}: how
// long the repetitions of process 0, 1, … take. Results are the same in every run.
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/hash.h"
#include "base/json_text.h"
#include "samples/codec.h"
#include "samples/frame.h"
#include "samples/process_result.h"
#include "samples/progress_page.h"
#include "samples/worker_signal.h"
#include "work/job.h"

namespace {

using namespace ngb;
using samples::Phase;
using work::WorkerRequest;

samples::ProgressPage* page = nullptr;

void enter(Phase phase) { page->phase.store(static_cast<std::int32_t>(phase)); }

void sleep_ms(int count) { std::this_thread::sleep_for(std::chrono::milliseconds(count)); }

std::string option(const WorkerRequest& request, const std::string& name) {
  for (const auto& [key, value] : request.compiler.options) {
    if (key == name) return value;
  }
  return {};
}

bool is_meant(const WorkerRequest& request) {
  const std::string on = option(request, "on");
  const std::string attempt = ":" + std::to_string(request.attempt);
  return on.empty() || on == attempt || on == std::to_string(request.process_index) + attempt;
}

// Returns how long each repetition of the process takes; nothing if the options do not say.
std::optional<std::int64_t> wall_ns(const WorkerRequest& request) {
  std::istringstream walls(option(request, "walls_us"));
  std::string word;
  for (int process = 0; std::getline(walls, word, ','); ++process) {
    if (process == request.process_index) return std::stoll(word) * 1000;
  }
  return std::nullopt;
}

samples::ProcessResult result_of(const WorkerRequest& request) {
  samples::ProcessResult result;
  result.cell_id = request.cell_id;
  result.process_index = request.process_index;
  result.attempt = request.attempt;
  result.stop_reason = "repetitions";
  result.threads_used = Known<int>::of(1);
  result.phases.push_back({Phase::start, 1, Known<std::int64_t>::of(1), Known<std::uint64_t>::of(1)});
  for (int i = 0; i < work::most_repetitions(request.protocol); ++i) {
    result.repetitions.push_back({wall_ns(request).value_or(1'000'000 + 1000 * request.process_index + i), 1, i == 0});
  }
  for (const char* name : {"NGB_PROCESS_INDEX", "NGB_ATTEMPT", "OMP_NUM_THREADS", "OMP_PROC_BIND",
                           "NVIDIA_TF32_OVERRIDE", "CUDA_CACHE_PATH", "ONEDNN_MAX_CPU_ISA", "LD_LIBRARY_PATH"}) {
    if (const char* value = std::getenv(name)) result.facts[name] = value;
  }
  result.facts["finds_litter"] = ::access("left-behind", F_OK) == 0 ? "yes" : "no";
  result.facts["reference_path"] = request.reference_path;
  result.facts["reference"] = request.reference_path.empty() ? "none" : request.reference_name;
  result.facts["reference_reason"] = request.reference_reason;
  return result;
}

void deliver(const std::string& bytes) {
  if (!file::write_all(samples::kResultFd, bytes, "result")) std::exit(9);
}

void deliver(const samples::ProcessResult& result) { deliver(samples::frame(work::write_json(result).dump())); }

// Does what signal_and_wait of worker/pauses.h does.
void tell_agent(std::string_view signal) {
  deliver(samples::frame(signal));
  const std::size_t expected = samples::kFrameHeaderBytes + samples::kGoOn.size();
  std::string answer(expected, '\0');
  for (std::size_t have = 0; have < expected;) {
    const ssize_t count = ::read(samples::kRequestFd, answer.data() + have, expected - have);
    if (count <= 0) std::exit(8);
    have += static_cast<std::size_t>(count);
  }
}

[[noreturn]] void hang() {
  for (;;) ::pause();
}

// Starts a grandchild in a session of its own, which outlives the worker and ignores every signal that can be ignored.
void leave_a_stray() {
  int ends[2];
  if (::pipe(ends) != 0) std::exit(9);
  pid_t stray = ::fork();
  if (stray == 0) {
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    ::signal(SIGTERM, SIG_IGN);
    stray = ::getpid();
    if (::write(ends[1], &stray, sizeof stray) != sizeof stray) ::_exit(9);
    hang();
  }
  if (::read(ends[0], &stray, sizeof stray) != sizeof stray) std::exit(9);
  std::printf("stray %d\n", stray);
  std::fflush(stdout);
}

void eat_memory() {
  std::vector<char*> blocks;
  for (;;) {
    constexpr std::size_t kBlockBytes = 4U << 20U;
    blocks.push_back(static_cast<char*>(std::malloc(kBlockBytes)));
    if (blocks.back() == nullptr) std::abort();
    std::memset(blocks.back(), 1, kBlockBytes);
  }
}

// Allocates memory that RLIMIT_DATA does not count.
void share_memory() {
  constexpr std::size_t kBytes = 600U << 20U;
  void* const memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::exit(9);
  std::memset(memory, 1, kBytes);
  hang();
}

// Leaves no room on the disk of the folder in which the worker runs.
void fill_disk() {
  std::ofstream filler("filler", std::ios::binary);
  while (filler << std::string(1U << 16U, 'x') << std::flush) {
  }
}

samples::ProcessResult failed(const WorkerRequest& request, samples::FailureKind kind) {
  samples::ProcessResult result = result_of(request);
  result.repetitions.clear();
  result.failure.emplace();
  result.failure->kind = kind;
  result.failure->phase = Phase::check;
  result.failure->message = "as told";
  return result;
}

void behave(const WorkerRequest& request, const std::string& word) {
  enter(Phase::compile);
  if (word == "crash") std::abort();
  if (word == "exit") std::exit(7);
  if (word == "killed") ::kill(::getpid(), SIGKILL);
  if (word == "rewrite") std::ofstream(request.model.files.at(0).path) << "changed";
  if (word == "touch")
    std::filesystem::last_write_time(request.model.files.at(0).path, std::filesystem::file_time_type::clock::now());
  if (word == "hang") hang();
  if (word == "garbage") deliver(std::string(5000, 'x'));
  if (word == "garbage") hang();
  if (word == "memory") eat_memory();
  if (word == "shared_memory") share_memory();
  if (word == "stray" || word == "stray_and_hang") leave_a_stray();
  if (word == "stray_and_hang") hang();
  if (word == "differs" && !request.reference_path.empty() &&
      request.reference_name.starts_with(option(request, "from"))) {
    return deliver(failed(request, samples::FailureKind::inaccurate));
  }
  if (word == "wrong") return deliver(failed(request, samples::FailureKind::inaccurate));
  if (word == "out_of_memory") return deliver(failed(request, samples::FailureKind::out_of_memory));
  if (word == "fill_disk") {
    fill_disk();
    return deliver(failed(request, samples::FailureKind::internal));
  }
  if (word == "disk_full") return deliver(failed(request, samples::FailureKind::disk_full));
  if (word == "chatter") {
    for (int i = 0; i < 100; ++i) std::printf("line %d of \xff\xfe chatter\n", i);
    std::fflush(stdout);
    std::abort();
  }
  if (word == "other") {
    samples::ProcessResult result = result_of(request);
    result.process_index += 1;
    return deliver(result);
  }
  if (request.has_load) tell_agent(samples::kWantsLoad);
  enter(Phase::timed);
  if (request.has_load) {
    tell_agent(samples::kBeginsTiming);
    sleep_ms(word == "long" ? 60'000 : 300);
    tell_agent(samples::kEndsTiming);
  }
  for (int turn = 0; request.protocol.turns > 1 && turn < request.protocol.turns; ++turn) {
    tell_agent(samples::kWantsTurn);
    if (word == "slow_turns") sleep_ms(400);
    if (word == "crash_in_turn") std::abort();
  }
  page->done.repetitions.store(3);
  if (word == "hang_timed") hang();
  if (word == "slow") sleep_ms(1500);
  if (word == "brief") sleep_ms(20);
  if (word == "waits") {
    samples::ProcessResult result = result_of(request);
    result.readings.push_back({"run_queue_wait", "percent", "timed", Known<double>::of(40)});
    return deliver(result);
  }
  deliver(result_of(request));
  if (word == "litter") std::ofstream("left-behind") << "cache";
  if (word == "twice") deliver(result_of(request));
  if (word == "crash_late") std::abort();
}

int write_model(int count, char** words) {
  std::string recipe;
  std::string path;
  for (int i = 2; i + 1 < count; i += 2) {
    if (std::string(words[i]) == "--recipe") recipe = words[i + 1];
    if (std::string(words[i]) == "-o") path = words[i + 1];
  }
  if (recipe == "-") recipe.assign(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
  if (recipe.find("impossible") != std::string::npos) {
    std::fprintf(stderr, "no such family\n");
    return 1;
  }
  if (recipe.find("large") != std::string::npos) {
    std::fprintf(stderr, "cannot write: No space left on device\n");
    return samples::kDiskFullExitCode;
  }
  if (recipe.find("eats_memory") != std::string::npos) eat_memory();
  if (recipe.find("shares_memory") != std::string::npos) share_memory();
  if (recipe.find("strays") != std::string::npos) leave_a_stray();
  std::ofstream(path) << recipe;
  std::printf("{\"file_bytes\":%zu}\n", recipe.size());
  return 0;
}

WorkerRequest read_request() {
  samples::FrameReader reader;
  char chunk[4096];
  for (;;) {
    const ssize_t size = ::read(samples::kRequestFd, chunk, sizeof chunk);
    if (size <= 0) std::exit(8);
    reader.feed({chunk, static_cast<std::size_t>(size)});
    const auto frame = reader.next();
    if (frame && frame->has_value()) return *work::parse_json<WorkerRequest>(json_text::parse(**frame), "request");
  }
}

}  // namespace

int main(int count, char** words) {
  if (count > 1 && std::string(words[1]) == "write-model") return write_model(count, words);
  page = static_cast<samples::ProgressPage*>(
      ::mmap(nullptr, samples::kProgressPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, samples::kProgressFd, 0));
  const WorkerRequest request = read_request();
  if (request.task == work::Task::make_references) {
    if (option(request, "behave") == "crash") std::abort();
    // The format is that of worker/reference_file.h, with the hash of "outputs".
    const std::string doubt = option(request, "doubt");
    const bool disagrees = request.unconfirmed_outputs.empty() || option(request, "agrees") == "no";
    const std::string confirmed_by = disagrees ? "" : "an earlier one";
    const std::string json = json_text::dump(nlohmann::json{{"reference", request.reference_name},
                                                            {"confirmed_by", confirmed_by},
                                                            {"doubt_kind", doubt},
                                                            {"doubt", doubt.empty() ? "" : "it is " + doubt},
                                                            {"sha256", hash::sha256("outputs")}});
    std::ofstream(request.reference_path)
        << "NGBREF05" << static_cast<char>(json.size()) << std::string(3, '\0') << json << "outputs";
    deliver(result_of(request));
    return 0;
  }
  behave(request, is_meant(request) ? option(request, "behave") : "");
  return 0;
}
