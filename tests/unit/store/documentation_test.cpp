// SPDX-License-Identifier: Apache-2.0
// Compares docs/results.md with the real schema. NGB_UPDATE_DOCS=1 writes the generated part anew.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "made_up.h"
#include "store/schema.h"

namespace ngb::store {
namespace {

using made_up::Folder;

const std::filesystem::path kPage = std::filesystem::path(NGB_SOURCE_DIR) / "docs/results.md";
constexpr const char* kMark = "<!-- generated from src/store/schema_sql_*.h -->\n";

TEST(ResultsDocumentation, ListsTheSchemaAsItIs) {
  std::string page = file::read(kPage).value();
  const std::size_t first = page.find(kMark);
  const std::size_t end = page.rfind(kMark);
  ASSERT_LT(first, end) << "the page has two marks";
  const std::size_t begin = first + std::string_view(kMark).size();
  if (std::getenv("NGB_UPDATE_DOCS") != nullptr) {
    page.replace(begin, end - begin, schema_markdown() + "\n");
    ASSERT_TRUE(file::write_atomically(kPage, page));
    return;
  }
  EXPECT_EQ(page.substr(begin, end - begin), schema_markdown() + "\n") << "run store_test with NGB_UPDATE_DOCS=1";
}

TEST(ResultsDocumentation, ExplainsEveryTableViewAndColumn) {
  const Folder folder;
  ASSERT_TRUE(Store::open(folder.results(), Mode::read_write));
  const sql::Database database(folder.results(), SQLITE_OPEN_READONLY);
  sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_ENABLE_VIEW, 1, nullptr);  // as in sqlite3 and pandas
  const std::string page = schema_markdown();
  sql::Statement tables = database.statement("SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view')");
  int columns_seen = 0;
  while (tables.step()) {
    const std::string heading = "### " + tables.text(1) + " " + tables.text(0) + "\n";
    const std::size_t begin = page.find(heading);
    ASSERT_NE(begin, std::string::npos) << heading;
    const std::string section = page.substr(begin, page.find("\n### ", begin + 1) - begin);
    sql::Statement columns = database.statement("SELECT name FROM pragma_table_info(?)");
    columns.bind(tables.text(0));
    while (columns.step()) {
      ++columns_seen;
      EXPECT_THAT(section, testing::HasSubstr("\n| `" + columns.text(0) + "` | ")) << heading;
    }
  }
  EXPECT_GT(columns_seen, 100);
}

// Returns the page's code blocks in this language.
std::vector<std::string> examples(const std::string& language) {
  const std::string page = file::read(kPage).value();
  const std::string opening = "```" + language + "\n";
  std::vector<std::string> found;
  for (std::size_t at = page.find(opening); at != std::string::npos; at = page.find(opening, at + 1)) {
    const std::size_t begin = at + opening.size();
    found.push_back(page.substr(begin, page.find("```", begin) - begin));
  }
  return found;
}

void fill(const Folder& folder) {
  auto store = Store::open(folder.results(), Mode::read_write);
  ASSERT_TRUE(store);
  const std::string run = store->begin_run(made_up::plan(), 7).value();
  std::uint64_t sequence = 0;
  ASSERT_TRUE(store->record(run, "local", {++sequence, made_up::environment()}));
  for (const char* cell : {"aa", "bb", "cc"}) {
    ASSERT_TRUE(store->record(run, "local", {++sequence, made_up::process(cell, 0)}));
  }
  ASSERT_TRUE(store->record(run, "local", {++sequence, made_up::crash("dd", 0, 1)}));
  ASSERT_TRUE(store->flush());
  ASSERT_TRUE(store->keep_values(store->revision().value(), {{"bb", "speed_up_ratio", 2.0, 1.5, 2.5, ""}}, {}));
}

TEST(ResultsDocumentation, HasQueriesThatYieldRows) {
  const Folder folder;
  fill(folder);
  const sql::Database database(folder.results(), SQLITE_OPEN_READONLY);
  sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_ENABLE_VIEW, 1, nullptr);  // as in sqlite3 and pandas
  const auto queries = examples("sql");
  ASSERT_GE(queries.size(), 4U);
  for (const std::string& query : queries) {
    sql::Statement statement = database.statement(query);
    EXPECT_TRUE(statement.step()) << query;
  }
}

// Two studies in one file may give one label to two settings.
TEST(ResultsDocumentation, HasAQueryThatKeepsTwoSettingsOfOneLabelApart) {
  const Folder folder;
  {
    auto store = Store::open(folder.results(), Mode::read_write);
    ASSERT_TRUE(store);
    plan::Plan plan = made_up::plan();
    plan.compilers[0] = plan.compilers[1];
    plan.compilers[0].options = {{"level", "\"basic\""}};
    const std::string run = store->begin_run(plan, 7).value();
    ASSERT_TRUE(store->record(run, "local", {1, made_up::process("aa", 0)}));
    ASSERT_TRUE(store->record(run, "local", {2, made_up::process("bb", 0)}));
    ASSERT_TRUE(store->flush());
  }
  const sql::Database database(folder.results(), SQLITE_OPEN_READONLY);
  sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_ENABLE_VIEW, 1, nullptr);  // as in sqlite3 and pandas
  sql::Statement row = database.statement("SELECT DISTINCT compiler_label, options_json FROM (" +
                                          examples("sql").front().substr(0, examples("sql").front().rfind(';')) +
                                          ") ORDER BY options_json");
  std::vector<std::string> found;
  while (row.step()) found.push_back(row.text(0) + " " + row.text(1));
  EXPECT_THAT(found,
              testing::ElementsAre(R"(onnxruntime {"level":"all","streams":1})", R"(onnxruntime {"level":"basic"})"));
}

TEST(ResultsDocumentation, HasPandasExamplesThatRun) {
  const std::string python = std::filesystem::exists(NGB_MADE_PYTHON) ? NGB_MADE_PYTHON : NGB_PYTHON;
  const auto found = process::run({.arguments = {python, "-c", "import pandas"}});
  if (!found || !found->succeeded()) GTEST_SKIP() << python << " cannot import pandas";
  const Folder folder;
  fill(folder);
  const auto programs = examples("python");
  ASSERT_GE(programs.size(), 1U);
  for (const std::string& program : programs) {
    const auto outcome = process::run({.arguments = {python, "-c", program}, .folder = folder.path()});
    ASSERT_TRUE(outcome);
    EXPECT_TRUE(outcome->succeeded()) << program << outcome->output;
  }
}

}  // namespace
}  // namespace ngb::store
