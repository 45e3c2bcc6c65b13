// Eager: operators compute at once, on N ranks in one process.
//
//   Eager eager = cantFail(Eager::begin(context, {.ranks = 4, .execute = engine}));
//   Tensor x = eager.tensor(rows);                       // one value a rank
//   Tensor y = collectives::all_reduce(x, "sum", "0");   // in flight
//   Tensor z = view(y, {16}) * 2;                        // the view leaves it so, the product waits
//   llvm::Expected<std::vector<HostTensor>> values = eager.values(z);
//
// The same functions as in a trace, so a model may be tried on small numbers before it is traced. A collective's result
// waits at its first real use: views do not wait and are in flight themselves; operators, values() and other collectives
// do; waiting again does nothing. What a collective is given is what its operands are when it is called.
//
// The tracer knows no engine. It hands each operator, as a graph of a few nodes, to what the caller gives for `execute`:
// the interpreter (runtime::interpret), or an engine's way to run a graph.
//
// Ownership: values belong to the tensors; the session is of one thread and has no other trace or session beside it.
// Failure: a failed tensor (tensor.h), with the diagnostic of the rule, or of the run, that refused it; a collective's at its
// wait. What differs by rank (get_rank, unequal splits) is refused, since one call is all ranks'.
// Cost: a run of a graph of a few nodes a call.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/host_tensor.h"
#include "ccgraph/tracer/tensor.h"

#include <functional>

namespace ccgraph::tracer {

namespace detail {
class EagerMode;
} // namespace detail

/// Runs one graph on as many ranks as there are inputs. Inputs by rank: "in.<placeholder>"; results by rank: "out.<index>",
/// and "after.<placeholder>" for each input that was written.
using Execute =
    std::function<llvm::Expected<std::vector<TensorMap>>(const Graph &graph, std::vector<TensorMap> inputs)>;

struct EagerOptions {
  size_t ranks = 1;
  Execute execute;
};

class Eager {
public:
  /// Error: this thread has a trace or a session, there are no ranks, or nothing executes.
  [[nodiscard]] static llvm::Expected<Eager> begin(Context &context, EagerOptions options);
  ~Eager();
  Eager(Eager &&) noexcept;
  Eager &operator=(Eager &&) noexcept;

  /// A tensor of these values, one a rank, all of one dtype and one shape.
  [[nodiscard]] Tensor tensor(const std::vector<HostTensor> &values);
  /// What a tensor is on each rank; waits for it.
  [[nodiscard]] llvm::Expected<std::vector<HostTensor>> values(const Tensor &tensor);
  /// True until somebody waits for it, or for what it is a view of.
  [[nodiscard]] bool isInFlight(const Tensor &tensor) const;

  /// Makes a group known, so that calls may name it. A second meaning of a name is refused.
  [[nodiscard]] llvm::Error addGroup(const Group &group);
  /// What the calls warned of, each once.
  [[nodiscard]] llvm::ArrayRef<Diagnostic> warnings() const;

private:
  explicit Eager(std::shared_ptr<detail::EagerMode> mode);
  std::shared_ptr<detail::EagerMode> mode_;
};

} // namespace ccgraph::tracer
