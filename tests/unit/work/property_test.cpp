// SPDX-License-Identifier: Apache-2.0
#include "work/property.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "changed_properties.h"

namespace ngb::work {
namespace {

using testing::ElementsAre;

Configuration changed(const std::string& name) {
  Configuration made = made_up::configuration();
  made_up::changes().at(name)(made);
  return made;
}

std::string id_text(const Configuration& of) { return id_object(of).dump(); }

TEST(Properties, HaveNamesThatDifferAndAChangeInTheseTests) {
  std::set<std::string> names;
  for (const Property& each : properties()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_TRUE(made_up::changes().contains(each.name)) << each.name;
  }
  EXPECT_EQ(names.size(), made_up::changes().size());
}

TEST(Properties, HaveTheValueOfTheirField) {
  for (const Property& each : properties()) {
    EXPECT_NE(value_of(each, changed(each.name)), value_of(each, made_up::configuration())) << each.name;
  }
}

TEST(Properties, AreReadFromTheTextThatTheyHave) {
  for (const Property& each : properties()) {
    if (each.read == nullptr) continue;
    const Configuration wanted = changed(each.name);
    Configuration read = made_up::configuration();
    EXPECT_TRUE(each.read(read, each.text(wanted))) << each.name;
    EXPECT_EQ(value_of(each, read), value_of(each, wanted)) << each.name;
  }
}

TEST(Properties, AreNotReadFromWhatNoStudyCanSay) {
  std::vector<std::string> refused;
  for (const Property& each : properties()) {
    Configuration read;
    if (each.read != nullptr && !each.read(read, "0")) refused.emplace_back(each.name);
  }
  EXPECT_THAT(refused, ElementsAre("model_size", "batch", "threads", "options", "settings", "in_flight", "instances"));
}

TEST(Ids, AreMadeOfAllThatIsAskedForWithoutWhatCameLaterAndHasItsDefault) {
  EXPECT_EQ(id_text(made_up::configuration()),
            R"({"batch":4,"compiler":"onnxruntime","device":"local","model":"feedface","options":{"level":"all"},)"
            R"("precision":"f32","threads":1,"version":"1.31.1"})");
}

TEST(Ids, HaveAKeyForEachPropertyThatIsNotAtItsDefault) {
  Configuration of = made_up::configuration();
  of.compiler.settings = {{"arena", "1"}};
  of.compiler.in_flight = 2;
  of.compiler.instances = 3;
  of.compiler.threads_asked = "all";
  of.threads = 16;
  of.load = "cpu: 1";
  EXPECT_EQ(id_text(of),
            R"({"batch":4,"compiler":"onnxruntime","device":"local","in_flight":2,"instances":3,"load":"cpu: 1",)"
            R"("model":"feedface","options":{"level":"all"},"precision":"f32","settings":{"arena":1},"threads":"all",)"
            R"("version":"1.31.1"})");
}

TEST(Ids, DoNotChangeWithNamesForPeopleAndWithWhatProcessesReport) {
  const std::set<std::string> without{"model",      "model_family", "model_group",    "model_style",   "model_size",
                                      "variant_of", "exact_hash",   "compute_device", "compiler_label"};
  for (const Property& each : properties()) {
    EXPECT_EQ(id_text(changed(each.name)) == id_text(made_up::configuration()), without.contains(each.name))
        << each.name;
  }
}

TEST(Keys, ChangeWithThePropertiesOfTheirRolesOnly) {
  for (const Property& each : properties()) {
    const Configuration other = changed(each.name);
    for (const Property& role : properties()) {
      const bool is_equal = key_of(other, {role.role}) == key_of(made_up::configuration(), {role.role});
      EXPECT_EQ(is_equal, each.role != role.role) << each.name << " in the key of " << role.name;
    }
  }
}

TEST(Values, AreNullWhereThereIsNone) {
  Configuration of;
  of.compiler.threads_asked = "all";
  of.threads.reset();
  std::vector<std::string> without;
  for (const Property& each : properties()) {
    if (value_of(each, of).is_null()) without.emplace_back(each.name);
  }
  EXPECT_THAT(without, ElementsAre("model_group", "model_style", "model_size", "variant_of", "exact_hash", "threads",
                                   "compute_device"));
}

TEST(HandedOptions, AreOptionsThenSettingsThenInferencesInFlightAndInstances) {
  Configuration of = made_up::configuration();
  EXPECT_EQ(words_of_options(of), "level=all");
  of.compiler.settings = {{"arena", "1"}};
  of.compiler.in_flight = std::nullopt;
  of.compiler.instances = 2;
  EXPECT_EQ(words_of_options(of), "level=all arena=1 in_flight=auto instances=2");
  EXPECT_EQ(words_of_options(Configuration{}), "");
}

TEST(SettingsKey, DiffersWithWhatIsHandedThreadsAndPrecision) {
  const std::set<std::string> within{"threads",  "threads_asked", "precision", "options",
                                     "settings", "in_flight",     "instances", "processors"};
  for (const Property& each : properties()) {
    const bool is_equal = settings_key(changed(each.name).compiler) == settings_key(made_up::configuration().compiler);
    EXPECT_EQ(!is_equal, within.contains(each.name)) << each.name;
  }
}

TEST(Options, AreReadFromAnObjectOnly) {
  EXPECT_EQ(parse_options(R"({"b": "x", "a": [1, 2]})"), (Options{{"a", "[1,2]"}, {"b", "\"x\""}}));
  EXPECT_EQ(text_of({{"a", "[1,2]"}, {"b", "\"x\""}}), R"({"a":[1,2],"b":"x"})");
  EXPECT_FALSE(parse_options("[1]"));
  EXPECT_FALSE(parse_options("no JSON"));
}

}  // namespace
}  // namespace ngb::work
