// SPDX-License-Identifier: Apache-2.0
#include "report/write/github.h"

#include <fmt/format.h>

#include <vector>

#include "base/text.h"
#include "report/write/markdown.h"

namespace ngb::report {
namespace {

constexpr std::size_t kMostCharacters = 65'536;
constexpr std::size_t kMostAnnotations = 10;
constexpr std::size_t kMostOfAField = 300;

// Returns the remarks, a paragraph each; no more than fit.
std::string remark_lines(const Document& document) {
  std::string text;
  for (const std::string& remark : document.remarks) {
    const std::string line = '\n' + markdown_text(remark) + '\n';
    if (text.size() + line.size() <= kMostCharacters / 4) text += line;
  }
  return text;
}

// Returns the data of a workflow command: line breaks would end the command.
std::string command_text(const std::string& given) {
  std::string escaped;
  for (const char character : text::visible(given)) {
    switch (character) {
      case '%':
        escaped += "%25";
        break;
      case '\r':
        escaped += "%0D";
        break;
      case '\n':
        escaped += "%0A";
        break;
      default:
        escaped += character;
    }
  }
  return escaped;
}

std::string annotation(const Document& document, const std::string& words) {
  return fmt::format("::{} title={}::{}\n", document.are_errors ? "error" : "warning", document.command,
                     command_text(words));
}

}  // namespace

std::string to_github(const Document& document) {
  constexpr std::size_t kReserve = 500;  // for the line that counts rows
  const std::vector<Column>& columns = document.table.columns;
  const std::string end = remark_lines(document);
  std::string text = document.summary + "\n\n" + markdown_header(columns);
  NotListed not_listed;
  bool is_full = false;
  for (const Section& section : document.table.sections) {
    section.each_row([&](const Row& row) {
      const std::string line = is_full || row.is_folded ? std::string() : markdown_row(columns, row, kMostOfAField);
      is_full = is_full || text.size() + line.size() + end.size() + kReserve > kMostCharacters;
      if (is_full || row.is_folded) {
        not_listed.add(row);
      } else {
        text += line;
      }
    });
  }
  if (not_listed.count() > 0) {
    text += fmt::format("\n… and {}. `{} --all` shows them.\n", not_listed.words(document.table), document.command);
  }
  return text + end;
}

std::string github_annotations(const Document& document) {
  const std::vector<std::string>& words = document.annotations;
  std::string text;
  const std::size_t shown = words.size() > kMostAnnotations ? kMostAnnotations - 1 : words.size();
  for (std::size_t i = 0; i < shown; ++i) text += annotation(document, words[i]);
  if (shown < words.size()) {
    text += annotation(document, fmt::format("… and {} more: the summary lists them", words.size() - shown));
  }
  return text;
}

}  // namespace ngb::report
