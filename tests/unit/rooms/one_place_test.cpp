// SPDX-License-Identifier: Apache-2.0
// docs/decisions/0037-one-place-for-each-dangerous-thing.md against the sources: what is dangerous occurs in the files
// that its table lists, and in no other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "named_tests.h"

namespace ngb::rooms {
namespace {

namespace fs = std::filesystem;
using Files = std::set<std::string>;

const fs::path kTree = NGB_SOURCE_DIR;

struct Dangerous {
  const char* thing;    // as in the first column of the table
  const char* pattern;  // what a line of a source has that does it, as a regular expression of POSIX
  std::vector<const char*> folders;
};

// A further thing is a row here and one in the decision's table.
const std::vector<Dangerous> kDangerous{
    {"starting a program",
     R"(\b(posix_spawnp?|exec[lv]p?e?|execvpe|popen|system)\()",
     {"src", "apps", "compilers", "include"}},
    {"an environment",
     R"(\b(getenv|secure_getenv|setenv|unsetenv|putenv|clearenv)\(|\benviron\b)",
     {"src", "apps", "include"}},
    {"handing on all variables", R"(\binherits = [a-z:]*Share::all\b)", {"src", "apps"}},
    {"giving a file another name", R"(::rename(at2?)?\()", {"src", "apps"}},
    {"removing files",
     R"(\b(fs|filesystem)::remove(_all)?\(|(^|[^:a-z])::(unlink(at)?|rmdir|remove)\()",
     {"src", "apps"}},
    {"a folder for its user alone", R"(\b(0700|S_IRWXU)\b)", {"src", "apps"}},
    {"the user's cache", R"(\binstallation_?\.cache\b)", {"src", "apps"}},
    {"a temporary folder",
     R"(\b(mk[sd]temps?|mkostemps?|tmpfile|tmpnam|tempnam|temp_directory_path)\()",
     {"src", "apps", "compilers"}},
    {"parsing JSON", R"(\b([Jj]son|ordered_json)::(parse|sax_parse|accept)\()", {"src", "apps", "compilers"}},
    {"hashing a file of the user",
     R"(\bsha256_of_file\()",
     {"src/plan", "src/userfiles", "src/campaign", "src/config"}},
};

// That of the C library, which takes a tenth of the time of std::regex.
class DangerousPattern {
 public:
  explicit DangerousPattern(const char* text) {
    EXPECT_EQ(::regcomp(&compiled_, text, REG_EXTENDED | REG_NOSUB), 0) << text;
  }
  ~DangerousPattern() { ::regfree(&compiled_); }
  DangerousPattern(const DangerousPattern&) = delete;
  DangerousPattern& operator=(const DangerousPattern&) = delete;

  [[nodiscard]] bool is_in(const std::string& line) const {
    return ::regexec(&compiled_, line.c_str(), 0, nullptr, 0) == 0;
  }

 private:
  regex_t compiled_{};
};

Files files_with(const Dangerous& dangerous) {
  const DangerousPattern pattern(dangerous.pattern);
  Files found;
  for (const char* const folder : dangerous.folders) {
    for (const auto& entry : fs::recursive_directory_iterator(kTree / folder)) {
      const std::string ending = entry.path().extension().string();
      if (ending != ".cpp" && ending != ".h") continue;
      for (const std::string& line : text::split(file::read(entry.path()).value(), '\n')) {
        const bool is_comment = text::trim(line).starts_with("//");
        if (!is_comment && pattern.is_in(line)) found.insert(fs::relative(entry.path(), kTree).string());
      }
    }
  }
  return found;
}

struct Row {
  Files files{};
  std::string tests{};  // the text of its last column
};

std::map<std::string, Row> table_of_the_decision() {
  const std::string page = file::read(kTree / "docs/decisions/0037-one-place-for-each-dangerous-thing.md").value();
  std::map<std::string, Row> rows;
  for (const std::string& line : text::split(page, '\n')) {
    const std::vector<std::string> columns = text::split(line, '|');
    if (columns.size() != 6 || columns[1].find("---") != std::string::npos) continue;
    Row row{.tests = columns[4]};
    const std::vector<std::string> quoted = text::split(columns[2], '`');
    for (std::size_t i = 1; i < quoted.size(); i += 2) row.files.insert(quoted[i]);
    rows[std::string(text::trim(columns[1]))] = std::move(row);
  }
  rows.erase("thing");
  return rows;
}

TEST(DangerousThings, OccurOnlyInTheFilesThatTheDecisionLists) {
  const std::map<std::string, Row> rows = table_of_the_decision();
  Files things;
  for (const Dangerous& dangerous : kDangerous) {
    things.insert(dangerous.thing);
    ASSERT_TRUE(rows.contains(dangerous.thing)) << dangerous.thing << " has no row in the decision";
    EXPECT_EQ(files_with(dangerous), rows.at(dangerous.thing).files) << dangerous.thing;
  }
  Files listed;
  for (const auto& [thing, row] : rows) listed.insert(thing);
  EXPECT_EQ(listed, things);
}

TEST(DangerousThings, HaveATestThatExists) {
  for (const auto& [thing, row] : table_of_the_decision()) {
    const std::vector<std::string> tests = tests_named_in(row.tests);
    EXPECT_THAT(tests, testing::Not(testing::IsEmpty())) << thing;
    for (const std::string& test : tests) EXPECT_TRUE(is_test(test)) << thing << ": " << test;
  }
}

}  // namespace
}  // namespace ngb::rooms
