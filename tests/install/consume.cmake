# Installs ccgraph into an empty prefix. Then it configures, builds and runs the README's program with the README's
# CMake lines, and as a shared library.
#
# Arguments: BUILD, the built tree; SOURCE, its source; WORK, a folder to work in; COMPILER, FLAGS, PYTHON.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    string(JOIN " " command ${ARGN})
    message(FATAL_ERROR "${command}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/source)
foreach(part "cpp improve.cpp" "cmake CMakeLists.txt")
  separate_arguments(part)
  list(POP_FRONT part language name)
  execute_process(COMMAND ${PYTHON} ${SOURCE}/tests/readme/check.py --extract ${language} ${SOURCE}/README.md
    OUTPUT_FILE ${WORK}/source/${name} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# A program that is a shared library, as a Python module is, can link the same archives.
file(APPEND ${WORK}/source/CMakeLists.txt
  "add_library(plugin SHARED improve.cpp)\ntarget_link_libraries(plugin PRIVATE ccgraph::toolkit -Wl,-z,defs)\n")

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
file(GLOB schemas RELATIVE ${SOURCE}/docs ${SOURCE}/docs/*.schema.json)
list(TRANSFORM schemas PREPEND ccgraph/)
foreach(installed doc/ccgraph/LICENSE ${schemas}
    man/man1/ccgraph.1 man/man1/ccgraph-gen.1 man/man1/ccgraph-opt.1 man/man1/ccgraph-run.1
    bash-completion/completions/ccgraph bash-completion/completions/ccgraph-gen
    zsh/site-functions/_ccgraph zsh/site-functions/_ccgraph-opt
    bash-completion/completions/ccgraph-opt bash-completion/completions/ccgraph-run)
  if(NOT EXISTS ${WORK}/prefix/share/${installed})
    message(FATAL_ERROR "share/${installed} was not installed")
  endif()
endforeach()
file(GLOB_RECURSE internal ${WORK}/prefix/include/*/internal/*.h ${WORK}/prefix/include/*/order_list.h)
if(internal)
  message(FATAL_ERROR "internal headers were installed: ${internal}")
endif()
run(${WORK}/prefix/bin/ccgraph-opt --version)
run(${WORK}/prefix/bin/ccgraph doctor local)
# The installed script uses the ccgraph-run beside it.
execute_process(COMMAND ${CMAKE_COMMAND} -E env COLUMNS=400 ${WORK}/prefix/bin/ccgraph-fit-machine --help
  OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
if(NOT help MATCHES "where ccgraph-run is \\(${WORK}/prefix/bin\\)")
  message(FATAL_ERROR "ccgraph-fit-machine looks for ccgraph-run elsewhere:\n${help}")
endif()
run(${CMAKE_COMMAND} -S ${WORK}/source -B ${WORK}/build -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix
  -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}")
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/improve ${SOURCE}/tests/data/small/zero3_mlp_w2/fw/readable.py ${WORK}/out.py)
