// Translates a collective of another form into a functional collective.
//
// Older operators identify their group by tag and ranks. Autograd forms and the older namespace differ only in name.
// In-place and `out` forms define where the result lies. Kind, tensors, reduction, root, splits and group are the same
// in all forms; a functional call has no place for further arguments.
//
// Ownership: plain values; the graph owns the nodes. Failure: a reason why there is no such call. Cost: linear in the
// arguments and in the groups of the table.
#pragma once

#include "ccgraph/ir/builder.h"
#include "ccgraph/ir/collective.h"

#include <variant>

namespace ccgraph {

/// A call to be created. The buffers that the old call wrote are not among its arguments, or are its inputs.
struct FunctionalCall {
  std::string target;
  std::vector<Actual> args;
  /// tensors that the old call writes, and the new one does not
  std::vector<Node *> written;
};

/// Why a call has no functional form.
enum class NotFunctional : uint8_t {
  /// no group of the table, or more than one, has the ranks of the call
  Group,
  /// its group is an object that no file defines
  GroupObject,
  /// splits are left out, and the number of rows is unknown or does not divide
  Splits,
  /// an argument has no place in any functional form
  Arguments,
  /// its reduction is an object that no file defines
  Reduction,
  /// there is no functional operator for it
  Kind,
  /// sizes are unknown, or no shares of one another
  Sizes,
  /// its Work, or a list that it returns, is used as a whole
  Handle,
};

/// Returns true for collectives and waits in functional form, and for kinds that have no such form.
[[nodiscard]] bool isFunctional(const Node &node);
/// For a node that is not functional, and is not complete when it returns.
[[nodiscard]] std::variant<FunctionalCall, NotFunctional> functionalCallOf(const Node &node);
/// Returns true if the call is complete when its operator returns, so that its functional form needs a wait too
/// (finished_call.h).
[[nodiscard]] bool isFinished(const Node &node);

} // namespace ccgraph
