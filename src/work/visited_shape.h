// SPDX-License-Identifier: Apache-2.0
// Sizes of a model's inputs that one process visits beside others: a study's `shapes_in_one_session`.
#pragma once

#include <string>
#include <vector>

#include "base/record.h"
#include "base/tensor.h"

namespace ngb::work {

struct VisitedShape {
  std::string name{};  // "sequence=16"
  int visits = 1;      // of a pass, which is a repetition
  std::vector<TensorSignature> inputs{};
  std::vector<TensorSignature> unpadded{};  // as in Model

  static constexpr auto fields(auto visit) {
    return visit(Field{"name", &VisitedShape::name}, Field{"visits", &VisitedShape::visits},
                 Field{"inputs", &VisitedShape::inputs}, Field{"unpadded", &VisitedShape::unpadded});
  }
};

}  // namespace ngb::work
