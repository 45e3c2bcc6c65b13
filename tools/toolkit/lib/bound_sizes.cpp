#include "ccgraph/toolkit/bound_sizes.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/lifetimes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace ccgraph {
namespace {

/// Collects the names in an expression: "s0" and "u1" from "2*s0 + u1".
void collectSymbols(llvm::StringRef text, llvm::StringSet<> &seen, std::vector<std::string> &symbols) {
  while (!text.empty()) {
    llvm::StringRef word = text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if ((word.startswith("s") || word.startswith("u")) && word.size() > 1 &&
        llvm::all_of(word.drop_front(), llvm::isDigit) && seen.insert(word).second)
      symbols.push_back(word.str());
    text = text.drop_front(std::max<size_t>(word.size(), 1));
  }
}

void collectSymbols(const Type *type, llvm::StringSet<> &seen, std::vector<std::string> &symbols) {
  if (!type)
    return;
  for (const Type *element : type->elements())
    collectSymbols(element, seen, symbols);
  for (const Dim &dim : type->sizes())
    if (!dim.isStatic())
      collectSymbols(dim.expr()->text(), seen, symbols);
}

/// Returns an error if the copy needs more memory than the budget and than before. The graph itself cannot be checked,
/// since an unknown size has no bytes.
llvm::Error checkMemory(const BoundRewrite &bound, const PipelineRun &run) {
  if (!run.memoryBudget)
    return llvm::Error::success();
  const int64_t after = peakMemory(*bound.after).bytes;
  if (after <= *run.memoryBudget || after <= peakMemory(*bound.before).bytes)
    return llvm::Error::success();
  return makeError(diagnose("pass.legality", "needs " + std::to_string(after) +
                                                 " bytes with these sizes, expected at most " +
                                                 std::to_string(*run.memoryBudget) + " (the budget)"));
}

} // namespace

llvm::Expected<SymbolValues> parseSymbolValues(llvm::StringRef text) {
  SymbolValues values;
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ',');
  for (llvm::StringRef word : words) {
    auto [name, number] = word.split('=');
    int64_t value = 0;
    if (name.trim().empty() || !llvm::isAlpha(name.trim().front()) || number.trim().getAsInteger(10, value) ||
        value < 0)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "got '%s', expected a symbol and its size: s0=4096", word.str().c_str());
    values.emplace_back(name.trim().str(), value);
  }
  return values;
}

std::vector<std::string> symbolsOf(const Graph &graph) {
  std::vector<std::string> symbols;
  llvm::StringSet<> seen;
  for (const Node *node : graph)
    collectSymbols(node->type(), seen, symbols);
  return symbols;
}

SymbolValues sizesFor(const Graph &graph, const SymbolValues &given, bool usesHints) {
  std::vector<std::string> symbols = symbolsOf(graph);
  SymbolValues values;
  auto isOpen = [&](llvm::StringRef symbol) {
    return llvm::is_contained(symbols, symbol) &&
           llvm::none_of(values, [&](const auto &entry) { return entry.first == symbol; });
  };
  for (const auto &[symbol, value] : llvm::reverse(given)) // because the last of two wins
    if (isOpen(symbol))
      values.emplace_back(symbol, value);
  for (const auto &[symbol, value] : graph.symbolHints)
    if (usesHints && isOpen(symbol.str()))
      values.emplace_back(symbol.str().str(), value);
  return values;
}

llvm::Expected<BoundRewrite> rewriteWithSizes(Graph &graph, const SymbolValues &values, RewriteRequest request) {
  BoundRewrite bound;
  bound.before = graph.clone();
  bindSizes(*bound.before, values);
  bound.after = bound.before->clone();
  const BoundTypes types(graph, values);
  ScheduleRecorder recorder(graph);
  PassManagerOptions deciding = request.manager;
  deciding.boundTypes = &types;
  deciding.checkLegality = false; // the graph itself is checked, for all sizes, where the schedule is applied to it
  deciding.onRewrite = [&](const Pass &pass, const Certificate &certificate) { recorder.note(pass, certificate); };
  llvm::Expected<PipelineRun> run = runPipeline(*bound.after, request.pipeline, deciding);
  if (!run)
    return run.takeError();
  if (llvm::Error error = checkMemory(bound, *run))
    return error;
  llvm::Expected<Schedule> schedule = recorder.take(*bound.after, run->memoryBudget);
  if (!schedule)
    return schedule.takeError();
  llvm::Expected<Pipeline> applying = pipelineOf(*schedule);
  if (!applying)
    return applying.takeError();
  PassManagerOptions plain = request.manager;
  plain.predictTimes = plain.recordSchedules = false;
  plain.explainExposed = 0;
  // The schedule is first tried on a copy, since an error would leave the graph itself in an unspecified state.
  std::unique_ptr<Graph> trial = graph.clone();
  for (Graph *target : {trial.get(), &graph})
    if (llvm::Expected<RewriteResult> applied = rewriteGraph(*target, {*applying, &*schedule, plain}); !applied)
      return applied.takeError();
  bound.result.run = std::move(*run);
  if (request.makesSchedule)
    bound.result.schedule = std::move(*schedule);
  return bound;
}

} // namespace ccgraph
