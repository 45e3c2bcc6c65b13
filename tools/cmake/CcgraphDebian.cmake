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
# Sorts before a package of Debian itself.
set(CPACK_DEBIAN_PACKAGE_RELEASE 0upstream1)
# Each package has its own summary.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_COMPONENTS_ALL tools c dev)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/tools/packaging/debian/finish.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/tools/packaging/debian/package.cmake)

# ccgraph_describe_package(COMPONENT NAME SECTION SUMMARY TEXT DEPENDS): describes the package of a component.
function(ccgraph_describe_package component name section summary text depends)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${about}\n.\n${text}" PARENT_SCOPE)
endfunction()

set(exact "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(about "It reads the graph dump that PyTorch writes, starts collectives as\nearly and waits for them as late as the \
program allows, and proves that\nthe result is the same program.")
ccgraph_describe_package(tools ccgraph devel "overlap the communication of a training step with computation"
  "This package has the tools." python3)
ccgraph_describe_package(c libccgraph-c1 libs "compiler passes for collective communication - C library"
  "This package has the shared library of the C API." "")
ccgraph_describe_package(dev libccgraph-dev libdevel "compiler passes for collective communication - development files"
  "This package has archives, headers and the CMake package."
  "libccgraph-c1 ${exact}, llvm-${LLVM_VERSION_MAJOR}-dev, libsimdjson-dev, zlib1g-dev, libminizip-dev")
# CPack itself would call ldconfig in scripts, which the policy no longer accepts.
file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
file(WRITE ${PROJECT_BINARY_DIR}/debian/shlibs "libccgraph_c 1 libccgraph-c1 (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_C_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/triggers ${PROJECT_BINARY_DIR}/debian/shlibs)
if(TARGET ccgraph_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  ccgraph_describe_package(mpi ccgraph-mpi libs "run plans of ccgraph on the processes of MPI"
    "This package has the module of the engine that runs plans on processes\nand hosts by MPI."
    "ccgraph ${exact}, openmpi-bin")
endif()
include(CPack)
