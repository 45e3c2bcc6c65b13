#include "lower/element_types.h"

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/type_inference.h"

#include <algorithm>

namespace ccgraph::lower {

const Type *typeOf(const Node &node) {
  if (node.type())
    return node.type();
  llvm::Expected<const Type *> type = certainType(node);
  if (type)
    return *type;
  // The verifier reports errors in the arguments; here the type is only unknown.
  llvm::consumeError(type.takeError());
  return nullptr;
}

std::vector<const Type *> elementTypes(const Node &list, const Type *whole) {
  std::vector<const Type *> types;
  if (whole && whole->isList())
    types = whole->elements().vec();
  if (list.op()->results.size() > 1)
    types.resize(std::max(types.size(), list.op()->results.size()));
  for (const Use &use : list.uses()) {
    std::optional<int64_t> index = use.isOrdering() ? std::nullopt : getItemIndex(*use.user());
    if (!index)
      continue;
    auto element = static_cast<size_t>(*index);
    types.resize(std::max(types.size(), element + 1));
    if (!types[element])
      types[element] = use.user()->type();
  }
  return types;
}

} // namespace ccgraph::lower
