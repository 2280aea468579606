# cmake -DFOLDER=<folder> -DFUNCTION=<regex> -DOUTPUT=<file> -P CollectModels.cmake
# Writes TILE_MODELS(<family>) for each function that a file of the folder defines and whose name the regex matches; its group is
# the family. An unchanged list is left alone, and with it what includes it.
file(GLOB sources ${FOLDER}/*.cpp)
set(list)
foreach(source IN LISTS sources)
  file(STRINGS ${source} definitions REGEX "^void [a-z:]*${FUNCTION}\\(")
  foreach(definition IN LISTS definitions)
    string(REGEX REPLACE "^void [a-z:]*${FUNCTION}\\(.*" "TILE_MODELS(\\1)\n" line "${definition}")
    string(APPEND list "${line}")
  endforeach()
endforeach()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "${list}#undef TILE_MODELS\n" @ONLY)
