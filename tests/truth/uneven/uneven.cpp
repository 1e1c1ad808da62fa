// SPDX-License-Identifier: Apache-2.0
// A compiler for tests only, whose outputs are its inputs. Its inferences take given times, and it keeps a log of its
// own of when each began and ended, so that what ngb says of them can be held against a count. Those of a table are
// made up.
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "compiler_json.h"
#include "ngraphbench/plugin.h"

namespace {

constexpr std::int64_t kNsPerS = 1'000'000'000;
constexpr std::int64_t kNsPerUs = 1000;
constexpr std::size_t kMostLogged = 1 << 20;  // room is made before anything is timed

std::int64_t now_ns(clockid_t clock) {
  struct timespec now{};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * kNsPerS + now.tv_nsec;
}

std::size_t process_index() {
  const char* const index = std::getenv("NGB_PROCESS_INDEX");
  return index == nullptr ? 0 : std::strtoul(index, nullptr, 10);
}

// Returns the time in the table for this process and a first input of so many bytes.
std::int64_t time_in_table(const std::string& path, std::uint64_t bytes) {
  std::ifstream table(path);
  std::uint64_t of_bytes = 0;
  std::size_t of_process = 0;
  std::int64_t time_us = 0;
  while (table >> of_bytes >> of_process >> time_us) {
    if (of_bytes == bytes && of_process == process_index()) return kNsPerUs * time_us;
  }
  throw ngb::plugin::Failure(NGB_INTERNAL, path + " has no line for an input of " + std::to_string(bytes) + " bytes");
}

// Returns the times of this process: the list at its index, beginning anew behind the last list.
std::vector<std::int64_t> times_of_this_process(const std::string& text) {
  std::vector<std::string> lists;
  std::istringstream of_processes(text);
  for (std::string list; std::getline(of_processes, list, ';');) lists.push_back(list);
  std::vector<std::int64_t> times_ns;
  std::istringstream numbers(lists.empty() ? "0" : lists[process_index() % lists.size()]);
  for (std::string number; std::getline(numbers, number, ',');) {
    times_ns.push_back(kNsPerUs * std::strtoll(number.c_str(), nullptr, 10));
  }
  return times_ns;
}

class Session {
 public:
  Session(const ngb_settings& /*settings*/, const ngb::plugin::Options& options) {
    table_ = options.text("table");
    if (table_.empty()) times_ns_ = times_of_this_process(options.text("times_us"));
    busy_percent_ = options.integer("busy_percent");
    log_ = options.text("log");
    if (!log_.empty()) spans_.reserve(kMostLogged);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    if (log_.empty()) return;
    std::ofstream file(log_ + "/" + std::to_string(::getpid()));
    for (const auto& [begin_ns, end_ns] : spans_) file << begin_ns << ' ' << end_ns << '\n';
  }

  void compile(const ngb_model& model) const { std::ofstream(model.artifact_path) << "uneven\n"; }
  void load(const ngb_model& /*model*/) const {}
  void bind(const ngb_tensor* inputs, std::uint32_t count) {
    inputs_.assign(inputs, inputs + count);
    if (table_.empty() || !times_ns_.empty()) return;
    times_ns_ = {time_in_table(table_, inputs_.at(0).size_bytes)};
    facts_.emplace_back("made_up_ns", std::to_string(times_ns_.front()));
  }
  [[nodiscard]] std::size_t output_count() const { return inputs_.size(); }
  [[nodiscard]] ngb_tensor read(std::uint32_t index) const { return inputs_.at(index); }
  [[nodiscard]] const ngb::plugin::Facts& facts() const { return facts_; }

  // Uses a processor for its share of the time, and sleeps for the rest.
  void run() {
    if (!table_.empty()) return;  // its times are made up
    const std::int64_t begin_ns = now_ns(CLOCK_MONOTONIC);
    const std::int64_t time_ns = times_ns_[next_++ % times_ns_.size()];
    const std::int64_t idle_from_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) + time_ns * busy_percent_ / 100;
    while (busy_percent_ > 0 && now_ns(CLOCK_THREAD_CPUTIME_ID) < idle_from_ns) {
    }
    const std::int64_t end_ns = begin_ns + time_ns;
    const struct timespec end{.tv_sec = end_ns / kNsPerS, .tv_nsec = end_ns % kNsPerS};
    ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr);
    if (spans_.size() < spans_.capacity()) spans_.emplace_back(begin_ns, now_ns(CLOCK_MONOTONIC));
  }

 private:
  std::vector<std::int64_t> times_ns_{};
  std::size_t next_ = 0;
  std::int64_t busy_percent_ = 0;
  std::string table_{};
  std::string log_{};
  std::vector<std::pair<std::int64_t, std::int64_t>> spans_{};
  std::vector<ngb_tensor> inputs_{};
  ngb::plugin::Facts facts_{{"version", "1"}, {"device", "cpu"}, {"precision", "f32"}, {"threads", "1"}};
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const ngb_compiler* ngb_compiler_table() {
  static const ngb_compiler table = ngb::plugin::native_plugin<Session, kCompilerJson>();
  return &table;
}
