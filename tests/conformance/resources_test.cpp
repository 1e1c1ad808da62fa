// SPDX-License-Identifier: Apache-2.0
// Native compilers called in a process of the test's own, many times over: nothing is left behind.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "case.h"
#include "worker/inputs.h"
#include "worker/plugin.h"
#include "worker/plugin_session.h"
#include "worker_process.h"

namespace ngb::conformance {
namespace {

struct Rounds {
  int all = 50;
  int settled = 10;  // by then every lazily made thing has been made
};
constexpr Rounds kFewRounds{8, 4};

struct Holdings {
  std::int64_t resident_bytes = 0;
  std::int64_t descriptors = 0;
  std::int64_t threads = 0;
};

std::int64_t entries_of(const char* folder) {
  std::int64_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

Holdings holdings() {
  std::istringstream pages(file::read("/proc/self/statm").value_or("0 0"));
  std::int64_t total = 0;
  std::int64_t resident = 0;
  pages >> total >> resident;
  return {resident * ::sysconf(_SC_PAGESIZE), entries_of("/proc/self/fd"), entries_of("/proc/self/task")};
}

Problem one_round(const ngb_compiler& table, const work::WorkerRequest& request) {
  const Result<worker::Inputs> inputs = worker::Inputs::make(request.model.inputs, 1);
  worker::Session session(table);
  auto done = session.open(request.compiler, request.place);
  if (done) done = session.compile(request.model_path, request.model);
  if (done) done = session.bind(*inputs);
  if (done) done = session.run();
  if (done && session.outputs()->empty()) return "no outputs";
  if (!done) return done.error().message;
  return std::nullopt;
}

Problem many_rounds(const CompilerUnderTest& compiler) {
  const Rounds rounds = compiler.compiles_slowly() ? kFewRounds : Rounds{};
  const TemporaryFolder scratch;
  work::WorkerRequest request = make_request(compiler, conv_model(), scratch);
  request.compiler.threads = 2;
  const Result<const ngb_compiler*> table = worker::open_plugin(compiler.plugin());
  if (!table) return table.error().text();
  Holdings settled;
  for (int round = 1; round <= rounds.all; ++round) {
    if (Problem problem = one_round(**table, request)) return problem;
    if (round == rounds.settled) settled = holdings();
  }
  const Holdings now = holdings();
  const std::int64_t grown_bytes = now.resident_bytes - settled.resident_bytes;
  std::fprintf(stderr, "%d rounds: memory %+ld KiB since round %d, %ld descriptors, %ld threads\n", rounds.all,
               static_cast<long>(grown_bytes / 1024), rounds.settled, static_cast<long>(now.descriptors),
               static_cast<long>(now.threads));
  if (now.descriptors != settled.descriptors) {
    return fmt::format("{} descriptors, {} in round {}", now.descriptors, settled.descriptors, rounds.settled);
  }
  if (now.threads != settled.threads) {
    return fmt::format("{} threads, {} in round {}", now.threads, settled.threads, rounds.settled);
  }
  constexpr std::int64_t kAllowedBytes = 4 << 20;  // 100 KiB a round would be a leak of the smallest model
  if (grown_bytes > kAllowedBytes) return fmt::format("{} bytes more since round {}", grown_bytes, rounds.settled);
  return std::nullopt;
}

// In a child, so that one compiler's threads and memory are not the next one's.
Problem in_child(const std::function<Problem()>& body) {
  constexpr std::size_t kBytes = 4096;
  auto* said = static_cast<char*>(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const pid_t pid = ::fork();
  if (pid == 0) {
    const Problem problem = body();
    if (problem) std::strncpy(said, problem->c_str(), kBytes - 1);
    ::_exit(problem ? 1 : 0);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  const std::string text = said;
  ::munmap(said, kBytes);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
  if (!text.empty()) return text;
  return fmt::format("the process ended with wait status {}", status);
}

}  // namespace

class NativeConformance : public Conformance {};

TEST_P(NativeConformance, LeavesNothingBehindInManyRounds) {
  judge(GetParam(), [] { return in_child([] { return many_rounds(GetParam()); }); });
}

TEST_P(NativeConformance, SurvivesBeingClosedAtAnyPoint) {
  judge(GetParam(), [] {
    return in_child([]() -> Problem {
      const TemporaryFolder scratch;
      const work::WorkerRequest request = make_request(GetParam(), conv_model(), scratch);
      const Result<const ngb_compiler*> table = worker::open_plugin(GetParam().plugin());
      if (!table) return table.error().text();
      (*table)->close(nullptr);
      const Result<worker::Inputs> inputs = worker::Inputs::make(request.model.inputs, 1);
      for (int steps = 1; steps <= 4; ++steps) {
        worker::Session session(**table);
        auto done = session.open(request.compiler, request.place);
        if (done && steps >= 2) done = session.compile(request.model_path, request.model);
        if (done && steps >= 3) done = session.bind(*inputs);
        if (done && steps >= 4) done = session.run();
        if (!done) return done.error().message;
      }
      return std::nullopt;
    });
  });
}

std::string native_name_of(const testing::TestParamInfo<CompilerUnderTest>& info) { return test_name(info.param); }
INSTANTIATE_TEST_SUITE_P(Compilers, NativeConformance, testing::ValuesIn(native_compilers_under_test()),
                         native_name_of);

}  // namespace ngb::conformance
