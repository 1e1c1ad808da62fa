// SPDX-License-Identifier: Apache-2.0
// An installation in a folder of its own whose only device is this machine: a real agent and worker, and the compiler
// that does nothing, or fails as its options say.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "campaign/measure.h"
#include "campaign/study_file.h"
#include "store/store.h"
#include "temporary_folder.h"

namespace ngb::campaign::test {

// Notes what it is told.
class Notes : public Observer {
 public:
  void say(std::string_view text) override { said += text; }
  bool is_stop_requested() override { return is_stopped; }
  void begin_run(const Outlook& outlook) override { runs.push_back({outlook.done, outlook.total}); }
  void end_run() override { ++ended; }
  void remark(const std::string& line) override { remarks.push_back(line); }
  void show(const std::string& /*device*/, const std::string& doing, bool is_measuring) override {
    if (is_measuring && stops_while_it_shows == doing) is_stopped = true;
  }
  void finish_process(const FinishedProcess& process) override {
    finished.push_back(process.round);
    if (stops_after_a_process) is_stopped = true;
  }
  void fail_process(int /*cell*/, const std::string& why, bool /*ends*/, int skipped) override {
    failures.push_back(why);
    will_not_run += skipped;
  }

  std::string said{};
  std::vector<std::pair<int, int>> runs{};  // processes that were done before, and all
  int ended = 0;
  std::vector<std::string> remarks{};
  std::vector<int> finished{};  // indices of processes
  std::vector<std::string> failures{};
  int will_not_run = 0;
  bool stops_after_a_process = false;
  std::string stops_while_it_shows{};  // "": nothing stops it
  bool is_stopped = false;
};

class Campaign : public testing::Test {
 protected:
  // Returns a study of one cell, which measures `processes` of the null compiler one after the other.
  [[nodiscard]] nlohmann::json study(int processes, const nlohmann::json& options = nlohmann::json::object()) const {
    return {{"name", "test"},
            {"models", {{{"zoo", {{"conv_block", {{"width", 8}, {"depth", 1}, {"image_size", 16}}}}}}}},
            {"compilers", {{{"null", {{"options", options}}}}}},
            {"reference", "none"},
            {"processes", processes},
            {"repetitions", 5},
            {"min_repetition_ms", 0},
            {"disturbance", {{"max_wait_percent", 100}}},
            {"protocol", "paper"},
            {"output", (folder_ / "results").string()}};
  }
  plan::Plan planned(const nlohmann::json& study) {
    auto plan = plan_made_study(installation_, study, saying(notes_));
    if (!plan) ADD_FAILURE() << plan.error().text;
    return *std::move(plan);
  }
  Result<Ending> run(plan::Plan plan, std::optional<Nanoseconds> deadline = {}) {
    const auto compilers = Compilers::find(installation_, plan);
    if (!compilers) return error_of(compilers);
    return measure(installation_, {.plan = std::move(plan), .deadline = deadline}, *compilers, notes_);
  }
  // Returns the cells of a results folder with what was recorded of them.
  [[nodiscard]] static std::vector<store::CellData> cells_in(const std::filesystem::path& results) {
    auto store = store::Store::open(results / "results.db", store::Mode::read_only);
    return store->load_cells(store::Detail::full).value();
  }
  [[nodiscard]] std::vector<store::CellData> cells() const { return cells_in(folder_ / "results"); }

  TemporaryFolder folder_;
  Installation installation_{.parts = {.agent = NGB_BUILD_DIR "/bin/ngb-agent",
                                       .worker = NGB_BUILD_DIR "/bin/ngb-worker",
                                       .lib = NGB_BUILD_DIR "/lib/ngraphbench"},
                             .toolchains = folder_ / "toolchains",
                             .cache = CacheFolder(folder_ / "cache"),
                             .devices = folder_ / "devices.yaml",
                             .studies = folder_ / "studies",
                             .revision = {.version = "0.1.0"}};
  Notes notes_{};
};

}  // namespace ngb::campaign::test
