// SPDX-License-Identifier: Apache-2.0
// The wire format is read here by hand, because processes of Python compilers read graphs, too, and Debian's protobuf
// library cannot be linked into the extension that hosts them.
#include "userfiles/onnx_graph.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/file.h"

namespace ngb::userfiles {
namespace {

// Numbers of fields in onnx.proto.
constexpr std::uint32_t kModelGraph = 7;
constexpr std::uint32_t kGraphNode = 1;
constexpr std::uint32_t kGraphInitializer = 5;
constexpr std::uint32_t kGraphInput = 11;
constexpr std::uint32_t kGraphSparseInitializer = 15;
constexpr std::uint32_t kNodeInput = 1;
constexpr std::uint32_t kNodeOutput = 2;
constexpr std::uint32_t kNodeName = 3;
constexpr std::uint32_t kNodeType = 4;
constexpr std::uint32_t kInputName = 1;
constexpr std::uint32_t kTensorName = 8;
constexpr std::uint32_t kSparseValues = 1;

// Removes a number of variable length from the front; nothing: the bytes are not one.
std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80U) return value;
  }
  return std::nullopt;
}

// Calls `use` with the number and the bytes of each field of a message that has bytes: texts and messages. Returns
// false if the bytes are no message, or if `use` returns false.
bool each_field(std::string_view message, const std::function<bool(std::uint32_t, std::string_view)>& use) {
  while (!message.empty()) {
    const std::optional<std::uint64_t> tag = take_varint(message);
    if (!tag) return false;
    std::uint64_t length = 0;
    switch (*tag & 7U) {
      case 0:
        if (!take_varint(message)) return false;
        continue;
      case 1:
        length = 8;
        break;
      case 2: {
        const std::optional<std::uint64_t> told = take_varint(message);
        if (!told || *told > message.size()) return false;
        if (!use(static_cast<std::uint32_t>(*tag >> 3U), message.substr(0, *told))) return false;
        length = *told;
        break;
      }
      case 5:
        length = 4;
        break;
      default:
        return false;
    }
    if (length > message.size()) return false;
    message.remove_prefix(length);
  }
  return true;
}

// Returns the text of a field; "" if the message has none.
std::string text_in(std::string_view message, std::uint32_t field) {
  std::string text;
  each_field(message, [&](std::uint32_t number, std::string_view bytes) {
    if (number == field) text = bytes;
    return true;
  });
  return text;
}

class GraphReader {
 public:
  // Returns whether the bytes are a model.
  bool read(std::string_view model) {
    bool has_graph = false;
    const bool is_message = each_field(model, [&](std::uint32_t number, std::string_view bytes) {
      if (number != kModelGraph) return true;
      has_graph = true;
      return each_field(bytes, [this](std::uint32_t field, std::string_view part) { return add(field, part); });
    });
    return is_message && has_graph && !nodes_.empty();
  }

  std::vector<work::GraphNode> finish() {
    for (work::GraphNode& node : nodes_) {
      std::erase_if(node.inputs, [this](const std::string& each) {
        return each.empty() || !computed_.contains(each) ||
               weights_.contains(each);  // old files list weights among the inputs
      });
      std::erase(node.outputs, "");
    }
    give_names();
    return std::move(nodes_);
  }

 private:
  bool add(std::uint32_t field, std::string_view part) {
    if (field == kGraphNode) return add_node(part);
    if (field == kGraphInput) computed_.insert(text_in(part, kInputName));
    if (field == kGraphInitializer) weights_.insert(text_in(part, kTensorName));
    if (field == kGraphSparseInitializer) {
      each_field(part, [this](std::uint32_t number, std::string_view values) {
        if (number == kSparseValues) weights_.insert(text_in(values, kTensorName));
        return true;
      });
    }
    return true;
  }

  bool add_node(std::string_view message) {
    work::GraphNode& node = nodes_.emplace_back();
    return each_field(message, [&](std::uint32_t number, std::string_view bytes) {
      if (number == kNodeName) node.name = bytes;
      if (number == kNodeType) node.type = bytes;
      if (number == kNodeInput) node.inputs.emplace_back(bytes);
      if (number == kNodeOutput) computed_.insert(node.outputs.emplace_back(bytes));
      return true;
    });
  }

  void give_names() {
    std::unordered_map<std::string, std::size_t> counts;
    for (const work::GraphNode& node : nodes_) ++counts[node.name];
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const bool has_own_name = !nodes_[i].name.empty() && counts[nodes_[i].name] == 1;
      if (!has_own_name) nodes_[i].name = fmt::format("{}:{}", nodes_[i].type, i);
    }
  }

  std::vector<work::GraphNode> nodes_{};
  std::unordered_set<std::string> computed_{};  // tensors that are no weights
  std::unordered_set<std::string> weights_{};
};

// The bytes of a file, which are read when they are looked at. Weights are not.
class Mapping {
 public:
  Mapping(const FileDescriptor& file, std::size_t size)
      : size_(size), data_(::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0)) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (is_open()) ::munmap(data_, size_);
  }
  [[nodiscard]] bool is_open() const { return data_ != MAP_FAILED; }
  [[nodiscard]] std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }

 private:
  std::size_t size_;
  void* data_;
};

}  // namespace

Result<std::vector<work::GraphNode>> read_graph(const std::filesystem::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) return tl::unexpected(file::from_errno("read", path, errno));
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return tl::unexpected(file::from_errno("read", path, errno));
  const tl::unexpected<Error> no_model = fail("not an ONNX model, or a truncated or damaged one", path.string(),
                                              "check the file, for instance with onnx.checker");
  if (!S_ISREG(status.st_mode) || status.st_size == 0) return no_model;
  const Mapping mapping(file, static_cast<std::size_t>(status.st_size));
  if (!mapping.is_open()) return tl::unexpected(file::from_errno("read", path, errno));
  GraphReader reader;
  if (!reader.read(mapping.bytes())) return no_model;
  return reader.finish();
}

}  // namespace ngb::userfiles
