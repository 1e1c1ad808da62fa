// SPDX-License-Identifier: Apache-2.0
// Small files that are written in one step: study.json, the machines of a Slurm job, manifests, reference outputs.
#include <set>

#include "agent/reference_cache.h"
#include "base/partials.h"
#include "power_loss.h"
#include "worker/reference_file.h"

namespace ngb::power_loss {
namespace {

TEST_F(PowerLoss, LeavesTheOldStudyOrTheNewOneWhole) {
  const std::string first(5000, '1');
  const std::string second(9000, '2');
  const auto work = [&] {
    const std::filesystem::path results = folder() / "results/a/study";
    must(file::make_folder(results));
    must(file::write_atomically(results / "study.json", first));
    promise("first");
    must(file::write_atomically(results / "study.json", second));
    promise("second");
  };
  cut(work, [&](const auto& left, const auto& promises) {
    const std::string study = content_of(left / "results/a/study/study.json");
    if (promises.contains("second")) {
      EXPECT_TRUE(study == second) << study.size() << " bytes";
    } else if (promises.contains("first")) {
      EXPECT_TRUE(study == first || study == second) << study.size() << " bytes";
    } else {
      EXPECT_TRUE(study == first || study == "(nothing)") << study.size() << " bytes";
    }
  });
}

TEST_F(PowerLoss, LeavesReferenceOutputsWholeOrNotThere) {
  const std::vector<float> values(3000, 0.5F);
  const std::vector<worker::OutputView> outputs{{{"out", DataType::f32, {3000}}, values.data()}};
  const auto work = [&] {
    const std::filesystem::path path = folder() / "references/key.ref";
    must(file::make_folder(path.parent_path()));
    const std::filesystem::path partial = file::partial_path(path);
    must(worker::write_reference(partial, {.made_by = "identity", .key = "key"}, outputs));
    must(agent::adopt_reference(partial, path));
    promise("made");
  };
  cut(work, [](const auto& left, const auto& promises) {
    const std::filesystem::path path = left / "references/key.ref";
    if (!std::filesystem::exists(path)) {
      EXPECT_FALSE(promises.contains("made"));
      return;
    }
    const auto reference = worker::Reference::open(path);
    EXPECT_TRUE(reference) << reference.error().text();
  });
}

TEST_F(PowerLoss, LeavesAFolderWholeOnceItHasItsNameAndAnythingOfItBefore) {
  std::set<std::string> before;
  const auto work = [&] {
    const std::filesystem::path made = file::partial_path(folder() / "made");
    must(file::make_folder(made / "in"));
    must(file::write_atomically(made / "in/a", "whole"));
    promise("written");
    must(file::put_in_place(made, folder() / "made"));
    promise("placed");
  };
  cut(work, [&](const auto& left, const auto& promises) {
    if (promises.contains("placed")) {
      EXPECT_EQ(content_of(left / "made/in/a"), "whole");
    } else if (promises.contains("written")) {
      for (const auto& each : file::partials_of(left / "made")) before.insert(content_of(each.path / "in/a"));
    }
  });
  if (IsSkipped()) return;
  EXPECT_THAT(before, testing::Contains("(nothing)")) << "it was put on disk for nothing";
}

}  // namespace
}  // namespace ngb::power_loss
