// Trace: records what operators are called on tensors, as a Graph.
//
//   Trace trace = cantFail(Trace::begin(context, {.name = "forward", .worldSize = 4}));
//   Tensor x = trace.input("x", {DType::F32, {8, 16}});
//   Tensor w = trace.parameter("w", {DType::F32, {16, 16}});
//   Tensor y = collectives::all_reduce(mm(x, w), "sum", "0");
//   llvm::Expected<std::unique_ptr<Graph>> graph = trace.finish({y});
//
// From begin to finish (or to its end of life) it is *the* trace of its thread: operators record into it, and no second
// one can begin there. Other threads have traces of their own, each with its own Context. What is recorded is what
// PyTorch's tracers record: operators by their targets, a wait at once after each collective (where it belongs is found
// by the passes), placeholders in front.
//
// Ownership: the trace owns the graph until finish gives it away. Move-only; begin, calls and finish are of one thread.
// Failure: begin, where this thread has a trace; finish, with the first diagnostic of the calls, or the verifier's.
// Cost: that of the calls, and one run of the verifier.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/tracer/tensor.h"

#include <optional>

namespace ccgraph::tracer {

namespace detail {
class Recorder;
} // namespace detail

struct TraceOptions {
  /// of the graph
  std::string name = "forward";
  /// Number of ranks; group "0" is then all of them.
  std::optional<int64_t> worldSize = std::nullopt;
  /// Whose program this is; absent: one text for every rank.
  std::optional<int64_t> rank = std::nullopt;
};

class Trace {
public:
  /// Opens the trace of this thread.
  [[nodiscard]] static llvm::Expected<Trace> begin(Context &context, const TraceOptions &options = {});
  /// Closes it; a graph that was not taken is gone.
  ~Trace();
  Trace(Trace &&) noexcept;
  Trace &operator=(Trace &&) noexcept;

  /// A placeholder; stands before every call, whenever it is made.
  [[nodiscard]] Tensor input(llvm::StringRef name, const TensorSpec &spec);
  /// A placeholder too, as PyTorch's compiler lifts parameters; remembered as one that is trained.
  [[nodiscard]] Tensor parameter(llvm::StringRef name, const TensorSpec &spec);
  [[nodiscard]] const std::vector<Tensor> &parameters() const;

  /// Makes a group known, so that calls may name it. A second meaning of a name is refused by the next call or finish.
  void addGroup(const Group &group);

  /// What was recorded so far; of an open trace only.
  [[nodiscard]] const Graph &graph() const;
  /// What the calls warned of, each once.
  [[nodiscard]] llvm::ArrayRef<Diagnostic> warnings() const;

  /// Returns these, verifies the graph and gives it away; the trace is closed, whatever comes of it.
  [[nodiscard]] llvm::Expected<std::unique_ptr<Graph>> finish(const std::vector<Tensor> &outputs);

private:
  explicit Trace(std::shared_ptr<detail::Recorder> recorder);
  std::shared_ptr<detail::Recorder> recorder_;
};

/// What is recorded while it lives is said to come from this module: "layers.0.attention". Nested ones join their names.
/// It becomes the node's frame, as PyTorch annotates it: {'module_fqn': 'layers.0.attention'}.
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
