// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/completion_values.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "apps/ngb/front.h"
#include "base/text.h"
#include "campaign/study_file.h"
#include "metrics/judging.h"
#include "report/results.h"
#include "store/store.h"
#include "toolchain/catalog.h"

namespace ngb::app {
namespace {

using Words = std::vector<std::string>;

// Returns the words of an option that takes one of a few: its type is "[text|json]", or "TEXT:{bash,zsh,fish}" of a
// check.
Words choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const bool is_ours = type.starts_with('[') && type.find('|') != std::string::npos;
  const std::size_t begin = is_ours ? 0 : type.find('{');
  const std::size_t end = type.find(is_ours ? ']' : '}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return text::split(type.substr(begin + 1, end - begin - 1), is_ours ? '|' : ',');
}

Words names_of_compilers(const Installation& installation, bool with_toolchain) {
  Words names;
  for (const toolchain::CompilerDescription& each :
       toolchain::read_catalog(installation.parts.lib).value_or(std::vector<toolchain::CompilerDescription>())) {
    if (!with_toolchain || (each.needs_toolchain && each.toolchain == each.name)) names.push_back(each.name);
  }
  return names;
}

// Returns what the filter of that name (report/results.h) may be given, of the results folders among the words.
Words words_in_results(const std::string& filter_name, const Words& words) {
  const auto filters = report::filters();
  const auto filter = std::find_if(filters.begin(), filters.end(),
                                   [&](const report::Filter& each) { return each.name == filter_name; });
  if (filter == filters.end()) return {};
  std::set<std::string> found;
  for (const std::string& word : words) {
    const std::filesystem::path file = std::filesystem::path(word) / "results.db";
    std::error_code code;
    if (!std::filesystem::is_regular_file(file, code)) continue;
    auto store = store::Store::open(file, store::Mode::read_only);
    const auto cells =
        store ? store->load_cells(store::Detail::planned) : Result<std::vector<store::CellData>>(error_of(store));
    if (!cells) continue;
    for (const store::CellData& cell : *cells) {
      for (const std::string& each : filter->words(cell)) found.insert(each);
    }
  }
  found.erase("");
  return {found.begin(), found.end()};
}

Words of_option(const Installation& installation, const CLI::Option& option, const Words& words) {
  if (Words choices = choices_of(option); !choices.empty()) return choices;
  const std::string name = option.get_lnames().front();
  if (name == "metric") return metrics::names_of_judged();
  const bool is_compiler = name == "compiler" || name == "baseline" || name == "candidate";
  if (Words found = words_in_results(is_compiler ? "compiler" : name, words); !found.empty()) return found;
  return is_compiler ? names_of_compilers(installation, false) : Words();
}

Words of_argument(const Installation& installation, const CLI::App& command, const CLI::Option& argument) {
  if (Words choices = choices_of(argument); !choices.empty()) return choices;
  const std::string name = argument.get_name();
  const bool is_of_toolchains = command.get_parent()->get_name() == "toolchain";
  if (name == "study" || (name == "what" && command.get_name() == "run")) {
    return campaign::shipped_studies(installation);
  }
  if (name != "name") return {};
  return is_of_toolchains || command.get_name() == "compilers" ? names_of_compilers(installation, is_of_toolchains)
                                                               : Words();
}

}  // namespace

std::vector<std::string> values_after(const CLI::App& app, const Installation& installation, const Words& words) {
  const CLI::App* command = &app;
  for (const std::string& word : words) {
    if (const CLI::App* below = command_of(*command, word)) command = below;
  }
  for (const OptionWord& each : options_of(*command)) {
    const bool is_begun = !words.empty() && each.text == words.back() && each.option->get_type_size() != 0;
    if (is_begun) return of_option(installation, *each.option, words);
  }
  for (const CLI::Option* option : command->get_options()) {
    if (option->get_positional()) return of_argument(installation, *command, *option);
  }
  return {};
}

}  // namespace ngb::app
