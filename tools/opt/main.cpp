#include "driver/opt_driver.h"
#include "driver/tool_main.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

int main(int argc, char **argv) {
#ifdef __GLIBC__
  // Each pass needs large tables only while it runs. With glibc's growing threshold, freed tables would stay in the
  // heap, and the peak would be the sum over all passes instead of the maximum. Smaller tables stay, since a search
  // makes the same ones thousands of times, and each new page is a page fault.
  mallopt(M_MMAP_THRESHOLD, 1024 * 1024);
  mallopt(M_TRIM_THRESHOLD, 64 * 1024 * 1024);
#endif
  return ccgraph::driver::toolMain(argc, argv, ccgraph::driver::optMain);
}
