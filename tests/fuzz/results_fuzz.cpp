// SPDX-License-Identifier: Apache-2.0
// results_fuzz COUNT [FIRST_SEED]: results files, each mutated in a way that its seed decides (bytes, pages, lengths,
// values, schema), read as `ngb show`, `status` and `resume` read them. Each yields a table or a message, in bounded
// time; whatever else happens to a child that reads one fails the test and names the seed.
#include <fmt/format.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "base/file.h"
#include "metrics/derive.h"
#include "report/explain/explain.h"
#include "report/show/show.h"
#include "temporary_folder.h"
#include "unit/store/made_up.h"

namespace {

namespace fs = std::filesystem;
using ngb::made_up::crash;
using ngb::made_up::process;

constexpr unsigned kSecondsEach = 60;  // of a loaded machine; SQLite's steps are bounded far below
constexpr int kTable = 0;
constexpr int kMessage = 1;
constexpr int kExitCodes = 64;  // of a child, above those with which a sanitizer ends it

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }
  // "" where an edit before has left nothing to choose from.
  std::string one_of(const std::vector<std::string>& choices) {
    return choices.empty() ? std::string() : choices[below(choices.size())];
  }

 private:
  std::mt19937_64 engine_;
};

ngb::samples::KernelProfile made_up_profile() {
  return {.graph = {{"conv", "Conv", {"x"}, {"y"}}, {"act", "Relu", {"y"}, {"z"}}},
          .kernels = {{"fused", "FusedConv", {"conv", "act"}, {"z"}, "tensor name"}, {"reorder", "", {}, {}, ""}},
          .kernel_ns = {100, 20},
          .least_ns = {90, 20},
          .profiled_ns = 150,
          .plain_ns = 140,
          .inferences = 10};
}

// A run of two devices' worth of everything that a file can hold.
void make_results(const fs::path& file) {
  auto store = ngb::store::Store::open(file, ngb::store::Mode::read_write);
  const std::string run = store->begin_run(ngb::made_up::plan(), 7).value();
  std::uint64_t sequence = 0;
  const auto record = [&](auto body) {
    if (const auto done = store->record(run, "local", {++sequence, std::move(body)}); !done) {
      fmt::print(stderr, "{}\n", done.error().text());
      std::abort();
    }
  };
  record(ngb::made_up::environment());
  record(ngb::samples::ModelWritten{{"feedface", 1}, std::string(64, 'a'), 10, 20});
  for (const char* cell : {"aa", "bb", "cc"}) {
    for (int index = 0; index < 2; ++index) {
      auto made = process(cell, index);
      made.environment_hash = ngb::made_up::environment().hash();
      made.profile = made_up_profile();
      record(made);
    }
  }
  record(crash("dd", 0, 2));
  record(ngb::samples::Finished{});
  if (!store->record_toolchain("local", "identity", "2.15.0", {"77aa", R"({"packages":[]})"}) || !store->flush())
    std::abort();
}

// Whatever SQLite itself refuses is left.
class Editor {
 public:
  explicit Editor(const fs::path& file) {
    if (sqlite3_open(file.c_str(), &database_) != SQLITE_OK) std::abort();
    sqlite3_db_config(database_, SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
    run("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA writable_schema = ON; "
        "PRAGMA synchronous = OFF");
  }
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;
  ~Editor() { sqlite3_close(database_); }

  void run(const std::string& sql) { sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr); }
  std::vector<std::string> list(const std::string& sql) {
    std::vector<std::string> found;
    sqlite3_stmt* query = nullptr;
    sqlite3_prepare_v2(database_, sql.c_str(), -1, &query, nullptr);
    while (sqlite3_step(query) == SQLITE_ROW) {
      found.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(query, 0)));
    }
    sqlite3_finalize(query);
    return found;
  }

 private:
  sqlite3* database_ = nullptr;
};

std::vector<std::string> tables(Editor& editor) {
  return editor.list("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
}

void change_values(const fs::path& file, Dice& dice) {
  static const std::vector<std::string> kValues{"-1",
                                                "0",
                                                "1",
                                                "9223372036854775807",
                                                "-9223372036854775808",
                                                "4294967296",
                                                "2147483648",
                                                "9e999",
                                                "-9e999",
                                                "1e-320",
                                                "NULL",
                                                "''",
                                                "'\x1b]0;x\x07\x1b[2J'",
                                                "CAST(X'ff9b80' AS TEXT)",
                                                "CAST(X'610062' AS TEXT)",
                                                "'[[[[[[[['",
                                                "'{\"a\":1}'",
                                                "'../../../etc/passwd'",
                                                "'crash'",
                                                "'timed'",
                                                "hex(zeroblob(500000))",
                                                "replace(hex(zeroblob(100000)), '0', '[')",
                                                "'{\"best_options\":[1],\"attempts\":\"x\"}'",
                                                "X'00'",
                                                "'flag_spread'",
                                                "'nothing known'"};
  Editor editor(file);
  // Types are free, so that a wrong one gets in.
  if (dice.below(3) == 0) editor.run("UPDATE sqlite_master SET sql = replace(sql, 'STRICT', '') WHERE type = 'table'");
  const std::vector<std::string> all = tables(editor);
  for (std::uint64_t i = 0; i <= dice.below(4); ++i) {
    const std::string table = dice.one_of(all);
    const auto columns = editor.list(fmt::format("SELECT name FROM pragma_table_info('{}')", table));
    const std::string where = dice.below(2) == 0 ? "" : fmt::format(" WHERE rowid % 3 = {}", dice.below(3));
    editor.run(
        fmt::format("UPDATE OR IGNORE {} SET {} = {}{}", table, dice.one_of(columns), dice.one_of(kValues), where));
  }
}

void remove_rows(const fs::path& file, Dice& dice) {
  Editor editor(file);
  for (std::uint64_t i = 0; i <= dice.below(3); ++i) {
    const std::string table = dice.one_of(tables(editor));
    editor.run(fmt::format("DELETE FROM {}{}", table, dice.below(2) == 0 ? "" : " WHERE random() % 2 = 0"));
  }
}

void change_schema(const fs::path& file, Dice& dice) {
  Editor editor(file);
  const std::string table = dice.one_of(tables(editor));
  const auto columns = editor.list(fmt::format("SELECT name FROM pragma_table_info('{}')", table));
  const std::string column = dice.one_of(columns);
  const std::string endless = fmt::format(
      "DROP TABLE {0}; CREATE VIEW {0} AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS "
      "{1} "
      "FROM n",
      table, fmt::join(columns, ", i AS "));
  const std::vector<std::string> edits{
      endless,
      "DROP TABLE " + table,
      fmt::format("ALTER TABLE {} DROP COLUMN {}", table, column),
      fmt::format("ALTER TABLE {} RENAME COLUMN {} TO other", table, column),
      fmt::format("ALTER TABLE {} ADD COLUMN made_up INTEGER AS (1) VIRTUAL", table),
      fmt::format("CREATE TRIGGER t AFTER INSERT ON {} BEGIN DELETE FROM process; END", table),
      "DROP INDEX process_completed_once",
      fmt::format("CREATE INDEX i ON {} (CAST(hex(zeroblob(1000)) AS TEXT))", table),
      fmt::format("PRAGMA user_version = {}", static_cast<std::int64_t>(dice.below(7)) - 3),
      fmt::format("PRAGMA application_id = {}", dice.below(3)),
      fmt::format("UPDATE sqlite_master SET sql = replace(sql, 'INTEGER', 'TEXT') WHERE name = '{}'", table),
      fmt::format("UPDATE sqlite_master SET rootpage = {} WHERE name = '{}'", dice.below(40), table),
      fmt::format("UPDATE sqlite_master SET sql = 'CREATE TABLE' WHERE name = '{}'", table),
      "PRAGMA journal_mode = WAL"};
  editor.run(dice.one_of(edits));
}

void change_bytes(const fs::path& file, Dice& dice) {
  constexpr std::uint64_t kPage = 4096;
  std::string bytes = *ngb::file::read(file);
  if (bytes.empty()) return;
  const std::uint64_t pages = bytes.size() / kPage;
  const std::uint64_t kind = dice.below(5);
  if (kind == 0) {
    bytes.resize(dice.below(bytes.size()));
  } else if (kind == 1 && pages > 1) {  // a page in another's place: trees that are none
    const std::uint64_t from = dice.below(pages);
    bytes.replace(dice.below(pages) * kPage, kPage, bytes.substr(from * kPage, kPage));
  } else {
    const std::uint64_t where = kind == 2 ? 100 : kind == 3 ? kPage * 2 : bytes.size();  // header, schema, anywhere
    for (std::uint64_t i = 0; i <= dice.below(32); ++i) {
      bytes[dice.below(std::min<std::uint64_t>(where, bytes.size()))] = static_cast<char>(dice.below(256));
    }
  }
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

void mutate(const fs::path& file, std::uint64_t seed) {
  Dice dice(seed);
  constexpr std::array kWays{change_values, remove_rows, change_schema, change_bytes};
  kWays.at(dice.below(kWays.size()))(file, dice);
  if (dice.below(4) == 0) kWays.at(dice.below(kWays.size()))(file, dice);
}

void explain_all(const std::vector<ngb::store::CellData>& cells) {
  std::vector<ngb::report::ProfiledCell> profiled;
  for (const ngb::store::CellData& cell : cells) {
    for (const auto& process : cell.processes) {
      if (process.profile) profiled.push_back({&cell, "fuzzed", &*process.profile});
    }
  }
  for (const auto& document : {ngb::report::fusions_document(profiled), ngb::report::kernels_document(profiled)}) {
    for (const char* const name : {"text", "json", "csv"}) {
      (void)(*ngb::report::find_format(name, ngb::report::explain_formats()))->write(document, {.all = true});
    }
  }
}

// The message, or "" where all of it could be read.
std::string read_all(const fs::path& file) {
  std::string message;
  const auto note = [&](const auto& result) {
    if (!result) message = result.error().text();
    return result.has_value();
  };
  if (const auto derived = ngb::metrics::derive({{file, {}}}, 1); note(derived)) {
    const ngb::report::Results results = ngb::report::all_results(derived->cells, derived->values);
    for (const std::string& name : ngb::report::show_formats()) {
      const auto format = ngb::report::find_format(name, ngb::report::show_formats());
      ngb::report::show(**format, results, {.all = true, .best = true, .width = 120}, [](std::string_view) {});
    }
  }
  if (auto store = ngb::store::Store::open(file, ngb::store::Mode::read_only); note(store)) {
    if (const auto runs = store->runs(); note(runs)) {
      for (const auto& run : *runs) note(store->planned_cells(run.run_id));
    }
    note(store->cell_states());
    if (const auto cells = store->load_cells(ngb::store::Detail::profiles); note(cells)) explain_all(*cells);
    note(store->environment(ngb::made_up::environment().hash()));
  }
  if (auto store = ngb::store::Store::open(file, ngb::store::Mode::read_write); note(store)) {
    const ngb::plan::Plan plan = ngb::made_up::plan();
    note(store->check_protocol(plan.study));
    if (const auto run = store->begin_run(plan, 8); note(run)) {
      note(store->last_sequence(*run, "local"));
      note(store->completed(*run, "local"));
      note(store->remaining(plan, *run));
      note(store->record(*run, "local", {1, process("dd", 1)}));
    }
    note(store->flush());
  }
  return message;
}

// kTable, kMessage; anything else is a failure, in words.
int read_in_a_child(const fs::path& file, std::uint64_t seed) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(kSecondsEach);
    const std::string message = read_all(file);
    if (std::getenv("NGB_FUZZ_SAYS") != nullptr) fmt::print("{}: {}\n", seed, message.empty() ? "a table" : message);
    std::fflush(nullptr);
    ::_exit(kExitCodes + (message.empty() ? kTable : kMessage));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const int outcome = WIFEXITED(status) ? WEXITSTATUS(status) - kExitCodes : -1;
  if (outcome == kTable || outcome == kMessage) return outcome;
  fmt::print("seed {}: {} {}\n", seed, WIFSIGNALED(status) ? "signal" : "exit code",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  return -1;
}

}  // namespace

int main(int count, char** words) {
  const std::uint64_t files = count > 1 ? std::strtoull(words[1], nullptr, 10) : 200;
  const std::uint64_t first = count > 2 ? std::strtoull(words[2], nullptr, 10) : 1;
  const ngb::TemporaryFolder folder;
  const fs::path whole = folder / "whole.db";
  make_results(whole);
  std::array<std::uint64_t, 2> read{};
  std::uint64_t failed = 0;
  for (std::uint64_t seed = first; seed < first + files; ++seed) {
    const fs::path file = folder / "results.db";
    for (const char* ending : {"", "-journal", "-wal", "-shm"}) fs::remove(file.string() + ending);
    fs::copy_file(whole, file);
    mutate(file, seed);
    const int outcome = read_in_a_child(file, seed);
    if (outcome < 0) {
      ++failed;
    } else {
      ++read.at(static_cast<std::size_t>(outcome));
    }
  }
  fmt::print("{} results files: {} tables, {} messages, {} failures\n", files, read[kTable], read[kMessage], failed);
  return failed == 0 && read[kTable] > 0 && read[kMessage] > 0 ? 0 : 1;
}
