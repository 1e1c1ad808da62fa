// SPDX-License-Identifier: Apache-2.0
// ngb completions: a shell's completion script, made from the commands and options that the program has.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string_view>
#include <vector>

#include "apps/ngb/command.h"
#include "apps/ngb/completion_values.h"
#include "apps/ngb/front.h"
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
  std::erase_if(text, [](char letter) { return std::string_view("'\\`$\"").find(letter) != std::string_view::npos; });
  return text;
}

void collect(const CLI::App& app, std::vector<Command>& commands) {
  Command command{.path = path_of(app)};
  for (const CLI::App* each : commands_of(app)) {
    command.subcommands.push_back({each->get_name(), plain(each->get_description())});
  }
  for (const OptionWord& each : options_of(app)) {
    command.options.push_back({each.text, plain(each.option->get_description()), each.option->get_expected_max() > 0});
  }
  commands.push_back(std::move(command));
  for (const CLI::App* each : commands_of(app)) collect(*each, commands);
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

// Follows the words before the cursor from command to command, then offers its subcommands or options, or asks ngb for
// values; with those of an argument, and where there are none, files.
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
  return text + R"sh(  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$2")
  [[ -n $words ]] && return
  while IFS= read -r i; do
    [[ $i == "$2"* ]] && COMPREPLY+=("${i// /\\ }")
  done < <("${COMP_WORDS[0]}" completions values -- "${COMP_WORDS[@]:0:COMP_CWORD}" 2>/dev/null)
  if [[ ${#COMPREPLY[@]} != 0 && ${COMP_WORDS[COMP_CWORD - 1]} != -* ]]; then
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$2")
  fi
}
complete -o default -F _ngb ngb
)sh";
}

std::string zsh_words(const char* name, const std::vector<Word>& words) {
  std::string text = fmt::format("      {}=(", name);
  for (const Word& word : words) text += fmt::format("\n        '{}:{}'", word.text, word.meaning);
  return text + ")\n";
}

std::string zsh(const std::vector<Command>& commands) {
  std::string text =
      "#compdef ngb\n_ngb() {\n  local command=ngb i\n  local -a subcommands options\n"
      "  for ((i = 2; i < CURRENT; ++i)); do\n    case \"$command ${words[i]}\" in\n";
  text += fmt::format("      {}) command=\"$command ${{words[i]}}\" ;;\n", paths_of(commands));
  text += "    esac\n  done\n  case $command in\n";
  for (const Command& command : commands) {
    text += fmt::format("    \"{}\")\n{}{}      ;;\n", command.path, zsh_words("subcommands", command.subcommands),
                        zsh_words("options", command.options));
  }
  return text + R"sh(  esac
  if [[ ${words[CURRENT]} == -* ]]; then
    _describe option options
  elif (( $#subcommands )); then
    _describe command subcommands
  else
    local -a values
    values=(${(f)"$($words[1] completions values -- $words[1,CURRENT-1] 2>/dev/null)"})
    (( $#values )) && compadd -a values
    [[ $#values != 0 && ${words[CURRENT-1]} == -* ]] || _files
  fi
}
if [[ $funcstack[1] == _ngb ]]; then _ngb "$@"; else compdef _ngb ngb; fi
)sh";
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
  constexpr const char* kValues = "(ngb completions values -- (commandline -opc) 2>/dev/null)";
  std::string text = "# fish completion of ngb\n";
  for (const Command& command : commands) {
    const std::string condition = fish_condition(command);
    for (const Word& word : command.subcommands) {
      text += fmt::format("complete -c ngb -f -n '{}' -a {} -d '{}'\n", condition, word.text, word.meaning);
    }
    for (const Word& word : command.options) {
      text += fmt::format("complete -c ngb -n '{}' -l {}{} -d '{}'\n", condition, word.text.substr(2),
                          word.takes_value ? fmt::format(" -r -a '{}'", kValues) : "", word.meaning);
    }
    if (command.subcommands.empty()) text += fmt::format("complete -c ngb -n '{}' -a '{}'\n", condition, kValues);
  }
  return text;
}

}  // namespace

void add_completions(CLI::App& app, const Installation& installation, Action& chosen) {
  struct Arguments {
    std::string shell;
    std::vector<std::string> words;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("completions", "Print the completion script of a shell");
  command->footer(
      "Examples:\n  source <(ngb completions bash)\n  ngb completions zsh > ~/.zfunc/_ngb\n"
      "  ngb completions fish > ~/.config/fish/completions/ngb.fish");
  command->add_option("shell", arguments->shell, "bash, zsh or fish; values: what the scripts ask for")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish", "values"}));
  command->add_option("words", arguments->words, "Of values: the words before the one that is completed");
  command->callback([=, &app, &installation, &chosen] {
    chosen = [=, &app, &installation]() -> int {
      if (arguments->shell == "values") {
        for (const std::string& each : values_after(app, installation, arguments->words)) say("{}\n", each);
        return kSuccess;
      }
      std::vector<Command> commands;
      collect(app, commands);
      print_out(arguments->shell == "bash"  ? bash(commands)
                : arguments->shell == "zsh" ? zsh(commands)
                                            : fish(commands));
      return kSuccess;
    };
  });
}

}  // namespace ngb::app
