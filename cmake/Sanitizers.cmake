# SPDX-License-Identifier: Apache-2.0
set(NGB_SANITIZE "" CACHE STRING "Sanitizers for everything of ours: address,undefined or thread")
if(NGB_SANITIZE)
  add_compile_options(-fsanitize=${NGB_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${NGB_SANITIZE})
endif()
