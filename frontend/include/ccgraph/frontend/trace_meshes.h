// TraceMeshes: the device meshes that a TORCH_TRACE log describes.
//
// The log describes each DTensor input of a compilation with its mesh:
//   {"describe_tensor": {.., "opaque_attrs": {"device_mesh": "DeviceMesh((fsdp=4, tp=2), 'cuda', stride=(2, 1))"}, ..}}
// Rank r has the coordinate (r / stride) % size in each dimension. A dimension of size 1 has no stride (`()`) and no
// neighbours.
//
// Ownership: plain values. Failure: a log that cannot be opened. Text in another form is not a mesh. Cost: one pass
// over the log, in which each line is searched for one word.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace ccgraph {

struct MeshAxis {
  std::string name; ///< empty where the mesh has none
  int64_t size = 0;
  int64_t stride = 0; ///< in ranks; 0 where the size is 1
};

struct TraceMesh {
  std::string text; ///< "DeviceMesh((fsdp=4, tp=2), 'cuda', stride=(2, 1))"
  std::vector<MeshAxis> axes;
};

/// Parses the mesh at the beginning of the text; returns nothing where no valid mesh begins there.
[[nodiscard]] std::optional<TraceMesh> parseMesh(llvm::StringRef text);

/// Returns each mesh once, in the order of the log.
[[nodiscard]] llvm::Expected<std::vector<TraceMesh>> readTraceMeshes(llvm::StringRef path);

} // namespace ccgraph
