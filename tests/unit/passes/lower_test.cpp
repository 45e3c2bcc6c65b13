// Tests lowering: the steps of a program, their windows, and their order.
#include "unit/passes/lowered.h"

namespace ccgraph::test {
namespace {

TEST_F(LowerTest, AWaitIsNoStepAndWhoReadsTheResultWaits) {
  Node *x = b.input("x", b.f32({4}));
  Node *a = relu(x);
  Node *c = reduce(a);
  Node *other = relu(x);
  b.output({add(wait(c), other)});
  EXPECT_EQ(lowered(), "compute: aten.relu.default x -> relu e0\n"
                       "comm:tp: all_reduce relu -> all_reduce after e0 e1\n"
                       "compute: aten.relu.default x -> relu_1\n"
                       "compute: aten.add.Tensor all_reduce relu_1 -> add after e1\n");
}

TEST_F(LowerTest, GuardsGoWithTheGroupsThatTheyAreOf) {
  for (llvm::StringRef name : {"dp", "pp"}) {
    Group group;
    group.name = name.str();
    group.ranks = {1, 3};
    graph_.groups().set(group);
  }
  graph_.guards = {{GuardFact::Size, "dp", int64_t{2}},
                   {GuardFact::Size, "tp", int64_t{2}},
                   {GuardFact::Ranks, "dp", std::vector<int64_t>{1, 3}}};
  b.output({wait(reduce(b.input("x", b.f32({4}))))});
  EXPECT_EQ(lowered(), "comm:tp: all_reduce x -> all_reduce\n");
  EXPECT_EQ(plan_->guards, graph_.guards);
  ASSERT_EQ(plan_->groups.size(), 2U);
  EXPECT_EQ(plan_->groups[0].name, "tp");
  EXPECT_EQ(plan_->groups[1].name, "dp");
}

TEST_F(LowerTest, AGraphThatIsNotWhereItWasTracedHasNoPlan) {
  graph_.guards = {{GuardFact::Size, "tp", int64_t{4}}};
  b.output({relu(b.input("x", b.f32({4})))});
  EXPECT_EQ(lowered(),
            "error: group tp: the graph was traced with size 4, and it is 2 now [guards.fact]\n"
            "  note: trace the program again where it runs, or give it the groups that it was traced with\n");
}

TEST_F(LowerTest, AWaitMayNameItsTensor) {
  Node *x = b.input("x", b.f32({4}));
  CallSpec spec{.target = "_c10d_functional.wait_tensor.default", .args = {}, .type = x->type()};
  Node *c = reduce(x);
  spec.kwargs.push_back({"tensor", c});
  b.output({relu(GraphBuilder(graph_).call(spec))});
  EXPECT_EQ(lowered(), "comm:tp: all_reduce x -> all_reduce e0\n"
                       "compute: aten.relu.default all_reduce -> relu after e0\n");
}

// The copies are on a stream of their own, and the bytes of v are free from the wait on: l may take them.
TEST_F(LowerTest, AHostCopyIsACopyOnAStreamOfItsOwn) {
  Node *x = b.input("x", b.f32({64}));
  Node *v = relu(x);
  Node *o = b.call("ao.offload.default", v->type(), {v});
  Node *h = b.call("ao.wait_tensor.default", v->type(), {o, v});
  Node *l = b.call("ao.reload.default", v->type(), {h, Actual::literal(Argument::device(v->type()->device()))});
  b.output({relu(b.call("ao.wait_tensor.default", v->type(), {l, h}))});
  EXPECT_EQ(lowered(), "compute: aten.relu.default x -> relu e0\n"
                       "host-copies: copy relu -> offload after e0\n"
                       "host-copies: copy offload -> reload e1\n"
                       "compute: aten.relu.default reload -> relu_1 after e1\n");
  EXPECT_EQ(plan_->streams[2].kind, PlanStream::Kind::HostCopy);
  EXPECT_EQ(plan_->buffers[2].home, Home::Host);
  EXPECT_EQ(plan_->buffers[1].home, Home::Compute);
  EXPECT_EQ(plan_->layout.liveBytes, 256) << "one tensor of the device at a time: relu_1 is computed in place";
}

TEST_F(LowerTest, AViewIsAnotherWindow) {
  Node *x = b.input("x", b.f32({4, 6}));
  Node *row = b.call("aten.select.int", b.f32({6}), {x, 0, -1});
  Node *part = b.call("aten.slice.Tensor", b.f32({2}), {row, 0, 3, 5});
  b.output({relu(part)});
  EXPECT_EQ(lowered(), "compute: aten.relu.default x+21 -> relu\n");
}

TEST_F(LowerTest, AViewOfSizesThatTheProgramComputesIsAWindowToo) {
  Node *x = b.input("x", b.f32({4, 6}));
  Node *size = b.call("aten.sym_size.int", context_.symbolicScalar(context_.symbolic("s0")), {x, 0});
  Node *rows = b.call("aten.view.default", b.f32({6, 4}), {x, Actual::list({6, size})});
  b.output({relu(rows)});
  EXPECT_EQ(lowered().find("aten.view"), std::string::npos) << stepsText(*plan_);
}

TEST_F(LowerTest, AViewThatMayReachTooFarIsMadeByItsKernel) {
  Node *x = relu(b.input("x", b.f32({4, 6})));
  Node *size = b.call("aten._local_scalar_dense.default", context_.symbolicScalar(context_.symbolic("u0")), {x});
  Dim sizes[] = {Dim(context_.symbolic("u0")), 6}, strides[] = {6, 1}, still[] = {0, 1};
  const Type *rows = context_.tensor(DType::F32, {sizes, strides}, x->type()->device());
  const Type *expanded = context_.tensor(DType::F32, {sizes, still}, x->type()->device());
  Node *view = b.call("aten.view.default", rows, {x, Actual::list({size, 6})});
  Node *row = b.call("aten.select.int", b.f32({6}), {x, 0, 0});
  Node *same = b.call("aten.expand.default", expanded, {row, Actual::list({size, 6})});
  b.output({view, add(same, same)});
  std::string steps = lowered();
  EXPECT_NE(steps.find("aten.view.default"), std::string::npos) << steps;
  EXPECT_EQ(steps.find("aten.expand.default"), std::string::npos) << steps;
}

TEST_F(LowerTest, PartsOfASplitLieOneAfterTheOther) {
  Node *x = b.input("x", b.f32({6, 2}));
  Node *split = b.call("aten.split_with_sizes.default", nullptr, {x, std::vector<int64_t>{1, 2, 3}});
  Node *last = b.call("operator.getitem", b.f32({3, 2}), {split, 2});
  b.output({relu(last)});
  EXPECT_EQ(lowered(), "compute: aten.relu.default x+6 -> relu\n");
}

TEST_F(LowerTest, AViewAsAnotherDTypeCountsInItsOwnElements) {
  Node *x = b.input("x", b.f32({8}));
  Node *half = b.call("aten.slice.Tensor", b.f32({4}), {x, 0, 4, 8});
  Node *bits = b.call("aten.view.dtype", b.tensor(DType::BF16, {8}), {half, DType::BF16});
  b.output({b.call("aten.relu.default", bits->type(), {bits})});
  EXPECT_EQ(lowered(), "compute: aten.relu.default x+8 -> relu\n");
}

TEST_F(LowerTest, WhereAnUntypedViewLiesIsNotGuessed) {
  Node *x = b.input("x", b.f32({8}));
  Node *part = b.call("aten.slice.Tensor", nullptr, {x, 0, 4, 8});
  graph_.setType(part, nullptr);
  b.output({part});
  EXPECT_NE(lowered().find("[lower.window]"), std::string::npos);
}

TEST_F(LowerTest, AnInPlaceOperatorYieldsWhatItWrites) {
  Node *x = b.input("x", b.f32({4}));
  Node *a = relu(x);
  Node *w = b.call("aten.add_.Tensor", x->type(), {a, x});
  b.output({relu(w)});
  EXPECT_EQ(lowered(), "compute: aten.relu.default x -> relu\n"
                       "compute: aten.add_.Tensor relu x -> relu\n"
                       "compute: aten.relu.default relu -> relu_1\n");
}

TEST_F(LowerTest, AnInputThatIsWrittenIsShownAfterwards) {
  Node *x = b.input("x", b.f32({4}));
  Node *y = b.input("y", b.f32({4}));
  b.output({b.call("aten.add_.Tensor", x->type(), {x, y})});
  lowered();
  EXPECT_EQ(valueText(*plan_, plan_->inputs[0].after), "x");
  EXPECT_EQ(valueText(*plan_, plan_->inputs[1].after), "");
}

TEST_F(LowerTest, AReshapedTensorIsSeenSoUnderEveryName) {
  Node *x = b.input("x", b.f32({2, 3}));
  Node *before = b.call("aten.select.int", b.f32({3}), {x, 0, 1});
  b.call("aten.t_.default", b.strided(x->type(), {3, 2}, {1, 3}), {x});
  Node *after = b.call("aten.select.int", b.strided(x->type(), {2}, {3}), {x, 0, 1});
  b.output({relu(before), b.call("aten.relu.default", b.f32({2}), {after})});
  EXPECT_EQ(lowered(), "compute: aten.relu.default x+3 -> relu\n"
                       "compute: aten.relu.default x+1 -> relu_1\n");
}

TEST_F(LowerTest, AResizeWithinTheMemoryIsAnotherWindow) {
  Node *x = b.input("x", b.f32({2, 3}));
  Node *row = b.call("aten.resize_.default", b.f32({4}), {x, std::vector<int64_t>{4}});
  b.output({relu(row), b.call("aten.select.int", b.f32({}), {x, 0, 3})});
  EXPECT_EQ(lowered(), "compute: aten.relu.default x -> relu\n");
  EXPECT_EQ(valueText(*plan_, plan_->outputs[1]), "x+3");
}

TEST_F(LowerTest, AnInputThatIsWrittenBeforeTheWaitIsCopied) {
  Node *x = b.input("x", b.f32({4}));
  Node *a = relu(x);
  Node *c = reduce(a);
  b.call("aten.add_.Tensor", x->type(), {a, x});
  b.output({wait(c), a});
  EXPECT_EQ(lowered(), "compute: aten.relu.default x -> relu\n"
                       "compute: copy relu -> all_reduce e0\n"
                       "comm:tp: all_reduce all_reduce -> all_reduce after e0\n"
                       "compute: aten.add_.Tensor relu x -> relu\n");
}

TEST_F(LowerTest, AnInputThatIsWrittenAfterTheWaitIsReadWhereItLies) {
  Node *x = b.input("x", b.f32({4}));
  Node *a = relu(x);
  Node *w = wait(reduce(a));
  b.call("aten.add_.Tensor", x->type(), {a, x});
  b.output({w, a});
  EXPECT_EQ(lowered(), "compute: aten.relu.default x -> relu e0\n"
                       "comm:tp: all_reduce relu -> all_reduce after e0 e1\n"
                       "compute: aten.add_.Tensor relu x -> relu after e1\n");
}

TEST_F(LowerTest, ATransposedTensorIsPackedBeforeItIsSent) {
  Node *x = b.input("x", b.f32({4, 2}));
  Node *t = b.call("aten.t.default", b.strided(x->type(), {2, 4}, {1, 2}), {x});
  Node *g = b.call("_c10d_functional.all_gather_into_tensor.default", b.f32({4, 4}), {t, 2, "tp"});
  b.output({wait(g)});
  EXPECT_EQ(lowered(), "compute: copy x -> all_gather_into_tensor e0\n"
                       "comm:tp: all_gather all_gather_into_tensor -> all_gather_into_tensor after e0\n");
  EXPECT_EQ(plan_->buffers.size(), 3U);
}

TEST_F(LowerTest, WhatIsSentFromTheBufferThatIsFilledIsCopiedOut) {
  Node *x = b.input("x", b.f32({8}));
  Node *own = b.call("aten.slice.Tensor", b.f32({4}), {x, 0, 0, 4});
  Node *g = b.call("_c10d_functional.all_gather_into_tensor_out.default", x->type(), {own, 2, "tp"}, x);
  b.output({wait(g)});
  EXPECT_EQ(lowered(), "compute: copy x -> all_gather_into_tensor_out e0\n"
                       "comm:tp: all_gather all_gather_into_tensor_out -> x after e0\n");
}

TEST_F(LowerTest, BuffersTakeTurnsOnTheSameBytes) {
  Node *x = b.input("x", b.f32({4, 4}));
  Node *a = x;
  for (int i = 0; i < 10; ++i)
    a = b.call("aten.mm.default", x->type(), {a, x});
  b.output({a});
  lowered();
  EXPECT_EQ(plan_->layout.computeBytes, 2 * 64);
  EXPECT_EQ(plan_->layout.liveBytes, 2 * 64);
}

TEST_F(LowerTest, AnElementwiseResultTakesAnOperandsPlace) {
  Node *x = b.input("x", b.f32({16}));
  Node *a = x;
  for (int i = 0; i < 10; ++i)
    a = relu(a);
  b.output({a});
  lowered();
  EXPECT_EQ(plan_->layout.computeBytes, 64);
  EXPECT_EQ(plan_->layout.liveBytes, 64);
}

TEST_F(LowerTest, AnOperandThatIsNeededKeepsItsPlace) {
  Node *x = b.input("x", b.f32({16}));
  Node *a = relu(x);
  Node *c = relu(a);
  b.output({c, a});
  lowered();
  EXPECT_EQ(plan_->layout.computeBytes, 2 * 64);
}

TEST_F(LowerTest, AnOperandOfTwoNamesKeepsItsPlace) {
  Node *x = b.input("x", b.f32({4, 4}));
  Node *a = relu(x);
  Node *turned = b.call("aten.t.default", b.strided(x->type(), {4, 4}, {1, 4}), {a});
  b.output({b.call("aten.add.Tensor", x->type(), {a, turned})});
  lowered();
  EXPECT_EQ(plan_->layout.computeBytes, 2 * 64);
}

TEST_F(LowerTest, AnOperandOfAnotherLayoutKeepsItsPlace) {
  Node *x = b.input("x", b.f32({16}));
  Node *y = b.input("y", b.f32({4, 16}));
  Node *a = relu(x);
  b.output({b.call("aten.add.Tensor", y->type(), {a, y})});
  lowered();
  EXPECT_EQ(plan_->layout.computeBytes, 64 + 256);
}

TEST_F(LowerTest, WhatIsInFlightKeepsItsBytesUntilTheWait) {
  Node *x = b.input("x", b.f32({16}));
  Node *a = relu(x);
  Node *c = reduce(a);
  Node *d = relu(x);
  Node *e = relu(d);
  Node *f = relu(e);
  b.output({add(wait(c), f)});
  lowered();
  // Live at the wait: a, c, and one of the others, since each of these reuses the memory of the previous one.
  EXPECT_EQ(plan_->layout.liveBytes, 3 * 64);
}

TEST_F(LowerTest, WhoTakesTheBytesOfAnotherComesAfterIt) {
  Node *x = b.input("x", b.f32({16}));
  Node *a = relu(x);
  Node *w = wait(reduce(a));
  Node *d = relu(x);
  b.output({w, d});
  // d is in the memory of a, which the collective read.
  EXPECT_EQ(lowered(), "compute: aten.relu.default x -> relu e0\n"
                       "comm:tp: all_reduce relu -> all_reduce after e0 e1\n"
                       "compute: aten.relu.default x -> relu_1 after e1\n");
}

TEST_F(LowerTest, AWaitThatIsImpliedIsLeftOut) {
  Node *x = b.input("x", b.f32({4}));
  Node *first = reduce(x);
  Node *second = reduce(x);
  Node *later = relu(wait(second));
  Node *earlier = relu(wait(first));
  b.output({later, earlier});
  EXPECT_EQ(lowered(), "comm:tp: all_reduce x -> all_reduce\n"
                       "comm:tp: all_reduce x -> all_reduce_1 e0\n"
                       "compute: aten.relu.default all_reduce_1 -> relu after e0\n"
                       "compute: aten.relu.default all_reduce -> relu_1\n");
}

TEST_F(LowerTest, NumbersAreTheHosts) {
  Node *x = b.input("x", b.tensor(DType::I64, {}));
  Node *n = b.call("aten._local_scalar_dense.default", context_.symbolicScalar(context_.symbolic("u0")), {x});
  Node *m = b.call("operator.add", context_.symbolicScalar(context_.symbolic("u0 + 1")), {n, 1});
  Node *full = b.call("aten.full.default",
                      context_.contiguousTensor(DType::F32, {Dim(context_.symbolic("u0 + 1"))}, x->type()->device()),
                      {std::vector<Actual>{m}.front(), 1.0});
  b.output({full});
  EXPECT_EQ(lowered(), "host: aten._local_scalar_dense.default x -> #0\n"
                       "host: operator.add #0 -> #1\n"
                       "compute: aten.full.default #1 -> full\n");
  EXPECT_EQ(plan_->buffers.back().home, Home::Growing);
}

/// x -> (attended, statistic, maximum)
struct Attention : LowerTest {
  Node *attend() {
    Node *x = b.input("x", b.f32({1, 2, 4, 8}));
    return b.call("higher_order.flex_attention", nullptr, {x, x, x, b.attribute("score"), 0.25});
  }
};

TEST_F(Attention, IsAStepWhoseSubgraphIsAnObject) {
  b.output({b.call("operator.getitem", b.f32({1, 2, 4, 8}), {attend(), 0})});
  EXPECT_EQ(lowered(), "compute: higher_order.flex_attention x x x  -> flex_attention\n");
  EXPECT_EQ(plan_->steps.front().kernel()->operands.back().value.object.str(), "score");
}

TEST_F(Attention, AnElementWithoutTypeIsRefusedWhereItIsUsed) {
  Node *fourth = b.call("operator.getitem", nullptr, {attend(), 3});
  b.output({b.call("aten.neg.default", b.f32({4}), {fourth})});
  EXPECT_NE(lowered().find("getitem: has no type, and is used [lower.type]"), std::string::npos);
}

/// (output, logsumexp, cum_seq_q, cum_seq_k, max_q, max_k, rng_state, unused, debug_attn_mask)
TEST_F(LowerTest, ANumberThatNobodyTakesIsNotTheHosts) {
  const Type *type = b.f32({1, 2, 4, 8});
  Node *x = b.input("x", type);
  Node *all = b.call("aten._scaled_dot_product_flash_attention.default", nullptr, {x, x, x, 0.0, true});
  b.output({b.call("operator.getitem", type, {all, 0})});
  EXPECT_EQ(lowered().substr(0, 9), "compute: ");
}

TEST_F(LowerTest, ANumberThatSomebodyTakesIsTheHosts) {
  const Type *type = b.f32({1, 2, 4, 8});
  Node *x = b.input("x", type);
  Node *all = b.call("aten._scaled_dot_product_flash_attention.default", nullptr, {x, x, x, 0.0, true});
  Node *tokens = b.call("operator.getitem", context_.symbolicScalar(context_.symbolic("u0")), {all, 4});
  b.output({b.call("operator.getitem", type, {all, 0}), tokens});
  EXPECT_EQ(lowered().substr(0, 6), "host: ");
}

TEST_F(LowerTest, ABufferGrowsWhereASymbolHasNoValue) {
  const Type *type = context_.contiguousTensor(DType::F32, {Dim(context_.symbolic("s0"))}, b.f32({1})->device());
  Node *x = b.input("x", type);
  b.output({b.call("aten.relu.default", type, {x})});
  lowered();
  EXPECT_EQ(plan_->buffers.back().home, Home::Growing);
  LoweringOptions options;
  options.symbols = {{"s0", 32}};
  lowered(options);
  EXPECT_EQ(plan_->layout.computeBytes, 128);
}

TEST_F(LowerTest, AStepLearnsWhatTheHostWaitedFor) {
  Node *x = b.input("x", b.tensor(DType::I64, {}));
  Node *w = wait(reduce(x));
  Node *n = b.call("aten._local_scalar_dense.default", context_.symbolicScalar(context_.symbolic("u0")), {w});
  Node *sum = b.call("aten.add.Tensor", x->type(), {w, n});
  b.output({sum});
  EXPECT_EQ(lowered(), "comm:tp: all_reduce x -> all_reduce e0\n"
                       "host: aten._local_scalar_dense.default all_reduce -> #0 after e0\n"
                       "compute: aten.add.Tensor all_reduce #0 -> add\n");
}

TEST_F(LowerTest, AResultThatALaterWaitMayCopyAgainIsNotWritten) {
  Node *x = b.input("x", b.f32({4}));
  const Type *half = b.f32({2});
  Node *list = b.call("_c10d_functional.reduce_scatter_tensor_coalesced.default", nullptr,
                      {ProgramBuilder::Nodes{x, x}, "sum", 2, "tp"});
  Node *first = wait(b.call("operator.getitem", half, {list, 0}));
  Node *written = b.call("aten.add_.Tensor", half, {first, first});
  Node *second = wait(b.call("operator.getitem", half, {list, 1}));
  b.output({written, second});
  EXPECT_NE(lowered().find("[lower.rewritten]"), std::string::npos);
}

TEST_F(LowerTest, WhoTakesOtherBytesOfABufferNeedsNoWait) {
  Node *x = b.input("x", b.f32({64}));
  Node *a = relu(x);
  Node *tail = b.call("aten.slice.Tensor", b.f32({16}), {a, 0, 48, 64});
  Node *w = wait(reduce(tail));
  Node *d = b.call("aten.full.default", b.f32({16}), {std::vector<int64_t>{16}, 1.0});
  b.output({w, d});
  // d uses the first bytes of a, and the collective reads the last ones.
  EXPECT_EQ(lowered(), "compute: aten.relu.default x -> relu e0\n"
                       "comm:tp: all_reduce relu+48 -> all_reduce after e0\n"
                       "compute: aten.full.default  -> full\n");
}

TEST_F(LowerTest, ABodyOfControlDepsIsPartOfTheProgram) {
  Node *x = b.input("x", b.f32({4}));
  Graph &body = graph_.addSubgraph(context_.identifier("body"));
  ProgramBuilder inner(body);
  Node *a = inner.input("a", x->type());
  Node *n = inner.input("n", nullptr);
  Node *scaled = inner.call("aten.mul.Tensor", x->type(), {a, n});
  inner.result(inner.call("aten.relu.default", x->type(), {scaled}));
  Node *attribute = b.attribute("body");
  Node *y = b.call("higher_order.control_deps", x->type(), {ProgramBuilder::Nodes{x}, attribute, x, 2.0});
  b.output({add(y, x)});
  EXPECT_EQ(lowered(), "compute: aten.mul.Tensor x -> mul\n"
                       "compute: aten.relu.default mul -> relu\n"
                       "compute: aten.add.Tensor relu x -> add\n");
}

TEST_F(LowerTest, ABodyOfInvokeSubgraphIsPartOfTheProgramAtEachCall) {
  Node *x = b.input("x", b.f32({4}));
  Graph &body = graph_.addSubgraph(context_.identifier("body"));
  ProgramBuilder inner(body);
  Node *a = inner.input("a", x->type());
  inner.output({inner.call("aten.relu.default", x->type(), {a}), a});
  Node *value = x;
  for (const char *attribute : {"body", "body"}) {
    Node *call = b.call("higher_order.invoke_subgraph", nullptr, {b.attribute(attribute), "body", value});
    value = b.call("operator.getitem", x->type(), {call, 0});
  }
  b.output({value});
  EXPECT_EQ(lowered(), "compute: aten.relu.default x -> relu\n"
                       "compute: aten.relu.default relu -> relu_1\n");
}

TEST_F(LowerTest, CommunicationMayHaveAnArenaOfItsOwn) {
  Node *x = b.input("x", b.f32({16}));
  Node *w = wait(reduce(relu(x)));
  b.output({relu(w)});
  LoweringOptions options;
  options.separateCommunication = true;
  lowered(options);
  EXPECT_EQ(plan_->layout.communicationBytes, 2 * 64);
  EXPECT_EQ(plan_->layout.computeBytes, 64);
}

TEST_F(LowerTest, TransfersCrosswiseHaveStreamsOfTheirOwn) {
  Node *x = b.input("x", b.f32({4}));
  Node *buffer = relu(x);
  Node *send = b.call("_c10d_functional.isend.default", x->type(), {x, 1, 0, "tp"});
  Node *receive = b.call("_c10d_functional.irecv.default", x->type(), {buffer, 1, 0, "tp"});
  wait(send);
  b.output({wait(receive)});
  std::string plan = lowered();
  EXPECT_NE(plan.find("send:tp:1:0: send x -> -"), std::string::npos) << plan;
  EXPECT_NE(plan.find("recv:tp:1:0: recv - -> relu"), std::string::npos) << plan;
}

} // namespace
} // namespace ccgraph::test
