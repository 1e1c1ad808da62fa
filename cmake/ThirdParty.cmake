# SPDX-License-Identifier: Apache-2.0
# Every dependency of the build, and why it was chosen. scripts/setup installs the system packages.
#
# tl-expected    Result<T>: std::expected's interface for C++20; header only; goes away with C++23.
# fmt            Formatting; std::format's interface where the standard library lacks it. Linked in from its header-only
#                form, so that what runs on a device needs no libfmt there.
# nlohmann-json  JSON on the wire, in the journal, in --json output; header only; the most used of its kind.
# yaml-cpp       Study files: its marks give line and column for every error.
# CLI11          Command line of ngb: subcommands, validation, help; header only.
# SQLite         Results: one file, readable by everything, for decades.
# minizip        Bundles of results as zip files: part of zlib, small, and its output depends on its input only.
# OpenSSL        SHA-256, with the processor's instructions; on every machine already.
# Vega           The figures of a page, with Vega-Lite and Vega-Embed: one script of 0.9 MB for browsers, which needs no network. BSD-3.
# Boost          CRC-32 (Boost.CRC), distributions (Boost.Math) and the parser of HTTP requests (Boost.Beast); header only.
#                Debian's cpp-httplib is a shared library, which a program for any machine with glibc cannot use.
# GoogleTest     Tests; google-benchmark: our own hot paths; protobuf: ONNX files in tests. All in every distribution.
# Python3        Headers for the extension that hosts the loop in a toolchain's Python (limited API, no libpython).
# SQLite, minizip, yaml-cpp and CLI11 are used by the client only: nothing on a device needs them.

find_package(Threads REQUIRED)
find_package(tl-expected REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(Boost REQUIRED)
if(NGB_CLIENT)
  find_package(CLI11 REQUIRED)
endif()
if(NGB_TESTS)
  find_package(GTest REQUIRED)
  find_package(benchmark REQUIRED)
  find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
  # A shim, such as pyenv's, chooses an interpreter anew in each start, which takes 70 ms of processor time.
  execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sys; print(sys.executable)" OUTPUT_VARIABLE Python3_EXECUTABLE
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
else()
  find_package(Python3 3.9 REQUIRED COMPONENTS Development.Module)
endif()

# What comes as wheels is fetched by scripts/setup: onnx.proto, Vega, the C headers of ONNX Runtime, OpenVINO, TVM and XLA.
# TensorRT's headers come with a crate (trtx-sys), where the system has none.
set(NGB_DEPENDENCIES ${CMAKE_SOURCE_DIR}/build/dependencies CACHE PATH "Folder that scripts/setup has filled")

# ngb_static(TARGET FILE PACKAGE LINKS target …): an imported target for a library in its static form, so that the programs
# run on any machine with glibc. Debian's PACKAGE has it.
function(ngb_static target file package)
  cmake_parse_arguments(STATIC "" "" "LINKS" ${ARGN})
  find_library(NGB_${file} ${file})
  if(NOT NGB_${file})
    message(FATAL_ERROR "${file} not found; run scripts/setup (package ${package})")
  endif()
  add_library(${target} STATIC IMPORTED)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${NGB_${file}})
  target_link_libraries(${target} INTERFACE ${STATIC_LINKS} Threads::Threads)
endfunction()
ngb_static(ngb::crypto libcrypto.a libssl-dev LINKS ${CMAKE_DL_LIBS})
target_include_directories(ngb::crypto INTERFACE ${OPENSSL_INCLUDE_DIR})
if(NGB_ZIG)
  include(cmake/FromSource.cmake)
elseif(NGB_CLIENT)
  ngb_static(ngb::yaml_cpp libyaml-cpp.a libyaml-cpp-dev)
endif()
if(NGB_CLIENT)
  ngb_static(ngb::sqlite libsqlite3.a libsqlite3-dev LINKS ${CMAKE_DL_LIBS} m)
  ngb_static(ngb::zlib libz.a zlib1g-dev)
  ngb_static(ngb::minizip libminizip.a libminizip-dev LINKS ngb::zlib)
endif()

# fmt's header-only form, compiled once: every inline function of it is kept, and everybody else sees declarations. The
# distributions have no libfmt.a; header-only everywhere costs more than a second for each source.
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/fmt/fmt.cpp CONTENT "#include <fmt/format.h>\n")
add_library(ngb_fmt STATIC ${CMAKE_BINARY_DIR}/fmt/fmt.cpp)
target_link_libraries(ngb_fmt PRIVATE fmt::fmt-header-only)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(ngb_fmt PRIVATE -fkeep-inline-functions -ffunction-sections -O1)
else()
  target_compile_definitions(ngb_fmt INTERFACE FMT_HEADER_ONLY)  # clang keeps no inline functions
endif()
get_target_property(fmt_includes fmt::fmt-header-only INTERFACE_INCLUDE_DIRECTORIES)
target_include_directories(ngb_fmt SYSTEM INTERFACE ${fmt_includes})

# Boost.Asio, of which Boost.Beast includes parts, compiled once in the same way, by its own switch. Boost 1.74 defines the
# first two by itself for g++ only, but clang-tidy needs them, too. One thread runs each loop, so it needs no fences, which
# the thread sanitizer does not support.
if(NGB_CLIENT)
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/asio/asio.cpp CONTENT "#include <utility>\n\n#include <boost/asio/impl/src.hpp>\n")
  add_library(ngb_asio STATIC ${CMAKE_BINARY_DIR}/asio/asio.cpp)
  target_compile_definitions(ngb_asio PUBLIC BOOST_ASIO_HAS_CO_AWAIT BOOST_ASIO_HAS_STD_COROUTINE BOOST_ASIO_DISABLE_FENCED_BLOCK
                                             BOOST_ASIO_SEPARATE_COMPILATION)
  target_link_libraries(ngb_asio PUBLIC Boost::headers Threads::Threads)
  # In optimised code g++ 12 reports that Asio releases its own memory by a function that does not match the allocation.
  # The two match. The warning appears in everything that includes Asio, hence PUBLIC.
  target_compile_options(ngb_asio PUBLIC $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-mismatched-new-delete>)
endif()
