# SPDX-License-Identifier: Apache-2.0
# cmake -D sources=… -D version=… -D template=… -D output=… -P revision.cmake: writes the output, if it would be another
# one, with the git commit of the sources and whether they differ from it. Sources that are no checkout of their own (an
# archive, even within another repository) have no commit.
set(commit "")
set(is_changed "std::nullopt")
find_program(git git)
if(git)
  execute_process(COMMAND ${git} -C ${sources} rev-parse --show-cdup HEAD OUTPUT_VARIABLE told RESULT_VARIABLE failed
                  ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  # The way up to the checkout's folder is empty, then comes the commit.
  if(NOT failed AND told MATCHES "^\n([0-9a-f]+)$")
    set(commit ${CMAKE_MATCH_1})
    execute_process(COMMAND ${git} -C ${sources} --no-optional-locks status --porcelain --untracked-files=no
                    OUTPUT_VARIABLE changes RESULT_VARIABLE failed ERROR_QUIET)
    if(NOT failed AND changes STREQUAL "")
      set(is_changed "false")
    elseif(NOT failed)
      set(is_changed "true")
    endif()
  endif()
endif()
configure_file(${template} ${output} @ONLY)
