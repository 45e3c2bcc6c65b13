#include "inputs.h"

#include "step_nodes.h"

#include "ccgraph/ir/op_def.h"

#include "llvm/ADT/Twine.h"

namespace ccgraph::equality {
namespace {

/// Integers that no use bounds are below this number.
constexpr int64_t usualBound = 2;
/// Integers that are compared with larger numbers are below this number.
constexpr int64_t mostCompared = int64_t{1} << 20;
constexpr int64_t unbounded = IndexLimit::none;

/// Finds, for each integer value, a number below which it must be.
class IndexBounds {
public:
  explicit IndexBounds(const Graph &graph) : limits_(graph.idLimit()) {
    for (const Node *node = graph.back(); node; node = node->prev()) {
      if (node->opcode() != Opcode::CallFunction)
        continue;
      noteUse(*node);
      noteComparison(*node);
      for (const Node *operand : node->dataOperands())
        if (isInteger(*operand) && isInteger(*node))
          passOn(*node, *operand);
    }
  }
  [[nodiscard]] const IndexLimit &of(const Node &node) const { return limits_[node.id()]; }

private:
  /// Returns whether the value is a tensor of integers, or a list of such tensors, as the parts of one are. Texts do
  /// not state the types of lists.
  static bool isInteger(const Node &node) {
    const Type *type = node.type();
    if (!type)
      return true;
    if (type->isList() && !type->elements().empty())
      type = type->elements().front();
    return type->isTensor() && classOf(type->dtype()) == DTypeClass::Integer;
  }
  void lower(const Node &node, int64_t bound) {
    IndexLimit &limit = limits_[node.id()];
    limit.direct = std::min(limit.direct, bound);
    limit.any = std::min(limit.any, bound);
  }

  /// Limits an operand by what its reader is an index for. A difference from a literal is smaller by the literal.
  void passOn(const Node &node, const Node &operand) {
    const IndexLimit &from = limits_[node.id()];
    IndexLimit &to = limits_[operand.id()];
    if (isViewOrWait(node) || isOneOfWords(shortTarget(node), {"_to_copy", "all_gather_into_tensor"}))
      to.direct = std::min(to.direct, from.direct);
    int64_t offset = 0;
    if (node.args().size() == 2 && node.args()[1].is(Argument::Kind::Int))
      offset = shortTarget(node) == "sub"   ? node.args()[1].integer()
               : shortTarget(node) == "add" ? -node.args()[1].integer()
                                            : 0;
    if (from.compared != 0)
      raise(operand, saturatingAdd(from.compared, offset));
    if (from.any != unbounded)
      to.any = std::min(to.any, std::max<int64_t>(saturatingAdd(from.any, offset), 1));
  }

  void raise(const Node &node, int64_t bound) {
    int64_t &compared = limits_[node.id()].compared;
    compared = std::max(compared, std::min(bound, mostCompared));
  }
  /// An integer that is compared with a range has the values of this range, as in a one-hot encoding; one that is
  /// compared with a number has values on both sides of it.
  void noteComparison(const Node &node) {
    if (!isOneOfWords(shortTarget(node), {"eq", "ne", "lt", "le", "gt", "ge"}))
      return;
    int64_t bound = 0;
    for (const Argument &argument : node.args())
      if (argument.is(Argument::Kind::Int))
        bound = std::max(bound, saturatingAdd(argument.integer(), 2));
      else if (argument.is(Argument::Kind::Operand))
        bound = std::max(bound, lengthOfRange(*node.operand(argument)));
    for (const Node *operand : node.dataOperands())
      if (isInteger(*operand))
        raise(*operand, bound);
  }
  /// Returns the length of a range of integers, of which the value may be a view; 0 for any other value.
  static int64_t lengthOfRange(const Node &value) {
    const Node *node = &value;
    while (node->opcode() == Opcode::CallFunction && node->numOperands() == 1)
      node = node->operand(0);
    const bool isRange = node->opcode() == Opcode::CallFunction && isOneOfWords(shortTarget(*node), {"arange", "iota"});
    return isRange ? std::max<int64_t>(sizeOf(*node, 0), 0) : 0;
  }

  static int64_t sizeOf(const Node &node, int64_t dim) {
    if (!node.type() || !node.type()->isTensor())
      return unbounded;
    auto sizes = node.type()->sizes();
    auto rank = static_cast<int64_t>(sizes.size());
    dim = dim < 0 ? dim + rank : dim;
    return dim >= 0 && dim < rank && sizes[dim].isStatic() ? sizes[dim].value() : unbounded;
  }

  void noteUse(const Node &node) {
    if (!node.op()->indices)
      return;
    const IndexUse &use = *node.op()->indices;
    const Argument *index = argumentAt(node, use.index), *data = argumentAt(node, use.data);
    if (!index || !data)
      return;
    if (use.into == IndexUse::Into::Number) {
      if (data->is(Argument::Kind::Int) && index->is(Argument::Kind::Operand))
        lower(*node.operand(*index), data->integer());
      return;
    }
    if (!data->is(Argument::Kind::Operand))
      return;
    const Node &from = *node.operand(*data);
    if (index->is(Argument::Kind::Operand))
      lower(*node.operand(*index), sizeOf(from, dimensionOf(node, use)));
    int64_t dim = 0;
    for (const Argument &element : index->elements()) {
      if (element.is(Argument::Kind::Operand))
        lower(*node.operand(element), sizeOf(from, dim));
      ++dim;
    }
  }

  static int64_t dimensionOf(const Node &node, const IndexUse &use) {
    if (use.into == IndexUse::Into::Second)
      return 1;
    const Argument *dim = use.into == IndexUse::Into::Stated ? argumentAt(node, 1) : nullptr;
    return dim && dim->is(Argument::Kind::Int) ? dim->integer() : 0;
  }

  std::vector<IndexLimit> limits_;
};

} // namespace

int64_t boundOfLimit(const IndexLimit &limit) {
  return limit.any == unbounded ? std::max(limit.compared, usualBound) : std::max<int64_t>(limit.any, 1);
}

std::vector<IndexLimit> indexLimits(const Graph &graph) {
  IndexBounds bounds(graph);
  std::vector<IndexLimit> limits;
  for (const Node *node : placeholdersOf(graph))
    limits.push_back(bounds.of(*node));
  return limits;
}

llvm::Expected<Array> drawInput(const DrawnInput &input, const Field &field) {
  constexpr int64_t most = int64_t{1} << 32;
  if (productOf(input.sizes) > most)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "has too many elements: " + intListText(input.sizes));
  const bool isComplex = input.kind == Kind::Complex;
  IntList sizes = input.sizes;
  if (isComplex)
    sizes.push_back(2);
  const auto bound = static_cast<uint64_t>(input.kind == Kind::Bool ? 2 : input.bound);
  Words words(static_cast<size_t>(productOf(sizes)));
  for (size_t i = 0; i != words.size(); ++i) {
    uint64_t key = mix(mix(hashText("input"), input.position), i);
    words[i] = input.kind >= Kind::Float ? field.draw(key) : mix(field.seed(), key) % bound;
  }
  Array array = makeArray(isComplex ? Kind::Float : input.kind, sizes, std::move(words));
  return isComplex ? fromPairs(array) : array;
}

llvm::Expected<std::vector<Array>> makeInputs(const Graph &graph, const Field &field) {
  IndexBounds bounds(graph);
  std::vector<Array> inputs;
  for (const Node *node : placeholdersOf(graph)) {
    auto problem = [&](const llvm::Twine &text) {
      return llvm::createStringError(llvm::inconvertibleErrorCode(), "input '" + node->name().str() + "' " + text);
    };
    if (!node->type() || !node->type()->isTensor())
      return problem("is no tensor of a known type");
    std::optional<IntList> sizes = staticDims(node->type()->sizes());
    if (!sizes)
      return problem("has symbolic sizes: " + node->type()->str());
    llvm::Expected<Array> input =
        drawInput({kindOf(node->type()->dtype()), *sizes, inputs.size(), boundOfLimit(bounds.of(*node))}, field);
    if (!input)
      return problem(llvm::toString(input.takeError()));
    inputs.push_back(std::move(*input));
  }
  return inputs;
}

} // namespace ccgraph::equality
