// SPDX-License-Identifier: Apache-2.0
// Serves the live page of a run: /, /events, /metrics and, once the run has ended, /report. One thread does all of it
// (readers.h), at the lowest priority; it sleeps while nobody asks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/threads.h"
#include "live/access.h"
#include "live/desk.h"

namespace ngb::live {

class Server {
 public:
  // Listens at the address. At one that other machines can reach, a token is demanded. The thread runs on `cpus`
  // (empty: anywhere). `clock` must outlive the server, and may be read by both threads. Returns an error if the port
  // is in use or may not be used, or if the address is not this machine's.
  static Result<std::unique_ptr<Server>> begin(const Address& address, const std::vector<int>& cpus,
                                               const Clock& clock = system_clock());
  // Ends the connections and the thread.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Returns "http://127.0.0.1:8017/", with the token if one is demanded. If it listens at every address of this
  // machine, the host is the first of hosts().
  [[nodiscard]] std::string url() const;
  // Returns the hosts under which it is reached (hosts_at).
  [[nodiscard]] const std::vector<std::string>& hosts() const { return hosts_; }
  // These are for the run's thread (Desk).
  [[nodiscard]] bool is_due() const { return desk_.is_due(clock_->now()); }
  void publish(Published published);
  // Publishes the end of the run. If pages are open, waits until each has fetched the report, at most five seconds.
  void end(Published published);

 private:
  struct Loop;
  Server(Address address, std::string token, const Clock& clock);
  Status listen();
  void begin_thread(const std::vector<int>& cpus);

  Address address_;
  std::vector<std::string> hosts_;
  std::string token_;  // "": none is demanded
  const Clock* clock_;
  Desk desk_{};
  std::unique_ptr<Loop> loop_{};  // of the thread
  Thread thread_{};               // what it throws ends the page, not the run; it is ended first
};

}  // namespace ngb::live
