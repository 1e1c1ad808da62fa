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

std::vector<std::vector<std::int64_t>> serve_requests(std::span<const std::int64_t> arrivals_ns, std::size_t batch,
                                                      Server& server) {
  const std::size_t batches = arrivals_ns.size() / batch;
  std::vector<std::vector<std::int64_t>> latencies_ns(batches, std::vector<std::int64_t>(batch, 0));
  const std::int64_t begin_ns = server.now_ns();
  for (std::size_t i = 0; i < batches; ++i) {
    const std::span<const std::int64_t> requests = arrivals_ns.subspan(i * batch, batch);
    const std::int64_t is_full_ns = begin_ns + requests.back();
    if (server.now_ns() < is_full_ns) server.wait_until(is_full_ns);
    if (!server.infer()) {
      latencies_ns.resize(i);
      break;
    }
    const std::int64_t end_ns = server.now_ns();
    for (std::size_t j = 0; j < batch; ++j) latencies_ns[i][j] = end_ns - begin_ns - requests[j];
  }
  return latencies_ns;
}

}  // namespace ngb::worker
