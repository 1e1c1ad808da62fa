// SPDX-License-Identifier: Apache-2.0
#include "bundle/archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/file.h"
#include "temporary_folder.h"

namespace ngb::bundle {
namespace {

using ::testing::HasSubstr;

TEST(BundleZip, IsTheSameWheneverItsContentIsAndUnpacksToIt) {
  const TemporaryFolder folder;
  folder.write("from/a.txt", "abc");
  folder.write("from/data/b.csv", std::string(200'000, 'x'));
  const std::vector<std::string> paths{"a.txt", "data/b.csv"};
  ASSERT_TRUE(write_zip(folder / "from", paths, folder / "one.zip"));
  folder.write("from/a.txt", "abc");  // with another time
  ASSERT_EQ(::chmod((folder / "from/a.txt").c_str(), 0600), 0);
  ASSERT_TRUE(write_zip(folder / "from", paths, folder / "two.zip"));
  EXPECT_EQ(file::read(folder / "one.zip").value(), file::read(folder / "two.zip").value());
  const auto entries = list_zip(folder / "one.zip");
  ASSERT_TRUE(entries) << entries.error().text();
  ASSERT_EQ(entries->size(), 2U);
  EXPECT_EQ((*entries)[1].path, "data/b.csv");
  EXPECT_EQ((*entries)[1].bytes, 200'000U);
  EXPECT_TRUE((*entries)[1].is_file && (*entries)[1].is_readable);
  const Status unpacked = unpack_zip(folder / "one.zip", *entries, folder / "to");
  ASSERT_TRUE(unpacked) << unpacked.error().text();
  EXPECT_EQ(file::read(folder / "to/a.txt").value(), "abc");
  EXPECT_EQ(file::read(folder / "to/data/b.csv").value(), std::string(200'000, 'x'));
}

TEST(BundleZip, ThatIsNoneOrCutOffOrTooLargeIsRefused) {
  const TemporaryFolder folder;
  EXPECT_THAT(list_zip(folder.write("not.zip", "PK")).error().text(), HasSubstr("it is not a zip file"));
  folder.write("bomb.txt", std::string(100'000'000, '\0'));
  ASSERT_TRUE(write_zip(folder.path(), {"bomb.txt"}, folder / "bomb.zip"));
  EXPECT_THAT(list_zip(folder / "bomb.zip").error().text(), HasSubstr("unpacked it would be larger than"));
  ASSERT_TRUE(write_zip(folder.path(), {"not.zip"}, folder / "good.zip"));
  const std::string whole = file::read(folder / "good.zip").value();
  EXPECT_THAT(list_zip(folder.write("cut.zip", whole.substr(0, whole.size() - 30))).error().text(),
              HasSubstr("its end is missing"));
}

TEST(BundleZip, WhoseContentIsDamagedIsRefusedWithTheNameOfTheEntry) {
  const TemporaryFolder folder;
  folder.write("a.txt", "the content of a file");
  ASSERT_TRUE(write_zip(folder.path(), {"a.txt"}, folder / "a.zip"));
  std::string zip = file::read(folder / "a.zip").value();
  zip[40] = static_cast<char>(zip[40] ^ 1);  // behind the header of 30 bytes and the name of 5
  const auto damaged = folder.write("damaged.zip", zip);
  const auto entries = list_zip(damaged);
  ASSERT_TRUE(entries);
  EXPECT_THAT(unpack_zip(damaged, *entries, folder / "to").error().text(), HasSubstr("a.txt in it is damaged"));
}

TEST(BundleZip, ThatCannotBeWrittenIsAnErrorWithItsPath) {
  const TemporaryFolder folder;
  folder.write("a.txt", "abc");
  EXPECT_THAT(write_zip(folder.path(), {"a.txt"}, folder / "missing/a.zip").error().text(), HasSubstr("missing/a.zip"));
  if (std::filesystem::exists("/dev/full")) {
    const Status full = write_zip(folder.path(), {"a.txt"}, "/dev/full");
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().code, ErrorCode::disk_full) << full.error().text();
  }
}

}  // namespace
}  // namespace ngb::bundle
