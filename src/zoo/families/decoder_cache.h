// SPDX-License-Identifier: Apache-2.0
// Declares the cache of a decoder step: the keys and values of the tokens before it, in one of four forms.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "zoo/graph.h"

namespace ngb::zoo {

// How a step receives the rows of earlier tokens and returns its own:
//   delta    returns its own rows only; the caller writes them into the cache. Rows from the context on are ignored.
//   growing  returns a cache that is longer by its own rows. A study calls it "open" if the file leaves its length
//   open. scatter  writes its rows into a cache of a fixed size by TensorScatter of opset 24; Attention reads that.
//   fixed    does the same by operators of opset 20. A study calls it "static".
enum class CacheForm { delta, growing, scatter, fixed };

// DecoderStep is the size of one inference: `tokens` new tokens after a context that is in the cache.
struct DecoderStep {
  CacheForm form = CacheForm::delta;
  std::int64_t batch = 1;
  std::int64_t tokens = 1;
  std::int64_t rows = 0;  // of the cache that comes in; 0: there is none (delta and growing)
  bool is_open = false;   // growing: the file leaves the number of rows open; there is one token
  std::int64_t heads = 1;
  std::int64_t key_heads = 1;  // divide the heads; as many heads share the keys and values of each
  std::int64_t head_width = 1;

  [[nodiscard]] bool has_fixed_size() const { return form == CacheForm::scatter || form == CacheForm::fixed; }
  // Returns how many keys each new token is compared with.
  [[nodiscard]] std::int64_t columns() const { return has_fixed_size() ? rows : rows + tokens; }
};

class DecoderCache {
 public:
  // `position` [batch] is the number of tokens in each sample's context, `positions` [batch, 1, tokens, 1] are the
  // places of the new tokens. Both must outlive the cache, and so must the graph.
  DecoderCache(Graph& graph, const DecoderStep& step, const Tensor& position, const Tensor& positions);

  // Adds the layer's past as inputs, and attends to it and to the new tokens. q is [batch, heads, tokens, head width],
  // k and v are [batch, key heads, tokens, head width]. The result has the shape of q.
  Tensor attend(const std::string& name, int layer, const Tensor& q, const Tensor& k, const Tensor& v);
  // Makes what attend() kept the graph's outputs. Nothing may be added to the graph afterwards.
  void add_outputs();

 private:
  Tensor add_visible();
  Tensor columns_of_delta();
  Tensor extended(const std::string& name, const std::string& part, const Tensor& rows);
  Tensor fused(const std::string& name, const Tensor& q, const Tensor& k, const Tensor& v);
  Tensor composed(const std::string& name, const Tensor& q, const Tensor& k, const Tensor& v);
  Tensor masked(const std::string& name, const Tensor& scores);

  Graph& graph_;
  const DecoderStep& step_;
  const Tensor& position_;
  const Tensor& positions_;
  Tensor visible_{};  // bool [batch, 1, tokens, columns]; without a shape: every token sees every column
  Tensor bias_{};     // 0 where a column is visible, else kMasked; not with `scatter`
  Tensor filled_{};   // i64 [batch]: rows of the cache that are filled after the step; with `scatter` only
  Tensor places_{};   // i64 [batch, key heads, tokens, head width]: the row of each new number; with `fixed` only
  std::vector<std::pair<Tensor, std::string>> outputs_{};
};

}  // namespace ngb::zoo
