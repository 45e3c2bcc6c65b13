// Observation: everything that a caller can see of a run, by position.
//
// A caller passes tensors by position, receives others by position, and holds both afterwards. So it sees more than
// values: the number of results and which of them are None, the strides of each, and which of them share memory (a
// result may be an input, or two results may overlap). It also sees the writes to inputs and to attributes of the
// module. It does not see names of nodes, so renamed nodes make no difference.
//
// Two facts are not part of it, because PyTorch guarantees neither: the offset of a tensor in its storage, and the size
// of that storage.
//
// Ownership: plain values. Failure and cost: those of interpret(), which returns the values alone; guards must hold.
#pragma once

#include "ccgraph/runtime/interpreter.h"

#include <optional>

namespace ccgraph::runtime {

/// A tensor or number that the caller holds after the run.
struct Held {
  /// "in.x", "attr.scale", "out.0": its place, for messages
  std::string name;
  DType dtype = DType::F32;
  /// strides in elements; both empty for a number
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  /// empty for an input or attribute that the graph did not write
  std::optional<HostTensor> value;
  /// equal for two tensors in one storage; empty for a number
  std::optional<size_t> memory;
  /// offset of the first element within that memory, in bytes; only differences have a meaning
  int64_t offset = 0;
};

/// The tensors and numbers that one rank's caller holds.
struct RankObservation {
  /// the structure of the returned value: "(tensor, None, [int, tensor])"
  std::string returned;
  /// one for each placeholder, by position; without sizes and memory where it is not a tensor
  std::vector<Held> inputs;
  /// tensors that the graph read by get_attr, by name
  std::vector<Held> attributes;
  /// by position, counted through nested lists: tensors and numbers
  std::vector<Held> outputs;
};

/// Runs a request as interpret() does; the result is by rank.
[[nodiscard]] llvm::Expected<std::vector<RankObservation>> observe(const RunRequest &request);

} // namespace ccgraph::runtime
