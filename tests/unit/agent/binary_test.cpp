// SPDX-License-Identifier: Apache-2.0
// Tests that the agent's program is one static file of a few megabytes.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "agent_client.h"

namespace ngb::agent::test {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr const char* kWhyNot = "sanitizers need the dynamic linker and memory of their own";
#else
constexpr const char* kWhyNot = nullptr;
#endif

struct Segments {
  bool has_interpreter = false;
  bool has_needed = false;
  std::uint64_t loaded_bytes = 0;  // of the file without symbols and debugging information
};

Segments segments_of(const std::string& bytes) {
  Segments found;
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type == PT_INTERP) found.has_interpreter = true;
    if (segment.p_type == PT_LOAD)
      found.loaded_bytes = std::max(found.loaded_bytes, segment.p_offset + segment.p_filesz);
    if (segment.p_type != PT_DYNAMIC) continue;
    for (std::uint64_t at = 0; at < segment.p_filesz; at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn entry;
      std::memcpy(&entry, bytes.data() + segment.p_offset + at, sizeof entry);
      if (entry.d_tag == DT_NEEDED) found.has_needed = true;
    }
  }
  return found;
}

TEST(AgentProgram, IsOneStaticFileOfAtMostSixMegabytes) {
  if (kWhyNot != nullptr) GTEST_SKIP() << kWhyNot;
  const Segments found = segments_of(*file::read(NGB_BUILD_DIR "/bin/ngb-agent"));
  EXPECT_FALSE(found.has_interpreter);
  EXPECT_FALSE(found.has_needed);
  EXPECT_LT(found.loaded_bytes, 6'000'000U);
  RecordProperty("loaded_bytes", std::to_string(found.loaded_bytes));
}

TEST(AgentProgram, PrintsItsVersion) {
  const auto outcome = process::run({{NGB_BUILD_DIR "/bin/ngb-agent", "--version"}});
  ASSERT_TRUE(outcome);
  EXPECT_THAT(outcome->output,
              testing::MatchesRegex("ngb-agent " NGB_VERSION " \\((not from git|git [0-9a-f]{12}(, changed)?)\\)\n"));
  EXPECT_EQ(outcome->exit_code, 0);
}

TEST(AgentProgram, NamesTheMistakeInItsCommandLine) {
  const auto outcome = process::run({{NGB_BUILD_DIR "/bin/ngb-agent", "serve", "--wrok", "x"}});
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->output.starts_with("ngb-agent: unknown option --wrok\nUsage: ngb-agent serve --work DIR"));
  EXPECT_EQ(outcome->exit_code, 2);
  EXPECT_TRUE(process::run({{NGB_BUILD_DIR "/bin/ngb-agent", "serve", "--work"}})
                  ->output.starts_with("ngb-agent: no value for --work"));
  EXPECT_TRUE(
      process::run({{NGB_BUILD_DIR "/bin/ngb-agent", "srve"}})->output.starts_with("ngb-agent: unknown task srve"));
}

}  // namespace
}  // namespace ngb::agent::test
