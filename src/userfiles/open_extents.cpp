// SPDX-License-Identifier: Apache-2.0
#include "userfiles/open_extents.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

namespace ngb::userfiles {
namespace {

constexpr std::int64_t kUsual = 128;
constexpr std::int64_t kHeight = 224;
constexpr std::int64_t kHeightOfText = 48;  // of a line of text, and two thirds of it in older recognisers
constexpr std::int64_t kWidth = 320;
constexpr std::int64_t kSamples = 16000;  // of sound: a second of speech
constexpr std::int64_t kFrame = 512;      // of sound, for models that listen to one frame at a time
constexpr std::int64_t kPast = 16;
constexpr std::int64_t kNew = 8;      // tokens, where others precede them
constexpr std::int64_t kThings = 16;  // boxes of a page

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool has_any(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

bool is_real(DataType type) {
  return type == DataType::f32 || type == DataType::f16 || type == DataType::bf16 || type == DataType::f64;
}

// What a dimension's name says about it.
enum class Meaning { unknown, height, width, samples, past, sequence, total };

struct Row {
  Meaning meaning;
  std::initializer_list<std::string_view> words;    // a part of the name
  std::initializer_list<std::string_view> letters;  // the whole name
};

// The first row that fits counts: "past_sequence_length" is past, not sequence.
const std::array<Row, 6> kMeanings{
    {{Meaning::total, {"total", "past+", "past +", "length+", "kv_len"}, {}},
     {Meaning::past, {"past", "cache"}, {}},
     {Meaning::height, {"height"}, {"h"}},
     {Meaning::width, {"width"}, {"w"}},
     {Meaning::samples, {"sample", "audio", "wave"}, {}},
     {Meaning::sequence, {"seq", "token", "text", "time", "frame", "length"}, {"t", "s"}}}};

Meaning meaning_of(const std::string& dimension) {
  const std::string name = lower(dimension);
  for (const Row& row : kMeanings) {
    const bool is_letter = std::find(row.letters.begin(), row.letters.end(), name) != row.letters.end();
    if (is_letter || has_any(name, row.words)) return row.meaning;
  }
  return Meaning::unknown;
}

// Returns the parts of "past_sequence_length + 1".
std::vector<std::string> parts_of(const std::string& dimension) {
  std::vector<std::string> parts;
  std::string part;
  for (const char c : dimension + "+") {
    if (c == ' ') continue;
    if (c != '+') {
      part += c;
    } else if (!part.empty()) {
      parts.push_back(std::exchange(part, {}));
    }
  }
  return parts;
}

std::int64_t usual_of(Meaning meaning, bool has_past) {
  switch (meaning) {
    case Meaning::height:
      return kHeight;
    case Meaning::width:
      return kWidth;
    case Meaning::samples:
      return kSamples;
    case Meaning::past:
      return kPast;
    case Meaning::sequence:
      return has_past ? kNew : kUsual;
    case Meaning::total:
      return has_past ? kPast + kNew : kUsual;
    case Meaning::unknown:
      break;
  }
  return kUsual;
}

// An extent without a name that the study's key `dimensions` could use.
bool is_anonymous(const ScannedExtent& extent) {
  return !extent.value && std::none_of(extent.name.begin(), extent.name.end(),
                                       [](unsigned char c) { return std::isalpha(c) != 0 || c >= 0x80; });
}

bool is_open(const ScannedExtent& extent) { return !extent.value; }

bool is_batch(const ScannedExtent& extent) {
  return extent.value ? *extent.value == kBatchExtent : names_batch(extent.name);
}

bool has_batch(const std::vector<UnsettledInput>& inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [](const UnsettledInput& input) {
    return std::any_of(input.extents.begin(), input.extents.end(), is_batch);
  });
}

// Returns the extent for a place whose name says nothing: an image has a height and a width before or behind its
// channels, sound ends in samples, and what a recurrent layer keeps has the batch behind its layers. Behind a first
// extent of 1 in a file without another batch, it counts things: the file's batch is 1.
std::int64_t by_place(const std::vector<UnsettledInput>& inputs, const UnsettledInput& input, std::size_t axis) {
  const std::size_t rank = input.extents.size();
  const std::optional<std::int64_t> first = input.extents.front().value;
  if (axis == 1 && first && *first != kBatchExtent && (*first != 1 || has_batch(inputs))) return kBatchExtent;
  if (axis == 1 && first == 1 && rank == 3) return kThings;
  if (rank == 4 && axis > 0) {
    const bool has_channels_last = input.extents.back().value.has_value();
    const std::size_t height = has_channels_last ? 1 : 2;
    if (axis == height) return kHeight;
    if (axis == height + 1) return kWidth;
  }
  const bool is_sound = rank <= 3 && axis + 1 == rank && is_real(input.type);
  return is_sound ? kSamples : kUsual;
}

// What a proposal varies.
struct Varied {
  std::int64_t height = kHeight;
  std::int64_t samples = kSamples;
  std::int64_t total = kUsual;  // of past and new tokens
};

// Returns whether an input is what a recurrent layer keeps, so that sound comes one frame at a time.
bool keeps_state(const UnsettledInput& input) {
  if (input.extents.size() < 3 || !is_real(input.type)) return false;
  const ScannedExtent& layers = input.extents[0];
  const ScannedExtent& batch = input.extents[1];
  const bool is_behind = batch.value ? *batch.value == kBatchExtent : is_anonymous(batch) || names_batch(batch.name);
  return layers.value && *layers.value != kBatchExtent && is_behind;
}

// Returns the names of open extents, in the order of the file.
std::vector<std::string> open_names(const std::vector<UnsettledInput>& inputs) {
  std::vector<std::string> names;
  for (const UnsettledInput& input : inputs) {
    for (const ScannedExtent& extent : input.extents) {
      if (is_open(extent) && std::find(names.begin(), names.end(), extent.name) == names.end()) {
        names.push_back(extent.name);
      }
    }
  }
  return names;
}

// Returns the sum that a name like "past_sequence_length + 1" describes, or nothing if it is none of known sizes.
std::optional<std::int64_t> sum_of(const std::string& name, const std::map<std::string, std::int64_t>& sizes) {
  const std::vector<std::string> parts = parts_of(name);
  if (parts.size() < 2) return std::nullopt;
  std::int64_t sum = 0;
  for (const std::string& part : parts) {
    const bool is_number = part.size() < 10 && part.find_first_not_of("0123456789") == std::string::npos;
    const auto known = sizes.find(part);
    if (!is_number && known == sizes.end()) return std::nullopt;
    sum += is_number ? std::stoll(part) : known->second;
  }
  return sum;
}

std::int64_t size_at(const std::vector<UnsettledInput>& inputs, const UnsettledInput& input, std::size_t axis,
                     bool has_past, const Varied& varied) {
  const Meaning meaning = meaning_of(input.extents[axis].name);
  const bool is_row = input.extents.size() == 2 && axis == 1;
  const bool is_sound = meaning == Meaning::sequence && is_row && is_real(input.type) && !has_past;
  const std::int64_t size = is_sound                      ? kSamples
                            : meaning == Meaning::unknown ? by_place(inputs, input, axis)
                                                          : usual_of(meaning, has_past);
  if (meaning == Meaning::total && has_past) return varied.total;
  return size == kHeight ? varied.height : size == kSamples ? varied.samples : size;
}

Proposal propose_by_name(const std::vector<UnsettledInput>& inputs, const Varied& varied) {
  const std::vector<std::string> names = open_names(inputs);
  const auto is_past = [](const std::string& name) { return meaning_of(name) == Meaning::past; };
  const bool has_past = std::any_of(names.begin(), names.end(), is_past);
  Proposal proposal;
  for (const UnsettledInput& input : inputs) {
    const bool is_shape = std::any_of(input.extents.begin(), input.extents.end(), is_anonymous);
    std::vector<std::int64_t> shape;
    for (std::size_t axis = 0; axis < input.extents.size(); ++axis) {
      const ScannedExtent& extent = input.extents[axis];
      shape.push_back(extent.value ? *extent.value : size_at(inputs, input, axis, has_past, varied));
      if (is_open(extent) && !is_shape) proposal.dimensions.emplace(extent.name, shape.back());
    }
    if (is_shape) proposal.shapes.emplace_back(input.name, std::move(shape));
  }
  for (auto& [name, size] : proposal.dimensions) size = sum_of(name, proposal.dimensions).value_or(size);
  return proposal;
}

std::string list_of(const std::vector<std::int64_t>& shape) {
  std::vector<std::string> words;
  for (const std::int64_t extent : shape) words.push_back(extent == kBatchExtent ? "batch" : std::to_string(extent));
  return "[" + text::join(words, ", ") + "]";
}

}  // namespace

bool names_batch(const std::string& dimension) {
  const std::string name = lower(dimension);
  return has_any(name, {"batch"}) || name == "bs";
}

std::vector<Proposal> propose(const std::vector<UnsettledInput>& inputs) {
  std::vector<Proposal> proposals;
  const auto add = [&](Proposal next) {
    if (std::find(proposals.begin(), proposals.end(), next) == proposals.end()) proposals.push_back(std::move(next));
  };
  const bool hears_frames = std::any_of(inputs.begin(), inputs.end(), keeps_state);
  for (const std::int64_t height : {kHeight, kHeightOfText, kHeightOfText * 2 / 3}) {
    for (const std::int64_t samples : hears_frames ? std::array{kFrame, kSamples} : std::array{kSamples, kFrame}) {
      for (const std::int64_t total : {kPast + kNew, kNew, kPast, kPast + 1}) {
        add(propose_by_name(inputs, {height, samples, total}));
      }
    }
  }
  // Every dimension alike, which also fits where names mislead.
  for (const std::int64_t extent : {std::int64_t{64}, std::int64_t{32}, kNew, std::int64_t{1}}) {
    Proposal next = proposals.front();
    for (auto& [name, size] : next.dimensions) size = size == kBatchExtent ? size : extent;
    add(std::move(next));
  }
  return proposals;
}

std::map<std::string, std::vector<std::int64_t>> shapes_under(const Proposal& proposal,
                                                              const std::vector<UnsettledInput>& inputs, int batch) {
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (const UnsettledInput& input : inputs) {
    std::vector<std::int64_t>& shape = shapes[input.name];
    for (const ScannedExtent& extent : input.extents) {
      const auto named = proposal.dimensions.find(extent.name);
      shape.push_back(extent.value ? *extent.value : named == proposal.dimensions.end() ? kUsual : named->second);
    }
    for (const auto& [name, given] : proposal.shapes) {
      if (name == input.name) shape = given;
    }
    std::replace(shape.begin(), shape.end(), kBatchExtent, std::int64_t{batch});
  }
  return shapes;
}

Ranges guess_ranges(const std::vector<UnsettledInput>& inputs, const Proposal& proposal, const Ranges& known) {
  Ranges ranges;
  const auto shapes = shapes_under(proposal, inputs, 1);
  std::int64_t longest = 1;
  for (const auto& [name, shape] : shapes) {
    if (shape.size() >= 2) longest = std::max(longest, shape[1]);
  }
  for (const UnsettledInput& input : inputs) {
    if (known.contains(input.name) || is_real(input.type) || input.type == DataType::boolean) continue;
    const std::string name = lower(input.name);
    if (has_any(name, {"mask"})) {
      ranges[input.name] = {1, 1};
    } else if (has_any(name, {"len"})) {
      ranges[input.name] = {longest, longest};
    } else if (name == "sr" || has_any(name, {"sample_rate", "sampling_rate", "samplerate"})) {
      ranges[input.name] = {kSamples, kSamples};
    } else if (has_any(name, {"position"})) {
      ranges[input.name] = {0, longest - 1};
    }
  }
  return ranges;
}

std::string yaml_word(const std::string& text) {
  static const std::array<std::string, 10> kWords{"true", "false", "null", "yes", "no", "on", "off", "y", "n", ""};
  const bool is_plain = std::all_of(text.begin(), text.end(),
                                    [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; }) &&
                        !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
                        text.front() != '.' && std::find(kWords.begin(), kWords.end(), lower(text)) == kWords.end();
  if (is_plain) return text;
  std::string quoted = "\"";
  for (const char c : ngb::text::to_utf8(text)) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20;
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += is_control ? fmt::format("\\x{:02x}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return quoted + "\"";
}

std::string to_yaml(const Proposal& proposal, const Ranges& ranges, const std::string& indent) {
  std::vector<std::string> dimensions;
  std::vector<std::string> shapes;
  std::vector<std::string> values;
  for (const auto& [name, extent] : proposal.dimensions) {
    dimensions.push_back(
        fmt::format("{}: {}", yaml_word(name), extent == kBatchExtent ? "batch" : std::to_string(extent)));
  }
  for (const auto& [name, shape] : proposal.shapes) {
    shapes.push_back(fmt::format("{}: {}", yaml_word(name), list_of(shape)));
  }
  for (const auto& [name, range] : ranges) {
    values.push_back(fmt::format("{}: {{range: [{}, {}]}}", yaml_word(name), range.first, range.second));
  }
  std::string yaml;
  const auto add = [&](const char* key, const std::vector<std::string>& entries) {
    if (!entries.empty()) yaml += fmt::format("\n{}{}: {{{}}}", indent, key, text::join(entries, ", "));
  };
  add("dimensions", dimensions);
  add("shapes", shapes);
  add("inputs", values);
  return yaml;
}

}  // namespace ngb::userfiles
