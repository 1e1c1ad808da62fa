// SPDX-License-Identifier: Apache-2.0
// Serves requests that arrive at random, in an open loop: a request arrives when its time has come, whether or not
// earlier ones are answered, and its latency lasts from then. So a slow inference delays those that wait behind it, and
// none of them is left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace ngb::worker {

// Returns when requests arrive, in nanoseconds after the beginning, in ascending order. The gaps are exponential with
// the mean 1 / requests_per_s (a Poisson process): gap i is -ln(1 - u) / requests_per_s, where u is the upper 53 bits
// of splitmix64(seed, i) / 2^53.
std::vector<std::int64_t> arrivals_ns(double requests_per_s, std::size_t requests, std::uint64_t seed);

// Answers requests and has the time. Tests pass their own.
class Server {
 public:
  virtual ~Server() = default;
  [[nodiscard]] virtual std::int64_t now_ns() const = 0;
  virtual void wait_until(std::int64_t time_ns) = 0;
  // Runs one inference, which answers a batch. Returns false if it failed.
  virtual bool infer() = 0;
};

// The one queue in which requests wait, for one server or for several.
struct Queue {
  std::span<const std::int64_t> arrivals_ns{};  // after begin_ns, in ascending order
  std::size_t batch = 1;                        // requests that one inference answers; at least 1
  std::int64_t begin_ns = 0;                    // on the clock of all servers
  // Returns the number of batches; requests that do not fill a last one are dropped.
  [[nodiscard]] std::size_t batches() const { return arrivals_ns.size() / batch; }
};

// Serves a batch: waits until its last request has arrived, and runs the inference. Writes the latencies of its
// requests, in nanoseconds from arrival to the end of the inference. Returns false if the inference failed.
// Preconditions: index < queue.batches(), latencies_ns.size() == queue.batch.
bool serve_batch(const Queue& queue, std::size_t index, Server& server, std::span<std::int64_t> latencies_ns);

// Serves one batch after the other until none is left or an inference fails, and returns the latencies of each batch
// that this server answered. Whenever the server is free, `take` returns the number of the batch that it serves next:
// over all servers of the queue, each number once, in ascending order from 0. So batches are served in the order of
// their arrival, each by the server that is free first: a server that waits for its batch to arrive is free.
std::vector<std::vector<std::int64_t>> serve_requests(const Queue& queue, const std::function<std::size_t()>& take,
                                                      Server& server);

}  // namespace ngb::worker
