#include "terms.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

#include <tuple>

namespace ccgraph::numerics {

bool Operation::isSum() const {
  switch (rule) {
  case Rule::RankSum:
  case Rule::RankMean:
  case Rule::DimSum:
  case Rule::DimMean:
  case Rule::Product:
  case Rule::Add:
  case Rule::Subtract:
    return true;
  case Rule::Unknown:
  case Rule::Given:
  case Rule::Negate:
  case Rule::Multiply:
  case Rule::Divide:
  case Rule::Cast:
  case Rule::Clip:
  case Rule::Extreme:
    return false;
  }
  return false;
}

size_t TermTable::HashTerm::operator()(const Term &term) const {
  llvm::hash_code hash = llvm::hash_combine(term.kind, term.operation, term.operands.size());
  for (const TermOperand &operand : term.operands)
    hash = llvm::hash_combine(hash, operand.id, operand.shift, operand.repeats);
  return hash;
}

size_t TermTable::HashRuns::operator()(const RunList &list) const {
  llvm::hash_code hash = llvm::hash_value(list.size());
  for (const Run &run : list.runs())
    hash = llvm::hash_combine(hash, run.term, run.start, run.length, run.repeats);
  return hash;
}

uint32_t TermTable::operation(Operation operation) {
  auto [place, isNew] = operationIds_.try_emplace(operation.text, static_cast<uint32_t>(operations_.size()));
  if (isNew)
    operations_.push_back(std::move(operation));
  return place->second;
}

uint32_t TermTable::sequence(const RunList &elements) {
  auto [place, isNew] = sequenceIds_.try_emplace(elements, static_cast<uint32_t>(sequences_.size()));
  if (isNew)
    sequences_.push_back(&place->first);
  return place->second;
}

TermId TermTable::term(Term term) {
  auto [place, isNew] = termIds_.try_emplace(std::move(term), static_cast<TermId>(terms_.size()));
  if (isNew) {
    terms_.push_back(place->first);
    places_.emplace_back();
  }
  TermPlace &mine = places_[place->second][static_cast<size_t>(side_)];
  if (!mine.node)
    mine = place_;
  return place->second;
}

TermId TermTable::unknown(const Node &node) {
  Operation operation;
  operation.text = "unknown " + std::to_string(terms_.size()) + " " + node.name().str().str();
  return term({Term::Kind::Input, this->operation(std::move(operation)), {}});
}

namespace {

/// A run of one operand, as it stands in a term whose element i is the i-th of these elements.
TermOperand operandOf(const Run &run) { return {run.term, run.start, run.repeats}; }

/// Puts the operands of a commutative operation into one order, in which repeated elements are last.
void sortOperands(std::vector<TermOperand> &operands) {
  llvm::sort(operands, [](const TermOperand &a, const TermOperand &b) {
    return std::tie(a.repeats, a.id, a.shift) < std::tie(b.repeats, b.id, b.shift);
  });
}

/// Makes the term of one stretch. Its elements are counted as those of the first operand that advances, so that a
/// stretch and a part of it are of one term.
Run stretch(TermTable &table, const ElementwiseCall &call, llvm::ArrayRef<Run> operands) {
  std::vector<TermOperand> of;
  int64_t length = operands.empty() ? 0 : operands.front().length;
  for (const Run &run : operands)
    of.push_back(operandOf(length == 1 ? Run{run.term, run.start, 1, false} : run));
  if (call.isCommutative)
    sortOperands(of);
  const auto base = llvm::find_if(of, [](const TermOperand &operand) { return !operand.repeats; });
  const bool advances = base != of.end();
  const int64_t start = advances ? base->shift : 0;
  for (TermOperand &operand : of)
    if (!operand.repeats)
      operand.shift -= start;
  return {table.term({Term::Kind::Elementwise, call.operation, std::move(of)}), start, length, !advances};
}

} // namespace

std::optional<RunList> elementwise(TermTable &table, const ElementwiseCall &call) {
  RunList result;
  const int64_t size = call.operands.front().size();
  std::vector<size_t> index(call.operands.size(), 0);
  std::vector<int64_t> used(call.operands.size(), 0);
  for (int64_t done = 0, length = 0; done != size; done += length) {
    length = size - done;
    for (size_t i = 0; i != call.operands.size(); ++i)
      length = std::min(length, call.operands[i].runs()[index[i]].length - used[i]);
    std::vector<Run> operands;
    for (size_t i = 0; i != call.operands.size(); ++i) {
      const Run &run = call.operands[i].runs()[index[i]];
      operands.push_back(run.part(used[i], length));
      used[i] += length;
      if (used[i] == run.length)
        ++index[i], used[i] = 0;
    }
    result.push(stretch(table, call, operands));
    if (result.runs().size() > call.most)
      return std::nullopt;
  }
  return result;
}

RunList callResult(TermTable &table, uint32_t operation, llvm::ArrayRef<RunList> operands, int64_t elements) {
  Term term{Term::Kind::Call, operation, {}};
  for (const RunList &operand : operands)
    term.operands.push_back({table.sequence(operand), 0, false});
  return Run{table.term(std::move(term)), 0, elements, false};
}

} // namespace ccgraph::numerics
