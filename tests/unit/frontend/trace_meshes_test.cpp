// Tests device meshes in the form of a TORCH_TRACE log.
#include "ccgraph/frontend/trace_meshes.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

/// Returns a text such as "fsdp 4 by 2; tp 2 by 1", or "none".
std::string read(llvm::StringRef text) {
  std::optional<TraceMesh> mesh = parseMesh(text);
  if (!mesh)
    return "none";
  std::string words;
  for (const MeshAxis &axis : mesh->axes)
    words += (words.empty() ? "" : "; ") + axis.name + " " + std::to_string(axis.size) + " by " +
             std::to_string(axis.stride);
  return words;
}

TEST(TraceMeshes, AreDimensionsWithNamesAndStrides) {
  EXPECT_EQ(read("DeviceMesh((fsdp=4, tp=2), 'cuda', stride=(2, 1))\"}"), "fsdp 4 by 2; tp 2 by 1");
  EXPECT_EQ(read("DeviceMesh((tp=2), 'cuda', stride=(1,)), placements=(Replicate(),))"), "tp 2 by 1");
  EXPECT_EQ(read("DeviceMesh((2, 4), 'cpu', stride=(4, 1))"), " 2 by 4;  4 by 1");
}

TEST(TraceMeshes, HaveNoStrideWhereTheSizeIsOne) {
  EXPECT_EQ(read("DeviceMesh((efsdp=1, ep=4), 'cuda', stride=((), 1))"), "efsdp 1 by 0; ep 4 by 1");
}

TEST(TraceMeshes, AreTheTextUpToTheirEnd) {
  EXPECT_EQ(parseMesh("DeviceMesh((tp=2), 'cuda', stride=(1,)), more)")->text,
            "DeviceMesh((tp=2), 'cuda', stride=(1,))");
}

TEST(TraceMeshes, ThatAreSpelledOtherwiseAreNone) {
  for (const char *text :
       {"DeviceMesh((tp=2), 'cuda', stride=(1", "DeviceMesh((tp=2, 'cuda', stride=(1,))", "DeviceMesh((tp=2), 'cuda')",
        "DeviceMesh((tp=two), 'cuda', stride=(1,))", "DeviceMesh((tp=2), 'cuda', stride=(1, 2))",
        "DeviceMesh((), 'cuda', stride=())", "DeviceMesh((tp=-2), 'cuda', stride=(1,))",
        "DeviceMesh((tp=2), 'cuda', stride=(0,))", "Mesh((tp=2), 'cuda', stride=(1,))",
        "DeviceMesh((tp=99999999999999999999), 'cuda', stride=(1,))"})
    EXPECT_EQ(read(text), "none") << text;
}

} // namespace
} // namespace ccgraph::test
