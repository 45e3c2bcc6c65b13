// Fuzzes names and targets of JSON graphs, which are written as Python text and read back.
#include "libfuzzer/promises.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ccgraph::test::holdGraphReader(ccgraph::test::textOf(data, size));
  return 0;
}
