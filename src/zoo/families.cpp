// SPDX-License-Identifier: Apache-2.0
#include "zoo/families/table.h"

namespace ngb::zoo {

std::span<const Family> families() {
  static const std::vector<Family> table{
      resnet(),       efficientnet(), vit(),       swin(),          convnext(),
      mobilenet_v3(), conv_block(),   mha_block(), decoder_block(), mlp(),
  };
  return table;
}

}  // namespace ngb::zoo
