// SPDX-License-Identifier: Apache-2.0
// Files as the format's description (numpy.lib.format) has them, written byte by byte; archives by Python's zipfile.
#include "userfiles/numpy_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/process.h"
#include "numpy_bytes.h"
#include "temporary_folder.h"

namespace ngb::userfiles {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class NumpyFile : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& bytes) { return folder_.write(name, bytes); }
  std::string refusal(const std::string& bytes, const std::string& array = "") {
    const auto found = find_array(write("x.npy", bytes), array);
    return found ? "accepted" : found.error().text();
  }
  // ids.npy and other.npy in one archive.
  std::filesystem::path archive(const std::string& compression) {
    write("ids.npy", npy("<i8", "(2,)", std::string(16, '\1')));
    const std::string program = "import zipfile\nwith zipfile.ZipFile('all.npz', 'w', zipfile." + compression +
                                ") as file:\n file.write('ids.npy')\n file.write('ids.npy', 'other.npy')";
    const auto made = process::run({.arguments = {"python3", "-c", program}, .folder = folder_.path()});
    EXPECT_TRUE(made && made->succeeded());
    return folder_ / "all.npz";
  }

  TemporaryFolder folder_;
};

TEST_F(NumpyFile, AnArrayIsFoundWithTypeShapeAndOffset) {
  const auto path = write("x.npy", npy("<i4", "(2, 3)", std::string("\1\0\0\0\2\0\0\0", 8) + std::string(16, '\0')));
  const auto array = find_array(path, "whatever");
  ASSERT_TRUE(array) << array.error().text();
  EXPECT_EQ(array->type, DataType::i32);
  EXPECT_THAT(array->shape, ElementsAre(2, 3));
  EXPECT_EQ(array->size_bytes(), 24U);
  std::int32_t first[2];
  ASSERT_TRUE(read_array(path, *array, first, sizeof first));
  EXPECT_THAT(first, ElementsAre(1, 2));
}

TEST_F(NumpyFile, AScalarAndARowAreArraysToo) {
  EXPECT_THAT(find_array(write("a.npy", npy("<f8", "()", std::string(8, '\0'))), "")->shape, ElementsAre());
  EXPECT_THAT(find_array(write("b.npy", npy("|b1", "(3,)", std::string("\1\0\1", 3))), "")->shape, ElementsAre(3));
}

TEST_F(NumpyFile, AnArrayOfAnArchiveIsFoundByItsName) {
  const auto path = archive("ZIP_STORED");
  const auto array = find_array(path, "other");
  ASSERT_TRUE(array) << array.error().text();
  std::int64_t values[2];
  ASSERT_TRUE(read_array(path, *array, values, sizeof values));
  EXPECT_EQ(values[1], 0x0101010101010101);
  EXPECT_THAT(find_array(path, "mask").error().text(), HasSubstr("all.npz: it has no array \"mask\", only ids, other"));
}

TEST_F(NumpyFile, ACompressedArchiveIsRefusedWithAdvice) {
  EXPECT_THAT(find_array(archive("ZIP_DEFLATED"), "ids").error().text(),
              HasSubstr("array \"ids\": the array is compressed; save it with numpy.savez"));
}

TEST_F(NumpyFile, AnArrayThatCannotBeFedIsRefused) {
  EXPECT_THAT(refusal(npy("<i2", "(2,)", "abcd")), HasSubstr("values of NumPy's type <i2 cannot be fed"));
  EXPECT_THAT(refusal(npy(">f4", "(1,)", "abcd")), HasSubstr("type >f4 cannot be fed"));
  EXPECT_THAT(refusal(npy("<f4", "(1, 1)", "abcd", "True")), HasSubstr("is stored column by column"));
  EXPECT_THAT(refusal(npy("<f4", "(2,)", "abcd")), HasSubstr("the array is truncated"));
  EXPECT_THAT(refusal(npy("<f4", "(9223372036854775807, 4)", "abcd")), HasSubstr("the array is truncated"));
  EXPECT_THAT(refusal("Dear reader"), HasSubstr("neither an .npy nor an .npz file"));
  EXPECT_THAT(refusal("PK\3\4"), HasSubstr("a truncated or damaged .npz file"));
  EXPECT_THAT(refusal(""), HasSubstr("neither an .npy nor an .npz file"));
  EXPECT_THAT(find_array(folder_ / "gone.npy", "").error().text(), HasSubstr("No such file"));
}

TEST_F(NumpyFile, EveryTruncationIsRefused) {
  const std::string whole = npy("<f4", "(2,)", "abcdefgh");
  for (std::size_t length = 0; length < whole.size(); ++length) EXPECT_NE(refusal(whole.substr(0, length)), "accepted");
}

}  // namespace
}  // namespace ngb::userfiles
