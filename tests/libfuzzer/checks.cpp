// Fuzzes what ccgraph-check reads besides graphs: pipeline schedules and job files.
#include "libfuzzer/promises.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ccgraph::test::holdCheckReaders(ccgraph::test::textOf(data, size));
  return 0;
}
