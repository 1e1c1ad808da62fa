// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include "power_loss.h"
#include "unit/store/made_up.h"

namespace ngb::power_loss {
namespace {

using store::Mode;
using store::Store;

std::string name_of(const std::string& cell, int index) { return cell + " " + std::to_string(index); }

TEST_F(PowerLoss, LeavesResultsWithEveryEventThatWasCommitted) {
  const auto work = [this] {
    std::uint64_t sequence = 0;
    for (int opened = 0; opened < 2; ++opened) {
      auto store = must(Store::open(folder() / "results/a/results.db", Mode::read_write));
      const std::string run = must(store.begin_run(made_up::plan(), 7));
      promise("run");
      for (const char* cell : {"aa", "bb"}) {
        must(store.record(run, "local", {++sequence, made_up::process(cell, opened)}));
        must(store.flush());
        promise(name_of(cell, opened));
      }
    }
  };
  cut(work, [](const auto& left, const auto& promises) {
    const std::filesystem::path results = left / "results/a/results.db";
    if (!std::filesystem::exists(results)) {
      EXPECT_THAT(promises, testing::IsEmpty());
      return;
    }
    auto store = Store::open(results, Mode::read_write);
    ASSERT_TRUE(store) << store.error().text();
    const auto cells = store->load_cells();
    ASSERT_TRUE(cells) << cells.error().text();
    std::set<std::string> found;
    for (const store::CellData& cell : *cells) {
      for (const auto& process : cell.processes) {
        EXPECT_EQ(process.repetitions.size(), 4U);
        found.insert(name_of(cell.cell_id, process.process_index));
      }
    }
    for (const std::string& process : promises) {
      EXPECT_TRUE(process == "run" || found.contains(process)) << process;
    }
    EXPECT_EQ(store->runs()->size(), promises.contains("run") ? 1U : store->runs()->size());
  });
}

}  // namespace
}  // namespace ngb::power_loss
