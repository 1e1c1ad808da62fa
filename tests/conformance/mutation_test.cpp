// SPDX-License-Identifier: Apache-2.0
// Damaged ONNX files, a thousand where compiling is quick: each ends in an error value or in success, at worst in a
// crash of the process that compiles it, which costs one attempt and is recorded as such. Here each batch has a process
// of its own; when it dies, the next one goes on behind the file that did it.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <random>

#include "case.h"
#include "worker/inputs.h"
#include "worker/plugin.h"
#include "worker/plugin_session.h"
#include "worker_process.h"

namespace ngb::conformance {
namespace {

struct Effort {
  int files = 1000;
  unsigned seconds_per_file = 5;  // a whole file takes some 10 ms
};
constexpr Effort kLessEffort{6, 120};  // or some seconds
constexpr int kMaxFiles = Effort{}.files;

Effort effort_for(const CompilerUnderTest& compiler) { return compiler.compiles_slowly() ? kLessEffort : Effort{}; }

constexpr rlim_t kMemoryBytes = rlim_t{8} << 30U;
constexpr int kNotReached = -1;
constexpr int kSucceeded = 100;  // beside the failure kinds

struct Shared {
  int next = 0;  // the file that is being compiled
  int endings[kMaxFiles]{};
};

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t limit) { return static_cast<std::size_t>(random()) % limit; }

template <class T>
T& any_of(std::vector<T>& values, Random& random) {
  return values[below(random, values.size())];
}

std::string damage_bytes(std::string bytes, Random& random) {
  const std::size_t begin = below(random, bytes.size());
  switch (below(random, 6)) {
    case 0:  // cut off
      bytes.resize(begin);
      break;
    case 1:  // a piece missing
      bytes.erase(begin, 1 + below(random, 16));
      break;
    case 2:  // a piece twice
      bytes.insert(begin, bytes.substr(begin, 1 + below(random, 32)));
      break;
    case 3: {  // a run of ones
      const std::size_t end = std::min(bytes.size(), begin + 1 + below(random, 8));
      std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(begin), bytes.begin() + static_cast<std::ptrdiff_t>(end),
                '\xff');
      break;
    }
    default:  // a few bytes changed
      for (std::size_t count = 1 + below(random, 4); count > 0; --count) {
        bytes[below(random, bytes.size())] = static_cast<char>(below(random, 256));
      }
  }
  return bytes;
}

std::int64_t odd_number(Random& random) {
  constexpr std::int64_t kNumbers[] = {0, -1, 1, 2, 7, 1000, 1LL << 31, 1LL << 40, INT64_MIN, INT64_MAX};
  return kNumbers[below(random, std::size(kNumbers))];
}

// A file that any reader takes for ONNX, with something wrong inside.
std::string damage_graph(TinyOnnx model, Random& random) {
  constexpr const char* kOperations[] = {"Add",  "Conv", "MatMul", "Relu", "Reshape",  "Gather", "Concat",
                                         "Loop", "If",   "Slice",  "Tile", "Nonesuch", "",       "ConvTranspose"};
  Node& node = any_of(model.nodes, random);
  switch (below(random, 9)) {
    case 0:
      node.operation = kOperations[below(random, std::size(kOperations))];
      break;
    case 1:  // an input from elsewhere, a cycle maybe
      any_of(node.inputs, random) = any_of(any_of(model.nodes, random).outputs, random);
      break;
    case 2:
      any_of(node.inputs, random) = below(random, 2) == 0 ? "" : "nowhere";
      break;
    case 3:
      node.inputs.resize(below(random, 4), "input");
      break;
    case 4:
      node.int_lists = {{"kernel_shape", {odd_number(random), odd_number(random)}}, {"pads", {odd_number(random)}}};
      break;
    case 5:
      if (!model.initializers.empty()) any_of(model.initializers, random).shape = {odd_number(random), 3};
      break;
    case 6:
      any_of(model.outputs, random).shape = {odd_number(random), odd_number(random)};
      break;
    case 7:
      // An opset far from any that exists keeps some readers searching for a long time: few of those.
      model.opset = below(random, 8) == 0 ? odd_number(random) : static_cast<std::int64_t>(below(random, 60));
      break;
    default:
      model.nodes.push_back(node);
  }
  return serialize(model);
}

std::string damage(const TinyModel& model, int file) {
  Random random(static_cast<unsigned>(file) + 1);
  return file % 2 == 0 ? damage_graph(model.onnx, random) : damage_bytes(serialize(model.onnx), random);
}

// Weights are most of a file's bytes and hardly ever matter: small ones leave more hits for the structure.
const std::vector<TinyModel>& seeds() {
  static const std::vector<TinyModel> models = {add_model(), matmul_model(), conv_model(), two_by_two_model(),
                                                dynamic_output_model()};
  return models;
}

int ending_of(const ngb_compiler& table, const work::WorkerRequest& request) {
  const Result<worker::Inputs> inputs = worker::Inputs::make(request.model.inputs, 1);
  worker::Session session(table);
  auto done = session.open(request.compiler, request.place);
  if (done) done = session.compile(request.model_path, request.model);
  if (done) done = session.bind(*inputs);
  if (done) done = session.run();
  if (!done) return static_cast<int>(done.error().kind);
  const auto outputs = session.outputs();
  return outputs ? kSucceeded : static_cast<int>(outputs.error().kind);
}

// Goes on from shared.next to the end, or dies on the way.
[[noreturn]] void compile_the_rest(const CompilerUnderTest& compiler, const TemporaryFolder& scratch, Shared& shared) {
  const Effort effort = effort_for(compiler);
  const struct rlimit memory{kMemoryBytes, kMemoryBytes};
  ::setrlimit(RLIMIT_AS, &memory);
  const struct rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  // The compilers complain at length.
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, 1);
  ::dup2(nowhere, 2);
  const Result<const ngb_compiler*> table = worker::open_plugin(compiler.plugin());
  if (!table) ::_exit(1);
  std::vector<work::WorkerRequest> requests;
  for (const TinyModel& seed : seeds()) requests.push_back(make_request(compiler, seed, scratch));
  for (; shared.next < effort.files; ++shared.next) {
    const std::size_t seed = static_cast<std::size_t>(shared.next / 2) % seeds().size();
    const std::string name = fmt::format("{}.onnx", shared.next);
    requests[seed].model_path = scratch.write(name, damage(seeds()[seed], shared.next)).string();
    ::alarm(effort.seconds_per_file);
    shared.endings[shared.next] = ending_of(**table, requests[seed]);
    ::alarm(0);
    std::filesystem::remove(requests[seed].model_path);
  }
  ::_exit(0);
}

Problem compile_all(const CompilerUnderTest& compiler) {
  const Effort effort = effort_for(compiler);
  const TemporaryFolder scratch;
  auto* shared =
      static_cast<Shared*>(::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::fill(std::begin(shared->endings), std::end(shared->endings), kNotReached);
  std::map<std::string, int> tally;
  while (shared->next < effort.files) {
    const pid_t pid = ::fork();
    if (pid == 0) compile_the_rest(compiler, scratch, *shared);
    int status = 0;
    ::waitpid(pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 1) return "the plugin does not open";
    if (shared->next >= effort.files) break;
    const bool was_slow = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    const std::string how = was_slow              ? fmt::format("took more than {} s", effort.seconds_per_file)
                            : WIFSIGNALED(status) ? fmt::format("crash, signal {}", WTERMSIG(status))
                                                  : fmt::format("exit {}", WEXITSTATUS(status));
    ++tally[how];
    std::fprintf(stderr, "file %d: %s\n", shared->next, how.c_str());
    ++shared->next;
  }
  for (const int ending : shared->endings) {
    if (ending == kNotReached) continue;
    ++tally[ending == kSucceeded ? "success" : std::string(name(static_cast<samples::FailureKind>(ending)))];
  }
  ::munmap(shared, sizeof(Shared));
  int total = 0;
  for (const auto& [how, count] : tally) {
    std::fprintf(stderr, "%6d  %s\n", count, how.c_str());
    total += count;
  }
  if (total != effort.files) return fmt::format("{} endings of {} files", total, effort.files);
  // Damage must be seen as damage: an internal error is one that nobody understood.
  if (tally["internal"] > effort.files / 10) return fmt::format("{} internal errors", tally["internal"]);
  return std::nullopt;
}

}  // namespace

TEST_P(Conformance, EndsDamagedModelsInAValue) {
  judge(GetParam(), [] { return compile_all(GetParam()); });
}

std::string name_of(const testing::TestParamInfo<CompilerUnderTest>& info) { return test_name(info.param); }
INSTANTIATE_TEST_SUITE_P(Compilers, Conformance, testing::ValuesIn(native_compilers_under_test()), name_of);

}  // namespace ngb::conformance
