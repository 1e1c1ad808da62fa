// SPDX-License-Identifier: Apache-2.0
#include "named_tests.h"

#include <algorithm>
#include <filesystem>
#include <regex>

#include "base/file.h"

namespace ngb::rooms {
namespace {

namespace fs = std::filesystem;
const fs::path kTests = fs::path(NGB_SOURCE_DIR) / "tests";

std::string text_of_unit_tests() {
  std::string text;
  for (const auto& entry : fs::recursive_directory_iterator(kTests)) {
    const std::string ending = entry.path().extension().string();
    if (ending == ".cpp" || entry.path().filename() == "CMakeLists.txt") text += file::read(entry.path()).value();
  }
  return text;
}

bool is_in_python(const std::string& file, const std::string& test) {
  const auto entries = fs::recursive_directory_iterator(kTests);
  return std::any_of(begin(entries), end(entries), [&](const fs::directory_entry& entry) {
    return entry.path().filename() == file + ".py" &&
           file::read(entry.path()).value_or("").find("def " + test + "(") != std::string::npos;
  });
}

}  // namespace

std::vector<std::string> tests_named_in(const std::string& text) {
  static const std::regex kName("`([A-Za-z_0-9]+\\.[A-Za-z_0-9]+)`");
  std::vector<std::string> names;
  for (std::sregex_iterator name(text.begin(), text.end(), kName), last; name != last; ++name)
    names.push_back((*name)[1]);
  return names;
}

bool is_test(const std::string& name) {
  static const std::string kUnitTests = text_of_unit_tests();
  const std::string suite = name.substr(0, name.find('.'));
  const std::string test = name.substr(name.find('.') + 1);
  if (suite.ends_with("_test")) return is_in_python(suite, test);
  if (suite == "fuzz") return kUnitTests.find("NAME " + name + " ") != std::string::npos;
  return std::regex_search(kUnitTests, std::regex("TEST(_F|_P)?\\(" + suite + ",\\s*" + test + "\\)"));
}

}  // namespace ngb::rooms
