// The operators of which NodeValues knows how they make each element.
#include "call_rules.h"
#include "call_text.h"
#include "exact_steps.h"
#include "node_values.h"

#include "ccgraph/ir/strides.h"

namespace ccgraph::numerics {
namespace {

/// Copies whose elements, in row-major order, are those of their first operand.
constexpr llvm::StringLiteral copies[] = {
    "aten._reshape_copy",
    "aten._to_copy",
    "aten._unsafe_view",
    "aten.alias_copy",
    "aten.clone",
    "aten.contiguous",
    "aten.detach_copy",
    "aten.flatten",
    "aten.lift_fresh_copy",
    "aten.reshape",
    "aten.squeeze_copy",
    "aten.to",
    "aten.type_as",
    "aten.unsqueeze_copy",
    "aten.view_copy",
    "prims.clone",
    "prims.convert_element_type",
};

struct ConstantOperator {
  llvm::StringLiteral base;
  /// the parameter that states the number; -1: `number`
  int parameter;
  double number;
};
constexpr ConstantOperator constants[] = {
    {"aten.fill", 1, 0},      {"aten.full", 1, 0},       {"aten.full_like", 1, 0},   {"aten.new_full", 2, 0},
    {"aten.new_ones", -1, 1}, {"aten.new_zeros", -1, 0}, {"aten.ones", -1, 1},       {"aten.ones_like", -1, 1},
    {"aten.zero", -1, 0},     {"aten.zeros", -1, 0},     {"aten.zeros_like", -1, 0}, {"aten.scalar_tensor", 0, 0},
};

std::optional<double> numberOfArgument(const Argument *argument) {
  if (argument && argument->is(Argument::Kind::Int))
    return static_cast<double>(argument->integer());
  if (argument && argument->is(Argument::Kind::Float))
    return argument->floating();
  if (argument && argument->is(Argument::Kind::Bool))
    return argument->boolean() ? 1 : 0;
  return std::nullopt;
}

std::optional<int64_t> integerOf(const Node &node, int parameter, int64_t missing) {
  const Argument *argument = argumentAt(node, parameter);
  if (!argument || argument->is(Argument::Kind::None))
    return missing;
  return argument->is(Argument::Kind::Int) ? std::optional(argument->integer()) : std::nullopt;
}

std::optional<size_t> dimensionAt(const Node &node, int parameter, size_t rank) {
  std::optional<int64_t> dim = integerOf(node, parameter, 0);
  if (dim && *dim < 0)
    *dim += static_cast<int64_t>(rank);
  return dim && *dim >= 0 && *dim < static_cast<int64_t>(rank) ? std::optional(static_cast<size_t>(*dim))
                                                               : std::nullopt;
}

} // namespace

std::optional<RunList> NodeValues::moved(const Node &node, llvm::StringRef base) {
  if (llvm::is_contained(copies, base)) {
    const HeldTensor *from = tensorAt(node, 0);
    if (!from || from->count() != *node.type()->numElements())
      return std::nullopt;
    return castElements(table_, elementsOf(table_, *from), from->dtype, node.type()->dtype());
  }
  if (base == "aten.copy") {
    const HeldTensor *from = tensorAt(node, 1);
    std::optional<HeldTensor> whole = from ? expanded(*from, *staticDims(node.type()->sizes())) : std::nullopt;
    if (!whole)
      return std::nullopt;
    return castElements(table_, elementsOf(table_, *whole), from->dtype, node.type()->dtype());
  }
  if (base == "aten.cat" || base == "aten.stack")
    return join(node, base == "aten.stack");
  if (base == "aten.slice_scatter")
    return scatterSlice(node);
  return constant(node, base);
}

std::optional<RunList> NodeValues::constant(const Node &node, llvm::StringRef base) {
  const ConstantOperator *entry =
      llvm::find_if(constants, [&](const ConstantOperator &candidate) { return candidate.base == base; });
  if (entry == std::end(constants))
    return std::nullopt;
  std::optional<double> number =
      entry->parameter < 0 ? entry->number : numberOfArgument(argumentAt(node, entry->parameter));
  if (!number)
    return std::nullopt;
  return constantElements(table_, *number, node.type()->dtype(), *node.type()->numElements());
}

std::optional<RunList> NodeValues::join(const Node &node, bool stacks) {
  const Argument *list = argumentAt(node, 0);
  std::vector<HeldTensor> parts;
  if (list && list->is(Argument::Kind::Operand) && values_[node.operand(*list)->id()].kind == HeldValue::Kind::List)
    for (const HeldValue &value : values_[node.operand(*list)->id()].list)
      parts.push_back(value.tensor);
  for (const Argument &element : list ? list->elements() : llvm::ArrayRef<Argument>())
    if (element.is(Argument::Kind::Operand))
      parts.push_back(values_[node.operand(element)->id()].tensor);
  const size_t rank = node.type()->sizes().size();
  std::optional<size_t> dim = dimensionAt(node, 1, rank);
  if (parts.empty() || !dim)
    return std::nullopt;
  for (HeldTensor &part : parts) {
    if (!part.memory || part.dtype != node.type()->dtype())
      return std::nullopt;
    if (stacks) {
      part.sizes.insert(part.sizes.begin() + static_cast<std::ptrdiff_t>(*dim), 1);
      part.strides.insert(part.strides.begin() + static_cast<std::ptrdiff_t>(*dim), 0);
    }
    if (part.sizes.size() != rank)
      return std::nullopt;
  }
  return joined(table_, parts, *dim);
}

std::optional<RunList> NodeValues::scatterSlice(const Node &node) {
  const HeldTensor *whole = tensorAt(node, 0), *part = tensorAt(node, 1);
  if (!whole || !part || part->dtype != whole->dtype)
    return std::nullopt;
  std::optional<size_t> dim = dimensionAt(node, 2, whole->sizes.size());
  std::optional<int64_t> start = integerOf(node, 3, 0), step = integerOf(node, 5, 1);
  if (!dim || !start || !step || *step != 1 || *start < 0 || *start + part->sizes[*dim] > whole->sizes[*dim])
    return std::nullopt;
  HeldTensor result = newTensor(whole->dtype, whole->sizes, elementsOf(table_, *whole));
  if (!writeElements(narrowed(result, *dim, *start, *start + part->sizes[*dim]), elementsOf(table_, *part)))
    return std::nullopt;
  return result.memory->elements;
}

namespace {

bool holdsOperand(const Argument &argument) {
  return argument.is(Argument::Kind::Operand) || llvm::any_of(argument.elements(), holdsOperand);
}

bool isOfFloats(llvm::StringRef tag) {
  tag.consume_back("()");
  std::optional<DType> dtype = parseShortDType(tag);
  return tag == "number" || (dtype && isFloat(*dtype));
}

/// Overloads of an operator with a rule differ in the kinds of their operands alone, which the tags state.
std::string pointwiseText(const Node &node, llvm::StringRef base, llvm::ArrayRef<std::string> tags) {
  llvm::StringRef target = node.target().str();
  target.consume_front("torch.ops.");
  const std::string overload =
      ruleOfPointwise(base) == Rule::Unknown ? target.drop_front(baseOfTarget(target).size()).str() : "";
  return elementwiseText(base.str() + overload, tags, node.type()->dtype());
}

/// Returns whether a multiplication or division by this constant gives the other operand.
bool isNeutral(const TermTable &table, Rule rule, const RunList &operand) {
  if (rule != Rule::Multiply && rule != Rule::Divide)
    return false;
  return operand.runs().size() == 1 && table.operationOf(operand.runs().front().term).number == 1.0;
}

} // namespace

std::optional<RunList> NodeValues::pointwise(const Node &node, llvm::StringRef base) {
  const IntList sizes = *staticDims(node.type()->sizes());
  const DType dtype = node.type()->dtype();
  const int64_t count = productOf(sizes);
  const size_t yielded = node.op()->yieldedParameter().value_or(~size_t{0});
  Rule rule = ruleOfPointwise(base);
  std::vector<RunList> operands;
  std::vector<std::string> tags;
  std::string rest;
  for (size_t i = 0; i != node.op()->params.size(); ++i) {
    const OpParam &parameter = node.op()->params[i];
    const Argument *argument = argumentAt(node, static_cast<int>(i));
    if (i == yielded && !has(parameter.access, Access::Read))
      continue;
    if (const HeldTensor *tensor = tensorAt(node, static_cast<int>(i))) {
      std::optional<HeldTensor> whole = expanded(*tensor, sizes);
      std::optional<RunList> elements = whole ? readElements(*whole) : std::nullopt;
      if (!elements)
        return std::nullopt;
      tags.push_back(shortName(tensor->dtype).str() + (tensor->sizes.empty() ? "()" : ""));
      operands.push_back(std::move(*elements));
    } else if (std::optional<double> number = numberOfArgument(argument); number && rule != Rule::Unknown && i < 2) {
      tags.push_back("number");
      operands.push_back(constantElements(table_, *number, DType::F64, count));
    } else if (argument && holdsOperand(*argument)) {
      return std::nullopt;
    } else if (argument) {
      rest += parameter.name + "=" + literalText(*argument) + ",";
    }
  }
  if (count == 0 || operands.empty())
    return count == 0 ? std::optional(RunList()) : std::nullopt;
  if (rule != Rule::Unknown && rest.empty() && operands.size() == 2 && tags[1] == "number" &&
      tags[0] == shortName(dtype) && isNeutral(table_, rule, operands[1]))
    return operands.front();
  if (!rest.empty() || !isFloat(dtype) || !llvm::all_of(tags, isOfFloats))
    rule = Rule::Unknown;
  if (rule == Rule::Add && operands.size() == 2 && tags[0] == shortName(dtype) && tags[1] == tags[0] &&
      sameElements(operands[0], operands[1]))
    return multiples(table_, operands[0], dtype, 2);
  const bool isCommutative =
      (base == "aten.add" || base == "aten.mul") && rest.empty() && operands.size() == 2 && tags[0] == tags[1];
  Operation operation{.text = pointwiseText(node, base, tags) + rest, .rule = rule, .dtype = dtype};
  return elementwise(table_, {table_.operation(std::move(operation)), operands, isCommutative, mostRuns});
}

/// A kernel that adds in f64, in row-major order, and rounds once (runtime/kernels/lib/kernels/reductions.cpp).
std::optional<RunList> NodeValues::sumOfDims(const Node &node, llvm::StringRef base) {
  const HeldTensor *from = tensorAt(node, 0);
  if ((base != "aten.sum" && base != "aten.mean") || !from || !isFloat(from->dtype) ||
      node.type()->dtype() != from->dtype)
    return std::nullopt;
  std::optional<IntList> dims = summedDims(node, from->sizes.size());
  const int64_t count = *node.type()->numElements();
  if (!dims || count > static_cast<int64_t>(mostRuns) || from->count() == 0)
    return std::nullopt;
  HeldTensor inner{from->memory, from->dtype, {}, {}, from->offset}, outer = inner;
  for (size_t dim = 0; dim != from->sizes.size(); ++dim) {
    HeldTensor &part = llvm::is_contained(*dims, static_cast<int64_t>(dim)) ? inner : outer;
    part.sizes.push_back(from->sizes[dim]);
    part.strides.push_back(from->strides[dim]);
  }
  Operation operation{.text = base.str() + " of " + std::to_string(inner.count()) + " " + shortName(from->dtype).str() +
                              " in order",
                      .rule = base == "aten.sum" ? Rule::DimSum : Rule::DimMean,
                      .dtype = from->dtype,
                      .addends = inner.count(),
                      .addsInF64 = true};
  const uint32_t number = table_.operation(std::move(operation));
  RunList result;
  for (int64_t i = 0; i != outer.count(); ++i) {
    int64_t rest = i;
    inner.offset = from->offset;
    for (size_t dim = outer.sizes.size(); dim-- > 0; rest /= outer.sizes[dim])
      inner.offset += rest % outer.sizes[dim] * outer.strides[dim];
    result.append(callResult(table_, number, elementsOf(table_, inner), 1));
  }
  return result;
}

} // namespace ccgraph::numerics
