// Names and targets of JSON graphs, which become Python text and are read back.
#include "libfuzzer/promises.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ccgraph::test::holdGraphReader(ccgraph::test::textOf(data, size));
  return 0;
}
