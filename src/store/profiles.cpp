// SPDX-License-Identifier: Apache-2.0
#include "store/profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "base/hash.h"
#include "base/json_text.h"
#include "samples/codec.h"
#include "samples/message.h"
#include "store/compression.h"
#include "store/rows.h"

namespace ngb::store {
namespace {

using samples::KernelProfile;

constexpr std::int64_t kMostBytes = 48 << 20;  // of one JSON text, as of a device's record
// A graph of as many nodes as a profile may have, with a dozen tensors each.
constexpr work::JsonBounds kProfileText{4'000'000, 600'000, 0, 4};

// Returns the records that a row's two columns hold: compressed JSON, and the size of the JSON.
template <class Record>
std::vector<Record> list_in(const sql::Statement& row, int column, const char* what, ProfileShelf& shelf) {
  const std::int64_t claimed = row.integer(column + 1);
  if (claimed < 2 || claimed > kMostBytes) row.refuse(fmt::format("{} of {} bytes", what, claimed));
  const std::optional<std::string> text = uncompressed(row.bytes(column), static_cast<std::size_t>(claimed));
  if (!text || text->size() != static_cast<std::size_t>(claimed)) {
    row.refuse(fmt::format("{} cannot be decompressed", what));
  }
  constexpr std::int64_t kBytesOfAValue = std::is_arithmetic_v<Record> ? sizeof(double) : sizeof(std::string);
  shelf.left_bytes -= claimed + kBytesOfAValue * std::count(text->begin(), text->end(), ',');
  if (shelf.left_bytes < 0) {
    throw sql::SqlError({"these profiles are too large to be read together",
                         {},
                         "choose some of them: --model, --compiler, --batch or --device"},
                        SQLITE_TOOBIG);
  }
  auto list = work::fields::parse_text(what, *text, kProfileText, [&](const nlohmann::json& array) {
    return work::read_json<std::vector<Record>>(array, what);
  });
  if (!list) row.refuse(list.error().what);
  return *std::move(list);
}

// Inserts the text unless the table has it, and returns its key.
std::int64_t key_of_text(sql::Database& database, const char* insert, const char* select, const std::string& text) {
  const std::string hash = hash::sha256(text);
  sql::Statement& known = database.kept(select);
  {
    const sql::Resetting resetting(known);
    known.bind(hash);
    if (known.step()) return known.integer(0);
  }
  database.kept(insert).run(hash, sql::Blob{compressed(text)}, static_cast<std::int64_t>(text.size()));
  return database.last_key();
}

// Times are kept to a tenth of a nanosecond, which is finer than any kernel's clock.
std::string text_of_times(const std::vector<double>& times_ns) {
  nlohmann::json tenths = nlohmann::json::array();
  for (const double each : times_ns) tenths.push_back(std::llround(each * 10));
  return json_text::dump(tenths);
}

std::vector<double> times_in(const sql::Statement& row, int column, const char* what, ProfileShelf& shelf) {
  std::vector<double> times_ns;
  for (const std::int64_t tenths : list_in<std::int64_t>(row, column, what, shelf)) {
    times_ns.push_back(static_cast<double>(tenths) / 10);
  }
  return times_ns;
}

// Returns what is on the shelf under the key, after reading it if it is not.
template <class Record>
SharedList<Record> shared(std::map<std::int64_t, SharedList<Record>>& known, std::int64_t key,
                          const sql::Statement& row, int column, const char* what, ProfileShelf& shelf) {
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  return known[key] = list_in<Record>(row, column, what, shelf);
}

}  // namespace

void insert_profile(sql::Database& database, std::int64_t process_key, const KernelProfile& profile) {
  const std::int64_t graph = key_of_text(
      database, "INSERT INTO graph (graph_sha256, nodes_zlib, nodes_bytes) VALUES (?, ?, ?)",
      "SELECT graph_key FROM graph WHERE graph_sha256 = ?", json_text::dump(work::write_json(profile.graph)));
  const std::int64_t kernels = key_of_text(
      database, "INSERT INTO kernels (kernels_sha256, kernels_zlib, kernels_bytes) VALUES (?, ?, ?)",
      "SELECT kernels_key FROM kernels WHERE kernels_sha256 = ?", json_text::dump(work::write_json(profile.kernels)));
  const std::string times = text_of_times(profile.kernel_ns);
  std::optional<sql::Blob> least;
  std::optional<std::int64_t> least_bytes;
  if (!profile.least_ns.empty()) {
    const std::string text = text_of_times(profile.least_ns);
    least = sql::Blob{compressed(text)};
    least_bytes = static_cast<std::int64_t>(text.size());
  }
  database
      .kept(
          "INSERT INTO profile (process_key, graph_key, kernels_key, times_zlib, times_bytes, profiled_ns, plain_ns, "
          "inferences, least_zlib, least_bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .run(process_key, graph, kernels, sql::Blob{compressed(times)}, static_cast<std::int64_t>(times.size()),
           profile.profiled_ns, profile.plain_ns, profile.inferences, least, least_bytes);
}

std::optional<KernelProfile> profile_of(sql::Database& database, std::int64_t process_key, ProfileShelf& shelf) {
  sql::Statement& row = database.kept(
      "SELECT times_zlib, times_bytes, nodes_zlib, nodes_bytes, kernels_zlib, kernels_bytes, profiled_ns, plain_ns, "
      "inferences, least_zlib, least_bytes, graph_key, kernels_key FROM profile LEFT JOIN graph USING (graph_key) LEFT "
      "JOIN kernels USING "
      "(kernels_key) "
      "WHERE process_key = ?");
  const sql::Resetting resetting(row);
  row.bind(process_key);
  if (!row.step()) return std::nullopt;
  KernelProfile profile;
  profile.kernel_ns = times_in(row, 0, "the times of a profile", shelf);
  if (!row.is_null(9)) profile.least_ns = times_in(row, 9, "the least times of a profile", shelf);
  profile.graph = shared(shelf.graphs, row.integer(11), row, 2, "the graph of a profile", shelf);
  profile.kernels = shared(shelf.kernels, row.integer(12), row, 4, "the kernels of a profile", shelf);
  profile.profiled_ns = row.real(6);
  profile.plain_ns = row.real(7);
  profile.inferences = static_cast<std::uint64_t>(row.integer(8));
  return profile;
}

}  // namespace ngb::store
