// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "power_loss.h"
#include "reception/device_toolchains.h"
#include "toolchain/folders.h"

namespace ngb::power_loss {
namespace {

namespace fs = std::filesystem;

const std::string kLibrary(70'000, 'x');

// As pip writes: without a sync.
void write(const fs::path& path, const std::string& content) {
  fs::create_directories(path.parent_path());
  const FileDescriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT, 0644));
  must(file::write_all(fd.get(), content, path.string()));
}

void expect_whole(const fs::path& toolchain, const std::set<std::string>& promises) {
  if (!fs::exists(toolchain)) {
    EXPECT_FALSE(promises.contains("installed"));
    return;
  }
  EXPECT_TRUE(content_of(toolchain / "site/toy/library.so") == kLibrary);
  EXPECT_NE(content_of(toolchain / "manifest.json"), "");
}

TEST_F(PowerLoss, LeavesAToolchainWholeOrNotThere) {
  const auto work = [this] {
    const toolchain::Place place{folder() / "toolchains", "toy", "1.0"};
    must(file::make_folder(place.partial()));
    write(place.partial() / "site/toy/library.so", kLibrary);
    toolchain::Toolchain toy{};
    toy.compiler = "toy";
    toy.version = "1.0";
    toy.python = "/usr/bin/python3";
    must(toolchain::finish(place, std::move(toy)));
    promise("installed");
  };
  cut(work, [](const auto& left, const auto& promises) {
    expect_whole(left / "toolchains/toy/1.0", promises);
    const auto found = toolchain::find(left / "toolchains", "toy", "1.0");
    EXPECT_TRUE(found) << found.error().text();
  });
}

TEST_F(PowerLoss, LeavesAToolchainThatADeviceInstalledWholeOrNotThere) {
  const fs::path python = folder().write("bin/python3",
                                         "#!/bin/sh\n"
                                         "while [ \"$1\" != --target ]; do shift; done\n"
                                         "mkdir -p \"$2/toy\" && cp \"$0.library\" \"$2/toy/library.so\"\n");
  fs::permissions(python, fs::perms::owner_all);
  folder().write("bin/python3.library", kLibrary);
  const auto work = [&] {
    ::setenv("PATH", (python.parent_path().string() + ":" + ::getenv("PATH")).c_str(), 1);
    // Standard input is the client, which stays.
    int ends[2];
    if (::pipe(ends) != 0 || ::dup2(ends[0], STDIN_FILENO) < 0) throw std::runtime_error("no pipe");
    must(reception::install_there(folder() / "device", {"toolchains/toy/1.0", "toy==1.0\n", "{}", 60'000'000'000}));
    promise("installed");
  };
  cut(work, [](const auto& left, const auto& promises) { expect_whole(left / "device/toolchains/toy/1.0", promises); });
}

TEST_F(PowerLoss, LeavesAnAdoptedToolchainWholeOrNotThere) {
  folder().write("venv/toy/library.so", kLibrary);
  const auto work = [this] {
    must(reception::adopt(folder() / "device", {"toolchains/toy/1.0", (folder() / "venv").string(), "{}"}));
    promise("installed");
  };
  cut(work, [](const auto& left, const auto& promises) {
    const fs::path toolchain = left / "device/toolchains/toy/1.0";
    if (!fs::is_symlink(toolchain / "site")) {
      EXPECT_FALSE(fs::exists(toolchain));
      EXPECT_FALSE(promises.contains("installed"));
      return;
    }
    EXPECT_EQ(content_of(toolchain / "manifest.json"), "{}");
  });
}

}  // namespace
}  // namespace ngb::power_loss
