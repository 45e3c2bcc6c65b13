#include "normalize/subgraph_results.h"

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/signature.h"

#include "llvm/ADT/STLExtras.h"

#include <optional>

namespace ccgraph {
namespace {

const Node *nodeOf(const Node &user, const Argument &leaf) {
  return leaf.is(Argument::Kind::Operand) ? user.operand(leaf) : nullptr;
}

/// Returns the element of the call's result that a node reads; empty if it does anything else, or has ordering edges.
std::optional<size_t> elementRead(const Node &user) {
  std::optional<int64_t> index = getItemIndex(user);
  bool isOrdered =
      user.numOrdering() != 0 || llvm::any_of(user.uses(), [](const Use &use) { return use.isOrdering(); });
  return index && !isOrdered ? std::optional<size_t>(static_cast<size_t>(*index)) : std::nullopt;
}

bool differ(const Type *a, const Type *b) { return a && b && a != b; }

} // namespace

SubgraphResults::SubgraphResults(const Node &call, const Graph &body)
    : call_(call), body_(body), formals_(placeholdersOf(body)) {
  const Node *output = body.output();
  if (!output || output->args().size() != 1)
    oneByOne_ = !call.hasDataUses();
  else if (output->args().front().isSequence())
    readElements(output->args().front().elements());
  else if (call.hasDataUses())
    results_.push_back({&call, nodeOf(*output, output->args().front())});
}

void SubgraphResults::readElements(llvm::ArrayRef<Argument> elements) {
  for (const Use &use : call_.uses()) {
    if (use.isOrdering())
      continue;
    std::optional<size_t> element = elementRead(*use.user());
    oneByOne_ = oneByOne_ && element && *element < elements.size();
    if (!oneByOne_)
      return;
    results_.push_back({use.user(), nodeOf(*body_.output(), elements[*element])});
  }
}

const Node *SubgraphResults::actualOf(const Node &placeholder) const {
  auto formal = static_cast<size_t>(llvm::find(formals_, &placeholder) - formals_.begin());
  return nodeOf(call_, call_.args()[2 + formal]);
}

const Node *SubgraphResults::valueOf(const Result &result) const {
  bool isFormal = result.inner && result.inner->opcode() == Opcode::Placeholder;
  return isFormal ? actualOf(*result.inner) : result.inner;
}

bool SubgraphResults::areNodes() const {
  return llvm::all_of(results_, [&](const Result &result) { return valueOf(result) || !result.reader->hasDataUses(); });
}

bool SubgraphResults::haveSameTypes() const {
  for (const Node *formal : formals_)
    if (const Node *actual = actualOf(*formal); actual && differ(actual->type(), formal->type()))
      return false;
  return llvm::none_of(results_, [&](const Result &result) {
    const Node *value = valueOf(result);
    return value && differ(result.reader->type(), value->type());
  });
}

} // namespace ccgraph
