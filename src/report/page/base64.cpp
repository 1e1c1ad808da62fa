// SPDX-License-Identifier: Apache-2.0
#include "report/page/base64.h"

namespace ngb::report::page {

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr unsigned kBitsOfByte = 8;
  constexpr unsigned kBitsOfDigit = 6;
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  unsigned bits = 0;
  unsigned value = 0;
  for (const char byte : bytes) {
    value = (value << kBitsOfByte) | static_cast<unsigned>(static_cast<unsigned char>(byte));
    bits += kBitsOfByte;
    while (bits >= kBitsOfDigit) {
      bits -= kBitsOfDigit;
      text += kDigits[value >> bits];
      value &= (1U << bits) - 1;
    }
  }
  if (bits > 0) text += kDigits[value << (kBitsOfDigit - bits)];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

}  // namespace ngb::report::page
