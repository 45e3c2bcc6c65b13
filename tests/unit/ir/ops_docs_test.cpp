// Tests that docs/ops.md matches the operator table. CCGRAPH_UPDATE_DOCS=1 writes it instead of comparing.
#include "ccgraph/ir/context.h"
#include "ccgraph/ir/internal/op_docs.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace ccgraph {
namespace {

TEST(OperatorDocs, PageIsWrittenFromTheTable) {
  Context context;
  std::string text;
  llvm::raw_string_ostream os(text);
  writeOperatorDocs(os, context.ops());
  os.flush();
  const char *path = CCGRAPH_SOURCE_DIR "/docs/ops.md";
  if (std::getenv("CCGRAPH_UPDATE_DOCS"))
    std::ofstream(path) << text;
  std::ifstream file(path);
  std::string stored((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(stored, text) << "run CCGRAPH_UPDATE_DOCS=1 ctest -R OperatorDocs";
}

TEST(OperatorDocs, EffectsInWords) {
  Context context;
  auto effect = [&](llvm::StringRef target) { return effectText(*context.ops().lookup(target)); };
  EXPECT_EQ(effect("aten.mm.default"), "pure");
  EXPECT_EQ(effect("aten.view.default"), "view of `self`");
  EXPECT_EQ(effect("aten.reshape.default"), "view or copy of `self`");
  EXPECT_EQ(effect("aten.add_.Tensor"), "writes `self`");
  EXPECT_EQ(effect("aten.rand.default"), "draws random numbers in order");
  EXPECT_EQ(effect("aten._assert_scalar.default"), "ordered with the host");
  EXPECT_EQ(effect("mylib.op.default"), "opaque; ordered against everything");
  EXPECT_EQ(effect("_c10d_functional.wait_tensor.default"), "completes `tensor`");
  EXPECT_EQ(effect("_c10d_functional.all_reduce.default"), "launches all_reduce; copies at launch `input`");
  EXPECT_EQ(effect("_c10d_functional.all_gather_into_tensor_out.default"),
            "launches all_gather; reads in flight `input`; fills in flight `out`");
  EXPECT_EQ(effect("c10d.allreduce_.default"), "performs all_reduce on a list; writes `tensors`");
}

} // namespace
} // namespace ccgraph
