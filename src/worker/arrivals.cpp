// SPDX-License-Identifier: Apache-2.0
#include "worker/arrivals.h"

#include <cmath>

#include "base/random.h"

namespace ngb::worker {

std::vector<std::int64_t> arrivals_ns(double requests_per_s, std::size_t requests, std::uint64_t seed) {
  constexpr double kSteps = 9007199254740992;  // 2^53
  constexpr unsigned kDropped = 11;            // lowest bits of 64
  const double mean_ns = 1e9 / requests_per_s;
  std::vector<std::int64_t> arrivals(requests, 0);
  double time_ns = 0;
  for (std::size_t i = 0; i < requests; ++i) {
    const double uniform = static_cast<double>(splitmix64(seed, i) >> kDropped) / kSteps;
    time_ns -= std::log1p(-uniform) * mean_ns;
    arrivals[i] = std::llround(time_ns);
  }
  return arrivals;
}

bool serve_batch(const Queue& queue, std::size_t index, Server& server, std::span<std::int64_t> latencies_ns) {
  const std::span<const std::int64_t> requests = queue.arrivals_ns.subspan(index * queue.batch, queue.batch);
  const std::int64_t is_full_ns = queue.begin_ns + requests.back();
  if (server.now_ns() < is_full_ns) server.wait_until(is_full_ns);
  if (!server.infer()) return false;
  const std::int64_t end_ns = server.now_ns();
  for (std::size_t i = 0; i < queue.batch; ++i) latencies_ns[i] = end_ns - queue.begin_ns - requests[i];
  return true;
}

std::vector<std::vector<std::int64_t>> serve_requests(const Queue& queue, const std::function<std::size_t()>& take,
                                                      Server& server) {
  std::vector<std::vector<std::int64_t>> latencies_ns(queue.batches(), std::vector<std::int64_t>(queue.batch, 0));
  std::size_t answered = 0;
  for (std::size_t index = take(); index < queue.batches(); index = take()) {
    if (!serve_batch(queue, index, server, latencies_ns[answered])) break;
    ++answered;
  }
  latencies_ns.resize(answered);
  return latencies_ns;
}

}  // namespace ngb::worker
