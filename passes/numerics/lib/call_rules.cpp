#include "call_rules.h"

#include "call_text.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::numerics {
namespace {

struct RuleOfBase {
  llvm::StringLiteral base;
  Rule rule;
};

constexpr RuleOfBase pointwiseRules[] = {
    {"aten.add", Rule::Add},         {"aten.div", Rule::Divide},   {"aten.maximum", Rule::Extreme},
    {"aten.minimum", Rule::Extreme}, {"aten.mul", Rule::Multiply}, {"aten.neg", Rule::Negate},
    {"aten.relu", Rule::Clip},       {"aten.sub", Rule::Subtract},
};

constexpr RuleOfBase callRules[] = {
    {"aten.addmm", Rule::Product}, {"aten.bmm", Rule::Product}, {"aten.mean", Rule::DimMean},
    {"aten.mm", Rule::Product},    {"aten.sum", Rule::DimSum},
};

Rule ruleIn(llvm::ArrayRef<RuleOfBase> rules, llvm::StringRef base) {
  const RuleOfBase *entry = llvm::find_if(rules, [&](const RuleOfBase &candidate) { return candidate.base == base; });
  return entry == rules.end() ? Rule::Unknown : entry->rule;
}

bool isOne(const Argument *argument) {
  return !argument || (argument->is(Argument::Kind::Int) && argument->integer() == 1) ||
         (argument->is(Argument::Kind::Float) && argument->floating() == 1);
}

const HeldTensor *tensorOf(const Node &node, int parameter, llvm::ArrayRef<HeldValue> values) {
  const Argument *argument = argumentAt(node, parameter);
  if (!argument || !argument->is(Argument::Kind::Operand))
    return nullptr;
  const HeldValue &value = values[node.operand(*argument)->id()];
  return value.isTensor() ? &value.tensor : nullptr;
}

/// Adds the layouts of the operands; false if one is no tensor.
bool addLayouts(Operation &operation, const Node &node, unsigned count, llvm::ArrayRef<HeldValue> values) {
  for (unsigned i = 0; i != count; ++i) {
    const HeldTensor *tensor = tensorOf(node, static_cast<int>(i), values);
    if (!tensor || !isFloat(tensor->dtype))
      return false;
    operation.sizes.push_back(tensor->sizes);
    operation.strides.push_back(tensor->strides);
  }
  return true;
}

Operation product(const Node &node, llvm::StringRef base, llvm::ArrayRef<HeldValue> values) {
  Operation operation;
  const bool hasBias = base == "aten.addmm";
  const bool isPlain = !hasBias || (isOne(argumentAt(node, 3)) && isOne(argumentAt(node, 4)));
  if (!isPlain || !addLayouts(operation, node, hasBias ? 3 : 2, values) || operation.sizes[hasBias ? 1 : 0].size() < 2)
    return {};
  operation.rule = Rule::Product;
  operation.addends = operation.sizes[hasBias ? 1 : 0].back();
  return operation;
}

} // namespace

Rule ruleOfPointwise(llvm::StringRef base) { return ruleIn(pointwiseRules, base); }

std::optional<IntList> summedDims(const Node &node, size_t rank) {
  const Argument *argument = argumentAt(node, 1);
  const bool isWhole = node.op()->paramIndex("dim") != 1 || !argument || argument->is(Argument::Kind::None) ||
                       (argument->isSequence() && argument->elements().empty());
  IntList dims;
  if (isWhole)
    return allDims(static_cast<int64_t>(rank));
  for (const Argument &element : argument->isSequence() ? argument->elements() : llvm::ArrayRef(*argument)) {
    if (!element.is(Argument::Kind::Int))
      return std::nullopt;
    const int64_t dim = element.integer() + (element.integer() < 0 ? static_cast<int64_t>(rank) : 0);
    if (dim < 0 || dim >= static_cast<int64_t>(rank))
      return std::nullopt;
    dims.push_back(dim);
  }
  llvm::sort(dims);
  return dims;
}

Operation ruleOfCall(const Node &node, llvm::ArrayRef<HeldValue> values) {
  const std::string base = pureBaseOf(node.target().str());
  Operation operation;
  const Rule rule = node.op()->results.size() == 1 ? ruleIn(callRules, base) : Rule::Unknown;
  if (rule == Rule::Product)
    return product(node, base, values);
  if (rule == Rule::Unknown || !addLayouts(operation, node, 1, values))
    return {};
  std::optional<IntList> dims = summedDims(node, operation.sizes.front().size());
  if (!dims)
    return {};
  operation.rule = rule;
  operation.dims = *dims;
  for (int64_t dim : *dims)
    operation.addends *= operation.sizes.front()[static_cast<size_t>(dim)];
  return operation;
}

} // namespace ccgraph::numerics
