# SPDX-License-Identifier: Apache-2.0
"""Servers, event by event: one whose next request waits for the answer, and one at which requests arrive at random."""

import heapq
import itertools


def closed_count(times_s, seconds):
    """How many inferences end within so many seconds if each begins when the one before has ended. `times_s` is repeated."""
    now, count = 0.0, 0
    for time in itertools.cycle(times_s):
        now += time
        if now > seconds:
            return count
        count += 1
    return count


def open_latencies(service_s, requests_per_s, requests, random, batch=1, servers=1):
    """The seconds from each request's arrival to its answer, in the order of arrival. Gaps are exponential. `service_s()`
    returns the time of the next inference. An inference takes the next `batch` requests, begins when the last of them has
    arrived and a server is free, and answers all of them when it ends."""
    free_at = [0.0] * servers
    now, waiting, latencies = 0.0, [], []
    for _ in range(requests):
        now += random.expovariate(requests_per_s)
        waiting.append(now)
        if len(waiting) < batch:
            continue
        end = max(now, heapq.heappop(free_at)) + service_s()
        heapq.heappush(free_at, end)
        latencies += [end - arrival for arrival in waiting]
        waiting.clear()
    return latencies


def percentile(values, percent):
    """The least of the values that at least so many percent of them do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]
