// Eager: operators compute immediately, on N ranks in one process.
//
//   Eager eager = cantFail(Eager::begin(context, {.ranks = 4, .execute = engine}));
//   Tensor x = eager.tensor(rows);                       // one value a rank
//   Tensor y = collectives::all_reduce(x, "sum", "0");   // in flight
//   Tensor z = view(y, {16}) * 2;                        // the view is in flight too, the product waits
//   llvm::Expected<std::vector<HostTensor>> values = eager.values(z);
//
// The functions are the same as in a trace, so a model may be tested on small inputs before it is traced. A
// collective's result waits at its first real use. Views do not wait and are in flight themselves; operators, values()
// and other collectives wait. Waiting again does nothing. A collective reads its operands when it is called.
//
// The tracer depends on no engine. It passes each operator, as a graph of a few nodes, to the caller's `execute`: the
// interpreter (runtime::interpret), or an engine's run function.
//
// Ownership: values belong to the tensors; the session belongs to one thread, which can have no other trace or session.
// Failure: a failed tensor (tensor.h), with the diagnostic of the failing rule or run; a collective fails at its wait.
// One call runs on all ranks, so get_rank is rejected, and unequal splits are given for all ranks at once
// (all_to_all_single_of_ranks). Cost: a run of a graph of a few nodes a call.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/host_tensor.h"
#include "ccgraph/tracer/tensor.h"

#include <functional>

namespace ccgraph::tracer {

namespace detail {
class EagerMode;
} // namespace detail

/// Runs one graph on as many ranks as there are inputs. Inputs are by rank: "in.<placeholder>"; results are by rank:
/// "out.<index>", and "after.<placeholder>" for each input that was written.
using Execute =
    std::function<llvm::Expected<std::vector<TensorMap>>(const Graph &graph, std::vector<TensorMap> inputs)>;

struct EagerOptions {
  size_t ranks = 1;
  Execute execute;
};

class Eager {
public:
  /// Fails if this thread has a trace or a session, if there are no ranks, or if `execute` is empty.
  [[nodiscard]] static llvm::Expected<Eager> begin(Context &context, EagerOptions options);
  ~Eager();
  Eager(Eager &&) noexcept;
  Eager &operator=(Eager &&) noexcept;

  /// Returns a tensor of these values, one a rank, all of one dtype and one shape.
  [[nodiscard]] Tensor tensor(const std::vector<HostTensor> &values);
  /// Returns the values of a tensor on each rank; waits for it.
  [[nodiscard]] llvm::Expected<std::vector<HostTensor>> values(const Tensor &tensor);
  /// Returns true until the tensor, or the tensor that it views, is waited for.
  [[nodiscard]] bool isInFlight(const Tensor &tensor) const;

  /// Adds a group, so that calls may name it. A second meaning of a name is rejected.
  [[nodiscard]] llvm::Error addGroup(const Group &group);
  /// The warnings of the calls, each once.
  [[nodiscard]] llvm::ArrayRef<Diagnostic> warnings() const;

private:
  explicit Eager(std::shared_ptr<detail::EagerMode> mode);
  std::shared_ptr<detail::EagerMode> mode_;
};

} // namespace ccgraph::tracer
