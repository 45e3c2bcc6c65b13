# Defines ccgraph_llvm: LLVM's ADT and Support, 14 or newer, from the static archive, since loading libLLVM.so costs
# more than a whole run of the tools. With BUILD_SHARED_LIBS, libLLVM.so is used, since each shared library would
# otherwise hold a copy of the archive's globals. Set LLVM_DIR to choose a version.
if(NOT LLVM_DIR)
  foreach(version 14.0 15.0 16.0 17.0 18.1 19.1 20.1 21.1)
    string(REGEX REPLACE "[.].*" "" major ${version})
    find_package(LLVM ${version} QUIET CONFIG HINTS /usr/lib/llvm-${major})
    if(LLVM_FOUND)
      break()
    endif()
  endforeach()
endif()
find_package(LLVM REQUIRED CONFIG)
if(LLVM_VERSION VERSION_LESS 14)
  message(FATAL_ERROR "LLVM ${LLVM_VERSION} at ${LLVM_DIR} is older than 14: "
    "install llvm-14-dev, or set LLVM_DIR to a newer one")
endif()
message(STATUS "LLVM ${LLVM_VERSION}: ${LLVM_DIR}")

add_library(ccgraph_llvm INTERFACE)
set_target_properties(ccgraph_llvm PROPERTIES EXPORT_NAME llvm)
if(BUILD_SHARED_LIBS AND NOT TARGET LLVM)
  message(FATAL_ERROR "BUILD_SHARED_LIBS needs libLLVM.so, which LLVM ${LLVM_VERSION} at ${LLVM_DIR} lacks: "
    "leave it off, or set LLVM_DIR to another LLVM")
endif()
target_link_libraries(ccgraph_llvm INTERFACE $<IF:$<BOOL:${BUILD_SHARED_LIBS}>,LLVM,LLVMSupport>)
# The path of LLVM differs between machines, so an installed ccgraph searches for it again.
target_include_directories(ccgraph_llvm SYSTEM INTERFACE $<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS}>)
