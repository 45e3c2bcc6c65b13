// Tests the legality of buckets: merges in both layouts, correct and with one wrong value, member or node.
#include "unit/legality/bucket_families.h"

namespace ccgraph::test {
namespace {

TEST_F(LegalityBucket, AcceptsEveryKindInEveryLayoutThatItHas) {
  for (const Family &family : {allReduce, broadcast, gather, scatter, transpose}) {
    merged(family, flat);
    EXPECT_EQ(bench_.text(), "") << family.name;
  }
  for (const Family &family : {allReduce, gather, scatter}) {
    merged(family, grouped);
    EXPECT_EQ(bench_.text(), "") << family.name;
  }
}

TEST_F(LegalityBucket, AcceptsGroupedMembersOfUnknownSize) {
  bench_.load(R"(x: "f32[u0][1]cpu", y: "f32[u0, 2][2, 1]cpu")", R"(
    a: "f32[u0][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
    b: "f32[u0, 2][2, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(y, 'sum', '0')
    wa: "f32[u0][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
    wb: "f32[u0, 2][2, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
    return (wa, wb))");
  std::vector<Node *> launches{bench_["a"], bench_["b"]};
  const Type *types[] = {bench_["wa"]->type(), bench_["wb"]->type()};
  MergedEntry &entry = bench_.certificate.merged.emplace_back();
  entry.layout = grouped;
  entry.launch = makeCall(bench_["wa"], "bucket", "_c10d_functional.all_reduce_coalesced.default",
                          {Actual::nodes({bench_["x"], bench_["y"]}), "sum", "0"});
  for (int i = 0; i < 2; ++i) {
    Node *wait = onlyWait(launches[i]);
    Node *item = makeCall(wait, "item", "operator.getitem", {entry.launch, i});
    Node *done = makeCall(wait, "done", "_c10d_functional.wait_tensor.default", {item});
    graph().setType(item, types[i]);
    graph().setType(done, types[i]);
    entry.scaffold.push_back(item);
    entry.waits.push_back(done);
    entry.members.push_back({launches[i], {wait}, done, i, 1});
    graph().replaceAllUses(wait, done);
    graph().erase(wait);
    graph().erase(launches[i]);
  }
  EXPECT_EQ(bench_.text(), "");
}

TEST_F(LegalityBucket, AcceptsAMovedEntryForMembersThatWereNotConsecutive) {
  load(allReduce);
  merge(flat, {"a", "c"});
  EXPECT_EQ(bench_.text(), "");
  bench_.certificate.moved.clear();
  EXPECT_EQ(bench_.verdict(), "issue-order");
}

// --- Values ----------------------------------------------------------------------------------------------------------

TEST_F(LegalityBucket, KnowsWhatIsSentUntilItIsReshaped) {
  auto reshapedAt = [&](llvm::StringRef early, llvm::StringRef late) {
    bench_.certificate = {};
    bench_.load(R"(x: "f32[4, 3][3, 1]cpu", y: "f32[5][1]cpu")", (R"(
  c: "f32[4, 3][3, 1]cpu" = torch.ops.aten.clone.default(x)
  a: "f32[4, 3][3, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(c, 'sum', '0'))" +
                                                                  early + R"(
  b: "f32[5][1]cpu" = torch.ops._c10d_functional.all_reduce.default(y, 'sum', '0'))" +
                                                                  late +
                                                                  R"(
  wa: "f32[4, 3][3, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
  wb: "f32[5][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
  return (wa, wb, turned))")
                                                                     .str());
    merge(flat, {"a", "b"});
    return bench_.verdict();
  };
  constexpr llvm::StringLiteral turned = R"(
  turned: "f32[3, 4][1, 3]cpu" = torch.ops.aten.t_.default(c))";
  EXPECT_EQ(reshapedAt("", turned), "");
  EXPECT_EQ(reshapedAt(turned, ""), "merged-scaffold storage-order") << "the bucket is launched where b was";
}

TEST_F(LegalityBucket, RefusesAWrongSlice) {
  merged(broadcast, flat);
  Node *piece = bench_["bucket_piece_1"];
  setCall(piece, {piece->operand(0), 0, 3, 8});
  EXPECT_EQ(bench_.verdict(), "merged-value");
}

TEST_F(LegalityBucket, RefusesASliceOfAnotherSize) {
  merged(broadcast, flat);
  Node *piece = bench_["bucket_piece_1"];
  setCall(piece, {piece->operand(0), 0, 4, 8});
  EXPECT_EQ(bench_.verdict(), "merged-scaffold");
}

TEST_F(LegalityBucket, RefusesMembersInAnotherOrderThanListed) {
  for (const Family &family : {allReduce, scatter}) {
    merged(family, flat);
    Node *cat = bench_["bucket_cat"];
    Node *first = cat->operand(0);
    graph().setOperand(cat, 0, cat->operand(1));
    graph().setOperand(cat, 1, first);
    EXPECT_EQ(bench_.verdict(), "merged-layout merged-value") << family.name;
  }
}

TEST_F(LegalityBucket, RefusesChunksInAnotherOrder) {
  merged(transpose, flat);
  Node *cat = bench_["bucket_cat"];
  Node *first = cat->operand(0);
  graph().setOperand(cat, 0, cat->operand(2));
  graph().setOperand(cat, 2, first);
  EXPECT_EQ(bench_.verdict(), "merged-value");
}

TEST_F(LegalityBucket, RefusesOtherSplits) {
  merged(transpose, flat);
  Node *launch = bench_.certificate.merged[0].launch;
  setCall(launch, {launch->operand(0), Actual::integers({12, 4}), Actual::integers({5, 16}), "0"});
  EXPECT_EQ(bench_.verdict(), "merged-value");
}

TEST_F(LegalityBucket, RefusesAScatterThatIsNotInterleaved) {
  merged(scatter, flat);
  Node *cat = bench_["bucket_cat"];
  Node *flatten = bench_["bucket_flat"];
  std::vector<Node *> flats;
  for (Node *input : {bench_["x"], bench_["y"], bench_["z"]}) {
    flats.push_back(makeCall(cat, "whole", "aten.reshape.default", {input, Actual::integers({-1})}));
    bench_.certificate.merged[0].scaffold.push_back(flats.back());
  }
  setCall(cat, {Actual::nodes(flats)});
  graph().setType(cat, flatten->type());
  EXPECT_EQ(bench_.verdict(), "merged-value");
}

TEST_F(LegalityBucket, RefusesSwappedReplacements) {
  merged(broadcast, flat);
  graph().setOperand(bench_["output"], 0, bench_.certificate.merged[0].members[1].replacement);
  EXPECT_EQ(bench_.verdict(), "operand");
}

TEST_F(LegalityBucket, RefusesAReplacementOfAnotherMember) {
  bench_.load(R"(x: "f32[4][1]cpu", y: "f32[4][1]cpu")", R"(
    a: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
    b: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(y, 'sum', '0')
    wa: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
    wb: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
    return (wa, wb))");
  MergedEntry &entry = merge(grouped, {"a", "b"});
  std::swap(entry.members[0].replacement, entry.members[1].replacement);
  Node *first = bench_["output"]->operand(0);
  graph().setOperand(bench_["output"], 0, bench_["output"]->operand(1));
  graph().setOperand(bench_["output"], 1, first);
  EXPECT_EQ(bench_.verdict(), "merged-value");
}

TEST_F(LegalityBucket, RefusesAReplacementOfAnotherType) {
  merged(allReduce, flat);
  Node *replacement = bench_.certificate.merged[0].members[0].replacement;
  graph().setType(replacement, llvm::cantFail(parseType(graph().context(), "f32[4, 3][1, 4]cpu")));
  EXPECT_EQ(bench_.verdict(), "merged-scaffold");
}

TEST_F(LegalityBucket, RefusesAReplacementThatNobodyWaitedFor) {
  MergedEntry &entry = merged(allReduce, grouped);
  Node *item = bench_["bucket_item"];
  graph().replaceAllUses(entry.waits[0], item);
  graph().setOperand(entry.waits[0], 0, item);
  entry.members[0].replacement = item;
  graph().moveBefore(entry.waits[0], bench_["output"]);
  EXPECT_EQ(bench_.verdict(), "in-flight merged-wait");
}

// --- Members and launch ----------------------------------------------------------------------------------------------

TEST_F(LegalityBucket, RefusesAnotherGroupOrReduction) {
  for (const char *group : {"0", "1"}) {
    MergedEntry &entry = merged(allReduce, flat);
    bool other = group[0] == '1';
    setCall(entry.launch, {entry.launch->operand(0), other ? "sum" : "max", group});
    EXPECT_EQ(bench_.verdict(), other ? "issue-order merged-unlike" : "merged-unlike");
  }
}

TEST_F(LegalityBucket, RefusesMembersOfTwoReductionsOrDtypes) {
  for (bool dtypes : {false, true}) {
    bench_.certificate = {};
    std::string type = dtypes ? "\"bf16[4][1]cpu\"" : "\"f32[4][1]cpu\"";
    bench_.load("x: \"f32[4][1]cpu\", y: " + type, R"(
    a: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
    b: )" + type + " = torch.ops._c10d_functional.all_reduce.default(y, '" +
                                                       (dtypes ? "sum" : "max") + R"(', '0')
    wa: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
    wb: )" + type + R"( = torch.ops._c10d_functional.wait_tensor.default(b)
    return (wa, wb))");
    merge(flat, {"a", "b"});
    EXPECT_EQ(bench_.verdict(), "merged-unlike");
  }
}

TEST_F(LegalityBucket, RefusesAListOfWhatPyTorchTakesAloneOnly) {
  const char *complexGathers = R"(
    a: "c64[8][1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(x, 2, '0')
    b: "c64[8][1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(y, 2, '0')
    wa: "c64[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
    wb: "c64[8][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
    return (wa, wb))";
  bench_.load(R"(x: "c64[4][1]cpu", y: "c64[4][1]cpu")", complexGathers);
  merge(grouped, {"a", "b"});
  EXPECT_EQ(bench_.verdict(), "merged-launch");
}

TEST_F(LegalityBucket, RefusesALayoutThatIsNotTheLaunchs) {
  MergedEntry &entry = merged(allReduce, flat);
  entry.layout = grouped;
  EXPECT_EQ(bench_.verdict(), "merged-launch");
}

TEST_F(LegalityBucket, RefusesAnInPlaceLaunch) {
  MergedEntry &entry = merged(allReduce, flat);
  graph().setTarget(entry.launch, graph().context().identifier("_c10d_functional.all_reduce_.default"));
  EXPECT_EQ(bench_.verdict(), "merged-launch");
}

TEST_F(LegalityBucket, RefusesAnInPlaceMember) {
  bench_.load(R"(x: "f32[4][1]cpu", y: "f32[4][1]cpu")", R"(
    a: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce_.default(x, 'sum', '0')
    b: "f32[4][1]cpu" = torch.ops._c10d_functional.all_reduce_.default(y, 'sum', '0')
    wa: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(a)
    wb: "f32[4][1]cpu" = torch.ops._c10d_functional.wait_tensor.default(b)
    return (wa, wb))");
  MergedEntry &entry = merge(flat, {"a", "b"});
  graph().setTarget(entry.launch, graph().context().identifier("_c10d_functional.all_reduce.default"));
  EXPECT_EQ(bench_.verdict(), "merged-member storage-order");
}

TEST_F(LegalityBucket, RefusesALieAboutTheLayout) {
  for (BucketLayout layout : {flat, grouped}) {
    ++merged(allReduce, layout).members[1].offset;
    EXPECT_EQ(bench_.verdict(), "merged-layout");
    ++merged(allReduce, layout).members[1].length;
    EXPECT_EQ(bench_.verdict(), "merged-layout");
  }
}

TEST_F(LegalityBucket, RefusesAMemberWhoseWaitIsNotItsOwn) {
  MergedEntry &entry = merged(broadcast, flat);
  std::swap(entry.members[0].waits, entry.members[1].waits);
  std::swap(entry.members[0].replacement, entry.members[1].replacement);
  EXPECT_EQ(bench_.verdict(), "merged-member");
}

// --- Other new nodes -------------------------------------------------------------------------------------------------

TEST_F(LegalityBucket, RefusesArithmeticAmongTheNewNodes) {
  merged(allReduce, flat);
  graph().setTarget(bench_["bucket_view"], graph().context().identifier("aten.neg.default"));
  setCall(bench_["bucket_view"], {bench_["bucket_view"]->operand(0)});
  EXPECT_EQ(bench_.verdict(), "merged-scaffold");
}

TEST_F(LegalityBucket, RefusesNewNodesWithAnEffect) {
  MergedEntry &entry = merged(allReduce, flat);
  entry.scaffold.push_back(makeCall(bench_["ua"], "hidden", "aten.zero_.default", {bench_["x"]}, "f32[4, 3][3, 1]cpu"));
  EXPECT_EQ(bench_.verdict(), "merged-scaffold");
}

TEST_F(LegalityBucket, RefusesAValueThatNoMemberSends) {
  merged(broadcast, flat);
  Node *flatten = bench_["bucket_flat_1"];
  Node *other = makeCall(flatten, "other", "aten.abs.default", {bench_["y"]}, "f32[5][1]cpu");
  bench_.certificate.added.push_back({other, "stray"});
  graph().setOperand(flatten, 0, other);
  EXPECT_EQ(bench_.verdict(), "merged-scaffold");
}

TEST_F(LegalityBucket, RefusesAViewAcrossAGap) {
  merged(gather, flat);
  graph().setTarget(bench_["bucket_view"], graph().context().identifier("aten.view.default"));
  EXPECT_EQ(bench_.verdict(), "") << "a view of the copy";
  graph().setOperand(bench_["bucket_view"], 0, bench_["bucket_column"]);
  EXPECT_EQ(bench_.verdict(), "merged-place merged-scaffold");
}

TEST_F(LegalityBucket, RefusesAWaitThatIsNone) {
  MergedEntry &entry = merged(allReduce, grouped);
  graph().setTarget(entry.waits[0], graph().context().identifier("aten.alias.default"));
  EXPECT_EQ(bench_.verdict(), "in-flight merged-wait");
}

} // namespace
} // namespace ccgraph::test
