# Installs the libraries, their headers and the tools for `cmake --install` and find_package(ccgraph).
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ccgraph)
get_property(tools GLOBAL PROPERTY ccgraph_tools)

# The components are the packages of CcgraphDebian.cmake; `cmake --install` installs all of them.
install(TARGETS ccgraph_llvm ccgraph_ir ccgraph_frontend ccgraph_tracer ccgraph_legality ccgraph_jobs ccgraph_equality
  ccgraph_measured ccgraph_numerics ccgraph_placements ccgraph_passes
  ccgraph_runtime ccgraph_process_groups ccgraph_toolkit ccgraph_checks
  EXPORT ccgraph COMPONENT dev FILE_SET HEADERS COMPONENT dev)
if(tools)
  # One program serves all names (entry_driver.h), so an installation has it once, and links to it.
  install(TARGETS ccgraph-entry RUNTIME COMPONENT tools)
  foreach(tool opt run gen check)
    set(link ${PROJECT_BINARY_DIR}/links/ccgraph-${tool})
    if(NOT IS_SYMLINK ${link})
      file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/links)
      file(CREATE_LINK ccgraph ${link} SYMBOLIC)
    endif()
    install(FILES ${link} TYPE BIN COMPONENT tools)
  endforeach()
  foreach(script fit-machine)
    install(PROGRAMS ${PROJECT_SOURCE_DIR}/tools/${script} TYPE BIN RENAME ccgraph-${script} COMPONENT tools)
  endforeach()
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/completion/
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tools PATTERN zsh EXCLUDE)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/completion/zsh/
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT tools)
endif()
# The C header is not part of the exported package: a user of the C library needs this header and nothing of C++.
install(TARGETS ccgraph_c
  LIBRARY COMPONENT c NAMELINK_COMPONENT dev
  FILE_SET HEADERS COMPONENT dev)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT license)
file(GLOB schemas CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.schema.json)
install(FILES ${schemas} DESTINATION ${CMAKE_INSTALL_DATADIR}/ccgraph COMPONENT tools)
install(EXPORT ccgraph NAMESPACE ccgraph:: FILE ccgraphTargets.cmake DESTINATION ${package_dir} COMPONENT dev)

configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/ccgraphConfig.cmake.in ${PROJECT_BINARY_DIR}/ccgraphConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/ccgraphConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES ${PROJECT_BINARY_DIR}/ccgraphConfig.cmake ${PROJECT_BINARY_DIR}/ccgraphConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT dev)
include(CcgraphDebian)
