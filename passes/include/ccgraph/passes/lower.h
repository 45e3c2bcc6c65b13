// Lowering: Graph -> Plan. What depends on what becomes who does what when, and where.
//
// It is a function and not a pass, since its result is no graph. Three questions, one file each in passes/lib/lower:
//   steps    which operator, on which stream, over which windows. A view becomes another window of its tensor, and a wait
//            nothing at all. A collective sends and fills contiguous windows: where the program has others, copies are
//            made before it (in the stream of computation) or after it (in its own). An all_reduce or broadcast whose
//            input is written before the wait gets a copy to work on.
//   layout   where the buffers lie. A buffer is needed from its first step to its last; what a collective reads and
//            fills up to the last wait on its results, because until then the rank does not know that it has ended. So
//            the arenas' peak is what lifetimes.h counts, or less: a result that is computed element by element takes the bytes of
//            an operand that nobody needs any more.
//   events   which step waits for which, the fewest that put all conflicting accesses in order: those of one tensor, and
//            those of buffers that take turns on the same bytes.
//
// Streams: the host's, one of computation, one for each group, and one for each channel of transfers (group, peer, direction
// and tag), because a send and a receive that two ranks issue crosswise must not wait for each other. Where collectives may have
// only so many streams, groups share them: in the order in which the program first uses them, the first group takes the first
// stream, the next one the next, and after the last stream it goes on with the first. That order is the same on all ranks that run one
// program; a stream that groups share is one order of calls for all of them. Ranks whose programs differ can stand still by that where they
// did not before, if a transfer that a call needs is sent only after a later call of another group; engines then say so (run.deadlock).
// On the host run: what yields a number (item, sizes and arithmetic on them), what checks one, and what has a result whose
// size only its data tell (nonzero).
//
// Ownership: the graph is borrowed and unchanged; the plan is the caller's, and shares its Context.
// Failure: a DiagnosticError: guards.fact (ccgraph/ir/guard.h), or one of these rules, at the node:
//   lower.type      a tensor without type, or whose result type nobody says
//   lower.window    where a view lies in its storage cannot be said, or is not what the program may rely on
//   lower.reshape   the tensor is given more or other memory in place (resize_ beyond what it has)
//   lower.group     the members of a group are not known
//   lower.call      the arguments of a collective make no sense
//   lower.rewritten a result of a list of reduce_scatters is written before the last wait on the list: gloo copies it again then
//   lower.streams   more groups and channels than a plan can have streams
//   lower.operator  an operator that nobody knows, or that does what its subgraphs do (while_loop); all of them at once. One whose subgraphs
//                   are pure (flex_attention) is a step like others: its subgraphs are objects, by their names, which its kernel must know.
// Cost: O(n log n) in nodes and edges, but for the placing of up to 16,384 buffers (arena.h).
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
  /// what the objects of the program are, where its text does not say
  ObjectMeanings objects;
  /// Values of symbols, by name; those left out take the graph's hints. Where neither has one, buffers whose size depends on it
  /// are allocated while the program runs (Home::Growing).
  std::vector<std::pair<std::string, int64_t>> symbols;
  /// Buffers that a collective sends from or fills lie in an arena of their own. This costs memory: see plan.h.
  bool separateCommunication = false;
  /// most streams of collectives; 0: one for each group. Channels of transfers have their own.
  size_t streams = 0;
  /// Called after each phase of lowering with the phase's name, one of loweringPhases(), and the plan so far, which no
  /// verifier accepts before the last phase. For debugging.
  std::function<void(llvm::StringRef phase, const Plan &plan)> afterPhase;
};

/// The phases in their order: steps; copies (of values that are overwritten before their last use); layout; events.
[[nodiscard]] llvm::ArrayRef<llvm::StringLiteral> loweringPhases();

/// The graph must be one that the verifier accepts.
[[nodiscard]] llvm::Expected<std::unique_ptr<Plan>> lowerGraph(const Graph &graph, const LoweringOptions &options = {});

} // namespace ccgraph
