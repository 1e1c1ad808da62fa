// SPDX-License-Identifier: Apache-2.0
#include "worker/reference_file.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/file.h"
#include "temporary_folder.h"

namespace ngb::worker {
namespace {

class ReferenceFile : public testing::Test {
 protected:
  void SetUp() override {
    const OutputView first{{"logits", DataType::f32, {1, 3}}, floats_};
    const OutputView second{{"class", DataType::i64, {}}, &class_};
    const OutputView empty{{"boxes", DataType::f32, {0, 4}}, nullptr};
    const OutputView outputs[] = {first, second, empty};
    ASSERT_TRUE(write_reference(
        path_, {"identity 2.15.0", "key", "tvm 0.27", kNotFinite, "y is nan", {false, true, false}}, outputs));
  }

  void write(const std::string& content) const { ASSERT_TRUE(file::write_atomically(path_, content)); }
  [[nodiscard]] std::string content() const { return file::read(path_).value(); }
  [[nodiscard]] std::string complaint() const {
    const auto opened = Reference::open(path_);
    return opened ? "" : opened.error().text();
  }

  const float floats_[3] = {0.5F, -2.0F, 3.25F};
  const std::int64_t class_ = 7;
  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "outputs";
};

TEST_F(ReferenceFile, IsReadAsItWasWritten) {
  const auto reference = Reference::open(path_);
  ASSERT_TRUE(reference) << reference.error().text();
  EXPECT_EQ(reference->facts().made_by, "identity 2.15.0");
  EXPECT_EQ(reference->facts().key, "key");
  EXPECT_EQ(reference->facts().confirmed_by, "tvm 0.27");
  EXPECT_EQ(reference->facts().doubt_kind, "not_finite");
  EXPECT_EQ(reference->facts().doubt, "y is nan");
  EXPECT_EQ(reference->facts().is_sensitive, (std::vector<bool>{false, true, false}));
  ASSERT_EQ(reference->outputs().size(), 3U);
  EXPECT_EQ(reference->outputs()[0].signature, (TensorSignature{"logits", DataType::f32, {1, 3}}));
  EXPECT_EQ(std::memcmp(reference->outputs()[0].data, floats_, sizeof floats_), 0);
  EXPECT_EQ(reference->outputs()[1].signature, (TensorSignature{"class", DataType::i64, {}}));
  EXPECT_EQ(std::memcmp(reference->outputs()[1].data, &class_, sizeof class_), 0);
  EXPECT_EQ(reference->outputs()[2].signature.element_count(), 0U);
}

TEST_F(ReferenceFile, HasTheDocumentedBytes) {
  const std::string bytes = content();
  EXPECT_EQ(bytes.substr(0, 8), "NGBREF05");
  const std::size_t json_bytes = static_cast<unsigned char>(bytes[8]) + 256U * static_cast<unsigned char>(bytes[9]);
  EXPECT_EQ(bytes[12], '{');
  EXPECT_EQ(bytes[12 + json_bytes - 1], '}');
  EXPECT_EQ(bytes.size(), 12 + json_bytes + 12 + 8);
  EXPECT_EQ(bytes.substr(12 + json_bytes, 4), std::string("\0\0\0\x3f", 4));  // 0.5F
}

TEST_F(ReferenceFile, CutOffAnywhereIsAnError) {
  const std::string whole = content();
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    write(whole.substr(0, bytes));
    ASSERT_NE(complaint(), "") << bytes;
  }
}

TEST_F(ReferenceFile, WithExtraBytesIsAnError) {
  write(content() + "x");
  EXPECT_NE(complaint().find("1 bytes too many"), std::string::npos) << complaint();
}

TEST_F(ReferenceFile, WithAChangedByteIsAnError) {
  const std::string whole = content();
  for (std::size_t byte = whole.size() - 20; byte < whole.size(); ++byte) {
    std::string damaged = whole;
    damaged[byte] ^= 1;
    write(damaged);
    EXPECT_NE(complaint().find("its outputs are not those that were written"), std::string::npos) << byte;
  }
}

TEST_F(ReferenceFile, OfAnotherKindIsAnError) {
  write("NGBREF01" + content().substr(8));
  EXPECT_NE(complaint().find("NGBREF05"), std::string::npos);
}

TEST_F(ReferenceFile, WithAnUnreadableDescriptionIsAnError) {
  for (
      const char* json :
      {"{}", "[]", "not json", R"({"reference":"a","outputs":[]})",
       R"({"reference":"a","key":"k","confirmed_by":"","doubt_kind":"","doubt":"","sha256":"x","outputs":[{"name":"a"}]})",
       R"({"reference":"a","key":"k","confirmed_by":"","doubt_kind":"","doubt":"","sha256":"x","outputs":[{"name":"a","type":"f31","shape":[1],"is_sensitive":false}]})",
       R"({"reference":"a","key":"k","confirmed_by":"","doubt_kind":"","doubt":"","sha256":"x","outputs":[{"name":"a","type":"f32","shape":[1],"is_sensitive":0}]})",
       R"({"reference":"a","key":"k","confirmed_by":"","doubt_kind":"","doubt":"","sha256":"x","outputs":[{"name":"a","type":"f32","shape":[-1],"is_sensitive":false}]})",
       R"({"reference":"a","key":"k","confirmed_by":"","doubt_kind":"","doubt":"","sha256":"x","outputs":[{"name":"a","type":"f32","shape":[4294967296,4294967296],"is_sensitive":false}]})"}) {
    const std::string text = json;
    write(std::string("NGBREF05") + static_cast<char>(text.size() % 256) + static_cast<char>(text.size() / 256) +
          std::string(2, '\0') + text);
    EXPECT_NE(complaint(), "") << json;
  }
}

TEST_F(ReferenceFile, ThatIsMissingIsAnErrorWithItsPath) {
  std::filesystem::remove(path_);
  EXPECT_NE(complaint().find(path_.string()), std::string::npos);
}

}  // namespace
}  // namespace ngb::worker
