// SPDX-License-Identifier: Apache-2.0
// One function for each family, each in the file of its name in this folder; families.cpp lists them.
#pragma once

#include "zoo/family.h"

namespace ngb::zoo {

// Gain of the first convolution: inputs are uniform on [-1, 1) and have the second moment 1/3, so that gain 3 gives its
// output the variance 1.
inline constexpr double kInputGain = 3;

Family conv_block();
Family convnext();
Family decoder_block();
Family efficientnet();
Family mha_block();
Family mlp();
Family mobilenet_v3();
Family resnet();
Family swin();
Family vit();

}  // namespace ngb::zoo
