// SPDX-License-Identifier: Apache-2.0
// Ends exceptions at the boundary of a native plugin: they become a status with a message.
#pragma once

#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ngraphbench/compiler.h"

namespace ngb::plugin {

// What a session reports about itself besides outputs: names and values.
using Facts = std::vector<std::pair<std::string, std::string>>;

// Failure is thrown inside a plugin and never leaves it.
class Failure : public std::runtime_error {
 public:
  Failure(ngb_status status, const std::string& message, std::string advice = {})
      : std::runtime_error(message), status_(status), advice_(std::move(advice)) {}
  [[nodiscard]] ngb_status status() const { return status_; }
  [[nodiscard]] const std::string& advice() const { return advice_; }

 private:
  ngb_status status_;
  std::string advice_;
};

inline ngb_status report(ngb_error* error, ngb_status status, const char* message, const char* advice) {
  if (error != nullptr) {
    std::snprintf(error->message, sizeof error->message, "%s", message);
    std::snprintf(error->advice, sizeof error->advice, "%s", advice);
  }
  return status;
}

// Returns what the worker hands over. Throws if the worker is older than the plugin, and so knows fewer fields.
template <class Handed>
const Handed& whole(const Handed* handed) {
  if (handed->struct_size >= sizeof(Handed)) return *handed;
  throw Failure(NGB_INTERNAL,
                "ngb-worker hands over " + std::to_string(handed->struct_size) + " bytes where the plugin reads " +
                    std::to_string(sizeof(Handed)),
                "build the plugin with the headers of this ngb");
}

// Runs `body`, and returns NGB_OK or the status of what it throws.
template <class Body>
ngb_status guarded(ngb_error* error, Body&& body) noexcept {
  try {
    body();
    return NGB_OK;
  } catch (const Failure& failure) {
    return report(error, failure.status(), failure.what(), failure.advice().c_str());
  } catch (const std::bad_alloc&) {
    return report(error, NGB_OUT_OF_MEMORY, "no memory left", "");
  } catch (const std::exception& exception) {
    return report(error, NGB_INTERNAL, exception.what(), "");
  } catch (...) {
    return report(error, NGB_INTERNAL, "an exception of unknown type", "");
  }
}

}  // namespace ngb::plugin
