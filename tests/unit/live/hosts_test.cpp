// SPDX-License-Identifier: Apache-2.0
#include "live/hosts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ngb::live {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Hosts, OfAnAddressAreThatAddress) {
  EXPECT_THAT(hosts_at("127.0.0.1"), ElementsAre("127.0.0.1"));
  EXPECT_THAT(hosts_at("::1"), ElementsAre("::1"));
  EXPECT_THAT(hosts_at("192.0.2.1"), ElementsAre("192.0.2.1"));
}

TEST(Hosts, OfEveryAddressAreThoseThatABrowserCanOpenWithTheLoopbackLast) {
  const std::vector<std::string> of_ipv4 = hosts_at("0.0.0.0");
  EXPECT_EQ(of_ipv4.back(), "127.0.0.1");
  EXPECT_THAT(of_ipv4, Not(Contains("0.0.0.0")));
  EXPECT_THAT(of_ipv4, Each(Not(HasSubstr(":"))));
  const std::vector<std::string> of_both = hosts_at("::");
  EXPECT_THAT(of_both, Contains("127.0.0.1")) << ":: receives IPv4 too";
  EXPECT_THAT(of_both, Not(Contains("::")));
  EXPECT_THAT(of_both, Each(Not(StartsWith("fe80"))));
}

}  // namespace
}  // namespace ngb::live
