// What a collective of another form says, said as a functional collective.
//
// Older operators name their group by tag and ranks, autograd forms and the older namespace differ by name alone, in-place
// and `out` forms say where the result lies. Kind, tensors, reduction, root, splits and group are the same in all of
// them; what else a call says has no place in a functional one.
//
// Ownership: plain values; nodes are the graph's. Failure: a reason why there is no such call. Cost: linear in the
// arguments and in the groups of the table.
#pragma once

#include "ccgraph/ir/builder.h"
#include "ccgraph/ir/collective.h"

#include <variant>

namespace ccgraph {

/// A call to be made. The buffers that the old call wrote are not among its arguments, or are its inputs.
struct FunctionalCall {
  std::string target;
  std::vector<Actual> args;
  /// tensors that the old call writes, and the new one does not
  std::vector<Node *> written;
};

/// Why there is none.
enum class NotFunctional : uint8_t {
  /// no group of the table, or more than one, has the ranks that the call names
  Group,
  /// its group is an object that no file explains
  GroupObject,
  /// splits are left out, and the number of rows is unknown or does not divide
  Splits,
  /// arguments that no functional form has a place for
  Arguments,
  /// its reduction is an object that no file explains
  Reduction,
  /// no functional operator does it
  Kind,
  /// it yields no tensor
  NoResult,
  /// sizes are unknown, or no shares of one another
  Sizes,
  /// its Work, or a list that it yields, is used as a whole
  Handle,
};

/// True for collectives and waits that are spelled in the functional way, and for kinds that have no such spelling.
[[nodiscard]] bool isFunctional(const Node &node);
/// Of a node that is not, and is not finished when it returns.
[[nodiscard]] std::variant<FunctionalCall, NotFunctional> functionalCallOf(const Node &node);
/// Finished when its operator returns, so that a functional form has a wait besides (finished_call.h).
[[nodiscard]] bool isFinished(const Node &node);

} // namespace ccgraph
