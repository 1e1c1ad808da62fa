// SPDX-License-Identifier: Apache-2.0
#include "agent/shared_compilation.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "temporary_folder.h"

namespace ngb::agent {
namespace {

namespace fs = std::filesystem;

const samples::Origin kHere{"build", "model", "environment"};

void write_file(const fs::path& path, const std::string& content) { std::ofstream(path, std::ios::binary) << content; }

// Keeps a folder with two files as the cell's artifact, compiled by process 2.
void keep_two_files(KeptArtifacts& kept) {
  const auto path = kept.begin("cell");
  ASSERT_TRUE(path);
  fs::create_directories(*path / "data");
  write_file(*path / "program", "code");
  write_file(*path / "data" / "weights", "0123456789");
  ASSERT_TRUE(kept.keep(*path, "cell", kHere, 2));
}

TEST(KeptArtifacts, AreFoundWholeWithTheProcessThatCompiledThemAlsoByTheNextAgent) {
  const TemporaryFolder folder;
  KeptArtifacts kept(folder.path() / "artifacts");
  EXPECT_FALSE(kept.find("cell", kHere));
  keep_two_files(kept);
  KeptArtifacts next(folder.path() / "artifacts");
  for (KeptArtifacts* const each : {&kept, &next}) {
    const auto found = each->find("cell", kHere);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->process_index, 2);
    EXPECT_EQ(file::read(found->path / "data" / "weights").value_or(""), "0123456789");
    EXPECT_TRUE(each->is_unchanged("cell"));
    EXPECT_FALSE(each->find("other cell", kHere));
  }
}

TEST(KeptArtifacts, ThatAKilledAgentLeftUnfinishedAreRemovedAndFilesOfOthersAreNot) {
  const TemporaryFolder folder;
  const fs::path artifacts = folder.path() / "artifacts";
  const fs::path unfinished = KeptArtifacts(artifacts).begin("cell").value().parent_path();
  write_file(artifacts / "film.partial", "theirs");
  write_file(artifacts / "film.host-1-1.partial", "theirs");
  KeptArtifacts next(artifacts);
  EXPECT_FALSE(fs::exists(unfinished));
  EXPECT_TRUE(fs::exists(artifacts / "film.partial"));
  EXPECT_TRUE(fs::exists(artifacts / "film.host-1-1.partial"));
}

TEST(KeptArtifacts, OfAnotherOriginAreRemoved) {
  for (const samples::Origin& other :
       {samples::Origin{"another", "model", "environment"}, samples::Origin{"build", "another", "environment"},
        samples::Origin{"build", "model", "another"}}) {
    const TemporaryFolder folder;
    KeptArtifacts kept(folder.path() / "artifacts");
    keep_two_files(kept);
    EXPECT_FALSE(kept.find("cell", other));
    EXPECT_TRUE(fs::is_empty(folder.path() / "artifacts"));
    EXPECT_FALSE(kept.find("cell", kHere));
  }
}

// The same damage is done while the agent runs, and between two agents.
TEST(KeptArtifacts, ThatAreTornChangedOrIncompleteAreRemoved) {
  using Damage = void (*)(const fs::path&);
  const Damage damages[] = {
      [](const fs::path& kept) { fs::resize_file(kept / "artifact" / "data" / "weights", 4); },
      [](const fs::path& kept) { write_file(kept / "artifact" / "data" / "weights", "0123456780"); },
      [](const fs::path& kept) { fs::remove(kept / "artifact" / "program"); },
      [](const fs::path& kept) { write_file(kept / "artifact" / "more", ""); },
      [](const fs::path& kept) { fs::create_symlink("program", kept / "artifact" / "link"); },
      [](const fs::path& kept) { fs::remove_all(kept / "artifact"); },
  };
  for (const Damage damage : damages) {
    for (const bool is_restarted : {false, true}) {
      const TemporaryFolder folder;
      KeptArtifacts kept(folder.path() / "artifacts");
      keep_two_files(kept);
      const auto path = kept.find("cell", kHere);
      ASSERT_TRUE(path);
      damage(path->path.parent_path());
      KeptArtifacts next(folder.path() / "artifacts");
      EXPECT_FALSE(kept.is_unchanged("cell"));
      EXPECT_FALSE((is_restarted ? next : kept).find("cell", kHere));
      EXPECT_TRUE(fs::is_empty(folder.path() / "artifacts"));
    }
  }
}

TEST(KeptArtifacts, WithoutOrWithADamagedDescriptionAreRemoved) {
  for (const char* const text :
       {"", "{", "[]", "{\"process_index\": \"2\"}", "{\"process_index\": 2, \"files\": {}}"}) {
    const TemporaryFolder folder;
    KeptArtifacts kept(folder.path() / "artifacts");
    keep_two_files(kept);
    for (const auto& entry : fs::directory_iterator(folder.path() / "artifacts")) {
      write_file(entry.path() / "artifact.json", text);
    }
    KeptArtifacts next(folder.path() / "artifacts");
    EXPECT_FALSE(next.find("cell", kHere)) << text;
  }
}

TEST(KeptArtifacts, ThatAKilledAgentLeftUnfinishedAreRemoved) {
  const TemporaryFolder folder;
  KeptArtifacts kept(folder.path() / "artifacts");
  const auto path = kept.begin("cell");
  ASSERT_TRUE(path);
  write_file(*path, "half");
  const KeptArtifacts next(folder.path() / "artifacts");
  EXPECT_TRUE(fs::is_empty(folder.path() / "artifacts"));
}

TEST(KeptArtifacts, WithoutAFileAreNotKept) {
  const TemporaryFolder folder;
  KeptArtifacts kept(folder.path() / "artifacts");
  const auto missing = kept.begin("cell");
  ASSERT_TRUE(missing);
  EXPECT_FALSE(kept.keep(*missing, "cell", kHere, 0));
  const auto empty = kept.begin("cell");
  ASSERT_TRUE(empty);
  fs::create_directories(*empty);
  EXPECT_FALSE(kept.keep(*empty, "cell", kHere, 0));
  EXPECT_TRUE(fs::is_empty(folder.path() / "artifacts"));
}

}  // namespace
}  // namespace ngb::agent
