// SPDX-License-Identifier: Apache-2.0
// Includes the parts of Boost.Asio that this room uses. They are in one place because the headers of Boost 1.74 use
// <utility> and do not include it.
#pragma once

// clang-format off
#include <utility>
// clang-format on

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace ngb::dispatch {

namespace asio = boost::asio;

}  // namespace ngb::dispatch
