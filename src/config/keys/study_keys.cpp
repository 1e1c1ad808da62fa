// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <type_traits>

#include "config/keys/key.h"
#include "config/keys/value.h"
#include "config/sections.h"

namespace ngb::config {
namespace {

using nlohmann::json;

// Matches a label without slashes that does not begin with a dot.
constexpr const char* kFileName = R"(^[^\x00-\x20/.]([^\x00-\x1f/]{0,98}[^\x00-\x20/])?$)";
// Matches a label, or a name with a version.
constexpr const char* kBaseline = R"(^[^\x00-\x20]([^\x00-\x1f]{0,198}[^\x00-\x20])?$)";
constexpr const char* kVersion = R"(^[0-9A-Za-z][0-9A-Za-z.+!_-]{0,63}$)";

template <auto Member>
void set_member(Study& study, const json& value) {
  value.get_to(study.*Member);
}
template <auto Member>
json get_member(const Study& study) {
  return study.*Member;
}
template <auto Member>
Key scalar(const char* name, ValueType type, double minimum, double maximum, const char* meaning) {
  Key key{.name = name, .type = type, .minimum = minimum, .maximum = maximum, .meaning = meaning};
  key.set = set_member<Member>;
  key.get = get_member<Member>;
  return key;
}
Key structured(const char* name, const char* default_text, const char* meaning) {
  return {.name = name, .type = ValueType::structured, .meaning = meaning, .default_text = default_text};
}

Key threads_key_of_study() {
  Key key = threads_key();
  key.meaning =
      "Threads that inference may use, for compilers and devices that do not say otherwise. all: as many as processors "
      "that the device lets a process use; physical: as many as cores to which these belong";
  key.set = [](Study& study, const json& value) {
    work::Compiler usual;
    set_threads(usual, value, study.processors);
    study.threads = usual.threads;
    study.threads_asked = usual.threads_asked;
  };
  key.get = [](const Study& study) {
    return study.threads_asked.empty() ? json(study.threads) : json(study.threads_asked);
  };
  return key;
}

std::vector<std::string> precision_words() { return {"f32", "bf16", "f16"}; }

std::vector<Key> measurement_keys() {
  return {
      {.name = "name",
       .type = ValueType::text,
       .pattern = kFileName,
       .meaning = "Name of the study and of its results folder",
       .default_text = "the file's name without its extension",
       .set = set_member<&Study::name>,
       .get = get_member<&Study::name>},
      structured("models", "", "Models to measure, see below"),
      structured("compilers", "", "Compilers to measure, see below"),
      scalar<&Study::batch_sizes>("batch_sizes", ValueType::batches, 1, 65'536,
                                  "Samples per inference: one size, or a list without repetitions"),
      structured("devices", "[local]", "Devices to measure on, see below"),
      structured("pairs", "every compiler on every device", "Which compilers run on which device, see below"),
      threads_key_of_study(),
      scalar<&Study::instances>(
          "instances", ValueType::batches, 1, 1024,
          "Sessions at once, for throughput, each in a process of its own with as many threads and processors as "
          "`threads` says, for compilers that do not say otherwise: one number, or a list without repetitions"),
      {.name = "processors",
       .type = ValueType::processor_axis,
       .meaning =
           "Processors on which inference runs, all instances together, for compilers that do not say otherwise: "
           "a list of their numbers, numa:N, performance, efficiency, one_per_core or all; auto: as many as "
           "threads, which the device chooses. memory:N or memory:interleave behind it says where memory is "
           "([processors](processors.md)). A list of choices gives one compiler for each",
       .set = set_member<&Study::processors_asked>,
       .get = get_member<&Study::processors_asked>},
      {.name = "precision",
       .type = ValueType::word,
       .words = precision_words(),
       .meaning = "Arithmetic of inference; anything but f32 may change predictions",
       .set = set_member<&Study::precision>,
       .get = get_member<&Study::precision>},
      structured("loads", "[none]",
                 "What runs beside a cell while it is timed: each cell is measured under each, see below"),
      {.name = "allocator",
       .type = ValueType::word,
       .words = {"default", "steady"},
       .meaning =
           "Settings of the C library's allocator in the measured processes. steady: it keeps all memory that it "
           "ever had (no trimming, no mmap, growth by 64 MiB), so that inferences cause no page faults; default: it "
           "returns memory to the kernel, how often depends on the process",
       .default_text = "steady; default with `protocol: paper`",
       .set = set_member<&Study::allocator>,
       .get = get_member<&Study::allocator>},
      {.name = "order",
       .type = ValueType::word,
       .words = {"rounds", "groups"},
       .meaning = "Which processes follow one another. rounds: a round of every model and batch size, then the next "
                  "round, so that a machine that gets slower or faster meanwhile does so for all alike; groups: all "
                  "rounds of one model and batch size, then those of the next",
       .set = [](Study& study, const json& value) { study.order = *work::parse_order(value.get<std::string>()); },
       .get = [](const Study& study) { return json(work::name(study.order)); }},
      {.name = "protocol",
       .type = ValueType::word,
       .words = {"turns", "paper"},
       .meaning = "How the processes of a round are measured. turns: in turns, which tells small differences on a "
                  "machine whose speed changes; paper: one after the other, as in the paper, which is `turns: 1` and "
                  "`allocator: default`",
       .set = set_member<&Study::protocol_name>,
       .get = get_member<&Study::protocol_name>},
  };
}

std::vector<Key> reference_keys() {
  return {
      {.name = "reference",
       .type = ValueType::text,
       .pattern = kLabel,
       .meaning = "The compiler whose outputs are right, in the study or not; none: outputs are not checked",
       .set = set_member<&Study::reference>,
       .get = get_member<&Study::reference>},
      {.name = "reference_version",
       .type = ValueType::version,
       .pattern = kVersion,
       .accepts_null = true,
       .meaning = "Version of the reference",
       .default_text = "that of the study's first compiler of this name, else the compiler's default version",
       .set = [](Study& study,
                 const json& value) { study.reference_version = value.is_null() ? "" : value.get<std::string>(); },
       .get =
           [](const Study& study) { return study.reference_version.empty() ? json() : json(study.reference_version); }},
  };
}

template <auto Member>
Key of_goal(Key key) {
  key.set = [](Study& study, const json& value) {
    if (value.is_null())
      (*study.goal).*Member = Goal{}.*Member;
    else
      (*study.goal).*Member = value.get<std::remove_cvref_t<decltype(Goal{}.*Member)>>();
  };
  key.get = [](const Study& study) {
    const json value = study.goal.value_or(Goal{}).*Member;
    return value.is_array() && value.empty() ? json() : value;
  };
  return key;
}

Key goal_key() {
  Key window{.name = "window_s",
             .type = ValueType::number,
             .minimum = 0.001,
             .maximum = 1e9,
             .accepts_null = true,
             .meaning = "Seconds of the window of `samples_in_window` and `bits_in_window`: a pass of an orbit, say",
             .default_text = "none"};
  window.set = [](Study& study, const json& value) {
    study.goal->window_s = value.is_null() ? std::nullopt : std::optional(value.get<double>());
  };
  window.get = [](const Study& study) {
    return study.goal && study.goal->window_s ? json(*study.goal->window_s) : json();
  };
  return {.name = "goal",
          .type = ValueType::section,
          .accepts_null = true,
          .meaning =
              "What the study chooses a model for: the answer then says which model is the best, which may be "
              "it and which is out, each with its best compiler",
          .default_text = "none",
          .keys = {of_goal<&Goal::metric>(
                       {.name = "metric",
                        .type = ValueType::text,
                        .pattern = "^[a-z][a-z0-9_]*(:.*)?$",
                        .meaning = "The metric by which models are compared, with its margin after a colon, as "
                                   "`metric` says it; `rounds` end by it",
                        .example = "a metric such as tcr_bits_per_s"}),
                   std::move(window),
                   {.name = "at_least",
                    .type = ValueType::structured,
                    .meaning = "Amounts by metric that a setting has to have: `{throughput_per_s: 200}`"},
                   {.name = "at_most",
                    .type = ValueType::structured,
                    .meaning = "Likewise, that it may not exceed: `{timed_peak_bytes: 500 MB, latency_p99_s: 0.02}`"},
                   of_goal<&Goal::on>({.name = "on",
                                       .type = ValueType::texts,
                                       .pattern = kLabel,
                                       .accepts_null = true,
                                       .meaning = "The devices that count",
                                       .default_text = "all of the study"}),
                   of_goal<&Goal::across>(
                       {.name = "across",
                        .type = ValueType::word,
                        .words = {"each", "worst", "mean"},
                        .meaning = "What counts of several devices. each: a model is chosen for each; worst: one for "
                                   "all, by the device where it is worst; mean: by the mean over them"})},
          .set = [](Study& study,
                    const json& value) { study.goal = value.is_null() ? std::nullopt : std::optional(Goal{}); },
          .get = [](const Study& study) { return study.goal ? json::object() : json(); }};
}

std::vector<Key> output_keys() {
  return {
      goal_key(),
      {.name = "baseline",
       .type = ValueType::text,
       .maximum = 200,
       .pattern = kBaseline,
       .meaning =
           "The compiler to which speed-ups and other ratios refer: a label, NAME@VERSION or NAME of the study's "
           "compilers; the identity if the study has none. It changes tables only: `ngb show --baseline` shows "
           "the same results against another",
       .set = set_member<&Study::baseline>,
       .get = get_member<&Study::baseline>},
      {.name = "size_factor",
       .type = ValueType::number,
       .minimum = 1,
       .maximum = 1000,
       .meaning =
           "Models whose parameters or multiply-accumulates differ by no more than this factor are alike in size: "
           "orders that compiling reverses are looked for between them, and between models of equal `size`",
       .set = set_member<&Study::size_factor>,
       .get = get_member<&Study::size_factor>},
      {.name = "best_options",
       .type = ValueType::boolean,
       .meaning = "Print below the table the best settings (options, settings, inferences in flight, instances, "
                  "threads, version) of each compiler that has several, and their margin over the runner-up",
       .set = set_member<&Study::best_options>,
       .get = get_member<&Study::best_options>},
      {.name = "output",
       .type = ValueType::path,
       .meaning = "Results folder, relative to the working folder",
       .default_text = "results/<name>",
       .set = [](Study& study, const json& value) { study.output = value.get<std::string>(); },
       .get = [](const Study& study) { return json(study.output.string()); }},
  };
}

std::vector<Key> all_keys() {
  std::vector<Key> all = measurement_keys();
  const auto add = [&](std::span<const Key> keys) { all.insert(all.end(), keys.begin(), keys.end()); };
  add(protocol_keys());
  add(reference_keys());
  add(limit_keys());
  add(output_keys());
  return all;
}

double number_or(const std::string& text, double otherwise) {
  const json value = json_of(text);
  return value.is_number() ? value.get<double>() : otherwise;
}

std::string plain_word(const std::string& text) {
  const json value = json_of(text);
  return value.is_string() ? value.get<std::string>() : text;
}

}  // namespace

Key threads_key() {
  Key key{.name = "threads", .type = ValueType::integer_or_word, .minimum = 1, .maximum = 4096};
  for (const std::string_view word : work::kThreadWords) key.words.emplace_back(word);
  return key;
}

std::span<const Key> study_keys() {
  static const std::vector<Key> kKeys = all_keys();
  return kKeys;
}

namespace {

Key threads_key_of_compiler() {
  Key key = threads_key();
  key.meaning = "Threads that inference may use, as in a study; a list gives one compiler for each";
  key.default_text = "the device's threads, else the study's";
  return key;
}

}  // namespace

std::span<const Key> compiler_keys() {
  static const std::vector<Key> kKeys{
      {.name = "version",
       .type = ValueType::version,
       .pattern = kVersion,
       .meaning = "Version of the toolchain, as `ngb toolchain list` shows it; a list gives one compiler for each",
       .default_text = "the default version of this release"},
      threads_key_of_compiler(),
      {.name = "in_flight",
       .type = ValueType::integer_or_word,
       .minimum = 1,
       .maximum = 1024,
       .words = {"auto"},
       .meaning =
           "Inferences at a time, for throughput; auto: as many as the compiler finds best for its threads; a list "
           "gives one compiler for each. For `null`, `onnxruntime` and `openvino`",
       .default_text = "1"},
      {.name = "instances",
       .type = ValueType::integer,
       .minimum = 1,
       .maximum = 1024,
       .meaning = "Sessions at once, as in a study; a list gives one compiler for each",
       .default_text = "those of the study"},
      {.name = "processors",
       .type = ValueType::processors,
       .meaning = "Processors on which it runs, as in a study; a list of choices gives one compiler for each",
       .default_text = "those of the study"},
      {.name = "precision",
       .type = ValueType::word,
       .words = precision_words(),
       .meaning = "Arithmetic of inference, as in a study; a list gives one compiler for each",
       .default_text = "the study's"},
      {.name = "options",
       .type = ValueType::structured,
       .meaning = "Maps option names to values, as `ngb compilers NAME` shows them; a list of values gives one "
                  "compiler for each",
       .default_text = "{}"},
      {.name = "settings",
       .type = ValueType::structured,
       .meaning = "Maps properties of the compiler's own library to values, which are handed on unchanged: OpenVINO's "
                  "properties, IREE's flags and the like, as `ngb compilers NAME` says; a list of values gives one "
                  "compiler for each. What an option or another key says already may not be set here",
       .default_text = "{}"},
      {.name = "label",
       .type = ValueType::text,
       .maximum = kLongestLabel,
       .pattern = kEntryLabel,
       .meaning = "Name of the compiler in tables, unique in the study; equal entries need one each",
       .default_text = "its name, and its settings if the name is listed twice"},
  };
  return kKeys;
}

const work::Property& property_of(const Key& compiler_key) {
  const auto all = work::properties();
  return *std::find_if(all.begin(), all.end(), [&](const work::Property& each) {
    return each.name == compiler_key.name || each.name == "compiler_" + compiler_key.name;
  });
}

json value_of(const work::Compiler& compiler, const Key& key) {
  return asked_value_of(property_of(key), {.compiler = compiler, .threads = compiler.threads});
}

void set_value(work::Compiler& compiler, const Key& key, const json& value) {
  work::Configuration of{.compiler = std::move(compiler)};
  property_of(key).read(of, plain_text(value));
  compiler = std::move(of.compiler);
}

Key key_of(const Parameter& parameter) {
  Key key{.name = parameter.name, .meaning = parameter.meaning, .default_text = parameter.default_value};
  key.minimum = number_or(parameter.minimum, -work::kMostExact);
  key.maximum = number_or(parameter.maximum, work::kMostExact);
  if (parameter.type == "bool") {
    key.type = ValueType::boolean;
  } else if (parameter.type == "int") {
    key.type = ValueType::integer;
  } else if (parameter.type == "float") {
    key.type = ValueType::number;
  } else if (parameter.type == "int_list") {
    key.type = ValueType::integers;
  } else if (!parameter.values.empty()) {
    key.type = ValueType::word;
    for (const std::string& value : parameter.values) key.words.push_back(plain_word(value));
  } else {
    key.type = ValueType::path;  // any text
  }
  return key;
}

std::vector<std::string> names(std::span<const Key> keys) {
  std::vector<std::string> out;
  for (const Key& key : keys) out.push_back(key.name);
  return out;
}

const Key* find_key(std::span<const Key> keys, std::string_view name) {
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

}  // namespace ngb::config
