// Tests the rule of calls that compute a value again beside the first one.
#include "support/rewrites.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

constexpr llvm::StringLiteral inputs = R"(x: "f32[4, 4][4, 1]cpu", y: "f32[4, 4][4, 1]cpu")";

class LegalityRepeatedCall : public testing::Test {
protected:
  void load(llvm::StringRef lines) {
    bench_.certificate = {};
    bench_.load(inputs, lines);
  }
  Node *at(llvm::StringRef name) { return bench_[name]; }
  /// Calls `first` again before the reader, which then reads the second value, and states this.
  Node *repeat(llvm::StringRef first, llvm::StringRef reader) {
    Node *again = callAgain(first, reader);
    state(first, again);
    return again;
  }
  Node *callAgain(llvm::StringRef first, llvm::StringRef reader) {
    std::vector<Actual> arguments;
    for (const Argument &argument : at(first)->args())
      arguments.push_back(Actual::copyOf(*at(first), argument));
    GraphBuilder builder(bench_.graph(), at(reader));
    Node *again = builder.call({.target = at(first)->target().str(),
                                .args = std::move(arguments),
                                .name = "again",
                                .type = at(first)->type()});
    read(reader, first, again);
    return again;
  }
  void read(llvm::StringRef reader, llvm::StringRef was, Node *now) {
    Node *value = at(was);
    for (unsigned i = 0; i < at(reader)->numOperands(); ++i)
      if (at(reader)->operand(i) == value)
        bench_.graph().setOperand(at(reader), i, now);
  }
  void state(llvm::StringRef first, Node *again) {
    bench_.certificate.rules.push_back({"repeated-call", {at(first)}, {again}});
  }
  std::string verdict() { return bench_.verdict(); }
  RewriteBench bench_;
};

constexpr llvm::StringLiteral late = R"(
  v: "f32[4, 4][4, 1]cpu" = torch.ops.aten.exp.default(x)
  t: "f32[4, 4][1, 4]cpu" = torch.ops.aten.t.default(v)
  a: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(v, t)
  u: "f32[4, 4][4, 1]cpu" = torch.ops.aten.cos.default(y)
  c: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(a, v)
  d: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(c, t)
  return (d, u))";

TEST_F(LegalityRepeatedCall, AcceptsAPureCall) {
  load(late);
  repeat("v", "c");
  EXPECT_EQ(verdict(), "");
}

TEST_F(LegalityRepeatedCall, AcceptsAViewOfARepetitionAndOfTheValue) {
  load(late);
  Node *value = repeat("v", "c");
  Node *view = repeat("t", "d");
  EXPECT_EQ(verdict(), "");
  bench_.graph().setOperand(view, 0, value);
  EXPECT_EQ(verdict(), "");
}

TEST_F(LegalityRepeatedCall, RefusesAnotherCall) {
  load(late);
  Node *again = repeat("v", "c");
  bench_.graph().setOperand(again, 0, at("y"));
  EXPECT_EQ(verdict(), "repeated-call");
  load(late);
  again = repeat("v", "c");
  bench_.graph().setTarget(again, at("u")->target());
  EXPECT_EQ(verdict(), "repeated-call");
}

TEST_F(LegalityRepeatedCall, RefusesAReaderOfAnotherValue) {
  load(late);
  state("v", callAgain("v", "c"));
  read("c", "a", at("again"));
  EXPECT_EQ(verdict(), "operand");
}

TEST_F(LegalityRepeatedCall, RefusesWhatIsNotStated) {
  load(late);
  callAgain("v", "c");
  EXPECT_EQ(verdict(), "unlisted");
}

TEST_F(LegalityRepeatedCall, RefusesEntriesThatDoNotFit) {
  load(late);
  Node *again = callAgain("v", "c");
  bench_.certificate.rules.push_back({"repeated-call", {}, {again}});
  EXPECT_EQ(verdict(), "entry unlisted");
  bench_.certificate.rules = {{"repeated-call", {again}, {again}}};
  EXPECT_EQ(verdict(), "entry unlisted");
  bench_.certificate.rules = {{"repeated-call", {nullptr}, {again}}};
  EXPECT_EQ(verdict(), "entry unlisted");
  bench_.certificate.rules = {{"repeated-call", {at("v")}, {nullptr}}};
  EXPECT_EQ(verdict(), "entry unlisted");
  bench_.certificate.rules = {{"repeated-call", {at("v")}, {again}}, {"repeated-call", {at("v")}, {again}}};
  EXPECT_EQ(verdict(), "entry");
}

TEST_F(LegalityRepeatedCall, RefusesACallBeforeTheOneThatItRepeats) {
  load(late);
  repeat("v", "c");
  bench_.graph().moveBefore(at("again"), at("v"));
  EXPECT_EQ(verdict(), "repeated-call");
}

TEST_F(LegalityRepeatedCall, RefusesOtherResultsAtEachCall) {
  load(R"(
  v: "f32[4, 4][4, 1]cpu" = torch.ops.aten.bernoulli.default(x)
  a: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(v, x)
  e: "f32[4, 4][4, 1]cpu" = torch.ops.aten.empty_like.default(x)
  g: "f32[8, 4][4, 1]cpu" = torch.ops._c10d_functional.all_gather_into_tensor.default(v, 2, '0')
  w: "f32[8, 4][4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(g)
  b: "f32[8, 4][4, 1]cpu" = torch.ops.aten.mm.default(w, e)
  c: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(a, v)
  return (c, b))");
  GraphSnapshot before(bench_.graph());
  for (auto [value, reader] : {std::pair("v", "c"), {"e", "b"}, {"w", "b"}}) {
    bench_.certificate = {};
    Node *again = repeat(value, reader);
    EXPECT_NE(verdict().find("repeated-call"), std::string::npos) << value;
    bench_.graph().replaceAllUses(again, at(value));
    bench_.graph().erase(again);
  }
}

TEST_F(LegalityRepeatedCall, RefusesAWriteBetween) {
  load(R"(
  b: "f32[4, 4][4, 1]cpu" = torch.ops.aten.clone.default(x)
  v: "f32[4, 4][4, 1]cpu" = torch.ops.aten.exp.default(b)
  row: "f32[4][1]cpu" = torch.ops.aten.select.int(b, 0, 0)
  z: "f32[4][1]cpu" = torch.ops.aten.zero_.default(row)
  c: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(v, x)
  d: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(c, b)
  return (d,))");
  repeat("v", "c");
  EXPECT_EQ(verdict(), "repeated-call");
}

TEST_F(LegalityRepeatedCall, RefusesAWriteOfOneOfTheValues) {
  constexpr llvm::StringLiteral lines = R"(
  v: "f32[4, 4][4, 1]cpu" = torch.ops.aten.exp.default(x)
  c: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(v, x)
  t: "f32[4, 4][1, 4]cpu" = torch.ops.aten.t.default(v)
  z: "f32[4, 4][1, 4]cpu" = torch.ops.aten.zero_.default(t)
  d: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(c, v)
  return (d,))";
  for (const char *reader : {"c", "t", "d"}) {
    load(lines);
    repeat("v", reader);
    EXPECT_EQ(verdict(), "repeated-call") << reader;
  }
}

TEST_F(LegalityRepeatedCall, RefusesAnOpaqueStepBetweenOrAfter) {
  constexpr llvm::StringLiteral lines = R"(
  v: "f32[4, 4][4, 1]cpu" = torch.ops.aten.exp.default(x)
  a: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(v, x)
  o: "f32[4, 4][4, 1]cpu" = torch.ops.mylib.unknown.default(a)
  c: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(o, v)
  return (c,))";
  for (const char *reader : {"c", "o"}) {
    load(lines);
    if (llvm::StringRef(reader) == "o")
      bench_.graph().setOperand(at("o"), 0, at("v")), bench_.snapshot();
    repeat("v", reader);
    EXPECT_EQ(verdict(), "repeated-call") << reader;
  }
}

TEST_F(LegalityRepeatedCall, RefusesAValueThatTheCallerSees) {
  constexpr llvm::StringLiteral lines = R"(
  v: "f32[4, 4][4, 1]cpu" = torch.ops.aten.exp.default(x)
  a: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(v, x)
  t: "f32[4, 4][1, 4]cpu" = torch.ops.aten.t.default(v)
  return (a, v, t))";
  load(lines);
  repeat("v", "t");
  EXPECT_EQ(verdict(), "repeated-call");
  load(lines);
  repeat("v", "a");
  EXPECT_EQ(verdict(), "");
}

TEST_F(LegalityRepeatedCall, RefusesReshapedValues) {
  load(R"(
  v: "f32[4, 4][4, 1]cpu" = torch.ops.aten.exp.default(x)
  c: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(v, x)
  t: "f32[4, 4][1, 4]cpu" = torch.ops.aten.t_.default(v)
  d: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(c, t)
  return (d,))");
  repeat("v", "c");
  EXPECT_EQ(verdict(), "repeated-call");
}

TEST_F(LegalityRepeatedCall, RefusesAReadOfWhatIsInFlight) {
  load(R"(
  b: "f32[4, 4][4, 1]cpu" = torch.ops.aten.clone.default(x)
  r: "f32[4, 4][4, 1]cpu" = torch.ops._c10d_functional.all_reduce_.default(b, 'sum', '0')
  v: "f32[4, 4][4, 1]cpu" = torch.ops.aten.exp.default(r)
  w: "f32[4, 4][4, 1]cpu" = torch.ops._c10d_functional.wait_tensor.default(r)
  c: "f32[4, 4][4, 1]cpu" = torch.ops.aten.mm.default(v, w)
  return (c,))");
  repeat("v", "c");
  EXPECT_EQ(verdict(), "repeated-call");
}

} // namespace
} // namespace ccgraph::test
