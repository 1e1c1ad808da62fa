// SPDX-License-Identifier: Apache-2.0
// Swin transformers as timm 1.0 builds them (timm.models.swin_transformer.SwinTransformer): Liu et al., "Swin
// Transformer", 2021, with the window sizes of S3: Chen et al., "Searching the search space of vision transformer",
// 2021. Activations are [batch, height, width, channels].
#include <fmt/format.h>

#include <algorithm>

#include "zoo/families/table.h"
#include "zoo/families/transformer.h"
#include "zoo/layers.h"
#include "zoo/shapes.h"

namespace ngb::zoo::swin {
namespace {

constexpr std::size_t kStages = 4;
constexpr std::int64_t kPatch = 4;
constexpr float kEpsilon = 1e-5F;
constexpr double kBranchGain = 0.2;  // of the last projection of a branch
constexpr double kHeadGain = 12;     // averages over the map are small
constexpr float kMasked = -100;      // timm adds this to the scores of pairs that must not attend to each other

struct Windows {
  std::int64_t size = 0;    // height and width of a window
  std::int64_t shift = 0;   // by which the map is rolled before it is cut
  std::int64_t map = 0;     // height and width of the map
  std::int64_t padded = 0;  // height and width, rounded up to a multiple of the window
  [[nodiscard]] std::int64_t across() const { return padded / size; }
  [[nodiscard]] std::int64_t tokens() const { return size * size; }
};

// Follows timm's SwinTransformerBlock._calc_window_shift: a window is at most as large as the map, and one that covers
// it is not shifted.
Windows windows_of(std::int64_t map, std::int64_t wanted, bool shifted) {
  const std::int64_t size = std::min(map, wanted);
  const std::int64_t padded = (map + size - 1) / size * size;
  return {.size = size, .shift = shifted && map > size ? wanted / 2 : 0, .map = map, .padded = padded};
}

// Maps [batch, map, map, channels] to [batch × windows, tokens, channels].
Tensor partition(Graph& graph, const std::string& name, const Tensor& x, const Windows& windows) {
  if (graph.failed()) return {};
  const std::int64_t channels = x.shape[3];
  const std::int64_t across = windows.across();
  Tensor y = reshape(graph, name + "/grid", x, {x.shape[0], across, windows.size, across, windows.size, channels});
  y = transpose(graph, name + "/by_window", y, {0, 1, 3, 2, 4, 5});
  return reshape(graph, name, y, {x.shape[0] * across * across, windows.tokens(), channels});
}

Tensor reverse(Graph& graph, const std::string& name, const Tensor& x, const Windows& windows) {
  if (graph.failed()) return {};
  const std::int64_t channels = x.shape[2];
  const std::int64_t across = windows.across();
  const std::int64_t batch = x.shape[0] / (across * across);
  Tensor y = reshape(graph, name + "/grid", x, {batch, across, across, windows.size, windows.size, channels});
  y = transpose(graph, name + "/by_row", y, {0, 1, 3, 2, 4, 5});
  return reshape(graph, name, y, {batch, windows.padded, windows.padded, channels});
}

// Returns the row of timm's relative_position_bias_table for each pair of tokens in a window.
std::vector<std::int64_t> relative_positions(std::int64_t size) {
  std::vector<std::int64_t> positions;
  const std::int64_t tokens = size * size;
  for (std::int64_t a = 0; a < tokens; ++a) {
    for (std::int64_t b = 0; b < tokens; ++b) {
      const std::int64_t down = a / size - b / size + size - 1;
      const std::int64_t right = a % size - b % size + size - 1;
      positions.push_back(down * (2 * size - 1) + right);
    }
  }
  return positions;
}

// Returns which of a shifted map's three bands contains a row or column. Tokens attend only within the same bands.
std::int64_t band(std::int64_t position, const Windows& windows) {
  if (position < windows.padded - windows.size) return 0;
  return position < windows.padded - windows.shift ? 1 : 2;
}

// Returns the mask of shape [windows, 1, tokens, tokens].
std::vector<float> mask_values(const Windows& windows) {
  std::vector<float> mask;
  for (std::int64_t window = 0; window < windows.across() * windows.across(); ++window) {
    const auto region = [&](std::int64_t token) {
      const std::int64_t row = window / windows.across() * windows.size + token / windows.size;
      const std::int64_t column = window % windows.across() * windows.size + token % windows.size;
      return 3 * band(row, windows) + band(column, windows);
    };
    for (std::int64_t a = 0; a < windows.tokens(); ++a) {
      for (std::int64_t b = 0; b < windows.tokens(); ++b) mask.push_back(region(a) == region(b) ? 0 : kMasked);
    }
  }
  return mask;
}

struct Stage {
  std::string name{};
  std::int64_t heads = 0;
  std::int64_t window = 0;
  Tensor mask{};  // of the shifted windows, shared by all blocks of the stage
};

Tensor window_attention(Graph& graph, const std::string& name, const Tensor& x, const Stage& stage,
                        const Windows& windows) {
  if (graph.failed()) return {};
  const std::int64_t width = x.shape.back();
  const std::int64_t tokens = windows.tokens();
  const std::int64_t rows = (2 * windows.size - 1) * (2 * windows.size - 1);
  const Tensor table = parameter(graph, name + ".relative_position_bias_table", {rows, stage.heads}, {.radius = 0.5F});
  const Tensor bias =
      look_up(graph, name + "/relative_position_bias", table, {tokens, tokens}, relative_positions(windows.size));
  std::vector<Tensor> biases{transpose(graph, name + "/bias_by_head", bias, {2, 0, 1})};
  if (windows.shift > 0) biases.push_back(stage.mask);
  Tensor y = linear(graph, name + ".qkv", x, {.features = 3 * width, .gain = kAttentionGain});
  y = attention(graph, name, y, stage.heads, biases);
  return linear(graph, name + ".proj", y, {.features = width, .gain = kBranchGain});
}

Tensor shifted(Graph& graph, const std::string& name, const Tensor& x, std::int64_t shift) {
  if (shift == 0) return x;
  return roll(graph, name + "/right", roll(graph, name + "/down", x, 1, shift), 2, shift);
}

Tensor swin_block(Graph& graph, const std::string& name, const Tensor& x, const Stage& stage, const Windows& windows) {
  if (graph.failed()) return {};
  const std::int64_t missing = windows.padded - windows.map;
  Tensor y = layer_norm(graph, name + ".norm1", x, kEpsilon);
  y = shifted(graph, name + "/shift", y, -windows.shift);
  if (missing > 0) y = pad_end(graph, name + "/pad", y, {0, missing, missing, 0});
  y = partition(graph, name + "/partition", y, windows);
  y = window_attention(graph, name + ".attn", y, stage, windows);
  y = reverse(graph, name + "/reverse", y, windows);
  if (missing > 0) {
    y = slice(graph, name + "/crop_rows", y, 1, 0, windows.map);
    y = slice(graph, name + "/crop_columns", y, 2, 0, windows.map);
  }
  y = shifted(graph, name + "/shift_back", y, windows.shift);
  const Tensor attended = add(graph, name + "/add1", x, y);
  if (graph.failed()) return {};
  y = layer_norm(graph, name + ".norm2", attended, kEpsilon);
  return add(graph, name + "/add2", attended, feed_forward(graph, name + ".mlp", y, 4 * x.shape.back(), kBranchGain));
}

// Halves height and width, and doubles the channels.
Tensor merge_patches(Graph& graph, const std::string& name, const Tensor& x) {
  if (graph.failed()) return {};
  const std::int64_t map = x.shape[1];
  const std::int64_t half = (map + 1) / 2;
  const std::int64_t channels = x.shape[3];
  Tensor y = map % 2 == 0 ? x : pad_end(graph, name + "/pad", x, {0, 1, 1, 0});
  y = reshape(graph, name + "/grid", y, {x.shape[0], half, 2, half, 2, channels});
  y = transpose(graph, name + "/by_patch", y, {0, 1, 3, 4, 2, 5});
  y = reshape(graph, name + "/merged", y, {x.shape[0], half, half, 4 * channels});
  y = layer_norm(graph, name + ".norm", y, kEpsilon);
  return linear(graph, name + ".reduction", y, {.features = 2 * channels, .gain = 1, .bias = false});
}

Tensor swin_stage(Graph& graph, const Tensor& x, Stage stage, int depth) {
  if (graph.failed() || !can_have_heads(graph, stage.name + ".heads", x.shape[3], stage.heads)) return {};
  const Windows shifted_windows = windows_of(x.shape[1], stage.window, true);
  if (shifted_windows.shift > 0 && depth > 1) {
    const std::int64_t windows = shifted_windows.across() * shifted_windows.across();
    const std::int64_t tokens = shifted_windows.tokens();
    stage.mask = graph.constant(stage.name + "/mask", {windows, 1, tokens, tokens}, mask_values(shifted_windows));
  }
  Tensor y = x;
  for (int index = 0; index < depth; ++index) {
    const Windows windows = windows_of(x.shape[1], stage.window, index % 2 == 1);
    y = swin_block(graph, fmt::format("{}.blocks.{}", stage.name, index), y, stage, windows);
  }
  return y;
}

Status build(const nlohmann::json& parameters, int batch, Graph& graph) {
  const auto depths = parameters.at("depths").get<std::vector<int>>();
  const auto heads = parameters.at("heads").get<std::vector<std::int64_t>>();
  const auto windows = parameters.at("windows").get<std::vector<std::int64_t>>();
  const auto image_size = parameters.at("image_size").get<std::int64_t>();
  if (image_size % kPatch != 0) {
    return fail(fmt::format("patches of {} do not divide an image of {}", kPatch, image_size), "image_size");
  }
  Tensor x = graph.input("input", DataType::f32, {batch, 3, image_size, image_size});
  x = conv2d(graph, "patch_embed.proj", x,
             {.channels = parameters.at("width").get<std::int64_t>(),
              .kernel = kPatch,
              .stride = kPatch,
              .bias = true,
              .gain = kInputGain});
  x = layer_norm(graph, "patch_embed.norm", transpose(graph, "patch_embed/channels_last", x, {0, 2, 3, 1}), kEpsilon);
  for (std::size_t i = 0; i < kStages; ++i) {
    const std::string name = fmt::format("layers.{}", i);
    if (i > 0) x = merge_patches(graph, name + ".downsample", x);
    if (graph.failed()) break;
    if (windows[i] > x.shape[1]) {
      return fail(
          fmt::format("a window of {} is larger than the map of stage {}, which is {}", windows[i], i + 1, x.shape[1]),
          "windows", "choose a smaller window or a larger image");
    }
    x = swin_stage(graph, x, {.name = name, .heads = heads[i], .window = windows[i]}, depths[i]);
  }
  x = mean(graph, "head.global_pool", layer_norm(graph, "norm", x, kEpsilon), {1, 2});
  return classify(graph, "head.fc", x, parameters, kHeadGain);
}

}  // namespace

Family family() {
  return {.name = "swin",
          .meaning = "transformers over shifted windows, as timm builds Swin",
          .parameters =
              {{"depths", "int_list", {2, 2, 6, 2}, 1, 1000, "blocks in each of the four stages", {}, kStages},
               {"width", "int", 96, 1, 65536, "channels of the first stage; each further one has twice", {}},
               {"heads", "int_list", {3, 6, 12, 24}, 1, 65536, "attention heads of each stage", {}, kStages},
               {"windows", "int_list", {7, 7, 7, 7}, 1, 32, "height and width of each stage's windows", {}, kStages},
               class_parameter(),
               image_parameter(224, 32, 1024)},
          .variants = {{"swin_s3_tiny_224", {{"depths", {2, 2, 6, 2}}, {"windows", {7, 7, 14, 7}}}, 1},
                       {"swin_s3_small_224", {{"depths", {2, 2, 18, 2}}, {"windows", {14, 14, 14, 7}}}, 2},
                       {"swin_s3_base_224", {{"depths", {2, 2, 30, 2}}, {"windows", {7, 7, 14, 7}}}, 3}},
          .group = "Swins",
          .style = "transformer",
          .build = &build};
}

}  // namespace ngb::zoo::swin
