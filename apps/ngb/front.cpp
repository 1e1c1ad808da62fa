// SPDX-License-Identifier: Apache-2.0
#include "apps/ngb/front.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/ngb/command.h"
#include "apps/ngb/terminal.h"
#include "base/environment.h"
#include "base/text.h"
#include "report/write/text_width.h"

namespace ngb::app {
namespace {

// Breaks lines at the width of the terminal, or at COLUMNS where there is none, with headings in bold on one that has
// colours.
class Help : public CLI::Formatter {
 public:
  explicit Help(const OutputShape& shape) : shape_(shape) {
    const std::string columns = environment::variable("COLUMNS");
    if (shape.wrap == 0) std::from_chars(columns.data(), columns.data() + columns.size(), shape_.width);
    label("Positionals", "Arguments");
    label("SUBCOMMAND", "COMMAND");
  }

  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    return in_bold(Formatter::make_group(std::move(group), is_positional, std::move(options)));
  }
  std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode mode) const override {
    return in_bold(Formatter::make_subcommands(app, mode));
  }
  std::string make_description(const CLI::App* app) const override {
    return report::wrapped(Formatter::make_description(app), shape_.width);
  }
  std::string make_footer(const CLI::App* app) const override {
    return in_bold(report::wrapped(Formatter::make_footer(app), shape_.width));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return beside(command->get_name(), command->get_description());
  }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return beside(make_option_name(option, is_positional) + make_option_opts(option), option->get_description());
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return "";
    const std::string type = option->get_type_name();
    const bool is_ours = type.starts_with('[');
    std::string text = " " + (is_ours ? type : type.substr(0, type.find(':')));  // without the words of its checks
    if (!option->get_default_str().empty()) text += "=" + option->get_default_str();
    return text + (option->get_expected_max() > 1 ? " ..." : "");
  }
  std::string make_option_usage(const CLI::Option* option) const override {
    const std::string name = make_option_name(option, true) + (option->get_expected_max() > 1 ? "..." : "");
    return option->get_required() ? name : "[" + name + "]";
  }

 private:
  // Returns the name, and beside it what it means, each of its lines under the one before.
  [[nodiscard]] std::string beside(const std::string& name, const std::string& meaning) const {
    constexpr int kNames = 30;   // columns
    constexpr int kFewest = 30;  // of a meaning
    const std::string margin(kNames, ' ');
    const std::size_t width = name.size() + 2;
    std::string lines = shape_.has_color ? fmt::format("  \x1b[36m{}\x1b[0m", name) : "  " + name;
    lines += width + 1 < margin.size() ? margin.substr(width) : "\n" + margin;
    const std::string wrapped = report::wrapped(meaning, std::max(kFewest, shape_.width - kNames));
    for (const char letter : text::trim(wrapped)) {
      lines += letter;
      if (letter == '\n') lines += margin;
    }
    return lines + "\n";
  }

  // Sets lines that begin at the margin and end with a colon in bold.
  [[nodiscard]] std::string in_bold(const std::string& lines) const {
    if (!shape_.has_color) return lines;
    std::string text;
    for (const std::string& line : text::split(lines, '\n')) {
      const bool is_heading = !line.empty() && line.front() != ' ' && line.back() == ':';
      text += is_heading ? fmt::format("\x1b[1m{}\x1b[0m\n", line) : line + "\n";
    }
    text.pop_back();
    return text;
  }

  OutputShape shape_;
};

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* each : commands_of(app)) names.push_back(each->get_name());
  return names;
}

std::vector<std::string> names_of_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const OptionWord& each : options_of(app)) names.push_back(each.text);
  return names;
}

int wrong(const CLI::App& app, const std::string& where, const std::string& what) {
  return report_failure({.what = what, .where = where, .next = fmt::format("`{} --help` lists them", path_of(app))},
                        kWrongUsage);
}

int unknown_word(const CLI::App& app, const std::string& word) {
  const bool is_option = word.starts_with('-');
  const std::vector<std::string> known = is_option ? names_of_options(app) : names_of_commands(app);
  if (known.empty()) return wrong(app, word, fmt::format("`{}` takes no further word", path_of(app)));
  std::string what = is_option ? "no such option" : "no such command";
  const auto near = text::nearest(word.substr(0, word.find('=')), known);
  return wrong(app, word, near ? fmt::format("{}, did you mean {}?", what, *near) : what);
}

// Returns the command that was named last: the one whose options were read.
const CLI::App* innermost(const CLI::App* app) {
  const std::vector<CLI::App*> parsed = app->get_subcommands();
  return parsed.empty() ? app : innermost(parsed.back());
}

int explain_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& at = *innermost(&app);
  const std::vector<std::string> unknown = app.remaining(true);
  const auto option = std::find_if(unknown.begin(), unknown.end(),
                                   [](const std::string& word) { return word.starts_with('-') && word.size() > 1; });
  if (option != unknown.end()) return unknown_word(at, *option);
  if (!unknown.empty()) return unknown_word(at, unknown.front());
  const bool has_commands = !commands_of(at).empty();
  return report_failure({.what = has_commands ? "which command?" : error.what(),
                         .where = path_of(at),
                         .next = fmt::format("`{} --help` says more", path_of(at))},
                        kWrongUsage);
}

// Prints the help of the command that the words name.
int help(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* at = &app;
  for (const std::string& word : words) {
    const CLI::App* const below = command_of(*at, word);
    if (below == nullptr) return unknown_word(*at, word);
    at = below;
  }
  print_table_text(at->help(at->get_parent() == nullptr ? "" : path_of(*at->get_parent())));
  return kSuccess;
}

}  // namespace

void set_help(CLI::App& app) { app.formatter(std::make_shared<Help>(shape_of_stdout())); }

std::optional<int> parse(CLI::App& app, int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) {
    help(app, {});
    return kWrongUsage;
  }
  if (words.front() == "help") return help(app, {words.begin() + 1, words.end()});
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return help(*innermost(&app), {});
  } catch (const CLI::CallForVersion& version) {
    print_out(fmt::format("{}\n", version.what()));
    return kSuccess;
  } catch (const CLI::ParseError& error) {
    return explain_error(app, error);
  }
  return std::nullopt;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<OptionWord> options_of(const CLI::App& app) {
  std::vector<OptionWord> words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back({"--" + name, option});
  }
  return words;
}

const CLI::App* command_of(const CLI::App& app, const std::string& name) {
  const auto found = app.get_subcommands([&name](const CLI::App* each) { return each->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

std::string path_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : path_of(*app.get_parent()) + " " + app.get_name();
}

}  // namespace ngb::app
