// BoundTypes: the types of a program for all sizes, and values of its symbols, which a copy of the program has instead.
//
// The time of a tensor with s0 rows is unknown, so passes decide on a copy whose sizes are numbers. The program itself
// keeps its symbols. A pass that makes nodes whose sizes depend on a symbol therefore makes them on the types of the
// program, and the values are put into the types of the new nodes afterwards:
//
//   program   x: f32[2048*s0, 4]     copy with s0 = 2   x: f32[4096, 4]
//   edit      n = sym_size(x, 0); e = n // 2; y = x[:e], which is f32[1024*s0, 4]
//   then      y: f32[2048, 4] in the copy
//
// Nodes of a copy are known by name, as long as they have the type that the copy gave them. The type of any other node
// follows from those of its operands.
//
// Ownership: types belong to the context of the program; refers to no graph. Failure: none; a node whose type in the
// program cannot be derived has none while a copy has the types of the program. Cost: linear in nodes.
#pragma once

#include "ccgraph/ir/graph.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>
#include <utility>
#include <vector>

namespace ccgraph {

/// By name: {"s0", 4096}.
using SymbolValues = std::vector<std::pair<std::string, int64_t>>;

/// Puts the values into all types. A wait on a collective whose size was bound loses its strides, so that no pass takes
/// the two for one type and merges it.
void bindSizes(Graph &graph, const SymbolValues &values);

class BoundTypes {
public:
  /// Takes the types of the program. Copies of it have these values (bindSizes).
  BoundTypes(const Graph &program, SymbolValues values);

  /// Gives the nodes of a copy the types of the program. Subgraphs keep the types of the copy.
  void unbind(Graph &copy) const;
  /// Edits a copy whose nodes have the types of the program during the edit. The edit changes the types of new nodes
  /// only.
  void edit(Graph &copy, llvm::function_ref<void()> edit) const;

private:
  struct Types {
    const Type *ofCopy = nullptr, *ofProgram = nullptr;
  };

  SymbolValues values_;
  llvm::DenseMap<Identifier, Types> types_; ///< by name of the node; looked up only
};

} // namespace ccgraph
