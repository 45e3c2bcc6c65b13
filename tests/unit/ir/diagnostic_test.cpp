#include "ccgraph/ir/diagnostic.h"

#include <gtest/gtest.h>

using namespace ccgraph;

TEST(DiagnosticTest, PrintsPlaceMessageRuleAndNotes) {
  Diagnostic diagnostic{.rule = "json.syntax",
                        .file = "a.json",
                        .line = 3,
                        .column = 7,
                        .where = "/nodes/2",
                        .message = "got 1, expected a string",
                        .notes = {"quote it"}};
  EXPECT_EQ(toString(diagnostic),
            "a.json:3:7: error: /nodes/2: got 1, expected a string [json.syntax]\n  note: quote it\n");
  EXPECT_EQ(toString(Diagnostic{.severity = Severity::Warning, .message = "m"}), "warning: m\n");
}

TEST(DiagnosticTest, SpellOutWhatATerminalWouldObey) {
  Diagnostic diagnostic;
  diagnostic.message = "got '\x1b[31m\xff\n\xc3\xa9'";
  EXPECT_EQ(toString(diagnostic), "error: got '\\x1b[31m\\xff\\n\xc3\xa9'\n");
}

TEST(DiagnosticTest, LeaveOutTheMiddleOfWhatNobodyReads) {
  Diagnostic diagnostic;
  diagnostic.message = "got '" + std::string(5000, 'a') + "', expected a type";
  std::string text = toString(diagnostic);
  EXPECT_LT(text.size(), 900U);
  EXPECT_NE(text.find("a ... [4223 bytes] ... a"), std::string::npos) << text;
  EXPECT_NE(text.find("', expected a type\n"), std::string::npos) << text;
}

TEST(DiagnosticTest, ANodesOwnSourceLineIsNamed) {
  Context context;
  Graph graph(context);
  uint32_t frame = graph.addFrame({.file = context.identifier("train.py"),
                                   .function = context.identifier("step"),
                                   .code = context.identifier("y = f(x)"),
                                   .line = 12});
  Node *node =
      graph.create({.opcode = Opcode::Placeholder, .name = "x", .target = context.identifier("x"), .frame = frame},
                   ArgumentBuilder(graph), {});
  EXPECT_EQ(toString(diagnose(*node, "structure.name", "bad", "rename it")),
            "error: x: bad [structure.name]\n  note: rename it\n  note: from train.py:12 in step: y = f(x)\n");
}

TEST(DiagnosticTest, ErrorsAreLimitedAndCounted) {
  Diagnostics diagnostics(2);
  for (int i = 0; i < 5; ++i)
    diagnostics.add({.message = std::to_string(i)});
  diagnostics.add({.severity = Severity::Warning, .message = "w"});
  EXPECT_TRUE(diagnostics.hasErrors());
  EXPECT_EQ(toString(diagnostics.take()), "error: 0\nerror: 1\nwarning: w\nerror: 3 more errors are not shown\n");
  EXPECT_FALSE(diagnostics.hasErrors());
}

TEST(DiagnosticTest, TravelsAsAnError) {
  llvm::Error error = makeError(Diagnostic{.message = "broken"});
  EXPECT_TRUE(error.isA<DiagnosticError>());
  EXPECT_EQ(llvm::toString(std::move(error)), "error: broken\n");
}
