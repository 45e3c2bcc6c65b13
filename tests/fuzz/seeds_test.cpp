// Holds the readers to the promises of the libFuzzer targets on the committed seeds: texts that once broke a promise,
// and texts that libFuzzer starts from. This finds no new text, but needs neither clang nor luck.
#include "fuzz/corpus_files.h"
#include "libfuzzer/promises.h"

#include <gtest/gtest.h>

using namespace ccgraph::test;

namespace {

struct Seeds {
  const char *folder; ///< below tests/fuzz/seeds
  void (*hold)(llvm::StringRef text);
};

class FuzzSeeds : public testing::TestWithParam<Seeds> {};

} // namespace

TEST_P(FuzzSeeds, BreakNoPromise) {
  std::vector<std::string> texts = seedFiles(GetParam().folder);
  ASSERT_FALSE(texts.empty());
  for (const std::string &text : texts)
    GetParam().hold(text); // aborts with the complaint
}

INSTANTIATE_TEST_SUITE_P(All, FuzzSeeds,
                         testing::Values(Seeds{"trace_log", holdTraceReader}, Seeds{"printed_log", holdGraphReader},
                                         Seeds{"runnable", holdGraphReader}, Seeds{"names", holdGraphReader},
                                         Seeds{"checks", holdCheckReaders}),
                         [](const auto &info) { return std::string(info.param.folder); });
