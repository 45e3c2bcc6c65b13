// Emitter: the part that all of lowering shares: the values of nodes, the streams, and the creation of steps and
// buffers.
//
// Ownership: borrows the graph and the options; steps and buffers go to the program. Failure: none except where
// documented. Cost: O(1) a call, except valueOf, which is linear in the argument.
#pragma once

#include "ccgraph/ir/async_pairs.h"
#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/passes/lower.h"
#include "lower/program.h"
#include "lower/tensor_state.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"

#include <map>
#include <tuple>

namespace ccgraph::lower {

using Lowered = llvm::Expected<LoweredValue>;

/// Returns an error of lowering, at the node.
[[nodiscard]] llvm::Error loweringError(const Node &node, llvm::StringRef rule, const llvm::Twine &message,
                                        const llvm::Twine &repair);

/// Returns true if the size depends on data.
[[nodiscard]] inline bool isUnbacked(const Dim &dim) { return !dim.isStatic() && dim.expr()->isUnbacked(); }

class Emitter {
public:
  Emitter(const Graph &graph, const LoweringOptions &options, Program &program);

  [[nodiscard]] const Graph &graph() const { return graph_; }
  [[nodiscard]] const ObjectMeanings &objects() const { return options_.objects; }
  [[nodiscard]] Context &context() const { return graph_.context(); }
  [[nodiscard]] Program &program() { return program_; }
  [[nodiscard]] Plan &plan() { return program_.plan; }

  // --- Values -------------------------------------------------------------------------------------------------
  [[nodiscard]] const LoweredValue &valueOf(const Node &node) const { return values_[node.id()]; }
  /// Returns the value of an argument tree of the node.
  [[nodiscard]] LoweredValue valueOf(const Node &node, const Argument &argument) const;
  void setValue(const Node &node, LoweredValue value) { values_[node.id()] = std::move(value); }
  /// Allocates memory for a tensor with the layout of its type, row-major if the type states none.
  [[nodiscard]] TensorObject freshTensor(Identifier name, const Type *type, Home home = Home::Compute);
  [[nodiscard]] LoweredValue freshNumber(const Type *type);
  /// Returns the type with strides.
  [[nodiscard]] const Type *laidOut(const Type *type) const;

  // --- Data-dependent symbols ---------------------------------------------------------------------------------------
  /// Returns true if the type contains a symbol that no earlier step defined, and marks it as defined.
  bool tellsSymbols(const Type *type);

  // --- Steps --------------------------------------------------------------------------------------------------
  void emit(const Node &node, StreamId stream, decltype(PlanStep::work) work);
  /// Keeps buffers at least until this moment.
  void keepUntil(Moment moment, llvm::ArrayRef<PlanWindow> windows);
  void keepToTheEnd(const PlanValue &value);
  [[nodiscard]] Moment moment(const Node &node) const { return moments_[node.id()]; }
  /// Returns the last wait on any result of a launch; the end if some result is never waited for. Linear in the waits.
  [[nodiscard]] Moment completesAt(const Node &launch) const;

  // --- Groups and streams -----------------------------------------------------------------------------------------
  /// Returns the index in Plan::groups; adds the group if it is new.
  uint32_t groupIndex(const Group &group);
  StreamId collectiveStream(uint32_t group);
  /// Returns the stream of the copies to the host's memory and back.
  StreamId hostCopyStream();
  /// Returns the stream of one channel: a group, the other end, a direction and a tag.
  StreamId transferStream(const PlanCollective &transfer);

private:
  /// Marks the stream as shared by several groups.
  StreamId share(StreamId stream);

  const Graph &graph_;
  const LoweringOptions &options_;
  Program &program_;
  AsyncPairs asyncPairs_;
  /// by node id
  std::vector<Moment> moments_;
  std::vector<LoweredValue> values_;
  llvm::StringMap<uint32_t> groups_;
  llvm::DenseMap<uint32_t, StreamId> collectiveStreams_;
  /// of collectives, in the order in which they were made
  std::vector<StreamId> streamsOfCollectives_;
  std::map<std::tuple<uint32_t, int64_t, bool, int64_t>, StreamId> transferStreams_;
  llvm::StringSet<> told_;
  std::optional<StreamId> hostCopyStream_;
};

} // namespace ccgraph::lower
