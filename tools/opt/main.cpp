#include "driver/opt_driver.h"
#include "driver/tool_main.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

int main(int argc, char **argv) {
#ifdef __GLIBC__
  // Because each pass needs large tables only while it runs: with glibc's growing threshold they would stay in the
  // heap, and the peak would be the sum of what the passes needed instead of the largest.
  mallopt(M_MMAP_THRESHOLD, 64 * 1024);
#endif
  return ccgraph::driver::toolMain(argc, argv, ccgraph::driver::optMain);
}
