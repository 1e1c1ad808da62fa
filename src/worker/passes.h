// SPDX-License-Identifier: Apache-2.0
// Runs a model that generates tokens in passes (work::Decoding): one step for each new token, whose outputs are fed
// back. The compiler feeds them back if it can (ngb_compiler::feed_back). If it cannot, outputs are copied to inputs
// here and bound again, whatever the compiler. Either is a part of a step's time. What happens before the first step is
// not: caches get their first content again, or a model that keeps its cache itself is emptied and reads the context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "ngraphbench/compiler.h"
#include "work/model.h"
#include "worker/inputs.h"
#include "worker/pass.h"

namespace ngb::worker {

// Every pass begins with the same cache, whose rows behind the context are filled with a large number: a step that
// reads them is wrong and is found out. The tokens of a step depend only on the study's seed, on the step and on the
// number of the sample.
class Passes final : public Pass {
 public:
  // The target's session is bound to `inputs`, whose values it may change from now on. Model and inputs outlive the
  // result. Returns an error if an input that the model's decoding names is missing, or if the model keeps its cache
  // itself and the compiler cannot empty it.
  static Result<Passes> make(const work::Model& model, std::uint64_t seed, const Target& target, const Inputs& inputs);

  std::size_t repeat(const Times& times, std::span<std::int64_t> latencies_ns, samples::RunCount& done,
                     ngb_status* status) override;
  [[nodiscard]] std::uint32_t steps() const override { return static_cast<std::uint32_t>(decoding_->new_tokens); }
  [[nodiscard]] bool is_first(std::size_t /*step*/) const override { return true; }  // each is longer than those before
  void keep_next() override { keeps_ = true; }
  // Of every output that is no whole cache the values of all steps, [steps, …], and of the others the rows that the
  // pass has added.
  [[nodiscard]] std::vector<OutputView> outputs() const override;
  // Adds who feeds outputs back, what that copies, and what a step reads.
  void add_to(samples::ProcessResult& result) const override;

 private:
  // A part of the cache, with the values with which a pass begins.
  struct Part {
    ngb_tensor into{};
    std::string start{};
    std::size_t place = 0;  // among the inputs
    bool grows = false;
  };
  struct Kept {
    TensorSignature signature{};
    std::string bytes{};
  };
  Passes() = default;

  [[nodiscard]] std::size_t place_of(const std::string& input) const;
  void add_part(std::size_t place, bool grows);
  void add_mask();
  Status make_room();
  Status make_prompt(const work::Model& model, std::uint64_t seed);
  void draw_ids(const work::Model& model, std::uint64_t seed);
  ngb_status begin();
  ngb_status read_prompt();
  ngb_status bind(std::span<const ngb_tensor> inputs);
  void write_step(std::size_t step);
  ngb_status run_step(std::size_t step) {
    return is_fed_by_host_ ? run_and_copy(step) : target_.compiler->run(target_.session, target_.error);
  }
  ngb_status run_and_copy(std::size_t step);
  ngb_status copy_back(std::size_t part, std::size_t step);
  void grow(std::size_t place, std::size_t axis, std::int64_t rows);
  void write_mask(std::int64_t tokens);
  ngb_status keep_step(std::size_t step);
  void keep_output(std::uint32_t index, const ngb_tensor& tensor, std::size_t step);
  [[nodiscard]] std::uint64_t cache_bytes() const;

  const work::Decoding* decoding_ = nullptr;
  Target target_{};
  std::span<const ngb_tensor> inputs_{};
  ngb_tensor ids_{};
  std::vector<std::pair<ngb_tensor, int>> counters_{};  // with what they add to the number of tokens before a step
  std::string ids_of_steps_{};                          // the bytes of all steps, one after the other
  std::vector<Part> parts_{};
  std::vector<ngb_feedback> pairs_{};  // of each part; then of a mask that grows
  std::optional<std::size_t> mask_{};  // its place among the inputs
  // What the host binds at each step: the inputs, of which those that grow lie in memory of their own.
  std::vector<ngb_tensor> bound_{};
  std::vector<std::vector<std::int64_t>> shapes_{};  // of bound_
  std::optional<Inputs> grown_{};
  std::optional<Inputs> prompt_{};  // of a model that keeps its cache itself
  bool is_bound_ = true;  // to bound_; a compiler need not know that a mask has room to grow until a pass begins
  bool is_fed_by_host_ = true;
  std::uint64_t copied_bytes_ = 0;  // in a step, beside what the graph copies
  bool keeps_ = false;
  std::vector<Kept> kept_{};
};

}  // namespace ngb::worker
