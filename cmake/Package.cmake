# SPDX-License-Identifier: Apache-2.0
# What an installation consists of: bin/, lib/ngraphbench/, share/ngraphbench/studies and, if scripts/devices or
# scripts/wheel-builds has built them, the programs for devices of the other kind. scripts/package makes packages of it.
if(NOT NGB_CLIENT)
  return()
endif()
install(PROGRAMS ${NGB_BIN}/ngb ${NGB_BIN}/ngb-agent ${NGB_BIN}/ngb-worker DESTINATION bin)
install(DIRECTORY ${NGB_LIB} DESTINATION lib USE_SOURCE_PERMISSIONS PATTERN __pycache__ EXCLUDE)
foreach(machine aarch64 x86_64)
  set(devices lib/ngraphbench-devices/${machine})
  install(PROGRAMS ${CMAKE_BINARY_DIR}/${devices}/bin/ngb-agent ${CMAKE_BINARY_DIR}/${devices}/bin/ngb-worker
          DESTINATION ${devices}/bin OPTIONAL)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/${devices}/lib/ngraphbench DESTINATION ${devices}/lib USE_SOURCE_PERMISSIONS OPTIONAL
          PATTERN __pycache__ EXCLUDE)
endforeach()
install(DIRECTORY studies DESTINATION share/ngraphbench PATTERN results EXCLUDE)
install(FILES LICENSE DESTINATION share/doc/ngraphbench)
