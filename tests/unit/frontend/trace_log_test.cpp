#include "ccgraph/frontend/trace_log.h"

#include "ccgraph/frontend/fx_text.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MD5.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>

using namespace ccgraph;

namespace {

std::string graphText(llvm::StringRef name, int collectives) {
  std::string text = "class " + name.str() + "(torch.nn.Module):\n    def forward(self, x0: \"f32[4][1]cpu\"):\n";
  for (int i = 0; i != collectives; ++i)
    text += "        x" + std::to_string(i + 1) +
            ": \"f32[4][1]cpu\" = torch.ops._c10d_functional.all_reduce.default(x" + std::to_string(i) +
            ", 'sum', '0')\n";
  return text + "\n        return (x" + std::to_string(collectives) + ",)";
}

std::string record(llvm::StringRef kind, llvm::StringRef payload, int rank = 0) {
  llvm::MD5 hash;
  hash.update(payload);
  llvm::MD5::MD5Result sum;
  hash.final(sum);
  std::string text =
      "V1121 08:54:34.206000 27731 torch/x.py:28] {\"" + kind.str() + "\": {}, \"rank\": " + std::to_string(rank) +
      ", \"frame_id\": 2, \"frame_compile_id\": 1, \"has_payload\": \"" + sum.digest().str().str() + "\"}\n";
  llvm::SmallVector<llvm::StringRef, 16> lines;
  payload.split(lines, '\n');
  for (llvm::StringRef line : lines)
    text += "\t" + line.str() + "\n";
  return text;
}

class Trace : public ::testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("ccgraph-trace", folder_)); }
  void TearDown() override { llvm::sys::fs::remove_directories(folder_); }
  std::string make(llvm::StringRef name, llvm::StringRef text) {
    std::string path = (folder_ + "/" + name).str();
    std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
    return path;
  }
  TraceLog open(llvm::StringRef path) {
    warnings_ = Diagnostics();
    return llvm::cantFail(TraceLog::open(path, warnings_));
  }
  llvm::SmallString<128> folder_;
  Diagnostics warnings_;
};

} // namespace

TEST_F(Trace, WhereverALogIsCutWhatStandsBeforeIsRead) {
  std::string records[] = {record("aot_joint_graph", graphText("A", 3)), record("chromium_event", "{}"),
                           record("aot_forward_graph", graphText("B", 1)),
                           record("aot_backward_graph", graphText("C", 2))};
  std::string whole;
  std::vector<std::pair<size_t, size_t>> ends; // end of a record, and the number of graphs before it
  size_t graphs = 0;
  for (const std::string &text : records) {
    whole += text;
    graphs += !llvm::StringRef(text).contains("chromium");
    ends.emplace_back(whole.size(), graphs);
  }
  for (size_t length = records[0].size(); length <= whole.size(); ++length) {
    size_t complete = 0;
    for (auto [end, count] : ends)
      complete = end <= length ? count : complete;
    TraceLog log = open(make("cut.log", llvm::StringRef(whole).take_front(length)));
    size_t read = llvm::count_if(log.graphs(), [](const ListedGraph &graph) { return graph.leftOut.empty(); });
    ASSERT_GE(read, complete) << "cut at " << length;
    ASSERT_LE(log.graphs().size(), complete + 1) << "cut at " << length;
    EXPECT_EQ(log.graphs()[0].nodes, 5U);
    EXPECT_EQ(log.graphs()[0].collectives, 3U);
  }
}

TEST_F(Trace, AnyBytesInTheMiddleLeaveTheOtherGraphs) {
  std::string first = record("aot_joint_graph", graphText("A", 3));
  std::string middle = record("aot_forward_graph", graphText("B", 1));
  std::string last = record("aot_backward_graph", graphText("C", 2));
  for (size_t at = 0; at + 50 < middle.size(); ++at) {
    std::string damaged = middle;
    for (size_t i = at; i != at + 50; ++i)
      damaged[i] = static_cast<char>(i * 37 % 251);
    TraceLog log = open(make("damaged.log", first + damaged + last));
    ASSERT_GE(log.graphs().size(), 2U) << at;
    EXPECT_EQ(log.graphs().front().kind, "aot_joint_graph");
    EXPECT_EQ(log.graphs().front().leftOut, "") << at;
    EXPECT_EQ(log.graphs().front().nodes, 5U) << at;
    EXPECT_EQ(log.graphs().back().kind, "aot_backward_graph");
    EXPECT_EQ(log.graphs().back().nodes, 4U) << at;
    EXPECT_TRUE(log.graphs().size() > 2 || !warnings_.kept().empty()) << "the loss at " << at << " is not told";
  }
}

TEST_F(Trace, PlacesAreThoseOfTheLog) {
  std::string text = record("aot_joint_graph", graphText("A", 1));
  std::string prefixed = "noise\n";
  llvm::SmallVector<llvm::StringRef, 16> lines;
  llvm::StringRef(text).rtrim().split(lines, '\n');
  for (llvm::StringRef line : lines)
    prefixed += "[default0]:" + line.str() + "\nnoise\n";
  std::string path = make("step.log", prefixed);
  TraceLog log = open(path);
  ASSERT_EQ(log.graphs().size(), 1U);
  EXPECT_EQ(log.graphs()[0].line, 2U);
  EXPECT_EQ(log.graphs()[0].compileId, "2/1");
  InputFile payload = llvm::cantFail(log.text(log.graphs()[0]));
  SourcePosition place = positionAt(payload.source(), payload.text().find("x1"));
  EXPECT_EQ(place.line, 8U); // the second lines of other ranks are in between
  EXPECT_EQ(place.column, std::string("[default0]:\t").size() + 9);
  Context context;
  EXPECT_EQ(llvm::cantFail(readFxText(context, payload.source())).front()->size(), 3U);
}

TEST_F(Trace, RanksAreThoseOfTheHeaderElseOfTheName) {
  std::string text = record("aot_joint_graph", graphText("A", 1), 4);
  std::string anonymous = text;
  anonymous.replace(anonymous.find(", \"rank\": 4"), 11, "");
  TraceLog log = open(make("dedicated_log_torch_trace_rank_12_a.log", text + anonymous));
  EXPECT_EQ(log.graphs()[0].rank, 4);
  EXPECT_EQ(log.graphs()[1].rank, 12);
  EXPECT_EQ(open(make("step.log", anonymous)).graphs()[0].rank, std::nullopt);
}

// A log that is read in pieces may have any size: it needs the memory of its largest graph.
TEST_F(Trace, ALongLogTakesTheMemoryOfItsLargestGraph) {
  std::string path = make("long.log", "");
  {
    std::ofstream os(path, std::ios::binary);
    std::string graph = record("aot_joint_graph", graphText("A", 300));
    std::string event = record("chromium_event", std::string(1 << 20, 'x'));
    for (int i = 0; i != 60; ++i)
      os << graph << event;
  }
  auto peak = [] {
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss; // KiB
  };
  auto before = peak();
  TraceLog log = open(path);
  EXPECT_EQ(log.graphs().size(), 60U);
  EXPECT_LT(peak() - before, 30 << 10) << "a log of 60 MiB";
}
