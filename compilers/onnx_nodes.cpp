// SPDX-License-Identifier: Apache-2.0
#include "onnx_nodes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/onnx_wire.h"
#include "ngraphbench/plugin_boundary.h"

namespace ngb::plugin {
namespace {

template <class Use>
void each_part_of(std::string_view message, const Use& use) {
  const auto use_all = [&use](const wire::Part& part) {
    use(part);
    return true;
  };
  if (!wire::each_part(message, use_all)) throw Failure(NGB_INVALID_MODEL, "the model is not ONNX, or is damaged");
}

void read_attribute(std::string_view bytes, OnnxNode& node) {
  std::string name;
  std::string_view text;
  each_part_of(bytes, [&](const wire::Part& part) {
    if (part.field == wire::kAttributeName) name = part.bytes;
    if (part.field == wire::kAttributeText) text = part.bytes;
  });
  if (!text.empty()) node.texts[name] = text;
}

OnnxNode read_node(std::string_view bytes) {
  OnnxNode node;
  each_part_of(bytes, [&](const wire::Part& part) {
    if (part.field == wire::kNodeInput) node.inputs.emplace_back(part.bytes);
    if (part.field == wire::kNodeOutput) node.outputs.emplace_back(part.bytes);
    if (part.field == wire::kNodeName) node.name = part.bytes;
    if (part.field == wire::kNodeType) node.op_type = part.bytes;
    if (part.field == wire::kNodeAttribute) read_attribute(part.bytes, node);
  });
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
  each_part_of(model, [this](const wire::Part& part) {
    if (part.field != wire::kModelGraph) return;
    each_part_of(part.bytes, [this](const wire::Part& of_graph) {
      if (of_graph.field == wire::kGraphNode) nodes_.push_back(read_node(of_graph.bytes));
    });
  });
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
