# Debian packages of three parts, and an archive that runs from any folder: `make package`.

# Pages for man, from what the tools say about themselves. Only packages need them, and help2man.
find_program(TILE_HELP2MAN help2man)
if(TILE_HELP2MAN)
  get_property(tools GLOBAL PROPERTY TILE_TOOLS)
  add_custom_target(tile-man)
  foreach(tool IN LISTS tools)
    set(page ${PROJECT_BINARY_DIR}/man/${tool}.1)
    add_custom_command(OUTPUT ${page}.gz
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/man
      COMMAND ${TILE_HELP2MAN} --no-info --no-discard-stderr --name=${PROJECT_DESCRIPTION} --output=${page}
              $<TARGET_FILE:${tool}>
      COMMAND gzip -9nf ${page}
      DEPENDS ${tool} VERBATIM COMMENT "Writing the page of ${tool}")
    add_custom_target(tile-man-${tool} DEPENDS ${page}.gz)
    add_dependencies(tile-man tile-man-${tool})
  endforeach()
  install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION share/man/man1 COMPONENT tools OPTIONAL
    FILES_MATCHING PATTERN "*.1.gz")
endif()

install(DIRECTORY examples/ DESTINATION share/doc/tile-tools/examples COMPONENT tools)

# The names of the packages by component.
set(TILE_PACKAGE_RUNTIME libtile0)
set(TILE_PACKAGE_TOOLS tile-tools)
set(TILE_PACKAGE_DEVELOPMENT libtile-dev)

string(TIMESTAMP TILE_PACKAGE_DATE "%a, %d %b %Y 00:00:00 +0000" UTC)
foreach(part RUNTIME TOOLS DEVELOPMENT)
  string(TOLOWER ${part} component)
  set(package ${TILE_PACKAGE_${part}})
  set(folder ${PROJECT_BINARY_DIR}/packages/${package})
  configure_file(cmake/packages/copyright ${folder}/copyright COPYONLY)
  configure_file(cmake/packages/changelog.in ${folder}/changelog @ONLY)
  add_custom_command(OUTPUT ${folder}/changelog.gz COMMAND gzip -9nkf ${folder}/changelog
    DEPENDS ${folder}/changelog VERBATIM COMMENT "")
  configure_file(cmake/packages/lintian-overrides.in ${folder}/lintian-overrides @ONLY)
  install(FILES ${folder}/lintian-overrides DESTINATION share/lintian/overrides RENAME ${package}
    COMPONENT ${component})
  list(APPEND changelogs ${folder}/changelog.gz)
  install(FILES ${folder}/copyright ${folder}/changelog.gz DESTINATION share/doc/${package} COMPONENT ${component})
  set(CPACK_DEBIAN_${part}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${part}_FILE_NAME DEB-DEFAULT)
endforeach()
add_custom_target(tile-changelogs ALL DEPENDS ${changelogs})
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tile)
set(CPACK_PACKAGE_CONTACT "The tile maintainers <maintainers@tile.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "MLIR dialect and compiler for tile-level kernels")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime tools development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/packages/triggers)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib ${LLVM_LIBRARY_DIR})
set(own "libtile0 (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS ${own})
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "g++")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${own}, tile-tools (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "libmlir-${LLVM_VERSION_MAJOR}-dev")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
  "Tile kernels: libraries\nThe runtime, which loads and launches kernels, and the C API of the compiler.")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION
  "Tile kernels: tools\ntile-opt, tile-translate, tile-run and others, examples,\nand the model of Ascend NPUs.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "Tile kernels: files for development\nHeaders, static libraries, and files for CMake and pkg-config.")
# The archive is one.
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
set(CPACK_PACKAGE_FILE_NAME tile-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_ARCHIVE_THREADS 2)
include(CPack)
