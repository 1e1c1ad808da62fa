// SPDX-License-Identifier: Apache-2.0
// In place of libFuzzer: reads every file of a folder, each also cut off at every length and with every bit of its
// first bytes turned over.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t kMostBytes = 400;

int g_executions = 0;

void execute(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  ++g_executions;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  for (const auto& entry : std::filesystem::directory_iterator(words[1])) {
    std::ostringstream content;
    content << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    const std::string bytes = content.str();
    const std::size_t most = std::min(bytes.size(), kMostBytes);
    for (std::size_t i = 0; i <= most; ++i) execute(bytes.substr(0, i));
    for (std::size_t i = 0; i < 8 * most; ++i) {
      std::string turned = bytes;
      turned[i / 8] = static_cast<char>(static_cast<unsigned char>(turned[i / 8]) ^ (1U << (i % 8)));
      execute(turned);
    }
  }
  std::printf("%d executions\n", g_executions);
  return g_executions > 0 ? 0 : 1;
}
