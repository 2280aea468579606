# -DTILE_SANITIZE=address,undefined or =thread builds all of our own code with these sanitizers. LLVM is as it is installed.
include_guard(GLOBAL)

set(TILE_SANITIZE "" CACHE STRING "Sanitizers of the whole build, as -fsanitize takes them")

if(TILE_SANITIZE)
  if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang" OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "TILE_SANITIZE needs clang for C and C++, as the presets 'asan' and 'tsan' have it")
  endif()
  # What vptr and function check are the types of libMLIR.so, too, whose type infos are its own.
  set(TILE_SANITIZE_FLAGS -fsanitize=${TILE_SANITIZE} -fno-sanitize=vptr,function -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_compile_options(${TILE_SANITIZE_FLAGS})
  add_link_options(${TILE_SANITIZE_FLAGS})
  add_library(TileSanitizerOptions OBJECT ${CMAKE_CURRENT_LIST_DIR}/../SanitizerOptions.c)
  # A shared library finds what it needs of the sanitizer in the program.
  set(TILE_NO_UNDEFINED "")
else()
  set(TILE_NO_UNDEFINED "LINKER:-z,defs")
endif()
