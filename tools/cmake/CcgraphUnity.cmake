# Compiles several sources as one (CCGRAPH_UNITY): templates and headers are then compiled once a batch rather than once
# a source, which halves the time of a whole build. unity_batches.py chooses the sources of each batch. It joins only
# sources whose meaning stays the same.
#
# The option is off by default, so that a build after an edit compiles only the edited source. tools/quickstart and
# tools/test switch it on. Programs of such a build execute about 5 % more instructions (callgrind, ccgraph-opt -O2 on
# llama3-8b-fsdp64-joint: 737 instead of 698 million), because GCC inlines a template that one function of a file calls,
# and does not inline it if several functions call it. Builds for measurements leave the option off. CMake chooses the
# batches when it runs. If an edit adds a name that another source of the batch has, the compiler reports a
# redefinition, and `cmake BUILD` chooses the batches again.
set(CCGRAPH_UNITY_BYTES 80000 CACHE STRING "With CCGRAPH_UNITY: how many bytes of code are compiled as one file")

# ccgraph_join_sources(): sets the batches of all targets that were passed to ccgraph_configure_target. Call it last,
# since the targets then have all their sources.
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
  execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/cmake/unity_batches.py
    ${CCGRAPH_UNITY_BYTES}
    INPUT_FILE ${list} OUTPUT_VARIABLE batches COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" batches "${batches}")
  foreach(line IN LISTS batches)
    if(line MATCHES "^([^ ]+) ([0-9]+) (.+)$")
      set_source_files_properties(${CMAKE_MATCH_3} TARGET_DIRECTORY ${CMAKE_MATCH_1}
        PROPERTIES UNITY_GROUP ${CMAKE_MATCH_1}_${CMAKE_MATCH_2})
      list(APPEND joined_${CMAKE_MATCH_1} ${CMAKE_MATCH_3})
    endif()
  endforeach()
  # CMake keeps the sources of a batch in the order of their target.
  foreach(target IN LISTS targets)
    get_target_property(sources ${target} SOURCES)
    list(REMOVE_ITEM sources ${joined_${target}})
    set_target_properties(${target} PROPERTIES SOURCES "${joined_${target}};${sources}")
  endforeach()
  set_target_properties(${targets} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # GCC treats an included source as a header, and warns there about a class with a base in an anonymous namespace.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    foreach(target IN LISTS targets)
      target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endforeach()
  endif()
endfunction()
