# Compiles several sources as one (CCGRAPH_UNITY): templates and headers are then compiled once a batch and not once a source, which halves
# the time of a whole build. unity_batches.py chooses the sources of each batch. It joins only sources whose meaning stays the same.
#
# Off by default, so that a build after an edit compiles the edited source alone. tools/quickstart and tools/test switch it on.
# Its programs execute about 5 % more instructions (callgrind, ccgraph-opt -O2 on llama3-8b-fsdp64-joint: 737 instead of 698 million), because
# GCC inlines a template that one function of a file calls, and leaves it apart where several do. Builds that are measured leave it off.
# The batches are chosen when CMake runs: where an edit gives a source a name that another one of its batch has, the compiler reports a
# redefinition, and `cmake BUILD` chooses them again.
set(CCGRAPH_UNITY_BYTES 80000 CACHE STRING "With CCGRAPH_UNITY: how many bytes of code are compiled as one file")

# ccgraph_join_sources(): sets the batches of all targets that ccgraph_configure_target has seen. Last of all, since they have all
# their sources then.
function(ccgraph_join_sources)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  get_property(targets GLOBAL PROPERTY ccgraph_unity_targets)
  set(list ${PROJECT_BINARY_DIR}/unity_sources.txt)
  set(lines "")
  foreach(target IN LISTS targets)
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "^${PROJECT_SOURCE_DIR}/.*[.]cpp$")
    list(FILTER sources EXCLUDE REGEX "^${PROJECT_BINARY_DIR}/")
    list(TRANSFORM sources PREPEND "${target} ")
    string(APPEND lines "${sources};")
  endforeach()
  string(REPLACE ";" "\n" lines "${lines}")
  file(WRITE ${list} "${lines}")
  execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/cmake/unity_batches.py ${CCGRAPH_UNITY_BYTES}
    INPUT_FILE ${list} OUTPUT_VARIABLE batches COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" batches "${batches}")
  foreach(line IN LISTS batches)
    if(line MATCHES "^([^ ]+) ([0-9]+) (.+)$")
      set_source_files_properties(${CMAKE_MATCH_3} TARGET_DIRECTORY ${CMAKE_MATCH_1}
        PROPERTIES UNITY_GROUP ${CMAKE_MATCH_1}_${CMAKE_MATCH_2})
    endif()
  endforeach()
  set_target_properties(${targets} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # GCC takes an included source for a header, where a class would not have a base of an anonymous namespace.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    foreach(target IN LISTS targets)
      target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endforeach()
  endif()
endfunction()
