#include "ccgraph/ir/internal/names.h"

#include "ccgraph/ir/text.h"

#include <gtest/gtest.h>

using namespace ccgraph;

TEST(Names, OfNodesArePythonIdentifiers) {
  for (const char *name : {"x", "_", "mm_1", "_0", "None_1", "größe", "変数", "Ω", "match", "slice", "device"})
    EXPECT_TRUE(isNodeName(name)) << name;
  for (const char *name : {"",
                           "1x",
                           "a b",
                           "a.b",
                           "a\n",
                           "\na",
                           "a;b",
                           "a#",
                           "None",
                           "True",
                           "lambda",
                           "class",
                           "self",
                           "torch",
                           "inf",
                           "nan",
                           "math",
                           "a\xff",
                           "\xed\xa0\x80",
                           "a\xe2\x80\xa8",
                           "a\xcc\x81" /* a and an accent are one letter to Python */,
                           "\xef\xac\x81" /* the ligature fi is "fi" to Python */,
                           "\xc2\xb2",
                           "%x",
                           "x=1"})
    EXPECT_FALSE(isNodeName(name)) << name;
}

TEST(Names, OfParametersMayTakeTheRest) {
  for (const char *name : {"x", "*args", "**kwargs"})
    EXPECT_TRUE(isParameterName(name)) << name;
  for (const char *name : {"", "*", "***x", "x*", "* x", "x: int", "x=1", "self"})
    EXPECT_FALSE(isParameterName(name)) << name;
}

TEST(Names, OfTargetsAreJoinedByDots) {
  for (const char *name :
       {"aten.mm.default", "aten.random_.from", "output", "torch.sym_max", "torch.nn.functional.relu"})
    EXPECT_TRUE(isCallTarget(name)) << name;
  for (const char *name : {"", ".", "aten.", ".mm", "aten..mm", "aten.mm.0", "aten.mm(x)", "aten.mm\n", "aten mm",
                           "a-b", "lambda", "aten.None.x", "torch", "self"})
    EXPECT_FALSE(isCallTarget(name)) << name;
  for (const char *name : {"w", "layers.0.weight", "0"})
    EXPECT_TRUE(isAttributePath(name)) << name;
  for (const char *name : {"", "a..b", "a.b()", "a b", "a\"", "a\n"})
    EXPECT_FALSE(isAttributePath(name)) << name;
  for (const char *name : {"dim", "from"})
    EXPECT_TRUE(isArgumentName(name)) << name;
  for (const char *name : {"", "None", "lambda", "a b", "1k"})
    EXPECT_FALSE(isArgumentName(name)) << name;
}

TEST(Names, OfFunctionsThatADataFileMayCall) {
  for (const char *name :
       {"aten.mm.default", "mylib.load.default", "operator.add", "math.ceil", "builtins.getattr", "sym_sum",
        "torch.sym_max", "torch.nn.functional.relu", "torch.ops.aten.mm.default", "torch._C._set_grad_enabled",
        "torch.distributed._spmd.comm_tensor._wait_comm", "torch.amp.autocast_mode._enter_autocast"})
    EXPECT_TRUE(isFunctionOfGraphs(name)) << name;
  for (const char *name :
       {"eval", "exec", "__import__", "builtins.eval", "torch.os.system", "torch.load", "torch.hub.load",
        "operator.methodcaller", "torch.ops.load_library", "torch.nn.functional.os.system"})
    EXPECT_FALSE(isFunctionOfGraphs(name)) << name;
}

TEST(Names, OfSymbolsAreArithmetic) {
  for (const char *text : {"s0", "2*s0 + 1", "Max(1, u0)//2", "-u0", "Eq(u0, 1)", "s0**2 % 4 <= 7", "4"})
    EXPECT_TRUE(isSymbolText(text)) << text;
  for (const char *text : {"", " ", "s0)", "(s0", ")(", "s0\n", "s0]", "s0\"", "'s0'", "s0#", "s0;x", "a\\", "[s0]",
                           "{s0}", "a:b", "größe"})
    EXPECT_FALSE(isSymbolText(text)) << text;
}

TEST(Names, StayInTheirLine) {
  EXPECT_TRUE(isOneLine("a b \xc3\xa9 \"'\\"));
  for (const char *text : {"a\n", "\r", "\t", "\x1b[31m", "\x7f", "\xff", "a\xc2\x9b", "a\xe2\x80\xa8"})
    EXPECT_FALSE(isOneLine(text)) << text;
  EXPECT_EQ(visibleText("a\nb\x1b[31m\x7f\xff\xc3\xa9"), "a\\nb\\x1b[31m\\x7f\\xff\xc3\xa9");
}
