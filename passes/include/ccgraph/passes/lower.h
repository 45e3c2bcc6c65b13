// Lowering: Graph -> Plan. Turns dependencies between nodes into steps on streams, buffers and events.
//
// Lowering is a function and not a pass, since its result is not a graph. It has three parts, one file each in
// passes/lib/lower:
//   steps    which operator runs on which stream and reads and writes which windows. A view becomes another window of
//            its tensor; a wait becomes no step. A collective sends and fills contiguous windows. Where the graph's
//            windows are not contiguous, copies are made before it (in the compute stream) or after it (in its own
//            stream). An all_reduce or broadcast gets a copy of its input if that input is written before the wait.
//   layout   where the buffers lie. A buffer is needed from its first step to its last. A buffer that a collective
//            reads or fills is needed until the last wait on its results, because the rank cannot tell earlier that the
//            collective has completed. So the arenas' peak is what lifetimes.h counts, or less: an elementwise result
//            reuses the bytes of an operand that has no later reader.
//   events   which step waits for which step: the fewest events that order all conflicting accesses, both to one tensor
//            and to buffers that use the same bytes in turn.
//
// Streams: one of the host, one of computation, one for each group, and one for each channel of transfers (group, peer,
// direction and tag). Transfers have channels because a send and a receive that two ranks issue crosswise must not wait
// for each other. The number of collective streams may be limited (`streams`). Groups then share streams round-robin,
// in the order in which the graph first uses the groups. That order is the same on all ranks that run one program. A
// shared stream issues the calls of all its groups in one order. Ranks whose programs differ may therefore deadlock
// where they did not before: a transfer that a call needs may be sent only after a later call of another group. Engines
// report this (run.deadlock). The host runs operators that yield a number (item, sizes and arithmetic on them),
// operators that check one, and operators whose result size depends on data (nonzero).
//
// Ownership: the graph is borrowed and unchanged; the caller owns the plan, which shares the graph's Context.
// Failure: a DiagnosticError: guards.fact (ccgraph/ir/guard.h), or one of these rules, at the node:
//   lower.type      a tensor has no type, or no rule gives its result type
//   lower.window    the place of a view in its storage is unknown, or is not one that the program may rely on
//   lower.reshape   the tensor's memory is enlarged or replaced in place (resize_ beyond what it has)
//   lower.group     the members of a group are unknown
//   lower.call      the arguments of a collective are invalid
//   lower.rewritten a result of a reduce_scatter list is written before the list's last wait: gloo then copies it again
//   lower.streams   there are more groups and channels than a plan can have streams
//   lower.operator  an operator is unknown, or does what its subgraphs do (while_loop); one error lists all of them. An
//                   operator whose subgraphs are pure (flex_attention) is a step like any other: its subgraphs are
//                   objects, known by name, and its kernel must support them.
// Cost: O(n log n) in nodes and edges, except for the placement of up to 16,384 buffers (arena.h).
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/object_meaning.h"
#include "ccgraph/ir/plan.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace ccgraph {

struct LoweringOptions {
  /// what the objects of the graph are, where its text does not define them
  ObjectMeanings objects;
  /// Values of symbols, by name; the others take the graph's hints. A buffer is allocated while the plan runs
  /// (Home::Growing) if its size depends on a symbol without value and hint.
  std::vector<std::pair<std::string, int64_t>> symbols;
  /// Buffers that a collective sends from or fills lie in an arena of their own. This costs memory: see plan.h.
  bool separateCommunication = false;
  /// maximum number of collective streams; 0: one for each group. Channels of transfers have their own streams.
  size_t streams = 0;
  /// Called after each phase of lowering with the phase's name, one of loweringPhases(), and the unfinished plan, which
  /// no verifier accepts before the last phase. For debugging.
  std::function<void(llvm::StringRef phase, const Plan &plan)> afterPhase;
};

/// Returns the phases in order: steps; copies (of values that are overwritten before their last use); layout; events.
[[nodiscard]] llvm::ArrayRef<llvm::StringLiteral> loweringPhases();

/// Lowers a graph that the verifier accepts.
[[nodiscard]] llvm::Expected<std::unique_ptr<Plan>> lowerGraph(const Graph &graph, const LoweringOptions &options = {});

} // namespace ccgraph
