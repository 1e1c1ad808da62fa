// SPDX-License-Identifier: Apache-2.0
// Reads and writes protobuf's wire format, the format of ONNX files. It needs no library, which would clash with a
// compiler's own, and cannot be linked into the extension that hosts Python's compilers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ngb::wire {

// Numbers of fields in onnx.proto.
inline constexpr std::uint32_t kModelIrVersion = 1;
inline constexpr std::uint32_t kModelProducer = 2;
inline constexpr std::uint32_t kModelGraph = 7;
inline constexpr std::uint32_t kModelOpset = 8;
inline constexpr std::uint32_t kModelTraining = 20;
inline constexpr std::uint32_t kModelFunction = 25;
inline constexpr std::uint32_t kTrainingInitialization = 1;
inline constexpr std::uint32_t kTrainingAlgorithm = 2;
inline constexpr std::uint32_t kFunctionNode = 7;
inline constexpr std::uint32_t kOpsetDomain = 1;
inline constexpr std::uint32_t kOpsetVersion = 2;
inline constexpr std::uint32_t kGraphNode = 1;
inline constexpr std::uint32_t kGraphName = 2;
inline constexpr std::uint32_t kGraphInitializer = 5;
inline constexpr std::uint32_t kGraphInput = 11;
inline constexpr std::uint32_t kGraphOutput = 12;
inline constexpr std::uint32_t kGraphValue = 13;
inline constexpr std::uint32_t kGraphSparseInitializer = 15;
inline constexpr std::uint32_t kNodeInput = 1;
inline constexpr std::uint32_t kNodeOutput = 2;
inline constexpr std::uint32_t kNodeName = 3;
inline constexpr std::uint32_t kNodeType = 4;
inline constexpr std::uint32_t kNodeAttribute = 5;
inline constexpr std::uint32_t kNodeDomain = 7;
inline constexpr std::uint32_t kAttributeName = 1;
inline constexpr std::uint32_t kAttributeNumber = 2;
inline constexpr std::uint32_t kAttributeInteger = 3;
inline constexpr std::uint32_t kAttributeText = 4;
inline constexpr std::uint32_t kAttributeTensor = 5;
inline constexpr std::uint32_t kAttributeGraph = 6;
inline constexpr std::uint32_t kAttributeIntegers = 8;
inline constexpr std::uint32_t kAttributeTensors = 10;
inline constexpr std::uint32_t kAttributeGraphs = 11;
inline constexpr std::uint32_t kAttributeType = 20;
inline constexpr std::uint32_t kAttributeSparseTensor = 22;
inline constexpr std::uint32_t kAttributeSparseTensors = 23;
inline constexpr std::uint32_t kTensorExtents = 1;
inline constexpr std::uint32_t kTensorType = 2;
inline constexpr std::uint32_t kTensorNumbers = 4;
inline constexpr std::uint32_t kTensorIntegers = 7;
inline constexpr std::uint32_t kTensorName = 8;
inline constexpr std::uint32_t kTensorRaw = 9;
inline constexpr std::uint32_t kTensorExternal = 13;
inline constexpr std::uint32_t kTensorLocation = 14;  // 1: beside the file
inline constexpr std::uint32_t kSparseValues = 1;
inline constexpr std::uint32_t kSparseIndices = 2;
inline constexpr std::uint32_t kEntryKey = 1;
inline constexpr std::uint32_t kEntryValue = 2;
inline constexpr std::uint32_t kValueName = 1;
inline constexpr std::uint32_t kValueType = 2;
inline constexpr std::uint32_t kTypeTensor = 1;
inline constexpr std::uint32_t kTypeElement = 1;
inline constexpr std::uint32_t kTypeShape = 2;
inline constexpr std::uint32_t kShapeExtent = 1;
inline constexpr std::uint32_t kExtentValue = 1;
inline constexpr std::uint32_t kExtentName = 2;

// Types of attributes (AttributeProto.AttributeType) and of elements (TensorProto.DataType).
enum AttributeType : std::uint64_t { kNumber = 1, kInteger = 2, kText = 3, kTensor = 4, kIntegers = 7 };
enum ElementType : int {
  kFloat32 = 1,
  kUint8 = 2,
  kInt8 = 3,
  kInt32 = 6,
  kInt64 = 7,
  kBool = 9,
  kFloat16 = 10,
  kFloat64 = 11,
  kBfloat16 = 16
};

// A field of a message that is an integer, or bytes: a text, a message, or packed integers. A field with a fixed width
// (a floating-point number) has neither.
struct Part {
  std::uint32_t field = 0;
  std::optional<std::uint64_t> integer{};
  std::string_view bytes{};  // of the message that was read
  std::string_view whole{};  // likewise: the field with its head
};

// Moves the first field of a message to `part`. Returns false if the bytes are no message.
bool take_part(std::string_view& message, Part& part);

// Calls `use` with each part of the message. Returns false if the bytes are no message, or if `use` returns false.
template <class Use>
bool each_part(std::string_view message, const Use& use) {
  Part part;
  while (!message.empty()) {
    if (!take_part(message, part) || !use(part)) return false;
  }
  return true;
}

// Returns the last text of a field; "" if the message has none.
std::string text_in(std::string_view message, std::uint32_t field);
// Returns the last integer of a field; nothing if the message has none.
std::optional<std::int64_t> integer_in(std::string_view message, std::uint32_t field);
// Appends the integers of a part of a repeated field, which are packed or not. Returns false if they are damaged.
bool append_integers(const Part& part, std::vector<std::int64_t>& integers);

// Each returns a field: its head and its content. A negative integer is its two's complement.
std::string field_of(std::uint32_t field, std::string_view bytes);
std::string integer_field(std::uint32_t field, std::uint64_t integer);
std::string number_field(std::uint32_t field, float number);
std::string number_field(std::uint32_t field, double number);
// Returns what precedes the bytes of a field: its number and their size.
std::string head_of(std::uint32_t field, std::uint64_t size_bytes);
// Each returns numbers as the content of a packed field.
std::string packed(const std::vector<std::int64_t>& integers);
std::string packed(const std::vector<float>& numbers);

}  // namespace ngb::wire
