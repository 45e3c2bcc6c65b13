// Tests the rules async.*: values in flight, permitted accesses to them, and which waits complete an async pair.
#include "ccgraph/ir/verifier.h"
#include "unit/ir/program.h"

#include <gtest/gtest.h>

namespace ccgraph {
namespace {

using test::Item;
using test::list;
using test::Program;

constexpr const char *vec4 = "f32[4][1]cpu";

class VerifierAsync : public testing::Test {
protected:
  Node *allReduce(const char *name, Node *x) {
    return p_.call(name, "_c10d_functional.all_reduce.default", {x, "sum", "0"}, vec4);
  }
  Node *allReduceInPlace(const char *name, Node *x) {
    return p_.call(name, "_c10d_functional.all_reduce_.default", {x, "sum", "0"}, vec4);
  }
  Node *gather(const char *name, Node *x) {
    return p_.call(name, "_c10d_functional.all_gather_into_tensor.default", {x, 2, "0"}, "f32[8][1]cpu");
  }
  Node *coalesced(const char *name, Node *a, Node *b) {
    Node *launch = p_.call(name, "_c10d_functional.all_reduce_coalesced.default", {list({a, b}), "sum", "0"});
    p_.graph.setType(launch, p_.listType({vec4, vec4}));
    return launch;
  }
  Node *slice(const char *name, Node *x, int begin) {
    return p_.call(name, "aten.slice.Tensor", {x, 0, begin, begin + 8}, "f32[8][1]cpu");
  }
  Node *gatherInto(const char *name, Node *out) {
    return p_.call(name, "_c10d_functional.all_gather_into_tensor_out.default", {x_, 2, "0"}, {{"out", out}},
                   "f32[8][1]cpu");
  }
  Node *item(const char *name, Node *list, int index) { return p_.call(name, "operator.getitem", {list, index}, vec4); }
  Node *wait(const char *name, Node *x) { return p_.call(name, "_c10d_functional.wait_tensor.default", {x}); }
  Node *neg(const char *name, Node *x) { return p_.call(name, "aten.neg.default", {x}); }
  Node *addInPlace(const char *name, Node *x) { return p_.call(name, "aten.add_.Scalar", {x, 1}); }
  std::string found(VerifyOptions options = {}) { return toString(verify(p_.graph, options)); }

  Program p_;
  Node *x_ = p_.input("x", vec4);
  Node *y_ = p_.input("y", vec4);
};

std::string readInFlight(const std::string &who, const std::string &value, const std::string &pair,
                         const std::string &launch) {
  return "error: " + who + ": reads '" + value + "' while " + pair +
         " is in flight; expected a wait before [async.read-in-flight]\n" + "  note: wait on '" + launch +
         "' and read what the wait yields\n";
}
std::string writtenInFlight(const std::string &who, const std::string &value, const std::string &launch) {
  return "error: " + who + ": writes '" + value + "' while '" + launch +
         "' is in flight and uses its storage; expected a wait before [async.write-in-flight]\n" + "  note: wait on '" +
         launch + "' first, or write a copy\n";
}
std::string missingWait(const std::string &severity, const std::string &launch = "ar") {
  return severity + ": " + launch +
         ": has no wait; expected at least one [async.missing-wait]\n"
         "  note: add a wait_tensor on the result, or return it to a caller that waits\n";
}

/// Takes two vectors from a list of views of f32[4, 4]; the first is in flight.
class VerifierParts : public VerifierAsync {
protected:
  std::string foundWith(const char *target, const std::vector<Item> &rest, int first, int second) {
    std::vector<Item> args = {buffer_};
    args.insert(args.end(), rest.begin(), rest.end());
    Node *list = p_.call("l", target, args);
    Node *launch = p_.call("ar", "_c10d_functional.all_reduce_.default", {row("e", list, first), "sum", "0"}, part);
    Node *r = neg("r", row("f", list, second));
    p_.output({wait("w", launch), r});
    return found();
  }
  Node *row(const char *name, Node *list, int index) { return p_.call(name, "operator.getitem", {list, index}, part); }
  static constexpr const char *part = "f32[1, 4][4, 1]cpu";
  Node *buffer_ = p_.input("b", "f32[4, 4][4, 1]cpu");
};

TEST_F(VerifierParts, RowsOfAnUnbindLieApart) { EXPECT_EQ(foundWith("aten.unbind.int", {}, 0, 3), ""); }

TEST_F(VerifierParts, OneRowOfAnUnbindIsInFlight) {
  EXPECT_EQ(foundWith("aten.unbind.int", {}, 1, 1), readInFlight("r", "f", "'ar'", "ar"));
}

TEST_F(VerifierParts, ChunksLieApart) { EXPECT_EQ(foundWith("aten.chunk.default", {4}, 2, 1), ""); }

TEST_F(VerifierParts, PartsAlongADimensionCountedFromTheEndLieApart) {
  EXPECT_EQ(foundWith("aten.split.Tensor", {1, -2}, 0, 1), "");
}

/// Elements of a computed list have storages of their own, whose parts are disjoint as in any tensor.
TEST_F(VerifierParts, PartsOfAComputedElementLieApart) {
  Node *made = p_.call("m", "aten._foreach_neg.default", {list({buffer_, buffer_})});
  buffer_ = p_.call("c", "operator.getitem", {made, 1}, "f32[4, 4][4, 1]cpu");
  EXPECT_EQ(foundWith("aten.split.Tensor", {1, 0}, 0, 1), "");
}

TEST_F(VerifierParts, OnePartOfAComputedElementIsInFlight) {
  Node *made = p_.call("m", "aten._foreach_neg.default", {list({buffer_, buffer_})});
  buffer_ = p_.call("c", "operator.getitem", {made, 1}, "f32[4, 4][4, 1]cpu");
  EXPECT_EQ(foundWith("aten.split.Tensor", {1, 0}, 1, 1), readInFlight("r", "f", "'ar'", "ar"));
}

/// A batch that sends s to the other rank and receives d from it.
struct Batch {
  Batch(test::Program &p, Node *s, Node *d)
      : launch(p.call("batch", "_c10d_functional.batch_p2p_ops.default",
                      {list({"isend", "irecv"}), list({1, 1}), list({0, 0}), list({s, d}), "0"})),
        token(p.call("token", "operator.getitem", {launch, 0}, "f32[0][1]cpu")),
        received(p.call("received", "operator.getitem", {launch, 1}, vec4)) {}
  Node *launch, *token, *received;
};

TEST_F(VerifierAsync, WhatABatchOnlySendsMayBeRead) {
  Batch batch(p_, x_, y_);
  Node *r = neg("r", x_);
  wait("w", batch.token);
  p_.output({wait("v", batch.received), r});
  EXPECT_EQ(found(), "");
}

TEST_F(VerifierAsync, WhatABatchSendsMayNotBeWritten) {
  Batch batch(p_, x_, y_);
  addInPlace("a", x_);
  wait("w", batch.token);
  p_.output({wait("v", batch.received)});
  EXPECT_EQ(found(), writtenInFlight("a", "x", "batch"));
}

TEST_F(VerifierAsync, WhatABatchReceivesMayNotBeRead) {
  Batch batch(p_, x_, y_);
  neg("r", y_);
  wait("w", batch.token);
  p_.output({wait("v", batch.received)});
  EXPECT_EQ(found(), readInFlight("r", "y", "'batch'", "batch"));
}

/// Two tensors that one call fills, taken from a list in its result list.
class VerifierNestedLists : public VerifierAsync {
protected:
  Node *filled(const char *name, int index) { return item(name, inner_, index); }
  Node *group_ = p_.input("g", "");
  Node *pair_ = p_.call("p", "c10d.allgather_.default", {list({list({x_, y_})}), list({p_.input("z", vec4)}), group_});
  Node *outer_ = p_.call("l", "operator.getitem", {pair_, 0});
  Node *inner_ = p_.call("m", "operator.getitem", {outer_, 0});
};

TEST_F(VerifierNestedLists, ElementsAreStoragesOfTheirOwn) {
  Node *launch = allReduceInPlace("ar", filled("e", 0));
  Node *r = neg("r", filled("f", 1));
  p_.output({wait("w", launch), r});
  EXPECT_EQ(found(), "");
}

TEST_F(VerifierNestedLists, AnElementIsTheTensorThatWasGiven) {
  Node *launch = allReduceInPlace("ar", filled("e", 0));
  neg("r", x_);
  p_.output({wait("w", launch)});
  EXPECT_EQ(found(), readInFlight("r", "x", "'ar'", "ar"));
}

TEST_F(VerifierAsync, TwoLaunchesMayFillDisjointSlicesOfOneBuffer) {
  Node *buffer = p_.call("b", "aten.empty.memory_format", {list({16})}, "f32[16][1]cpu");
  Node *first = gatherInto("first", slice("low", buffer, 0));
  Node *second = gatherInto("second", slice("high", buffer, 8));
  wait("w", first);
  wait("v", second);
  p_.output({buffer});
  EXPECT_EQ(found(), "");
}

TEST_F(VerifierAsync, TwoLaunchesMayNotFillSlicesThatOverlap) {
  Node *buffer = p_.call("b", "aten.empty.memory_format", {list({16})}, "f32[16][1]cpu");
  Node *first = gatherInto("first", slice("low", buffer, 0));
  Node *second = gatherInto("second", slice("middle", buffer, 4));
  wait("w", first);
  wait("v", second);
  p_.output({buffer});
  EXPECT_EQ(found(), writtenInFlight("second", "middle", "first"));
}

TEST_F(VerifierAsync, LaunchWaitReadIsWell) {
  Node *ar = allReduce("ar", x_);
  p_.output({neg("n", wait("w", ar))});
  EXPECT_EQ(found(), "");
}

TEST_F(VerifierAsync, NobodyReadsInFlight) {
  Node *ar = allReduce("ar", x_);
  Node *n = neg("n", ar);
  p_.output({n, wait("w", ar)});
  EXPECT_EQ(found(), readInFlight("n", "ar", "'ar'", "ar"));
}

TEST_F(VerifierAsync, NobodyReadsAViewInFlight) {
  Node *ar = allReduce("ar", x_);
  Node *view = p_.call("view", "aten.view.default", {ar, list({2, 2})});
  Node *n = neg("n", view);
  p_.output({n, wait("w", ar)});
  EXPECT_EQ(found(), readInFlight("n", "view", "'ar'", "ar"));
}

TEST_F(VerifierAsync, ReshapeReadsUnlessStridesProveAView) {
  Node *ar = allReduce("ar", x_);
  Node *view = p_.call("view", "aten.reshape.default", {ar, list({2, 2})}, "f32[2, 2][2, 1]cpu");
  p_.output({wait("w", view)});
  EXPECT_EQ(found(), "");
  p_.graph.setType(ar, p_.typeOf("f32[4]"));
  EXPECT_EQ(found(), readInFlight("view", "ar", "'ar'", "ar"));
}

TEST_F(VerifierAsync, AWaitOnAViewEndsTheFlight) {
  Node *ar = allReduce("ar", x_);
  Node *view = p_.call("view", "aten.view.default", {ar, list({2, 2})});
  wait("w", view);
  p_.output({neg("n", ar)});
  EXPECT_EQ(found(), "");
}

TEST_F(VerifierAsync, ASecondWaitIsANoOp) {
  Node *ar = allReduce("ar", x_);
  Node *w = wait("w", ar);
  p_.output({wait("w2", w), wait("w3", ar)});
  EXPECT_EQ(found(), "");
}

TEST_F(VerifierAsync, AWaitOnWhatWasNeverLaunchedIsAWarning) {
  p_.output({wait("w", x_)});
  EXPECT_EQ(found(), "warning: w: waits on 'x', which is the result of no collective; expected a value in flight "
                     "[async.useless-wait]\n"
                     "  note: the wait has no effect: read 'x' itself\n");
}

TEST_F(VerifierAsync, AMissingWaitIsAWarningOrAnError) {
  allReduce("ar", x_);
  p_.output({x_});
  EXPECT_EQ(found(), missingWait("warning"));
  VerifyOptions strict;
  strict.strict = true;
  EXPECT_EQ(found(strict), missingWait("error"));
  VerifyOptions quiet;
  quiet.warnings = false;
  EXPECT_EQ(found(quiet), "");
}

TEST_F(VerifierAsync, AReturnedLaunchIsTheCallersToWait) {
  p_.output({allReduce("ar", x_)});
  EXPECT_EQ(found(), "");
}

TEST_F(VerifierAsync, AReturnedViewOfALaunchIsTheCallersToo) {
  Node *ar = allReduce("ar", x_);
  p_.output({p_.call("view", "aten.view.default", {ar, list({2, 2})})});
  EXPECT_EQ(found(), "");
}

TEST_F(VerifierAsync, EachElementNeedsItsWait) {
  Node *ar = coalesced("ar", x_, y_);
  p_.output({wait("w", item("first", ar, 0)), item("second", ar, 1)});
  EXPECT_EQ(found(), "") << "the second is returned";
}

TEST_F(VerifierAsync, AMissingWaitNamesItsElements) {
  Node *ar = coalesced("ar", x_, y_);
  p_.output({wait("w", item("first", ar, 0))});
  EXPECT_EQ(found(), "warning: ar: has no wait on its elements 1; expected one on each [async.missing-wait]\n"
                     "  note: add a wait_tensor on the result, or return it to a caller that waits\n");
}

TEST_F(VerifierAsync, AWaitOnOneElementLeavesTheOtherInFlight) {
  Node *ar = coalesced("ar", x_, y_);
  Node *first = item("first", ar, 0);
  Node *second = item("second", ar, 1);
  Node *w = wait("w", first);
  Node *n = neg("n", second);
  p_.output({w, n, wait("w2", second)});
  EXPECT_EQ(found(), readInFlight("n", "second", "element 1 of 'ar'", "ar"));
}

TEST_F(VerifierAsync, WaitTensorsWaitsOnAll) {
  Node *ar = coalesced("ar", x_, y_);
  Node *waits =
      p_.call("w", "_c10d_functional.wait_tensors.default", {list({item("first", ar, 0), item("second", ar, 1)})});
  p_.graph.setType(waits, p_.listType({vec4, vec4}));
  p_.output({neg("n", item("done", waits, 1))});
  EXPECT_EQ(found(), "");
}

TEST_F(VerifierAsync, AGathersInputIsNotOverwritten) {
  Node *copy = neg("copy", x_);
  Node *ag = gather("ag", copy);
  addInPlace("add", copy);
  p_.output({wait("w", ag)});
  EXPECT_EQ(found(), writtenInFlight("add", "copy", "ag"));
}

TEST_F(VerifierAsync, AGathersInputMayBeReadAndBeOverwrittenAfterTheWait) {
  Node *copy = neg("copy", x_);
  Node *ag = gather("ag", copy);
  Node *n = neg("n", copy);
  Node *w = wait("w", ag);
  addInPlace("add", copy);
  p_.output({w, n});
  EXPECT_EQ(found(), "");
}

TEST_F(VerifierAsync, AFunctionalAllReducesInputMayBeOverwritten) {
  Node *copy = neg("copy", x_);
  Node *ar = allReduce("ar", copy);
  addInPlace("add", copy);
  p_.output({wait("w", ar)});
  EXPECT_EQ(found(), "");
}

TEST_F(VerifierAsync, AnInPlaceLaunchPutsItsInputInFlight) {
  Node *copy = neg("copy", x_);
  Node *ar = allReduceInPlace("ar", copy);
  Node *n = neg("n", copy);
  p_.output({wait("w", ar), n});
  EXPECT_EQ(found(), readInFlight("n", "copy", "'ar'", "ar"));
}

TEST_F(VerifierAsync, AnInPlaceLaunchMayBeWaitedOnByItsInputsName) {
  Node *copy = neg("copy", x_);
  allReduceInPlace("ar", copy);
  wait("w", copy);
  p_.output({neg("n", copy)});
  EXPECT_EQ(found(), "");
}

TEST_F(VerifierAsync, ABufferThatIsFilledIsNotRead) {
  Node *out = p_.call("out", "aten.empty.memory_format", {list({8})}, "f32[8][1]cpu");
  Node *ag = p_.call("ag", "_c10d_functional.all_gather_into_tensor_out.default", {x_, 2, "0"}, {{"out", out}},
                     "f32[8][1]cpu");
  Node *n = neg("n", out);
  p_.output({wait("w", ag), n});
  EXPECT_EQ(found(), readInFlight("n", "out", "'ag'", "ag"));
}

TEST_F(VerifierAsync, AReceivedBufferIsReadByItsFirstNameAfterTheWait) {
  Node *buffer = p_.call("buffer", "aten.empty.memory_format", {list({4})}, vec4);
  Node *recv = p_.call("recv", "_c10d_functional.irecv.default", {buffer, 0, 0, "0"}, vec4);
  wait("w", recv);
  p_.output({neg("n", buffer)});
  EXPECT_EQ(found(), "");
}

TEST_F(VerifierAsync, AReceivedBufferIsNotReadBefore) {
  Node *buffer = p_.call("buffer", "aten.empty.memory_format", {list({4})}, vec4);
  Node *recv = p_.call("recv", "_c10d_functional.irecv.default", {buffer, 0, 0, "0"}, vec4);
  Node *n = neg("n", buffer);
  p_.output({wait("w", recv), n});
  EXPECT_EQ(found(), readInFlight("n", "buffer", "'recv'", "recv"));
}

TEST_F(VerifierAsync, ASentTensorIsFreeAfterTheWaitOnItsToken) {
  Node *copy = neg("copy", x_);
  Node *send = p_.call("send", "_c10d_functional.isend.default", {copy, 1, 0, "0"});
  Node *early = addInPlace("early", copy);
  wait("w", send);
  p_.output({early, addInPlace("late", copy)});
  EXPECT_EQ(found(), writtenInFlight("early", "copy", "send"));
}

TEST_F(VerifierAsync, ABatchWaitsElementByElement) {
  Node *buffer = p_.call("buffer", "aten.empty.memory_format", {list({4})}, vec4);
  Node *batch = p_.call("batch", "_c10d_functional.batch_p2p_ops.default",
                        {list({"isend", "irecv"}), list({1, 1}), list({0, 0}), list({x_, buffer}), "0"});
  Node *sent = item("sent", batch, 0);
  Node *received = item("received", batch, 1);
  wait("w", sent);
  Node *w = wait("w2", received);
  p_.output({neg("n", buffer), w});
  EXPECT_EQ(found(), "");
}

TEST_F(VerifierAsync, ASynchronousFormNeedsNoWait) {
  Node *copy = neg("copy", x_);
  Node *pg = p_.attribute("pg");
  p_.call("ar", "c10d.allreduce_.default", {list({copy}), pg, pg, Item::none(), false});
  p_.output({neg("n", copy)});
  EXPECT_EQ(found(), "");
}

TEST_F(VerifierAsync, AnOpaqueOperatorReads) {
  Node *ar = allReduce("ar", x_);
  Node *op = p_.call("op", "mylib.op.default", {ar});
  p_.output({op, wait("w", ar)});
  EXPECT_EQ(found(), writtenInFlight("op", "ar", "ar"));
}

TEST_F(VerifierAsync, MetadataMayBeReadInFlight) {
  Node *ar = allReduce("ar", x_);
  Node *zeros = p_.call("zeros", "aten.zeros_like.default", {ar});
  p_.output({zeros, wait("w", ar)});
  EXPECT_EQ(found(), "");
}

/// Adds a subgraph that applies `target` to its only input.
Node *wrap(Program &p, const char *name, const char *target) {
  Graph &body = p.graph.addSubgraph(p.id(name));
  Node *inner =
      body.create({.opcode = Opcode::Placeholder, .name = "arg", .target = p.id("arg")}, ArgumentBuilder(body), {});
  ArgumentBuilder calling(body);
  std::vector<Argument> args = {calling.operand(inner)};
  if (llvm::StringRef(target).contains("all_reduce"))
    args.insert(args.end(), {calling.string("sum"), calling.string("0")});
  Node *call = body.create({.name = "call", .target = p.id(target)}, std::move(calling), {args, {}});
  ArgumentBuilder ending(body);
  Argument result = ending.nodes({call});
  body.create({.opcode = Opcode::Output, .name = "output", .target = p.id("output")}, std::move(ending), {result, {}});
  return p.attribute(name);
}

TEST_F(VerifierAsync, LaunchAndWaitMayHideInControlDeps) {
  Node *launches = wrap(p_, "launches", "_c10d_functional.all_reduce.default");
  Node *waits = wrap(p_, "waits", "_c10d_functional.wait_tensor.default");
  Node *ar = p_.call("ar", "higher_order.control_deps", {list({y_}), launches, x_}, vec4);
  Node *w = p_.call("w", "higher_order.control_deps", {list({ar}), waits, ar}, vec4);
  p_.output({neg("n", w)});
  EXPECT_EQ(found(), "");
}

TEST_F(VerifierAsync, WhatControlDepsLaunchesIsInFlight) {
  Node *launches = wrap(p_, "launches", "_c10d_functional.all_reduce.default");
  Node *ar = p_.call("ar", "higher_order.control_deps", {list({y_}), launches, x_}, vec4);
  Node *n = neg("n", ar);
  p_.output({n, wait("w", ar)});
  EXPECT_EQ(found(), readInFlight("n", "ar", "'ar'", "ar"));
}

TEST_F(VerifierAsync, APredecessorInFlightIsNotRead) {
  Node *copies = wrap(p_, "copies", "aten.neg.default");
  Node *ar = allReduce("ar", x_);
  Node *n = p_.call("n", "higher_order.control_deps", {list({ar}), copies, x_}, vec4);
  p_.output({n, wait("w", ar)});
  EXPECT_EQ(found(), "");
}

} // namespace
} // namespace ccgraph
