// LaunchRequest: what a call of a communication operator asks for, whatever its form.
//
// One call is one launch, but batch_p2p_ops is one for each entry. Forms differ in three things
// only: where results go (fresh memory, the inputs, buffers that the call gives), whether inputs
// are copied at launch, and what the call returns; see CollectiveSpec in ccgraph/ir/op_def.h.
//
// Ownership: a request shares storages with the rank's values, and owns the fresh ones until the node's
// value does. Failure: a DiagnosticError of rule `run.collective` about arguments that make no sense
// for the group. Cost: that of the memory: results are allocated here, inputs copied where they are
// copied at launch.
#pragma once

#include "ccgraph/runtime/interpreter.h"
#include "collectives/communication.h"
#include "kernels/call_site.h"

namespace ccgraph::runtime {

struct LaunchRequest {
  struct Entry {
    Launch launch;
    /// global rank of the other end, of transfers only
    int64_t peer = -1;
  };
  Members group;
  std::vector<Entry> entries;
  /// what the node yields, in flight
  Value result;
  bool synchronous = false;
  /// results have memory of their own
  bool ownMemory = false;
};

/// `program` has the rank's group table.
[[nodiscard]] llvm::Expected<LaunchRequest> readLaunch(const CallSite &site, const Graph &program,
                                                       const ObjectMeanings &objects);

/// The group that a call names, as global ranks. `value` is a name, a list of ranks, or an
/// object.
[[nodiscard]] llvm::Expected<Members> resolveGroup(const CallSite &site, const Value &value, const Graph &program,
                                                   const ObjectMeanings &objects);

} // namespace ccgraph::runtime
