// Tests the rules structure.*: each is broken once, and the whole diagnostic is compared.
#include "ccgraph/ir/verifier.h"
#include "unit/ir/program.h"

#include <gtest/gtest.h>

#include <fstream>

namespace ccgraph {
namespace {

using test::list;
using test::Program;

std::string found(const Graph &graph) { return toString(verify(graph)); }

TEST(VerifierStructure, AWellFormedGraphHasNoFindings) {
  Program p;
  Node *x = p.input("x", "f32[4][1]cpu");
  p.output({p.call("y", "aten.neg.default", {x}, "f32[4][1]cpu")});
  EXPECT_EQ(found(p.graph), "");
}

TEST(VerifierStructure, ANodeHasAName) {
  Program p;
  Node *x = p.input("x");
  Node *unnamed = p.call("unnamed", "aten.neg.default", {x});
  p.graph.rename(unnamed, "");
  p.output({unnamed});
  EXPECT_EQ(found(p.graph), "error: a node has no name; expected one [structure.names]\n"
                            "  note: rename the node: nodes refer to one another by name\n");
}

/// Readers refuse such a file, and Graph asserts; without assertions, the verifier reports it.
TEST(VerifierStructure, ANameIsThatOfOneNode) {
  Program p;
  Node *x = p.input("x");
  Node *y = p.call("y", "aten.neg.default", {x});
  p.output({y});
#ifdef NDEBUG
  p.graph.rename(y, "x");
  EXPECT_EQ(found(p.graph), "error: x: is the name of two nodes; expected it once [structure.names]\n"
                            "  note: rename the node: nodes refer to one another by name\n");
#else
  EXPECT_DEATH(p.graph.rename(y, "x"), "names are unique");
#endif
}

TEST(VerifierStructure, ACallHasATarget) {
  Program p;
  Node *x = p.input("x");
  p.output({p.call("y", "", {x})});
  EXPECT_EQ(found(p.graph), "error: y: is a call_function without target; expected one [structure.target]\n"
                            "  note: name the operator that is called, or the input or attribute that is meant\n");
}

TEST(VerifierStructure, ADefinitionStandsBeforeItsUses) {
  Program p;
  Node *x = p.input("x");
  Node *y = p.call("y", "aten.neg.default", {x});
  Node *z = p.call("z", "aten.neg.default", {y});
  p.output({z});
  p.graph.moveBefore(z, y);
  EXPECT_EQ(found(p.graph), "error: z: reads 'y', which is later; expected it before [structure.order]\n"
                            "  note: move 'y' up or 'z' down\n");
}

TEST(VerifierStructure, AnOrderingEdgePointsBack) {
  Program p;
  Node *x = p.input("x");
  Node *y = p.call("y", "aten.neg.default", {x});
  Node *z = p.call("z", "aten.neg.default", {x});
  p.output({y, z});
  p.graph.addOrdering(y, z);
  EXPECT_EQ(found(p.graph), "error: y: is ordered after 'z', which is later; expected it before [structure.order]\n"
                            "  note: move 'z' up or 'y' down\n");
}

TEST(VerifierStructure, AGraphEndsInItsOutput) {
  Program p;
  p.input("x");
  EXPECT_EQ(found(p.graph), "error: graph: has no output at its end [structure.output]\n"
                            "  note: end the graph with an output node\n");
}

TEST(VerifierStructure, ThereIsOneOutput) {
  Program p;
  Node *x = p.input("x");
  Node *first = p.output({x});
  p.output({x});
  EXPECT_EQ(found(p.graph), "error: output: is an output before '" + p.graph.back()->name().str().str() +
                                "'; expected one output, at the end [structure.output]\n"
                                "  note: return everything in the last node\n");
  EXPECT_NE(first, p.graph.back());
}

TEST(VerifierStructure, AnInputReadsNoNode) {
  Program p;
  Node *x = p.input("x");
  Node *y = p.input("y");
  ArgumentBuilder builder(p.graph);
  Argument argument = builder.operand(x);
  p.graph.setArguments(y, std::move(builder), {argument, {}});
  p.output({y});
  EXPECT_EQ(found(p.graph), "error: y: placeholder reads 'x'; expected no node [structure.inputs]\n"
                            "  note: inputs and attributes are given from outside: make it a call\n");
}

TEST(VerifierStructure, PlaceholdersStandFirst) {
  Program p;
  Node *x = p.input("x");
  Node *y = p.call("y", "aten.neg.default", {x});
  Node *z = p.input("z");
  p.output({y, z});
  EXPECT_EQ(found(p.graph),
            "error: z: is a placeholder after the call 'y'; expected it before every call [structure.inputs]\n"
            "  note: move the placeholder to the others at the head\n");
}

TEST(VerifierStructure, PlaceholdersHaveTargetsOfTheirOwn) {
  Program p;
  Node *x = p.input("x");
  Node *y =
      p.graph.create({.opcode = Opcode::Placeholder, .name = "y", .target = x->target()}, ArgumentBuilder(p.graph), {});
  p.output({x, y});
  EXPECT_EQ(found(p.graph), "error: y: is the input 'x', as 'x' is; expected one placeholder of each input "
                            "[structure.inputs]\n"
                            "  note: give it a target of its own: they are the parameters of one function\n");
}

TEST(VerifierStructure, ARequiredArgumentIsGiven) {
  Program p;
  Node *x = p.input("x");
  p.output({p.call("y", "aten.mm.default", {x})});
  EXPECT_EQ(found(p.graph), "error: y: gives no 'mat2' to aten.mm.default; expected Tensor mat2 [structure.arguments]\n"
                            "  note: give it at position 1 or by name\n");
}

TEST(VerifierStructure, ARequiredArgumentMayBeGivenByName) {
  Program p;
  Node *x = p.input("x");
  p.output({p.call("y", "aten.mm.default", {x}, {{"mat2", x}}, "")});
  EXPECT_EQ(found(p.graph), "");
}

TEST(VerifierStructure, AnArgumentThatNoSchemaKnowsIsAWarning) {
  Program p;
  Node *x = p.input("x");
  p.output({p.call("y", "aten.neg.default", {x, 3}, {{"config", 1}}, "")});
  EXPECT_EQ(found(p.graph),
            "warning: y: gives 2 arguments to aten.neg.default; its schema has 1 [structure.arguments]\n"
            "  note: an argument that is not in the schema counts as read, written and shared\n"
            "warning: y: gives 'config' to aten.neg.default, whose schema has no such parameter [structure.arguments]\n"
            "  note: an argument that is not in the schema counts as read, written and shared\n");
}

TEST(VerifierStructure, AnOpaqueOperatorTakesAnything) {
  Program p;
  Node *x = p.input("x");
  p.output({p.call("y", "mylib.op.default", {x, 1, "two"}, {{"three", 3}}, "")});
  EXPECT_EQ(found(p.graph), "");
}

/// Makes control_deps((x,), body, x) with a body of `numInputs` placeholders.
void addControlDeps(Program &p, int numInputs) {
  Graph &body = p.graph.addSubgraph(p.id("body"));
  for (int i = 0; i < numInputs; ++i)
    GraphBuilder(body).input("arg");
  ArgumentBuilder builder(body);
  Argument result = builder.nodes({body.front()});
  body.create({.opcode = Opcode::Output, .name = "output", .target = p.id("output")}, std::move(builder), {result, {}});
}

TEST(VerifierStructure, ControlDepsNamesASubgraph) {
  Program p;
  Node *x = p.input("x");
  p.output({p.call("y", "higher_order.control_deps", {list({x}), x, x})});
  EXPECT_EQ(found(p.graph), "error: y: its second argument names no subgraph of this graph [structure.control-deps]\n"
                            "  note: control_deps reads like control_deps((predecessors,), subgraph, arguments...)\n");
}

TEST(VerifierStructure, ControlDepsGivesEachPlaceholderAnArgument) {
  Program p;
  addControlDeps(p, 2);
  Node *x = p.input("x");
  Node *body = p.attribute("body");
  p.output({p.call("y", "higher_order.control_deps", {list({x}), body, x})});
  EXPECT_EQ(found(p.graph), "error: y: gives 1 arguments to 'body'; expected 2, one for each of its placeholders "
                            "[structure.control-deps]\n"
                            "  note: control_deps reads like control_deps((predecessors,), subgraph, arguments...)\n");
}

TEST(VerifierStructure, SubgraphsAreVerifiedUnderTheirName) {
  Program p;
  addControlDeps(p, 1);
  Graph &body = *p.graph.subgraph(p.id("body"));
  body.erase(body.output());
  Node *x = p.input("x");
  p.output({x});
  EXPECT_EQ(found(p.graph), "error: body/body: has no output at its end [structure.output]\n"
                            "  note: end the graph with an output node\n");
}

TEST(VerifierStructure, ErrorsBeyondTheLimitAreCounted) {
  Program p;
  Node *x = p.input("x");
  for (int i = 0; i < 200; ++i)
    p.call("y", "aten.mm.default", {x});
  p.output({x});
  VerifyOptions options;
  options.limit = 2;
  std::vector<Diagnostic> diagnostics = verify(p.graph, options);
  ASSERT_EQ(diagnostics.size(), 3U);
  EXPECT_EQ(diagnostics[2].message, "198 more errors are not shown");
}

TEST(VerifierRules, AreSortedAndSaySomething) {
  llvm::ArrayRef<VerifierRule> rules = verifierRules();
  for (size_t i = 0; i < rules.size(); ++i) {
    EXPECT_TRUE(i == 0 || rules[i - 1].id < rules[i].id) << rules[i].id.str();
    EXPECT_TRUE(rules[i].demand.back() == '.') << rules[i].id.str();
  }
}

TEST(VerifierRules, StandInTheDocumentation) {
  std::ifstream file(CCGRAPH_SOURCE_DIR "/docs/verifier.md");
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const VerifierRule &rule : verifierRules()) {
    std::string line = "| `" + rule.id.str() + "` | " + rule.demand.str() + " |\n";
    EXPECT_NE(text.find(line), std::string::npos) << "docs/verifier.md lacks the line\n" << line;
  }
  EXPECT_EQ(llvm::StringRef(text).count("\n| `"), verifierRules().size())
      << "docs/verifier.md lists a rule that is gone";
}

} // namespace
} // namespace ccgraph
