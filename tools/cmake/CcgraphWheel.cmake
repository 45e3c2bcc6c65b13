# Defines what a wheel contains besides the library of the C API: the program `ccgraph`, scripts with the names of the
# tools that start it, and licenses. One program serves all names, because each tool contains most of the others.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ccgraph/licenses COMPONENT python)
# The programs contain parts of these libraries, whose licenses require their notices.
foreach(package llvm-14-dev libsimdjson-dev libtomlplusplus-dev nlohmann-json3-dev libeigen3-dev zlib1g-dev
    libminizip-dev libstdc++-12-dev)
  set(notice /usr/share/doc/${package}/copyright)
  if(EXISTS ${notice})
    install(FILES ${notice} DESTINATION ccgraph/licenses RENAME ${package}.txt COMPONENT python)
  endif()
endforeach()

# ccgraph_install_program(signature...): installs the program with this signature of install(), and the scripts.
function(ccgraph_install_program)
  install(${ARGN} DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT python)
  foreach(tool opt run gen check)
    set(script ${PROJECT_BINARY_DIR}/scripts/ccgraph-${tool})
    # The script may be reached by a link in another folder.
    file(CONFIGURE OUTPUT ${script} @ONLY CONTENT
      "#!/bin/sh\nexec \"$(dirname \"$(readlink -f \"$0\")\")/ccgraph\" @tool@ \"$@\"\n")
    install(PROGRAMS ${script} DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT python)
  endforeach()
  foreach(script fit-machine)
    install(PROGRAMS ${PROJECT_SOURCE_DIR}/tools/${script} DESTINATION ${SKBUILD_SCRIPTS_DIR}
      RENAME ccgraph-${script} COMPONENT python)
  endforeach()
endfunction()
