// TraceMeshes: the device meshes that a TORCH_TRACE log speaks of.
//
// A DTensor that goes into a compilation is described with its mesh:
//   {"describe_tensor": {.., "opaque_attrs": {"device_mesh": "DeviceMesh((fsdp=4, tp=2), 'cuda', stride=(2, 1))"}, ..}, ..}
// Rank r stands at place (r / stride) % size of each dimension. A dimension of size 1 has no stride (`()`), and no
// neighbours.
//
// Ownership: plain values. Failure: a log that cannot be opened; what is spelled otherwise is no mesh. Cost: one pass over the
// log, in which each line is searched for one word.
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
  int64_t stride = 0; ///< of ranks; 0 where the size is 1
};

struct TraceMesh {
  std::string text; ///< "DeviceMesh((fsdp=4, tp=2), 'cuda', stride=(2, 1))"
  std::vector<MeshAxis> axes;
};

/// The mesh at the front of the text; empty where none stands there that can be read.
[[nodiscard]] std::optional<TraceMesh> parseMesh(llvm::StringRef text);

/// Each mesh once, in the order of the log.
[[nodiscard]] llvm::Expected<std::vector<TraceMesh>> readTraceMeshes(llvm::StringRef path);

} // namespace ccgraph
