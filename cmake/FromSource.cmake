# SPDX-License-Identifier: Apache-2.0
# The distribution's C++ libraries are built with libstdc++, and cannot be linked to what zig builds with libc++. These are built
# here, from the distribution's own sources of the same versions, which `scripts/setup wheel` has unpacked.
set(sources ${NGB_DEPENDENCIES}/wheel/sources)

# ngb_from_source(NAME FOLDER SOURCES …): the static library ngb::NAME, without our warnings.
function(ngb_from_source name folder)
  cmake_parse_arguments(PARSE_ARGV 2 BUILT "" "" "SOURCES")
  if(NOT BUILT_SOURCES)
    message(FATAL_ERROR "no sources of ${name} in ${folder}; run scripts/setup wheel")
  endif()
  add_library(ngb_${name} STATIC ${BUILT_SOURCES})
  target_include_directories(ngb_${name} SYSTEM PUBLIC ${folder})
  target_compile_options(ngb_${name} PRIVATE -w)
  target_link_libraries(ngb_${name} PUBLIC Threads::Threads)
  set_target_properties(ngb_${name} PROPERTIES UNITY_BUILD OFF)
  add_library(ngb::${name} ALIAS ngb_${name})
endfunction()

if(NGB_CLIENT)
  file(GLOB files ${sources}/yaml-cpp/src/*.cpp)
  ngb_from_source(yaml_cpp ${sources}/yaml-cpp/include SOURCES ${files})
endif()
