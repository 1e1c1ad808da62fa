// SPDX-License-Identifier: Apache-2.0
#include "base/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/process.h"
#include "base/text.h"

namespace ngb::environment {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::Pair;

// What a user's shell may have, for the time of a test.
class Environment : public testing::Test {
 protected:
  void SetUp() override {
    ::clearenv();
    for (const auto& [name, value] : Variables{{"HOME", "/home/me"},
                                               {"PATH", "/usr/bin:/bin"},
                                               {"LC_NUMERIC", "C"},
                                               {"NGB_CACHE", "/cache"},
                                               {"XDG_DATA_HOME", "/data"},
                                               {"CUDA_VISIBLE_DEVICES", "1"},
                                               {"LD_LIBRARY_PATH", "/opt/cuda"},
                                               {"CXX", "clang++"},
                                               {"GLIBC_TUNABLES", "glibc.malloc.tcache_count=0"},
                                               {"LD_AUDIT", ""},
                                               {"LD_PRELOAD", ""},
                                               {"OMP_NUM_THREADS", "1"},
                                               {"ONEDNN_MAX_CPU_ISA", "SSE41"},
                                               {"PYTHONMALLOCSTATS", "1"},
                                               {"PYTHONPATH", ":/x"},
                                               {"PYTHONVERBOSE", "1"},
                                               {"FORCE_COLOR", "1"},
                                               {"A_LIBRARY_OF_TOMORROW", "fast"},
                                               {"SSH_AUTH_SOCK", "/agent"},
                                               {"KUBECONFIG", "/kube"},
                                               {"https_proxy", "http://proxy"},
                                               {"HTTP_PROXY", "http://proxy"},
                                               {"PIP_INDEX_URL", "http://index"},
                                               {"PIP_TARGET", "/elsewhere"},
                                               {"REQUESTS_CA_BUNDLE", "/ca"},
                                               {"SSL_CERT_FILE", "/ca"},
                                               {"HF_TOKEN", "secret"},
                                               {"HF_HOME", "/weights"},
                                               {"ORT_DISABLE_TELEMETRY", "0"}})
      set(name.c_str(), value);
  }
  void TearDown() override {
    ::clearenv();
    for (const auto& [name, value] : before_) set(name.c_str(), value);
  }

  // Returns what a program of this share is started with, sorted.
  static std::vector<std::string> of_a_program(Share share) {
    const auto ended = process::run({.arguments = {"env"}, .inherits = share, .environment = {{"GIVEN", "1"}}});
    std::vector<std::string> lines = text::split(text::trim(ended->output), '\n');
    std::sort(lines.begin(), lines.end());
    return lines;
  }

 private:
  Variables before_ = handed_on(Share::all);
};

TEST_F(Environment, OfWhatMeasuresHasNothingThatIsNotRecordedButHarmlessNames) {
  EXPECT_THAT(of_a_program(Share::clean),
              ElementsAre("CUDA_VISIBLE_DEVICES=1", "CXX=clang++", "DO_NOT_TRACK=1", "GIVEN=1", "HF_HOME=/weights",
                          "HF_HUB_DISABLE_TELEMETRY=1", "HOME=/home/me", "LC_NUMERIC=C", "LD_LIBRARY_PATH=/opt/cuda",
                          "NGB_CACHE=/cache", "NO_COLOR=1", "ORT_DISABLE_TELEMETRY=1", "PATH=/usr/bin:/bin",
                          "PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_NO_CACHE_DIR=1", "PIP_PREFIX=",
                          "PIP_REQUIRE_VIRTUALENV=0", "PIP_ROOT=", "PIP_TARGET=", "PIP_USER=0", "XDG_DATA_HOME=/data"));
  EXPECT_THAT(recorded(), ElementsAre(Pair("CUDA_VISIBLE_DEVICES", "1"), Pair("CXX", "clang++"),
                                      Pair("HF_HOME", "/weights"), Pair("LD_LIBRARY_PATH", "/opt/cuda")));
}

TEST_F(Environment, IsThatOfAProgramForWhichNothingElseWasAsked) {
  const auto ended = process::run({.arguments = {"env"}, .environment = {{"GIVEN", "1"}}});
  std::vector<std::string> lines = text::split(text::trim(ended->output), '\n');
  std::sort(lines.begin(), lines.end());
  EXPECT_THAT(lines, ElementsAreArray(of_a_program(Share::clean)));
}

TEST_F(Environment, OfWhatDownloadsHasProxiesCertificatesAndIndexesToo) {
  std::vector<std::string> more = of_a_program(Share::network);
  for (const std::string& each : of_a_program(Share::clean)) std::erase(more, each);
  EXPECT_THAT(more, ElementsAre("HF_TOKEN=secret", "HTTP_PROXY=http://proxy", "PIP_INDEX_URL=http://index",
                                "REQUESTS_CA_BUNDLE=/ca", "RUSTUP_HOME=/dev/null", "SSL_CERT_FILE=/ca",
                                "https_proxy=http://proxy"));
}

TEST_F(Environment, IsHandedOnWholeToAgentsAndProgramsOfTheUser) {
  const Variables all = handed_on(Share::all);
  for (const char* const name : {"SSH_AUTH_SOCK", "KUBECONFIG", "ONEDNN_MAX_CPU_ISA", "PYTHONPATH", "https_proxy"})
    EXPECT_TRUE(all.contains(name)) << name;
  EXPECT_EQ(all.at("ORT_DISABLE_TELEMETRY"), "1");
}

TEST_F(Environment, GivesVariablesAsTextAndTakesThemSo) {
  EXPECT_EQ(variable("HOME"), "/home/me");
  EXPECT_EQ(variable("NOT_SET"), "");
  set("HOME", "/home/you");
  EXPECT_EQ(variable("HOME"), "/home/you");
}

}  // namespace
}  // namespace ngb::environment
