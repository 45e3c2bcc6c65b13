#include "schedule/freed_values.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/lifetimes.h"
#include "schedule/pass_search.h"

#include "llvm/ADT/StringSet.h"

namespace ccgraph {

std::optional<int64_t> peakToReduce(const Graph &graph, PassContext &context, Occasion when,
                                    overlap::SearchOptions &options) {
  // Several searches of a larger program take longer than the rest of the pipeline.
  constexpr size_t mostNodes = 16'000, mostThorough = 12'000;
  if (graph.size() > mostThorough)
    options.maxWalks = std::min(options.maxWalks, usualWalks);
  const bool always = when == Occasion::Always && graph.size() <= mostNodes;
  // No pass before this one exceeds a budget that the input meets.
  if (!always && options.budget >= context.inputPeak().value_or(overlap::unlimited))
    return std::nullopt;
  const int64_t peak = peakMemory(graph, context.analyses().storages()).bytes;
  return always || options.budget < peak ? std::optional(peak) : std::nullopt;
}

std::string freedValueText(const Node &value, const Node &after) {
  return (value.name().str() + "." + after.name().str()).str();
}

bool freeValue(const Graph &graph, llvm::StringRef text, FreeValue free) {
  auto [value, after] = text.split('.');
  const Node *node = graph.find(value), *step = graph.find(after);
  return node && step && free(node, step);
}

llvm::Error freeNamed(const Graph &graph, const NodeNames &only, llvm::StringRef what, FreeValue free) {
  for (const std::string &text : only.names)
    if (!freeValue(graph, text, free))
      return makeError(diagnose("pass.option",
                                ("option 'only' got '" + text + "', expected a value that may " + what +
                                 " and the step up to which it is kept at most, as in v.loss")
                                    .str(),
                                "name values and steps as --remarks lists them for this pass, in this order, or leave "
                                "the option out"));
  return llvm::Error::success();
}

void remarkTried(const Graph &graph, PassContext &context, const Reason &reason, llvm::ArrayRef<std::string> chosen,
                 llvm::ArrayRef<std::string> tried) {
  auto nameOf = [](llvm::StringRef text) { return text.split('.').first; };
  llvm::StringSet<> reported;
  for (const std::string &text : chosen)
    reported.insert(nameOf(text));
  for (const std::string &text : tried)
    if (reported.insert(nameOf(text)).second)
      context.remark(reason, *graph.find(nameOf(text)));
}

} // namespace ccgraph
