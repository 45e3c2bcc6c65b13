// Tests the rule of values that are copied to the host and back, and that no step names what a wait has freed.
#include "support/rewrites.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

constexpr llvm::StringLiteral inputs = R"(x: "f32[4, 4][4, 1]cpu", y: "f32[4, 4][4, 1]cpu")";
constexpr llvm::StringLiteral plain = "f32[4, 4][4, 1]cpu";

constexpr llvm::StringLiteral program = R"(
  v: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(x, y)
  other: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(y, x)
  a: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(v, x)
  b: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(a, other)
  c: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(b, v)
  return (c,))";

class LegalityOffloadedValue : public testing::Test {
protected:
  void load(llvm::StringRef lines) {
    bench_.certificate = {};
    bench_.load(inputs, lines);
  }
  Node *at(llvm::StringRef name) { return bench_[name]; }
  static Actual cpu(Node *like) { return Actual::literal(Argument::device(like->type()->device())); }

  /// Offloads v after `early`, and lets `reader` read what comes back.
  void offload(llvm::StringRef early = "a", llvm::StringRef reader = "c") {
    chain("v", early, reader);
    read(reader);
    state();
  }
  void chain(llvm::StringRef value, llvm::StringRef early, llvm::StringRef reader) {
    Node *v = at(value);
    offload_ = makeCall(v->next(), "o", "ao.offload.default", {v}, plain);
    host_ = makeCall(at(early)->next(), "h", "ao.wait_tensor.default", {offload_, v}, plain);
    reload_ = makeCall(at(reader), "l", "ao.reload.default", {host_, cpu(v)}, plain);
    back_ = makeCall(at(reader), "w", "ao.wait_tensor.default", {reload_, host_}, plain);
  }
  void read(llvm::StringRef reader) {
    for (unsigned i = 0; i < at(reader)->numOperands(); ++i)
      if (at(reader)->operand(i) == at("v"))
        bench_.graph().setOperand(at(reader), i, back_);
  }
  void state() {
    bench_.certificate.rules.push_back({"offloaded-value", {at("v")}, {back_, reload_, host_, offload_}});
  }
  /// Calls a function of one operand again, of this operand, for the reader.
  void repeat(llvm::StringRef first, llvm::StringRef reader, Node *operand) {
    Node *again = makeCall(at(reader), "again", at(first)->target().str(), {operand}, plain);
    for (unsigned i = 0; i < at(reader)->numOperands(); ++i)
      if (at(reader)->operand(i) == at(first))
        bench_.graph().setOperand(at(reader), i, again);
    bench_.certificate.rules.push_back({"repeated-call", {at(first)}, {again}});
  }
  std::string verdict() { return bench_.verdict(); }

  RewriteBench bench_;
  Node *offload_ = nullptr, *host_ = nullptr, *reload_ = nullptr, *back_ = nullptr;
};

TEST_F(LegalityOffloadedValue, AcceptsAValueThatComesBack) {
  load(program);
  offload();
  EXPECT_EQ(verdict(), "");
}

TEST_F(LegalityOffloadedValue, RefusesAnotherValue) {
  load(program);
  chain("other", "b", "c");
  read("c");
  state();
  EXPECT_EQ(verdict(), "offloaded-value");
}

TEST_F(LegalityOffloadedValue, RefusesAReloadOfAnotherCopy) {
  load(program);
  offload();
  Node *second = makeCall(at("a"), "o2", "ao.offload.default", {at("other")}, plain);
  Node *wait = makeCall(at("c"), "h2", "ao.wait_tensor.default", {second, at("other")}, plain);
  bench_.graph().moveBefore(wait, reload_);
  bench_.graph().setOperand(reload_, 0, wait);
  EXPECT_EQ(verdict(), "unlisted") << "the second chain is in no entry";
  bench_.certificate.rules.push_back({"offloaded-value", {at("other")}, {back_, reload_, wait, second}});
  EXPECT_EQ(verdict(), "entry") << "two values share a reload";
}

TEST_F(LegalityOffloadedValue, RefusesOtherStrides) {
  load(program);
  offload();
  const std::vector<int64_t> sizes = {4, 4}, strides = {1, 4};
  setCall(reload_, {host_, cpu(at("v")), Actual::integers(sizes), Actual::integers(strides)});
  EXPECT_EQ(verdict(), "offloaded-value");
}

TEST_F(LegalityOffloadedValue, AcceptsTheStridesOfTheValue) {
  constexpr llvm::StringLiteral transposed = "f32[4, 4][1, 4]cpu";
  load(R"(
  t: "f32[4, 4][1, 4]cpu" = torch.ops.aten.t.default(x)
  v: "f32[4, 4][1, 4]cpu" = torch.ops.aten.add.Tensor(t, t)
  a: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(v, x)
  c: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(a, v)
  return (c,))");
  chain("v", "a", "c");
  const std::vector<int64_t> sizes = {4, 4}, strides = {1, 4};
  const Type *type = at("v")->type();
  setCall(reload_, {host_, cpu(at("v")), Actual::integers(sizes), Actual::integers(strides)});
  bench_.graph().setType(reload_, type);
  bench_.graph().setType(back_, type);
  read("c");
  state();
  EXPECT_EQ(verdict(), "");
  setCall(reload_, {host_, cpu(at("v"))});
  EXPECT_EQ(verdict(), "offloaded-value") << "the host's tensor is row-major, and v is " << transposed.str();
}

TEST_F(LegalityOffloadedValue, RefusesAWriteBetween) {
  load(R"(
  v: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(x, y)
  row: "f32[4][1]cpu" = torch.ops.aten.select.int(v, 0, 0)
  z: "f32[4][1]cpu" = torch.ops.aten.zero_.default(row)
  a: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(v, x)
  c: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(a, v)
  return (c,))");
  offload();
  EXPECT_NE(verdict().find("offloaded-value"), std::string::npos);
}

TEST_F(LegalityOffloadedValue, RefusesAUseAfterTheStorageIsFreed) {
  load(program);
  offload();
  bench_.graph().moveBefore(host_, at("a"));
  EXPECT_EQ(verdict(), "freed") << "a reads v after h";
  EXPECT_NE(bench_.text().find("a: names 'v', whose storage 'h' has freed, expected it before"), std::string::npos)
      << bench_.text();
}

TEST_F(LegalityOffloadedValue, RefusesAMissingWait) {
  load(program);
  offload();
  bench_.graph().setOperand(at("c"), 1, reload_);
  EXPECT_NE(verdict().find("operand"), std::string::npos);
  bench_.graph().setOperand(at("c"), 1, back_);
  setCall(host_, {offload_});
  EXPECT_EQ(verdict(), "offloaded-value") << "h frees nothing";
  setCall(host_, {offload_, at("v")});
  bench_.graph().setTarget(back_, bench_.graph().context().identifier("_c10d_functional.wait_tensor.default"));
  EXPECT_EQ(verdict(), "offloaded-value") << "PyTorch's wait for collectives does not know the copy";
}

TEST_F(LegalityOffloadedValue, RefusesAReaderOfTheCopyOnTheHost) {
  load(program);
  offload();
  bench_.graph().setOperand(at("b"), 1, host_);
  EXPECT_NE(verdict().find("operand"), std::string::npos);
}

TEST_F(LegalityOffloadedValue, RefusesAValueThatTheCallerSees) {
  load(R"(
  v: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(x, y)
  a: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(v, x)
  c: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(a, v)
  return (c, v))");
  offload();
  EXPECT_EQ(verdict(), "freed offloaded-value");
}

TEST_F(LegalityOffloadedValue, RefusesAPartOfAStorage) {
  load(R"(
  u: "f32[8, 4][4, 1]cpu" = torch.ops.aten.cat.default([x, y])
  v: "f32[4, 4][4, 1]cpu" = torch.ops.aten.slice.Tensor(u, 0, 0, 4)
  a: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(v, x)
  c: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(a, v)
  return (c,))");
  offload();
  EXPECT_EQ(verdict(), "offloaded-value");
}

TEST_F(LegalityOffloadedValue, RefusesAnInput) {
  load(R"(
  v: "f32[4, 4][4, 1]cpu" = torch.ops.aten.view.default(x, [4, 4])
  a: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(v, y)
  c: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(a, v)
  return (c,))");
  offload();
  EXPECT_EQ(verdict(), "offloaded-value");
}

TEST_F(LegalityOffloadedValue, RefusesAnOpaqueStepBetween) {
  load(R"(
  v: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(x, y)
  a: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(v, x)
  o1: "f32[4, 4][4, 1]cpu" = torch.ops.mylib.thing.default(a)
  c: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(o1, v)
  return (c,))");
  offload();
  EXPECT_EQ(verdict(), "offloaded-value");
}

TEST_F(LegalityOffloadedValue, RefusesAValueInFlight) {
  load(R"(
  g: "f32[4, 4][4, 1]cpu" = torch.ops._c10d_functional.all_reduce.default(x, 'sum', '0')
  v: "f32[4, 4][4, 1]cpu" = torch.ops.aten.view.default(g, [4, 4])
  a: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(x, x)
  w1: "f32[4, 4][4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(g)
  c: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(a, v)
  return (c,))");
  offload("w1", "c");
  EXPECT_NE(verdict().find("offloaded-value"), std::string::npos);
}

TEST_F(LegalityOffloadedValue, RefusesEntriesThatDoNotFit) {
  load(program);
  offload();
  const std::vector<Node *> built = {back_, reload_, host_, offload_};
  bench_.certificate.rules = {{"offloaded-value", {}, built}};
  EXPECT_EQ(verdict(), "entry unlisted");
  bench_.certificate.rules = {{"offloaded-value", {at("v")}, {back_, reload_, host_}}};
  EXPECT_EQ(verdict(), "entry unlisted");
  bench_.certificate.rules = {{"offloaded-value", {at("v")}, {nullptr, reload_, host_, offload_}}};
  EXPECT_EQ(verdict(), "entry unlisted");
}

// A later pass may not move a step across the wait that frees what the step reads.
TEST_F(LegalityOffloadedValue, RefusesAReaderThatMovesBehindTheWait) {
  load(program);
  offload();
  bench_.certificate = {};
  bench_.snapshot();
  bench_.graph().moveBefore(host_, at("a"));
  EXPECT_EQ(verdict(), "freed storage-order");
}

TEST_F(LegalityOffloadedValue, RefusesAWaitThatFreesBeforeAnotherTransferHasRead) {
  load(R"(
  v: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(x, y)
  g: "f32[8, 4][4, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(v, 2, '0')
  gw: "f32[8, 4][4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(g)
  c: "f32[8, 4][4, 1]cpu" = torch.ops.aten.mm.default(gw, v)
  return (c,))");
  offload("gw", "c");
  EXPECT_EQ(verdict(), "");
  bench_.certificate = {};
  bench_.snapshot();
  bench_.graph().moveBefore(host_, at("gw"));
  EXPECT_EQ(verdict(), "in-flight");
}

constexpr llvm::StringLiteral readByACheapCall = R"(
  v: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(x, y)
  u: "f32[4, 4][4, 1]cpu" = torch.ops.aten.exp.default(v)
  a: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(v, u)
  c: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(a, v)
  d: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(c, u)
  return (d,))";

TEST_F(LegalityOffloadedValue, AcceptsARepeatedCallOfWhatComesBack) {
  load(readByACheapCall);
  offload();
  repeat("u", "d", back_);
  EXPECT_EQ(verdict(), "");
}

TEST_F(LegalityOffloadedValue, RefusesARepeatedCallOfWhatIsFreed) {
  load(readByACheapCall);
  offload();
  repeat("u", "d", at("v"));
  EXPECT_EQ(verdict(), "freed");
}

TEST_F(LegalityOffloadedValue, RefusesARepeatedCallOfTheHostsCopy) {
  load(readByACheapCall);
  offload();
  repeat("u", "c", host_);
  EXPECT_NE(verdict(), "");
}

} // namespace
} // namespace ccgraph::test
