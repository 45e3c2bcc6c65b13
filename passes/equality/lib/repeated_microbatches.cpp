#include "repeated_microbatches.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <set>

namespace ccgraph::equality {
namespace {

/// The calls of one operator that have parts of one value.
struct Family {
  /// the microbatches that they have
  std::set<int64_t> present;
  /// those after the first one of their microbatch
  std::vector<const Node *> repeated;
};

} // namespace

std::vector<const Node *> repeatedMicrobatches(const StepComparison &comparison, NodeMatches &matches) {
  llvm::ArrayRef<int64_t> counts = comparison.placements.microbatches;
  if (counts.empty())
    return {};
  const auto most = static_cast<size_t>(*std::max_element(counts.begin(), counts.end()));
  std::map<std::pair<std::string, uint64_t>, Family> families;
  for (const Node *node : *comparison.ranks.front().graph) {
    if (node->opcode() != Opcode::CallFunction || node->numOperands() == 0)
      continue;
    const Match &match = matches.matchOf(*node);
    if (match.wholes.empty() || match.factor != fromPlain(1))
      continue;
    Family &family = families[{shapeOfCall(*node), match.wholes.front()}];
    if (!family.present.insert(match.microbatch).second)
      family.repeated.push_back(node);
  }
  llvm::DenseSet<const Node *> repeated;
  // Where each microbatch has several such calls, one may be missing since its value is wrong already.
  for (const auto &[key, family] : families)
    if (most > 2 && family.present.size() < most && family.present.size() + family.repeated.size() == most)
      repeated.insert(family.repeated.begin(), family.repeated.end());
  std::vector<const Node *> first;
  for (const Node *node : *comparison.ranks.front().graph)
    if (repeated.count(node) &&
        llvm::none_of(node->dataOperands(), [&](const Node *operand) { return repeated.count(operand); }))
      first.push_back(node);
  return first;
}

} // namespace ccgraph::equality
