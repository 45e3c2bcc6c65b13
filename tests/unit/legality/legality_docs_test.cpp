// Tests that docs/legality.md matches the checker's own tables.
#include "ccgraph/legality/legality.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace ccgraph {
namespace {

TEST(LegalityDocs, PageIsWrittenFromTheTables) {
  std::ifstream file(CCGRAPH_SOURCE_DIR "/docs/legality.md");
  std::stringstream stored;
  stored << file.rdbuf();
  EXPECT_EQ(stored.str(), legalityMarkdown()) << "tools/docs writes it anew";
}

TEST(LegalityDocs, TablesAreSorted) {
  EXPECT_TRUE(llvm::is_sorted(legalityRules(), [](const auto &a, const auto &b) { return a.id < b.id; }));
  EXPECT_TRUE(llvm::is_sorted(legalityTemplates(), [](const auto &a, const auto &b) { return a.name < b.name; }));
}

} // namespace
} // namespace ccgraph
