// SPDX-License-Identifier: Apache-2.0
// No source decides anything by a compiler's name: what is true of a compiler is in its compiler.json.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/file.h"

namespace ngb::rooms {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

bool is_word(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0; }
bool is_blank(char letter) { return std::isspace(static_cast<unsigned char>(letter)) != 0; }

// Leaves out of a source its comments and its texts with blanks: sentences and examples, which people read. Texts that
// stand behind one another are one text, as for a compiler.
class Code {
 public:
  explicit Code(std::string_view source) : left_(source) {
    while (!left_.empty()) take_next();
    end_text();
  }
  [[nodiscard]] const std::string& text() const { return code_; }

 private:
  void take_next() {
    const bool follows_word = !code_.empty() && !is_in_text_ && is_word(code_.back());
    const char first = left_.front();
    if (left_.starts_with("//")) return skip_to("\n", 0);
    if (left_.starts_with("/*")) return skip_to("*/", 2);
    if (left_.starts_with("R\"") && !follows_word) return take_raw_text();
    if (first == '"' || first == '`' || (first == '\'' && !follows_word)) return take_text(first);
    if (!is_blank(first)) end_text();
    if (!is_in_text_) code_ += first;
    left_.remove_prefix(1);
  }
  void skip_to(std::string_view end, std::size_t with) {
    const std::size_t found = left_.find(end);
    left_.remove_prefix(found == std::string_view::npos ? left_.size() : found + with);
  }
  void take_raw_text() {
    const std::size_t open = left_.find('(');
    const std::string end = ")" + std::string(left_.substr(2, open - 2)) + "\"";
    const std::size_t close = std::min(left_.find(end, open), left_.size());
    add_text(left_.substr(open + 1, close - open - 1));
    skip_to(end, end.size());
  }
  void take_text(char quote) {
    std::size_t end = 1;
    while (end < left_.size() && left_[end] != quote) end += left_[end] == '\\' ? 2U : 1U;
    add_text(left_.substr(1, end - 1));
    left_.remove_prefix(std::min(end + 1, left_.size()));
  }
  void add_text(std::string_view text) {
    text_ += text;
    is_in_text_ = true;
  }
  void end_text() {
    if (is_in_text_ && std::none_of(text_.begin(), text_.end(), is_blank)) code_ += '"' + text_ + '"';
    text_.clear();
    is_in_text_ = false;
  }

  std::string_view left_;
  std::string code_{};
  std::string text_{};  // since the last code
  bool is_in_text_ = false;
};

// Returns the names that occur in the code, whatever their case: as a whole text, or beside "@", "_", "/" and the like.
Names named_in(std::string_view source, const Names& names) {
  std::string code = Code(source).text();
  std::transform(code.begin(), code.end(), code.begin(), [](unsigned char letter) { return std::tolower(letter); });
  Names found;
  for (const std::string& name : names) {
    for (std::size_t at = code.find(name); at != std::string::npos; at = code.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      const bool is_part = (at > 0 && is_word(code[at - 1])) || (end < code.size() && is_word(code[end]));
      if (!is_part) found.insert(name);
    }
  }
  return found;
}

// Files that may name a compiler beside the identity and null, and why.
const std::map<std::string, Names> kMayName{
    {"src/metrics/baseline.h", {"eager-cpp"}},                  // a metric is the ratio over it, by its definition
    {"src/campaign/quantised_models.cpp", {"onnxruntime"}},     // its Python package makes int8 files
    {"src/toolchain/doctor.cpp", {"onnxruntime", "openvino"}},  // what a build without their headers lacks
    {"src/work/device_kind.cpp", {"openvino", "tensorrt"}},     // names of onnxruntime's execution providers
    {"src/work/thread_variables.h", {"tvm"}},                   // a variable that its library reads
};

// A publication's claims name compilers, so the room paper may. "onnx" is also a kind of model file.
TEST(NamesOfCompilers, AreInNoSourceButThoseThatSayWhy) {
  const fs::path tree = NGB_SOURCE_DIR;
  Names names;
  for (const auto& entry : fs::directory_iterator(tree / "compilers")) {
    if (fs::exists(entry.path() / "compiler.json")) names.insert(entry.path().filename().string());
  }
  ASSERT_TRUE(names.contains("openvino"));
  for (const char* const allowed : {"identity", "null", "onnx", "template"}) names.erase(allowed);
  const Names kinds{".cpp", ".h", ".js", ".css", ".json", ".py"};
  std::map<std::string, Names> found;
  for (const char* const folder : {"src", "apps"}) {
    for (const auto& entry : fs::recursive_directory_iterator(tree / folder)) {
      const std::string path = fs::relative(entry.path(), tree).string();
      if (!kinds.contains(entry.path().extension().string()) || path.starts_with("src/paper/")) continue;
      const Names named = named_in(file::read(entry.path()).value(), names);
      if (!named.empty()) found[path] = named;
    }
  }
  EXPECT_EQ(found, kMayName);
}

TEST(NamesOfCompilers, AreFoundHoweverTheyAreSpeltButNotInWhatPeopleRead) {
  const Names tvm{"tvm", "torch-compile"};
  EXPECT_EQ(named_in(R"(if (name == "tvm") tune();)", tvm), Names{"tvm"});
  EXPECT_EQ(named_in(R"(if (name.starts_with("TVM@")) tune();)", tvm), Names{"tvm"});
  EXPECT_EQ(named_in("const bool is = name == \"tv\"  // half of it\n  \"m\";", tvm), Names{"tvm"});
  EXPECT_EQ(named_in(R"(folder / "tuning/tvm" / "x//y")", tvm), Names{"tvm"});
  EXPECT_EQ(named_in(R"json({"torch-compile": {"colour": 3}})json", tvm), Names{"torch-compile"});
  EXPECT_EQ(named_in("colours['torch-compile'] = `a` + 10'000;", tvm), Names{"torch-compile"});
  EXPECT_EQ(named_in("R\"(http://x)\"; bool tvm_is_slow = true;", tvm), Names{"tvm"});
  EXPECT_EQ(named_in("std::string label{};  // \"tvm 0.26\"\n/* \"tvm\" */ ", tvm), Names{});
  EXPECT_EQ(named_in(R"(footer("Examples:\n  ngb run study.yaml " "--compiler tvm");)", tvm), Names{});
  EXPECT_EQ(named_in(R"("tvms" "x"; atvm;)", tvm), Names{});
}

}  // namespace
}  // namespace ngb::rooms
