# Finds MLIR 22.1 and says in one error what to install when it is missing or of another version.
set(TILE_MLIR_VERSION 22.1)

find_package(MLIR QUIET CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)

if(NOT MLIR_FOUND)
  set(_tile_found "none found")
elseif(NOT LLVM_PACKAGE_VERSION VERSION_GREATER_EQUAL ${TILE_MLIR_VERSION}
       OR NOT LLVM_VERSION_MAJOR EQUAL 22)
  set(_tile_found "found ${LLVM_PACKAGE_VERSION} at ${LLVM_INSTALL_PREFIX}")
endif()

if(DEFINED _tile_found)
  message(FATAL_ERROR
    "tile needs MLIR ${TILE_MLIR_VERSION} (${_tile_found}).\n"
    "  Debian:    make deps   (installs llvm-22-dev libmlir-22-dev mlir-22-tools llvm-22-tools)\n"
    "  elsewhere: cmake -DMLIR_DIR=<prefix>/lib/cmake/mlir")
endif()
