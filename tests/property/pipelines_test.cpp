// Tests for every pipeline and every program that the checks after each pass succeed, the values stay the same, and a
// second run does the same.
#include "property/programs.h"
#include "support/test_name.h"

#include "ccgraph/frontend/json_graph.h"
#include "ccgraph/passes/pass_manager.h"
#include "ccgraph/passes/registry.h"

#include <gtest/gtest.h>

using namespace ccgraph;
using namespace ccgraph::test;

namespace {

/// Returns the words of a choice, or small numbers for a limit, since the programs here are small. Names are those of
/// one program, so there are none.
llvm::SmallVector<llvm::StringRef, 4> valuesOf(const std::string &syntax) {
  llvm::SmallVector<llvm::StringRef, 4> words;
  if (llvm::StringRef(syntax).contains("<names>"))
    words = {"*"};
  else if (!llvm::StringRef(syntax).contains('<'))
    llvm::StringRef(syntax).split(words, '|');
  else if (llvm::StringRef(syntax).contains("bytes"))
    words = {"0", "256", "unlimited"};
  else
    words = {"0", "2", "unlimited"};
  return words;
}

/// Returns each pass alone with several values of each option, and each level with narrow beams.
std::vector<std::string> pipelineTexts() {
  std::vector<std::string> texts;
  for (llvm::StringRef name : passNames()) {
    texts.push_back(name.str());
    std::unique_ptr<Pass> pass = createPass(name);
    for (const OptionBase *option : pass->options()) {
      const std::string syntax = option->syntax();
      for (llvm::StringRef value : valuesOf(syntax))
        texts.push_back((name + "{" + option->name() + "=" + value + "}").str());
    }
  }
  for (unsigned level = 1; level <= maxLevel; ++level)
    texts.push_back(levelWithBeams(level, narrowBeam).str());
  return texts;
}

std::string jsonOf(const Graph &graph) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeJsonGraph(os, graph);
  return os.str();
}

/// Returns the graph after the pipeline; null if it failed, with an entry in the log.
std::unique_ptr<Graph> after(const RandomProgram &program, const std::string &text, const PassManagerOptions &options) {
  Pipeline pipeline = llvm::cantFail(Pipeline::parse(text));
  std::unique_ptr<Graph> graph = program.graph->clone();
  llvm::Expected<PipelineRun> run = runPipeline(*graph, pipeline, options);
  if (run)
    return graph;
  RC_LOG() << llvm::toString(run.takeError()) << '\n';
  return nullptr;
}

class PipelinePropertyTest : public testing::TestWithParam<std::string> {};
/// A pipeline that rounds.
class RoundingPropertyTest : public PipelinePropertyTest {};

/// Returns true if a pass of the pipeline changes results by rounding.
bool rounds(const std::string &text) {
  Pipeline pipeline = llvm::cantFail(Pipeline::parse(text));
  return llvm::any_of(pipeline.passes(), [](const auto &pass) { return pass->tolerance() > 0; });
}

/// Returns the graph with f32 in place of each 16-bit dtype. The random programs have no 16-bit tensors, so what
/// remains of a pass that rounds is its rewrite without the rounding: the values must be those of the program. (The
/// error of the rounding has no bound relative to the result, since a sum may cancel.)
std::unique_ptr<Graph> withoutRounding(Context &context, const Graph &graph) {
  std::string text = jsonOf(graph);
  for (llvm::StringRef narrow : {"\"bf16", "\"f16"})
    for (size_t at = text.find(narrow.str()); at != std::string::npos; at = text.find(narrow.str(), at))
      text.replace(at, narrow.size(), "\"f32");
  return llvm::cantFail(readJsonGraph(context, {"widened.json", text}));
}

/// Products of other rows add numbers of 64 bits in another order. All others are added in 64 bits and rounded once, so
/// they must be the same to the bit, or differ by more than this.
constexpr Tolerance ofProducts = {false, 1e-10, 1e-12};

/// Returns the settings: a budget of the input's own peak, no budget, and unknown programs of other ranks.
std::vector<PassManagerOptions> managerOptions() {
  std::vector<PassManagerOptions> all(3);
  all[1].limitMemory = false;
  all[2].spmd = false;
  return all;
}

} // namespace

TEST_P(PipelinePropertyTest, KeepsValuesAndPassesEveryCheck) {
  const bool rounding = rounds(GetParam());
  forEachProgram([=](Context &context, const RandomProgram &program) {
    std::string first;
    for (const PassManagerOptions &options : managerOptions()) {
      std::unique_ptr<Graph> graph = after(program, GetParam(), options);
      RC_ASSERT(static_cast<bool>(graph));
      RC_ASSERT(verifies(*graph));
      const bool isSame =
          rounding ? sameValues(program, *withoutRounding(context, *graph), ofProducts) : sameValues(program, *graph);
      RC_ASSERT(isSame);
      if (first.empty())
        first = jsonOf(*graph);
    }
    // One setting suffices, because a second run of each would take a third of the time of these tests.
    RC_ASSERT(jsonOf(*after(program, GetParam(), managerOptions().front())) == first);
  });
}

TEST_P(RoundingPropertyTest, KeepsValuesBitwiseWhereThisIsAsked) {
  PassManagerOptions options;
  options.bitwise = true;
  forEachProgram([&](Context &, const RandomProgram &program) {
    std::unique_ptr<Graph> graph = after(program, GetParam(), options);
    RC_ASSERT(static_cast<bool>(graph));
    RC_ASSERT(sameValues(program, *graph));
  });
}

namespace {

/// Returns, for each value with several uses, the value and the step before the last one, as recompute-values names
/// them.
std::vector<std::string> lateReads(const Graph &graph) {
  std::vector<std::string> names;
  for (const Node *node : graph) {
    const Node *last = nullptr;
    size_t uses = 0;
    for (const Use &use : node->uses()) {
      last = !last || last->isBefore(use.user()) ? use.user() : last;
      ++uses;
    }
    if (uses > 1 && node->opcode() == Opcode::CallFunction && last->prev() != node)
      names.push_back((node->name().str() + "." + last->prev()->name().str()).str());
  }
  return names;
}

} // namespace

// Computes all values again that may be, where a budget would choose few. Most programs have writes, views, random
// operators and collectives between a value and its last reader.
TEST(RecomputePropertyTest, KeepsValuesWhateverIsComputedAgain) {
  size_t recomputed = 0;
  forEachProgram([&](Context &, const RandomProgram &program) {
    std::string done;
    for (const std::string &name : lateReads(*program.graph)) {
      const std::string text = "recompute-values{only=" + done + name + "}";
      Pipeline pipeline = llvm::cantFail(Pipeline::parse(text));
      std::unique_ptr<Graph> graph = program.graph->clone();
      llvm::Expected<PipelineRun> run = runPipeline(*graph, pipeline, {});
      const std::string error = run ? "" : llvm::toString(run.takeError());
      RC_ASSERT(error.empty() || error.find("pass.option") != std::string::npos);
      done += error.empty() ? name + "+" : "";
      recomputed += error.empty() ? 1 : 0;
    }
    if (done.empty())
      return;
    std::unique_ptr<Graph> graph = after(program, "recompute-values{only=" + done.substr(0, done.size() - 1) + "}", {});
    RC_ASSERT(static_cast<bool>(graph));
    RC_ASSERT(verifies(*graph));
    RC_ASSERT(sameValues(program, *graph));
  });
  EXPECT_GT(recomputed, 10U);
}

// Offloads every second value, or else computes it again: a repeated call may read what comes back, and a value that a
// repeated call reads may be offloaded.
TEST(RecomputePropertyTest, KeepsValuesWhateverIsComputedAgainOrOffloaded) {
  PassManagerOptions options;
  options.limitMemory = false; // repeated calls that no walk chose may need more than the program
  options.machine.emplace().hostLink = {.bytesPerSecond = 50'000'000'000, .latencyPs = 0};
  auto pipelineOf = [](llvm::ArrayRef<std::string> names) {
    return "recompute-values{only=" + llvm::join(names, "+") + "}";
  };
  size_t recomputed = 0, offloaded = 0;
  forEachProgram([&](Context &, const RandomProgram &program) {
    std::vector<std::string> done;
    auto add = [&](const std::string &text, size_t &count) {
      done.push_back(text);
      std::unique_ptr<Graph> graph = program.graph->clone();
      llvm::Expected<PipelineRun> run = runPipeline(*graph, llvm::cantFail(Pipeline::parse(pipelineOf(done))), options);
      const std::string error = run ? "" : llvm::toString(run.takeError());
      RC_ASSERT(error.empty() || error.find("pass.option") != std::string::npos);
      count += error.empty() ? 1 : 0;
      if (!error.empty())
        done.pop_back();
      return error.empty();
    };
    bool offloads = true;
    for (const std::string &name : lateReads(*program.graph)) {
      if (offloads ? !add(name + ".host", offloaded) : !add(name, recomputed))
        offloads ? add(name, recomputed) : add(name + ".host", offloaded);
      offloads = !offloads;
    }
    if (done.empty())
      return;
    std::unique_ptr<Graph> graph = after(program, pipelineOf(done), options);
    RC_ASSERT(static_cast<bool>(graph));
    RC_ASSERT(verifies(*graph));
    RC_ASSERT(sameValues(program, *graph));
  });
  EXPECT_GT(recomputed, 10U);
  EXPECT_GT(offloaded, 10U);
}

namespace {

std::vector<std::string> roundingPipelines() {
  std::vector<std::string> texts = pipelineTexts();
  llvm::erase_if(texts, [](const std::string &text) { return !rounds(text); });
  return texts;
}

std::string nameOf(const testing::TestParamInfo<std::string> &info) {
  return testName(std::to_string(info.index) + "_" + info.param);
}

} // namespace

INSTANTIATE_TEST_SUITE_P(All, PipelinePropertyTest, testing::ValuesIn(pipelineTexts()), nameOf);
INSTANTIATE_TEST_SUITE_P(All, RoundingPropertyTest, testing::ValuesIn(roundingPipelines()), nameOf);
