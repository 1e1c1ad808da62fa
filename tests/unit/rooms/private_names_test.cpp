// SPDX-License-Identifier: Apache-2.0
#include "private_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temporary_folder.h"

namespace ngb::rooms {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PrivateNames, AreUniqueInEveryRoomSinceUnityBuildsCompileItsFilesAsOne) {
  std::vector<std::string> repeated;
  for (const auto& room : fs::directory_iterator(fs::path(NGB_SOURCE_DIR) / "src")) {
    for (std::string& each : repeated_names(room.path())) repeated.push_back(std::move(each));
  }
  for (std::string& each : repeated_names(fs::path(NGB_SOURCE_DIR) / "apps/ngb")) repeated.push_back(std::move(each));
  EXPECT_THAT(repeated, IsEmpty());
}

TEST(PrivateNames, AreThoseOfAnonymousNamespacesOnly) {
  EXPECT_THAT(private_names(R"(#include <x>
namespace ngb::toy {
void shown() { int local = 1; }
namespace {
#define ROW(a) \
  int a;
using Words = std::vector<int>;  // struct Commented {}
constexpr int kLimit = 3;
constexpr std::array<Row, 2> kRows{{{1, "struct Quoted {"}, {2, R"re({)re"}}};
struct Row { int member = 1; void method(); };
enum class Kind { first, second };
template <class T>
int twice(T value, int other = 2) { if (value) { return 1; } return 2; }
std::string made(const std::function<void(int)>& use);
Row::Row(int given) : Base(given, {}), member_(given) {}
std::vector<int> Row::method() { return {}; }
}  // namespace
class Open { int inside_ = 1; };
}  // namespace ngb::toy
)"),
              ElementsAre("ngb::toy::Kind", "ngb::toy::Row", "ngb::toy::Row::Row", "ngb::toy::Row::method",
                          "ngb::toy::kLimit", "ngb::toy::kRows", "ngb::toy::made", "ngb::toy::twice"));
}

TEST(PrivateNames, ThatTwoFilesShareAreNamedUnlessOneHasOptionsOfItsOwn) {
  const TemporaryFolder room;
  room.write("CMakeLists.txt", "set_source_files_properties(c.cpp PROPERTIES COMPILE_OPTIONS -O3)\n");
  room.write("a.cpp", "namespace { int once() { return 1; } int twice() { return 2; } }");
  room.write("deep/b.cpp", "namespace { struct twice {}; }");
  room.write("c.cpp", "namespace { int once() { return 1; } }");
  EXPECT_THAT(repeated_names(room.path()),
              ElementsAre(room.path().filename().string() + ": twice in a.cpp and deep/b.cpp"));
}

}  // namespace
}  // namespace ngb::rooms
