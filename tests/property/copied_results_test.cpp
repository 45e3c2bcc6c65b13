// Tests for every random program with copies of awaited results that the passes which remove copies keep all values, in
// the interpreter and on the local engine, and need no more memory.
//
// Copies go into new memory (aten.copy), into new buffers, and into any value of the same type, also inputs (copy_).
// Readers read the copy or the result. The rest of the program contains what such a rewrite must not touch: aliases,
// writes before and after the copy, returned values, operands of other collectives in flight.
#include "property/planned.h"
#include "property/programs.h"

#include "ccgraph/frontend/fx_text.h"
#include "ccgraph/ir/builder.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/ir/verifier.h"
#include "ccgraph/passes/pass_manager.h"
#include "support/random.h"
#include "support/seeded_run.h"

using namespace ccgraph;
using namespace ccgraph::test;

namespace {

/// Runs one pass, and returns its statistic; 0 without a name.
int64_t runOne(Graph &graph, const char *pipeline, llvm::StringRef statistic = "") {
  llvm::Expected<PipelineRun> run = runPipeline(graph, llvm::cantFail(Pipeline::parse(pipeline)));
  if (!run)
    RC_FAIL(llvm::toString(run.takeError()));
  for (const auto &[name, value] : run->passes.back().statistics)
    if (name == statistic)
      return value;
  return 0;
}

/// Adds copies to a program. Each that breaks a rule of the verifier, or whose tensors may not have their types any
/// more, is left out.
class CopyMaker {
public:
  CopyMaker(const Graph &graph, uint64_t seed) : graph_(graph.clone()), random_(seed) {}

  std::unique_ptr<Graph> make() {
    std::vector<std::string> waits;
    for (const Node *node : *graph_)
      if (isWait(*node) && node->type() && node->type()->isTensor() && node->type()->isContiguous())
        waits.push_back(node->name().str().str());
    for (const std::string &wait : waits)
      for (size_t times = 1 + random_.below(2); times != 0; --times)
        addCopy(wait);
    return std::move(graph_);
  }

private:
  void addCopy(const std::string &name) {
    std::unique_ptr<Graph> trial = graph_->clone();
    Node *wait = trial->find(name), *buffer = bufferFor(wait);
    const bool writes = random_.below(3) != 0;
    GraphBuilder builder(*trial, placeAfter(wait));
    Node *copy = builder.call({.target = writes ? "aten.copy_.default" : "aten.copy.default",
                               .args = {buffer, wait},
                               .name = "copied",
                               .type = buffer->type()});
    const bool typesHold = !mayBeReshapedBefore(*wait, *copy) && !mayBeReshapedBefore(*buffer, *copy);
    readCopy(wait, copy);
    llvm::Error error = verifyOrError(*trial);
    if (!error && typesHold)
      graph_ = std::move(trial);
    llvm::consumeError(std::move(error));
  }

  /// Returns a new buffer before the launch, or any earlier value of the type.
  Node *bufferFor(Node *wait) {
    std::vector<Node *> same;
    for (Node *node = wait->graph()->front(); node != wait; node = node->next())
      if (node->type() == wait->type() && node != wait->operand(0))
        same.push_back(node);
    if (!same.empty() && random_.below(2) == 0)
      return random_.of(same);
    std::vector<int64_t> sizes;
    for (const Dim &size : wait->type()->sizes())
      sizes.push_back(size.value());
    GraphBuilder builder(*wait->graph(), wait->operand(0));
    return builder.call({.target = "aten.full.default",
                         .args = {sizes, 0.0},
                         .kwargs = {{"dtype", wait->type()->dtype()}},
                         .name = "buffer",
                         .type = wait->type()});
  }

  /// Returns a node up to three steps after the wait.
  Node *placeAfter(Node *wait) {
    Node *place = wait->next();
    for (size_t steps = random_.below(4); steps != 0 && place != wait->graph()->output(); --steps)
      place = place->next();
    return place;
  }

  /// Lets all readers of the result read the copy, or none. A reshape under one of the names would then be seen by
  /// fewer readers, and other sizes might not fit.
  void readCopy(Node *wait, Node *copy) {
    Node &output = *wait->graph()->output();
    const bool isFirst =
        llvm::all_of(wait->uses(), [&](const Use &use) { return use.user() == copy || copy->isBefore(use.user()); });
    if (isFirst && !mayBeReshapedBefore(*wait, output) && random_.below(2) == 0)
      wait->graph()->replaceAllUses(wait, copy);
  }

  std::unique_ptr<Graph> graph_;
  Random random_;
};

} // namespace

TEST(CopiedResultsTest, KeepsValuesAndMemoryOnEveryEngine) {
  int64_t forwarded = 0, filled = 0, planned = 0;
  forEachProgram([&](Context &, const RandomProgram &random) {
    std::unique_ptr<Graph> functional = random.graph->clone();
    runOne(*functional, "inline-control-deps,functionalize-collectives");
    const RandomProgram program{CopyMaker(*functional, functional->idLimit()).make(), random.ranks};
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::cantFail(writeFxText(os, *program.graph));
    RC_LOG() << "with copies\n" << os.str();
    RC_ASSERT(verifies(*program.graph));
    // A copy into a tensor that got the memory of another one may be a race, which the verifier does not see.
    if (!sameValues(program, *program.graph))
      return;
    std::unique_ptr<Graph> graph = program.graph->clone();
    const int64_t peak = peakMemory(*graph).bytes;
    forwarded += runOne(*graph, "forward-copies", "forwarded");
    RC_ASSERT(peakMemory(*graph).bytes <= peak);
    RC_ASSERT(sameValues(program, *graph));
    const int64_t fills = runOne(*graph, "reinplace-collectives", "filled");
    filled += fills;
    RC_ASSERT(peakMemory(*graph).bytes <= peak);
    RC_ASSERT(verifies(*graph));
    RC_ASSERT(sameValues(program, *graph));
    runtime::RunRequest request = seededRequest(*graph, program.ranks);
    std::unique_ptr<Plan> plan = planOf(*graph, request.objects);
    planned += plan && fills != 0 ? 1 : 0;
    if (!plan)
      return;
    RC_ASSERT(differenceOnLocal(request, *plan, 0) == "");
  });
  EXPECT_GT(forwarded, 50);
  EXPECT_GT(filled, 50);
  EXPECT_GT(planned, 10);
  RecordProperty("forwarded", static_cast<int>(forwarded));
  RecordProperty("filled", static_cast<int>(filled));
}
