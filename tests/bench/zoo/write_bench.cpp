// SPDX-License-Identifier: Apache-2.0
// write_bench [MODEL [ROUNDS [FOLDER]]]: a recipe to its ONNX file on one and on two threads, beside a plain write of
// as many bytes from a buffer that is ready (the physical limit), interleaved; each in a process of its own, so that
// its peak memory is known.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/clock.h"
#include "zoo/recipe.h"

namespace {

using ngb::zoo::Recipe;

struct Sample {
  double wall_ms = 0;
  double peak_mb = 0;
};

struct Row {
  std::string name{};
  std::function<bool(const std::filesystem::path&)> write{};
  std::vector<Sample> samples{};
};

double peak_mb() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word && word != "VmHWM:") {
  }
  double kb = 0;
  status >> kb;
  return kb / 1000;
}

bool plain_write(const std::filesystem::path& path, std::uint64_t bytes) {
  const std::vector<char> buffer(256 << 10U, '\1');
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  for (std::uint64_t done = 0; done < bytes;) {
    const ssize_t count = ::write(fd, buffer.data(), std::min<std::uint64_t>(buffer.size(), bytes - done));
    if (count <= 0) return false;
    done += static_cast<std::uint64_t>(count);
  }
  return ::close(fd) == 0;
}

// Runs `write` in a child; the sample comes back through a pipe.
Sample measure(const Row& row, const std::filesystem::path& path) {
  int ends[2];
  if (::pipe(ends) != 0) std::exit(1);
  const pid_t pid = ::fork();
  if (pid == 0) {
    std::ofstream("/proc/self/clear_refs") << 5;
    const auto start = ngb::system_clock().now();
    const bool written = row.write(path);
    const auto wall = std::chrono::duration<double, std::milli>(ngb::system_clock().now() - start);
    const Sample sample{wall.count(), peak_mb()};
    const bool sent = ::write(ends[1], &sample, sizeof sample) == sizeof sample;
    ::_exit(written && sent ? 0 : 1);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  Sample sample;
  const bool received = ::read(ends[0], &sample, sizeof sample) == sizeof sample;
  ::close(ends[0]);
  ::close(ends[1]);
  ::unlink(path.c_str());
  if (status == 0 && received) return sample;
  std::cerr << row.name << " failed\n";
  std::exit(1);
}

double median(std::vector<Sample> samples, double Sample::* field) {
  std::sort(samples.begin(), samples.end(), [&](const Sample& a, const Sample& b) { return a.*field < b.*field; });
  return samples[samples.size() / 2].*field;
}

double smallest(const std::vector<Sample>& samples) {
  return std::min_element(samples.begin(), samples.end(),
                          [](const Sample& a, const Sample& b) { return a.wall_ms < b.wall_ms; })
      ->wall_ms;
}

}  // namespace

int main(int count, char** words) {
  const std::string model = count > 1 ? words[1] : "resnet50";
  const int rounds = count > 2 ? std::atoi(words[2]) : 11;
  const std::filesystem::path folder = count > 3 ? words[3] : std::filesystem::temp_directory_path();
  const auto recipe = ngb::zoo::resolve(model, nlohmann::json::object(), 1);
  if (!recipe || rounds < 1) {
    std::cerr << "usage: write_bench [MODEL [ROUNDS [FOLDER]]]\n";
    return 2;
  }
  const std::uint64_t bytes = ngb::zoo::facts(*recipe, 1)->file_bytes;
  std::vector<Row> rows(3);
  rows[0] = {"recipe, 1 thread", [&](const auto& path) { return write_onnx(*recipe, 1, path, 1).has_value(); }, {}};
  rows[1] = {"recipe, 2 threads", [&](const auto& path) { return write_onnx(*recipe, 1, path, 2).has_value(); }, {}};
  rows[2] = {"plain write", [&](const auto& path) { return plain_write(path, bytes); }, {}};
  const std::filesystem::path path = folder / fmt::format("write_bench.{}.onnx", ::getpid());
  for (int round = 0; round < rounds; ++round) {
    for (Row& row : rows) row.samples.push_back(measure(row, path));
  }
  const double limit_ms = median(rows[2].samples, &Sample::wall_ms);
  std::cout << fmt::format("{}: {:.1f} MB, {} rounds, in {}\n", model, static_cast<double>(bytes) / 1e6, rounds,
                           folder.string());
  for (const Row& row : rows) {
    const double wall_ms = median(row.samples, &Sample::wall_ms);
    std::cout << fmt::format(
        "{:18} median {:7.1f} ms  min {:7.1f} ms  peak memory {:5.1f} MB  {:.2f} of the plain write\n", row.name,
        wall_ms, smallest(row.samples), median(row.samples, &Sample::peak_mb), wall_ms / limit_ms);
  }
  return 0;
}
