// SPDX-License-Identifier: Apache-2.0
#include "dispatch/route/pod_list.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "dispatch/link/program.h"

namespace ngb::dispatch {
namespace {

// kubectl lets an API server wait for 20 s, and a plugin that waits for a login without end.
constexpr Nanoseconds kListPatience = std::chrono::seconds(40);
constexpr Nanoseconds kListWait = std::chrono::milliseconds(100);

}  // namespace

PodList::PodList(Loop& loop, Command command, std::string container)
    : loop_(loop), command_(std::move(command)), container_(std::move(container)) {}

asio::awaitable<Result<const PodList::Pods*>> PodList::now(Alarm& pause) {
  const Nanoseconds called = loop_.clock.now();
  while (!began_ || *began_ < called) {
    if (loop_.is_stopping) co_return lost();
    if (is_asking_ || (began_ && loop_.clock.now() - *began_ < kShortestAsking)) {
      co_await pause.wait(kListWait);
    } else {
      co_await ask();
    }
  }
  if (!failure_) co_return error_of(failure_);
  co_return &pods_;
}

asio::awaitable<void> PodList::ask() {
  is_asking_ = true;
  const Nanoseconds began = loop_.clock.now();
  const Result<ProgramEnd> end = co_await run_program(loop_, command_, kNoInput, kListPatience, true);
  is_asking_ = false;
  began_ = began;
  failure_ = Done{};
  if (!end) {
    failure_ = fail(end.error().what, "kubectl", "run ngb where kubectl is installed, or add ssh: HOST to the device");
  } else if (!end->succeeded) {
    const std::string words = words_for_people(end->words);
    const std::string slow = "no answer within 40 s (" + words + "); if it waits for a login: kubectl get pods";
    failure_ = fail(end->was_slow ? slow : words, "kubectl", {}, ErrorCode::busy);
  } else if (Result<Pods> pods = read_pods(end->output, container_)) {
    pods_ = *std::move(pods);
  } else {
    failure_ = error_of(pods);
  }
}

std::shared_ptr<PodList> pod_list_of(Loop& loop, const Command& command, const std::string& container) {
  std::weak_ptr<void>& known = loop.shared["kubernetes " + text::join(command, " ") + " " + container];
  std::shared_ptr<void> list = known.lock();
  if (list == nullptr) known = list = std::make_shared<PodList>(loop, command, container);
  return std::static_pointer_cast<PodList>(list);
}

}  // namespace ngb::dispatch
