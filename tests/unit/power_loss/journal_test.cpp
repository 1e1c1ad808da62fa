// SPDX-License-Identifier: Apache-2.0
#include "agent/journal.h"

#include <fcntl.h>
#include <fmt/format.h>

#include "power_loss.h"

namespace ngb::power_loss {
namespace {

const agent::JobIdentity kIdentity{"run-1", "abc"};

// Opens the journal; the models of the events that are in it.
Result<agent::Journal> open(const std::filesystem::path& folder, std::set<std::string>* models = nullptr) {
  return agent::Journal::open(folder, kIdentity, {[models](const samples::Event& event) {
                                if (models != nullptr)
                                  models->insert(std::get<samples::ModelWritten>(event.body).model.hash);
                              }});
}

void append(agent::Journal& journal, const std::string& model) {
  must(journal.append({0, samples::ModelWritten{{model}, "00", 1, 2}}));
  promise(model);
}

void expect_what_was_promised(const std::filesystem::path& left, const std::set<std::string>& promises) {
  if (!std::filesystem::exists(left / "runs/1")) {
    EXPECT_THAT(promises, testing::IsEmpty());
    return;
  }
  std::set<std::string> models;
  auto journal = open(left / "runs/1", &models);
  ASSERT_TRUE(journal) << journal.error().text();
  for (const std::string& model : promises) EXPECT_TRUE(models.contains(model)) << model;
  ASSERT_TRUE(journal->append({0, samples::ModelWritten{{"after"}, "00", 1, 2}})) << "it goes on";
}

TEST_F(PowerLoss, LeavesTheJournalWithEveryEventThatWasRecorded) {
  const auto work = [this] {
    must(file::make_folder(folder() / "runs/1"));
    auto journal = must(open(folder() / "runs/1"));
    for (const char* model : {"one", "two", "three"}) append(journal, model);
    auto again = must(open(folder() / "runs/1"));
    append(again, "four");
  };
  cut(work, expect_what_was_promised);
}

TEST_F(PowerLoss, LeavesAJournalThatAKilledAgentHadBegun) {
  const TemporaryFolder other;
  {
    auto journal = must(open(other.path()));
    append(journal, "one");
  }
  const std::string begun = content_of(other / "journal");
  const auto work = [&] {
    must(file::make_folder(folder() / "runs/1"));
    {  // killed before it could sync anything
      const FileDescriptor fd(::open((folder() / "runs/1/journal").c_str(), O_WRONLY | O_CREAT, 0600));
      must(file::write_all(fd.get(), begun, "journal"));
    }
    auto journal = must(open(folder() / "runs/1"));
    promise("one");  // it is told to the client now
    append(journal, "two");
  };
  cut(work, expect_what_was_promised);
}

TEST_F(PowerLoss, LeavesWhatADamagedJournalStillHeld) {
  const auto work = [this] {
    must(file::make_folder(folder() / "runs/1"));
    {
      auto journal = must(open(folder() / "runs/1"));
      append(journal, "one");
      must(journal.append({0, samples::ModelWritten{{"damaged"}, "00", 1, 2}}));
      must(journal.append({0, samples::ModelWritten{{"behind"}, "00", 1, 2}}));
    }
    std::string content = content_of(folder() / "runs/1/journal");
    content[content.find("damaged")] ^= 4;
    must(file::write_atomically(folder() / "runs/1/journal", content));
    auto again = must(open(folder() / "runs/1"));
    append(again, "two");
  };
  cut(work, expect_what_was_promised);
}

}  // namespace
}  // namespace ngb::power_loss
