#include "report/rounding.h"

#include "ccgraph/ir/text.h"
#include "ccgraph/passes/reassociation.h"
#include "ccgraph/toolkit/text.h"

#include "llvm/ADT/StringMap.h"

namespace ccgraph::report {
namespace {

/// With a larger graph, the second run would double the time that the user expects.
constexpr size_t mostNodes = 50'000;

/// Counts the members of buckets whose sums may be added in another order.
size_t countMerged(const Graph &after, const PipelineRun &run) {
  llvm::StringMap<size_t> members; // by name of the bucket, whose operands are then read once
  for (const PassRun &pass : run.passes)
    for (const Remark &remark : pass.remarks)
      for (const auto &[name, value] : remark.args)
        if (remark.kind == RemarkKind::Merged && name == "into")
          ++members[value];
  size_t merged = 0;
  for (const auto &bucket : members)
    if (const Node *node = after.find(bucket.getKey()); node && mayReassociate(*node))
      merged += bucket.getValue();
  return merged;
}

} // namespace

Rounding countRounding(const Graph &after, const PipelineRun &run) { return {countMerged(after, run), std::nullopt}; }

Rounding describeRounding(const RoundingQuestion &question, const PipelineRun &run) {
  Rounding rounding = countRounding(question.after, run);
  if (rounding.merged == 0 || question.before.size() > mostNodes)
    return rounding;
  PassManagerOptions options = question.options;
  options.bitwise = true;
  options.predictTimes = true;
  options.predictBounds = PredictBounds::None;
  options.verifyEach = options.checkLegality = false; // the result of this graph is discarded
  llvm::Expected<PipelineRun> bitwise = runPipeline(question.before, question.pipeline, options);
  if (!bitwise)
    return llvm::consumeError(bitwise.takeError()), rounding; // the requested run succeeded
  if (bitwise->timeAfter)
    rounding.total = bitwise->timeAfter->total;
  return rounding;
}

std::string roundingText(const Rounding &rounding, int64_t total) {
  if (rounding.merged == 0)
    return "";
  std::string text =
      counted(rounding.merged, "sum") +
      " of floats merged: the terms may be added in another order, so results may differ by rounding; --bitwise "
      "keeps the order";
  if (rounding.total)
    text += ", and the time is then " + timeText(*rounding.total) + (*rounding.total > total ? "" : " too");
  return text;
}

} // namespace ccgraph::report
