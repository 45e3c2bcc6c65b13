# A wheel around a library that is built already: CCGRAPH_PREBUILT_LIBRARY names it, and nothing is compiled.
if(NOT EXISTS ${CCGRAPH_PREBUILT_LIBRARY})
  message(FATAL_ERROR "CCGRAPH_PREBUILT_LIBRARY: there is no ${CCGRAPH_PREBUILT_LIBRARY}: "
    "build the target ccgraph_c, or leave the variable away, and the wheel builds the library")
endif()
# Because the name of the library may be a link, of which a wheel holds none.
file(REAL_PATH ${CCGRAPH_PREBUILT_LIBRARY} library)
add_custom_target(ccgraph_c)
install(PROGRAMS ${library} DESTINATION ccgraph RENAME libccgraph_c.so COMPONENT python)
