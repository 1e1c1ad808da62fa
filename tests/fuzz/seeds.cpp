// SPDX-License-Identifier: Apache-2.0
// seeds FOLDER: one file for each kind of message and event, for both fuzzers to begin with.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "samples/message.h"

namespace {

using namespace ngb;
using namespace ngb::samples;

ProcessResult process_result() {
  ProcessResult result;
  result.cell_id = "cell";
  result.repetitions = {{.wall_ns = 1000, .inferences = 2}};
  return result;
}

std::vector<std::string> payloads() {
  std::vector<std::string> all;
  const std::vector<Event> events{{1, process_result()},     {2, ModelWritten{{"model", 1}, "hash", 10, 20}},
                                  {3, Environment{}},        {4, ReferenceMade{{"model", 1}, "path", "key"}},
                                  {4, Finished{}},           {5, Skipped{"why"}},
                                  {6, RoundsEnded{{"00ff"}}}};
  for (const Event& event : events) all.push_back(encode(event));
  Tree tree{"bundles/x", {{"bin/a", "hash", 3, true}}};
  const std::vector<ClientMessage> ours{Hello{1, "v"},
                                        ngb::work::Job{},
                                        ngb::work::JobPart{},
                                        Completed{{}, "e", {{"cell", {0, 1}}}},
                                        Follow{3},
                                        Fetch{"run", 3, true},
                                        Acknowledge{4},
                                        Stop{},
                                        Ask{{"bundles/x"}},
                                        tree,
                                        Attach{"runs/1", "bin/w", "lib", "holders/a"},
                                        Describe{},
                                        Inspect{{"toolchains/x/1", "/usr"}},
                                        Adopt{"toolchains/x/1", "/usr", "{}"},
                                        InstallThere{"toolchains/x/1", "x==1", "{}", 1},
                                        Remove{{"runs/1"}, true}};
  for (const ClientMessage& message : ours) all.push_back(encode(message));
  const std::vector<AgentMessage> theirs{Hello{1, "v"},
                                         Event{5, process_result()},
                                         Progress{"cell", 1, 2, Phase::start, 3, "doing"},
                                         Remark{"text"},
                                         Fetched{7},
                                         Error{"what", "where", "next"},
                                         Arrival{"/folder", "x86_64", 5, 6},
                                         Lacking{{"bundles/x"}},
                                         Want{{{0, 1}}},
                                         Installed{"bundles/x"},
                                         Description{{}, {{"onnxruntime@1", true}}, Known<std::string>::of("3.11")},
                                         Inspection{{{"toolchains/x/1", "/x/site", "{}", {{"x", "1"}}}}},
                                         Removed{{"x"}, 1, {"y"}},
                                         Busy{"runs/1", "process 1"}};
  for (const AgentMessage& message : theirs) all.push_back(encode(message));
  return all;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  const std::filesystem::path folder = words[1];
  std::filesystem::create_directories(folder);
  const std::vector<std::string> all = payloads();
  std::string events;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const char mode : {'\0', '\1', '\2'}) {
      std::ofstream(folder / (std::to_string(i) + "-" + std::to_string(mode)), std::ios::binary) << mode << all[i];
    }
    if (i < 4) events += all[i] + "\n";
  }
  std::ofstream(folder / "journal", std::ios::binary) << '\1' << events;
  return 0;
}
