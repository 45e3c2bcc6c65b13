// Tests what the reader of plans refuses, and the positions in its errors. tests/diagnostics has the complete messages.
#include "ccgraph/frontend/json_plan.h"
#include "support/test_name.h"

#include <gtest/gtest.h>

using namespace ccgraph;

namespace {

std::vector<Diagnostic> errorsOf(llvm::StringRef text, size_t limit = 20) {
  Context context;
  auto plan = readPlan(context, {"p.json", text}, {.errorLimit = limit});
  std::vector<Diagnostic> found;
  if (!plan)
    llvm::handleAllErrors(plan.takeError(), [&](const DiagnosticError &error) { found = error.diagnostics().vec(); });
  return found;
}

constexpr llvm::StringLiteral streams =
    R"("streams": [{"kind": "host", "name": "host"}, {"kind": "compute", "name": "compute"}])";

/// Returns a file with two buffers, one group, one event, and the given parts.
std::string file(llvm::StringRef steps, llvm::StringRef more = "", llvm::StringRef head = streams) {
  return (R"({"format": "ccgraph.plan", "version": "1.0", "groups": {"tp": {"ranks": [0, 1]}}, "events": 1, )" + head +
          R"(, "buffers": [{"name": "x", "home": "input", "bytes": 64}, {"name": "y", "home": "compute", "bytes": 64, "at": 0}], )" +
          more + R"("steps": [{"name": "c", "stream": 1, "from": "b0 f32[4][1]cpu", "to": "b1 f32[4][1]cpu"})" + steps +
          "]}")
      .str();
}

std::string kernel(llvm::StringRef members) {
  return file((R"(, {"name": "k", "stream": 1, "op": "aten.relu.default", )" + members + "}").str());
}

std::string call(llvm::StringRef members) {
  return file(
      (R"(, {"name": "k", "stream": 1, "calls": [{"kind": "all_reduce", "group": "tp", )" + members + "}]}").str());
}

std::string stream(llvm::StringRef members) {
  return file("", "", (streams.drop_back() + ", {" + members + "}]").str());
}

std::string buffer(llvm::StringRef members) {
  return R"({"format": "ccgraph.plan", "version": "1.0", )" + streams.str() + R"(, "buffers": [{)" + members.str() +
         R"(}], "steps": []})";
}

/// One invalid file and the position of its error.
struct Wrong {
  const char *about;
  std::string text;
  std::string where;
  std::string message;
};

class JsonPlanErrors : public ::testing::TestWithParam<Wrong> {};

} // namespace

TEST_P(JsonPlanErrors, ArePlacedAndExplained) {
  auto errors = errorsOf(GetParam().text);
  ASSERT_EQ(errors.size(), 1U) << toString(errors) << GetParam().text;
  EXPECT_EQ(errors[0].where, GetParam().where);
  EXPECT_NE(errors[0].message.find(GetParam().message), std::string::npos) << errors[0].message;
  EXPECT_EQ(errors[0].file, "p.json");
  EXPECT_GT(errors[0].line, 0U);
  EXPECT_GT(errors[0].column, 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Values, JsonPlanErrors,
    ::testing::Values(
        Wrong{"a buffer that is not there", kernel(R"("result": "b2 f32[4][1]cpu")"), "/steps/1/result",
              "expected the index of a buffer, from 0 to 1, got \"b2 f32[4][1]cpu\""},
        Wrong{"a buffer beyond all numbers", kernel(R"("result": "b99999999999999999999 f32[4][1]cpu")"),
              "/steps/1/result", "expected a window"},
        Wrong{"a buffer with a zero before", kernel(R"("result": "b01 f32[4][1]cpu")"), "/steps/1/result",
              "expected a window"},
        Wrong{"an offset below 0", kernel(R"("result": "b1+-4 f32[4][1]cpu")"), "/steps/1/result", "expected a window"},
        Wrong{"an offset that is not closed", kernel(R"("result": "b1+(4*s0 f32[4][1]cpu")"), "/steps/1/result",
              "expected a window"},
        Wrong{"an empty offset", kernel(R"("result": "b1+() f32[4][1]cpu")"), "/steps/1/result", "expected a window"},
        Wrong{"a window without type", kernel(R"("result": "b1")"), "/steps/1/result", "expected a window"},
        Wrong{"a bad type", kernel(R"("result": "b1 f33[4][1]cpu")"), "/steps/1/result",
              "type 'f33[4][1]cpu', column 1"},
        Wrong{"a type without strides", kernel(R"("result": "b1 f32[4]cpu")"), "/steps/1/result",
              "whose type is a tensor with strides"},
        Wrong{"a window of no tensor", kernel(R"x("result": "b1 Sym(u0)")x"), "/steps/1/result",
              "whose type is a tensor with strides"},
        Wrong{"a number that is not there", kernel(R"("result": "n0")"), "/steps/1/result",
              "expected the index of a number, of which this plan has none, got \"n0\""},
        Wrong{"a word", kernel(R"("result": "x")"), "/steps/1/result", "expected a value of a plan"},
        Wrong{"a bare number", kernel(R"("result": 7)"), "/steps/1/result", "expected a value of a plan"},
        Wrong{"an unknown object", kernel(R"("result": {"thing": "x"})"), "/steps/1/result",
              "expected a value of a plan"},
        Wrong{"an object without name", kernel(R"("result": {"object": ""})"), "/steps/1/result/object",
              "the name of the object in messages"},
        Wrong{"a literal that is a list", kernel(R"("result": {"literal": [1]})"), "/steps/1/result/literal",
              "a literal that is no list"},
        Wrong{"a literal that is an operand", kernel(R"("result": {"literal": "%0"})"), "/steps/1/result/literal",
              "a literal that is no list"},
        Wrong{"a list as output", file("", R"("outputs": [[]], )"), "/outputs/0",
              "each element of a list is an output of its own"},
        Wrong{"an input of nothing", file("", R"("inputs": [{"name": "in.x", "value": null}], )"), "/inputs/0/value",
              "expected a tensor, a number or an object, got null"}),
    [](const auto &test) { return test::testName(test.param.about); });

INSTANTIATE_TEST_SUITE_P(
    Steps, JsonPlanErrors,
    ::testing::Values(
        Wrong{"a step that does nothing", file(R"(, {"name": "k", "stream": 1})"), "/steps/1",
              "expected a step with 'op', with 'calls', or with 'from' and 'to'"},
        Wrong{"a step that is none", file(", 7"), "/steps/1", "expected a step"},
        Wrong{"two works", kernel(R"("calls": [])"), "/steps/1/calls", "a step with 'op' has no key 'calls'"},
        Wrong{"a key twice", kernel(R"("args": [], "args": [])"), "/steps/1/args", "the key 'args' occurs twice"},
        Wrong{"an operator of no name", file(R"(, {"name": "k", "stream": 1, "op": ""})"), "/steps/1/op",
              "expected an operator"},
        Wrong{"no name", file(R"(, {"stream": 1, "calls": []})"), "/steps/1", "expected 'name' in a step with 'calls'"},
        Wrong{"a stream that is not there", file(R"(, {"name": "k", "stream": 2, "calls": []})"), "/steps/1/stream",
              "expected the index of a stream, from 0 to 1, got 2"},
        Wrong{"an event that is not there", kernel(R"("waits": [0, 1])"), "/steps/1/waits/1",
              "expected the index of an event, from 0 to 0, got 1"},
        Wrong{"a recorded event that is not there", kernel(R"("records": -1)"), "/steps/1/records", "of an event"},
        Wrong{"an operand that is not there", kernel(R"("args": [["%1"]], "operands": [null])"), "/steps/1/args/0/0",
              "expected the index of an operand, from 0 to 0, got \"%1\""},
        Wrong{"an operand by name", kernel(R"("args": ["%x"])"), "/steps/1/args/0", "expected an operand \"%index\""},
        Wrong{"arguments that are no list", kernel(R"("args": {})"), "/steps/1/args", "'args' as an array"},
        Wrong{"keywords that are no object", kernel(R"("kwargs": [])"), "/steps/1/kwargs", "'kwargs' as an object"},
        Wrong{"a copy from nowhere", file(R"(, {"name": "k", "stream": 1, "to": "b0 f32[4][1]cpu"})"), "/steps/1",
              "expected 'from' in a step with 'from' and 'to'"},
        Wrong{"a copy to nothing", file(R"(, {"name": "k", "stream": 1, "from": "b0 f32[4][1]cpu", "to": null})"),
              "/steps/1/to", "expected a window"}),
    [](const auto &test) { return test::testName(test.param.about); });

INSTANTIATE_TEST_SUITE_P(
    Calls, JsonPlanErrors,
    ::testing::Values(
        Wrong{"an unknown kind", file(R"(, {"name": "k", "stream": 1, "calls": [{"kind": "reduce", "group": "tp"}]})"),
              "/steps/1/calls/0/kind", "expected a kind of collective"},
        Wrong{"an unknown group",
              file(R"(, {"name": "k", "stream": 1, "calls": [{"kind": "barrier", "group": "dp"}]})"),
              "/steps/1/calls/0/group", "expected the name of a group, got \"dp\""},
        Wrong{"a reduction in capitals", call(R"("reduce": "SUM")"), "/steps/1/calls/0/reduce", "expected a reduction"},
        Wrong{"a root below 0", call(R"("root": -1)"), "/steps/1/calls/0/root", "a rank within the group"},
        Wrong{"a tag that is none", call(R"("tag": "a")"), "/steps/1/calls/0/tag", "expected a tag"},
        Wrong{"a row of one end", call(R"("rows": [["b0 f32[4][1]cpu"]])"), "/steps/1/calls/0/rows/0",
              "expected a row"},
        Wrong{"a row of numbers", call(R"("rows": [[null, "n0"]])"), "/steps/1/calls/0/rows/0/1", "expected a window"},
        Wrong{"a count below 0", call(R"("send_counts": [-1])"), "/steps/1/calls/0/send_counts/0",
              "expected a number of elements"}),
    [](const auto &test) { return test::testName(test.param.about); });

INSTANTIATE_TEST_SUITE_P(
    Lists, JsonPlanErrors,
    ::testing::Values(
        Wrong{"a stream of no kind", stream(R"("kind": "nccl", "name": "s")"), "/streams/2/kind", "a kind of stream"},
        Wrong{"a stream of transfers without group", stream(R"("kind": "transfer", "name": "s")"), "/streams/2",
              "expected 'group' in a stream"},
        Wrong{"a compute stream with a group", stream(R"("kind": "compute", "name": "s", "group": "tp")"),
              "/streams/2/group", "has no group"},
        Wrong{
            "one stream",
            R"({"format": "ccgraph.plan", "version": "1.0", "steps": [], "streams": [{"kind": "host", "name": "a"}]})",
            "/streams", "the second of kind compute"},
        Wrong{"a home that is none", buffer(R"("name": "x", "home": "stack", "bytes": 4)"), "/buffers/0/home",
              "expected a home"},
        Wrong{"no bytes", buffer(R"("name": "x", "home": "input")"), "/buffers/0", "expected 'bytes' in a buffer"},
        Wrong{"bytes below 0", buffer(R"("name": "x", "home": "input", "bytes": -4)"), "/buffers/0/bytes",
              "expected bytes"},
        Wrong{"an arena without place", buffer(R"("name": "x", "home": "compute", "bytes": 4)"), "/buffers/0",
              "expected 'at' in a buffer"},
        Wrong{"a place without arena", buffer(R"("name": "x", "home": "input", "bytes": 4, "at": 0)"), "/buffers/0/at",
              "lies in no arena"},
        Wrong{"a place below 0", buffer(R"("name": "x", "home": "compute", "bytes": 4, "at": -64)"), "/buffers/0/at",
              "bytes from the beginning of the arena"}),
    [](const auto &test) { return test::testName(test.param.about); });

INSTANTIATE_TEST_SUITE_P(
    Files, JsonPlanErrors,
    ::testing::Values(
        Wrong{"a list", "[]", "", "expected a plan"},
        Wrong{"another format", R"({"format": "ccgraph.graph", "version": "1.0", "nodes": []})", "/format",
              R"(expected "ccgraph.plan", got "ccgraph.graph")"},
        Wrong{"no format", R"({"version": "1.0"})", "", "does not state that it is a plan"},
        Wrong{"no version", R"({"format": "ccgraph.plan", )" + streams.str() + R"(, "steps": []})", "",
              R"(expected "version": "1.0")"},
        Wrong{"a newer major version", R"({"format": "ccgraph.plan", "version": "2.0", "what": 1})", "/version",
              "expected version 1.x"},
        Wrong{"no steps", R"({"format": "ccgraph.plan", "version": "1.0", )" + streams.str() + "}", "",
              "this plan has no 'steps'"},
        Wrong{"no streams", R"({"format": "ccgraph.plan", "version": "1.0", "steps": []})", "",
              "this plan has no 'streams'"},
        Wrong{"steps that are no list",
              R"({"format": "ccgraph.plan", "version": "1.0", "steps": {}, )" + streams.str() + "}", "/steps",
              "expected 'steps' as an array, got {}"},
        Wrong{"a key twice", file("", R"("name": "a", "name": "b", )"), "/name", "the key 'name' occurs twice"},
        Wrong{"an unknown key", file("", R"("nmae": "a", )"), "/nmae", "a plan has no key 'nmae'"},
        Wrong{"a digest that is none", file("", R"("graph_digest": "00ff", )"), "/graph_digest",
              "expected the digest of a graph"},
        Wrong{"a rank below 0", file("", R"("rank": -1, )"), "/rank", "expected a rank"},
        Wrong{"a world of nobody", file("", R"("world_size": 0, )"), "/world_size", "expected a number of ranks"},
        Wrong{"guards that are no list", file("", R"("guards": {}, )"), "/guards",
              "expected 'guards' as an array, got {}"},
        Wrong{"a guard without value", file("", R"("guards": [{"fact": "size", "of": "tp"}], )"), "/guards/0",
              "expected a guard"},
        Wrong{"a guard with a key too many",
              file("", R"("guards": [{"fact": "size", "of": "tp", "value": 2, "on": 1}], )"), "/guards/0",
              "expected a guard"},
        Wrong{"a guard with a key twice",
              file("", R"("guards": [{"fact": "size", "of": "tp", "of": "dp", "value": 2}], )"), "/guards/0",
              "expected a guard"},
        Wrong{"a fact that is none", file("", R"("guards": [{"fact": "colour", "of": "tp", "value": 2}], )"),
              "/guards/0/fact",
              R"(expected a fact: rank, size, ranks, member, tag, name, mesh_ndim or device_type, got "colour")"},
        Wrong{"a size that is a text", file("", R"("guards": [{"fact": "size", "of": "tp", "value": "2"}], )"),
              "/guards/0/value", R"(expected the size of a group: an integer, got "2")"},
        Wrong{"a rank beyond 64 bits",
              file("", R"("guards": [{"fact": "rank", "of": "tp", "value": 99999999999999999999}], )"),
              "/guards/0/value", "expected the rank of a group: an integer"},
        Wrong{"ranks that are no numbers",
              file("", R"("guards": [{"fact": "ranks", "of": "tp", "value": [0, "1"]}], )"), "/guards/0/value",
              "expected the ranks of a group: a list of ranks"},
        Wrong{"events that are no number", file("", R"("numbers": "2", )"), "/numbers", "how many numbers there are"},
        Wrong{"a layout without bytes", file("", R"("layout": {"compute_bytes": 1, "live_bytes": 1}, )"), "/layout",
              "expected 'communication_bytes' in a layout"},
        Wrong{"symbols that are no object",
              file("", R"("layout": {"symbols": [], "compute_bytes": 1, "communication_bytes": 1, "live_bytes": 1}, )"),
              "/layout/symbols", "'symbols' as an object"},
        Wrong{
            "a symbol twice",
            file(
                "",
                R"("layout": {"symbols": {"s0": 1, "s0": 2}, "compute_bytes": 1, "communication_bytes": 1, "live_bytes": 1}, )"),
            "/layout/symbols/s0", "the symbol 's0' occurs twice"},
        Wrong{
            "a compute stream first",
            R"({"format": "ccgraph.plan", "version": "1.0", "steps": [], "streams": [{"kind": "compute", "name": "a"}, {"kind": "host", "name": "b"}]})",
            "/streams", "the first stream must be of kind host"},
        Wrong{"half a file", file("").substr(0, 70), "/groups/tp", "this is not JSON"}),
    [](const auto &test) { return test::testName(test.param.about); });

TEST(JsonPlanErrorLimit, AllErrorsOfAFileAreReportedUpToIt) {
  std::string bad =
      R"(, {"name": "", "stream": 9, "waits": [3], "op": "", "args": ["%4"], "result": "b7 f32[1][1]cpu"})";
  EXPECT_EQ(errorsOf(file(bad)).size(), 6U);
  EXPECT_EQ(errorsOf(file(bad + bad + bad), 4).size(), 5U) << "four, and how many more";
}
