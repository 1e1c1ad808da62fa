# SPDX-License-Identifier: Apache-2.0
# AArch64, with the cross compiler of this machine. Libraries and headers are those that scripts/setup has laid out; the
# programs that the build runs are this machine's.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

cmake_path(SET root NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../build/dependencies/aarch64)
set(CMAKE_FIND_ROOT_PATH ${root})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Headers of OpenSSL and Python include those of the machine's kind by paths below these.
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES ${root}/usr/include/aarch64-linux-gnu ${root}/usr/include)
# FindPython3 asks an interpreter, and none of that kind runs here.
file(GLOB Python3_INCLUDE_DIR ${root}/usr/include/python3.*)
