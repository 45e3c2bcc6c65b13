#include "ccgraph/ir/type_inference.h"

#include "infer/rule.h"

namespace ccgraph {
namespace {

/// Where a shape rule leaves strides of dimensions of one element open, which PyTorch prints all the same.
bool asksDefaultsFirst(const OpDef &op) {
  constexpr llvm::StringLiteral targets[] = {
      "aten._unsafe_view.default", "aten.cat.default",     "aten.empty_like.default", "aten.full_like.default",
      "aten.ones_like.default",    "aten.reshape.default", "aten.view.default",       "aten.zeros_like.default",
  };
  return llvm::is_contained(targets, op.target.str());
}

} // namespace

bool lacksType(const Type *type) { return !type || (type->isList() && llvm::any_of(type->elements(), lacksType)); }

struct TypeInference::Impl {
  explicit Impl(uint64_t firstSymbol) : fresh(firstSymbol) {}

  infer::Rule ruleOf(const OpDef &op) {
    auto [entry, isNew] = rules.try_emplace(&op, nullptr);
    if (isNew)
      entry->second = infer::findRule(op.target.str());
    return entry->second;
  }

  infer::FreshSymbols fresh;
  llvm::DenseMap<const OpDef *, infer::Rule> rules;
};

TypeInference::TypeInference(uint64_t firstSymbol) : impl_(std::make_unique<Impl>(firstSymbol)) {}
TypeInference::~TypeInference() = default;
TypeInference::TypeInference(TypeInference &&) noexcept = default;
TypeInference &TypeInference::operator=(TypeInference &&) noexcept = default;

llvm::Expected<const Type *> TypeInference::typeOf(const Node &node) {
  const OpDef *op = node.op();
  if (!op)
    return nullptr;
  if (const Type *type = asksDefaultsFirst(*op) ? assumedType(node) : nullptr)
    return type;
  if (op->shape) {
    TypeResult certain = op->shape(node);
    if (!certain || *certain)
      return certain;
  }
  return assumedType(node);
}

const Type *TypeInference::assumedType(const Node &node) {
  infer::Rule rule = node.op() ? impl_->ruleOf(*node.op()) : nullptr;
  infer::Call call{node, node.graph()->context(), impl_->fresh};
  return rule ? rule(call) : nullptr;
}

} // namespace ccgraph
