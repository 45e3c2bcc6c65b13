# The suites that tools/test-memory runs, the target that builds them, and the file that lists their programs.
set(ccgraph_memory_suites "^(unit_.*|golden|diagnostics|fuzz)$")
add_custom_target(ccgraph_memory_suites)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/memory_suites.txt
  CONTENT "$<JOIN:$<GENEX_EVAL:$<TARGET_PROPERTY:ccgraph_memory_suites,PROGRAMS>>,\n>\n")

# ccgraph_add_suite(NAME FOLDER [TOOLS] links...): defines the executable ccgraph_NAME (ccgraph_NAME_suite if a library
# has that name) from FOLDER/**/*.cpp. Its GoogleTest cases are registered in ctest with the label NAME. Suites find
# data and tools by these definitions: CCGRAPH_SOURCE_DIR, CCGRAPH_TEST_DATA (tests/data) and CCGRAPH_BIN (the folder of
# the built tools).
function(ccgraph_add_suite name folder)
  cmake_parse_arguments(PARSE_ARGV 2 its TOOLS "" "")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  if(NOT sources)
    return()
  endif()
  set(target ccgraph_${name})
  if(TARGET ${target})
    set(target ${target}_suite)
  endif()
  add_executable(${target} ${sources})
  ccgraph_configure_test(${target} SUITE)
  target_link_libraries(${target} PRIVATE GTest::gtest_main ${its_UNPARSED_ARGUMENTS})
  if(its_TOOLS)
    ccgraph_call_tools(${target})
  endif()
  if(name MATCHES "${ccgraph_memory_suites}")
    add_dependencies(ccgraph_memory_suites ${target})
    set_property(TARGET ccgraph_memory_suites APPEND PROPERTY PROGRAMS $<TARGET_FILE:${target}>)
  endif()
  # NO_PRETTY_VALUES: a printed parameter would contain addresses, and a name must be the same in every run.
  gtest_discover_tests(${target} TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES
    PROPERTIES LABELS ${name} TIMEOUT 300)
endfunction()

# ccgraph_start_tests_first(): starts the tests of the calling folder before the cases of the suites. A script takes
# seconds to minutes and a case milliseconds, so no core then waits at the end for a long test that started last.
function(ccgraph_start_tests_first)
  get_property(tests DIRECTORY PROPERTY TESTS)
  set_tests_properties(${tests} PROPERTIES COST 10)
endfunction()

# Properties of tests that wait for deadlines and hardly compute. Only one of them runs at a time, and the first begins
# at once: tools/test starts one test more than there are cores, so the others keep the cores busy.
set(ccgraph_waiting_test RESOURCE_LOCK waiting COST 1000)

# Test programs are compiled with less optimization than the tested code, which takes a quarter less time. Programs that
# measure are compiled with full optimization.
set(ccgraph_test_options $<$<CONFIG:Release>:-O1>)

# Suites are compiled without optimization, also with sanitizers: code generation is most of their compile time, and
# their run time is almost all in the libraries. A precompiled header needs the same option, because GCC does not use an
# optimized one for an unoptimized source.
set(ccgraph_suite_options -O0)

# ccgraph_configure_test(TARGET [SUITE | MEASURES]): sets the properties that suites, test programs and benchmarks
# share.
function(ccgraph_configure_test target)
  if(ARGN STREQUAL MEASURES)
    ccgraph_configure_target(${target})
  else()
    ccgraph_configure_target(${target} ${ARGN})
    set(options ${ccgraph_test_options})
    if(ARGN STREQUAL SUITE)
      set(options ${ccgraph_suite_options})
    endif()
    target_compile_options(${target} PRIVATE ${options})
  endif()
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${target} PRIVATE
    CCGRAPH_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    CCGRAPH_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data"
    CCGRAPH_BIN="${PROJECT_BINARY_DIR}/bin")
  target_link_libraries(${target} PRIVATE ccgraph_support)
endfunction()

# ccgraph_call_tools(TARGET): the test calls the drivers, or the built tools. Other tests build without both: the suites
# of the thread sanitizer need 78 of 855 objects less, which are among the largest.
function(ccgraph_call_tools target)
  get_property(tools GLOBAL PROPERTY ccgraph_tools)
  if(tools)
    add_dependencies(${target} ${tools})
  endif()
  target_link_libraries(${target} PRIVATE ccgraph_tool_cases)
endfunction()
