// from_local: declares a rank's own tensor as its part of a tensor that is distributed over a mesh.
//
//   Tensor part = distributed::from_local(x, mesh, {Placement::Shard(0), Placement::Replicate()});
//
// A trace holds the computation of each rank on its parts, so the tensor is returned and no node is recorded, as
// PyTorch's compiler folds DTensor.from_local. The placements are checked. With run_check, ranks that must hold the
// same tensor receive that of the first of them, by a broadcast for each dimension of the mesh that replicates.
//
// Ownership: plain values. Failure (see tensor.h): the number of placements differs from the dimensions of the mesh, a
// shard is along a dimension that the tensor does not have, or the mesh is invalid. Cost: none, or a collective with
// its wait a dimension.
#pragma once

#include "ccgraph/tracer/facts.h"

// NOLINTBEGIN(readability-identifier-naming): PyTorch's own spelling.
namespace ccgraph::distributed {

/// `placements`: one a dimension of the mesh; if empty, the tensor is replicated on all of it.
[[nodiscard]] Tensor from_local(const Tensor &local_tensor, const DeviceMesh &device_mesh,
                                const std::vector<Placement> &placements = {}, bool run_check = false);

} // namespace ccgraph::distributed
// NOLINTEND(readability-identifier-naming)
