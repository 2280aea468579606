# What `make install` installs beside programs and libraries, and how others find it: find_package(Tile), pkg-config tile-c,
# and a Debian package by `cpack -G DEB`.
include(CMakePackageConfigHelpers)

install(DIRECTORY include/Tile include/Tile-c ${PROJECT_BINARY_DIR}/include/Tile ${PROJECT_BINARY_DIR}/include/Tile-c
  DESTINATION include
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc" PATTERN "CMakeFiles" EXCLUDE)

# C users need no MLIR, so their targets are apart.
install(EXPORT TileCTargets NAMESPACE Tile:: DESTINATION lib/cmake/Tile)
install(EXPORT TileTargets DESTINATION lib/cmake/Tile)
configure_package_config_file(cmake/TileConfig.cmake.in ${PROJECT_BINARY_DIR}/TileConfig.cmake
  INSTALL_DESTINATION lib/cmake/Tile)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TileConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TileConfig.cmake ${PROJECT_BINARY_DIR}/TileConfigVersion.cmake
  DESTINATION lib/cmake/Tile)

list(GET MLIR_INCLUDE_DIRS 0 TILE_MLIR_INCLUDE_DIR)
configure_file(cmake/tile-c.pc.in ${PROJECT_BINARY_DIR}/tile-c.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tile-c.pc DESTINATION lib/pkgconfig)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tile)
set(CPACK_PACKAGE_CONTACT "The tile maintainers <tile@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DEPENDS
  "libmlir-${LLVM_VERSION_MAJOR}, libllvm${LLVM_VERSION_MAJOR}, libstdc++6, libc6")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libmlir-${LLVM_VERSION_MAJOR}-dev")
set(CPACK_STRIP_FILES ON)
include(CPack)
