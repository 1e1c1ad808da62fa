// SPDX-License-Identifier: Apache-2.0
#include "userfiles/onnx_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/hash.h"
#include "base/onnx_wire.h"
#include "base/text.h"
#include "userfiles/onnx_scan.h"

namespace ngb::userfiles {
namespace {

constexpr std::size_t kMostInputs = 65536;
constexpr std::size_t kHighestRank = 64;
constexpr std::uint64_t kLargestInputBytes = 1ULL << 40U;

// The names of TensorProto.DataType.
constexpr std::array kElementTypes{
    "UNDEFINED",  "FLOAT",        "UINT8",          "INT8",       "UINT16",         "INT16",  "INT32",     "INT64",
    "STRING",     "BOOL",         "FLOAT16",        "DOUBLE",     "UINT32",         "UINT64", "COMPLEX64", "COMPLEX128",
    "BFLOAT16",   "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "UINT4",  "INT4",      "FLOAT4E2M1",
    "FLOAT8E8M0", "UINT2",        "INT2",           "FLOAT6E2M3", "FLOAT6E3M2"};

std::optional<DataType> data_type(int element_type) {
  switch (element_type) {
    case wire::kFloat32:
      return DataType::f32;
    case wire::kFloat16:
      return DataType::f16;
    case wire::kBfloat16:
      return DataType::bf16;
    case wire::kFloat64:
      return DataType::f64;
    case wire::kInt64:
      return DataType::i64;
    case wire::kInt32:
      return DataType::i32;
    case wire::kInt8:
      return DataType::i8;
    case wire::kUint8:
      return DataType::u8;
    case wire::kBool:
      return DataType::boolean;
    default:
      return {};
  }
}

std::string input_place(const std::filesystem::path& path, const std::string& name) {
  return fmt::format("{}: input \"{}\"", path.string(), text::to_utf8(name));
}

struct Request {
  const std::filesystem::path& path;
  int batch = 1;
  const InputShapes& shapes;
  const Dimensions& dimensions;
  const Advise& advise;
  std::vector<ScannedInput> inputs{};   // that have to be fed
  std::set<std::string> batch_names{};  // names of the open extents that are the batch
  bool names_its_batch = false;         // the file itself names them so
};

// Scan holds the inputs that have to be fed, and the files beside the ONNX file.
struct Scan {
  std::vector<ScannedInput> inputs{};
  std::vector<ScannedInput> outputs{};
  ExternalFiles external;
  bool can_share_cache = false;
};

Result<Scan> scan(const std::filesystem::path& path) {
  Scan found{{}, {}, ExternalFiles(path)};
  ScanVisitor first;
  first.on_input = [&](ScannedInput input) -> Status {
    if (found.inputs.size() >= kMostInputs) return fail(fmt::format("more than {} inputs", kMostInputs), path.string());
    if (input.shape && input.shape->size() > kHighestRank) {
      return fail(fmt::format("more than {} dimensions", kHighestRank), input_place(path, input.name));
    }
    found.inputs.push_back(std::move(input));
    return Done{};
  };
  first.on_output = [&](ScannedInput output) -> Status {
    if (found.outputs.size() < kMostInputs) found.outputs.push_back(std::move(output));
    return Done{};
  };
  first.on_operator = [&](const std::string& type) {
    found.can_share_cache = found.can_share_cache || type == "GroupQueryAttention";
  };
  first.on_tensor = [&](const ScannedTensor& tensor) -> Status {
    return tensor.external ? found.external.add(tensor) : Done{};
  };
  if (const Status status = scan_onnx(path, first); !status) return error_of(status);

  // A second walk removes the inputs that an initializer gives, so that no list of all initializers is ever held.
  std::unordered_map<std::string_view, bool> is_given;
  for (const ScannedInput& input : found.inputs) is_given[input.name] = false;
  ScanVisitor second;
  second.on_tensor = [&](const ScannedTensor& tensor) -> Status {
    const auto known = is_given.find(tensor.name);
    if (tensor.of_main_graph && known != is_given.end()) known->second = true;
    return Done{};
  };
  if (const Status status = scan_onnx(path, second); !status) return error_of(status);
  std::vector<ScannedInput> fed;
  for (const ScannedInput& input : found.inputs) {
    if (!is_given[input.name]) fed.push_back(input);
  }
  found.inputs = std::move(fed);
  return found;
}

const std::vector<std::int64_t>* given_shape(const Request& request, const std::string& name) {
  for (const auto& [input, shape] : request.shapes) {
    if (input == name) return &shape;
  }
  return nullptr;
}

Status check_given(const Request& request, const ScannedInput& input, const std::vector<std::int64_t>& given) {
  bool agrees = !input.shape || input.shape->size() == given.size();
  for (std::size_t i = 0; agrees && i < given.size(); ++i) {
    const std::int64_t extent = given[i] == kBatchExtent ? request.batch : given[i];
    const std::optional<std::int64_t> fixed = input.shape ? (*input.shape)[i].value : std::nullopt;
    agrees = extent >= 1 && (!fixed || *fixed == extent);
  }
  if (agrees) return Done{};
  std::vector<std::string> words;
  for (const std::int64_t extent : given) {
    words.push_back(extent == kBatchExtent ? std::string("batch") : std::to_string(extent));
  }
  return fail(fmt::format("the shape [{}] that the study gives does not fit the model's", text::join(words, ", ")),
              input_place(request.path, input.name));
}

std::optional<std::int64_t> given_dimension(const Request& request, const std::string& name) {
  for (const auto& [dimension, extent] : request.dimensions) {
    if (dimension == name) return extent;
  }
  return std::nullopt;
}

// Returns kBatchExtent or the number for an open extent, or nothing if it stays open.
std::optional<std::int64_t> settled(const Request& request, const std::vector<std::int64_t>* given,
                                    const ScannedExtent& extent, std::size_t axis) {
  if (given != nullptr) return axis == 0 && (*given)[0] == 1 ? kBatchExtent : (*given)[axis];
  if (!extent.name.empty()) {
    if (const auto dimension = given_dimension(request, extent.name)) return dimension;
  }
  if (!extent.name.empty() && request.batch_names.contains(extent.name)) return kBatchExtent;
  const bool can_lead = !request.names_its_batch || extent.name.empty() || extent.name == "?";
  if (axis == 0 && can_lead) return kBatchExtent;
  return std::nullopt;
}

// Returns the inputs of known rank and type, with what the study and the file leave open.
std::vector<UnsettledInput> unsettled(const Request& request) {
  std::vector<UnsettledInput> inputs;
  for (const ScannedInput& input : request.inputs) {
    const std::optional<DataType> type = data_type(input.element_type);
    if (!input.shape || !type) continue;
    const std::vector<std::int64_t>* given = given_shape(request, input.name);
    UnsettledInput left{input.name, *type, *input.shape};
    for (std::size_t axis = 0; axis < left.extents.size(); ++axis) {
      ScannedExtent& extent = left.extents[axis];
      const bool fits = given == nullptr || given->size() == left.extents.size();
      if (!extent.value && fits) extent.value = settled(request, given, extent, axis);
    }
    inputs.push_back(std::move(left));
  }
  return inputs;
}

// Describes an input with an open extent: "tokens [batch, sequence]".
std::string describe(const UnsettledInput& input) {
  std::vector<std::string> words;
  for (const ScannedExtent& extent : input.extents) {
    const std::string shown = extent.name.empty() ? "?" : text::to_utf8(extent.name);
    words.push_back(!extent.value ? shown : *extent.value == kBatchExtent ? "batch" : std::to_string(*extent.value));
  }
  return fmt::format("{} [{}]", text::to_utf8(input.name), text::join(words, ", "));
}

bool has_open_extent(const UnsettledInput& input) {
  return std::any_of(input.extents.begin(), input.extents.end(),
                     [](const ScannedExtent& extent) { return !extent.value; });
}

tl::unexpected<Error> still_open(const Request& request) {
  constexpr std::size_t kMostShown = 6;
  const std::vector<UnsettledInput> inputs = unsettled(request);
  std::vector<std::string> open;
  for (const UnsettledInput& input : inputs) {
    if (has_open_extent(input)) open.push_back(describe(input));
  }
  const std::size_t more = open.size() > kMostShown ? open.size() - kMostShown : 0;
  open.resize(open.size() - more);
  return fail(fmt::format("dimensions are open: {}{}", text::join(open, ", "),
                          more == 0 ? "" : fmt::format(" and those of {} more inputs", more)),
              request.path.string(), "give them in the model's entry of the study, " + request.advise(inputs));
}

struct Settled {
  std::vector<std::int64_t> shape{};
  std::vector<std::int64_t> open_shape{};  // as in OnnxFile::open_inputs
};

Result<Settled> settle(const Request& request, const ScannedInput& input) {
  const std::vector<std::int64_t>* given = given_shape(request, input.name);
  if (given != nullptr) {
    if (const Status status = check_given(request, input, *given); !status) return error_of(status);
  }
  if (!input.shape && given == nullptr) {
    return fail("the model does not say how many dimensions it has", input_place(request.path, input.name),
                fmt::format("give the shape of \"{}\" in the study", text::to_utf8(input.name)));
  }
  const std::vector<ScannedExtent> extents = input.shape ? *input.shape : std::vector<ScannedExtent>(given->size());
  Settled result;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const auto extent = extents[i].value ? extents[i].value : settled(request, given, extents[i], i);
    if (!extent) return still_open(request);
    const bool is_batch = !extents[i].value && *extent == kBatchExtent;
    result.shape.push_back(is_batch ? request.batch : *extent);
    result.open_shape.push_back(is_batch ? kOpenExtent : *extent);
  }
  return result;
}

Status check_size(const Request& request, const TensorSignature& input) {
  std::uint64_t bytes = ngb::size_bytes(input.type);
  for (const std::int64_t extent : input.shape) {
    const bool fits = extent > 0 && !__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes);
    if (fits && bytes <= kLargestInputBytes) continue;
    return fail(fmt::format("a tensor of [{}] cannot be fed", fmt::join(input.shape, ", ")),
                input_place(request.path, input.name));
  }
  return Done{};
}

// Returns the input's signature twice: without open extents, and with those that the file leaves open.
Result<std::pair<TensorSignature, TensorSignature>> signatures(const Request& request, const ScannedInput& input) {
  const std::optional<DataType> type = data_type(input.element_type);
  if (!input.is_tensor || !type) {
    const auto element = static_cast<std::size_t>(input.element_type);
    const bool is_element_type = input.element_type >= 0 && element < kElementTypes.size();
    const std::string what = input.is_tensor && is_element_type
                                 ? fmt::format("elements of type {}", kElementTypes.at(element))
                                 : "a value that is not a tensor";
    return fail(what + " cannot be fed", input_place(request.path, input.name),
                "use a model with inputs of " + text::join(data_type_names(), ", "));
  }
  Result<Settled> shapes = settle(request, input);
  if (!shapes) return error_of(shapes);
  TensorSignature result{input.name, *type, std::move(shapes->shape)};
  if (const Status status = check_size(request, result); !status) return error_of(status);
  return std::pair(std::move(result), TensorSignature{input.name, *type, std::move(shapes->open_shape)});
}

template <class Given>
Status check_names(const Given& given, const std::vector<std::string>& names, const char* what,
                   const std::function<std::string(const std::string&)>& place) {
  for (const auto& each : given) {
    if (std::find(names.begin(), names.end(), each.first) != names.end()) continue;
    const std::optional<std::string> near = text::nearest(each.first, names);
    const std::string known = names.empty() ? "none" : "one of " + text::join(names, ", ");
    return fail(near ? fmt::format("no such {}, did you mean {}?", what, *near)
                     : fmt::format("no such {}, expected {}", what, known),
                place(each.first));
  }
  return Done{};
}

// Checks that every shape in the study belongs to an input, and every dimension to an open extent.
Status check_request(const Request& request, const std::vector<ScannedInput>& inputs) {
  std::vector<std::string> names;
  std::vector<std::string> dimensions;
  for (const ScannedInput& input : inputs) {
    names.push_back(input.name);
    for (const ScannedExtent& extent : input.shape.value_or(std::vector<ScannedExtent>())) {
      if (!extent.name.empty()) dimensions.push_back(extent.name);
    }
  }
  std::sort(dimensions.begin(), dimensions.end());
  dimensions.erase(std::unique(dimensions.begin(), dimensions.end()), dimensions.end());
  const Status known = check_names(request.shapes, names, "input",
                                   [&](const std::string& name) { return input_place(request.path, name); });
  if (!known) return known;
  return check_names(request.dimensions, dimensions, "open dimension", [&](const std::string& name) {
    return fmt::format("{}: dimension \"{}\"", request.path.string(), text::to_utf8(name));
  });
}

// Checks that a model made for one batch size does not run at another.
Status check_batch(const Request& request, const OnnxFile& file) {
  const TensorSignature* first = nullptr;
  for (std::size_t i = 0; i < file.inputs.size(); ++i) {
    const std::vector<std::int64_t>& open = file.open_inputs[i].shape;
    if (std::find(open.begin(), open.end(), kOpenExtent) != open.end()) return Done{};
    if (first == nullptr && !file.inputs[i].shape.empty()) first = &file.inputs[i];
  }
  if (first == nullptr || first->shape.front() == request.batch) return Done{};
  return fail(fmt::format("made for batch {}, not {}", first->shape.front(), request.batch),
              input_place(request.path, first->name),
              "ask for that batch, or export the model with a dynamic first dimension");
}

// Finds out which names of open extents are the batch: those that say so, else those that lead an input.
void find_batch(Request& request) {
  std::set<std::string> leading;
  for (const ScannedInput& input : request.inputs) {
    if (!input.shape || given_shape(request, input.name) != nullptr) continue;
    for (std::size_t axis = 0; axis < input.shape->size(); ++axis) {
      const ScannedExtent& extent = (*input.shape)[axis];
      if (extent.value || extent.name.empty() || given_dimension(request, extent.name)) continue;
      if (axis == 0) leading.insert(extent.name);
      if (names_batch(extent.name)) request.batch_names.insert(extent.name);
    }
  }
  request.names_its_batch = !request.batch_names.empty();
  if (!request.names_its_batch) request.batch_names = std::move(leading);
}

}  // namespace

std::string advise_by_name(const std::vector<UnsettledInput>& inputs) {
  const Proposal proposal = propose(inputs).front();
  return "for instance (guessed by their names):" + to_yaml(proposal, guess_ranges(inputs, proposal, {}), "    ");
}

Result<OnnxFile> inspect_onnx(const std::filesystem::path& path, int batch, const InputShapes& shapes,
                              const Dimensions& dimensions, const Advise& advise) {
  Request request{path, batch, shapes, dimensions, advise};
  if (batch < 1) return fail(fmt::format("batch {} is out of range, expected at least 1", batch), path.string());
  const Result<Scan> found = scan(path);
  if (!found) return error_of(found);
  if (const Status status = check_request(request, found->inputs); !status) return error_of(status);
  request.inputs = found->inputs;
  find_batch(request);
  OnnxFile file;
  for (const ScannedInput& input : found->inputs) {
    auto result = signatures(request, input);
    if (!result) return error_of(result);
    file.inputs.push_back(std::move(result->first));
    file.open_inputs.push_back(std::move(result->second));
  }
  if (const Status status = check_batch(request, file); !status) return error_of(status);
  std::error_code code;
  file.file_bytes = std::filesystem::file_size(path, code) + found->external.size_bytes();
  if (code) return fail("cannot read: " + code.message(), path.string());
  Result<std::string> hash = hash::sha256_of_file(path);
  if (!hash) return error_of(hash);
  file.content_hash = *std::move(hash);
  file.parts.push_back({path.filename().string(), file.content_hash});
  if (found->external.empty()) return file;
  const Result<std::vector<FilePart>> external = found->external.parts();
  if (!external) return error_of(external);
  std::string lines = file.content_hash + " \n";
  for (const FilePart& part : *external) lines += fmt::format("{} {}\n", part.sha256, part.location);
  file.content_hash = hash::sha256(lines);
  file.parts.insert(file.parts.end(), external->begin(), external->end());
  return file;
}

Result<FileTensors> tensors_of(const std::filesystem::path& path) {
  Result<Scan> found = scan(path);
  if (!found) return error_of(found);
  return FileTensors{std::move(found->inputs), std::move(found->outputs), found->can_share_cache};
}

std::vector<UnsettledInput> inputs_of_open_file(const std::filesystem::path& path) {
  const Result<Scan> found = scan(path);
  if (!found) return {};
  const InputShapes no_shapes;
  const Dimensions no_dimensions;
  const Advise no_advice;
  Request request{path, 1, no_shapes, no_dimensions, no_advice, found->inputs};
  find_batch(request);
  std::vector<UnsettledInput> inputs = unsettled(request);
  return std::any_of(inputs.begin(), inputs.end(), has_open_extent) ? inputs : std::vector<UnsettledInput>();
}

}  // namespace ngb::userfiles
