// SPDX-License-Identifier: Apache-2.0
#include "samples/sense.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "samples/delivery_messages.h"
#include "samples/process_numbers.h"

namespace ngb::samples {
namespace {

constexpr std::size_t kLongestName = 4096;       // bytes
constexpr std::size_t kLongestText = 1U << 20U;  // bytes, of a message with a compiler's output
constexpr std::size_t kLongestList = 10'000;     // of phases, readings, facts, …
constexpr std::size_t kMostRepetitions =
    10'000'000;  // ten times the most that a study may ask for, because of those before the steady part
constexpr std::uint32_t kMostInstances = 1024;                            // as in config/keys/study_keys.cpp
constexpr std::size_t kMostLatencies = 1'000'000;                         // five times the most that a worker keeps
constexpr std::int64_t kMostNs = 10LL * 366 * 24 * 3600 * 1'000'000'000;  // ten years, longer than any process
constexpr std::uint64_t kMostStored = std::numeric_limits<std::int64_t>::max();

constexpr std::array<std::string_view, 5> kStopReasons{"", "repetitions", "half_width", "max_repetitions", "max_time"};
constexpr std::array<std::string_view, 9> kMoments{"start", "end",          "timed",      "alone", "during",
                                                   "after", kInferenceMark, kSessionMark, kShape};

// The name of what is checked, in two parts that are joined in a message only: {"phases: wall_ns of ", "compile"}.
struct Name {
  // A name may be one text.
  Name(const char* text) : begin(text) {}
  Name(std::string_view text) : begin(text) {}
  Name(std::string_view first, std::string_view last) : begin(first), end(last) {}
  [[nodiscard]] std::string text() const { return fmt::format("{}{}", begin, end); }

  std::string_view begin;
  std::string_view end{};
};

// Checks values one after the other and keeps the first error. What makes sense costs no allocation: a large results
// file is checked whenever it is read.
class Sense {
 public:
  template <class T>
  Sense& within(Name field, T value, T least, T most) {
    if (value >= least && value <= most) return *this;
    return refuse(fmt::format("{} is {}, expected {} to {}", field.text(), value, least, most));
  }
  Sense& duration(Name field, std::int64_t value_ns, std::int64_t least = 0) {
    return within(field, value_ns, least, kMostNs);
  }
  Sense& length(Name field, std::size_t length, std::size_t most) {
    if (length <= most) return *this;
    return refuse(fmt::format("{} has a length of {}, expected at most {}", field.text(), length, most));
  }
  template <class Words>
  Sense& word(Name field, std::string_view value, const Words& words) {
    if (std::find(words.begin(), words.end(), value) != words.end()) return *this;
    return refuse(fmt::format("{} is \"{}\", expected one of: {}", field.text(), value.substr(0, kShown),
                              fmt::join(words.begin(), words.end(), ", ")));
  }
  Sense& holds(bool condition, Name field, std::string_view value, std::string_view expected) {
    if (condition) return *this;
    return refuse(fmt::format("{} is \"{}\", expected {}", field.text(), value.substr(0, kShown), expected));
  }
  Sense& finite(Name field, double value) {
    return std::isfinite(value) ? *this : holds(false, field, fmt::format("{}", value), "a finite number");
  }
  template <class T>
  Sense& known(Name field, const Known<T>& value, T least, T most) {
    if (value.value) return within(field, *value.value, least, most);
    return length(field, value.reason.size(), kLongestName);
  }

  [[nodiscard]] Status result() const { return wrong_.empty() ? Status{} : fail(wrong_); }

 private:
  static constexpr std::size_t kShown = 100;

  Sense& refuse(std::string what) {
    if (wrong_.empty()) wrong_ = std::move(what);
    return *this;
  }

  std::string wrong_{};
};

bool is_hash(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

void add_lengths(Sense& sense, const ProcessResult& result) {
  sense.length("phases", result.phases.size(), kLongestList)
      .length("repetitions", result.repetitions.size(), kMostRepetitions)
      .length("readings", result.readings.size(), kLongestList)
      .length("facts", result.facts.size(), kLongestList)
      .length("environment_hash", result.environment_hash.size(), kLongestName);
  using With = samples::Provenance;
  for (std::string With::* const hash : {&With::manifest_sha256, &With::worker_sha256, &With::package_sha256,
                                         &With::plugin_sha256, &With::exporter_sha256, &With::files_sha256,
                                         &With::model_sha256, &With::reference_key, &With::reference_sha256}) {
    sense.length("made_with", (result.made_with.*hash).size(), kLongestName);
  }
  for (const auto& [name, value] : result.facts) {
    sense.length("facts: a name", name.size(), kLongestName).length({"facts: ", name}, value.size(), kLongestText);
  }
}

void add_times(Sense& sense, const ProcessResult& result) {
  // A failed process may have taken no time, because no worker was started for it.
  sense.duration("wall_ns", result.wall_ns, result.failure ? 0 : 1)
      .within<std::int64_t>("started_unix_ns", result.started_unix_ns, 0, std::numeric_limits<std::int64_t>::max());
  for (const PhaseUse& use : result.phases) {
    const std::string_view phase = name(use.phase);
    sense.duration({"phases: wall_ns of ", phase}, use.wall_ns)
        .duration({"phases: started_ns of ", phase}, use.started_ns.value_or(0))
        .known<std::int64_t>({"phases: cpu_ns of ", phase}, use.cpu_ns, 0, std::numeric_limits<std::int64_t>::max())
        .known<std::uint64_t>({"phases: peak_rss_bytes of ", phase}, use.peak_rss_bytes, 0, kMostStored);
  }
  for (const Repetition& repetition : result.repetitions) {
    sense.duration("repetitions: wall_ns", repetition.wall_ns, 1)
        .duration("repetitions: started_ns", repetition.started_ns.value_or(0))
        .within<std::uint32_t>("repetitions: inferences", repetition.inferences, 1,
                               std::numeric_limits<std::uint32_t>::max())
        .within<std::uint32_t>("repetitions: instance", repetition.instance, 0, kMostInstances - 1);
  }
}

void add_latencies(Sense& sense, const ProcessResult& result) {
  std::size_t count = 0;
  sense.length("latencies_ns", result.latencies_ns.size(), result.repetitions.size());
  for (const std::vector<std::int64_t>& of_repetition : result.latencies_ns) {
    count += of_repetition.size();
    for (const std::int64_t latency_ns : of_repetition) sense.duration("latencies_ns", latency_ns);
  }
  sense.length("latencies_ns: values", count, kMostLatencies);
}

void add_check(Sense& sense, const Check& check) {
  constexpr double kMost = std::numeric_limits<double>::infinity();
  sense.length("check: reference", check.reference.size(), kLongestName)
      .within<std::uint64_t>("check: compared_elements", check.compared_elements, 0, kMostStored)
      .known<double>("check: max_absolute_error", check.max_absolute_error, 0, kMost)
      .known<double>("check: max_relative_error", check.max_relative_error, 0, kMost)
      .length("check: tolerance", check.tolerance.size(), kLongestName)
      .length("check: reference_reason", check.reference_reason.size(), kLongestText)
      .length("check: output_change", check.output_change.size(), kLongestText);
}

void add_agreement(Sense& sense, const std::vector<InputAgreement>& inputs) {
  constexpr std::size_t kMostInputs = 200'000;  // as many as a study may ask for, and what fills the last batch
  constexpr double kMost = std::numeric_limits<double>::max();
  sense.length("agreement", inputs.size(), kMostInputs);
  for (const InputAgreement& each : inputs) {
    sense.within<double>("agreement: sqnr_db", each.sqnr_db.value_or(0), -kMost, kMost)
        .within<double>("agreement: cosine", each.cosine.value_or(0), -1, 1)
        .within<double>("agreement: max_absolute_error", each.max_absolute_error.value_or(0), 0, kMost)
        .within<int>("agreement: label_rank", each.label_rank.value_or(1), 1, std::numeric_limits<int>::max());
  }
}

void add_failure(Sense& sense, const Failure& failure) {
  sense.length("failure: message", failure.message.size(), kLongestText)
      .length("failure: advice", failure.advice.size(), kLongestText)
      .within("failure: signal", failure.signal.value_or(1), 1, 128)
      .within("failure: exit_code", failure.exit_code.value_or(0), -1, 255);
}

void add_readings(Sense& sense, const ProcessResult& result) {
  for (const Reading& reading : result.readings) {
    sense.length("readings: quantity", reading.quantity.size(), kLongestName)
        .length("readings: unit", reading.unit.size(), kLongestName)
        .word("readings: moment", reading.moment, kMoments)
        .duration("readings: at_ns", reading.at_ns.value_or(0))
        .length("readings: unknown", reading.value.reason.size(), kLongestName);
    if (reading.value.value) sense.finite("readings: value", *reading.value.value);
  }
}

void add_neighbours(Sense& sense, const ProcessResult& result) {
  sense.length("neighbours", result.neighbours.size(), kLongestList);
  for (const Neighbour& neighbour : result.neighbours) {
    sense.length("neighbours: name", neighbour.name.size(), kLongestName)
        .within<std::int64_t>("neighbours: pid", neighbour.pid, 1, std::numeric_limits<std::int32_t>::max())
        .within<std::int64_t>("neighbours: cpu_ns", neighbour.cpu_ns, 0, std::numeric_limits<std::int64_t>::max());
  }
}

void add_profile(Sense& sense, const KernelProfile& profile) {
  constexpr std::size_t kMost = kMostKernels;  // also names of one kernel or node
  constexpr std::array<std::string_view, 7> kFoundBy{"",        "tensor name", "node name", "location", "module path",
                                                     "weights", "order"};
  const auto time = [&sense](Name field, double value_ns) {
    sense.finite(field, value_ns).within<double>(field, value_ns, 0, static_cast<double>(kMostNs));
  };
  const auto names = [&sense](Name field, const std::vector<std::string>& list) {
    sense.length(field, list.size(), kMost);
    for (const std::string& each : list) sense.length(field, each.size(), kLongestName);
  };
  sense.length("profile: graph", profile.graph.size(), kMost)
      .length("profile: kernels", profile.kernels.size(), kMost)
      .within<std::size_t>("profile: times of kernels", profile.kernel_ns.size(), profile.kernels.size(),
                           profile.kernels.size())
      .within<std::size_t>("profile: least times of kernels", profile.least_ns.size(),
                           profile.least_ns.empty() ? 0 : profile.kernels.size(), profile.kernels.size())
      .within<std::uint64_t>("profile: inferences", profile.inferences, 1, kMostStored);
  time("profile: profiled_ns", profile.profiled_ns);
  time("profile: plain_ns", profile.plain_ns);
  for (const double each : profile.kernel_ns) time("profile: kernel_ns", each);
  for (const double each : profile.least_ns) time("profile: least_ns", each);
  for (const work::GraphNode& node : profile.graph) {
    sense.length("profile: name of a node", node.name.size(), kLongestName)
        .length("profile: type of a node", node.type.size(), kLongestName);
    names("profile: inputs of a node", node.inputs);
    names("profile: outputs of a node", node.outputs);
    sense.within<std::size_t>("profile: input_bytes of a node", node.input_bytes.size(), 0, node.inputs.size())
        .within<std::size_t>("profile: output_bytes of a node", node.output_bytes.size(), 0, node.outputs.size());
  }
  for (const Kernel& kernel : profile.kernels) {
    sense.length("profile: name of a kernel", kernel.name.size(), kLongestName)
        .length("profile: kind of a kernel", kernel.kind.size(), kLongestName)
        .word("profile: found_by of a kernel", kernel.found_by, kFoundBy);
    names("profile: nodes of a kernel", kernel.nodes);
    names("profile: outputs of a kernel", kernel.outputs);
  }
}

void add_tensors(Sense& sense, std::string_view field, const std::vector<TensorSignature>& tensors) {
  sense.length(field, tensors.size(), kLongestList);
  for (const TensorSignature& tensor : tensors) {
    sense.length({field, ": name"}, tensor.name.size(), kLongestName)
        .length({field, ": shape"}, tensor.shape.size(), 64);
  }
}

}  // namespace

Status check_sense(const ProcessResult& result, const Asked& asked) {
  Sense sense;
  sense.within("process_index", result.process_index, 0, asked.planned_processes - 1)
      .within("attempt", result.attempt, 1, asked.attempts)
      .word("stop_reason", result.stop_reason, kStopReasons)
      .known<int>("threads_used", result.threads_used, 0, 1'000'000);
  if (result.threads) sense.within("threads", *result.threads, 1, 1'000'000);
  add_times(sense, result);
  add_latencies(sense, result);
  add_lengths(sense, result);
  add_readings(sense, result);
  add_neighbours(sense, result);
  if (result.check) add_check(sense, *result.check);
  add_agreement(sense, result.agreement);
  if (result.failure) add_failure(sense, *result.failure);
  if (result.profile) add_profile(sense, *result.profile);
  sense.holds(result.failure || !result.repetitions.empty(), "repetitions", "empty",
              "at least one of a completed process");
  sense.holds(result.log_path.empty() || is_path_within(result.log_path), "log_path", result.log_path,
              "a path below the work folder");
  return sense.result();
}

Status check_sense(const ModelWritten& model) {
  Sense sense;
  sense.length("model.hash", model.model.hash.size(), kLongestName)
      .within("model.batch", model.model.batch, 1, std::numeric_limits<int>::max())
      .length("no_file_reason", model.no_file_reason.size(), kLongestText)
      .duration("wall_ns", model.wall_ns);
  if (model.no_file_reason.empty()) {
    sense.holds(is_hash(model.file_sha256), "file_sha256", model.file_sha256, "64 hexadecimal digits")
        .within<std::uint64_t>("file_bytes", model.file_bytes, 1, kMostStored);
  } else {
    sense.holds(model.file_sha256.empty(), "file_sha256", model.file_sha256, "none of a model without a file")
        .within<std::uint64_t>("file_bytes", model.file_bytes, 0, 0);
  }
  const bool is_exporter = model.exporter.empty() || model.exporter == "tracing" || model.exporter == "dynamo";
  sense.holds(is_exporter, "exporter", model.exporter, "tracing, dynamo or none");
  add_tensors(sense, "inputs", model.inputs);
  add_tensors(sense, "open_inputs", model.open_inputs);
  return sense.result();
}

Status check_sense(const Environment& environment) {
  Sense sense;
  sense.length("entries", environment.entries.size(), kLongestList);
  for (const EnvironmentEntry& entry : environment.entries) {
    sense.holds(!entry.name.empty(), "entries: name", entry.name, "a name")
        .length("entries: name", entry.name.size(), kLongestName)
        .length("entries: unit", entry.unit.size(), kLongestName)
        .length("entries: value", entry.value.value.value_or("").size(), kLongestText)
        .length("entries: unknown", entry.value.reason.size(), kLongestName);
  }
  return sense.result();
}

}  // namespace ngb::samples
