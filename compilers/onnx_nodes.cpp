// SPDX-License-Identifier: Apache-2.0
#include "onnx_nodes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>

#include "plugin_boundary.h"

namespace ngb::plugin {
namespace {

// Numbers of fields in onnx.proto.
constexpr std::uint64_t kModelGraph = 7;
constexpr std::uint64_t kGraphNode = 1;
enum NodeField : std::uint64_t { kInput = 1, kOutput = 2, kName = 3, kOpType = 4, kAttribute = 5 };
enum AttributeField : std::uint64_t { kAttributeName = 1, kAttributeText = 4 };

[[noreturn]] void refuse() { throw Failure(NGB_INVALID_MODEL, "the model is not ONNX, or is damaged"); }

// Reader walks over the fields of one protobuf message.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  // Moves to the next field; false at the end.
  bool next() {
    if (rest_.empty()) return false;
    const std::uint64_t tag = varint();
    field_ = tag >> 3U;
    value_ = {};
    switch (tag & 7U) {
      case 0:
        varint();
        break;
      case 1:
        take(8);
        break;
      case 2:
        value_ = take(varint());
        break;
      case 5:
        take(4);
        break;
      default:
        refuse();
    }
    return true;
  }
  [[nodiscard]] std::uint64_t field() const { return field_; }
  // The bytes of a text or message; empty for a number.
  [[nodiscard]] std::string_view value() const { return value_; }
  [[nodiscard]] std::string text() const { return std::string(value_); }

 private:
  std::uint64_t varint() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      number |= std::uint64_t{byte & 0x7FU} << shift;
      if ((byte & 0x80U) == 0) return number;
    }
    refuse();
  }
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) refuse();
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
  std::uint64_t field_ = 0;
  std::string_view value_;
};

void read_attribute(std::string_view bytes, OnnxNode& node) {
  std::string name;
  std::string_view text;
  for (Reader reader(bytes); reader.next();) {
    if (reader.field() == kAttributeName) name = reader.text();
    if (reader.field() == kAttributeText) text = reader.value();
  }
  if (!text.empty()) node.texts[name] = text;
}

OnnxNode read_node(std::string_view bytes) {
  OnnxNode node;
  for (Reader reader(bytes); reader.next();) {
    switch (reader.field()) {
      case kInput:
        node.inputs.push_back(reader.text());
        break;
      case kOutput:
        node.outputs.push_back(reader.text());
        break;
      case kName:
        node.name = reader.text();
        break;
      case kOpType:
        node.op_type = reader.text();
        break;
      case kAttribute:
        read_attribute(reader.value(), node);
        break;
      default:
        break;
    }
  }
  return node;
}

// A file that is mapped to memory, so that weights are not read.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status{};
    if (file >= 0 && ::fstat(file, &status) == 0 && status.st_size > 0) {
      size_ = static_cast<std::size_t>(status.st_size);
      bytes_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    if (file >= 0) ::close(file);
    if (bytes_ == MAP_FAILED) throw Failure(NGB_INVALID_MODEL, "cannot read the model file " + path);
  }
  ~MappedFile() { ::munmap(bytes_, size_); }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  [[nodiscard]] std::string_view bytes() const { return {static_cast<const char*>(bytes_), size_}; }

 private:
  void* bytes_ = MAP_FAILED;
  std::size_t size_ = 0;
};

}  // namespace

OnnxNodes::OnnxNodes(std::string_view model) {
  for (Reader reader(model); reader.next();) {
    if (reader.field() != kModelGraph) continue;
    for (Reader graph(reader.value()); graph.next();) {
      if (graph.field() == kGraphNode) nodes_.push_back(read_node(graph.value()));
    }
  }
  name_and_index();
}

OnnxNodes OnnxNodes::of_file(const std::string& path) {
  const MappedFile file(path);
  return OnnxNodes(file.bytes());
}

void OnnxNodes::name_and_index() {
  std::map<std::string, int> times;
  for (const OnnxNode& node : nodes_) ++times[node.name];
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    OnnxNode& node = nodes_[i];
    if (node.name.empty() || times[node.name] > 1) node.name = node.op_type + ":" + std::to_string(i);
    by_name_.emplace(node.name, i);
    for (const std::string& input : node.inputs) by_input_.emplace(input, i);
    for (const std::string& output : node.outputs) {
      if (!output.empty()) by_output_.emplace(output, i);
    }
  }
}

const OnnxNode* OnnxNodes::at(const Index& index, const std::string& key) const {
  const auto found = index.find(key);
  return found == index.end() ? nullptr : &nodes_[found->second];
}

const OnnxNode* OnnxNodes::consumer_of(const std::string& tensor, std::string_view op_type) const {
  const auto [begin, end] = by_input_.equal_range(tensor);
  for (auto each = begin; each != end; ++each) {
    if (nodes_[each->second].op_type == op_type) return &nodes_[each->second];
  }
  return nullptr;
}

}  // namespace ngb::plugin
