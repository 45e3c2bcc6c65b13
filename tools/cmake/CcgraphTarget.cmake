# Defines how the targets of this project are made: flags, precompiled headers, sources by glob.
#
# Sources are globbed, so a new file needs no edit of a CMakeLists.txt: a new pass needs only its file, its line in the
# registry and its golden. With CONFIGURE_DEPENDS, the build detects added and removed files.

# Designated initializers name only the fields that differ from the default, so missing fields are intended.
set(ccgraph_warnings
  -Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Woverloaded-virtual -Wno-missing-field-initializers
  -Werror=return-type -Werror=switch -Werror=unused-result)

# GCC 12 reports false errors of bounds in std::string and of uninitialized empty optionals (GCC bugs 105329, 105651 and
# 80635, fixed in later versions).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND ccgraph_warnings -Wno-array-bounds -Wno-restrict -Wno-stringop-overread -Wno-stringop-overflow
    -Wno-maybe-uninitialized)
endif()

# Every header stays self-contained (tools/presubmit compiles each alone); this only saves time.
set(ccgraph_common_headers
  <algorithm> <cstdint> <functional> <map> <memory> <optional> <string> <string_view> <utility>
  <variant> <vector>
  <llvm/ADT/ArrayRef.h> <llvm/ADT/DenseMap.h> <llvm/ADT/STLExtras.h> <llvm/ADT/SmallVector.h>
  <llvm/ADT/StringExtras.h> <llvm/ADT/StringMap.h> <llvm/ADT/StringRef.h>
  <llvm/Support/Error.h> <llvm/Support/raw_ostream.h>)

# ccgraph_add_common_headers(NAME FLAG headers...): defines the target NAME with headers that are precompiled with FLAG,
# -fPIC or -fPIE. A compiler accepts them only for sources with the same flag. Many targets share them, because each set
# takes 100 MB and seconds to compile.
function(ccgraph_add_common_headers name flag)
  set(source ${PROJECT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${source})
  ccgraph_set_flags(${name})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE ${flag})
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_link_libraries(${name} PRIVATE ccgraph_llvm)
  target_precompile_headers(${name} PRIVATE ${ccgraph_common_headers} ${ARGN})
endfunction()

# ccgraph_use_common_headers(TARGET [SUITE]): uses the headers with the target's flag, which are defined on first use.
# SUITE marks a program of GoogleTest.
function(ccgraph_use_common_headers target)
  get_target_property(type ${target} TYPE)
  if(ARGN STREQUAL SUITE)
    set(made ccgraph_suite_headers -fPIE <gtest/gtest.h>)
  elseif(type STREQUAL EXECUTABLE)
    set(made ccgraph_program_headers -fPIE)
  else()
    set(made ccgraph_library_headers -fPIC)
  endif()
  list(GET made 0 headers)
  if(NOT TARGET ${headers})
    ccgraph_add_common_headers(${made})
    if(ARGN STREQUAL SUITE)
      target_link_libraries(${headers} PRIVATE GTest::gtest)
      target_compile_options(${headers} PRIVATE ${ccgraph_suite_options})
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()

# The flags of every compiled target. -ffp-contract=off: numbers must not depend on whether the machine has fused
# multiply-add. Position-independent code: the archives are linked into users' shared libraries and Python modules.
# -fno-semantic-interposition: without it, GCC would inline no exported function.
function(ccgraph_set_flags target)
  target_compile_options(${target} PRIVATE
    ${ccgraph_warnings} -ffp-contract=off -fno-semantic-interposition $<$<BOOL:${CCGRAPH_WERROR}>:-Werror>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # GCC collects garbage whenever its heap has grown to 128 MiB and has doubled. Without that, it compiles 5 to 12 %
    # faster, and a batch of CCGRAPH_UNITY takes up to 0.7 GiB instead of 0.6.
    target_compile_options(${target} PRIVATE --param=ggc-min-heapsize=1048576)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    # A compiler cache can reuse a result only if the preprocessed source contains the name of the header.
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
endfunction()

# ccgraph_configure_target(TARGET [SUITE]): sets the flags, and the precompiled headers that most sources include.
function(ccgraph_configure_target target)
  ccgraph_set_flags(${target})
  ccgraph_use_common_headers(${target} ${ARGN})
  set_property(GLOBAL APPEND PROPERTY ccgraph_unity_targets ${target})
endfunction()

# ccgraph_add_library(FOLDER links...): defines libccgraph_FOLDER from lib/**/*.cpp, with the public headers of include/
# and the private ones of lib/. Users of the library see only include/. The library is an archive, or with
# BUILD_SHARED_LIBS a shared library.
function(ccgraph_add_library folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS lib/*.cpp)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS include/*.h)
  ccgraph_define_library(${folder} "${sources}" "${headers}" ${ARGN})
endfunction()

# ccgraph_define_library(NAME SOURCES HEADERS links...): does the same with two lists of sources and public headers.
function(ccgraph_define_library folder sources headers)
  set(target ccgraph_${folder})
  add_library(${target} ${sources})
  ccgraph_configure_target(${target})
  # There is no symbol for exports, so the objects are equal to those of the archive, and a compiler cache can reuse
  # them.
  set_target_properties(${target} PROPERTIES DEFINE_SYMBOL "" VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} INSTALL_RPATH $ORIGIN)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/lib)
  target_link_libraries(${target} ${ARGN})
  add_library(ccgraph::${folder} ALIAS ${target})
  target_compile_features(${target} PUBLIC cxx_std_20)
  # The libraries share the headers of internal/ among themselves; users do not get them.
  list(FILTER headers EXCLUDE REGEX "/include/.*/internal/")
  list(TRANSFORM headers REPLACE "^(.*/include)/.*" "\\1" OUTPUT_VARIABLE roots)
  list(REMOVE_DUPLICATES roots)
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${roots} FILES ${headers})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${folder} VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()

# ccgraph_add_driver(FOLDER links...): defines libccgraph_FOLDER from FOLDER/**/*.cpp; headers are beside their sources
# and are included as "FOLDER/name.h". It is not installed.
function(ccgraph_add_driver folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  if(sources)
    ccgraph_define_driver(${folder} "${sources}" ${ARGN})
  endif()
endfunction()

# ccgraph_define_driver(NAME SOURCES links...): does the same with a list of sources.
function(ccgraph_define_driver name sources)
  ccgraph_define_inner_library(${name} "${sources}" ${CMAKE_CURRENT_SOURCE_DIR} ${ARGN})
endfunction()

# ccgraph_define_inner_library(NAME SOURCES ROOT links...): defines libccgraph_NAME with the include root ROOT. It is
# not installed.
function(ccgraph_define_inner_library name sources root)
  set(target ccgraph_${name})
  add_library(${target} STATIC ${sources})
  ccgraph_configure_target(${target})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC ${root})
  target_link_libraries(${target} ${ARGN})
endfunction()

# ccgraph_add_record(NAME links...): defines libccgraph_NAME, which turns results into text and JSON, from lib/*.cpp
# with the headers of include/. It is not installed.
function(ccgraph_add_record name)
  file(GLOB sources CONFIGURE_DEPENDS lib/*.cpp)
  ccgraph_define_inner_library(${name} "${sources}" ${CMAKE_CURRENT_SOURCE_DIR}/include ${ARGN}
    PRIVATE $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
  target_compile_definitions(ccgraph_${name} PRIVATE CCGRAPH_VERSION="${PROJECT_VERSION}")
endfunction()

# ccgraph_add_tool(NAME [INTERNAL]): defines the executable ccgraph-NAME, in <build>/bin, from NAME/*.cpp. An internal
# tool serves only this source tree and is not installed.
function(ccgraph_add_tool name)
  file(GLOB sources CONFIGURE_DEPENDS ${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  set(target ccgraph-${name})
  add_executable(${target} ${sources})
  ccgraph_configure_target(${target})
  target_link_libraries(${target} PRIVATE ccgraph_driver)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  if(BUILD_SHARED_LIBS)
    set_target_properties(${target} PROPERTIES INSTALL_RPATH $ORIGIN/../${CMAKE_INSTALL_LIBDIR})
  endif()
  if(NOT ARGN STREQUAL "INTERNAL")
    set_property(GLOBAL APPEND PROPERTY ccgraph_tools ${target})
  endif()
endfunction()
