// SPDX-License-Identifier: Apache-2.0
// The keys below those of an entry of models: of its data, its cache, its quantisation and its inputs.
#include "base/tensor.h"
#include "config/keys/key.h"

namespace ngb::config {

const std::vector<Key>& data_keys() {
  static const std::vector<Key> kKeys{
      {.name = "arrays",
       .type = ValueType::path,
       .meaning =
           "An .npy file with all samples, row by row, or a folder of .npy files with a sample each, in the order "
           "of their names",
       .default_text = "none; `images` then"},
      {.name = "images",
       .type = ValueType::path,
       .meaning = "A folder of images, in the order of their names: the shorter side is scaled to 256/224 of the "
                  "input's, the middle cut out, and colours normalised as for ImageNet. Needs Pillow, which the "
                  "toolchain of `identity` has",
       .default_text = "none; `arrays` then"},
      {.name = "labels",
       .type = ValueType::path,
       .meaning = "The right classes, from 0 on: an .npy of integers, or a text file with one in each line",
       .default_text = "needed"},
  };
  return kKeys;
}

const std::vector<Key>& cache_keys() {
  static const std::vector<Key> kKeys{
      {.name = "past",
       .type = ValueType::text,
       .pattern = kLabel,
       .meaning = "Pattern of the inputs that are the cache: {layer} is a number, {part} any text",
       .default_text = "the usual names"},
      {.name = "present",
       .type = ValueType::text,
       .pattern = kLabel,
       .meaning = "Pattern of the outputs that are fed back into them",
       .default_text = "the usual names"},
      {.name = "position",
       .type = ValueType::text,
       .pattern = kLabel,
       .meaning = "The input with the places of new tokens, or none",
       .default_text = "an input whose name says so"},
      {.name = "mask",
       .type = ValueType::text,
       .pattern = kLabel,
       .meaning = "The input that is 1 for each token that is read, or none",
       .default_text = "an input whose name says so"},
  };
  return kKeys;
}

const std::vector<Key>& quantise_keys() {
  static const std::vector<Key> kKeys{
      {.name = "per_channel",
       .type = ValueType::boolean,
       .meaning = "A scale for each channel of a weight instead of one for all",
       .default_text = "`false`"},
      {.name = "inputs",
       .type = ValueType::integer,
       .minimum = 1,
       .maximum = 10'000,
       .meaning = "`static`: inputs with which ranges are calibrated, seeded ones, or rows of the exact model's files",
       .default_text = "32"},
      {.name = "method",
       .type = ValueType::word,
       .words = {"minmax", "entropy", "percentile"},
       .meaning = "`static`: how ranges follow from these inputs",
       .default_text = "`minmax`"},
      {.name = "exclude",
       .type = ValueType::texts,
       .pattern = kLabel,
       .meaning = "Nodes that stay as they are, by their names in the file",
       .default_text = "none"},
  };
  return kKeys;
}

const std::vector<Key>& tool_keys() {
  static const std::vector<Key> kKeys{
      {.name = "tool",
       .type = ValueType::text,
       .pattern = kLabel,
       .meaning = "A compiler's own tool, which makes a file for that compiler",
       .default_text = "needed"},
      {.name = "how",
       .type = ValueType::word,
       .words = {"static", "dynamic", "weights"},
       .meaning = "`static`: ranges of what is computed come from calibration; `dynamic`: each inference computes them "
                  "anew; `weights`: only weights are quantised, and it computes in real numbers",
       .default_text = "the tool's first"},
      {.name = "bits",
       .type = ValueType::integer,
       .minimum = 2,
       .maximum = 8,
       .meaning = "Of a weight",
       .default_text = "the tool's first"},
      {.name = "inputs",
       .type = ValueType::integer,
       .minimum = 1,
       .maximum = 10'000,
       .meaning = "`static`: inputs with which ranges are calibrated, as above",
       .default_text = "32"},
  };
  return kKeys;
}

const std::vector<Key>& input_keys() {
  static const std::vector<Key> kKeys{
      {.name = "range",
       .type = ValueType::structured,
       .meaning = "[least, largest] of the seeded values; real numbers stay below the largest",
       .default_text = "[-1, 1], integers [0, 1]"},
      {.name = "file",
       .type = ValueType::path,
       .meaning = "An .npy or .npz file with the values",
       .default_text = "none"},
      {.name = "array",
       .type = ValueType::text,
       .pattern = kLabel,
       .meaning = "Name of the array in an .npz file",
       .default_text = "the array with the input's name"},
      {.name = "type",
       .type = ValueType::word,
       .words = data_type_names(),
       .meaning = "`file`, `pytorch`, `timm`: element type, if `shapes` gives the shape",
       .default_text = "`f32`"},
  };
  return kKeys;
}

}  // namespace ngb::config
