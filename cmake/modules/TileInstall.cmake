# What `make install` installs beside programs and libraries, and how others find it: find_package(Tile), pkg-config tile-c.
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
