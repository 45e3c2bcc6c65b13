#include "ccgraph/tracer/comm_tensor.h"

#include "ccgraph/tracer/elementwise.h"
#include "ccgraph/tracer/views.h"
#include "tracer/comm_recorder.h"
#include "tracer/eager_mode.h"

namespace ccgraph::tracer::detail {

void markWrapped(const Tensor &tensor) {
  if (tensor.isValid())
    tensor.state()->isWrapped = true;
}

} // namespace ccgraph::tracer::detail

// NOLINTBEGIN(readability-identifier-naming): PyTorch's own spelling.
namespace ccgraph::c10d {
namespace {

using namespace tracer; // NOLINT(google-build-using-namespace): calls are made in its words
using tracer::detail::CommCall;
using tracer::detail::CommOperand;
using tracer::detail::EagerMode;

Work failed(Diagnostic why) {
  (void)tracer::detail::fail(why);
  return Work(std::move(why));
}

Work failed(llvm::Error error) { return failed(tracer::detail::firstOf(std::move(error))); }

/// Records the call where a trace is open; otherwise `inSession` launches it, and the tensors are written at their
/// first use.
template <typename InSession>
Work launched(const CommCall &call, InSession inSession) {
  tracer::detail::Mode *mode = tracer::detail::Mode::current();
  if (!mode)
    return failed(tracer::detail::noModeProblem(call.target));
  if (!mode->recorder()) {
    // A mode that records nothing belongs to a session.
    Tensor written = inSession(static_cast<EagerMode &>(*mode));
    return written.error() ? Work(*written.error()) : Work();
  }
  llvm::Error error = recordComm(*mode->recorder(), call);
  return error ? failed(std::move(error)) : Work();
}

Diagnostic oneDevice(llvm::StringRef target, size_t lists) {
  return tracer::detail::problem(
      "trace.devices", target, "is given " + std::to_string(lists) + " lists, expected one: that of the rank's device",
      "give [[a, b]] for the tensors a and b");
}

/// Because a process has one device: NCCL refuses a list, and gloo takes its tensors together.
Diagnostic oneTensor(llvm::StringRef target, size_t tensors) {
  return tracer::detail::problem("trace.devices", target,
                                 "is given " + std::to_string(tensors) +
                                     " tensors, one for each device of the rank; expected one",
                                 "make one call for each tensor");
}

/// Piece p of rows becomes tensors[p].
Tensor takenApart(EagerMode &session, const Tensor &rows, const Tensors &tensors) {
  Tensor last = rows;
  int64_t offset = 0;
  for (const Tensor &tensor : tensors) {
    last = session.copyLater(tensor, slice(rows, 0, offset, offset + tensor.size(0)));
    offset += tensor.size(0);
  }
  return last;
}

std::vector<int64_t> rowsOf(const Tensors &tensors) {
  std::vector<int64_t> rows;
  for (const Tensor &tensor : tensors)
    rows.push_back(tensor.size(0));
  return rows;
}

/// Every rank sends the tensors that it would scatter, since a session's call runs on all ranks; of the received ones,
/// the root's piece is kept.
Tensor scattered(EagerMode &session, const Tensor &output, const std::vector<Tensors> &inputs, const GroupLike &group,
                 int64_t root) {
  if (inputs.empty())
    return tracer::detail::fail(tracer::detail::problem(
        "eager.scatter", "c10d.scatter_.default", "is given nothing to scatter, though one call is the root's too",
        "give the tensors that the root scatters"));
  std::vector<int64_t> received(inputs.front().size(), output.size(0));
  Tensor rows = collectives::all_to_all_single(cat(inputs.front()), received, rowsOf(inputs.front()), group);
  return session.copyLater(output, split_with_sizes(rows, received)[static_cast<size_t>(root)]);
}

} // namespace

Work _allgather_base_(const Tensor &output_tensor, const Tensor &input_tensor, const GroupLike &process_group) {
  CommCall call{"c10d._allgather_base_.default", {{output_tensor}}, CommOperand{{input_tensor}}, process_group};
  return launched(call, [&](EagerMode &session) {
    return session.copyLater(output_tensor, collectives::all_gather_tensor(input_tensor, 0, process_group));
  });
}

Work _reduce_scatter_base_(const Tensor &output_tensor, const Tensor &input_tensor, const GroupLike &process_group,
                           const ReduceOp &reduce_op) {
  CommCall call{
      "c10d._reduce_scatter_base_.default", {{output_tensor}}, CommOperand{{input_tensor}}, process_group, &reduce_op};
  return launched(call, [&](EagerMode &session) {
    return session.copyLater(output_tensor,
                             collectives::reduce_scatter_tensor(input_tensor, reduce_op, 0, process_group));
  });
}

Work allreduce_(const Tensors &tensors, const GroupLike &process_group, const ReduceOp &reduce_op) {
  if (tensors.size() != 1)
    return failed(oneTensor("c10d.allreduce_.default", tensors.size()));
  const Tensor &tensor = tensors.front();
  CommCall call{"c10d.allreduce_.default", {tensors, 1}, std::nullopt, process_group, &reduce_op, {Actual::none()}};
  return launched(call, [&](EagerMode &session) {
    return session.copyLater(tensor, collectives::all_reduce(tensor, reduce_op, process_group));
  });
}

Work allgather_(const std::vector<Tensors> &output_tensors, const Tensors &input_tensors,
                const GroupLike &process_group) {
  if (output_tensors.size() != 1 || input_tensors.size() != 1)
    return failed(oneDevice("c10d.allgather_.default", output_tensors.size()));
  const Tensors &outputs = output_tensors.front();
  CommCall call{"c10d.allgather_.default", {outputs, 2}, CommOperand{input_tensors, 1}, process_group};
  return launched(call, [&](EagerMode &session) {
    return takenApart(session, collectives::all_gather_tensor(input_tensors.front(), 0, process_group), outputs);
  });
}

Work alltoall_(const Tensors &output_tensors, const Tensors &input_tensors, const GroupLike &process_group) {
  CommCall call{"c10d.alltoall_.default", {output_tensors, 1}, CommOperand{input_tensors, 1}, process_group};
  return launched(call, [&](EagerMode &session) {
    Tensor rows = collectives::all_to_all_single(cat(input_tensors), rowsOf(output_tensors), rowsOf(input_tensors),
                                                 process_group);
    return takenApart(session, rows, output_tensors);
  });
}

Work broadcast_(const Tensors &tensors, const GroupLike &process_group, int64_t root_rank, int64_t root_tensor) {
  if (tensors.size() != 1)
    return failed(oneTensor("c10d.broadcast_.default", tensors.size()));
  const Tensor &tensor = tensors.front();
  CommCall call{"c10d.broadcast_.default", {tensors, 1}, std::nullopt, process_group, nullptr, {root_rank, root_tensor},
                {root_rank, root_tensor}};
  return launched(call, [&](EagerMode &session) {
    return session.copyLater(tensor, collectives::broadcast(tensor, root_rank, process_group));
  });
}

Work reduce_scatter_(const Tensors &output_tensors, const std::vector<Tensors> &input_tensors,
                     const GroupLike &process_group, const ReduceOp &reduce_op) {
  if (output_tensors.size() != 1 || input_tensors.size() != 1)
    return failed(oneDevice("c10d.reduce_scatter_.default", input_tensors.size()));
  CommCall call{"c10d.reduce_scatter_.default",
                {output_tensors, 1},
                CommOperand{input_tensors.front(), 2},
                process_group,
                &reduce_op};
  return launched(call, [&](EagerMode &session) {
    Tensor share = collectives::reduce_scatter_tensor(cat(input_tensors.front()), reduce_op, 0, process_group);
    return session.copyLater(output_tensors.front(), share);
  });
}

Work scatter_(const Tensors &output_tensors, const std::vector<Tensors> &input_tensors, const GroupLike &process_group,
              int64_t root_rank) {
  if (output_tensors.size() != 1 || input_tensors.size() > 1)
    return failed(oneDevice("c10d.scatter_.default", input_tensors.size()));
  CommOperand sent = input_tensors.empty() ? CommOperand{{}, 1} : CommOperand{input_tensors.front(), 2};
  CommCall call{
      "c10d.scatter_.default", {output_tensors, 1}, std::move(sent), process_group, nullptr, {root_rank}, {root_rank}};
  return launched(call, [&](EagerMode &session) {
    return scattered(session, output_tensors.front(), input_tensors, process_group, root_rank);
  });
}

} // namespace ccgraph::c10d
// NOLINTEND(readability-identifier-naming)
