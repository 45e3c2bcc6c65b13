// Tests what the reader refuses, and the positions in its errors. tests/diagnostics has the complete messages.
#include "support/test_name.h"

#include "ccgraph/frontend/json_graph.h"

#include <gtest/gtest.h>

using namespace ccgraph;

namespace {

std::vector<Diagnostic> errorsOf(llvm::StringRef text, size_t limit = 20) {
  Context context;
  auto graph = readJsonGraph(context, {"t.json", text}, {.errorLimit = limit});
  std::vector<Diagnostic> found;
  if (!graph)
    llvm::handleAllErrors(graph.takeError(), [&](const DiagnosticError &error) { found = error.diagnostics().vec(); });
  return found;
}

std::string file(llvm::StringRef nodes, llvm::StringRef head = "") {
  return (R"({"format": "ccgraph.graph", "version": "1.0", )" + head + "\"nodes\": [" + nodes + "]}").str();
}

std::string call(llvm::StringRef args) {
  return file((R"({"name": "x", "op": "placeholder"}, {"name": "f", "op": "call_function", "target": "t", "args": )" +
               args + "}")
                  .str());
}

/// One invalid file and the position of its error.
struct Wrong {
  const char *about;
  std::string text;
  std::string where;
  std::string message;
};

class JsonErrors : public ::testing::TestWithParam<Wrong> {};

} // namespace

TEST_P(JsonErrors, ArePlacedAndExplained) {
  auto errors = errorsOf(GetParam().text);
  ASSERT_EQ(errors.size(), 1U) << toString(errors);
  EXPECT_EQ(errors[0].where, GetParam().where);
  EXPECT_NE(errors[0].message.find(GetParam().message), std::string::npos) << errors[0].message;
  EXPECT_EQ(errors[0].file, "t.json");
  EXPECT_GT(errors[0].line, 0U);
  EXPECT_GT(errors[0].column, 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Arguments, JsonErrors,
    ::testing::Values(
        Wrong{"a bare string", call(R"(["%x", "sum"])"), "/nodes/1/args/1",
              R"(expected a node "%name" or a literal, got "sum")"},
        Wrong{"a lone percent sign", call(R"(["%"])"), "/nodes/1/args/0", "expected a node"},
        Wrong{"an unknown literal", call(R"([{"strr": "sum"}])"), "/nodes/1/args/0", "a literal of a known kind"},
        Wrong{"two keys", call(R"([{"str": "sum", "sym": "s0"}])"), "/nodes/1/args/0", "an object with one key"},
        Wrong{"no key", call("[{}]"), "/nodes/1/args/0", "an object with one key"},
        Wrong{"a string that is none", call(R"([{"str": 3}])"), "/nodes/1/args/0/str", "expected a string, got 3"},
        Wrong{"an unknown dtype", call(R"([{"dtype": "float32"}])"), "/nodes/1/args/0/dtype", "expected a dtype"},
        Wrong{"a device without a kind", call(R"([{"device": ":0"}])"), "/nodes/1/args/0/device", "expected a device"},
        Wrong{"a device with a negative index", call(R"([{"device": "cuda:-1"}])"), "/nodes/1/args/0/device",
              "expected a device"},
        Wrong{"a number for a device", call(R"([{"device": 9223372036854775808}])"), "/nodes/1/args/0/device",
              "expected a device"},
        Wrong{"a slice of two", call(R"([{"slice": [1, 2]}])"), "/nodes/1/args/0/slice", "[start, stop, step]"},
        Wrong{"a tuple that is none", call(R"([{"tuple": 1}])"), "/nodes/1/args/0/tuple", "the elements of a tuple"},
        Wrong{"a dict that is none", call(R"([{"dict": [1]}])"), "/nodes/1/args/0/dict", "the entries of a dictionary"},
        Wrong{"a key of a dict twice", call(R"([{"dict": {"a": 1, "a": 2}}])"), "/nodes/1/args/0/dict/a",
              "occurs twice"},
        Wrong{"an integer beyond 64 bits", call("[9223372036854775808]"), "/nodes/1/args/0",
              "an integer that 64 bits hold"},
        Wrong{"a float spelled in words", call(R"([{"float": "infinity"}])"), "/nodes/1/args/0/float", "\"inf\""},
        Wrong{"args that are none", call("3"), "/nodes/1/args", "'args' as an array"},
        Wrong{"a later node",
              file(R"({"name": "f", "op": "output", "args": ["%g"]}, {"name": "g", "op": "placeholder"})"),
              "/nodes/0/args/0", "node 'f' mentions node 'g', which is defined after it"},
        Wrong{"no such node", call(R"(["%y"])"), "/nodes/1/args/0", "'y', which does not exist"},
        Wrong{"itself", call(R"(["%f"])"), "/nodes/1/args/0", "mentions itself"}),
    [](const auto &info) { return test::testName(info.param.about); });

INSTANTIATE_TEST_SUITE_P(
    Nodes, JsonErrors,
    ::testing::Values(
        Wrong{"a number for a node", file("7"), "/nodes/0", "expected a node"},
        Wrong{"no name", file(R"({"op": "placeholder"})"), "/nodes/0", "a node with a name"},
        Wrong{"an empty name", file(R"({"name": "", "op": "placeholder"})"), "/nodes/0/name", "a node with a name"},
        Wrong{"a name twice", file(R"({"name": "x", "op": "placeholder"}, {"name": "x", "op": "placeholder"})"),
              "/nodes/1/name", "a node named 'x'"},
        Wrong{"no opcode", file(R"({"name": "x"})"), "/nodes/0", "an 'op'"},
        Wrong{"a module call", file(R"({"name": "x", "op": "call_module", "target": "linear"})"), "/nodes/0/op",
              "got \"call_module\""},
        Wrong{"a call without target", file(R"({"name": "x", "op": "call_function", "args": []})"), "/nodes/0",
              "a 'target'"},
        Wrong{"a key twice", file(R"({"name": "x", "op": "placeholder", "op": "placeholder"})"), "/nodes/0/op",
              "occurs twice"},
        Wrong{"a type that is none", file(R"({"name": "x", "op": "placeholder", "type": "float32[2]"})"),
              "/nodes/0/type", "expected a dtype"},
        Wrong{"a type of another kind", file(R"({"name": "x", "op": "placeholder", "type": {"dtype": "f32"}})"),
              "/nodes/0/type", "a type or a list of types"},
        Wrong{"a frame that is not there", file(R"({"name": "x", "op": "placeholder", "meta": {"frame": 0}})"),
              "/nodes/0/meta/frame", "which has 0 entries"},
        Wrong{"a negative duration", file(R"({"name": "x", "op": "placeholder", "meta": {"duration_ps": -1}})"),
              "/nodes/0/meta/duration_ps", "picoseconds"},
        Wrong{"origins that are none", file(R"({"name": "x", "op": "placeholder", "meta": {"origins": [1]}})"),
              "/nodes/0/meta/origins/0", "the name of a node"},
        Wrong{"an order after itself", file(R"({"name": "x", "op": "placeholder", "after": ["%x"]})"),
              "/nodes/0/after/0", "cannot follow itself"},
        Wrong{"an order after text", file(R"({"name": "x", "op": "placeholder", "after": ["y"]})"), "/nodes/0/after/0",
              "must follow"}),
    [](const auto &info) { return test::testName(info.param.about); });

INSTANTIATE_TEST_SUITE_P(
    Files, JsonErrors,
    ::testing::Values(
        Wrong{"no text", "", "", "this is not JSON"}, Wrong{"an array", "[]", "", "expected a graph"},
        Wrong{"no format", R"({"nodes": []})", "", "does not state that it is a graph"},
        Wrong{"another format", R"({"format": "onnx", "version": 7, "nodes": 3})", "/format",
              "expected \"ccgraph.graph\", got \"onnx\""},
        Wrong{"no version", R"({"format": "ccgraph.graph", "nodes": []})", "", "expected \"version\""},
        Wrong{"another major version", R"({"format": "ccgraph.graph", "version": "2.0", "nodes": 3})", "/version",
              "expected version 1.x, got \"2.0\""},
        Wrong{"a version that is none", R"({"format": "ccgraph.graph", "version": 1, "nodes": []})", "/version",
              "a version \"major.minor\""},
        Wrong{"no nodes", R"({"format": "ccgraph.graph", "version": "1.0"})", "", "no 'nodes'"},
        Wrong{"nodes twice", file("", R"("nodes": [], )"), "/nodes", "occurs twice"},
        Wrong{"a subgraph without nodes", file("", R"("subgraphs": {"s": {}}, )"), "/subgraphs/s", "no 'nodes'"},
        Wrong{"a subgraph twice", file("", R"("subgraphs": {"s": {"nodes": []}, "s": {"nodes": []}}, )"),
              "/subgraphs/s", "is before this one"},
        Wrong{"a rank below 0", file("", R"("rank": -1, )"), "/rank", "a rank"},
        Wrong{"a world of nobody", file("", R"("world_size": 0, )"), "/world_size", "a number of ranks"},
        Wrong{"a hint that is none", file("", R"("symbols": {"s0": "4"}, )"), "/symbols/s0",
              "the value that the symbol had"},
        Wrong{"a group without members", file("", R"("groups": {"g": {"desc": "tp"}}, )"), "/groups/g",
              "'ranks' or 'partition'"},
        Wrong{"a group with both", file("", R"("groups": {"g": {"ranks": [0], "partition": [[1]]}}, )"), "/groups/g",
              "has both 'ranks' and 'partition'"},
        Wrong{"a rank twice", file("", R"("groups": {"g": {"partition": [[0, 1], [1, 2]]}}, )"),
              "/groups/g/partition/1/0", "rank 1 occurs twice"},
        Wrong{"a negative rank", file("", R"("groups": {"g": {"ranks": [-1]}}, )"), "/groups/g/ranks/0", "a rank"},
        Wrong{"half a file", R"({"format": "ccgraph.graph", "version": "1.0", "nodes": [{"name": "x)", "/nodes/0/name",
              "missing closing quote"},
        Wrong{"a comma too many", file(R"({"name": "x", "op": "placeholder"},)"), "/nodes/1", "this is not JSON"},
        Wrong{"a number out of range", call("[1e999]"), "/nodes/1/args/0", "out of range"}),
    [](const auto &info) { return test::testName(info.param.about); });

TEST(JsonErrorList, AllErrorsOfAFileAreReportedUpToTheLimit) {
  std::string nodes;
  for (int i = 0; i < 30; ++i)
    nodes += (i ? "," : "") + (R"({"name": "p)" + std::to_string(i) + R"(", "op": "placeholder", "type": "no"})");
  auto errors = errorsOf(file(nodes));
  ASSERT_EQ(errors.size(), 21U);
  EXPECT_EQ(errors[19].where, "/nodes/19/type");
  EXPECT_EQ(errors[20].message, "10 more errors are not shown");
  EXPECT_EQ(errorsOf(file(nodes), 3).size(), 4U);
}

TEST(JsonErrorList, ABrokenNodeDoesNotBreakItsReaders) {
  auto errors = errorsOf(file(R"({"name": "m", "op": "call_module"}, {"name": "f", "op": "output", "args": ["%m"]})"));
  EXPECT_EQ(errors.size(), 1U) << toString(errors);
}

TEST(JsonErrorList, PlacesAreLineAndColumnOfTheValue) {
  auto errors = errorsOf("{\"format\": \"ccgraph.graph\", \"version\": \"1.0\",\n \"nodes\": [\n  {\"name\": \"x\", "
                         "\"op\": \"placeholder\", \"type\": 5}]}");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].line, 3U);
  EXPECT_EQ(errors[0].column, 46U);
}

TEST(JsonErrorList, NestingHasALimitAndCostsNoStack) {
  auto nested = [](size_t depth) { return call(std::string(depth, '[') + std::string(depth, ']')); };
  EXPECT_TRUE(errorsOf(nested(190)).empty());
  auto errors = errorsOf(nested(1'000'000));
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_NE(errors[0].message.find("nests deeper than 200"), std::string::npos);
}
