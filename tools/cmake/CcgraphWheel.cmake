# Builds a wheel from an existing library: CCGRAPH_PREBUILT_LIBRARY is its path, and nothing is compiled.
if(NOT EXISTS ${CCGRAPH_PREBUILT_LIBRARY})
  message(FATAL_ERROR "CCGRAPH_PREBUILT_LIBRARY: there is no ${CCGRAPH_PREBUILT_LIBRARY}: "
    "build the target ccgraph_c, or leave the variable away, and the wheel builds the library")
endif()
# The path may be a link, and a wheel cannot contain links.
file(REAL_PATH ${CCGRAPH_PREBUILT_LIBRARY} library)
add_custom_target(ccgraph_c)
install(PROGRAMS ${library} DESTINATION ccgraph RENAME libccgraph_c.so COMPONENT python)
