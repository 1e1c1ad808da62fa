// SPDX-License-Identifier: Apache-2.0
// Runs a model in several shapes by turns (work::Model::visited). Each visit hands over a shape's inputs and runs an
// inference. A pass visits each shape as often as its share of the mix says, in an order that is drawn anew for each
// pass, and different in each process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "worker/inputs.h"
#include "worker/pass.h"

namespace ngb::worker {

struct ShapeToVisit {
  std::string name{};  // "sequence=16"
  std::size_t visits = 1;
  Inputs inputs{};
  Target target{};
};

class Visits final : public Pass {
 public:
  // Shapes with one session in common are bound in each visit, which is timed with the run. A session that has one
  // shape alone is bound here; *status says if it failed, and its error is copied to that of the first.
  static Result<std::unique_ptr<Visits>> make(std::vector<ShapeToVisit> shapes, std::uint64_t order_seed,
                                              ngb_status* status);

  // A shape's times are kept side by side, shape by shape, in the order of its visits.
  std::size_t repeat(const Times& times, std::span<std::int64_t> latencies_ns, samples::RunCount& done,
                     ngb_status* status) override;
  [[nodiscard]] std::uint32_t steps() const override { return static_cast<std::uint32_t>(order_.size()); }
  [[nodiscard]] bool is_first(std::size_t step) const override;
  void keep_next() override { keeps_ = true; }
  // The outputs of each shape's first visit, named "logits sequence=16".
  [[nodiscard]] std::vector<OutputView> outputs() const override;
  // Of each shape: how often a pass visits it, and the memory that the process gained in its first visit.
  void add_to(samples::ProcessResult& result) const override;

 private:
  struct Shape {
    ShapeToVisit given{};
    bool is_bound_each_time = false;
    std::size_t first_place = 0;  // among the kept times of a pass
    Known<double> memory_gain{};  // bytes, in its first visit
    bool was_visited = false;
  };
  struct Kept {
    TensorSignature signature{};
    std::string bytes{};
  };
  Visits() = default;

  ngb_status bind(Shape& shape);
  ngb_status visit(Shape& shape, std::int64_t* begin_ns, std::int64_t* wall_ns);
  ngb_status keep(std::size_t shape);
  void tell_first(const Target& target);

  std::vector<Shape> shapes_{};
  std::vector<std::size_t> order_{};  // a shape for each visit of a pass
  std::uint64_t order_seed_ = 0;
  std::uint64_t passes_ = 0;
  bool keeps_ = false;
  std::vector<std::vector<Kept>> kept_{};  // by shape
};

}  // namespace ngb::worker
