# With CCGRAPH_PORTABLE, the program `ccgraph` and the library of the C API need only glibc, 2.28 or newer: for wheels.
# All other libraries are linked from archives, and tools/packaging/glibc_2_28.cpp has the functions whose only version
# is newer. The archive of simdjson is not in Debian; tools/packaging/wheel builds it.
option(CCGRAPH_PORTABLE "Link a program and a C library that need only glibc 2.28 or newer, for wheels" OFF)
if(CCGRAPH_PORTABLE)
  if(NOT CMAKE_SYSTEM_NAME STREQUAL Linux OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
    message(FATAL_ERROR "CCGRAPH_PORTABLE: got ${CMAKE_SYSTEM_NAME} on ${CMAKE_SYSTEM_PROCESSOR}, expected Linux on "
      "x86_64, whose versions of symbols tools/packaging/glibc_2_28.cpp has")
  endif()
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
endif()

# ccgraph_make_portable(TARGET): links the target so.
function(ccgraph_make_portable target)
  set(sources glibc_2_28.cpp terminal.cpp)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    list(APPEND sources glibc_2_28_start.cpp)
  endif()
  list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/tools/packaging/)
  target_sources(${target} PRIVATE ${sources})
  set_property(SOURCE ${sources} TARGET_DIRECTORY ${target} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
  target_link_options(${target} PRIVATE -static-libstdc++ LINKER:--gc-sections LINKER:--strip-all
    LINKER:--push-state LINKER:--no-as-needed -l:libpthread.so.0 -l:libdl.so.2 LINKER:--pop-state)
endfunction()
