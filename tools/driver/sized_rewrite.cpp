#include "driver/sized_rewrite.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::driver {
namespace {

bool has(const SymbolValues &values, llvm::StringRef symbol) {
  return llvm::any_of(values, [&](const auto &entry) { return entry.first == symbol; });
}

} // namespace

void SizedRewrite::describe(const Graph &graph, const Pipeline &pipeline, report::Summary &summary) {
  bool decides = !input_.schedule() && !pipeline.passes().empty();
  sizes_ = decides ? input_.sizesOf(graph) : SymbolValues();
  for (const auto &[symbol, value] : sizes_)
    summary.sizes.push_back({symbol, value, has(options_.sizes, symbol)});
  for (const std::string &symbol : symbolsOf(graph))
    if (summary.unboundSymbol.empty() && !has(sizes_, symbol))
      summary.unboundSymbol = symbol;
}

llvm::Expected<RewriteResult> SizedRewrite::rewrite(Graph &graph, RewriteRequest request, report::Summary &summary) {
  bound_.reset();
  if (sizes_.empty())
    return rewriteGraph(graph, std::move(request));
  llvm::Expected<BoundRewrite> bound = rewriteWithSizes(graph, sizes_, request);
  if (bound) {
    bound_ = std::move(*bound);
    return std::move(bound_->result);
  }
  warnings_ << options_.input << ": warning: scheduled without the sizes of symbols: "
            << llvm::StringRef(llvm::toString(bound.takeError())).split('\n').first << '\n';
  summary.sizes.clear();
  return rewriteGraph(graph, std::move(request));
}

bool SizedRewrite::facts(const Graph &graph, report::Summary &summary) const {
  if (!bound_)
    return false;
  std::string before = std::move(summary.before.digest);
  summary.before = gatherFacts(*bound_->before);
  summary.before.digest = std::move(before);
  summary.after = gatherFacts(*bound_->after);
  summary.after.digest = gatherFacts(graph).digest;
  return true;
}

} // namespace ccgraph::driver
