// SPDX-License-Identifier: Apache-2.0
// A session's profiles. LiteRT notes the times of operators, in microseconds, in a model that was prepared to be
// profiled: a second one, which only profiles run.
#include <algorithm>
#include <utility>

#include "session.h"

namespace ngb::litert {
namespace {

// Returns the events of kernels: operators within a delegate, and those outside of one. The event of a whole delegate
// encloses those of its operators, and is left out if there are any.
std::vector<api::Event> kernels_among(const std::vector<api::Event>& events) {
  std::vector<api::Event> kernels;
  const bool has_parts = std::any_of(events.begin(), events.end(),
                                     [](const api::Event& event) { return event.type == api::kDelegateEvent; });
  for (const api::Event& event : events) {
    const bool is_whole =
        event.type == api::kOperatorEvent && has_parts && std::string(event.tag).find("Delegate") != std::string::npos;
    const bool is_kernel = event.type == api::kDelegateEvent || event.type == api::kOperatorEvent;
    if (is_kernel && !is_whole) kernels.push_back(event);
  }
  return kernels;
}

}  // namespace

void Session::begin_profile() {
  if (!profiled_) profiled_.emplace(prepare({.is_half = is_half(), .is_profiled = true}));
  fill(*profiled_);
  running_ = &*profiled_;
  runtime_.check(run(), "run the model");  // which allocates what later ones use again
  runtime_.start_profile(profiled_->prepared.get());
}

const KernelTable& Session::end_profile(std::uint32_t inferences) {
  const std::vector<api::Event> all = kernels_among(runtime_.stop_profile(profiled_->prepared.get()));
  running_ = &*plain_;
  const std::size_t count = all.size() / inferences;
  if (count == 0) {
    throw plugin::Failure(NGB_NO_PROFILE, "LiteRT's profiler noted no operators of this model",
                          "leave litert out of the profile");
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all.size() % inferences == 0 && std::string(all[i].tag) == all[i % count].tag) continue;
    throw plugin::Failure(NGB_NO_PROFILE, "LiteRT does not note the same operators in each inference of this model",
                          "leave litert out of the profile");
  }
  std::vector<Kernel> kernels;
  for (std::size_t place = 0; place < count; ++place) {
    double sum_us = 0;
    for (std::size_t i = place; i < all.size(); i += count) sum_us += static_cast<double>(all[i].elapsed_us);
    const bool is_delegated = all[place].type == api::kDelegateEvent;
    kernels.push_back({.name = all[place].tag,
                       .kind = is_delegated ? "XNNPACK" : "LiteRT",
                       .ns = sum_us * 1000 / static_cast<double>(inferences)});
  }
  kernels_ = KernelTable(std::move(kernels));
  return kernels_;
}

}  // namespace ngb::litert
