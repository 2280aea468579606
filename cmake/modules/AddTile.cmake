# The few functions through which every target of the project is made.
include_guard(GLOBAL)
include(${CMAKE_CURRENT_LIST_DIR}/Sanitize.cmake)

# add_tile_tablegen(<target> <file.td> <flags> <output> [<flags> <output>]...)
# Runs mlir-tblgen over one td file, once per (flags, output) pair; for -gen-op-bytecode, tile-tblgen.
set(TILE_TABLEGEN_EXE tile-tblgen)
set(TILE_TABLEGEN_TARGET tile-tblgen)
function(add_tile_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(pairs ${ARGN})
  while(pairs)
    list(POP_FRONT pairs flags output)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    if(flags STREQUAL "-gen-op-bytecode")
      tablegen(TILE ${output} ${flags})
    else()
      mlir_tablegen(${output} ${flags})
    endif()
  endwhile()
  add_public_tablegen_target(${target})
  set_property(GLOBAL APPEND PROPERTY TILE_TABLEGEN_TARGETS ${target})
endfunction()

# add_tile_library(<name> <sources>... [DEPENDS <tablegen targets>...] [LINK_LIBS <libs>...])
# A static C++ library over libMLIR.so. Naming a static MLIR component would embed a second copy of MLIR, so it is refused.
function(add_tile_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS" ${ARGN})
  foreach(lib IN LISTS ARG_LINK_LIBS)
    if(lib MATCHES "^(MLIR|LLVM).+")
      message(FATAL_ERROR "${name} links '${lib}': link 'MLIR' (libMLIR.so) instead of a static component")
    endif()
  endforeach()
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS} MLIR LLVM)
  tile_compile_options(${name})
  tile_precompile_headers(${name})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY TILE_LIBRARIES ${name})
  tile_install_library(${name})
endfunction()

# tile_collect_models(<library> <function>)
# Makes <library>Models.inc for the library: TILE_MODELS(<family>) for each function of its files that the regex <function> names.
# So a file with the models of new ops needs no entry in any list.
function(tile_collect_models name function)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${name}Models.inc)
  set(script ${PROJECT_SOURCE_DIR}/cmake/modules/CollectModels.cmake)
  add_custom_command(OUTPUT ${list}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${CMAKE_CURRENT_SOURCE_DIR} -DFUNCTION=${function} -DOUTPUT=${list} -P ${script}
    DEPENDS ${sources} ${script} VERBATIM COMMENT "Collecting the models of ${name}...")
  target_sources(${name} PRIVATE ${list})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

# add_tile_target(<name> <sources>... [LINK_LIBS <libs>...])
# The library TileTarget<name> of a target, whose function register<name>Target registers its back ends.
function(add_tile_target name)
  add_tile_library(TileTarget${name} ${ARGN})
  target_link_libraries(TileTarget${name} PUBLIC TileDriver TileTarget TileIR)
endfunction()

# A C++ library for find_package(Tile COMPONENTS MLIR).
function(tile_install_library name)
  target_include_directories(${name} PUBLIC $<INSTALL_INTERFACE:include>)
  install(TARGETS ${name} EXPORT TileTargets ARCHIVE DESTINATION lib)
endfunction()

# add_tile_tool(<name> <sources>... [LINK_LIBS <libs>...])
function(add_tile_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} MLIR LLVM)
  tile_compile_options(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  install(TARGETS ${name} RUNTIME DESTINATION bin COMPONENT tools)
  set_property(GLOBAL APPEND PROPERTY TILE_TOOLS ${name})
endfunction()

# add_tile_unittest(<name> <sources>... [LINK_LIBS <libs>...])
# A GoogleTest program that check-tile runs. Without GoogleTest it is left out.
function(add_tile_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  find_package(GTest QUIET)
  if(NOT TARGET GTest::gtest_main)
    message(STATUS "${name} is left out: GoogleTest not found (Debian: apt install libgtest-dev)")
    return()
  endif()
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} GTest::gtest_main)
  tile_compile_options(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/unittests)
  set_property(GLOBAL APPEND PROPERTY TILE_UNIT_TESTS ${name})
endfunction()

# Flags of our own code. MLIR is built without exceptions, so its subclasses are too.
function(tile_compile_options name)
  target_compile_options(${name} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>
    -Wall -Wextra $<$<BOOL:${TILE_WERROR}>:-Werror>)
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "EXECUTABLE" AND TILE_SANITIZE)
    target_link_libraries(${name} PRIVATE TileSanitizerOptions)
  endif()
endfunction()

# Most of what a compiler does for one of our files is to read MLIR's headers. Clang reads them once for all libraries:
# TileToSIMT/Copy.cpp takes 5 s and not 14. With GCC it would take 10 s and not 20, and the precompiled header 900 MB.
option(TILE_PRECOMPILE_HEADERS "Read MLIR's headers once for all files, where the compiler is Clang" ON)

function(tile_precompile_headers name)
  if(NOT TILE_PRECOMPILE_HEADERS OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    return()
  endif()
  if(NOT TARGET TilePrecompiled)
    set(headers ${PROJECT_SOURCE_DIR}/cmake/Precompiled.h)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/Precompiled.cpp CONTENT "")
    add_library(TilePrecompiled OBJECT ${PROJECT_BINARY_DIR}/Precompiled.cpp)
    tile_compile_options(TilePrecompiled)
    target_precompile_headers(TilePrecompiled PRIVATE ${headers})
  endif()
  target_precompile_headers(${name} REUSE_FROM TilePrecompiled)
endfunction()
