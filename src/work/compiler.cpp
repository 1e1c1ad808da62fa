// SPDX-License-Identifier: Apache-2.0
#include "work/compiler.h"

#include "base/text.h"

namespace ngb::work {

std::string word_of_in_flight(const Compiler& compiler) {
  return compiler.in_flight ? std::to_string(*compiler.in_flight) : "auto";
}

std::string asked_threads(const Compiler& compiler) {
  return compiler.threads_asked.empty() ? std::to_string(compiler.threads) : compiler.threads_asked;
}

std::string all_options_of_each(const Compiler& compiler) {
  std::string text = text_of(compiler.options);
  if (!compiler.settings.empty()) text += text_of(compiler.settings);
  if (compiler.in_flight != 1) text += word_of_in_flight(compiler);
  return text;
}

std::string all_options(const Compiler& compiler) {
  return all_options_of_each(compiler) + (compiler.instances == 1 ? "" : " x" + std::to_string(compiler.instances));
}

std::string words_of_options(const Compiler& compiler) {
  std::vector<std::string> words = words_of(compiler.options);
  for (std::string& word : words_of(compiler.settings)) words.push_back(std::move(word));
  if (compiler.in_flight != 1) words.push_back("in_flight=" + word_of_in_flight(compiler));
  if (compiler.instances != 1) words.push_back("instances=" + std::to_string(compiler.instances));
  return text::join(words, " ");
}

}  // namespace ngb::work
