// Fuzzes compressed input, including decompression bombs.
#include "libfuzzer/promises.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ccgraph::test::holdGzipReader(ccgraph::test::textOf(data, size));
  return 0;
}
