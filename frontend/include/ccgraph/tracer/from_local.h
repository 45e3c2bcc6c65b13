// from_local: a rank's own tensor, said to be its part of one that a mesh holds.
//
//   Tensor part = distributed::from_local(x, mesh, {Placement::Shard(0), Placement::Replicate()});
//
// A trace holds what each rank computes on its parts, so the tensor is given back and no node is recorded, as PyTorch's compiler folds
// DTensor.from_local; what the placements say is checked. With run_check, ranks that are to hold the same tensor get that of the
// first of them: a broadcast for each dimension of the mesh that replicates.
//
// Ownership: plain values. Failure: as tensor.h says: another number of placements than the mesh has dimensions, a shard along a
// dimension that the tensor has not, a mesh that is none. Cost: none, or a collective with its wait a dimension.
#pragma once

#include "ccgraph/tracer/facts.h"

// NOLINTBEGIN(readability-identifier-naming): PyTorch's own spelling.
namespace ccgraph::distributed {

/// `placements`: one a dimension of the mesh; without any, the tensor is the same on all of it.
[[nodiscard]] Tensor from_local(const Tensor &local_tensor, const DeviceMesh &device_mesh,
                                const std::vector<Placement> &placements = {}, bool run_check = false);

} // namespace ccgraph::distributed
// NOLINTEND(readability-identifier-naming)
