#include "inputs.h"

#include "ccgraph/ir/op_def.h"

#include "llvm/ADT/Twine.h"

namespace ccgraph::equality {
namespace {

/// Integers that no use bounds are below this number.
constexpr int64_t usualBound = 2;
constexpr int64_t unbounded = std::numeric_limits<int64_t>::max();

/// Finds, for each integer value, a number below which it must be.
class IndexBounds {
public:
  explicit IndexBounds(const Graph &graph) : bounds_(graph.idLimit(), unbounded) {
    for (const Node *node = graph.back(); node; node = node->prev()) {
      if (node->opcode() != Opcode::CallFunction)
        continue;
      noteUse(*node);
      for (const Node *operand : node->dataOperands())
        if (isInteger(*operand) && isInteger(*node))
          lower(*operand, bounds_[node->id()]);
    }
  }
  [[nodiscard]] int64_t of(const Node &node) const {
    int64_t bound = bounds_[node.id()];
    return bound == unbounded ? usualBound : std::max<int64_t>(bound, 1);
  }

private:
  static bool isInteger(const Node &node) {
    return node.type() && node.type()->isTensor() && classOf(node.type()->dtype()) == DTypeClass::Integer;
  }
  void lower(const Node &node, int64_t bound) { bounds_[node.id()] = std::min(bounds_[node.id()], bound); }

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

  std::vector<int64_t> bounds_;
};

llvm::Expected<Array> makeInput(const Node &node, size_t position, const Field &field, int64_t bound) {
  auto problem = [&](const llvm::Twine &text) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "input '" + node.name().str() + "' " + text);
  };
  if (!node.type() || !node.type()->isTensor())
    return problem("is no tensor of a known type");
  std::optional<IntList> sizes = staticDims(node.type()->sizes());
  Kind kind = kindOf(node.type()->dtype());
  constexpr int64_t most = int64_t{1} << 32;
  if (!sizes || productOf(*sizes) > most)
    return problem("has symbolic sizes or too many elements: " + node.type()->str());
  const bool isComplex = kind == Kind::Complex;
  if (isComplex)
    sizes->push_back(2);
  Words words(static_cast<size_t>(productOf(*sizes)));
  for (size_t i = 0; i != words.size(); ++i) {
    uint64_t key = mix(mix(hashText("input"), position), i);
    words[i] = kind >= Kind::Float ? field.draw(key)
                                   : mix(field.seed(), key) % static_cast<uint64_t>(kind == Kind::Bool ? 2 : bound);
  }
  Array array = makeArray(isComplex ? Kind::Float : kind, *sizes, std::move(words));
  return isComplex ? fromPairs(array) : array;
}

} // namespace

std::vector<const Node *> placeholdersOf(const Graph &graph) {
  std::vector<const Node *> inputs;
  for (const Node *node : graph)
    if (node->opcode() == Opcode::Placeholder)
      inputs.push_back(node);
  return inputs;
}

llvm::Expected<std::vector<Array>> makeInputs(const Graph &graph, const Field &field) {
  IndexBounds bounds(graph);
  std::vector<Array> inputs;
  for (const Node *node : placeholdersOf(graph)) {
    llvm::Expected<Array> input = makeInput(*node, inputs.size(), field, bounds.of(*node));
    if (!input)
      return input.takeError();
    inputs.push_back(std::move(*input));
  }
  return inputs;
}

} // namespace ccgraph::equality
