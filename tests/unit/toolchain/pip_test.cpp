// SPDX-License-Identifier: Apache-2.0
#include "toolchain/pip.h"

#include <gtest/gtest.h>

#include "toolchain/wheels.h"

namespace ngb::toolchain {
namespace {

TEST(PipsReport, HasNameVersionWheelAndRequirements) {
  const auto installed = parse_report(R"({"version": "1", "pip_version": "23.2.1", "install": [
    {"download_info": {"url": "x", "archive_info": {"hash": "sha256=ab12", "hashes": {"sha256": "ab12"}}},
     "requested": true,
     "metadata": {"name": "Onnx_Runtime", "version": "1.31.1", "requires_dist": ["numpy>=1.21.6", "flatbuffers"]}},
    {"download_info": {"url": "y", "archive_info": {"hash": "sha256=cd34"}},
     "metadata": {"name": "numpy", "version": "2.4.6"}}]})");
  ASSERT_TRUE(installed) << installed.error().text();
  ASSERT_EQ(installed->size(), 2U);
  EXPECT_EQ((*installed)[0].name, "onnx-runtime");
  EXPECT_EQ((*installed)[0].version, "1.31.1");
  EXPECT_EQ((*installed)[0].sha256, "ab12");
  EXPECT_EQ((*installed)[0].requires_dist, (std::vector<std::string>{"numpy>=1.21.6", "flatbuffers"}));
  EXPECT_EQ((*installed)[1].sha256, "cd34");
}

TEST(PipsReport, HasAddressAndSizesOfWheelsIfTheIndexTellsThem) {
  const auto wheels = parse_report(R"({"version": "1", "install": [
    {"download_info": {"url": "http://a/x-1.whl", "archive_info": {}}, "metadata": {"name": "x", "version": "1"},
     "wheel": {"url": "http://a/x-1.whl#sha256=ab12", "download": 539136850, "installed": 1144460884, "python": 0}},
    {"download_info": {"url": "http://a/y-1.whl", "archive_info": {}}, "metadata": {"name": "y", "version": "1"}}]})");
  ASSERT_TRUE(wheels) << wheels.error().text();
  EXPECT_EQ((*wheels)[0].url, "http://a/x-1.whl#sha256=ab12");
  EXPECT_EQ((*wheels)[0].download_bytes, 539136850);
  EXPECT_EQ((*wheels)[0].installed_bytes, 1144460884);
  EXPECT_EQ((*wheels)[0].python_bytes, 0);
  EXPECT_EQ((*wheels)[1].url, "http://a/y-1.whl");
  EXPECT_EQ((*wheels)[1].download_bytes, std::nullopt);
}

TEST(PipsReport, IsAnErrorAndNoCrashIfItIsDamaged) {
  for (const char* text : {"", "{", "[]", "{}", R"({"install": 3})", R"({"install": [{}]})", R"({"install": [3]})",
                           R"({"install": [{"metadata": {"name": 1, "version": "1"}}]})"}) {
    EXPECT_FALSE(parse_report(text)) << text;
  }
}

TEST(PipsVersions, AreThoseOfItsList) {
  const auto versions = parse_versions(
      "WARNING: pip index is experimental.\nonnxruntime (1.32.0)\n"
      "Available versions: 1.32.0, 1.31.1, 1.31.0rc1\n  INSTALLED: 1.30.0\n",
      "onnxruntime");
  ASSERT_TRUE(versions) << versions.error().text();
  EXPECT_EQ(*versions, (std::vector<std::string>{"1.32.0", "1.31.1", "1.31.0rc1"}));
}

TEST(PipsVersions, OfSeveralIndexesMayBeMissingFromOneButEachMustAnswer) {
  const std::string list = "toy (2.0)\nAvailable versions: 2.0, 1.0\n";
  EXPECT_TRUE(
      parse_versions("Could not fetch URL http://a/toy/: 404 Client Error: Not Found for url: http://a/toy/ - "
                     "skipping\n" +
                         list,
                     "toy"));
  const auto refused = parse_versions(
      "Could not fetch URL http://a/toy/: connection error: HTTPConnectionPool(host='a', "
      "port=9): Max retries exceeded with url: /toy/ - skipping\n" +
          list,
      "toy");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "no connection to the package index");
  EXPECT_EQ(refused.error().code, ErrorCode::unreachable);
  const auto forbidden =
      parse_versions("Could not fetch URL http://a/toy/: 403 Client Error: Forbidden\n" + list, "toy");
  ASSERT_FALSE(forbidden);
  EXPECT_EQ(forbidden.error().text(),
            "pip: the package index cannot be read; Could not fetch URL http://a/toy/: 403 "
            "Client Error: Forbidden");
  EXPECT_EQ(forbidden.error().code, ErrorCode::unreachable);
}

TEST(PipsVersions, OfAnUnknownPackageAreAnErrorWithItsName) {
  const auto versions = parse_versions("ERROR: No matching distribution found for onxruntime\n", "onxruntime");
  ASSERT_FALSE(versions);
  EXPECT_EQ(versions.error().what, "pip finds no version of onxruntime");
  EXPECT_EQ(versions.error().code, ErrorCode::not_found);
}

TEST(PipsFailure, HasACodeThatTellsAMissingVersionFromAnIndexThatDoesNotAnswer) {
  const auto code = [](const char* output) { return explain_pip_failure(output).code; };
  EXPECT_EQ(code("ERROR: Could not find a version that satisfies the requirement x==1 (from versions: 2)"),
            ErrorCode::not_found);
  EXPECT_EQ(code("ERROR: Could not find a version that satisfies the requirement x==1 (from versions: none)"),
            ErrorCode::not_found);
  EXPECT_EQ(code("ERROR: HTTP error 503 while getting http://a/x-1.whl"), ErrorCode::unreachable);
  EXPECT_EQ(code("Could not install packages due to an OSError: Max retries exceeded"), ErrorCode::unreachable);
  EXPECT_EQ(code("OSError: [Errno 28] No space left on device"), ErrorCode::disk_full);
  EXPECT_EQ(code("ERROR: x-1.whl is not a supported wheel on this platform."), ErrorCode::other);
}

TEST(PipsFailure, OfADownloadThatWasCutOffOrDamagedIsNotTheVersionsFault) {
  for (const char* output :
       {"ERROR: Wheel 'onnxruntime' located at /tmp/pip-unpack-d3qqww1d/onnxruntime-1.30.0.whl is invalid.",
        "ERROR: Exception:\nTraceback (most recent call last):\n  File \"zipfile.py\", line 925, in read\n"
        "zipfile.BadZipFile: Bad CRC-32 for file 'onnxruntime/__init__.py'\n",
        "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE."}) {
    const Error error = explain_pip_failure(output);
    EXPECT_EQ(error.what, "a downloaded package is cut off or damaged") << output;
    EXPECT_EQ(error.code, ErrorCode::unreachable);
  }
  EXPECT_EQ(
      explain_pip_failure("urllib3.exceptions.ProtocolError: ('Connection broken: IncompleteRead(4 bytes read)')").what,
      "the package index ended a download before its end");
}

TEST(PipsFailure, OfPipItselfIsTheLastLineOfItsTraceback) {
  const Error error = explain_pip_failure(
      "ERROR: Exception:\nTraceback (most recent call last):\n  File \"a.py\", line 3, in b\nKeyError: 'wheel'\n");
  EXPECT_EQ(error.what, "KeyError: 'wheel'");
}

TEST(PipsFailure, OfAnUnknownVersionListsTheNearestOnes) {
  const Error error = explain_pip_failure(
      "ERROR: Could not find a version that satisfies the requirement onnxruntime==1.31.9 (from versions: 1.9.0, "
      "1.28.0, 1.29.0, 1.30.0, 1.31.1, 1.32.0, 1.10.0)\nERROR: No matching distribution found for "
      "onnxruntime==1.31.9\n");
  EXPECT_EQ(error.what, "no such version: onnxruntime==1.31.9");
  EXPECT_EQ(error.next, "versions near it: 1.29.0, 1.30.0, 1.31.1, 1.32.0");
}

TEST(PipsFailure, OnAnotherKindOfDeviceSaysWhichVersionsHaveAWheelForIt) {
  const Error error = explain_pip_failure(
      "ERROR: Could not find a version that satisfies the requirement onnxruntime==1.31.1 (from versions: 1.23.1, "
      "1.23.2)\n",
      "aarch64 with glibc 2.35 and Python 3.10");
  EXPECT_EQ(error.what, "there is no wheel of onnxruntime==1.31.1 for aarch64 with glibc 2.35 and Python 3.10");
  EXPECT_EQ(error.next, "versions near it that have one: 1.23.1, 1.23.2");
}

TEST(PipsFailure, OfAPackageThatAnotherKindOfDeviceHasInNoVersionAdvisesOtherCompilers) {
  const Error error = explain_pip_failure(
      "ERROR: Could not find a version that satisfies the requirement litert-converter==0.5.0 (from versions: none)\n",
      "aarch64 with glibc 2.36 and Python 3.11");
  EXPECT_EQ(error.what, "there is no wheel of litert-converter==0.5.0 for aarch64 with glibc 2.36 and Python 3.11");
  EXPECT_EQ(error.next,
            "no version of it has one: measure other compilers there, or name an index that has it (pip config list)");
}

TEST(PipsFailure, OfAnUnknownPackageSaysSo) {
  EXPECT_EQ(explain_pip_failure("ERROR: Could not find a version that satisfies the requirement onxruntime==1 (from "
                                "versions: none)\nERROR: No matching distribution found for onxruntime==1")
                .what,
            "pip finds no version of onxruntime==1");
}

TEST(PipsFailure, WithoutANetworkIsNotAMissingVersion) {
  const Error error = explain_pip_failure(
      "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError('<conn>: Failed to establish "
      "a "
      "new connection: [Errno -3] Temporary failure in name resolution')': /simple/onnxruntime/\n"
      "ERROR: Could not find a version that satisfies the requirement onnxruntime==1.31.1 (from versions: none)\n");
  EXPECT_EQ(error.what, "no network");
}

TEST(PipsFailure, OfAFullDiskSaysSo) {
  EXPECT_EQ(
      explain_pip_failure("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n")
          .what,
      "the disk is full");
}

TEST(PipsFailure, OfAnUnknownKindKeepsPipsOwnWords) {
  EXPECT_EQ(explain_pip_failure("Collecting x\nERROR: Something new went wrong\n").what, "Something new went wrong");
  EXPECT_EQ(explain_pip_failure("Traceback\nValueError: odd\n").what, "ValueError: odd");
}

}  // namespace
}  // namespace ngb::toolchain
