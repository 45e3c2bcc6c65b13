// Tests from_local: it adds no node, or a broadcast for a value that must be equal on several ranks; and its refusals.
#include "traced.h"

#include "ccgraph/tracer/from_local.h"

namespace ccgraph::test {
namespace {

using namespace distributed;

TEST(FromLocal, IsTheTensorItself) {
  Traced t;
  DeviceMesh mesh("cpu", {2, 2}, {"dp", "tp"});
  Tensor x = t.input("x", {4, 8});
  Tensor part = from_local(x, mesh, {Placement::Shard(-1), Placement::Partial()});
  EXPECT_EQ(t.finishText({from_local(part, mesh) * 2}), "mul = aten.mul.Tensor(x, 2) : f32[4, 8][8, 1]cpu\n");
}

TEST(FromLocal, ACheckedReplicaIsThatOfTheFirstRank) {
  Traced t;
  DeviceMesh mesh("cpu", {2, 2}, {"dp", "tp"});
  Tensor x = t.input("x", {4});
  EXPECT_EQ(t.finishText({from_local(x, mesh, {Placement::Replicate(), Placement::Shard(0)}, true)}),
            "broadcast = _c10d_functional.broadcast.default(x, 0, dp) : f32[4][1]cpu\n"
            "wait_tensor = _c10d_functional.wait_tensor.default(broadcast) : f32[4][1]cpu\n");
}

TEST(FromLocalErrors, AnotherNumberOfPlacements) {
  Traced t;
  EXPECT_EQ(errorOf(from_local(t.input("x", {4}), DeviceMesh("cpu", {2, 2}), {Placement::Shard(0)})),
            "error: from_local: `placements` must have the same length as `device_mesh.ndim`! Found placements length: "
            "1, and device_mesh.ndim: 2. [trace.placements]\n  note: one placement for each dimension of the mesh\n");
}

TEST(FromLocalErrors, ADimensionThatTheTensorHasNot) {
  Traced t;
  DeviceMesh mesh("cpu", {4});
  std::string text = " of f32[4, 2][2, 1]cpu [trace.placements]\n  note: shard along a dimension that it has\n";
  Tensor x = t.input("x", {4, 2});
  EXPECT_EQ(errorOf(from_local(x, mesh, {Placement::Shard(2)})), "error: from_local: Shard(2)" + text);
  EXPECT_EQ(errorOf(from_local(x, mesh, {Placement::Shard(-3)})), "error: from_local: Shard(-3)" + text);
}

TEST(FromLocalErrors, AMeshThatIsNone) {
  Traced t;
  EXPECT_EQ(errorOf(from_local(t.input("x", {4}), DeviceMesh("cpu", {0}))),
            "error: mesh: a mesh needs dimensions of one rank or more [trace.mesh]\n");
}

} // namespace
} // namespace ccgraph::test
