// SPDX-License-Identifier: Apache-2.0
// Serves requests that arrive at random, in an open loop: a request arrives when its time has come, whether or not
// earlier ones are answered, and its latency lasts from then. So a slow inference delays those that wait behind it, and
// none of them is left out.
#pragma once

#include <cstddef>
#include <cstdint>
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

// Serves one batch after the other: an inference begins as soon as the one before it has ended and `batch` further
// requests have arrived. Returns the latencies of the requests of each batch that was answered, in nanoseconds from
// arrival to the end of the inference; fewer batches if an inference failed. What is left of the last batch is not
// sent. batch >= 1.
std::vector<std::vector<std::int64_t>> serve_requests(std::span<const std::int64_t> arrivals_ns, std::size_t batch,
                                                      Server& server);

}  // namespace ngb::worker
