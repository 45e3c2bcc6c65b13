# Installs the libraries, their headers and the tools for `cmake --install` and find_package(ccgraph).
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ccgraph)
get_property(tools GLOBAL PROPERTY ccgraph_tools)

install(TARGETS ccgraph_llvm ccgraph_ir ccgraph_frontend ccgraph_tracer ccgraph_legality ccgraph_jobs ccgraph_passes
  ccgraph_runtime ccgraph_toolkit
  EXPORT ccgraph FILE_SET HEADERS)
if(tools)
  install(TARGETS ${tools})
  install(PROGRAMS ${PROJECT_SOURCE_DIR}/tools/fit-machine TYPE BIN RENAME ccgraph-fit-machine)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/completion/
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions PATTERN zsh EXCLUDE)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/completion/zsh/
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()
# The C header is not part of the exported package: a user of the C library needs this header and nothing of C++.
install(TARGETS ccgraph_c FILE_SET HEADERS)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
file(GLOB schemas CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.schema.json)
install(FILES ${schemas} DESTINATION ${CMAKE_INSTALL_DATADIR}/ccgraph)
install(EXPORT ccgraph NAMESPACE ccgraph:: FILE ccgraphTargets.cmake DESTINATION ${package_dir})

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/ccgraphConfig.cmake.in ${PROJECT_BINARY_DIR}/ccgraphConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/ccgraphConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES ${PROJECT_BINARY_DIR}/ccgraphConfig.cmake ${PROJECT_BINARY_DIR}/ccgraphConfigVersion.cmake
  DESTINATION ${package_dir})
