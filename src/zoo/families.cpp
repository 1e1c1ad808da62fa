// SPDX-License-Identifier: Apache-2.0
#include "zoo/families/table.h"

namespace ngb::zoo {

std::span<const Family> families() {
  static const std::vector<Family> table{
      resnet(),
      conv_block(),
  };
  return table;
}

}  // namespace ngb::zoo
