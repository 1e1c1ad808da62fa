# SPDX-License-Identifier: Apache-2.0
# Fails when an object of headers_alone is not there: the headers were not compiled, or not all.
set(found 0)
foreach(object ${OBJECTS})
  if(EXISTS ${object})
    math(EXPR found "${found} + 1")
  endif()
endforeach()
if(NOT found EQUAL COUNT)
  message(FATAL_ERROR "${found} of ${COUNT} headers compiled alone")
endif()
message(STATUS "${found} headers compile alone")
