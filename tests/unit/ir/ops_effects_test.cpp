// Tests the effects of single nodes: what a call does to its operands' storages and to the outside, refined by its
// arguments.
#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/group_id.h"

#include <gtest/gtest.h>

namespace ccgraph {
namespace {

class EffectsTest : public testing::Test {
protected:
  Node *input(llvm::StringRef type) {
    return graph_.create({.opcode = Opcode::Placeholder, .name = "x", .target = id("x"), .type = typeOf(type)},
                         ArgumentBuilder(graph_), {});
  }
  /// Makes a call whose first arguments are nodes and whose others are literals.
  Node *call(llvm::StringRef target, llvm::ArrayRef<Node *> nodes, llvm::ArrayRef<Argument> rest = {},
             llvm::StringRef type = "") {
    ArgumentBuilder builder(graph_);
    std::vector<Argument> arguments;
    for (Node *node : nodes)
      arguments.push_back(builder.operand(node));
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    return create(target, std::move(builder), arguments, {}, type);
  }
  Node *create(llvm::StringRef target, ArgumentBuilder &&builder, llvm::ArrayRef<Argument> arguments,
               llvm::ArrayRef<NamedArgument> keywords = {}, llvm::StringRef type = "") {
    return graph_.create({.name = "n", .target = id(target), .type = typeOf(type)}, std::move(builder),
                         {arguments, keywords});
  }
  Argument text(llvm::StringRef value) { return Argument::string(id(value)); }
  Identifier id(llvm::StringRef value) { return context_.identifier(value); }
  const Type *typeOf(llvm::StringRef value) {
    return value.empty() ? nullptr : llvm::cantFail(parseType(context_, value));
  }

  Context context_;
  Graph graph_{context_};
};

constexpr Access readWriteAlias = Access::Read | Access::Write | Access::Alias;
constexpr Access everything = readWriteAlias | Access::Place;
constexpr Access anything = everything | Access::Reshape;

TEST_F(EffectsTest, AViewReadsNothing) {
  Node *x = input("f32[4, 6][6, 1]cpu");
  Effects effects = effectsOf(*call("aten.view.default", {x}));
  EXPECT_EQ(effects.operands[0], Access::Alias);
  EXPECT_FALSE(effects.freshResult);
  EXPECT_FALSE(effects.keepAlways);
}

TEST_F(EffectsTest, StridesProveAReshapeAView) {
  Node *x = input("f32[4, 6][6, 1]cpu");
  Node *view = call("aten.reshape.default", {x}, {}, "f32[24][1]cpu");
  EXPECT_EQ(effectsOf(*view).operands[0], Access::Alias);
  EXPECT_FALSE(effectsOf(*view).freshResult);
  EXPECT_TRUE(isViewLike(*view));
}

TEST_F(EffectsTest, StridesProveAReshapeACopy) {
  Node *x = input("f32[4, 6][1, 4]cpu");
  Node *copy = call("aten.reshape.default", {x}, {}, "f32[24][1]cpu");
  EXPECT_EQ(effectsOf(*copy).operands[0], Access::Read);
  EXPECT_TRUE(effectsOf(*copy).freshResult);
  EXPECT_FALSE(isViewLike(*copy));
}

TEST_F(EffectsTest, AReshapeOfUnknownStridesMayBeEither) {
  Node *x = input("f32[u0, 6]");
  Node *either = call("aten.reshape.default", {x}, {}, "f32[6*u0]");
  EXPECT_EQ(effectsOf(*either).operands[0], Access::Read | Access::Alias);
  EXPECT_TRUE(effectsOf(*either).freshResult);
}

TEST_F(EffectsTest, ToIsACopyWhereTheDTypeChanges) {
  Node *x = input("f32[4][1]cpu");
  EXPECT_EQ(effectsOf(*call("aten.to.dtype", {x}, {Argument::dtype(DType::BF16)}, "bf16[4][1]cpu")).operands[0],
            Access::Read);
  EXPECT_EQ(effectsOf(*call("aten.to.dtype", {x}, {Argument::dtype(DType::F32)}, "f32[4][1]cpu")).operands[0],
            Access::Alias);
}

TEST_F(EffectsTest, AnOutBufferGivenByKeywordIsWritten) {
  Node *x = input("f32[4][1]cpu");
  Node *a = input("f32[2][1]cpu");
  Node *b = input("f32[2][1]cpu");
  ArgumentBuilder builder(graph_);
  Argument self = builder.operand(x);
  Argument sizes = builder.integers({2, 2});
  Argument out = builder.nodes({a, b});
  Node *node = create("aten.split_with_sizes_copy.out", std::move(builder), {self, sizes}, {{id("out"), out}});
  Effects effects = effectsOf(*node);
  EXPECT_EQ(effects.operands[0], Access::Read);
  EXPECT_EQ(effects.operands[1], Access::Write | Access::Place | Access::Reshape);
  EXPECT_EQ(effects.operands[2], Access::Write | Access::Place | Access::Reshape);
  EXPECT_FALSE(effects.freshResult);
  EXPECT_TRUE(effects.keepAlways);
}

TEST_F(EffectsTest, AnArgumentThatNoSchemaForeseesMayBeWritten) {
  Node *x = input("f32[4][1]cpu");
  ArgumentBuilder builder(graph_);
  Argument self = builder.operand(x);
  Argument extra = builder.operand(x);
  Node *node = create("aten.neg.default", std::move(builder), {self}, {{id("mystery"), extra}});
  EXPECT_EQ(effectsOf(*node).operands[1], anything);
}

TEST_F(EffectsTest, ACallWithoutOverloadReadsWhatItsOverloadsRead) {
  Node *x = input("f32[4][1]cpu");
  EXPECT_EQ(effectsOf(*call("aten.where", {x, x, x})).operands[2], Access::Read);
  ArgumentBuilder builder(graph_);
  Argument self = builder.operand(x);
  Argument out = builder.operand(x);
  Node *node = create("aten.where", std::move(builder), {self}, {{id("out"), out}});
  EXPECT_EQ(effectsOf(*node).operands[1], anything) << "it may be the out= of an overload";
}

TEST_F(EffectsTest, AttentionWithoutDropoutIsPure) {
  Node *q = input("f32[1, 1, 4, 4]");
  Node *pure = call("aten._scaled_dot_product_flash_attention.default", {q, q, q}, {Argument::floating(0)});
  Node *byDefault = call("aten._scaled_dot_product_flash_attention.default", {q, q, q});
  Node *random = call("aten._scaled_dot_product_flash_attention.default", {q, q, q}, {Argument::floating(0.1)});
  EXPECT_EQ(effectsOf(*pure).domain, Domain::None);
  EXPECT_EQ(effectsOf(*byDefault).domain, Domain::None);
  EXPECT_EQ(effectsOf(*random).domain, Domain::Rng);
  EXPECT_FALSE(effectsOf(*pure).keepAlways);
  EXPECT_TRUE(effectsOf(*random).keepAlways);
}

TEST_F(EffectsTest, DropoutOutsideTrainingIsPureButBernoulliOfZeroIsNot) {
  Node *x = input("f32[4][1]cpu");
  auto domain = [&](llvm::StringRef target, llvm::ArrayRef<Argument> rest) {
    return effectsOf(*call(target, {x}, rest)).domain;
  };
  EXPECT_EQ(domain("aten.native_dropout.default", {Argument::floating(0.5), Argument::boolean(true)}), Domain::Rng);
  EXPECT_EQ(domain("aten.native_dropout.default", {Argument::floating(0.5), Argument::boolean(false)}), Domain::None);
  EXPECT_EQ(domain("aten.native_dropout.default", {Argument::floating(0), Argument::boolean(true)}), Domain::None);
  EXPECT_EQ(domain("aten.bernoulli.p", {Argument::floating(0)}), Domain::Rng);
}

TEST_F(EffectsTest, AFunctionalAllReduceReadsAtLaunchAGatherInFlight) {
  Node *x = input("f32[4][1]cpu");
  Effects reduce = effectsOf(*call("_c10d_functional.all_reduce.default", {x}, {text("sum"), text("0")}));
  EXPECT_TRUE(reduce.launches && reduce.freshResult && reduce.keepAlways);
  EXPECT_EQ(reduce.operands[0], Access::Read);
  EXPECT_EQ(reduce.domain, Domain::Comm);
  Effects gather =
      effectsOf(*call("_c10d_functional.all_gather_into_tensor.default", {x}, {Argument::integer(2), text("0")}));
  EXPECT_EQ(gather.operands[0], Access::InFlightRead);
  Effects inPlace = effectsOf(*call("_c10d_functional.all_reduce_.default", {x}, {text("sum"), text("0")}));
  EXPECT_EQ(inPlace.operands[0], Access::InFlightRead | Access::InFlightWrite | Access::Alias);
  EXPECT_FALSE(inPlace.freshResult);
}

TEST_F(EffectsTest, AReceiveWritesItsBufferASendYieldsAToken) {
  Node *x = input("f32[4][1]cpu");
  llvm::SmallVector<Argument> rest = {Argument::integer(1), Argument::integer(0), text("0")};
  Effects receive = effectsOf(*call("_c10d_functional.irecv.default", {x}, rest));
  EXPECT_EQ(receive.operands[0], Access::InFlightWrite | Access::Alias);
  EXPECT_FALSE(receive.freshResult);
  Effects send = effectsOf(*call("_c10d_functional.isend.default", {x}, rest));
  EXPECT_EQ(send.operands[0], Access::InFlightRead);
  EXPECT_TRUE(send.freshResult);
}

TEST_F(EffectsTest, ABatchSendsSomeAndReceivesOthers) {
  Node *a = input("f32[4][1]cpu");
  Node *b = input("f32[4][1]cpu");
  ArgumentBuilder builder(graph_);
  Argument kinds = builder.sequence(Argument::Kind::List, {text("isend"), text("irecv")});
  Argument peers = builder.integers({1, 1});
  Argument tags = builder.integers({0, 0});
  Argument tensors = builder.nodes({a, b});
  Node *batch =
      create("_c10d_functional.batch_p2p_ops.default", std::move(builder), {kinds, peers, tags, tensors, text("0")});
  Effects effects = effectsOf(*batch);
  EXPECT_EQ(effects.operands[0], Access::InFlightRead);
  EXPECT_EQ(effects.operands[1], Access::InFlightWrite | Access::Alias);
  std::optional<CollectiveCall> call = collectiveCall(*batch);
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(call->inputs[0], a);
  EXPECT_EQ(call->outputs[0], b);
  EXPECT_EQ(call->group, "0");
}

TEST_F(EffectsTest, AWaitSharesAndIsKept) {
  Node *x = input("f32[4][1]cpu");
  Effects effects = effectsOf(*call("_c10d_functional.wait_tensor.default", {x}));
  EXPECT_TRUE(effects.waits && effects.keepAlways);
  EXPECT_FALSE(effects.freshResult);
  EXPECT_EQ(effects.operands[0], Access::Alias | Access::Complete);
}

TEST_F(EffectsTest, AnInPlaceFormOfC10dIsSynchronous) {
  Node *x = input("f32[4][1]cpu");
  Node *pg = graph_.create({.opcode = Opcode::GetAttr, .name = "pg", .target = id("pg")}, ArgumentBuilder(graph_), {});
  ArgumentBuilder builder(graph_);
  Argument list = builder.nodes({x});
  Argument group = builder.operand(pg);
  Node *node = create("c10d.allreduce_.default", std::move(builder), {list, group});
  Effects effects = effectsOf(*node);
  EXPECT_FALSE(effects.launches);
  EXPECT_EQ(effects.operands[0], readWriteAlias);
  EXPECT_EQ(groupIdOf(*node).kind, GroupId::Kind::Value);
  graph_.groups().set({.name = "pg", .ranks = {0, 1}});
  EXPECT_EQ(groupIdOf(*node).kind, GroupId::Kind::Name);
}

TEST_F(EffectsTest, MetadataIsNotRead) {
  Node *x = input("f32[4][1]cpu");
  EXPECT_EQ(effectsOf(*call("aten.zeros_like.default", {x})).operands[0], Access::Nothing);
  EXPECT_EQ(effectsOf(*call("aten.sym_size.int", {x}, {Argument::integer(0)})).operands[0], Access::Nothing);
  EXPECT_EQ(effectsOf(*call("aten.add.Tensor", {x, x})).operands[1], Access::Read);
}

TEST_F(EffectsTest, AnOpaqueCallMayDoEverything) {
  Node *x = input("f32[4][1]cpu");
  Effects effects = effectsOf(*call("mylib.op.default", {x}));
  EXPECT_EQ(effects.operands[0], anything);
  EXPECT_EQ(effects.domain, Domain::All);
  EXPECT_TRUE(effects.keepAlways && effects.freshResult);
}

/// Returns true if any node of the graph may reshape the value.
bool isReshaped(const Node &value) {
  return mayBeReshapedBy(value, [](const Node &) { return true; });
}

TEST_F(EffectsTest, ATensorReshapedInPlaceProvesNoView) {
  Node *x = input("f32[4, 6][6, 1]cpu");
  Node *sum = call("aten.add_.Tensor", {x, x}, {}, "f32[4, 6][6, 1]cpu");
  Node *other = input("f32[4, 6][6, 1]cpu");
  Node *reshape = call("aten.reshape.default", {x}, {}, "f32[24][1]cpu");
  Node *kept = call("aten.reshape.default", {other}, {}, "f32[24][1]cpu");
  Node *turned = call("aten.t_.default", {sum}, {}, "f32[6, 4][1, 6]cpu");
  EXPECT_EQ(effectsOf(*turned).operands[0], readWriteAlias | Access::Reshape);
  EXPECT_TRUE(isReshaped(*x) && isReshaped(*sum) && isReshaped(*turned)) << "under every name";
  EXPECT_TRUE(isViewLike(*reshape)) << "its type held when it ran";
  Node *late = call("aten.reshape.default", {x}, {}, "f32[24][1]cpu");
  EXPECT_FALSE(isViewLike(*late));
  EXPECT_EQ(effectsOf(*late).operands[0], Access::Read | Access::Alias);
  EXPECT_FALSE(isReshaped(*other));
  EXPECT_TRUE(mayBeReshapedBefore(*x, *late));
  EXPECT_FALSE(mayBeReshapedBefore(*x, *turned));
  EXPECT_TRUE(isViewLike(*kept));
}

TEST_F(EffectsTest, ABufferOfTheResultsSizesIsNotReshaped) {
  Node *x = input("f32[4][1]cpu");
  auto addInto = [&](Node *buffer, llvm::StringRef type) {
    ArgumentBuilder builder(graph_);
    Argument a = builder.operand(x);
    Argument b = builder.operand(x);
    Argument out = builder.operand(buffer);
    return create("aten.add.out", std::move(builder), {a, b}, {{id("out"), out}}, type);
  };
  constexpr Access fills = Access::Write | Access::Alias | Access::Place;
  Node *fitting = input("f32[4][1]cpu");
  Node *filled = addInto(fitting, "f32[4][1]cpu");
  EXPECT_EQ(effectsOf(*filled).operands[2], fills);
  EXPECT_FALSE(isReshaped(*fitting));
  Node *small = input("f32[0][1]cpu");
  EXPECT_EQ(effectsOf(*addInto(small, "f32[4][1]cpu")).operands[2], fills | Access::Reshape);
  EXPECT_EQ(effectsOf(*addInto(small, "f32[0][1]cpu")).operands[2], fills | Access::Reshape) << "it was resized above";
  Node *longer = call("aten.unsqueeze_.default", {filled});
  EXPECT_EQ(effectsOf(*filled).operands[2], fills) << "what comes later changes nothing";
  EXPECT_EQ(effectsOf(*addInto(longer, "f32[4][1]cpu")).operands[2], fills | Access::Reshape);
  EXPECT_EQ(effectsOf(*addInto(fitting, "f32[4][1]cpu")).operands[2], fills | Access::Reshape)
      << "another name of it was reshaped";
}

TEST_F(EffectsTest, OperatorsReshapeThoughNoTagSaysSo) {
  Node *x = input("f32[4][1]cpu");
  for (const char *target : {"aten.set_data.default", "aten._resize_output_.default", "aten.resize_as_sparse_.default",
                             "prims.resize.default", "inductor.resize_storage_bytes_.default"})
    EXPECT_TRUE(has(effectsOf(*call(target, {x})).operands[0], Access::Reshape)) << target;
  EXPECT_FALSE(has(effectsOf(*call("aten.detach_.default", {x})).operands[0], Access::Reshape)) << "its gradient only";
  EXPECT_FALSE(has(effectsOf(*call("aten.add_.Tensor", {x, x})).operands[0], Access::Reshape));
}

TEST_F(EffectsTest, ACondDoesWhatItsBranchesDo) {
  Node *x = input("f32[4][1]cpu");
  auto branch = [&](const char *name, const char *target) {
    Graph &body = graph_.addSubgraph(id(name));
    Node *inner =
        body.create({.opcode = Opcode::Placeholder, .name = "a", .target = id("a")}, ArgumentBuilder(body), {});
    ArgumentBuilder calling(body);
    Argument operand = calling.operand(inner);
    body.create({.name = "c", .target = id(target)}, std::move(calling), {operand, {}});
    return graph_.create({.opcode = Opcode::GetAttr, .name = name, .target = id(name)}, ArgumentBuilder(graph_), {});
  };
  Node *sin = branch("t", "aten.sin.default");
  Node *cos = branch("f", "aten.cos.default");
  Node *wait = branch("w", "_c10d_functional.wait_tensor.default");
  Effects pure = effectsOf(*call("higher_order.cond", {x, sin, cos}));
  EXPECT_EQ(pure.domain, Domain::None);
  EXPECT_FALSE(pure.keepAlways);
  EXPECT_EQ(pure.operands[0], Access::Read | Access::Alias | Access::Place);
  EXPECT_TRUE(pure.freshResult);
  Effects ordered = effectsOf(*call("higher_order.cond", {x, sin, wait}));
  EXPECT_EQ(ordered.domain, Domain::All);
  EXPECT_EQ(ordered.operands[0], anything);
  Effects unseen = effectsOf(*call("higher_order.with_effects", {x}));
  EXPECT_EQ(unseen.domain, Domain::All);
  EXPECT_TRUE(unseen.keepAlways);
}

TEST_F(EffectsTest, ControlDepsDoesWhatItsSubgraphDoes) {
  Node *dep = input("f32[4][1]cpu");
  Node *x = input("f32[4][1]cpu");
  Graph &body = graph_.addSubgraph(id("body"));
  Node *inner =
      body.create({.opcode = Opcode::Placeholder, .name = "arg_0", .target = id("arg_0")}, ArgumentBuilder(body), {});
  ArgumentBuilder waiting(body);
  Argument waited = waiting.operand(inner);
  Node *wait = body.create({.name = "w", .target = id("_c10d_functional.wait_tensor.default")}, std::move(waiting),
                           {waited, {}});
  ArgumentBuilder ending(body);
  Argument result = ending.operand(wait);
  body.create({.opcode = Opcode::Output, .name = "output", .target = id("output")}, std::move(ending), {result, {}});
  Node *attribute =
      graph_.create({.opcode = Opcode::GetAttr, .name = "body", .target = id("body")}, ArgumentBuilder(graph_), {});
  ArgumentBuilder builder(graph_);
  Argument deps = builder.nodes({dep});
  Argument graphArgument = builder.operand(attribute);
  Argument argument = builder.operand(x);
  Node *node = create("higher_order.control_deps", std::move(builder), {deps, graphArgument, argument});
  Effects effects = effectsOf(*node);
  EXPECT_TRUE(effects.waits && effects.keepAlways);
  EXPECT_FALSE(effects.freshResult);
  EXPECT_EQ(effects.operands[0], Access::Nothing);
  EXPECT_EQ(effects.operands[2], Access::Alias | Access::Complete);
  EXPECT_EQ(wrappedCall(*node), wait);
}

TEST_F(EffectsTest, WhatLaunchesAndWaitsInsideIsDoneAfterIt) {
  Node *dep = input("f32[4][1]cpu");
  Node *x = input("f32[4][1]cpu");
  Graph &body = graph_.addSubgraph(id("body"));
  auto inner = [&](llvm::StringRef target, Node *operand, llvm::ArrayRef<Argument> rest) {
    ArgumentBuilder builder(body);
    std::vector<Argument> arguments = {builder.operand(operand)};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    return body.create({.name = "c", .target = id(target)}, std::move(builder), {arguments, {}});
  };
  Node *formal =
      body.create({.opcode = Opcode::Placeholder, .name = "a", .target = id("a")}, ArgumentBuilder(body), {});
  Node *launch = inner("_c10d_functional.all_gather_into_tensor.default", formal, {Argument::integer(2), text("0")});
  Node *attribute =
      graph_.create({.opcode = Opcode::GetAttr, .name = "body", .target = id("body")}, ArgumentBuilder(graph_), {});
  ArgumentBuilder builder(graph_);
  Argument deps = builder.nodes({dep});
  Argument graphArgument = builder.operand(attribute);
  Argument argument = builder.operand(x);
  Node *node = create("higher_order.control_deps", std::move(builder), {deps, graphArgument, argument});
  EXPECT_TRUE(effectsOf(*node).launches);
  EXPECT_EQ(effectsOf(*node).operands[2], Access::InFlightRead);
  inner("_c10d_functional.wait_tensor.default", launch, {});
  Effects effects = effectsOf(*node);
  EXPECT_FALSE(effects.launches || effects.waits);
  EXPECT_TRUE(effects.keepAlways);
  EXPECT_EQ(effects.domain, Domain::Comm);
  EXPECT_EQ(effects.operands[2], Access::Read);
  inner("_c10d_functional.wait_tensor.default", formal, {});
  EXPECT_TRUE(effectsOf(*node).waits) << "for a launch outside";
  EXPECT_EQ(effectsOf(*node).operands[2], Access::Read | Access::Complete);
}

TEST_F(EffectsTest, AnOperatorIsPureOnlyIfAllItsSubgraphsAreHereAndPure) {
  Node *x = input("f32[4][1]cpu");
  auto branch = [&](const char *name, const char *target) {
    Graph &body = graph_.addSubgraph(id(name));
    Node *inner =
        body.create({.opcode = Opcode::Placeholder, .name = "a", .target = id("a")}, ArgumentBuilder(body), {});
    ArgumentBuilder calling(body);
    Argument operand = calling.operand(inner);
    body.create({.name = "c", .target = id(target)}, std::move(calling), {operand, {}});
    return graph_.create({.opcode = Opcode::GetAttr, .name = name, .target = id(name)}, ArgumentBuilder(graph_), {});
  };
  auto attribute = [&](const char *name, const Type *type) {
    return graph_.create({.opcode = Opcode::GetAttr, .name = name, .target = id(name), .type = type},
                         ArgumentBuilder(graph_), {});
  };
  Node *pure = branch("pure", "aten.sin.default");
  Node *weight = attribute("weight", x->type());
  Node *missing = attribute("missing", nullptr);
  Node *formal = input("");
  auto domain = [&](llvm::ArrayRef<Node *> nodes, llvm::ArrayRef<Argument> rest = {}) {
    return effectsOf(*call("higher_order.cond", nodes, rest)).domain;
  };
  EXPECT_EQ(domain({x, pure, pure, weight}), Domain::None);
  EXPECT_EQ(domain({x, pure, missing}), Domain::All);
  EXPECT_EQ(domain({x, missing, pure}), Domain::All);
  EXPECT_EQ(domain({x, pure, formal}), Domain::All) << "a subgraph that is handed in";
  EXPECT_EQ(domain({x, pure}, {Argument::word(Argument::Kind::Python, id("functools.partial(f)"))}), Domain::All);
  EXPECT_EQ(domain({x, pure, branch("writes", "aten.relu_.default")}), Domain::All);
  EXPECT_EQ(domain({x, pure, branch("reshapes", "aten.t_.default")}), Domain::All);
  EXPECT_EQ(domain({x, pure, branch("draws", "aten.bernoulli.default")}), Domain::All);
  EXPECT_EQ(domain({x, pure, branch("unknown", "mylib.op.default")}), Domain::All);
}

TEST_F(EffectsTest, BytesAndGroupsOfCollectives) {
  Node *x = input("f32[4][1]cpu");
  Node *gather =
      call("_c10d_functional.all_gather_into_tensor.default", {x}, {Argument::integer(2), text("tp")}, "f32[8][1]cpu");
  EXPECT_EQ(inputBytes(*gather), 16);
  EXPECT_EQ(outputBytes(*gather), 32);
  EXPECT_EQ(groupIdOf(*gather).text, "tp");
  EXPECT_EQ(collectiveCall(*gather)->groupSize, 2);
  Node *symbolic =
      call("_c10d_functional.all_reduce.default", {input("f32[u0][1]cpu")}, {text("SUM"), text("tp")}, "f32[u0][1]cpu");
  EXPECT_EQ(inputBytes(*symbolic), std::nullopt);
  EXPECT_EQ(collectiveCall(*symbolic)->reduceOp, "sum");
  EXPECT_EQ(collectiveCall(*x), std::nullopt);
}

} // namespace
} // namespace ccgraph
