# SPDX-License-Identifier: Apache-2.0
# NGB_MACHINE (x86_64 or aarch64) with glibc 2.28 or newer, by zig's C and C++ compiler, which brings the C library's headers and
# libc++. Libraries and headers are those that `scripts/setup wheel` has laid out.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${NGB_MACHINE})
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES NGB_MACHINE)
set(NGB_GLIBC 2.28)
set(NGB_ZIG ON)

cmake_path(SET dependencies NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../build/dependencies)
set(zig ${dependencies}/zig/zig)
foreach(language C CXX)
  set(tool_C cc)
  set(tool_CXX c++)
  set(CMAKE_${language}_COMPILER ${zig} ${tool_${language}} --target=${NGB_MACHINE}-linux-gnu.${NGB_GLIBC})
endforeach()

# Asio of Boost 1.74 uses std::result_of, which libc++ does not have in C++20, unless this says that std::invoke_result exists.
set(CMAKE_CXX_FLAGS_INIT -DBOOST_ASIO_HAS_STD_INVOKE_RESULT)

set(root ${dependencies}/wheel/${NGB_MACHINE})
set(CMAKE_FIND_ROOT_PATH ${root})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_LIBRARY_ARCHITECTURE ${NGB_MACHINE}-linux-gnu)
# Headers of OpenSSL and Python include those of the machine's kind by paths below these.
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES ${root}/usr/include/${NGB_MACHINE}-linux-gnu ${root}/usr/include)
# FindPython3 asks an interpreter, and one of another kind does not run here.
file(GLOB Python3_INCLUDE_DIR ${root}/usr/include/python3.*)
