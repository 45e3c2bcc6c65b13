// Observation: all that a caller can see of a run, by position.
//
// A caller hands tensors in by position, gets others back by position, and holds both afterwards. So
// it sees more than values: how many results there are and which of them are None, the strides of
// each, which of them are one piece of memory (a result may be an input, or two results may overlap),
// and what the program wrote into the inputs and into the attributes of the module. Names of nodes
// are not seen: a program whose nodes are renamed is the same.
//
// Not part of it, because PyTorch promises neither: how far into its storage a tensor begins, and how
// large that storage is.
//
// Ownership: plain values. Failure and cost: those of interpret(), which gives the values alone, where guards hold.
#pragma once

#include "ccgraph/runtime/interpreter.h"

#include <optional>

namespace ccgraph::runtime {

/// A tensor or number that the caller holds after the run.
struct Held {
  /// "in.x", "attr.scale", "out.0": where it is held, for messages
  std::string name;
  DType dtype = DType::F32;
  /// strides in elements; both empty for a number
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  /// empty for an input or attribute that the program did not write
  std::optional<HostTensor> value;
  /// equal for two things that lie in one storage; empty for a number
  std::optional<size_t> memory;
  /// of the first element within that memory, in bytes; only distances mean something
  int64_t offset = 0;
};

/// What one rank's caller holds.
struct RankObservation {
  /// the shape of what is returned: "(tensor, None, [int, tensor])"
  std::string returned;
  /// one for each placeholder, by position; no sizes and no memory where it is no tensor
  std::vector<Held> inputs;
  /// tensors that the program read by get_attr, by name
  std::vector<Held> attributes;
  /// by position, nested lists counted through: tensors and numbers
  std::vector<Held> outputs;
};

/// By rank. A request as for interpret().
[[nodiscard]] llvm::Expected<std::vector<RankObservation>> observe(const RunRequest &request);

} // namespace ccgraph::runtime
