// Tests the legality of calls that fill the buffer into which a result is copied: correct, and with one error.
#include "support/rewrites.h"

#include <gtest/gtest.h>

namespace ccgraph::test {
namespace {

constexpr const char *inputs = R"(x: "f32[4, 2][2, 1]cpu", b: "f32[8, 2][2, 1]cpu", c: "f32[8, 2][2, 1]cpu")";
constexpr const char *whole = "f32[8, 2][2, 1]cpu";
constexpr const char *gatherOut = "_c10d_functional.all_gather_into_tensor_out.default";

/// Makes a line of a program: a name, its type, and a call.
std::string line(const std::string &name, const std::string &type, const std::string &call) {
  return "  " + name + ": \"" + type + "\" = torch.ops." + call + "\n";
}
std::string gather(const std::string &name, const std::string &of) {
  return line(name, whole, "_c10d_functional.all_gather_into_tensor.default(" + of + ", 2, '0')");
}
std::string wait(const std::string &name, const std::string &of, const std::string &type = whole) {
  return line(name, type, "_c10d_functional.wait_tensor.default(" + of + ")");
}
std::string copyInto(const std::string &name, const std::string &buffer, const std::string &of) {
  return line(name, whole, "aten.copy_.default(" + buffer + ", " + of + ")");
}
std::string twice(const std::string &name, const std::string &of) {
  return line(name, whole, "aten.mul.Tensor(" + of + ", 2)");
}
std::string doubled(const std::string &name, const std::string &of) {
  return line(name, whole, "aten.mul_.Tensor(" + of + ", 2)");
}

class LegalityFilledBuffer : public testing::Test {
protected:
  /// Loads the gather s of x, the wait w, and the copy k of w into b.
  void load(const std::string &between, const std::string &rest, const std::string &first = "") {
    loadProgram(first + gather("s", "x") + between + wait("w", "s") + copyInto("k", "b", "w") + rest);
  }
  void loadProgram(const std::string &lines) {
    bench_.certificate = {};
    bench_.load(inputs, ("\n" + lines).c_str());
  }

  struct Names {
    const char *launch = "s";
    const char *wait = "w";
    const char *copy = "k";
  };
  /// Replaces the launch by this call; the readers of the copy read the wait.
  void fill(Node *built, Names names) {
    Node *launch = bench_[names.launch], *copy = bench_[names.copy];
    bench_.graph().replaceAllUses(launch, built);
    bench_.graph().replaceAllUses(copy, bench_[names.wait]);
    bench_.graph().erase(launch);
    bench_.graph().erase(copy);
    bench_.certificate.rules.push_back({"filled-buffer", {launch, copy}, {built}});
  }
  Node *makeGather(const std::string &launch, const std::vector<Actual> &arguments, Node *out,
                   const char *target = gatherOut) {
    GraphBuilder builder(bench_.graph(), bench_[launch]);
    return builder.call({.target = target,
                         .args = arguments,
                         .kwargs = {{"out", out}},
                         .name = launch + "_out",
                         .type = bench_[launch]->type()});
  }
  /// Fills b with what s gathers.
  std::string verdict() {
    fill(makeGather("s", {bench_["x"], 2, "0"}, bench_["b"]), {});
    return bench_.verdict();
  }
  /// Fills b with what s gathers, by a call with these arguments.
  std::string verdict(const std::vector<Actual> &arguments, const char *out, const char *target = gatherOut) {
    fill(makeGather("s", arguments, bench_[out], target), {});
    return bench_.verdict();
  }

  RewriteBench bench_;
};

/// The finding is one of this rule, whatever others find too.
void expectRefused(const std::string &verdict) { EXPECT_NE(verdict.find("rule"), std::string::npos) << verdict; }

TEST_F(LegalityFilledBuffer, AcceptsABufferOfTheCaller) {
  load("", twice("n", "k") + "  return (n,)");
  EXPECT_EQ(verdict(), "");
}

TEST_F(LegalityFilledBuffer, AcceptsAReaderOfTheResultAndALaterWriteOfTheBuffer) {
  load("", twice("n", "w") + doubled("m", "b") + "  return (n, m)");
  EXPECT_EQ(verdict(), "");
}

TEST_F(LegalityFilledBuffer, AcceptsABufferOfTheProgram) {
  loadProgram(line("e", whole, "aten.relu.default(c)") + gather("s", "x") + wait("w", "s") + copyInto("k", "e", "w") +
              "  return (k,)");
  EXPECT_EQ(verdict({bench_["x"], 2, "0"}, "e"), "");
}

TEST_F(LegalityFilledBuffer, AcceptsASumOverItsInput) {
  loadProgram(line("s", "f32[4, 2][2, 1]cpu", "_c10d_functional.all_reduce.default(x, 'sum', '0')") +
              wait("w", "s", "f32[4, 2][2, 1]cpu") + line("k", "f32[4, 2][2, 1]cpu", "aten.copy_.default(x, w)") +
              "  return (k,)");
  fill(makeCall(bench_["s"], "built", "_c10d_functional.all_reduce_.default", {bench_["x"], "sum", "0"},
                "f32[4, 2][2, 1]cpu"),
       {});
  EXPECT_EQ(bench_.verdict(), "");
}

TEST_F(LegalityFilledBuffer, RefusesASumOverAnotherTensorThanTheBuffer) {
  loadProgram(line("s", whole, "_c10d_functional.all_reduce.default(c, 'sum', '0')") + wait("w", "s") +
              copyInto("k", "b", "w") + "  return (k,)");
  fill(makeCall(bench_["s"], "built", "_c10d_functional.all_reduce_.default", {bench_["c"], "sum", "0"}, whole), {});
  expectRefused(bench_.verdict());
}

TEST_F(LegalityFilledBuffer, RefusesAnotherBuffer) {
  load("", "  return (k,)");
  expectRefused(verdict({bench_["x"], 2, "0"}, "c"));
}

TEST_F(LegalityFilledBuffer, RefusesAnotherGroupInputOrOperator) {
  load("", "  return (k,)");
  expectRefused(verdict({bench_["x"], 2, "1"}, "b"));
  load("", "  return (k,)", line("y", "f32[4, 2][2, 1]cpu", "aten.neg.default(x)"));
  expectRefused(verdict({bench_["y"], 2, "0"}, "b"));
  load("", "  return (k,)");
  expectRefused(verdict({bench_["x"], "sum", 2, "0"}, "b", "_c10d_functional.reduce_scatter_tensor_out.default"));
}

TEST_F(LegalityFilledBuffer, RefusesACopyOfAnotherValue) {
  load("", "  return (k,)", gather("t", "x") + wait("v", "t"));
  setCall(bench_["k"], {bench_["b"], bench_["v"]});
  bench_.snapshot();
  fill(makeGather("s", {bench_["x"], 2, "0"}, bench_["b"]), {.wait = "v"});
  EXPECT_EQ(bench_.verdict(), "rule");
}

TEST_F(LegalityFilledBuffer, RefusesReadersOfTheBufferThatReadAnotherValue) {
  load("", twice("n", "k") + "  return (n,)", gather("t", "x") + wait("v", "t"));
  fill(makeGather("s", {bench_["x"], 2, "0"}, bench_["b"]), {.wait = "v"});
  EXPECT_EQ(bench_.verdict(), "operand");
}

TEST_F(LegalityFilledBuffer, RefusesAnotherDtypeOrLayout) {
  loadProgram(line("e", "f64[8, 2][2, 1]cpu", "aten.full.default([8, 2], 1.0)") + gather("s", "x") + wait("w", "s") +
              line("k", "f64[8, 2][2, 1]cpu", "aten.copy_.default(e, w)") + "  return (x,)");
  expectRefused(verdict({bench_["x"], 2, "0"}, "e"));
  loadProgram(line("e", "f32[8, 2][1, 8]cpu", "aten.new_empty_strided.default(b, [8, 2], [1, 8])") + gather("s", "x") +
              wait("w", "s") + line("k", "f32[8, 2][1, 8]cpu", "aten.copy_.default(e, w)") + "  return (x,)");
  expectRefused(verdict({bench_["x"], 2, "0"}, "e"));
}

TEST_F(LegalityFilledBuffer, RefusesAReaderOrWriterOfTheBufferBeforeTheCopy) {
  load(twice("n", "b"), "  return (k, n)");
  expectRefused(verdict());
  load(doubled("n", "b"), "  return (k,)");
  expectRefused(verdict());
  load(line("n", "f32[16][1]cpu", "aten.neg.default(v)"), "  return (k, n)",
       line("v", "f32[16][1]cpu", "aten.view.default(b, [16])"));
  expectRefused(verdict());
}

TEST_F(LegalityFilledBuffer, RefusesAnOpaqueStepBeforeTheCopy) {
  load(line("o", whole, "mylib.look.default(c)"), "  return (k, o)");
  expectRefused(verdict());
}

TEST_F(LegalityFilledBuffer, RefusesAnInputInTheBuffer) {
  loadProgram(line("y", "f32[4, 2][2, 1]cpu", "aten.slice.Tensor(b, 0, 4, 8)") + gather("s", "y") + wait("w", "s") +
              copyInto("k", "b", "w") + "  return (k,)");
  expectRefused(verdict({bench_["y"], 2, "0"}, "b"));
}

TEST_F(LegalityFilledBuffer, RefusesABufferThatAnotherCollectiveHasInFlight) {
  const std::string send = line("t", whole, "_c10d_functional.all_to_all_single.default(b, [4, 4], [4, 4], '0')");
  load("", "  return (k, v)", send + wait("v", "t"));
  EXPECT_EQ(verdict(), "");
  load("", wait("v", "t") + "  return (k, v)", send);
  expectRefused(verdict());
}

TEST_F(LegalityFilledBuffer, RefusesAReaderOfTheResultAfterAWriteOfTheBuffer) {
  load("", doubled("m", "b") + twice("n", "w") + "  return (n,)");
  expectRefused(verdict());
  load("", line("o", whole, "mylib.look.default(c)") + twice("n", "w") + "  return (n, o)");
  expectRefused(verdict());
}

TEST_F(LegalityFilledBuffer, RefusesASendOfTheResultThatEndsAfterAWriteOfTheBuffer) {
  load("", line("t", whole, "_c10d_functional.all_to_all_single.default(w, [4, 4], [4, 4], '0')") + doubled("m", "b") +
               wait("v", "t") + "  return (v,)");
  expectRefused(verdict());
}

TEST_F(LegalityFilledBuffer, RefusesAWriteOfTheResult) {
  load("", doubled("m", "w") + "  return (k,)");
  expectRefused(verdict());
}

TEST_F(LegalityFilledBuffer, RefusesAReturnedResultAndOneWhosePlaceIsObserved) {
  load("", "  return (w,)");
  expectRefused(verdict());
  load("", line("i", "i32[8, 2][2, 1]cpu", "aten.view.dtype(w, torch.int32)") + "  return (k,)");
  expectRefused(verdict());
}

TEST_F(LegalityFilledBuffer, RefusesTwoBuffersOfWhichOneIsWrittenWhileTheOtherIsRead) {
  // The second gather fills b from its launch on, where the first result is still read.
  load("", gather("t", "x") + twice("n", "w") + wait("v", "t") + copyInto("l", "b", "v") + "  return (n, l)");
  fill(makeGather("s", {bench_["x"], 2, "0"}, bench_["b"]), {});
  fill(makeGather("t", {bench_["x"], 2, "0"}, bench_["b"]), {.launch = "t", .wait = "v", .copy = "l"});
  expectRefused(bench_.verdict());
}

TEST_F(LegalityFilledBuffer, RefusesAReaderThatMovedPastTheWriteOfTheBuffer) {
  load("", twice("n", "w") + doubled("m", "b") + "  return (n, m)");
  bench_.move("m", "n");
  expectRefused(verdict());
}

TEST_F(LegalityFilledBuffer, RefusesLostOrderingEdges) {
  const std::string first = line("n", whole, "aten.neg.default(c)");
  load("", "  return (k, n)", first);
  bench_.graph().addOrdering(bench_["s"], bench_["n"]);
  bench_.snapshot();
  expectRefused(verdict());
  load("", "  return (k, n)", first);
  bench_.graph().addOrdering(bench_["k"], bench_["n"]);
  bench_.snapshot();
  expectRefused(verdict());
}

TEST_F(LegalityFilledBuffer, RefusesAnEntryWithoutItsCopy) {
  load("", "  return (k,)");
  Node *built = makeGather("s", {bench_["x"], 2, "0"}, bench_["b"]), *launch = bench_["s"];
  bench_.graph().replaceAllUses(launch, built);
  bench_.graph().erase(launch);
  bench_.certificate.rules.push_back({"filled-buffer", {launch}, {built}});
  expectRefused(bench_.verdict());
}

TEST_F(LegalityFilledBuffer, RefusesOtherEntriesThatMayJoinMemory) {
  load("", twice("n", "w") + "  return (n, k)",
       gather("t", "x") + wait("v", "t") + line("d", whole, "aten.copy.default(c, v)") + twice("m", "d"));
  Node *copy = bench_["d"];
  bench_.graph().replaceAllUses(copy, bench_["v"]);
  bench_.graph().erase(copy);
  bench_.certificate.rules.push_back({"forwarded-copy", {copy}, {bench_["v"]}});
  EXPECT_EQ(bench_.verdict(), "");
  expectRefused(verdict());
}

} // namespace
} // namespace ccgraph::test
