// SPDX-License-Identifier: Apache-2.0
// docs/compilers has a page for each compiler, with its options as compiler.json has them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/file.h"
#include "toolchain/catalog.h"

namespace ngb::toolchain {
namespace {

const std::filesystem::path kSource = NGB_SOURCE_DIR;
constexpr const char* kBegin = "<!-- options: generated -->\n";

std::string option_table(const CompilerDescription& compiler) {
  if (compiler.options.empty()) return "None.\n";
  std::string table = "| option | value | default | meaning |\n| --- | --- | --- | --- |\n";
  for (const OptionDescription& option : compiler.options) {
    const std::string value =
        option.values.empty() ? option.type : fmt::format("`{}`", fmt::join(option.values, "`, `"));
    const std::string usual = option.default_value.empty() ? "\"\"" : option.default_value;
    table += fmt::format("| `{}` | {} | `{}` | {} |\n", option.name, value, usual, option.meaning);
  }
  return table;
}

std::string settings_part(const SettingsDescription& settings) {
  if (settings.meaning.empty()) return "\nIt hands no `settings` on to a library.\n";
  std::string part = fmt::format("\n`settings` are {}.", settings.meaning);
  if (settings.reserved.empty()) return part + "\n";
  part += " These are refused:\n\n| setting | because |\n| --- | --- |\n";
  for (const ReservedSetting& reserved : settings.reserved) {
    constexpr std::string_view kFixed = "fixed: ";
    const std::string& owner = reserved.owner;
    const std::string reason =
        owner.starts_with(kFixed) ? owner.substr(kFixed.size()) : fmt::format("`{}` says it", owner);
    part += fmt::format("| `{}` | {} |\n", reserved.name, reason);
  }
  return part;
}

TEST(CompilerPages, ExistAndAreUpToDate) {
  const auto catalog = read_catalog(kSource);
  ASSERT_TRUE(catalog) << catalog.error().text();
  ASSERT_GE(catalog->size(), 4U);
  for (const CompilerDescription& compiler : *catalog) {
    if (compiler.name == "template") continue;  // docs/plugin.md
    const std::filesystem::path path = kSource / "docs/compilers" / (compiler.name + ".md");
    const std::string document = file::read(path).value_or("");
    const std::size_t begin = document.find(kBegin);
    const std::size_t end = document.find("<!-- end -->", begin);
    ASSERT_NE(end, std::string::npos) << path << " has no part \"" << kBegin << "\"";
    std::string renewed = document;
    const std::size_t first = begin + std::string_view(kBegin).size();
    renewed.replace(first, end - first, option_table(compiler) + settings_part(compiler.settings));
    if (std::getenv("NGB_WRITE_DOCS") != nullptr) std::ofstream(path, std::ios::binary) << renewed;
    EXPECT_EQ(document, renewed) << "run: NGB_WRITE_DOCS=1 toolchain_test --gtest_filter=CompilerPages.*";
  }
}

}  // namespace
}  // namespace ngb::toolchain
