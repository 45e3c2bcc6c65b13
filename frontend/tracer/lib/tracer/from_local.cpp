#include "ccgraph/tracer/from_local.h"

#include "tracer/groups.h"

// NOLINTBEGIN(readability-identifier-naming): PyTorch's own spelling.
namespace ccgraph::distributed {
namespace {

using tracer::detail::fail;
using tracer::detail::problem;

Tensor refused(std::string message, llvm::StringRef repair) {
  return fail(problem("trace.placements", "from_local", std::move(message), repair));
}

} // namespace

Tensor from_local(const Tensor &local_tensor, const DeviceMesh &device_mesh, const std::vector<Placement> &placements,
                  bool run_check) {
  if (!local_tensor.isValid())
    return local_tensor;
  if (llvm::Expected<Group> group = device_mesh.get_group(0); !group)
    return fail(tracer::detail::firstOf(group.takeError()));
  auto dims = static_cast<int64_t>(device_mesh.layout()->shape.size());
  std::vector<Placement> all = placements;
  if (all.empty())
    all.assign(static_cast<size_t>(dims), Placement::Replicate());
  if (static_cast<int64_t>(all.size()) != dims)
    return refused("`placements` must have the same length as `device_mesh.ndim`! Found placements length: " +
                       std::to_string(all.size()) + ", and device_mesh.ndim: " + std::to_string(dims) + ".",
                   "one placement for each dimension of the mesh");
  Tensor tensor = local_tensor;
  for (int64_t dim = 0; dim != dims; ++dim) {
    const Placement &placement = all[static_cast<size_t>(dim)];
    int64_t along = placement.dim().value_or(0), rank = tensor.dim();
    if (placement.is_shard() && (along < -rank || along >= rank))
      return refused("Shard(" + std::to_string(along) + ") of " + tensor.typeText(),
                     "shard along a dimension that it has");
    if (run_check && placement.is_replicate())
      tensor = collectives::broadcast(tensor, 0, std::pair(device_mesh, dim)); // the tensor of the first rank along it
  }
  return tensor;
}

} // namespace ccgraph::distributed
// NOLINTEND(readability-identifier-naming)
