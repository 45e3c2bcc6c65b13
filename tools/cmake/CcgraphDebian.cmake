# Debian packages by CPack, from the components of the install rules: `cpack --config build/release/CPackConfig.cmake`.
#
#   ccgraph         the tools, manual pages, completion, schemas
#   libccgraph-c1   the shared library of the C API
#   libccgraph-dev  archives, headers and the CMake package, and the C header
#   ccgraph-mpi     the module of the mpi engine, if it is built
#
# The libraries that a package needs are found by dpkg-shlibdeps. tools/packaging/debian/finish.cmake adds what Debian's
# policy requires and other installations do not have.
set(CCGRAPH_MAINTAINER "ccgraph maintainers <maintainers@ccgraph.invalid>" CACHE STRING
  "Name and address of who builds the Debian packages")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ccgraph)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${CCGRAPH_MAINTAINER})
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_COMPONENTS_ALL tools c dev)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/tools/packaging/debian/finish.cmake)

# ccgraph_add_package(COMPONENT NAME SECTION SUMMARY TEXT DEPENDS): describes the package of a component.
function(ccgraph_describe_package component name section summary text depends)
  string(TOUPPER ${component} upper)
  foreach(pair "PACKAGE_NAME ${name}" "PACKAGE_SECTION ${section}" "PACKAGE_DEPENDS ${depends}")
    string(FIND "${pair}" " " blank)
    string(SUBSTRING "${pair}" 0 ${blank} key)
    math(EXPR blank "${blank} + 1")
    string(SUBSTRING "${pair}" ${blank} -1 value)
    set(CPACK_DEBIAN_${upper}_${key} "${value}" PARENT_SCOPE)
  endforeach()
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
endfunction()

set(exact "(= ${PROJECT_VERSION}-1)")
set(about "It reads the graph dump that PyTorch writes, starts collectives as early and waits for them as late as the \
program allows, and proves that the result is the same program.")
ccgraph_describe_package(tools ccgraph devel "overlap the communication of a training step with its computation"
  "${about}\n.\nThis package has the tools." python3)
ccgraph_describe_package(c libccgraph-c1 libs "compiler passes for collective communication - C library"
  "${about}\n.\nThis package has the shared library of the C API." "")
ccgraph_describe_package(dev libccgraph-dev libdevel "compiler passes for collective communication - development files"
  "${about}\n.\nThis package has archives, headers and the CMake package."
  "libccgraph-c1 ${exact}, llvm-${LLVM_VERSION_MAJOR}-dev, libsimdjson-dev, zlib1g-dev, libminizip-dev")
if(TARGET ccgraph_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  ccgraph_describe_package(mpi ccgraph-mpi libs "run plans of ccgraph on the processes of MPI"
    "${about}\n.\nThis package has the module of the engine that runs plans on processes and hosts by MPI."
    "ccgraph ${exact}, openmpi-bin")
endif()
include(CPack)
