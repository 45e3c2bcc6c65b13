#include "report/sized_rewrite.h"

#include "ccgraph/ir/digest.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::report {
namespace {

bool has(const SymbolValues &values, llvm::StringRef symbol) {
  return llvm::any_of(values, [&](const auto &entry) { return entry.first == symbol; });
}

} // namespace

void SizedRewrite::describe(const Graph &graph, SymbolValues sizes, const SymbolValues &given, Summary &summary) {
  sizes_ = std::move(sizes);
  for (const auto &[symbol, value] : sizes_)
    summary.sizes.push_back({symbol, value, has(given, symbol)});
  for (const std::string &symbol : symbolsOf(graph))
    if (summary.unboundSymbol.empty() && !has(sizes_, symbol))
      summary.unboundSymbol = symbol;
}

std::optional<RewriteResult> SizedRewrite::rewrite(Graph &graph, const RewriteRequest &request, Summary &summary,
                                                   std::string &warning) {
  bound_.reset();
  if (sizes_.empty())
    return std::nullopt;
  llvm::Expected<BoundRewrite> bound = rewriteWithSizes(graph, sizes_, request);
  if (bound) {
    bound_ = std::move(*bound);
    return std::move(bound_->result);
  }
  warning = "warning: scheduled without the sizes of symbols: " +
            llvm::StringRef(llvm::toString(bound.takeError())).split('\n').first.str() + '\n';
  summary.sizes.clear();
  return std::nullopt;
}

bool SizedRewrite::describeFacts(const Graph &graph, Summary &summary) const {
  if (!bound_)
    return false;
  std::string before = std::move(summary.before.digest);
  summary.before = gatherFacts(*bound_->before);
  summary.before.digest = std::move(before);
  summary.after = gatherFacts(*bound_->after);
  summary.after.digest = digestOf(graph).str();
  return true;
}

} // namespace ccgraph::report
