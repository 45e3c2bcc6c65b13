// Wrapped tensors and c10d's in-place collectives: traces of programs that launch a collective, continue, and wait
// later.
//
//   Tensor x = comm_tensor(mm(a, b));
//   c10d::Work work = c10d::allreduce_({x}, "0", "sum");   // launched
//   Tensor other = relu(a);                               // overlaps it
//   work.wait();                                          // leaves no node
//   Tensor y = x * 2;                                     // the first use: the wait is recorded here
//
// While a trace records, each of the eight functions appends the collective and a node that pairs its written tensors
// with its Work, as PyTorch's CommTensor records them. The first later use of a written tensor becomes a wait on that
// tensor, and later uses read the result of the wait. Groups and reductions are objects in such graphs,
// `_torchbind_obj0` and so on. The graph's member `constants` states their meaning, so a written graph is its own
// object file (frontend/object_file.h). functionalize-collectives converts the calls to functional collectives.
//
// Wrapping marks the tensor itself, so all its handles wait. Wrapping twice has the effect of once, and without a
// recording trace it does nothing. In an Eager session the calls launch the functional collectives, and the written
// tensors are in flight until their first use. scatter_ then requires the root's input, since one call runs on all
// ranks.
//
// Ownership: plain values. Failure: see tensor.h. A tensor that a call writes must be wrapped while a trace records,
// because its readers would otherwise not wait. Cost: a few recorded nodes a call.
#pragma once

#include "ccgraph/tracer/collectives.h"

// NOLINTBEGIN(readability-identifier-naming): PyTorch's own spelling.
namespace ccgraph::tracer {

namespace detail {
/// Marks the tensor, where it belongs to a trace.
void markWrapped(const Tensor &tensor);
/// Whether a trace of this thread records. It is in the header and needs no dynamic initialiser, so a wrapper outside a
/// trace costs one memory read.
extern thread_local constinit bool isRecording;
} // namespace detail

/// Returns the same tensor, which in-place collectives may write while a trace records.
[[nodiscard]] inline const Tensor &comm_tensor(const Tensor &tensor) {
  if (detail::isRecording)
    detail::markWrapped(tensor);
  return tensor;
}

} // namespace ccgraph::tracer

namespace ccgraph::c10d {

using collectives::GroupLike;
using collectives::ReduceOp;
using tracer::Tensor;
using Tensors = std::vector<Tensor>;

/// The result of a launch.
class Work {
public:
  Work() = default;
  explicit Work(Diagnostic error) : error_(std::move(error)) {}
  /// Does nothing: the first use of a tensor waits.
  void wait() const {}
  /// The reason why the launch was rejected; null where it was not.
  [[nodiscard]] const Diagnostic *error() const { return error_ ? &*error_ : nullptr; }

private:
  std::optional<Diagnostic> error_;
};

// Names and order of arguments are those of c10d's operators; a list that c10d has for several devices of a rank holds
// one tensor.
/// output_tensor becomes all ranks' input_tensor, one below the other.
Work _allgather_base_(const Tensor &output_tensor, const Tensor &input_tensor, const GroupLike &process_group);
/// output_tensor becomes this rank's rows of the reduction of all ranks' input_tensor.
Work _reduce_scatter_base_(const Tensor &output_tensor, const Tensor &input_tensor, const GroupLike &process_group,
                           const ReduceOp &reduce_op = "sum");
/// The only tensor becomes all ranks' reduced to one.
Work allreduce_(const Tensors &tensors, const GroupLike &process_group, const ReduceOp &reduce_op = "sum");
/// output_tensors[0][p] becomes rank p's input_tensors[0].
Work allgather_(const std::vector<Tensors> &output_tensors, const Tensors &input_tensors,
                const GroupLike &process_group);
/// output_tensors[p] becomes the part of rank p's input_tensors for this rank.
Work alltoall_(const Tensors &output_tensors, const Tensors &input_tensors, const GroupLike &process_group);
/// The only tensor becomes that of rank root_rank of the group.
Work broadcast_(const Tensors &tensors, const GroupLike &process_group, int64_t root_rank, int64_t root_tensor = 0);
/// output_tensors[0] becomes the reduction of all ranks' input_tensors[0][this rank].
Work reduce_scatter_(const Tensors &output_tensors, const std::vector<Tensors> &input_tensors,
                     const GroupLike &process_group, const ReduceOp &reduce_op = "sum");
/// output_tensors[0] becomes root_rank's input_tensors[0][this rank]; on other ranks input_tensors is empty.
Work scatter_(const Tensors &output_tensors, const std::vector<Tensors> &input_tensors, const GroupLike &process_group,
              int64_t root_rank);

} // namespace ccgraph::c10d
// NOLINTEND(readability-identifier-naming)
