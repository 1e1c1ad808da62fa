// SPDX-License-Identifier: Apache-2.0
// Hands what the page shows from the thread of the run to the server's thread. Neither waits for the other.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/clock.h"

namespace ngb::live {

struct Published {
  std::string json{};        // to_json
  std::string prometheus{};  // to_prometheus
  bool has_ended = false;
  std::shared_ptr<const std::string> report{};  // the static page, once it is written
};

class Desk {
 public:
  // For the run's thread: returns whether somebody asks, and a second has passed since the last call of `leave`.
  [[nodiscard]] bool is_due(Nanoseconds now) const;
  void leave(Published published, Nanoseconds now);

  // For the server's thread: says whether somebody asks.
  void ask(bool is_asked) { is_asked_ = is_asked; }
  // Returns the argument of the last call of `leave`; null if there was none.
  [[nodiscard]] std::shared_ptr<const Published> latest() const;

 private:
  std::atomic<bool> is_asked_{false};
  std::optional<Nanoseconds> left_at_{};  // of the run's thread
  mutable std::mutex mutex_{};            // held for the exchange of a pointer only
  std::shared_ptr<const Published> latest_{};
};

}  // namespace ngb::live
