// StepSizes: the sizes of both steps of a comparison as one system of relations (size_system.h).
//
// Each dimension of each value is a variable. The operators relate them: operands of an elementwise operator are
// aligned from the right, a view groups dimensions of equal products, a product of matrices has its three sizes, a
// concatenation adds. A collective multiplies by the number of ranks of its group. An operator without a rule requires
// all equal sizes of its operands and results to stay equal, which is more than needed. The placements relate the
// inputs and outputs of the two steps. Literals that state a size follow the variable that they state: the shape of a
// view, the bounds of a slice, a first row of a shard.
//
// The rules need not be complete: a step with other sizes is evaluated only together with its types, and a value that
// does not have the sizes of its type ends the evaluation (RankProgram::checksSizes).
//
// Ownership: borrows the comparison; owns the system. Failure: a text that states which size has no relation. Cost:
// linear in the nodes of the different graphs, times the dimensions of a node.
#pragma once

#include "size_system.h"

#include "ccgraph/equality/same_step.h"
#include "ccgraph/ir/collective.h"

#include "llvm/ADT/DenseMap.h"

#include <string>

namespace ccgraph::equality {

/// times * product(factors) + plus
struct SizeTerm {
  int64_t times = 1;
  SizeVariables factors;
  int64_t plus = 0;

  [[nodiscard]] int64_t valueIn(llvm::ArrayRef<int64_t> numbers) const {
    int64_t value = times;
    for (SizeVariable factor : factors)
      value *= numbers[factor];
    return value + plus;
  }
};

/// The sizes of the tensors of a value: one list for a tensor, one for each element of a list.
using ValueSizes = std::vector<SizeVariables>;

/// The sizes of one graph.
struct GraphSizes {
  const Graph *graph = nullptr;
  /// the first rank that runs it; 0 for the single graph
  size_t rank = 0;
  /// in order; null for an output that is no node
  std::vector<const Node *> inputs, outputs;
  /// by node id
  std::vector<ValueSizes> values;
  /// literals that state sizes
  llvm::DenseMap<const Argument *, SizeTerm> literals;
};

/// An axis of the mesh.
struct AxisSize {
  SizeVariable variable = 0;
  /// All ranks of the axis run one text, and their groups follow the mesh, so that the axis may have fewer ranks.
  bool isSymmetric = false;
};

class StepSizes {
public:
  explicit StepSizes(const StepComparison &comparison) : comparison_(comparison) {}

  /// Builds the system. An error states what has no relation.
  [[nodiscard]] llvm::Error build();

  [[nodiscard]] SizeSystem &system() { return system_; }
  [[nodiscard]] const SizeSystem &system() const { return system_; }
  [[nodiscard]] llvm::ArrayRef<AxisSize> axes() const { return axes_; }
  /// The single graph, then the different graphs of the ranks.
  [[nodiscard]] llvm::ArrayRef<GraphSizes> graphs() const { return graphs_; }
  /// By entry of StepPlacements::inputs, then of outputs: the variables of `as` or of `parts`.
  [[nodiscard]] llvm::ArrayRef<SizeVariables> shapes() const { return shapes_; }
  /// Returns the axes of the mesh that the group of a rank spans, if its ranks are in the order of the mesh.
  [[nodiscard]] std::optional<std::vector<size_t>> axesOf(const Group &group, int64_t rank) const;

private:
  friend class NodeSizes;
  void findSymmetricAxes();
  [[nodiscard]] bool isSymmetric(size_t axis) const;
  [[nodiscard]] llvm::Error addGraph(const Graph &graph, size_t rank);
  [[nodiscard]] llvm::Error relate(const TensorPlacement &placement, std::vector<const Node *> GraphSizes::*list);
  /// The sizes of one tensor, as the axes cut it for a rank.
  struct Cut {
    const TensorPlacement *placement = nullptr;
    /// the variables of `as` or of `parts`
    const SizeVariables *shape = nullptr;
    size_t rank = 0;
    /// as the graph of the rank states them
    const SizeVariables *local = nullptr;
  };
  enum class AxesOfShape : uint8_t { Inside, Outside };
  /// Returns the sizes that a placement gives a rank; empty if they are not known.
  [[nodiscard]] std::optional<SizeVariables> localSizes(const Cut &cut, SizeVariables sizes);
  [[nodiscard]] bool cutAxes(const Cut &cut, SizeVariables &sizes, AxesOfShape which);
  [[nodiscard]] bool cutParts(const Cut &cut, SizeVariables &sizes);
  [[nodiscard]] SizeVariables shapeOf(const TensorPlacement &placement, const SizeVariables &whole);
  [[nodiscard]] std::optional<SizeVariable> cutOnce(SizeVariable whole, size_t axis, size_t rank,
                                                    std::optional<int64_t> local);
  [[nodiscard]] bool halve(SizeVariable size);
  /// The product of the ranks of a group; a constant where its axes are not known.
  [[nodiscard]] SizeVariables ranksOf(llvm::StringRef group, size_t rank, int64_t size);

  const StepComparison &comparison_;
  SizeSystem system_;
  std::vector<AxisSize> axes_;
  std::vector<GraphSizes> graphs_;
  std::vector<SizeVariables> shapes_;
  /// sizes of shards along axes that stay, and the number of these ranks: what an offset of a rank is a multiple of
  std::vector<std::pair<SizeVariable, int64_t>> shards_;
};

/// Relates the sizes of one node: of its results, operands and literals.
class NodeSizes {
public:
  NodeSizes(StepSizes &step, GraphSizes &graph, const Node &node)
      : step_(step), system_(step.system_), graph_(graph), node_(node) {}
  void relate();

private:
  using Tensor = llvm::ArrayRef<SizeVariable>;

  // Reading the node.
  [[nodiscard]] std::vector<Tensor> results() const;
  [[nodiscard]] std::vector<Tensor> operands() const;
  [[nodiscard]] std::vector<Tensor> operandsOf(const Argument *argument) const;
  [[nodiscard]] std::optional<Tensor> operandAt(int index) const;
  [[nodiscard]] std::optional<int64_t> integerAt(int index) const;
  [[nodiscard]] int64_t dimensionAt(int index, size_t rank, int64_t missing) const;
  [[nodiscard]] int64_t valueAt(Tensor tensor, size_t dim) const { return system_.valueOf(tensor[dim]); }

  // Relations.
  void same(Tensor a, size_t dimA, Tensor b, size_t dimB);
  bool alignRight(Tensor tensor, Tensor to);
  bool alignLeft(Tensor tensor, Tensor to);
  void align(llvm::ArrayRef<Tensor> tensors);
  void equateEqual(Tensor tensor, llvm::ArrayRef<Tensor> to);
  void sameBut(Tensor a, Tensor b, int64_t dim);
  void fixDimension(Tensor tensor, int64_t dim);

  // Families of operators; each returns false for a node that it does not know.
  bool relateView();
  bool relatePermutation();
  bool relateProduct();
  bool relateReduction();
  bool relateJoin();
  bool relateSlice();
  bool relateRange();
  bool relateLookup();
  bool relateCollective();
  bool relateLists();
  void relateExchange(const CollectiveCall &call, Tensor from, Tensor to);
  void bindShares(const Argument *list, SizeVariable rows);
  struct Bounds;
  [[nodiscard]] std::optional<Bounds> boundsAt(int index) const;
  void relatePart(SizeVariable all, SizeVariable length, const std::optional<Bounds> &bounds);
  void relateDefault();

  // Literals.
  void bindLists();
  bool bindShape(const Argument &list, Tensor tensor);
  void bindList(const Argument &list, llvm::ArrayRef<SizeVariable> sizes);
  void bind(const Argument *argument, SizeTerm term);
  void bindOffset();

  StepSizes &step_;
  SizeSystem &system_;
  GraphSizes &graph_;
  const Node &node_;
};

/// Relates two shapes of one tensor: ranges of dimensions with equal products.
void relateShapes(SizeSystem &system, llvm::ArrayRef<SizeVariable> from, llvm::ArrayRef<SizeVariable> to);

} // namespace ccgraph::equality
