// SPDX-License-Identifier: Apache-2.0
// Declares one function per family, in a namespace and a file of its name; families.cpp lists them.
#pragma once

#include "zoo/family.h"

namespace ngb::zoo {

// kInputGain is the gain of the first convolution. Inputs are uniform on [-1, 1) and so have the second moment 1/3;
// gain 3 gives its output the variance 1.
inline constexpr double kInputGain = 3;

namespace conv_block {
Family family();
}
namespace convnext {
Family family();
}
namespace decoder_block {
Family family();
}
namespace efficientnet {
Family family();
}
namespace mha_block {
Family family();
}
namespace mlp {
Family family();
}
namespace mobilenet_v3 {
Family family();
}
namespace resnet {
Family family();
}
namespace swin {
Family family();
}
namespace vit {
Family family();
}

}  // namespace ngb::zoo
