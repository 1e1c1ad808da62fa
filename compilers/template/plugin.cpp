// SPDX-License-Identifier: Apache-2.0
// The start of a compiler of your own, whose outputs are copies of its inputs. Replace what the functions do by calls
// of your library; docs/plugin.md says what each may do, and ngraphbench/plugin.h which further ones there are.
#include "ngraphbench/plugin.h"

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "compiler_json.h"

namespace {

class Session {
 public:
  // Opens the library. Its options have the values of the study, or the defaults of compiler.json.
  Session(const ngb_settings& given, const ngb::plugin::Options& options)
      : settings_(given), copies_(options.integer("copies")) {
    if (settings_.threads != 1) {
      throw ngb::plugin::Failure(NGB_INVALID_OPTION, "it computes on one thread", "give threads: 1");
    }
  }

  // Compiles the ONNX file at `model.path` for the shapes of `model.inputs`.
  void compile(const ngb_model& model) const {
    if (!std::ifstream(model.path)) {
      throw ngb::plugin::Failure(NGB_INVALID_MODEL, std::string("cannot read ") + model.path);
    }
  }

  // Keeps the inputs, and allocates all that an inference needs.
  void bind(const ngb_tensor* inputs, std::uint32_t count) {
    inputs_.assign(inputs, inputs + count);
    outputs_.clear();
    for (const ngb_tensor& input : inputs_) outputs_.emplace_back(input.size_bytes);
  }

  // Runs one inference, which has ended when this returns. Only this is timed.
  void run() {
    for (std::int64_t copy = 0; copy < copies_; ++copy) {
      for (std::size_t i = 0; i < inputs_.size(); ++i) {
        std::memcpy(outputs_[i].data(), inputs_[i].data, outputs_[i].size());
      }
    }
  }

  [[nodiscard]] std::size_t output_count() const { return outputs_.size(); }
  [[nodiscard]] ngb_tensor read(std::uint32_t index) {
    ngb_tensor output = inputs_[index];
    output.data = outputs_[index].data();
    return output;
  }

  // What the library reports of itself, and not what it was asked for.
  [[nodiscard]] const ngb::plugin::Facts& facts() const { return facts_; }

 private:
  ngb::plugin::Settings settings_;
  std::int64_t copies_;
  std::vector<ngb_tensor> inputs_{};
  std::vector<std::vector<char>> outputs_{};
  ngb::plugin::Facts facts_{{"version", "1"}, {"device", "cpu"}, {"precision", "f32"}, {"threads", "1"}};
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const ngb_compiler* ngb_compiler_table() {
  static const ngb_compiler table = ngb::plugin::native_plugin<Session, kCompilerJson>();
  return &table;
}
