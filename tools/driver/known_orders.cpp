#include "driver/known_orders.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/toolkit/order_of_result.h"
#include "ccgraph/toolkit/step_graphs.h"
#include "ccgraph/toolkit/text.h"

#include "llvm/ADT/StringRef.h"

namespace ccgraph::driver {

namespace {

llvm::Expected<KnownOrder> orderOf(const KnownOrdersQuestion &question, const Graph &graph, size_t index) {
  llvm::Expected<GraphList> read = readStepGraphs(question.input.context(), question.input.input(), {index});
  if (!read)
    return read.takeError();
  Graph &result = *read->front();
  if (llvm::Error error = question.prepare(result))
    return error;
  return orderOfResult(graph, result);
}

} // namespace

std::vector<KnownOrder> knownOrders(const KnownOrdersQuestion &question, const Graph &graph,
                                    llvm::raw_ostream &warnings) {
  const GraphInput &input = question.input.input();
  auto searches = [](const std::unique_ptr<Pass> &pass) { return pass->name() == "schedule-overlap"; };
  if (!input.step || llvm::none_of(question.pipeline.passes(), searches))
    return {};
  const TrainingStepGraph &own = input.step->graphs[input.step->chosen];
  if (own.inductor.size() != 1 || own.startsFromInductor())
    return {};
  llvm::Expected<KnownOrder> known = orderOf(question, graph, own.inductor.front());
  if (known)
    return {std::move(*known)};
  warnings << visibleText(input.listed[own.start].file) << ": warning: the order of Inductor's result, graph "
           << own.inductor.front() << ", is no start of the search, because the graph cannot be used: "
           << llvm::StringRef(llvm::toString(known.takeError())).split('\n').first << '\n';
  return {};
}

} // namespace ccgraph::driver
