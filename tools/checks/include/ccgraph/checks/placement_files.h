// inferPlacementsOfFiles: how the ranks of a step hold its values, the step given as files.
//
// The step is a job file, which names its groups, or one graph for all ranks or one for each, and so are the groups.
// Placements state how the inputs are held, and outputs to check; axes that they do not state are those of the groups.
//
// Ownership: an answer owns its texts. Failure: DiagnosticErrors with file and line. Cost: that of the readers and of
// placements::inferPlacements.
#pragma once

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/placements/infer_placements.h"

#include <string>
#include <vector>

namespace ccgraph {

struct PlacementFiles {
  /// one for all ranks, or one for each
  std::vector<std::string> graphs;
  /// none, one for all ranks, or one for each
  std::vector<std::string> groups;
  /// empty: nothing is known of inputs and outputs
  std::string placements;
  /// 0: what the graphs or groups state
  size_t ranks = 0;
};

/// A node, by the texts that a report needs.
struct NamedNode {
  std::string name;
  /// "model.py:12 in forward: y = x @ w"; empty if the graph does not state it
  std::string source;
};

/// Returns the texts of a node; empty ones of null.
[[nodiscard]] NamedNode namedNode(const Node *node);

/// An answer of inferPlacements without graphs.
struct NamedPlacements {
  std::vector<NamedAxis> mesh;
  struct Value {
    /// with "[1]" for an element of a list
    std::string name;
    std::vector<placements::AxisHold> axes;
  };
  std::vector<Value> values;
  struct Finding {
    placements::FindingKind kind = placements::FindingKind::UnreducedOperand;
    std::string axis;
    NamedNode node;
    /// empty name: none
    NamedNode operand;
    std::string text;
    std::string repair;
  };
  std::vector<Finding> findings;
  std::vector<std::string> undecided;
  std::vector<std::string> assumed;
};

[[nodiscard]] llvm::Expected<NamedPlacements> inferPlacementsOfFiles(const PlacementFiles &files,
                                                                     Diagnostics &warnings);

} // namespace ccgraph
