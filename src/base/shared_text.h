// SPDX-License-Identifier: Apache-2.0
// A text that many records repeat. Copies of one share its memory; it never changes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace ngb {

class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string text) {  // NOLINT(google-explicit-constructor): it stands for the text
    if (!text.empty()) text_ = std::make_shared<const std::string>(std::move(text));
  }
  SharedText(const char* text) : SharedText(std::string(text)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] const std::string& str() const {
    static const std::string kEmpty;
    return text_ ? *text_ : kEmpty;
  }
  operator const std::string&() const { return str(); }  // NOLINT(google-explicit-constructor)
  [[nodiscard]] bool empty() const { return text_ == nullptr; }

  friend bool operator==(const SharedText& a, const SharedText& b) { return a.text_ == b.text_ || a.str() == b.str(); }
  friend bool operator==(const SharedText& a, const std::string& b) { return a.str() == b; }
  friend bool operator==(const SharedText& a, const char* b) { return a.str() == b; }
  friend bool operator==(const SharedText& a, std::string_view b) { return a.str() == b; }
  friend bool operator<(const SharedText& a, const SharedText& b) { return a.str() < b.str(); }

 private:
  std::shared_ptr<const std::string> text_{};  // null: ""
};

}  // namespace ngb
