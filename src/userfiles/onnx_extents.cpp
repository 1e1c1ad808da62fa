// SPDX-License-Identifier: Apache-2.0
#include "userfiles/onnx_extents.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "userfiles/onnx_operator.h"

namespace ngb::userfiles {
namespace {

using MaybeExtents = std::optional<Extents>;
using Rule = MaybeExtents (*)(const Operator&, const GraphTensors&);

constexpr std::size_t kMostAxes = 64;

bool are_small(const Values& values) {
  return std::all_of(values.begin(), values.end(),
                     [](std::int64_t each) { return each >= -kMostExtent && each <= kMostExtent; });
}

MaybeExtents broadcast(const Operator& node, const GraphTensors& tensors) {
  Extents all;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const MaybeExtents each = node.input(i, tensors).extents;
    if (!each) return std::nullopt;
    if (each->size() > all.size()) all.insert(all.begin(), each->size() - all.size(), 1);
    for (std::size_t k = 0; k < each->size(); ++k) {
      std::int64_t& extent = all[all.size() - each->size() + k];
      if (extent == 1) extent = (*each)[k];
    }
  }
  return all;
}

// Returns the extents over which a window slides; nothing if they are not known.
MaybeExtents slide(const Operator& node, const Extents& input, const Values& kernel) {
  const Values strides = node.integers("strides");
  const Values dilations = node.integers("dilations");
  Values pads = node.integers("pads");
  if (input.size() != kernel.size() + 2 || !are_small(strides) || !are_small(dilations) || !are_small(pads) ||
      !are_small(kernel)) {
    return std::nullopt;
  }
  const auto padding = node.attributes.find("auto_pad");
  const std::string mode = padding == node.attributes.end() ? "NOTSET" : padding->second.text;
  pads.resize(2 * kernel.size(), 0);
  Extents made;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const std::int64_t stride = i < strides.size() ? strides[i] : 1;
    const std::int64_t dilation = i < dilations.size() ? dilations[i] : 1;
    if (stride < 1) return std::nullopt;
    const std::int64_t extent = input[i + 2];
    if (mode.starts_with("SAME")) {
      made.push_back((extent + stride - 1) / stride);
      continue;
    }
    const std::int64_t padded = mode == "VALID" ? extent : extent + pads[i] + pads[i + kernel.size()];
    const std::int64_t room = padded - dilation * (kernel[i] - 1) - 1;
    if (room < 0) return std::nullopt;
    made.push_back((node.integer("ceil_mode", 0) != 0 ? (room + stride - 1) / stride : room / stride) + 1);
  }
  return made;
}

MaybeExtents convolution(const Operator& node, const GraphTensors& tensors) {
  const MaybeExtents input = node.input(0, tensors).extents;
  const MaybeExtents weight = node.input(1, tensors).extents;
  if (!input || !weight || weight->size() < 3) return std::nullopt;
  MaybeExtents positions = slide(node, *input, Values(weight->begin() + 2, weight->end()));
  if (!positions) return std::nullopt;
  positions->insert(positions->begin(), {input->front(), weight->front()});
  return positions;
}

MaybeExtents pool(const Operator& node, const GraphTensors& tensors) {
  const MaybeExtents input = node.input(0, tensors).extents;
  if (!input || input->size() < 3) return std::nullopt;
  MaybeExtents positions = slide(node, *input, node.integers("kernel_shape"));
  if (!positions) return std::nullopt;
  positions->insert(positions->begin(), {(*input)[0], (*input)[1]});
  return positions;
}

MaybeExtents global_pool(const Operator& node, const GraphTensors& tensors) {
  MaybeExtents made = node.input(0, tensors).extents;
  if (made && made->size() > 2) std::fill(made->begin() + 2, made->end(), 1);
  return made;
}

MaybeExtents matrix_product(const Operator& node, const GraphTensors& tensors) {
  const MaybeExtents a = node.input(0, tensors).extents;
  const MaybeExtents b = node.input(1, tensors).extents;
  if (!a || !b || a->size() < 2 || b->size() < 2) return std::nullopt;
  const bool is_longer = a->size() >= b->size();
  const Extents& longer = is_longer ? *a : *b;
  const Extents& shorter = is_longer ? *b : *a;
  Extents made(longer.begin(), longer.end() - 2);
  for (std::size_t i = 0; i + 2 < shorter.size(); ++i) {
    std::int64_t& extent = made[made.size() - (shorter.size() - 2) + i];
    if (extent == 1) extent = shorter[i];
  }
  made.push_back((*a)[a->size() - 2]);
  made.push_back(b->back());
  return made;
}

MaybeExtents gemm(const Operator& node, const GraphTensors& tensors) {
  const MaybeExtents a = node.input(0, tensors).extents;
  const MaybeExtents b = node.input(1, tensors).extents;
  if (!a || !b || a->size() != 2 || b->size() != 2) return std::nullopt;
  return Extents{(*a)[node.integer("transA", 0) != 0 ? 1 : 0], (*b)[node.integer("transB", 0) != 0 ? 0 : 1]};
}

MaybeExtents flatten(const Operator& node, const GraphTensors& tensors) {
  const MaybeExtents input = node.input(0, tensors).extents;
  if (!input) return std::nullopt;
  const std::int64_t axis = node.integer("axis", 1);
  const auto cut = axis < 0 ? axis + static_cast<std::int64_t>(input->size()) : axis;
  if (cut < 0 || cut > static_cast<std::int64_t>(input->size())) return std::nullopt;
  const auto before = product_of(Extents(input->begin(), input->begin() + cut));
  const auto after = product_of(Extents(input->begin() + cut, input->end()));
  if (!before || !after) return std::nullopt;
  return Extents{static_cast<std::int64_t>(*before), static_cast<std::int64_t>(*after)};
}

MaybeExtents reshape(const Operator& node, const GraphTensors& tensors) {
  const GraphTensor input = node.input(0, tensors);
  const std::optional<Values> wanted = node.input(1, tensors).values;
  const std::optional<std::uint64_t> count = input.elements();
  if (!count || !wanted) return std::nullopt;
  Extents made = *wanted;
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (made[i] != 0 || node.integer("allowzero", 0) != 0) continue;
    if (i >= input.extents->size()) return std::nullopt;
    made[i] = (*input.extents)[i];
  }
  const auto open = std::find(made.begin(), made.end(), -1);
  if (open == made.end()) return made;
  *open = 1;
  const std::optional<std::uint64_t> others = product_of(made);
  if (!others || *others == 0) return std::nullopt;
  *open = static_cast<std::int64_t>(*count / *others);
  return made;
}

MaybeExtents transpose(const Operator& node, const GraphTensors& tensors) {
  const MaybeExtents input = node.input(0, tensors).extents;
  if (!input) return std::nullopt;
  const Values order = node.integers("perm");
  Extents made(input->rbegin(), input->rend());
  if (order.empty()) return made;
  if (order.size() != input->size()) return std::nullopt;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto axis = axis_in(order[i], input->size());
    if (!axis) return std::nullopt;
    made[i] = (*input)[*axis];
  }
  return made;
}

MaybeExtents concatenation(const Operator& node, const GraphTensors& tensors) {
  MaybeExtents made = node.input(0, tensors).extents;
  if (!made) return std::nullopt;
  const auto axis = axis_in(node.integer("axis", 0), made->size());
  if (!axis) return std::nullopt;
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    const MaybeExtents each = node.input(i, tensors).extents;
    if (!each || each->size() != made->size()) return std::nullopt;
    (*made)[*axis] += (*each)[*axis];
  }
  return made;
}

MaybeExtents reduction(const Operator& node, const GraphTensors& tensors) {
  const MaybeExtents input = node.input(0, tensors).extents;
  const std::optional<Values> axes = integers_of(node, tensors, "axes", 1);
  if (!input || !axes) return std::nullopt;
  if (axes->empty() && node.integer("noop_with_empty_axes", 0) != 0) return input;
  const bool keeps = node.integer("keepdims", 1) != 0;
  std::vector<bool> is_reduced(input->size(), axes->empty());
  for (const std::int64_t each : *axes) {
    const auto axis = axis_in(each, input->size());
    if (!axis) return std::nullopt;
    is_reduced[*axis] = true;
  }
  Extents made;
  for (std::size_t i = 0; i < input->size(); ++i) {
    if (!is_reduced[i]) made.push_back((*input)[i]);
    if (is_reduced[i] && keeps) made.push_back(1);
  }
  return made;
}

MaybeExtents unsqueeze(const Operator& node, const GraphTensors& tensors) {
  MaybeExtents made = node.input(0, tensors).extents;
  const std::optional<Values> axes = integers_of(node, tensors, "axes", 1);
  if (!made || !axes) return std::nullopt;
  const std::size_t rank = made->size() + axes->size();
  std::vector<std::size_t> places;
  for (const std::int64_t each : *axes) {
    const auto axis = axis_in(each, rank);
    if (!axis) return std::nullopt;
    places.push_back(*axis);
  }
  std::sort(places.begin(), places.end());
  for (const std::size_t place : places) {
    if (place > made->size()) return std::nullopt;
    made->insert(made->begin() + static_cast<std::ptrdiff_t>(place), 1);
  }
  return made;
}

MaybeExtents squeeze(const Operator& node, const GraphTensors& tensors) {
  const MaybeExtents input = node.input(0, tensors).extents;
  const std::optional<Values> axes = integers_of(node, tensors, "axes", 1);
  if (!input || !axes) return std::nullopt;
  Extents made;
  for (std::size_t i = 0; i < input->size(); ++i) {
    const bool is_named = std::any_of(axes->begin(), axes->end(), [&](std::int64_t each) {
      return axis_in(each, input->size()) == std::optional(i);
    });
    if (!is_named && !(axes->empty() && (*input)[i] == 1)) made.push_back((*input)[i]);
  }
  return made;
}

MaybeExtents gather(const Operator& node, const GraphTensors& tensors) {
  const MaybeExtents input = node.input(0, tensors).extents;
  const MaybeExtents indices = node.input(1, tensors).extents;
  if (!input || !indices) return std::nullopt;
  const auto axis = axis_in(node.integer("axis", 0), input->size());
  if (!axis) return std::nullopt;
  const auto place = static_cast<std::ptrdiff_t>(*axis);
  Extents made(input->begin(), input->begin() + place);
  made.insert(made.end(), indices->begin(), indices->end());
  made.insert(made.end(), input->begin() + place + 1, input->end());
  return made;
}

MaybeExtents slice(const Operator& node, const GraphTensors& tensors) {
  MaybeExtents made = node.input(0, tensors).extents;
  const std::optional<Values> begins = integers_of(node, tensors, "starts", 1);
  const std::optional<Values> ends = integers_of(node, tensors, "ends", 2);
  std::optional<Values> axes = integers_of(node, tensors, "axes", 3);
  const std::optional<Values> steps = integers_of(node, tensors, "steps", 4);
  if (!made || !begins || !ends || !axes || !steps || begins->size() != ends->size()) return std::nullopt;
  for (std::size_t i = 0; i < begins->size(); ++i) {
    const auto axis = axis_in(i < axes->size() ? (*axes)[i] : static_cast<std::int64_t>(i), made->size());
    const std::int64_t step = i < steps->size() ? (*steps)[i] : 1;
    if (!axis || step < 1 || step > kMostExtent) return std::nullopt;
    std::int64_t& extent = (*made)[*axis];
    const auto place = [extent](std::int64_t at) {
      return std::clamp<std::int64_t>(at < 0 ? at + extent : at, 0, extent);
    };
    const std::int64_t length = std::max<std::int64_t>(0, place((*ends)[i]) - place((*begins)[i]));
    extent = (length + step - 1) / step;
  }
  return made;
}

MaybeExtents expansion(const Operator& node, const GraphTensors& tensors) {
  const MaybeExtents input = node.input(0, tensors).extents;
  const std::optional<Values> wanted = node.input(1, tensors).values;
  if (!input || !wanted) return std::nullopt;
  const Operator both{.inputs = {"input", "wanted"}};
  return broadcast(both, {{"input", {.extents = input}}, {"wanted", {.extents = wanted}}});
}

MaybeExtents padding(const Operator& node, const GraphTensors& tensors) {
  MaybeExtents made = node.input(0, tensors).extents;
  const std::optional<Values> pads = integers_of(node, tensors, "pads", 1);
  const bool has_axes = node.inputs.size() > 3 && !node.inputs[3].empty();
  if (!made || !pads || has_axes || pads->size() != 2 * made->size() || !are_small(*pads)) return std::nullopt;
  for (std::size_t i = 0; i < made->size(); ++i) (*made)[i] += (*pads)[i] + (*pads)[i + made->size()];
  return made;
}

MaybeExtents shape(const Operator& node, const GraphTensors& tensors) {
  const std::optional<Values> values = values_of(node, tensors);
  if (!values) return std::nullopt;
  return Extents{static_cast<std::int64_t>(values->size())};
}

MaybeExtents split(const Operator& node, const GraphTensors& tensors) {
  MaybeExtents made = node.input(0, tensors).extents;
  if (!made || node.outputs.empty()) return std::nullopt;
  const auto axis = axis_in(node.integer("axis", 0), made->size());
  const auto parts = static_cast<std::int64_t>(node.outputs.size());
  const bool is_even = !node.attributes.contains("split") && (node.inputs.size() < 2 || node.inputs[1].empty());
  if (!axis || !is_even || (*made)[*axis] % parts != 0) return std::nullopt;
  (*made)[*axis] /= parts;
  return made;
}

struct NamedRule {
  std::string_view type;
  Rule rule;
};
constexpr std::array kRules{NamedRule{"Conv", convolution},
                            NamedRule{"MaxPool", pool},
                            NamedRule{"AveragePool", pool},
                            NamedRule{"GlobalAveragePool", global_pool},
                            NamedRule{"GlobalMaxPool", global_pool},
                            NamedRule{"MatMul", matrix_product},
                            NamedRule{"Gemm", gemm},
                            NamedRule{"Flatten", flatten},
                            NamedRule{"Reshape", reshape},
                            NamedRule{"Transpose", transpose},
                            NamedRule{"Concat", concatenation},
                            NamedRule{"ReduceMean", reduction},
                            NamedRule{"ReduceSum", reduction},
                            NamedRule{"ReduceMax", reduction},
                            NamedRule{"ReduceMin", reduction},
                            NamedRule{"ReduceL2", reduction},
                            NamedRule{"Unsqueeze", unsqueeze},
                            NamedRule{"Squeeze", squeeze},
                            NamedRule{"Gather", gather},
                            NamedRule{"Slice", slice},
                            NamedRule{"Expand", expansion},
                            NamedRule{"Pad", padding},
                            NamedRule{"Shape", shape},
                            NamedRule{"Split", split}};

// Operators whose output has the shape of their first input.
constexpr std::array<std::string_view, 39> kSame{"Abs",         "BatchNormalization",
                                                 "Cast",        "Ceil",
                                                 "Celu",        "Clip",
                                                 "Cos",         "CumSum",
                                                 "Dropout",     "Elu",
                                                 "Erf",         "Exp",
                                                 "Floor",       "Gelu",
                                                 "HardSigmoid", "HardSwish",
                                                 "Identity",    "IsNaN",
                                                 "LRN",         "LayerNormalization",
                                                 "LeakyRelu",   "Log",
                                                 "LogSoftmax",  "Mish",
                                                 "Neg",         "Not",
                                                 "PRelu",       "QuantizeLinear",
                                                 "Reciprocal",  "Relu",
                                                 "Round",       "Selu",
                                                 "Sigmoid",     "Sin",
                                                 "Softmax",     "Softplus",
                                                 "Softsign",    "Sqrt",
                                                 "Tanh"};
constexpr std::array<std::string_view, 18> kBroadcast{
    "Add", "And", "Div", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Max", "Mean", "Min", "Mod",
    "Mul", "Or",  "Pow", "Sub",   "Sum",     "Where"};

MaybeExtents extents_of(const Operator& node, const GraphTensors& tensors) {
  const auto is_node = [&](std::string_view type) { return type == node.type; };
  if (std::any_of(kSame.begin(), kSame.end(), is_node)) return node.input(0, tensors).extents;
  if (std::any_of(kBroadcast.begin(), kBroadcast.end(), is_node)) return broadcast(node, tensors);
  if (node.type == "Constant") {
    const auto value = node.attributes.find("value");
    return value == node.attributes.end() ? MaybeExtents() : value->second.tensor.extents;
  }
  const auto* const rule =
      std::find_if(kRules.begin(), kRules.end(), [&](const NamedRule& each) { return each.type == node.type; });
  return rule == kRules.end() ? std::nullopt : rule->rule(node, tensors);
}

std::optional<std::uint64_t> element_bytes_of(const Operator& node, const GraphTensors& tensors) {
  constexpr std::array<std::string_view, 8> kTruths{"And",  "Equal",       "Greater", "GreaterOrEqual",
                                                    "Less", "LessOrEqual", "Not",     "Or"};
  if (std::find(kTruths.begin(), kTruths.end(), node.type) != kTruths.end()) return 1;
  if (node.type == "Shape") return sizeof(std::int64_t);
  if (node.type == "Cast") return bytes_of_type(node.integer("to", 0));
  if (node.type == "QuantizeLinear") return std::nullopt;
  if (node.type == "Constant") {
    const auto value = node.attributes.find("value");
    return value == node.attributes.end() ? std::nullopt : value->second.tensor.element_bytes;
  }
  return node.input(node.type == "Where" ? 1 : 0, tensors).element_bytes;
}

}  // namespace

void find_outputs(const Operator& node, GraphTensors& tensors) {
  if (!node.is_standard() || node.outputs.empty()) return;
  MaybeExtents extents = extents_of(node, tensors);
  const auto is_extent = [](std::int64_t each) { return each >= 0 && each <= kMostExtent; };
  if (extents && (extents->size() > kMostAxes || !std::all_of(extents->begin(), extents->end(), is_extent))) {
    extents.reset();
  }
  const std::optional<std::uint64_t> element_bytes = element_bytes_of(node, tensors);
  const std::optional<Values> values = values_of(node, tensors);
  const std::size_t count = node.type == "Split" ? node.outputs.size() : 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (node.outputs[i].empty()) continue;
    GraphTensor& output = tensors[node.outputs[i]];
    if (!output.extents) output.extents = extents;
    if (!output.element_bytes) output.element_bytes = element_bytes;
    if (!output.values) output.values = values;
  }
}

}  // namespace ngb::userfiles
