#include "driver/entry_driver.h"
#include "driver/tool_main.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace {

/// The name by which the program was started; toolMain takes a function without a state.
const char *startedAs = "";

ccgraph::driver::ExitCode startedTool(llvm::ArrayRef<const char *> arguments, ccgraph::driver::Streams streams) {
  return ccgraph::driver::entryMainAs(startedAs, arguments, streams);
}

} // namespace

int main(int argc, char **argv) {
#ifdef __GLIBC__
  // As in ccgraph-opt: large tables that a pass frees must not stay in the heap, smaller ones must.
  mallopt(M_MMAP_THRESHOLD, 1024 * 1024);
  mallopt(M_TRIM_THRESHOLD, 64 * 1024 * 1024);
#endif
  if (argc > 0)
    startedAs = argv[0];
  return ccgraph::driver::toolMain(argc, argv, startedTool);
}
