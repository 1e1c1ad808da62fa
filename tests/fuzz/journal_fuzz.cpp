// SPDX-License-Identifier: Apache-2.0
// A journal with any content opens, keeps what is whole in it, takes a further record, and has all of that
// when it is opened again.
#include <stdlib.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "agent/journal.h"
#include "agent/journal_file.h"
#include "samples/frame.h"

namespace {

using namespace ngb;

void require(bool holds) {
  if (!holds) std::abort();
}

// In memory: what is tested is what is read, not the disk.
const std::filesystem::path& folder() {
  static const std::filesystem::path path = [] {
    std::string name = "/dev/shm/ngb-fuzz-XXXXXX";
    require(::mkdtemp(name.data()) != nullptr);
    return std::filesystem::path(name);
  }();
  return path;
}

const agent::JobIdentity kIdentity{"run", "job"};

std::vector<std::string> open_and_list(bool has_more) {
  std::vector<std::string> events;
  auto journal = agent::Journal::open(folder(), kIdentity,
                                      {[&](const samples::Event& event) { events.push_back(samples::encode(event)); }});
  require(journal.has_value());
  if (has_more) {
    const auto sequence = journal->append({0, samples::Finished{}});
    require(sequence.has_value());
    events.push_back(samples::encode(samples::Event{*sequence, samples::Finished{}}));
  }
  return events;
}

// Lines as the payloads of frames, behind the right header.
std::string framed(std::string_view lines) {
  std::string bytes = samples::frame(
      nlohmann::json{{"journal", agent::kJournalVersion}, {"run_id", "run"}, {"job_sha256", "job"}}.dump());
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    bytes += samples::frame(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return bytes;
}

}  // namespace

// The first byte says what the others are: the file, or the payloads of its frames (one a line) with so many bytes cut
// off at the end.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string content(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 1) {
    content = framed(content);
    content.resize(content.size() - std::min<std::size_t>(content.size(), data[0] / 2));
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder())) std::filesystem::remove(entry.path());
  std::ofstream(folder() / "journal", std::ios::binary) << content;
  const std::vector<std::string> first = open_and_list(true);
  require(open_and_list(false) == first);
  return 0;
}
