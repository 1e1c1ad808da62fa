# SPDX-License-Identifier: Apache-2.0
# ngb_room(NAME SOURCES a.cpp … USES room … [LINKS target …]): the static library ngb_NAME of src/NAME.
# USES are the rooms whose headers it may include; tests/unit/rooms_test reads the same list from ARCHITECTURE.md.
set(NGB_WARNINGS -Wall -Wextra -Wpedantic -Werror -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-align
                 -Woverloaded-virtual -Wconversion -Wsign-conversion -Wnull-dereference -Wdouble-promotion -Wformat=2)

function(ngb_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;USES;LINKS" ${ARGN})
  if(ROOM_SOURCES)
    add_library(ngb_${name} STATIC ${ROOM_SOURCES})
    target_include_directories(ngb_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
    target_compile_options(ngb_${name} PRIVATE ${NGB_WARNINGS})
    set(kind PUBLIC)
  else()
    add_library(ngb_${name} INTERFACE)
    set(kind INTERFACE)
  endif()
  foreach(used ${ROOM_USES})
    target_link_libraries(ngb_${name} ${kind} ngb_${used})
  endforeach()
  target_link_libraries(ngb_${name} ${kind} ${ROOM_LINKS})
  set_property(GLOBAL APPEND PROPERTY NGB_ROOMS ngb_${name})
endfunction()

# What runs on a device brings its own C++ runtime and needs nothing newer than glibc 2.34. libgcc stays shared: its
# static form wants _dl_find_object of glibc 2.35. Unused sections go: libstdc++'s random_device wants arc4random of 2.36.
function(ngb_device_binary target)
  target_compile_options(${target} PRIVATE ${NGB_WARNINGS})
  if(NOT NGB_SANITIZE)
    target_link_options(${target} PRIVATE -static-libstdc++ -Wl,--exclude-libs,ALL -Wl,--gc-sections)
  endif()
endfunction()
