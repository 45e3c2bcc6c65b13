// Wrapped tensors and c10d's in-place collectives: traces of programs that launch a collective, go on, and wait later.
//
//   Tensor x = comm_tensor(mm(a, b));
//   c10d::Work work = c10d::allreduce_({x}, "0", "sum");   // launched
//   Tensor other = relu(a);                               // beside it
//   work.wait();                                          // leaves no node
//   Tensor y = x * 2;                                     // the first use: the wait stands here
//
// While a trace records, each of the eight is the collective and a node that pairs what it wrote with its Work, as PyTorch's CommTensor
// records them; the first later use of a tensor that it wrote becomes a wait on that tensor, and later uses read what was waited for.
// Groups and reductions are objects in such graphs, `_torchbind_obj0` and so on; the graph's member `constants` says what they mean,
// so a written graph is its own object file (frontend/object_file.h), and functionalize-collectives makes functional collectives of the calls.
//
// Wrapping marks the tensor itself: all its handles wait, twice is once, and where no trace records nothing happens.
// In an Eager session the calls launch the functional collectives, and what they write is in flight until somebody looks at it;
// scatter_ there needs what the root scatters, since one call is all ranks'.
//
// Ownership: plain values. Failure: as tensor.h says; a tensor that a call writes must be wrapped while a trace records, because its
// readers would otherwise not wait. Cost: a few recorded nodes a call.
#pragma once

#include "ccgraph/tracer/collectives.h"

// NOLINTBEGIN(readability-identifier-naming): PyTorch's own spelling.
namespace ccgraph::tracer {

namespace detail {
/// Marks the tensor, where it is a trace's.
void markWrapped(const Tensor &tensor);
/// Whether a trace of this thread records. In the header and without an initialiser to run, so that a wrapper outside of a trace is one
/// look at memory.
extern thread_local constinit bool isRecording;
} // namespace detail

/// The same tensor, which in-place collectives may write while a trace records.
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

/// What a launch gives back.
class Work {
public:
  Work() = default;
  explicit Work(Diagnostic error) : error_(std::move(error)) {}
  /// Absorbed: the first use of a tensor waits.
  void wait() const {}
  /// Why the launch was refused; null where it was not.
  [[nodiscard]] const Diagnostic *error() const { return error_ ? &*error_ : nullptr; }

private:
  std::optional<Diagnostic> error_;
};

// Names and order of arguments are those of c10d's operators; a list that c10d has for several devices of a rank holds one tensor.
/// output_tensor becomes all ranks' input_tensor, one below the other.
Work _allgather_base_(const Tensor &output_tensor, const Tensor &input_tensor, const GroupLike &process_group);
/// output_tensor becomes this rank's rows of all ranks' input_tensor, reduced to one.
Work _reduce_scatter_base_(const Tensor &output_tensor, const Tensor &input_tensor, const GroupLike &process_group,
                           const ReduceOp &reduce_op = "sum");
/// The only tensor becomes all ranks' reduced to one.
Work allreduce_(const Tensors &tensors, const GroupLike &process_group, const ReduceOp &reduce_op = "sum");
/// output_tensors[0][p] becomes rank p's input_tensors[0].
Work allgather_(const std::vector<Tensors> &output_tensors, const Tensors &input_tensors,
                const GroupLike &process_group);
/// output_tensors[p] becomes what rank p has for this rank in its input_tensors.
Work alltoall_(const Tensors &output_tensors, const Tensors &input_tensors, const GroupLike &process_group);
/// The only tensor becomes that of rank root_rank of the group.
Work broadcast_(const Tensors &tensors, const GroupLike &process_group, int64_t root_rank, int64_t root_tensor = 0);
/// output_tensors[0] becomes all ranks' input_tensors[0][this rank], reduced to one.
Work reduce_scatter_(const Tensors &output_tensors, const std::vector<Tensors> &input_tensors,
                     const GroupLike &process_group, const ReduceOp &reduce_op = "sum");
/// output_tensors[0] becomes root_rank's input_tensors[0][this rank]; on other ranks input_tensors is empty.
Work scatter_(const Tensors &output_tensors, const std::vector<Tensors> &input_tensors, const GroupLike &process_group,
              int64_t root_rank);

} // namespace ccgraph::c10d
// NOLINTEND(readability-identifier-naming)
