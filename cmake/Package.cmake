# SPDX-License-Identifier: Apache-2.0
# What an installation consists of: bin/, lib/ngraphbench/, share/ngraphbench/studies and, if scripts/devices has built
# them, the programs for devices of the other kind. scripts/package makes packages of it.
if(NOT NGB_CLIENT)
  return()
endif()
install(PROGRAMS ${NGB_BIN}/ngb ${NGB_BIN}/ngb-agent ${NGB_BIN}/ngb-worker DESTINATION bin)
install(DIRECTORY ${NGB_LIB} DESTINATION lib USE_SOURCE_PERMISSIONS PATTERN __pycache__ EXCLUDE)
set(devices lib/ngraphbench-devices/aarch64)
install(DIRECTORY ${CMAKE_BINARY_DIR}/${devices}/bin DESTINATION ${devices} USE_SOURCE_PERMISSIONS OPTIONAL)
install(DIRECTORY ${CMAKE_BINARY_DIR}/${devices}/lib/ngraphbench DESTINATION ${devices}/lib USE_SOURCE_PERMISSIONS OPTIONAL
        PATTERN __pycache__ EXCLUDE)
install(DIRECTORY studies DESTINATION share/ngraphbench)
install(FILES LICENSE DESTINATION share/doc/ngraphbench)
