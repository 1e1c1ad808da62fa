// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "apps/ngb/command.h"
#include "apps/ngb/terminal.h"
#include "config/study.h"

namespace ngb::app {

void add_schema(CLI::App& app, const Installation& installation, Action& chosen) {
  CLI::App* command = app.add_subcommand("schema", "Print the JSON Schema of study files, for editors");
  command->footer("Example:\n  ngb schema > study.schema.json");
  command->callback([&installation, &chosen] {
    chosen = [&installation]() -> int {
      const auto vocabulary = campaign::read_vocabulary(installation);
      if (!vocabulary) return report_failure(vocabulary.error(), kCannotGoOn);
      print_json_text(config::study_schema(*vocabulary));
      return kSuccess;
    };
  });
}

}  // namespace ngb::app
