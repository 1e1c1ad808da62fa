# SPDX-License-Identifier: Apache-2.0
# ngb_room(NAME [HOT] USES room … [LINKS target …]): the static library ngb_NAME of every .cpp below src/NAME.
# USES are the rooms whose headers it may include; tests/unit/rooms_test reads the same list from ARCHITECTURE.md. For HOT
# see ngb_hot.
#
# Warnings are errors where the code is worked on. A release build is made by users, with compilers and at an optimisation that
# warn of other things than those that were tried here: it tells and goes on.
set(NGB_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-align
                 -Woverloaded-virtual -Wconversion -Wsign-conversion -Wnull-dereference -Wdouble-promotion -Wformat=2
                 -Wredundant-decls $<$<CONFIG:Debug>:-Werror>)
# g++ 12 takes appending to a string for an overrun (GCC PR 105651), and what it inlines from the JSON library, CLI11 and
# Asio for a null pointer followed; 13 does not.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND NGB_WARNINGS -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread
       -Wno-null-dereference)
endif()

# The large headers that most sources include, parsed once for each kind of code: hot and other rooms, tests. Every source
# still includes what it uses; the headers' own test and clang-tidy compile without these.
set(NGB_PRELUDE <fmt/format.h> <nlohmann/json.hpp> <tl/expected.hpp> <algorithm> <filesystem> <functional> <map>
                <optional> <string> <vector>)
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/prelude/prelude.cpp CONTENT "")
function(ngb_prelude name)
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/prelude/prelude.cpp)
  target_precompile_headers(${name} PRIVATE ${NGB_PRELUDE} ${ARGN})
  target_compile_options(${name} PRIVATE ${NGB_WARNINGS})
  target_link_libraries(${name} PRIVATE ngb_fmt)
endfunction()
ngb_prelude(ngb_room_prelude)
set(NGB_HOT_PRELUDE ngb_room_prelude)
if(CMAKE_BUILD_TYPE STREQUAL Release)  # g++ crashes if the headers were optimised in another way than the source
  ngb_prelude(ngb_hot_prelude)
  target_compile_options(ngb_hot_prelude PRIVATE -O2)
  set(NGB_HOT_PRELUDE ngb_hot_prelude)
endif()

# ngb_hot(TARGET): a release build optimises it with -O2. All else waits for files, processes or people, and is built with
# -O1, which takes two thirds of the time (docs/decisions/0023-a-build-that-is-not-waited-for.md).
function(ngb_hot target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)
  target_precompile_headers(${target} REUSE_FROM ${NGB_HOT_PRELUDE})
endfunction()

# ngb_program(TARGET): a program of the kind of code that waits. It is compiled as the rooms are, with which it shares the parsed
# headers.
function(ngb_program target)
  target_precompile_headers(${target} REUSE_FROM ngb_room_prelude)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC)
endfunction()

# ngb_even_units(TARGET [COUNT]): shares the target's sources out among COUNT units of the same size, or as few as hold at
# most 44 each. Without that a room of 37 sources is a unit of 36 and one of 1, which parses all headers for a single file.
function(ngb_even_units target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(LENGTH sources count)
  math(EXPR units "(${count} + 43) / 44")
  if(ARGC GREATER 1)
    set(units ${ARGV1})
  endif()
  if(units GREATER 0)
    math(EXPR batch "(${count} + ${units} - 1) / ${units}")
    set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE ${batch})
  endif()
endfunction()

set(NGB_SMALL_ROOMS "" CACHE STRING "Rooms that are built in units of four sources: scripts/check names those that are worked on")

function(ngb_room name)
  cmake_parse_arguments(ROOM "HOT" "" "USES;LINKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  add_library(ngb_${name} STATIC ${sources})
  target_include_directories(ngb_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  target_compile_options(ngb_${name} PRIVATE ${NGB_WARNINGS})
  if(ROOM_HOT)
    ngb_hot(ngb_${name})
  else()
    target_precompile_headers(ngb_${name} REUSE_FROM ngb_room_prelude)
  endif()
  foreach(used ${ROOM_USES})
    target_link_libraries(ngb_${name} PUBLIC ngb_${used})
  endforeach()
  target_link_libraries(ngb_${name} PUBLIC ${ROOM_LINKS})
  ngb_even_units(ngb_${name})
  if(name IN_LIST NGB_SMALL_ROOMS)
    set_target_properties(ngb_${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 4)
  endif()
  set_property(GLOBAL APPEND PROPERTY NGB_ROOMS ngb_${name})
endfunction()

# ngb_python(TARGET folder/a.py …): the text of each program as kPython_a in the header a.py.h, so that it needs no file
# beside ngb.
function(ngb_python target)
  foreach(program ${ARGN})
    file(READ ${program} text)
    get_filename_component(header ${program} NAME)
    get_filename_component(name ${program} NAME_WE)
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${header}.h
         CONTENT "// Generated from ${program}.\ninline constexpr char kPython_${name}[] = R\"__py__(@text@)__py__\";\n" @ONLY)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${program})
  endforeach()
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

# ngb_text(TARGET folder/a.css …): the text of each file as kText_a_css in the header a.css.h. Compilers need not take a string
# of more than 65,536 characters, as one with -Wpedantic warns; those that are used here do.
function(ngb_text target)
  foreach(file ${ARGN})
    cmake_path(ABSOLUTE_PATH file OUTPUT_VARIABLE path)
    file(READ ${file} text)
    get_filename_component(header ${file} NAME)
    string(REPLACE "." "_" name ${header})
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${header}.h
         CONTENT "// Generated from ${file}.\n#pragma once\n#pragma GCC system_header\ninline constexpr char kText_${name}[] = R\"__text__(@text@)__text__\";\n" @ONLY)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  endforeach()
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

# ngb_packed(TARGET folder/a.js): the text of a file as a page has it (report/page/html.h: packed), as kPacked_a_js, and its SHA-256
# in base 64, as kHash_a_js, in the header a.js.h.
function(ngb_packed target file)
  get_filename_component(header ${file} NAME)
  string(REPLACE "." "_" name ${header})
  execute_process(COMMAND python3 -c "import base64, hashlib, pathlib, sys, zlib
text = pathlib.Path(sys.argv[1]).read_bytes()
for value in zlib.compress(text, 9), hashlib.sha256(text).digest():
  print(base64.b64encode(value).decode())" ${file} OUTPUT_VARIABLE made COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" made "${made}")
  list(GET made 0 packed)
  list(GET made 1 hash)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${header}.h
       CONTENT "// Generated from ${file}.\n#pragma once\n#pragma GCC system_header\ninline constexpr char kPacked_${name}[] = \"${packed}\";\ninline constexpr char kHash_${name}[] = \"${hash}\";\n" @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

# What runs on a device brings its own C++ runtime and needs nothing newer than glibc 2.34. libgcc stays shared: its
# static form wants _dl_find_object of glibc 2.35. Unused sections go: libstdc++'s random_device wants arc4random of 2.36.
function(ngb_device_binary target)
  target_compile_options(${target} PRIVATE ${NGB_WARNINGS})
  if(NGB_ZIG)  # links libc++ in by itself, and has no --exclude-libs
    target_link_options(${target} PRIVATE -Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/exported.map -Wl,--gc-sections)
  elseif(NOT NGB_SANITIZE)
    target_link_options(${target} PRIVATE -static-libstdc++ -Wl,--exclude-libs,ALL -Wl,--gc-sections)
    # A development build is delivered to many devices by the tests.
    target_link_options(${target} PRIVATE -Wl,--compress-debug-sections=zlib)
  endif()
endfunction()
