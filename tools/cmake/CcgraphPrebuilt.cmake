# Builds a wheel from an existing library and program: CCGRAPH_PREBUILT_LIBRARY and CCGRAPH_PREBUILT_PROGRAM are their
# paths, and nothing is compiled.
include(CcgraphWheel)
foreach(part "LIBRARY ccgraph_c" "PROGRAM ccgraph-entry")
  separate_arguments(part)
  list(POP_FRONT part kind target)
  set(path "${CCGRAPH_PREBUILT_${kind}}")
  if(NOT path OR NOT EXISTS ${path})
    message(FATAL_ERROR "CCGRAPH_PREBUILT_${kind}: there is no '${path}': build the target ${target}, or leave both "
      "variables away, and the wheel builds them")
  endif()
  # The path may be a link, and a wheel cannot contain links.
  file(REAL_PATH ${path} CCGRAPH_PREBUILT_${kind})
  add_custom_target(${target})
endforeach()
install(PROGRAMS ${CCGRAPH_PREBUILT_LIBRARY} DESTINATION ccgraph RENAME libccgraph_c.so COMPONENT python)
ccgraph_install_program(PROGRAMS ${CCGRAPH_PREBUILT_PROGRAM} RENAME ccgraph)
