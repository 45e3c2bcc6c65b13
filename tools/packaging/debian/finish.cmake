# Runs in CPack after the components are installed into their own folders. It adds the copyright and the changelog of
# each package, and compresses manual pages: files that Debian's policy requires.
#
# CPACK_TEMPORARY_INSTALL_DIRECTORY contains a folder for each component. The changelog is that of the package, whose
# date is the one of SOURCE_DATE_EPOCH, or of now.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
find_program(gzip gzip REQUIRED)

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}/usr/share)
  set(doc ${root}/doc/${package})
  file(MAKE_DIRECTORY ${doc})
  configure_file(${CMAKE_CURRENT_LIST_DIR}/copyright ${doc}/copyright COPYONLY)
  file(WRITE ${doc}/changelog.Debian
    "ccgraph (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
    "  * Packages by CPack.\n\n -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}\n")
  file(GLOB pages ${root}/man/man1/*.1)
  execute_process(COMMAND ${gzip} -9nf ${doc}/changelog.Debian ${pages} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
