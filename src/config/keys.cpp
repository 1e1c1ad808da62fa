// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "config/key.h"
#include "config/value.h"

namespace ngb::config {
namespace {

using nlohmann::json;

// As a label, without slashes and leading dots.
constexpr const char* kFileName = R"(^[^\x00-\x20/.]([^\x00-\x1f/]{0,98}[^\x00-\x20/])?$)";
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
void set_stop(Study& study, const json& value) {
  value.get_to((*study.stop_when).*Member);
}
template <auto Member>
json get_stop(const Study& study) {
  return study.stop_when.value_or(StopWhen{}).*Member;
}
template <auto Member>
Key scalar(const char* name, ValueType type, double minimum, double maximum, const char* meaning) {
  Key key{.name = name, .type = type, .minimum = minimum, .maximum = maximum, .meaning = meaning};
  key.set = set_member<Member>;
  key.get = get_member<Member>;
  return key;
}
template <auto Member>
Key stop(const char* name, ValueType type, double minimum, double maximum, const char* meaning) {
  Key key{.name = name, .type = type, .minimum = minimum, .maximum = maximum, .meaning = meaning};
  key.set = set_stop<Member>;
  key.get = get_stop<Member>;
  return key;
}

Key structured(const char* name, const char* default_text, const char* meaning) {
  return {.name = name, .type = ValueType::structured, .meaning = meaning, .default_text = default_text};
}

std::vector<Key> what_is_measured() {
  return {
      {.name = "name",
       .type = ValueType::text,
       .pattern = kFileName,
       .meaning = "What the study is called; names its results folder",
       .default_text = "the file's name without its extension",
       .set = set_member<&Study::name>,
       .get = get_member<&Study::name>},
      structured("models", "", "Models to measure, see below"),
      structured("compilers", "", "Compilers to measure, see below"),
      scalar<&Study::batch_sizes>("batch_sizes", ValueType::batches, 1, 65'536,
                                  "Samples per inference: one size, or a list without repetitions"),
      structured("devices", "[local]", "Devices to measure on, see below"),
      structured("pairs", "every compiler on every device", "Which compilers run on which device, see below"),
      scalar<&Study::threads>("threads", ValueType::integer, 1, 4096,
                              "Threads that inference may use, for compilers that do not say otherwise"),
      {.name = "precision",
       .type = ValueType::word,
       .words = {"f32", "bf16", "f16"},
       .meaning = "Arithmetic of inference; anything but f32 may change predictions",
       .set = set_member<&Study::precision>,
       .get = get_member<&Study::precision>},
  };
}

std::vector<Key> stop_when_keys() {
  return {
      stop<&StopWhen::half_width_percent>("half_width_percent", ValueType::number, 0.01, 100,
                                          "Stop when the 95 % interval of the median is at most this wide to either "
                                          "side, in percent of the median"),
      stop<&StopWhen::min_repetitions>("min_repetitions", ValueType::integer, 1, 1'000'000,
                                       "Never stop before this many repetitions"),
      stop<&StopWhen::max_repetitions>("max_repetitions", ValueType::integer, 1, 1'000'000,
                                       "Stop at this many repetitions all the same"),
      stop<&StopWhen::max_s>("max_s", ValueType::number, 0.001, 1e6, "Stop after this many seconds all the same"),
  };
}

std::vector<Key> how_often() {
  return {
      scalar<&Study::processes>("processes", ValueType::integer, 1, 1000, "Fresh worker processes for each cell"),
      scalar<&Study::repetitions>("repetitions", ValueType::integer, 1, 1'000'000,
                                  "Timed repetitions in each process, warm-up not counted"),
      {.name = "warm_up",
       .type = ValueType::warm_up,
       .maximum = 1'000'000,
       .meaning = "Repetitions before those that count; auto: found from the data",
       .set =
           [](Study& study, const json& value) {
             study.warm_up = value.is_string() ? std::nullopt : std::optional(value.get<int>());
           },
       .get = [](const Study& study) { return study.warm_up ? json(*study.warm_up) : json("auto"); }},
      scalar<&Study::min_repetition_ms>("min_repetition_ms", ValueType::number, 0, 60'000,
                                        "Shorter inferences are grouped until a repetition takes this many "
                                        "milliseconds; 0: never"),
      scalar<&Study::max_transient_s>("max_transient_s", ValueType::number, 0, 86'400,
                                      "Seconds after which no steady part is looked for any more"),
      {.name = "stop_when",
       .type = ValueType::section,
       .accepts_null = true,
       .meaning = "Stop by precision instead of at a fixed count; repetitions is then not used",
       .default_text = "off",
       .keys = stop_when_keys(),
       .set =
           [](Study& study, const json& value) {
             study.stop_when = value.is_null() ? std::nullopt : std::optional<StopWhen>(StopWhen{});
           },
       .get = [](const Study& study) { return study.stop_when ? json::object() : json(); }},
  };
}

std::vector<Key> tolerance_keys() {
  return {
      scalar<&Study::absolute_tolerance>("absolute", ValueType::number, 0, 1e6,
                                         "Part that does not depend on the reference: |a - b| <= absolute + "
                                         "relative * |b| for every output value a and its reference b"),
      scalar<&Study::relative_tolerance>("relative", ValueType::number, 0, 1e6, "Part that grows with the reference"),
  };
}

std::vector<Key> timeout_keys() {
  return {
      scalar<&Study::compile_timeout_s>("compile_s", ValueType::number, 0.001, 1e7,
                                        "Seconds from a process's start to the end of its output check"),
      scalar<&Study::run_timeout_s>("run_s", ValueType::number, 0.001, 1e7,
                                    "Seconds for warm-up and timed repetitions together"),
  };
}

std::vector<Key> what_is_checked() {
  return {
      {.name = "tolerances",
       .type = ValueType::section,
       .meaning = "How far outputs may be from the reference's; a cell that is farther off has no speed",
       .keys = tolerance_keys()},
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

std::vector<Key> what_is_allowed() {
  return {
      {.name = "timeouts", .type = ValueType::section, .meaning = "When a process is given up", .keys = timeout_keys()},
      {.name = "memory_limit",
       .type = ValueType::bytes,
       .minimum = 1e6,
       .maximum = 1e15,
       .accepts_null = true,
       .meaning = "Memory of a process with all its children, in bytes or as text: 4 GB, 512 MiB",
       .default_text = "90 % of the device's",
       .set =
           [](Study& study, const json& value) {
             study.memory_limit_bytes = value.is_null() ? std::nullopt : std::optional(value.get<std::uint64_t>());
           },
       .get = [](const Study& study) { return study.memory_limit_bytes ? json(*study.memory_limit_bytes) : json(); }},
      scalar<&Study::attempts>("attempts", ValueType::integer, 1, 100,
                               "Tries for each process, where a failure may not come again (crash, timeout, memory)"),
      scalar<&Study::seed>("seed", ValueType::integer, 0, kMaxExact, "Of weights, inputs and the order of processes"),
      {.name = "best_options",
       .type = ValueType::boolean,
       .meaning = "Below the table, name the best settings (options, threads, version) of each compiler that stands "
                  "with several, and their margin over the runner-up",
       .set = set_member<&Study::best_options>,
       .get = get_member<&Study::best_options>},
      {.name = "output",
       .type = ValueType::path,
       .meaning = "Results folder, from the working folder",
       .default_text = "results/<name>",
       .set = [](Study& study, const json& value) { study.output = value.get<std::string>(); },
       .get = [](const Study& study) { return json(study.output.string()); }},
  };
}

std::vector<Key> all_keys() {
  std::vector<Key> all;
  for (const auto& part : {what_is_measured(), how_often(), what_is_checked(), what_is_allowed()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
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

std::span<const Key> study_keys() {
  static const std::vector<Key> kKeys = all_keys();
  return kKeys;
}

std::span<const Key> model_keys() {
  static const std::vector<Key> kKeys{
      {.name = "label",
       .type = ValueType::text,
       .pattern = kLabel,
       .meaning = "What the model is called in tables, unique in the study",
       .default_text = "the recipe with its parameters, the file's name with its function, or timm's name"},
      {.name = "shapes",
       .type = ValueType::structured,
       .meaning = "Input to shape, of integers and the word batch. `onnx`: where the file leaves more open than the "
                  "batch size; `pytorch`, `timm`: of the arguments, by name"},
      {.name = "dimensions",
       .type = ValueType::structured,
       .meaning = "`onnx`: the file's name of an open dimension to its extent, or to the word batch"},
      {.name = "parameters",
       .type = ValueType::structured,
       .meaning = "`pytorch`, `timm`: keyword arguments of the function, or of timm.create_model"},
      {.name = "state_dict",
       .type = ValueType::path,
       .meaning = "`pytorch`, `timm`: a file of weights that torch.save has written",
       .default_text = "random weights, seeded with the study's seed"},
      {.name = "inputs",
       .type = ValueType::structured,
       .meaning = "What is fed: an .npz with an array for each input, or input to FILE.npy or to the keys below",
       .keys = {{.name = "NAME",
                 .type = ValueType::structured,
                 .meaning = "Of one input: an .npy or .npz file, or a mapping of the keys below",
                 .default_text = "seeded random numbers",
                 .keys = input_keys()}}},
      {.name = "dynamic_batch",
       .type = ValueType::boolean,
       .meaning = "Compiled once for any batch size, and run at each of the study's",
       .default_text = "`false`: compiled for each batch size"},
  };
  return kKeys;
}

const std::vector<Key>& input_keys() {
  static const std::vector<Key> kKeys{
      {.name = "range",
       .type = ValueType::structured,
       .meaning = "[least, largest] of its seeded values; of real numbers the largest is left out",
       .default_text = "[-1, 1], integers [0, 1]"},
      {.name = "file", .type = ValueType::path, .meaning = "Its values: an .npy or .npz file", .default_text = "none"},
      {.name = "array",
       .type = ValueType::text,
       .pattern = kLabel,
       .meaning = "Which array of an .npz file",
       .default_text = "the one that is called as the input"},
      {.name = "type",
       .type = ValueType::word,
       .words = {"f32", "f16", "bf16", "f64", "i64", "i32", "i8", "u8", "bool"},
       .meaning = "`pytorch`, `timm`: element type, where `shapes` gives the shape",
       .default_text = "`f32`"},
  };
  return kKeys;
}

std::span<const Key> compiler_keys() {
  static const std::vector<Key> kKeys{
      {.name = "version",
       .type = ValueType::version,
       .pattern = kVersion,
       .meaning = "Version of its toolchain, as `ngb toolchain list` shows it; a list: one compiler for each",
       .default_text = "the default version of this release"},
      {.name = "threads",
       .type = ValueType::integer,
       .minimum = 1,
       .maximum = 4096,
       .meaning = "Threads that its inference may use; a list: one compiler for each",
       .default_text = "the study's threads"},
      {.name = "options",
       .type = ValueType::structured,
       .meaning = "Option name to value, as `ngb compilers NAME` shows them; a list of values: one compiler for each",
       .default_text = "{}"},
      {.name = "label",
       .type = ValueType::text,
       .pattern = kLabel,
       .meaning = "What the compiler is called in tables, unique in the study",
       .default_text = "its name, and what tells it apart where the name stands twice"},
  };
  return kKeys;
}

Key key_of(const Parameter& parameter) {
  Key key{.name = parameter.name, .meaning = parameter.meaning, .default_text = parameter.default_value};
  key.minimum = number_or(parameter.minimum, -kMaxExact);
  key.maximum = number_or(parameter.maximum, kMaxExact);
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
