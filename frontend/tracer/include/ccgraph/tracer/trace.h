// Trace: records the operators that are called on tensors, as a Graph.
//
//   Trace trace = cantFail(Trace::begin(context, {.name = "forward", .worldSize = 4}));
//   Tensor x = trace.input("x", {DType::F32, {8, 16}});
//   Tensor w = trace.parameter("w", {DType::F32, {16, 16}});
//   Tensor y = collectives::all_reduce(mm(x, w), "sum", "0");
//   llvm::Expected<std::unique_ptr<Graph>> graph = trace.finish({y});
//
// From begin to finish (or to its destruction) it is *the* trace of its thread: operators record into it, and no second
// trace can begin there. Other threads have traces of their own, each with its own Context. The recorded graph has the
// form of PyTorch's tracers: operators by their targets, a wait directly after each collective (the passes move it),
// placeholders in front.
//
// Ownership: the trace owns the graph until finish returns it. Move-only; begin, calls and finish must run on one
// thread. Failure: begin, where this thread has a trace; finish, with the first diagnostic of the calls, or the
// verifier's. Cost: that of the calls, and one run of the verifier.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/tracer/tensor.h"

#include <optional>

namespace ccgraph::tracer {

namespace detail {
class Recorder;
} // namespace detail

struct TraceOptions {
  /// name of the graph
  std::string name = "forward";
  /// Number of ranks; group "0" is then all of them.
  std::optional<int64_t> worldSize = std::nullopt;
  /// The rank of the graph; absent: one graph for every rank.
  std::optional<int64_t> rank = std::nullopt;
};

class Trace {
public:
  /// Opens the trace of this thread.
  [[nodiscard]] static llvm::Expected<Trace> begin(Context &context, const TraceOptions &options = {});
  /// Closes the trace; a graph that was not taken is destroyed.
  ~Trace();
  Trace(Trace &&) noexcept;
  Trace &operator=(Trace &&) noexcept;

  /// Adds a placeholder; placeholders precede all calls, whenever they are added.
  [[nodiscard]] Tensor input(llvm::StringRef name, const TensorSpec &spec);
  /// Adds a placeholder, as PyTorch's compiler lifts parameters, and records it as one that is trained.
  [[nodiscard]] Tensor parameter(llvm::StringRef name, const TensorSpec &spec);
  [[nodiscard]] const std::vector<Tensor> &parameters() const;

  /// Adds a group, so that calls may name it. The next call or finish rejects a second meaning of a name.
  void addGroup(const Group &group);

  /// The recorded graph so far, of an open trace only.
  [[nodiscard]] const Graph &graph() const;
  /// The warnings of the calls, each once.
  [[nodiscard]] llvm::ArrayRef<Diagnostic> warnings() const;

  /// Returns these tensors from the graph, verifies the graph and hands it over; closes the trace in any case.
  [[nodiscard]] llvm::Expected<std::unique_ptr<Graph>> finish(const std::vector<Tensor> &outputs);

private:
  explicit Trace(std::shared_ptr<detail::Recorder> recorder);
  std::shared_ptr<detail::Recorder> recorder_;
};

/// Attributes the nodes that are recorded while it lives to this module: "layers.0.attention". Nested scopes join their
/// names. The name becomes the node's frame, as PyTorch annotates it: {'module_fqn': 'layers.0.attention'}.
class ModuleScope {
public:
  explicit ModuleScope(llvm::StringRef name);
  ~ModuleScope();
  ModuleScope(const ModuleScope &) = delete;
  ModuleScope &operator=(const ModuleScope &) = delete;

private:
  std::string outer_;
};

} // namespace ccgraph::tracer
