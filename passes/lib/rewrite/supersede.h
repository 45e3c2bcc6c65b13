// Supersede: replaces one node by another.
//
// The readers of the old node read the new one, the new node follows the nodes that the old one had to follow, and a
// user-visible name stays.
//
// Ownership: the graph owns the nodes; the superseded node is erased. Failure: none. Cost: linear in uses and ordering
// edges.
#pragma once

#include "ccgraph/ir/builder.h"
#include "ccgraph/ir/certificate.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace ccgraph {

/// Gives `to` all ordering edges of `from`.
void copyOrdering(Graph &graph, const Node &from, Node *to);

/// Moves a node's ordering edges, users and name to `by`; the node is erased.
void supersede(Graph &graph, Node *node, Node *by);

/// Creates a call before a node that it may supersede, with the type, frame and provenance of that node.
[[nodiscard]] Node *callBefore(Graph &graph, Node *node, llvm::StringRef target, llvm::ArrayRef<Actual> args,
                               llvm::ArrayRef<NamedActual> kwargs = {});

/// Returns true if the call has exactly the positional arguments of its schema.
[[nodiscard]] bool isPlainCall(const Node &call);

/// Returns the arguments of a call, with another first one.
[[nodiscard]] std::vector<Actual> argumentsWith(const Node &like, Actual first);

/// Creates the call `like` with another type, and with what `operandFor` returns in place of each argument that is a
/// node. The argument is given by its position; keyword arguments are copied.
[[nodiscard]] Node *callLike(GraphBuilder &builder, const Node &like, const Type *type,
                             llvm::function_ref<Actual(size_t argument)> operandFor);

/// Creates the same call again, of the same operands, named after it.
[[nodiscard]] Node *repeatCall(GraphBuilder &builder, const Node &call);

/// Erases nodes that have lost their readers, and lists them in the entry after those that it lists, and the nodes that
/// were made likewise.
void eraseMatched(Graph &graph, llvm::ArrayRef<Node *> gone, llvm::ArrayRef<Node *> made, RuleEntry &entry);

/// Creates a wait like `like` on another value, named after it.
[[nodiscard]] Node *waitLike(GraphBuilder &builder, Node *value, const Node &like);

} // namespace ccgraph
