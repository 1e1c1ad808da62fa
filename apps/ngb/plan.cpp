// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.h"

#include <memory>
#include <nlohmann/json.hpp>

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
      const std::string text = arguments->json ? plan::to_json(*plan).dump(2) + "\n" : plan::to_text(*plan);
      print_out(text);
      return kSuccess;
    };
  });
}

}  // namespace ngb::app
