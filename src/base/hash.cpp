// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <fcntl.h>
// The direct functions are used because the EVP interface links every algorithm of libcrypto into a static program.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

#include "base/file.h"

namespace ngb::hash {

struct Sha256::State {
  SHA256_CTX context{};
};

Sha256::Sha256() : state_(std::make_unique<State>()) { SHA256_Init(&state_->context); }
Sha256::Sha256(Sha256&& other) noexcept = default;
Sha256& Sha256::operator=(Sha256&& other) noexcept = default;
Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) { SHA256_Update(&state_->context, bytes.data(), bytes.size()); }

std::string Sha256::finish() {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256_Final(digest.data(), &state_->context);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const unsigned char byte : digest) {
    hex += kDigits[byte >> 4U];
    hex += kDigits[byte & 15U];
  }
  return hex;
}

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.finish();
}

namespace {

// Hashes the file and hands each piece to `use`.
template <class Use>
Result<std::string> hash_pieces(const std::filesystem::path& path, const Use& use) {
  const Result<FileDescriptor> opened = file::open_to_read(path);
  if (!opened) return error_of(opened);
  const FileDescriptor& fd = *opened;
  Sha256 hash;
  std::vector<char> chunk(1U << 20U);
  for (;;) {
    const ssize_t count = ::read(fd.get(), chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return tl::unexpected(file::from_errno("read", path, errno));
    if (count == 0) return hash.finish();
    const std::string_view piece(chunk.data(), static_cast<std::size_t>(count));
    hash.add(piece);
    if (Status used = use(piece); !used) return error_of(used);
  }
}

}  // namespace

Result<std::string> sha256_of_file(const std::filesystem::path& path) {
  return hash_pieces(path, [](std::string_view) { return Status{}; });
}

Result<std::string> copy_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  const FileDescriptor copy(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!copy.is_open()) return tl::unexpected(file::from_errno("write", to, errno));
  return hash_pieces(from, [&](std::string_view piece) { return file::write_all(copy.get(), piece, to.string()); });
}

}  // namespace ngb::hash
