// JobRun: evaluates the graphs of all ranks together, collectives by value.
//
// Ranks take turns, one node each. A launch reads its inputs, and the rank goes on until it needs the result; the
// result exists as soon as every member of the group has launched. Launches of one group match in their order. A call
// whose operator and arguments are equal to those of an earlier call, on any rank or in another run of the same
// Evaluator, is not computed again, so replicated work costs once.
//
// Ownership: borrows graphs and tables; values share their words. Failure: a problem, with the node where it is: an
// operator without a rule, a group without known ranks, a collective whose members never arrive. Cost: linear in the
// nodes of all ranks, plus the rules of distinct calls.
#pragma once

#include "call.h"

#include "ccgraph/ir/graph.h"

#include "llvm/ADT/DenseMap.h"

namespace ccgraph::equality {

/// Why an evaluation ended early.
struct Problem {
  /// null: about no node
  const Node *node = nullptr;
  int64_t rank = 0;
  std::string text;
};

struct RankValues;

/// A value that a node has in place of the one that it computes, and an earlier run of the program without it.
struct ForcedValue {
  const Node *node = nullptr;
  Value value;
  /// null: all nodes are evaluated
  const RankValues *known = nullptr;
  /// by node id: whether the node is evaluated; the others keep their known values. No node of the program writes.
  std::vector<bool> isAffected;
};

/// The program of one rank.
struct RankProgram {
  const Graph *graph = nullptr;
  const GroupTable *groups = nullptr;
  int64_t rank = 0;
  /// false: a value is freed after its last use, and only the outputs are left
  bool keepsValues = true;
  /// true: a value that does not have the sizes of its node's type is a problem
  bool checksSizes = false;
  /// null: none
  const ForcedValue *forced = nullptr;
};

/// Evaluates nodes, and remembers the calls that it has computed.
class Evaluator {
public:
  explicit Evaluator(uint64_t seed) : field_(seed) {}
  [[nodiscard]] Field &field() { return field_; }

  /// Returns the value of a call_function that is no collective. `values` are those of its rank by node id.
  [[nodiscard]] llvm::Expected<Value> evaluate(const Node &node, llvm::ArrayRef<Value> values, uint64_t &draws);
  /// Returns the value of an argument tree.
  [[nodiscard]] static Value valueOf(const Node &node, const Argument &argument, llvm::ArrayRef<Value> values);

private:
  [[nodiscard]] const std::vector<Value> &defaultsOf(const OpDef &op);
  void bindArguments(const Node &node, llvm::ArrayRef<Value> values, Call &call);
  void remember(uint64_t key, const Value &value);

  Field field_;
  llvm::DenseMap<const OpDef *, std::vector<Value>> defaults_;
  llvm::DenseMap<uint64_t, Value> known_;
  size_t wordsKept_ = 0;
};

/// The values of one rank after a run.
struct RankValues {
  /// by node id; of programs that keep their values
  std::vector<Value> values;
  /// the leaves of the output in order
  std::vector<Value> outputs;
  /// how many random operators ran
  uint64_t draws = 0;
};

/// Runs the programs. `inputs` are the values of each rank's placeholders, in order.
[[nodiscard]] std::optional<Problem> runJob(Evaluator &evaluator, llvm::ArrayRef<RankProgram> programs,
                                            llvm::ArrayRef<std::vector<Value>> inputs,
                                            std::vector<RankValues> &results);

} // namespace ccgraph::equality
