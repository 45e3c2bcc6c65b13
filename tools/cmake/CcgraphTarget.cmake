# How the targets of this project are made: flags, precompiled headers, sources by glob.
#
# Sources are globbed, so that a new file needs no edit of a CMakeLists.txt: a new pass is its own
# file, its line in the registry and its golden. CONFIGURE_DEPENDS makes the build notice files that
# come and go.

# Designated initialisers name what differs from the default, so the fields that they leave out are no mistake.
set(ccgraph_warnings
  -Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Woverloaded-virtual -Wno-missing-field-initializers
  -Werror=return-type -Werror=switch -Werror=unused-result)

# GCC 12 sees bounds broken in std::string and empty optionals read where none are (GCC bugs 105329, 105651 and
# 80635, mended later).
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

# ccgraph_add_common_headers(NAME FLAG headers...): the target NAME, precompiled headers for whoever compiles with FLAG, -fPIC or
# -fPIE: a compiler takes them only with the same one. Shared by many targets, because each set takes 100 MB and seconds to make.
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

# ccgraph_use_common_headers(TARGET [SUITE]): those that fit the target, made when first asked for. SUITE: a program of GoogleTest's.
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
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()

# Flags of every target that compiles. -ffp-contract=off, because numbers must not depend on whether
# the machine has fused multiply-add. Position-independent, because the archives end in users' shared libraries and
# Python modules; -fno-semantic-interposition, because without it GCC would inline no function that is exported.
function(ccgraph_set_flags target)
  target_compile_options(${target} PRIVATE
    ${ccgraph_warnings} -ffp-contract=off -fno-semantic-interposition $<$<BOOL:${CCGRAPH_WERROR}>:-Werror>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    # Because a compiler cache can only reuse what was preprocessed with the header's name in it.
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
endfunction()

# ccgraph_configure_target(TARGET [SUITE]): the same, and the headers that most sources begin with.
function(ccgraph_configure_target target)
  ccgraph_set_flags(${target})
  ccgraph_use_common_headers(${target} ${ARGN})
  set_property(GLOBAL APPEND PROPERTY ccgraph_unity_targets ${target})
endfunction()

# ccgraph_add_library(FOLDER links...): libccgraph_FOLDER from lib/**/*.cpp, with the public headers of
# include/ and the private ones of lib/. Only include/ reaches whoever links it. An archive, or with
# BUILD_SHARED_LIBS a shared library.
function(ccgraph_add_library folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS lib/*.cpp)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS include/*.h)
  ccgraph_define_library(${folder} "${sources}" "${headers}" ${ARGN})
endfunction()

# ccgraph_define_library(NAME SOURCES HEADERS links...): the same from the sources and public headers of two lists.
function(ccgraph_define_library folder sources headers)
  set(target ccgraph_${folder})
  add_library(${target} ${sources})
  ccgraph_configure_target(${target})
  # No symbol for exports, because the objects are then those of the archive, and a compiler cache knows them.
  set_target_properties(${target} PROPERTIES DEFINE_SYMBOL "" VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} INSTALL_RPATH $ORIGIN)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/lib)
  target_link_libraries(${target} ${ARGN})
  add_library(ccgraph::${folder} ALIAS ${target})
  target_compile_features(${target} PUBLIC cxx_std_20)
  list(TRANSFORM headers REPLACE "^(.*/include)/.*" "\\1" OUTPUT_VARIABLE roots)
  list(REMOVE_DUPLICATES roots)
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${roots} FILES ${headers})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${folder} VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()

# ccgraph_add_driver(FOLDER links...): libccgraph_FOLDER from FOLDER/**/*.cpp; headers lie beside their
# sources and are included as "FOLDER/name.h". Not installed.
function(ccgraph_add_driver folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  if(sources)
    ccgraph_define_driver(${folder} "${sources}" ${ARGN})
  endif()
endfunction()

# ccgraph_define_driver(NAME SOURCES links...): the same from the sources of a list.
function(ccgraph_define_driver name sources)
  set(target ccgraph_${name})
  add_library(${target} STATIC ${sources})
  ccgraph_configure_target(${target})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${target} ${ARGN})
endfunction()

# ccgraph_add_tool(NAME [INTERNAL]): the executable ccgraph-NAME, in <build>/bin, from NAME/*.cpp. An
# internal one serves this tree and is not installed.
function(ccgraph_add_tool name)
  file(GLOB sources CONFIGURE_DEPENDS ${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  set(target ccgraph-${name})
  add_executable(${target} ${sources})
  ccgraph_configure_target(${target})
  target_link_libraries(${target} PRIVATE ccgraph_driver)
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin
    INSTALL_RPATH $ORIGIN/../${CMAKE_INSTALL_LIBDIR})
  if(NOT ARGN STREQUAL "INTERNAL")
    set_property(GLOBAL APPEND PROPERTY ccgraph_tools ${target})
  endif()
endfunction()
