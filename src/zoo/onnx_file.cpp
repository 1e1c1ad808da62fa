// SPDX-License-Identifier: Apache-2.0
#include "zoo/onnx_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <unordered_map>

#include "base/hash.h"
#include "base/text.h"
#include "onnx/onnx.pb.h"
#include "zoo/external_data.h"
#include "zoo/onnx_scan.h"

namespace ngb::zoo {
namespace {

constexpr std::size_t kMostInputs = 65536;
constexpr std::size_t kHighestRank = 64;
constexpr std::uint64_t kLargestInputBytes = 1ULL << 40U;

std::optional<DataType> data_type(int element_type) {
  switch (element_type) {
    case onnx::TensorProto::FLOAT:
      return DataType::f32;
    case onnx::TensorProto::FLOAT16:
      return DataType::f16;
    case onnx::TensorProto::BFLOAT16:
      return DataType::bf16;
    case onnx::TensorProto::DOUBLE:
      return DataType::f64;
    case onnx::TensorProto::INT64:
      return DataType::i64;
    case onnx::TensorProto::INT32:
      return DataType::i32;
    case onnx::TensorProto::INT8:
      return DataType::i8;
    case onnx::TensorProto::UINT8:
      return DataType::u8;
    case onnx::TensorProto::BOOL:
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
};

// The inputs that have to be fed, and what lies beside the file.
struct Scan {
  std::vector<ScannedInput> inputs{};
  ExternalFiles external;
};

Result<Scan> scan(const std::filesystem::path& path) {
  Scan found{{}, ExternalFiles(path)};
  ScanVisitor first;
  first.on_input = [&](ScannedInput input) -> Status {
    if (found.inputs.size() >= kMostInputs) return fail(fmt::format("more than {} inputs", kMostInputs), path.string());
    if (input.shape && input.shape->size() > kHighestRank) {
      return fail(fmt::format("more than {} dimensions", kHighestRank), input_place(path, input.name));
    }
    found.inputs.push_back(std::move(input));
    return Done{};
  };
  first.on_tensor = [&](const ScannedTensor& tensor) -> Status {
    return tensor.external ? found.external.add(tensor) : Done{};
  };
  if (const Status status = scan_onnx(path, first); !status) return tl::unexpected(status.error());

  // A second walk leaves out inputs that an initializer gives, so that no list of all initializers is ever held.
  std::unordered_map<std::string_view, bool> is_given;
  for (const ScannedInput& input : found.inputs) is_given[input.name] = false;
  ScanVisitor second;
  second.on_tensor = [&](const ScannedTensor& tensor) -> Status {
    const auto known = is_given.find(tensor.name);
    if (tensor.of_main_graph && known != is_given.end()) known->second = true;
    return Done{};
  };
  if (const Status status = scan_onnx(path, second); !status) return tl::unexpected(status.error());
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
  const bool positive = std::all_of(given.begin(), given.end(), [](std::int64_t extent) { return extent >= 1; });
  bool agrees = !input.shape || input.shape->size() == given.size();
  for (std::size_t i = 0; agrees && input.shape && i < given.size(); ++i) {
    const std::optional<std::int64_t>& fixed = (*input.shape)[i];
    agrees = !fixed || *fixed == given[i];
  }
  if (agrees && positive) return Done{};
  return fail(fmt::format("the shape [{}] that the study gives does not fit the model's", fmt::join(given, ", ")),
              input_place(request.path, input.name));
}

// The shape with nothing left open.
Result<std::vector<std::int64_t>> settle(const Request& request, const ScannedInput& input) {
  const std::vector<std::int64_t>* given = given_shape(request, input.name);
  if (given != nullptr) {
    if (const Status status = check_given(request, input, *given); !status) return tl::unexpected(status.error());
  }
  const std::string advice = fmt::format("give the shape of \"{}\" in the study", text::to_utf8(input.name));
  if (!input.shape && given == nullptr) {
    return fail("the model does not say how many dimensions it has", input_place(request.path, input.name), advice);
  }
  const std::vector<std::optional<std::int64_t>> extents =
      input.shape ? *input.shape : std::vector<std::optional<std::int64_t>>(given->size());
  std::vector<std::int64_t> shape;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::optional<std::int64_t>& fixed = extents[i];
    const bool is_batch = i == 0 && (given == nullptr || given->front() == 1);
    if (fixed) {
      shape.push_back(*fixed);
    } else if (is_batch) {
      shape.push_back(request.batch);
    } else if (given != nullptr) {
      shape.push_back((*given)[i]);
    } else {
      return fail(fmt::format("dimension {} is dynamic", i), input_place(request.path, input.name), advice);
    }
  }
  return shape;
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

Result<TensorSignature> signature(const Request& request, const ScannedInput& input) {
  const std::optional<DataType> type = data_type(input.element_type);
  if (!input.is_tensor || !type) {
    const std::string what = input.is_tensor && onnx::TensorProto::DataType_IsValid(input.element_type)
                                 ? "elements of type " + onnx::TensorProto::DataType_Name(input.element_type)
                                 : "a value that is no tensor";
    return fail(what + " cannot be fed", input_place(request.path, input.name),
                "use a model with inputs of f32, f16, bf16, f64, i64, i32, i8, u8 or bool");
  }
  Result<std::vector<std::int64_t>> shape = settle(request, input);
  if (!shape) return tl::unexpected(shape.error());
  TensorSignature result{input.name, *type, std::move(*shape)};
  if (const Status status = check_size(request, result); !status) return tl::unexpected(status.error());
  return result;
}

// Every shape of the study belongs to an input, and a model made for one batch size is not run at another.
Status check_request(const Request& request, const std::vector<ScannedInput>& inputs) {
  std::vector<std::string> names;
  names.reserve(inputs.size());
  for (const ScannedInput& input : inputs) names.push_back(input.name);
  for (const auto& given : request.shapes) {
    if (std::find(names.begin(), names.end(), given.first) != names.end()) continue;
    const std::optional<std::string> near = text::nearest(given.first, names);
    return fail(near ? fmt::format("no such input, did you mean {}?", *near)
                     : fmt::format("no such input, expected one of {}", text::join(names, ", ")),
                input_place(request.path, given.first));
  }
  const ScannedInput* first_fixed = nullptr;
  for (const ScannedInput& input : inputs) {
    if (!input.shape || input.shape->empty()) continue;
    if (!input.shape->front()) return Done{};
    if (first_fixed == nullptr) first_fixed = &input;
  }
  if (first_fixed == nullptr || first_fixed->shape->front() == request.batch) return Done{};
  return fail(fmt::format("made for batch {}, not {}", *first_fixed->shape->front(), request.batch),
              input_place(request.path, first_fixed->name),
              "ask for that batch, or export the model with a dynamic first dimension");
}

}  // namespace

Result<OnnxFile> inspect_onnx(const std::filesystem::path& path, int batch, const InputShapes& shapes) {
  const Request request{path, batch, shapes};
  if (batch < 1) return fail(fmt::format("batch {} is out of range, expected at least 1", batch), path.string());
  const Result<Scan> found = scan(path);
  if (!found) return tl::unexpected(found.error());
  if (const Status status = check_request(request, found->inputs); !status) return tl::unexpected(status.error());
  OnnxFile file;
  for (const ScannedInput& input : found->inputs) {
    Result<TensorSignature> result = signature(request, input);
    if (!result) return tl::unexpected(result.error());
    file.inputs.push_back(std::move(*result));
  }
  std::error_code code;
  file.file_bytes = std::filesystem::file_size(path, code) + found->external.size_bytes();
  if (code) return fail("cannot read: " + code.message(), path.string());
  Result<std::string> hash = hash::sha256_of_file(path);
  if (!hash) return tl::unexpected(hash.error());
  file.content_hash = std::move(*hash);
  if (found->external.empty()) return file;
  const Result<std::string> lines = found->external.hash_lines();
  if (!lines) return tl::unexpected(lines.error());
  file.content_hash = hash::sha256(file.content_hash + " \n" + *lines);
  return file;
}

}  // namespace ngb::zoo
