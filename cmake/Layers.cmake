# tilewright_layer(NAME FOLDER DEPENDS layer...): one folder, one static library. Headers are included as `layer/File.h`; the arrow between
# layers is checked by tests/unit/LayeringTest.cpp. EXCLUDE names files of the folder that belong to a tool of the build.
function(tilewright_layer name folder)
  cmake_parse_arguments(arg "" "" "DEPENDS;SOURCES;EXCLUDE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  foreach(file ${arg_EXCLUDE})
    list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${file})
  endforeach()
  add_library(tw_${name} STATIC ${sources} ${arg_SOURCES})
  target_include_directories(tw_${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
  foreach(dependency ${arg_DEPENDS})
    if(TARGET tw_${dependency}) # a layer without a source file yet has none
      target_link_libraries(tw_${name} PUBLIC tw_${dependency})
    endif()
  endforeach()
endfunction()

# tw_tablegen(target td name flag [name flag ...]): mlir-tblgen outputs, included as `name`.
function(tw_tablegen target td)
  get_filename_component(folder ${td} DIRECTORY)
  set(pairs ${ARGN})
  while(pairs)
    list(POP_FRONT pairs name flag)
    set(out ${CMAKE_CURRENT_BINARY_DIR}/gen/${name})
    separate_arguments(flags UNIX_COMMAND "${flag}")
    add_custom_command(OUTPUT ${out}
      COMMAND ${TW_MLIR_TBLGEN} ${flags} -I ${CMAKE_CURRENT_SOURCE_DIR}/${folder} -I ${TW_LLVM}/include
              ${CMAKE_CURRENT_SOURCE_DIR}/${td} -o ${out} --write-if-changed -d ${out}.d
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${td} DEPFILE ${out}.d VERBATIM)
    list(APPEND outs ${out})
  endwhile()
  string(MAKE_C_IDENTIFIER ${td} id)
  add_custom_target(${target}_${id}_tablegen DEPENDS ${outs})
  add_dependencies(${target} ${target}_${id}_tablegen)
  target_include_directories(${target} SYSTEM PUBLIC ${CMAKE_CURRENT_BINARY_DIR}/gen)
endfunction()
