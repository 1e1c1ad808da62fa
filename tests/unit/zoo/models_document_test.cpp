// SPDX-License-Identifier: Apache-2.0
// docs/models.md lists the families as the table has them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "folder.h"
#include "zoo/family.h"

namespace ngb::zoo {
namespace {

const std::string kBegin = "<!-- families: generated -->\n";
const std::string kEnd = "<!-- end -->";

std::string value_of(const FamilyParameter& parameter) {
  if (!parameter.values.empty()) return fmt::format("`{}`", fmt::join(parameter.values, "`, `"));
  if (parameter.type == "bool") return "`true`, `false`";
  return fmt::format("{}, {} to {}", parameter.type == "int_list" ? "integers" : parameter.type, parameter.minimum,
                     parameter.maximum);
}

std::string described(const Family& family) {
  std::string text = fmt::format("## {}\n\n{}{}.", family.name,
                                 static_cast<char>(std::toupper(static_cast<unsigned char>(family.meaning.front()))),
                                 family.meaning.substr(1));
  std::string separator = " Variants: ";
  for (const Variant& variant : family.variants) {
    text += fmt::format("{}`{}`", separator, variant.name);
    separator = ", ";
  }
  text += family.variants.empty() ? "\n\n" : ".\n\n";
  text += "| parameter | value | default | meaning |\n| --- | --- | --- | --- |\n";
  for (const FamilyParameter& parameter : family.parameters) {
    text += fmt::format("| `{}` | {} | `{}` | {} |\n", parameter.name, value_of(parameter),
                        parameter.default_value.dump(), parameter.meaning);
  }
  return text + "\n";
}

TEST(ModelsDocument, IsUpToDate) {
  const std::filesystem::path path = std::filesystem::path(NGB_SOURCE_DIR) / "docs" / "models.md";
  const std::string document = content(path);
  const std::size_t begin = document.find(kBegin);
  const std::size_t end = document.find(kEnd);
  ASSERT_TRUE(begin != std::string::npos && end != std::string::npos);
  std::string renewed = document.substr(0, begin + kBegin.size());
  for (const Family& family : families()) renewed += described(family);
  renewed += document.substr(end);
  if (std::getenv("NGB_WRITE_DOCS") != nullptr) put(path, renewed);
  EXPECT_EQ(document, renewed) << "run: NGB_WRITE_DOCS=1 zoo_test --gtest_filter=ModelsDocument.*";
}

}  // namespace
}  // namespace ngb::zoo
