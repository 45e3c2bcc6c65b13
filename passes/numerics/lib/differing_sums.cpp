#include "differing_sums.h"

#include "error_bound.h"
#include "exact_values.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/text.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::numerics {
namespace {

/// How many operations of each program an output lists.
constexpr size_t mostPlaces = 10;
/// Outputs that are cut more finely have no bound of their difference.
constexpr size_t mostStretches = 1024;

bool isOverRanks(const Operation &operation) { return !operation.collective.empty(); }

} // namespace

std::string operationText(const Operation &operation, const Node *node) {
  const std::string in = " in " + shortName(operation.dtype).str();
  const std::string count = std::to_string(operation.addends) + " numbers" + in;
  const std::string of = operation.elements == 0 ? "" : " of " + std::to_string(operation.elements) + " elements";
  if (isOverRanks(operation))
    return (operation.rule == Rule::RankMean                                      ? "mean over "
            : operation.rule == Rule::Extreme                                     ? "maximum or minimum over "
            : operation.rule == Rule::Unknown || operation.rule == Rule::Multiply ? "reduction over "
                                                                                  : "sum over ") +
           ranksText(operation.members) + of + in;
  switch (operation.rule) {
  case Rule::Add:
  case Rule::Subtract:
    return "sum of two numbers" + in;
  case Rule::DimSum:
    return "sum of " + count;
  case Rule::DimMean:
    return "mean of " + count;
  case Rule::Product:
    return "product of matrices, sums of " + count;
  case Rule::Cast:
    return "cast from " + shortName(operation.from).str() + " to " + shortName(operation.dtype).str();
  case Rule::Unknown:
  case Rule::Given:
  case Rule::Negate:
  case Rule::Multiply:
  case Rule::Divide:
  case Rule::Clip:
  case Rule::Extreme:
  case Rule::RankSum:
  case Rule::RankMean:
    return (node ? node->target().str().str() : "operation") + in;
  }
  return "operation";
}

DifferingSums::DifferingSums(const TermTable &table, const RunList &before, const RunList &after)
    : table_(table), before_(before), after_(after), ofBefore_(reachableFrom(before)), ofAfter_(reachableFrom(after)) {}

namespace {

/// Adds a stretch of elements; false if it is covered. Many stretches become one that covers them.
bool addStretch(llvm::SmallVectorImpl<Run> &stretches, Run &added) {
  constexpr size_t mostKept = 8;
  auto end = [](const Run &run) { return run.start + run.length; };
  if (llvm::any_of(stretches, [&](const Run &run) { return run.start <= added.start && end(added) <= end(run); }))
    return false;
  if (stretches.size() == mostKept) {
    for (const Run &run : stretches) {
      const int64_t last = std::max(end(run), end(added));
      added.start = std::min(run.start, added.start);
      added.length = last - added.start;
    }
    stretches.clear();
  }
  stretches.push_back(added);
  return true;
}

} // namespace

DifferingSums::Set DifferingSums::reachableFrom(const RunList &elements) const {
  Set reached(table_.numTerms());
  std::vector<Run> stack;
  auto visit = [&](const Run &run) {
    Run stretch{run.term, run.start, run.repeats ? 1 : run.length, false};
    if (addStretch(reached[run.term], stretch))
      stack.push_back(stretch);
  };
  for (const Run &run : elements.runs())
    visit(run);
  while (!stack.empty()) {
    const Run run = stack.back();
    stack.pop_back();
    table_.forEachOperand(run, visit);
  }
  return reached;
}

std::vector<TermId> DifferingSums::parting(const Set &mine, const Set &other) const {
  std::vector<TermId> terms;
  auto isGiven = [&](TermId of) { return isIn(other, of) || table_.at(of).kind == Term::Kind::Input; };
  for (TermId term = 0; term != mine.size(); ++term) {
    if (!isIn(mine, term) || isGiven(term))
      continue;
    bool hasCommonOperands = true;
    for (const Run &stretch : mine[term])
      table_.forEachOperand(stretch, [&](const Run &operand) { hasCommonOperands &= isGiven(operand.term); });
    if (hasCommonOperands)
      terms.push_back(term);
  }
  return terms;
}

std::vector<SumPlace> DifferingSums::places(llvm::ArrayRef<TermId> terms, Side side) const {
  std::vector<SumPlace> list;
  for (TermId term : terms) {
    const TermPlace &place = table_.placeOf(term, side);
    if (!place.node)
      continue;
    SumPlace entry{place.rank, place.node->name().str().str(), "", operationText(table_.operationOf(term), place.node)};
    entry.source = sourceText(*place.node);
    if (!llvm::is_contained(list, entry) && list.size() < mostPlaces)
      list.push_back(std::move(entry));
  }
  return list;
}

std::string DifferingSums::cause(llvm::ArrayRef<TermId> before, llvm::ArrayRef<TermId> after) const {
  auto any = [&](llvm::ArrayRef<TermId> terms, auto holds) {
    return llvm::any_of(terms, [&](TermId term) { return holds(table_.operationOf(term)); });
  };
  auto anyOf = [&](auto holds) { return any(before, holds) || any(after, holds); };
  if (anyOf([](const Operation &operation) { return operation.rule == Rule::Cast; }))
    return "dtype";
  if (before.empty() || after.empty() || anyOf([](const Operation &operation) {
        return !operation.isSum() && operation.rule != Rule::Extreme && !isOverRanks(operation);
      }))
    return "another operation";
  const Operation &one = table_.operationOf(before.front()), &other = table_.operationOf(after.front());
  if (one.dtype != other.dtype)
    return "dtype";
  auto addsWithin = [](const Operation &operation) {
    return operation.rule == Rule::DimSum || operation.rule == Rule::DimMean || operation.rule == Rule::Product;
  };
  if (anyOf(addsWithin))
    return "split sum";
  if (one.elements != other.elements && one.elements != 0 && other.elements != 0)
    return one.elements < other.elements ? "bucket" : "chunk";
  return anyOf(isOverRanks) ? "rank order" : "order of addition";
}

bool DifferingSums::areEqualFunctions(const std::function<bool(TermId)> &isLeaf, uint64_t seed) const {
  ExactValues values(table_, isLeaf, seed);
  size_t i = 0, j = 0, stretches = 0;
  int64_t done = 0, endOfBefore = 0, endOfAfter = 0;
  while (done != before_.size()) {
    if (endOfBefore == done)
      endOfBefore += before_.runs()[i++].length;
    if (endOfAfter == done)
      endOfAfter += after_.runs()[j++].length;
    const int64_t end = std::min(endOfBefore, endOfAfter);
    if (++stretches > mostStretches)
      return false;
    for (int64_t index : {done, (done + end) / 2, end - 1}) {
      auto [x, placeOfX] = before_.at(index);
      auto [y, placeOfY] = after_.at(index);
      std::optional<uint64_t> a = values.valueOf(x, placeOfX), b = values.valueOf(y, placeOfY);
      if (!a || !b || *a != *b)
        return false;
    }
    done = end;
  }
  return true;
}

void DifferingSums::bound(ComparedOutput &output, DType dtype) const {
  auto isCommon = [this](TermId term) { return isIn(ofBefore_, term) && isIn(ofAfter_, term); };
  auto isCommonWithoutRule = [&](TermId term) {
    return isCommon(term) && table_.operationOf(term).rule == Rule::Unknown;
  };
  for (const std::function<bool(TermId)> &isLeaf :
       {std::function<bool(TermId)>(isCommon), std::function<bool(TermId)>(isCommonWithoutRule)}) {
    if (!areEqualFunctions(isLeaf, 1) || !areEqualFunctions(isLeaf, 2))
      continue;
    output.isSameFunction = true;
    ErrorBounds bounds(table_, isLeaf);
    std::optional<double> before = bounds.ulps(before_, dtype), after = bounds.ulps(after_, dtype);
    if (before && after)
      output.differenceUlps = *before + *after;
    return;
  }
}

void DifferingSums::describe(ComparedOutput &output, DType dtype) const {
  const std::vector<TermId> before = parting(ofBefore_, ofAfter_), after = parting(ofAfter_, ofBefore_);
  output.cause = cause(before, after);
  output.before = places(before, Side::Before);
  output.after = places(after, Side::After);
  bound(output, dtype);
}

} // namespace ccgraph::numerics
