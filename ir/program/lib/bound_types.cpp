#include "ccgraph/ir/bound_types.h"

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/type_inference.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace ccgraph {

namespace {

/// Substitutes the values in types.
class TypeBinder {
public:
  TypeBinder(Context &context, const SymbolValues &values) : context_(context), values_(values) {}

  const Type *operator()(const Type *type) {
    if (!type)
      return nullptr;
    if (type->isList()) {
      std::vector<const Type *> elements;
      for (const Type *element : type->elements())
        elements.push_back((*this)(element));
      return context_.list(elements);
    }
    if (!type->isTensor())
      return type;
    std::vector<Dim> sizes = bound(type->sizes()), strides = bound(type->strides());
    return context_.tensor(type->dtype(), {sizes, strides, type->stridesKnown()}, type->device());
  }

private:
  [[nodiscard]] std::vector<Dim> bound(llvm::ArrayRef<Dim> dims) const {
    std::vector<Dim> result;
    for (const Dim &dim : dims) {
      std::optional<int64_t> value = dim.evaluate([&](llvm::StringRef symbol) { return valueOf(symbol); });
      result.push_back(value ? Dim(*value) : dim);
    }
    return result;
  }

  [[nodiscard]] std::optional<int64_t> valueOf(llvm::StringRef symbol) const {
    auto found = llvm::find_if(values_, [&](const auto &entry) { return entry.first == symbol; });
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }

  Context &context_;
  const SymbolValues &values_;
};

const Type *withoutStrides(Context &context, const Type *type) {
  if (!type || !type->isTensor() || !type->stridesKnown())
    return type;
  return context.tensor(type->dtype(), {type->sizes(), {}, /*stridesKnown=*/false}, type->device());
}

/// Returns the type that a node of the program has in a copy.
const Type *typeInCopy(const Node &node, TypeBinder &bind) {
  const Type *type = bind(node.type());
  return type != node.type() && isWait(node) ? withoutStrides(node.graph()->context(), type) : type;
}

void bindNode(Graph &graph, Node *node, TypeBinder &bind) {
  if (const Type *type = typeInCopy(*node, bind); type != node->type())
    graph.setType(node, type);
}

/// Returns true if both types have the same elements, whatever their strides.
bool haveSameSizes(const Type *a, const Type *b) {
  if (!a || !b || !a->isTensor() || !b->isTensor())
    return a == b;
  return a->dtype() == b->dtype() && a->sizes() == b->sizes();
}

/// Returns the type that follows from those of the operands; null if none does, or if it is not the type of the copy
/// with symbols instead of numbers.
const Type *inferredType(const Node &node, TypeBinder &bind) {
  if (llvm::any_of(node.dataOperands(), [](const Node *operand) { return lacksType(operand->type()); }))
    return nullptr;
  llvm::Expected<const Type *> type = TypeInference().typeOf(node);
  if (!type) {
    llvm::consumeError(type.takeError());
    return nullptr;
  }
  return haveSameSizes(bind(*type), bind(node.type())) ? *type : nullptr;
}

} // namespace

void bindSizes(Graph &graph, const SymbolValues &values) {
  TypeBinder bind(graph.context(), values);
  for (Node *node : graph.nodes())
    bindNode(graph, node, bind);
  for (const auto &[name, subgraph] : graph.subgraphs())
    bindSizes(*subgraph, values);
}

BoundTypes::BoundTypes(const Graph &program, SymbolValues values) : values_(std::move(values)) {
  TypeBinder bind(program.context(), values_);
  for (const Node *node : program)
    types_[node->name()] = {typeInCopy(*node, bind), node->type()};
}

void BoundTypes::unbind(Graph &copy) const {
  TypeBinder bind(copy.context(), values_);
  llvm::DenseSet<const Node *> changed;
  auto isChanged = [&](const Node *node) { return changed.contains(node); };
  for (Node *node : copy.nodes()) {
    const Types known = types_.lookup(node->name());
    const Type *type = node->type();
    if (type && known.ofCopy == type)
      type = known.ofProgram;
    else if (llvm::any_of(node->dataOperands(), isChanged))
      type = inferredType(*node, bind);
    if (type == node->type())
      continue;
    copy.setType(node, type);
    changed.insert(node);
  }
}

void BoundTypes::edit(Graph &copy, llvm::function_ref<void()> edit) const {
  const uint32_t limit = copy.idLimit();
  std::vector<std::pair<Node *, const Type *>> present;
  for (Node *node : copy)
    present.emplace_back(node, node->type());
  unbind(copy);
  edit();
  for (auto [node, type] : present)
    if (type != node->type() && copy.find(node->name()) == node)
      copy.setType(node, type);
  TypeBinder bind(copy.context(), values_);
  for (Node *node : copy)
    if (node->id() >= limit)
      bindNode(copy, node, bind);
}

} // namespace ccgraph
