// CallComparison: compares one call of all ranks of a group through a store, before it is launched.
//
// Each rank sets a key with its description of the call, and reads those of the others. Where they differ, the rank
// that most others disagree with is the odd one. Keys are removed two calls later, when all ranks have read them.
//
// Ownership: borrows the store. Failure: run.ranks-disagree on every rank, with the words of c10d's
// ProcessGroupWrapper; run.deadline for a rank that did not come. Cost: a set and n gets of the store.
#pragma once

#include "ccgraph/runtime/group_call.h"
#include "ccgraph/runtime/store.h"

namespace ccgraph::runtime {

/// The facts of a call that all ranks must share.
struct CallDescription {
  int64_t sequence = 0;
  std::string op;
  /// "2, 3": of each input
  std::vector<std::string> shapes;
  std::vector<std::string> dtypes;

  /// Returns "CollectiveFingerPrint(SequenceNumber=0, OpType=ALLREDUCE, TensorShape=[2], TensorDtypes=Float,
  /// TensorDeviceTypes=cpu)".
  [[nodiscard]] std::string str() const;
  [[nodiscard]] std::string serialize() const;
  [[nodiscard]] static CallDescription parse(llvm::StringRef text);
};
[[nodiscard]] CallDescription describeCall(const GroupCall &call, int64_t sequence);

struct ComparedGroup {
  std::string name;
  /// global ranks
  std::vector<int64_t> members;
  /// within the group
  int64_t rank = 0;
};
struct CallComparison {
  Store &store;
  ComparedGroup group;
  /// of the comparison in the group
  int64_t number = 0;
  std::chrono::milliseconds timeout;
};
[[nodiscard]] llvm::Error compareCalls(const CallComparison &comparison, const CallDescription &own);

} // namespace ccgraph::runtime
