// SPDX-License-Identifier: Apache-2.0
// One step of a language model that generates tokens: new tokens go in, with the keys and values of those before them,
// and logits come out, with what the cache of keys and values gains.
//   gpt    learned positions, LayerNorm, GELU, the table of tokens as the head, as transformers' GPT2LMHeadModel:
//   Radford
//          et al., "Language models are unsupervised multitask learners", 2019.
//   llama  rotary positions, RMSNorm, SwiGLU, a head of its own, as transformers' LlamaForCausalLM: Touvron et al.,
//          "LLaMA: Open and efficient foundation language models", 2023; shared keys: Ainslie et al., "GQA", 2023.
#include <fmt/format.h>

#include <optional>

#include "zoo/families/decoder_cache.h"
#include "zoo/families/table.h"
#include "zoo/families/transformer.h"
#include "zoo/layers.h"
#include "zoo/shapes.h"

namespace ngb::zoo::decoder {
namespace {

constexpr float kLayerNormEpsilon = 1e-5F;
constexpr float kRmsNormEpsilon = 1e-6F;
constexpr double kTheta = 10000;     // of the rotary positions
constexpr double kBranchGain = 0.5;  // of the last projection of a branch
constexpr int kOpsetOfScatter = 24;

struct Network {
  bool is_llama = false;
  std::int64_t width = 0;
  std::int64_t inner = 0;
  std::int64_t vocabulary = 0;
  std::int64_t positions = 0;
  int depth = 0;
};

// The cosines and sines of rotary positions, [batch, 1, tokens, head width]; without shapes in a gpt.
struct Rotation {
  Tensor cosine{};
  Tensor sine{};
};

// Returns kTheta^(-i / half) for i below half. Only additions, products and quotients are used, which give the same
// bits on every machine.
std::vector<float> frequencies(std::int64_t half) {
  constexpr int kIterations = 100;  // Newton's method for root^half = 1 / kTheta, from above
  const auto power_of = [](double base, std::int64_t exponent) {
    double power = 1;
    for (std::int64_t i = 0; i < exponent; ++i) power *= base;
    return power;
  };
  const auto n = static_cast<double>(half);
  double root = 1;
  for (int i = 0; i < kIterations; ++i) root += (1 / (kTheta * power_of(root, half - 1)) - root) / n;
  std::vector<float> all;
  for (std::int64_t i = 0; i < half; ++i) all.push_back(static_cast<float>(power_of(root, i)));
  return all;
}

Rotation rotation(Graph& graph, const Tensor& positions, std::int64_t head_width) {
  if (graph.failed()) return {};
  Shape shape = positions.shape;
  const Tensor places =
      graph.node("Cast", "rotary/places", {positions}, {{"to", std::int64_t{1}}}, shape, DataType::f32);
  shape.back() = head_width / 2;
  const Tensor steps = graph.constant("rotary/frequencies", {head_width / 2}, frequencies(head_width / 2));
  const Tensor half = graph.node("Mul", "rotary/half", {places, steps}, {}, shape);
  const Tensor angles = concatenate(graph, "rotary/angles", {half, half}, 3);
  return {graph.node("Cos", "rotary/cosine", {angles}, {}, angles.shape),
          graph.node("Sin", "rotary/sine", {angles}, {}, angles.shape)};
}

// Returns x · cosine + (-second half, first half) · sine.
Tensor rotated(Graph& graph, const std::string& name, const Tensor& x, const Rotation& by) {
  if (graph.failed() || by.sine.shape.empty()) return x;
  const std::vector<Tensor> halves = split(graph, name + "/halves", x, {"first", "second"});
  if (graph.failed()) return {};
  const Tensor negative = graph.node("Neg", name + "/negative", {halves[1]}, {}, halves[1].shape);
  const Tensor turned = concatenate(graph, name + "/turned", {negative, halves[0]}, 3);
  const Tensor straight = graph.node("Mul", name + "/straight", {x, by.cosine}, {}, x.shape);
  const Tensor across = graph.node("Mul", name + "/across", {turned, by.sine}, {}, x.shape);
  return graph.node("Add", name + "/rotated", {straight, across}, {}, x.shape);
}

// Maps [batch, tokens, heads × head width] to [batch, heads, tokens, head width].
Tensor by_head(Graph& graph, const std::string& name, const Tensor& x, std::int64_t heads) {
  if (graph.failed()) return {};
  const std::int64_t head_width = x.shape[2] / heads;
  if (x.shape[1] == 1) return reshape(graph, name + "/by_head", x, {x.shape[0], heads, 1, head_width});
  const Tensor apart = reshape(graph, name + "/heads", x, {x.shape[0], x.shape[1], heads, head_width});
  return transpose(graph, name + "/by_head", apart, {0, 2, 1, 3});
}

// Maps [batch, heads, tokens, head width] to [batch, tokens, heads × head width].
Tensor by_token(Graph& graph, const std::string& name, const Tensor& x) {
  if (graph.failed()) return {};
  const Shape shape{x.shape[0], x.shape[2], x.shape[1] * x.shape[3]};
  return reshape(graph, name + "/joined", x.shape[2] == 1 ? x : transpose(graph, name + "/by_token", x, {0, 2, 1, 3}),
                 shape);
}

Tensor norm(Graph& graph, const std::string& name, const Tensor& x, const Network& network) {
  return network.is_llama ? rms_norm(graph, name, x, kRmsNormEpsilon) : layer_norm(graph, name, x, kLayerNormEpsilon);
}

Tensor feed_forward(Graph& graph, const std::string& name, const Tensor& x, const Network& network) {
  const bool bias = !network.is_llama;
  Tensor y;
  if (network.is_llama) {
    const Tensor gate = linear(graph, name + ".gate", x, {.features = network.inner, .gain = 1, .bias = false});
    const Tensor up = linear(graph, name + ".up", x, {.features = network.inner, .gain = 1, .bias = false});
    y = multiply(graph, name + "/gated", activate(graph, name + ".act", gate, Activation::silu), up);
  } else {
    y = linear(graph, name + ".up", x, {.features = network.inner, .gain = 1});
    y = activate(graph, name + ".act", y, Activation::gelu_by_tanh);
  }
  return linear(graph, name + ".down", y, {.features = network.width, .gain = kBranchGain, .bias = bias});
}

Tensor block(Graph& graph, int index, const Tensor& x, const Network& network, const DecoderStep& step,
             DecoderCache& cache, const Rotation& by) {
  const std::string name = fmt::format("blocks.{}", index);
  const std::string attn = name + ".attn";
  const std::int64_t key_width = step.key_heads * step.head_width;
  const bool bias = !network.is_llama;
  Tensor y = norm(graph, name + ".norm1", x, network);
  Tensor q = linear(graph, attn + ".q", y, {.features = network.width, .gain = kAttentionGain, .bias = bias});
  Tensor k = linear(graph, attn + ".k", y, {.features = key_width, .gain = kAttentionGain, .bias = bias});
  Tensor v = linear(graph, attn + ".v", y, {.features = key_width, .gain = kAttentionGain, .bias = bias});
  q = rotated(graph, attn + "/q", by_head(graph, attn + "/q", q, step.heads), by);
  k = rotated(graph, attn + "/k", by_head(graph, attn + "/k", k, step.key_heads), by);
  v = by_head(graph, attn + "/v", v, step.key_heads);
  y = by_token(graph, attn, cache.attend(attn, index, q, k, v));
  y = linear(graph, attn + ".proj", y, {.features = network.width, .gain = kBranchGain, .bias = bias});
  const Tensor attended = add(graph, name + "/add1", x, y);
  y = norm(graph, name + ".norm2", attended, network);
  return add(graph, name + "/add2", attended, feed_forward(graph, name + ".mlp", y, network));
}

// A gpt's head multiplies by the table of tokens, which has the layout of a Gemm's transposed operand.
Tensor head(Graph& graph, const Tensor& x, const Tensor& table, const Network& network) {
  if (network.is_llama) return linear(graph, "head", x, {.features = network.vocabulary, .gain = 1, .bias = false});
  return linear_by_table(graph, "head", x, table);
}

// Returns [batch, 1, tokens, 1]: the places of the new tokens in their sequence.
Tensor places_of(Graph& graph, const Tensor& position, const DecoderStep& step) {
  const Tensor first = reshape(graph, "position/first", position, {step.batch, 1, 1, 1});
  if (step.tokens == 1 || graph.failed()) return first;
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < step.tokens; ++i) numbers.push_back(i);
  const Tensor offsets = graph.constant("position/offsets", {1, 1, step.tokens, 1}, std::move(numbers));
  return graph.node("Add", "position/places", {first, offsets}, {}, {step.batch, 1, step.tokens, 1});
}

// Returns how many rows the cache has that comes in.
Result<std::int64_t> rows_of(CacheForm form, std::int64_t tokens, std::int64_t context, std::int64_t capacity) {
  if (form == CacheForm::growing) {
    if (capacity == 0) return context;
    return fail("a growing cache has as many rows as its context", "capacity", "leave it out, or choose another cache");
  }
  const std::int64_t needed = form == CacheForm::delta ? context : context + tokens;
  if (capacity == 0) return needed;
  if (capacity >= needed) return capacity;
  return fail(fmt::format("a cache of {} rows has no room for the {} that this step needs", capacity, needed),
              "capacity", fmt::format("choose at least {}, or a smaller context", needed));
}

CacheForm form_of(const std::string& word) {
  if (word == "growing" || word == "open") return CacheForm::growing;
  if (word == "scatter") return CacheForm::scatter;
  return word == "static" ? CacheForm::fixed : CacheForm::delta;
}

Status check_heads(const Network& network, const DecoderStep& step) {
  if (step.heads % step.key_heads != 0) {
    return fail(fmt::format("{} key heads do not divide {} heads", step.key_heads, step.heads), "key_heads",
                "choose a number that divides them");
  }
  if (!network.is_llama || step.head_width % 2 == 0) return Done{};
  return fail(fmt::format("a head has {} features, which rotary positions cannot pair", step.head_width), "heads",
              "choose heads that divide the width into even parts");
}

Status build(const nlohmann::json& parameters, int batch, Graph& graph) {
  const auto number = [&](const char* name) { return parameters.at(name).get<std::int64_t>(); };
  const Network network{.is_llama = parameters.at("architecture") == "llama",
                        .width = number("width"),
                        .inner = number("inner"),
                        .vocabulary = number("vocabulary"),
                        .positions = number("positions"),
                        .depth = parameters.at("depth").get<int>()};
  const std::int64_t context = number("context");
  DecoderStep step{.form = form_of(parameters.at("cache").get<std::string>()),
                   .batch = batch,
                   .tokens = number("tokens"),
                   .is_open = parameters.at("cache") == "open",
                   .heads = number("heads"),
                   .key_heads = number("key_heads"),
                   .head_width = number("width") / number("heads")};
  if (!can_have_heads(graph, "heads", network.width, step.heads)) return graph.status();
  if (const Status fits = check_heads(network, step); !fits) return fits;
  if (step.is_open && (step.tokens > 1 || context == 0)) {
    return fail("a cache whose length is open takes one token after a context of 1 or more", "cache",
                "choose growing, or other tokens");
  }
  if (context + step.tokens > network.positions) {
    return fail(fmt::format("{} tokens after a context of {} are more than its {} positions", step.tokens, context,
                            network.positions),
                "positions", "choose a smaller context, or more positions");
  }
  const Result<std::int64_t> rows = rows_of(step.form, step.tokens, context, number("capacity"));
  if (!rows) return error_of(rows);
  step.rows = *rows;
  if (step.form == CacheForm::scatter) graph.require_opset(kOpsetOfScatter);

  const auto of_context = static_cast<double>(context);
  const Tensor ids = graph.input("input_ids", DataType::i64, {batch, step.tokens},
                                 ValueRange{0, static_cast<double>(network.vocabulary - 1)});
  const Tensor position = graph.input("position", DataType::i64, {batch}, ValueRange{of_context, of_context});
  const Tensor positions = places_of(graph, position, step);
  DecoderCache cache(graph, step, position, positions);
  const Fill small = scaled_unpaired(1, network.width);
  const Tensor table = graph.initializer("embed.weight", {network.vocabulary, network.width}, small);
  Tensor x = embedding(graph, "embed", table, ids);
  Rotation by;
  if (network.is_llama) {
    by = rotation(graph, positions, step.head_width);
  } else {
    const Tensor places = graph.initializer("places.weight", {network.positions, network.width}, small);
    const Tensor which = reshape(graph, "position/of_batch", positions, {batch, step.tokens});
    x = add(graph, "places/add", x, embedding(graph, "places", places, which));
  }
  for (int index = 0; index < network.depth && !graph.failed(); ++index) {
    x = block(graph, index, x, network, step, cache, by);
  }
  graph.output(head(graph, norm(graph, "norm", x, network), table, network), "logits");
  cache.add_outputs();
  return graph.status();
}

struct Size {
  int width = 0;
  int depth = 0;
  int heads = 0;
  int key_heads = 0;
  int inner = 0;
  int vocabulary = 0;
  int positions = 2048;
};

nlohmann::json sized(const std::string& architecture, const Size& size) {
  return {{"architecture", architecture},  {"width", size.width},         {"depth", size.depth},
          {"heads", size.heads},           {"key_heads", size.key_heads}, {"inner", size.inner},
          {"vocabulary", size.vocabulary}, {"positions", size.positions}};
}

}  // namespace

Family family() {
  const std::string gpt = "GPTs";
  return {
      .name = "decoder",
      .meaning = "one step of a language model that generates tokens, over a cache of keys and values",
      .parameters =
          {{.name = "architecture",
            .type = "string",
            .default_value = "llama",
            .meaning = "learned positions, LayerNorm, GELU and the table of tokens as the head, or rotary positions, "
                       "RMSNorm, SwiGLU and a head of its own",
            .values = {"gpt", "llama"}},
           {.name = "cache",
            .type = "string",
            .default_value = "delta",
            .meaning =
                "what the step returns: its own rows, a longer cache (open: of any length), or a cache of the same "
                "size, written by TensorScatter of opset 24 or by ScatterElements",
            .values = {"delta", "growing", "open", "scatter", "static"}},
           {"width", "int", 512, 1, 65536, "features of a token", {}},
           {"depth", "int", 8, 1, 1000, "number of blocks", {}},
           {"heads", "int", 8, 1, 65536, "attention heads; they divide the width", {}},
           {"key_heads",
            "int",
            2,
            1,
            65536,
            "heads of keys and values, which queries share; they divide the heads",
            {}},
           {"inner", "int", 1408, 1, 1000000, "hidden features of the MLP", {}},
           {"vocabulary", "int", 8192, 1, 1000000, "different tokens, and logits of each", {}},
           {"positions", "int", 2048, 1, 1000000, "tokens of the longest sequence; in a gpt rows of a table", {}},
           {"tokens", "int", 1, 1, 65536, "new tokens of the step", {}},
           {"context", "int", 128, 0, 1000000, "tokens before them, which are in the cache", {}},
           {"capacity", "int", 0, 0, 1000000, "rows of the cache; 0: as many as the step needs", {}}},
      .variants = {{"llama_3m", sized("llama", {192, 4, 6, 2, 512, 4096}), 1},
                   {"llama_30m", sized("llama", {512, 8, 8, 2, 1408, 8192}), 2},
                   {"llama_100m", sized("llama", {768, 12, 12, 4, 2048, 16384}), 3},
                   {"llama_1b", sized("llama", {2048, 22, 32, 4, 5632, 32000}), 4},
                   {"gpt_3m", sized("gpt", {192, 4, 6, 6, 768, 4096}), 1, gpt},
                   {"gpt_30m", sized("gpt", {512, 8, 8, 8, 2048, 8192}), 2, gpt},
                   {"gpt_124m", sized("gpt", {768, 12, 12, 12, 3072, 50257, 1024}), 3, gpt}},
      .group = "Llamas",
      .style = "transformer",
      .build = &build};
}

}  // namespace ngb::zoo::decoder
