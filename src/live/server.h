// SPDX-License-Identifier: Apache-2.0
// Serves the live page of a run: /, /events, /metrics and, once the run has ended, /report. One thread does all of it,
// at the lowest priority; it sleeps while nobody asks.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "live/access.h"
#include "live/connection.h"
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
  Server(Address address, std::string token, int listener, int wake, const Clock& clock);
  void serve(const std::vector<int>& cpus);
  void wait_for_something();
  void accept_readers();
  [[nodiscard]] bool has_room(Nanoseconds now) const;
  bool make_room_for(const std::string& address);
  bool drop_idle(const std::string& address);
  void attend(Connection& reader);
  void answer(Connection& reader, const Request& request);
  void send_newer(Connection& reader);
  void ask();
  void reply(Connection& reader, HttpStatus status, std::string_view type, std::shared_ptr<const std::string> body,
             std::string_view policy = {});

  Address address_;
  std::vector<std::string> hosts_;
  std::string token_;  // "": none is demanded
  int listener_;
  int wake_;  // an eventfd: something was published, or the end
  const Clock* clock_;
  Desk desk_{};
  std::vector<std::unique_ptr<Connection>> readers_{};  // of the thread
  Nanoseconds accepts_after_{};  // of the thread: nobody is admitted before, because descriptors have run out
  std::atomic<bool> is_ending_{false};
  std::atomic<int> streams_{0};  // open ones that have not heard of the end and, after it, those without the report
  std::atomic<int> reports_{0};  // sent completely
  std::thread thread_{};
};

}  // namespace ngb::live
