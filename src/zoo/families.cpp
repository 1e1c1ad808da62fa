// SPDX-License-Identifier: Apache-2.0
#include "zoo/families/table.h"

namespace ngb::zoo {

std::span<const Family> families() {
  static const std::vector<Family> table{
      resnet::family(),       efficientnet::family(), vit::family(),       swin::family(),          convnext::family(),
      mobilenet_v3::family(), conv_block::family(),   mha_block::family(), decoder_block::family(), mlp::family(),
  };
  return table;
}

ModelGroup model_group_of(const std::string& name) {
  for (const Family& family : families()) {
    if (family.name == name) return {family.group, family.style, {}};
    for (const Variant& variant : family.variants) {
      if (variant.name != name) continue;
      return {variant.group.empty() ? family.group : variant.group, family.style, variant.size};
    }
  }
  return {};
}

}  // namespace ngb::zoo
