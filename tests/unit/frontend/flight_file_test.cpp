// Tests flight records: writing and reading, and pickles, whose every instruction is executed or refused.
#include "ccgraph/frontend/flight_file.h"

#include "ccgraph/frontend/files.h"
#include "flight/pickle.h"

#include <gtest/gtest.h>

using namespace ccgraph;
using namespace std::string_literals; // pickles contain zero bytes

namespace {

std::string written(const FlightRecord &record) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeFlightRecord(os, record);
  return os.str();
}

FlightRecord read(llvm::StringRef text, const std::string &name = "rank_1.json") {
  llvm::Expected<FlightRecord> record = readFlightRecord({name, text});
  if (record)
    return *record;
  ADD_FAILURE() << llvm::toString(record.takeError());
  return {};
}

std::string errorOf(llvm::StringRef text) {
  llvm::Expected<FlightRecord> record = readFlightRecord({"rank_1", text});
  return record ? "" : llvm::toString(record.takeError());
}

std::string everyFeature() {
  return llvm::cantFail(InputFile::open(CCGRAPH_TEST_DATA "/json/every-feature.flight.json")).text().str();
}

} // namespace

TEST(FlightFile, IsReadBackAsItWasWritten) {
  std::string text = everyFeature();
  FlightRecord record = read(text, "anything");
  EXPECT_EQ(written(record), text);
  EXPECT_EQ(record.rank, 1);
  EXPECT_EQ(record.calls[0].inputs, (std::vector<FlightTensor>{{"f32", 4}, {"bf16", 2}}));
  EXPECT_EQ(record.calls[1].peer, 1);
  EXPECT_EQ(record.calls[1].departure, "number 1 by the plan");
  EXPECT_EQ(record.activity, RankActivity::Busy);
}

TEST(FlightFile, TakesWhatPyTorchRetiredAsCompletedOnlyWhereTheStatusSaysSo) {
  auto stateOf = [](const char *status, const char *retired, const char *library = "nccl") {
    std::string text = R"({"pg_config": {}, "pg_status": {"0": {"last_completed_collective": )" + std::string(status) +
                       R"(}}, "entries": [{"process_group": ["0", "default_pg"], "pg_id": 0, "collective_seq_id": 2,
      "profiling_name": ")" +
                       library + R"(:all_reduce", "state": "scheduled", "retired": )" + retired +
                       R"(, "input_sizes": [[2, 3]], "output_sizes": []}]})";
    return read(text).calls.front().state;
  };
  EXPECT_EQ(stateOf("2", "true"), FlightState::Completed);
  EXPECT_EQ(stateOf("\"2\"", "true"), FlightState::Completed); // as in its JSON form
  EXPECT_EQ(stateOf("1", "true"), FlightState::Scheduled);
  EXPECT_EQ(stateOf("1", "true", "gloo"), FlightState::Completed); // gloo's status is late
  EXPECT_EQ(stateOf("2", "false"), FlightState::Scheduled);
}

TEST(FlightFile, CountsTransfersOfAChannel) {
  std::string text = R"({"pg_config": {"0": {"name": "0", "desc": "", "ranks": "[2, 3]"}}, "entries": [)";
  for (const char *name : {"send 0->1", "recv 0<-1", "send 0->1", "recv 0<-?"})
    text += R"({"process_group": ["0", ""], "p2p_seq_id": 9, "is_p2p": true, "profiling_name": "nccl:)" +
            std::string(name) + R"(", "state": "started", "input_sizes": [[2]], "output_sizes": [[2]]},)";
  text.back() = ']';
  FlightRecord record = read(text + "}");
  ASSERT_EQ(record.calls.size(), 3U); // the partner of a receive from any rank is unknown
  EXPECT_EQ(record.calls[0].sequence, 1);
  EXPECT_EQ(record.calls[1].sequence, 1);
  EXPECT_EQ(record.calls[2].sequence, 2);
  EXPECT_EQ(record.groups[0].ranks, (std::vector<int64_t>{2, 3}));
}

// --- Pickles ------------------------------------------------------------------------------------------------

namespace {

/// Returns a pickle's value as text: the instructions between protocol and stop.
std::string plain(const JsonValue &value) {
  std::string text;
  switch (value.kind) {
  case JsonKind::Null:
    return "None";
  case JsonKind::Bool:
    return value.boolean ? "True" : "False";
  case JsonKind::Integer:
    return std::to_string(value.integer);
  case JsonKind::Float:
    return std::to_string(value.real);
  case JsonKind::HugeInteger:
    return "huge";
  case JsonKind::String:
    return "'" + value.text.str() + "'";
  case JsonKind::Array:
    for (const JsonValue &element : value.elements())
      text += (text.empty() ? "" : ", ") + plain(element);
    return "[" + text + "]";
  case JsonKind::Object:
    for (const JsonValue &member : value.elements())
      text += (text.empty() ? "" : ", ") + member.key.str() + ": " + plain(member);
    return "{" + text + "}";
  }
  return "";
}

std::string pickled(const std::string &code, llvm::StringRef sharedKey = "") {
  std::string bytes = "\x80\x02" + code + ".";
  llvm::BumpPtrAllocator arena;
  llvm::Expected<const JsonValue *> value = readPickle({"p", bytes}, arena, {"a test's pickle", sharedKey});
  return value ? plain(**value) : llvm::toString(value.takeError());
}

} // namespace

// Two dictionaries refer to one list.
TEST(Pickle, SharesTheElementsOfOneKey) {
  const std::string code = "](}\x8c\x01"
                           "f]q\x00K\x07"
                           "as}\x8c\x01"
                           "fh\x00se"s;
  EXPECT_EQ(pickled(code), "[{f: [7]}, {f: [7]}]");
  EXPECT_EQ(pickled(code, "f"), "[{f: [7]}, {f: [7]}]");
  const std::string bytes = "\x80\x02" + code + ".";
  llvm::BumpPtrAllocator arena;
  const JsonValue *root = llvm::cantFail(readPickle({"p", bytes}, arena, {"a test's pickle", "f"}));
  EXPECT_EQ(root->first->member("f")->first, root->first->next->member("f")->first);
  EXPECT_NE(pickled("}q\x01\x8c\x01"
                    "fh\x01s"s,
                    "f")
                .find("holds itself"),
            std::string::npos);
}

TEST(Pickle, BuildsPlainData) {
  EXPECT_EQ(pickled("N"), "None");
  EXPECT_EQ(pickled("\x88"), "True");
  EXPECT_EQ(pickled("\x89"), "False");
  EXPECT_EQ(pickled("K\xff"), "255");
  EXPECT_EQ(pickled("M\x01\x02"), "513");
  EXPECT_EQ(pickled("J\xff\xff\xff\xff"), "-1");
  EXPECT_EQ(pickled("\x8a\x00"s), "0");
  EXPECT_EQ(pickled("\x8a\x02\x00\x80"s), "-32768");
  EXPECT_EQ(pickled("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f"), "9223372036854775807");
  EXPECT_EQ(pickled("\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01"s), "huge");
  EXPECT_EQ(pickled("G\x3f\xf8\x00\x00\x00\x00\x00\x00"s), "1.500000");
  EXPECT_EQ(pickled("X\x02\x00\x00\x00hi"s), "'hi'");
  EXPECT_EQ(pickled("\x8c\x02hi"), "'hi'");
  EXPECT_EQ(pickled("]K\x01"
                    "aK\x02"
                    "a"),
            "[1, 2]");
  EXPECT_EQ(pickled("](K\x01K\x02"
                    "e"),
            "[1, 2]");
  EXPECT_EQ(pickled("(K\x01K\x02t"), "[1, 2]");
  EXPECT_EQ(pickled(")"), "[]");
  EXPECT_EQ(pickled("K\x01K\x02K\x03\x87"), "[1, 2, 3]");
  EXPECT_EQ(pickled("}(\x8c\x01"
                    "aK\x01\x8c\x01"
                    "bK\x02u"),
            "{a: 1, b: 2}");
  EXPECT_EQ(pickled("}K\x05K\x01s"), "{5: 1}");
  EXPECT_EQ(pickled("(\x8c\x01"
                    "aK\x01"
                    "d"),
            "{a: 1}");
}

TEST(Pickle, RemembersWhatItNamed) {
  EXPECT_EQ(pickled("]q\x05K\x01"
                    "a\x8c\x01xq\x06\x86h\x05\x86"),
            "[[[1], 'x'], [1]]");
  EXPECT_EQ(pickled("\x8c\x02hi\x94\x8c\x01x\x94h\x00\x87"s), "['hi', 'x', 'hi']");
}

TEST(Pickle, IsRefusedAtTheFirstInstructionThatIsNoPlainData) {
  for (const char *code :
       {"c",    "R",    "b",    "i",    "o", "\x81", "\x92", "\x93", "P", "Q", "\x82", "\x83", "\x84", "\x97",
        "\x96", "\x8f", "\x90", "\x91", "2", "I",    "F",    "S",    "V", "L", "p",    "g",    "1",    "~"}) {
    std::string error = pickled(std::string("N") + code);
    EXPECT_NE(error.find("p: error: byte 3: got the opcode "), std::string::npos) << error;
    EXPECT_NE(error.find("no plain data"), std::string::npos) << error;
  }
}

TEST(Pickle, IsRefusedWhereItDoesNotAddUp) {
  auto expectError = [](const std::string &code, const char *words) {
    std::string error = pickled(code);
    EXPECT_NE(error.find(words), std::string::npos) << error;
  };
  expectError("", "ends with 0 values");
  expectError("NN", "ends with 2 values");
  expectError("(", "ends with 1 values");
  expectError("a", "needs 1 values, and the stack has 0");
  expectError("NNa", "adds to what is no list");
  expectError("]\x8c\x01xNs", "adds to what is no dictionary");
  expectError("}(Nu", "adds a key without a value");
  expectError("}NNs", "adds a key that is neither");
  expectError("NNt", "needs a mark");
  expectError("(\x85", "a mark is in its place");
  expectError("h\x07", "refers to number 7");
  expectError("(q\x07", "names an empty stack");
  expectError("X\xff\xff\xff\xffhi", "in the middle of an instruction, expected 4294967295 more bytes, got 3");
  expectError("\x80\x06", "got protocol 6, expected at most 5");
  expectError("]\x94h\x00"
              "a"s,
              "holds itself");
}

TEST(Pickle, DoesNotGrowBeyondItsBound) {
  // Each list holds the previous one twice.
  std::string code = "]q";
  code += '\0';
  for (char i = 1; i < 40; ++i)
    code += std::string("](h") + static_cast<char>(i - 1) + "h" + static_cast<char>(i - 1) + "eq" + i;
  for (int i = 1; i < 40; ++i)
    code += "\x86";
  std::string error = pickled(code);
  EXPECT_NE(error.find("has more than 262144 values"), std::string::npos) << error;
}

// Tests the input with the highest cost for each byte of the file.
TEST(Pickle, IsRefusedWhereItCostsMoreThanItHolds) {
  constexpr size_t many = 2'000'000;
  EXPECT_NE(pickled(std::string(many, '(')).find("opens more than 200 containers within one another"),
            std::string::npos);
  EXPECT_NE(pickled(std::string(many, ']')).find("makes more than 1000001 values"), std::string::npos);
  EXPECT_NE(pickled("(" + std::string(many, 'N') + "t").find("makes more than"), std::string::npos);
}

TEST(Pickle, ThatIsCutOffIsRefused) {
  std::string whole = "\x80\x02}(\x8c\x07"
                      "entries]\x8c\x09pg_config}u.";
  EXPECT_EQ(errorOf(whole), "");
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(errorOf(llvm::StringRef(whole).take_front(length)), "") << length;
}

TEST(Pickle, SaysWhatARecordLacksByTheByte) {
  std::string text = "\x80\x02}(\x8c\x07"
                     "entriesK\x01\x8c\x09pg_config}u.";
  EXPECT_EQ(errorOf(text), "rank_1: error: byte 13: expected 'entries' as a list, got 1\n");
}
