// SPDX-License-Identifier: Apache-2.0
#include "wheels.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/process.h"
#include "base/text.h"

namespace ngb::toolchain {
namespace {

// The format of a wheel: PEP 427.
constexpr const char* kMakeWheel = R"(
import base64, hashlib, json, sys, zipfile
def digest(content):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content.encode()).digest()).rstrip(b"=").decode()
wheel = json.loads(sys.argv[2])
name, version = wheel["name"].replace("-", "_"), wheel["version"]
info = f"{name}-{version}.dist-info"
files = dict(wheel["files"])
files[f"{info}/METADATA"] = "\n".join(["Metadata-Version: 2.1", f"Name: {wheel['name']}", f"Version: {version}"] +
    [f"Provides-Extra: {extra}" for extra in wheel["extras"]] +
    [f"Requires-Dist: {text}" for text in wheel["requires_dist"]]) + "\n"
files[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
files[f"{info}/RECORD"] = "".join(f"{path},{digest(text)},{len(text)}\n" for path, text in files.items()) + f"{info}/RECORD,,\n"
with zipfile.ZipFile(f"{sys.argv[1]}/{name}-{version}-py3-none-any.whl", "w") as archive:
    for path, content in files.items():
        archive.writestr(path, content)
)";

}  // namespace

void WithWheels::SetUp() {
  InTemporaryFolder::SetUp();
  std::filesystem::create_directories(wheels());
  ::setenv("PIP_NO_INDEX", "1", 1);
  ::setenv("PIP_FIND_LINKS", wheels().c_str(), 1);
}

void WithWheels::TearDown() {
  ::unsetenv("PIP_NO_INDEX");
  ::unsetenv("PIP_FIND_LINKS");
  InTemporaryFolder::TearDown();
}

void WithWheels::make_wheel(const Wheel& wheel) {
  nlohmann::json extras = nlohmann::json::array();
  for (const std::string& requirement : wheel.requires_dist) {
    const std::size_t at = requirement.find("extra == \"");
    if (at == std::string::npos) continue;
    extras.push_back(text::split(requirement.substr(at + 10), '"')[0]);
  }
  const nlohmann::json json{{"name", wheel.name},
                            {"version", wheel.version},
                            {"requires_dist", wheel.requires_dist},
                            {"extras", extras},
                            {"files", wheel.files}};
  const auto made = process::run({.arguments = {"python3", "-c", kMakeWheel, wheels().string(), json.dump()}});
  ASSERT_TRUE(made && made->succeeded()) << (made ? made->output : made.error().text());
}

CompilerDescription toy() {
  CompilerDescription compiler;
  compiler.name = compiler.toolchain = "toy";
  compiler.host = "python";
  compiler.adaptor = "toy_adaptor:Adaptor";
  compiler.requirements = {"toy=={version}"};
  compiler.distributions = {"toy"};
  compiler.imports = {"toy"};
  return compiler;
}

}  // namespace ngb::toolchain
