// Tests that docs/passes.md matches the declarations of the passes. CCGRAPH_UPDATE_DOCS=1 writes it instead of
// comparing.
#include "ccgraph/passes/registry.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace ccgraph {
namespace {

TEST(PassDocs, PageIsWrittenFromThePasses) {
  std::string text = passesMarkdown();
  const char *path = CCGRAPH_SOURCE_DIR "/docs/passes.md";
  if (std::getenv("CCGRAPH_UPDATE_DOCS") != nullptr)
    std::ofstream(path) << text;
  std::ifstream file(path);
  std::string stored((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(stored, text) << "run CCGRAPH_UPDATE_DOCS=1 ctest -R PassDocs";
}

} // namespace
} // namespace ccgraph
