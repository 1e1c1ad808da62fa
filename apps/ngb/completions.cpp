// SPDX-License-Identifier: Apache-2.0
// ngb completions: a shell's completion script, made from the commands and options that the program has.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <vector>

#include "apps/ngb/command.h"
#include "apps/ngb/terminal.h"
#include "base/text.h"

namespace ngb::app {
namespace {

struct Word {
  std::string text{};  // "run", "--output"
  std::string meaning{};
  bool takes_value = false;
};

struct Command {
  std::string path{};  // "ngb toolchain install"
  std::vector<Word> subcommands{};
  std::vector<Word> options{};
};

// One line without characters that a shell's quotes would need to escape.
std::string plain(std::string text) {
  text = text.substr(0, text.find('\n'));
  std::string kept;
  for (const char letter : text) {
    if (letter != '\'' && letter != '\\' && letter != '`' && letter != '$' && letter != '"') kept += letter;
  }
  return kept;
}

void collect(const CLI::App& app, const std::string& path, std::vector<Command>& commands) {
  Command command{.path = path};
  const std::vector<const CLI::App*> subcommands = app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* each : subcommands) {
    command.subcommands.push_back({each->get_name(), plain(each->get_description())});
  }
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      command.options.push_back({"--" + name, plain(option->get_description()), option->get_expected_max() > 0});
    }
  }
  commands.push_back(std::move(command));
  for (const CLI::App* each : subcommands) {
    collect(*each, path + " " + each->get_name(), commands);
  }
}

std::string texts(const std::vector<Word>& words) {
  std::vector<std::string> found;
  for (const Word& word : words) found.push_back(word.text);
  return fmt::format("{}", fmt::join(found, " "));
}

// Returns a shell's pattern of all commands but ngb itself: "ngb run"|"ngb show"|…
std::string paths_of(const std::vector<Command>& commands) {
  std::vector<std::string> paths;
  for (const Command& command : commands) {
    if (command.path != "ngb") paths.push_back('"' + command.path + '"');
  }
  return fmt::format("{}", fmt::join(paths, "|"));
}

// Follows the words before the cursor from command to command, then offers its subcommands or options; files otherwise.
std::string bash(const std::vector<Command>& commands) {
  std::string text =
      "# bash completion of ngb\n_ngb() {\n  local command=ngb words= i\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n    case \"$command ${COMP_WORDS[i]}\" in\n";
  text += fmt::format("      {}) command=\"$command ${{COMP_WORDS[i]}}\" ;;\n", paths_of(commands));
  text += "    esac\n  done\n  case $command in\n";
  for (const Command& command : commands) {
    text += fmt::format(
        "    \"{}\")\n      case $2 in\n        -*) words=\"{}\" ;;\n        *) words=\"{}\" ;;\n      esac ;;\n",
        command.path, texts(command.options), texts(command.subcommands));
  }
  text += "  esac\n  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$2\")\n}\ncomplete -o default -F _ngb ngb\n";
  return text;
}

std::string zsh_words(const char* name, const std::vector<Word>& words) {
  std::string text = fmt::format("      {}=(", name);
  for (const Word& word : words) text += fmt::format("\n        '{}:{}'", word.text, word.meaning);
  return text + ")\n";
}

std::string zsh(const std::vector<Command>& commands) {
  std::string text =
      "#compdef ngb\n_ngb() {\n  local command=ngb i\n  local -a commands options\n"
      "  for ((i = 2; i < CURRENT; ++i)); do\n    case \"$command ${words[i]}\" in\n";
  text += fmt::format("      {}) command=\"$command ${{words[i]}}\" ;;\n", paths_of(commands));
  text += "    esac\n  done\n  case $command in\n";
  for (const Command& command : commands) {
    text += fmt::format("    \"{}\")\n{}{}      ;;\n", command.path, zsh_words("commands", command.subcommands),
                        zsh_words("options", command.options));
  }
  text +=
      "  esac\n  if [[ ${words[CURRENT]} == -* ]]; then\n    _describe option options\n"
      "  elif (( $#commands )); then\n    _describe command commands\n  else\n    _files\n  fi\n}\n"
      "if [[ $funcstack[1] == _ngb ]]; then _ngb \"$@\"; else compdef _ngb ngb; fi\n";
  return text;
}

// The condition under which the words of a command are offered: its names were given and none of its subcommands yet.
std::string fish_condition(const Command& command) {
  std::string condition;
  for (const std::string& name : text::split(command.path, ' ')) {
    if (name != "ngb") condition += fmt::format("__fish_seen_subcommand_from {}; and ", name);
  }
  if (command.subcommands.empty()) return condition + "true";
  return condition + "not __fish_seen_subcommand_from " + texts(command.subcommands);
}

std::string fish(const std::vector<Command>& commands) {
  std::string text = "# fish completion of ngb\n";
  for (const Command& command : commands) {
    const std::string condition = fish_condition(command);
    for (const Word& word : command.subcommands) {
      text += fmt::format("complete -c ngb -f -n '{}' -a {} -d '{}'\n", condition, word.text, word.meaning);
    }
    for (const Word& word : command.options) {
      text += fmt::format("complete -c ngb -n '{}' -l {}{} -d '{}'\n", condition, word.text.substr(2),
                          word.takes_value ? " -r" : "", word.meaning);
    }
  }
  return text;
}

}  // namespace

void add_completions(CLI::App& app, const Installation& /*installation*/, Action& chosen) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completions", "Print the completion script of a shell");
  command->footer(
      "Examples:\n  source <(ngb completions bash)\n  ngb completions zsh > ~/.zfunc/_ngb\n"
      "  ngb completions fish > ~/.config/fish/completions/ngb.fish");
  command->add_option("shell", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([&app, shell, &chosen] {
    chosen = [&app, shell]() -> int {
      std::vector<Command> commands;
      collect(app, "ngb", commands);
      print_out(*shell == "bash" ? bash(commands) : *shell == "zsh" ? zsh(commands) : fish(commands));
      return kSuccess;
    };
  });
}

}  // namespace ngb::app
