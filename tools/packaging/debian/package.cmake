# Runs in CPack after the packages are written. It removes the scripts by which CPack calls ldconfig: the trigger of
# CcgraphDebian.cmake does it, and modules need none.
find_program(ar ar REQUIRED)
find_program(tar tar REQUIRED)
foreach(package IN LISTS CPACK_PACKAGE_FILES)
  set(work ${CPACK_TOPLEVEL_DIRECTORY}/control)
  file(REMOVE_RECURSE ${work})
  file(MAKE_DIRECTORY ${work}/files)
  execute_process(COMMAND ${ar} x ${package} control.tar.gz WORKING_DIRECTORY ${work} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${tar} -xzf ../control.tar.gz WORKING_DIRECTORY ${work}/files COMMAND_ERROR_IS_FATAL ANY)
  if(NOT EXISTS ${work}/files/postinst)
    continue()
  endif()
  file(REMOVE ${work}/files/postinst ${work}/files/postrm)
  execute_process(COMMAND ${tar} --owner=root --group=root -czf control.tar.gz -C files . WORKING_DIRECTORY ${work}
    COMMAND_ERROR_IS_FATAL ANY)
  # Replaces the member at its place: the order of members matters.
  execute_process(COMMAND ${ar} r ${package} control.tar.gz WORKING_DIRECTORY ${work} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
