// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/ngb/durations_file.h"
#include "apps/ngb/study_file.h"
#include "apps/ngb/terminal.h"

namespace ngb::app {

void add_plan(CLI::App& app, const Installation& installation, Action& chosen) {
  struct Arguments {
    std::string study;
    bool json = false;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("plan", "Print a study's settings, cells, order and estimated time");
  command->add_option("study", arguments->study, "Study file (YAML)")->required();
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer("Example:\n  ngb plan studies/quickstart.yaml");
  command->callback([=, &installation, &chosen] {
    chosen = [=, &installation]() -> int {
      const auto plan = plan_study(installation, arguments->study);
      if (!plan) return plan.error();
      const plan::Experience experience = experience_for(installation, *plan);
      if (arguments->json) {
        nlohmann::json whole = plan::to_json(*plan);
        whole.update(plan::estimate_json(*plan, experience));
        print_out(whole.dump(2) + "\n");
      } else {
        print_out(plan::to_text(*plan) + "\n" + plan::estimate_text(*plan, experience));
      }
      return kSuccess;
    };
  });
}

}  // namespace ngb::app
