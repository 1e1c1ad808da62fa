// SPDX-License-Identifier: Apache-2.0
#include "toolchain/reuse.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "base/text.h"
#include "toolchain/site.h"

namespace ngb::toolchain {
namespace {

bool has(const Toolchain& toolchain, const ChosenWheel& wheel) {
  return std::any_of(toolchain.packages.begin(), toolchain.packages.end(), [&](const Package& package) {
    return package.name == wheel.name && package.version == wheel.version && package.sha256 == wheel.sha256;
  });
}

}  // namespace

std::vector<Loan> loans(const std::vector<Toolchain>& toolchains, const Python& python,
                        const std::vector<ChosenWheel>& wheels) {
  std::vector<ChosenWheel> wanted = wheels;
  std::erase_if(wanted, [](const ChosenWheel& wheel) { return wheel.sha256.empty(); });
  std::vector<Loan> found;
  for (const Toolchain& toolchain : toolchains) {
    if (toolchain.is_adopted || toolchain.python != python.executable || toolchain.python_version != python.version) {
      continue;
    }
    const auto lent =
        std::stable_partition(wanted.begin(), wanted.end(), [&](const auto& each) { return !has(toolchain, each); });
    if (lent == wanted.end()) continue;
    found.push_back({toolchain, {lent, wanted.end()}});
    wanted.erase(lent, wanted.end());
  }
  return found;
}

std::vector<ChosenWheel> copy_installed(const Python& python, const std::filesystem::path& root,
                                        const std::filesystem::path& site, const std::vector<ChosenWheel>& wheels,
                                        const Progress& progress) {
  std::vector<ChosenWheel> copied;
  const Result<std::vector<Toolchain>> toolchains = list(root);
  if (python.target || !toolchains) return copied;
  for (const Loan& loan : loans(*toolchains, python, wheels)) {
    std::vector<std::string> names;
    for (const ChosenWheel& wheel : loan.wheels) names.push_back(wheel.name);
    const Result<std::vector<std::string>> done = site::copy(python.command, loan.from.site, site, names);
    if (!done || done->empty()) continue;
    if (progress) {
      progress(fmt::format("copied from {} {}: {}", loan.from.compiler, loan.from.version, text::join(*done, ", ")));
    }
    std::copy_if(loan.wheels.begin(), loan.wheels.end(), std::back_inserter(copied), [&](const ChosenWheel& wheel) {
      return std::find(done->begin(), done->end(), wheel.name) != done->end();
    });
  }
  return copied;
}

}  // namespace ngb::toolchain
