// Tests the legality of buckets: illegal positions of a merge, and readers that must not observe that a member is a
// piece of a buffer.
#include "unit/legality/bucket_families.h"

namespace ccgraph::test {
namespace {

// --- Order -----------------------------------------------------------------------------------------------------------

TEST_F(LegalityBucket, RefusesAMergeAcrossADependence) {
  bench_.load(R"(x: "f32[4][1]cpu")", R"(
    a: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
    wa: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
    y: "f32[4][1]cpu" = torch.ops.aten.neg.default(wa)
    b: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(y, 'sum', '0')
    wb: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
    return (wa, wb))");
  merge(grouped, {"a", "b"});
  EXPECT_EQ(bench_.verdict(), "order");
}

TEST_F(LegalityBucket, RefusesAMergeAcrossAnOrderingEdge) {
  bench_.load(R"(x: "f32[4][1]cpu", y: "f32[4][1]cpu")", R"(
    a: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
    b: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(y, 'sum', '0')  # after: a
    wa: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
    wb: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
    return (wa, wb))");
  graph().removeOrdering(bench_["b"], bench_["a"]);
  merge(grouped, {"a", "b"});
  EXPECT_EQ(bench_.verdict(), "merged-dependent ordering-edge");
}

constexpr llvm::StringLiteral written = R"(
  a: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
  wa: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
  fill: "f32[4][1]cpu" = torch.ops.aten.copy_.default(y, wa)
  b: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(y, 'sum', '0')
  wb: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
  return (wb,))";

TEST_F(LegalityBucket, RefusesAMergeAcrossAWriteOfWhatAMemberSends) {
  bench_.load(R"(x: "f32[4][1]cpu", y: "f32[4][1]cpu")", written);
  bench_.move("b", "wa");
  merge(flat, {"a", "b"});
  EXPECT_EQ(bench_.verdict(), "storage-order");
}

TEST_F(LegalityBucket, RefusesALostOrderingEdgeOfAMember) {
  bench_.load(R"(x: "f32[4][1]cpu", y: "f32[4][1]cpu")", R"(
    n: "f32[4][1]cpu" = torch.ops.aten.neg.default(x)
    a: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
    b: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(y, 'sum', '0')  # after: n
    wa: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
    wb: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
    return (wa, wb, n))");
  MergedEntry &entry = merge(grouped, {"a", "b"});
  EXPECT_EQ(bench_.verdict(), "ordering-edge");
  graph().addOrdering(entry.launch, bench_["n"]);
  EXPECT_EQ(bench_.verdict(), "");
}

// --- Places ----------------------------------------------------------------------------------------------------------

/// Lets the readers of a member read its piece of the buffer itself.
void readPieces(Graph &graph, MergedEntry &entry) {
  for (BucketMember &member : entry.members) {
    Node *copy = member.replacement;
    llvm::erase_value(entry.scaffold, copy);
    member.replacement = copy->operand(0);
    graph.replaceAllUses(copy, member.replacement);
    graph.erase(copy);
  }
}

TEST_F(LegalityBucket, RefusesAPieceWhosePlaceIsSeen) {
  auto verdict = [&](const std::string &reader, bool pieces) {
    bench_.certificate = {};
    bench_.load(R"(x: "f32[4][1]cpu", y: "f32[2, 2][2, 1]cpu")", R"(
    a: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
    b: "f32[2, 2][2, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(y, 'sum', '0')
    wa: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
    wb: "f32[2, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
    v: "f32[2, 2][1, 2]cpu" = torch.ops.aten.t.default(wb)
    )" + reader + "\n    return (x,)");
    MergedEntry &entry = merge(flat, {"a", "b"});
    if (pieces)
      readPieces(graph(), entry);
    return bench_.verdict();
  };
  for (const char *blind : {"r = torch.ops.aten.neg.default(v)", "r = torch.ops.aten.mul_.Tensor(v, 2)",
                            "r = torch.ops.aten.add.Tensor(wa, v)", "r = torch.ops.aten.clone.default(v)",
                            "r = torch.ops._c10d_functional.all_gather_into_tensor.default(v, 2, '0')"})
    EXPECT_EQ(verdict(blind, true), "") << blind;
  for (const char *seeing :
       {"r = torch.ops.aten.as_strided.default(v, [2], [1], 0)", "r = torch.ops.aten.as_strided_.default(v, [2], [1])",
        "r = torch.ops.aten.as_strided_copy.default(v, [2], [1], 0)",
        "r = torch.ops.aten.as_strided_scatter.default(v, x, [2], [1], 0)",
        "r = torch.ops.aten.view_as_complex.default(v)", "r = torch.ops.aten.view.dtype(v, torch.float64)",
        "r = torch.ops.aten.view_copy.dtype(v, torch.float64)", "r = torch.ops.aten.sym_storage_offset.default(v)",
        "r = torch.ops.aten.resize_.default(v, [8])", "r = torch.ops.inductor.resize_storage_bytes_.default(v, 0)",
        "r = torch.ops.aten.neg.out(x, out = v)", "r = torch.ops.aten._int_mm.default(v, v)",
        "r = torch.ops.aten.set_.source_Tensor(v, x)", "r = torch.ops.mylib.unknown.default(v)"}) {
    EXPECT_EQ(verdict(seeing, true), "merged-place") << seeing;
    EXPECT_EQ(verdict(seeing, false), "") << seeing;
  }
}

TEST_F(LegalityBucket, RefusesToReturnAPieceOfABuffer) {
  for (const Family &family : {broadcast, scatter}) {
    MergedEntry &entry = merged(family, flat);
    EXPECT_EQ(bench_.verdict(), "");
    readPieces(graph(), entry);
    EXPECT_EQ(bench_.verdict(), "merged-place") << family.name;
  }
}

TEST_F(LegalityBucket, RefusesTwoMembersInOnePiece) {
  bench_.load(R"(x: "f32[4][1]cpu")", R"(
    a: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
    b: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
    wa: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
    wb: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
    return (wa, wb))");
  MergedEntry &entry = merge(flat, {"a", "b"});
  EXPECT_EQ(bench_.verdict(), "");
  Node *first = entry.members[0].replacement;
  Node *second = makeCall(graph().output(), "again", "aten.alias.default", {first}, "f32[4][1]cpu");
  graph().replaceAllUses(entry.members[1].replacement, second);
  entry.members[1].replacement = second;
  entry.scaffold.push_back(second);
  EXPECT_EQ(bench_.verdict(), "merged-place");
}

TEST_F(LegalityBucket, RefusesSumsOfFloatsWhereEveryBitMustStay) {
  for (const Family &family : {allReduce, scatter, gather})
    for (BucketLayout layout : {flat, grouped}) {
      merged(family, layout);
      EXPECT_EQ(bench_.verdict(), "") << family.name;
      EXPECT_EQ(bench_.verdict({.bitwise = true}), llvm::StringRef(family.name) == "all_gather" ? "" : "bitwise")
          << family.name;
    }
}

TEST_F(LegalityBucket, RefusesAMergeWhereProgramsDiffer) {
  merged(allReduce, flat);
  EXPECT_EQ(bench_.verdict({.spmd = false}), "mpmd");
}

} // namespace
} // namespace ccgraph::test
