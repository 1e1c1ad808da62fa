// SPDX-License-Identifier: Apache-2.0
// The watching itself: it finds the mistakes that it is there to find.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "power_loss.h"

namespace ngb::power_loss {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Not;

class PowerCuts : public PowerLoss {
 protected:
  // Everything that `name` could be after a power cut at some instant at which `words` had been promised.
  std::set<std::string> remains_of(const std::string& name, const std::string& words,
                                   const std::function<void()>& work) {
    std::set<std::string> all;
    cut(work, [&](const auto& left, const auto& promises) {
      if (promises.contains(words)) all.insert(content_of(left / name));
    });
    return all;
  }

  void write(const std::string& name, const std::string& content, bool is_synced) const {
    const FileDescriptor fd(::open((folder() / name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600));
    must(file::write_all(fd.get(), content, name));
    if (is_synced) ::fsync(fd.get());
  }
};

TEST_F(PowerCuts, TakeWhatIsNotSyncedAndLeaveWhatIs) {
  const auto all = remains_of("a", "done", [this] {
    write("a", "whole", true);
    must(file::sync_folder(folder().path()));
    promise("done");
  });
  if (IsSkipped()) return;
  EXPECT_EQ(all, std::set<std::string>{"whole"});
}

TEST_F(PowerCuts, MayTakeTheNameOfAFileWhoseContentIsSynced) {
  const auto all = remains_of("a", "done", [this] {
    write("a", "whole", true);
    promise("done");
  });
  if (IsSkipped()) return;
  EXPECT_EQ(all, (std::set<std::string>{"(nothing)", "whole"}));
}

TEST_F(PowerCuts, MayTakeOrTearTheContentOfAFileThatHasItsName) {
  const auto all = remains_of("a", "done", [this] {
    write("b", "whole!", false);
    ::rename((folder() / "b").c_str(), (folder() / "a").c_str());
    promise("done");
  });
  if (IsSkipped()) return;
  EXPECT_THAT(all, AllOf(Contains(""), Contains("who"), Contains(std::string(6, '\0')), Contains("(nothing)")));
}

TEST_F(PowerCuts, BringBackWhatARenameReplacedUntilTheFolderIsSynced) {
  must(file::write_atomically(folder() / "a", "old"));
  const auto all = remains_of("a", "done", [this] {
    write("b", "new", true);
    ::rename((folder() / "b").c_str(), (folder() / "a").c_str());
    promise("done");
  });
  if (IsSkipped()) return;
  EXPECT_EQ(all, (std::set<std::string>{"old", "new"}));
}

TEST_F(PowerCuts, CountTheCallsOfProgramsThatTheWorkStarts) {
  const std::string script = "cd '" + folder().path().string() + "' && printf whole > b && sync b && mv b a && sync .";
  const auto all = remains_of("a", "done", [&] {
    if (::system(script.c_str()) != 0) throw std::runtime_error("sh failed");
    promise("done");
  });
  if (IsSkipped()) return;
  EXPECT_EQ(all, std::set<std::string>{"whole"});
}

}  // namespace
}  // namespace ngb::power_loss
