// compareSums: do two programs of one job, or a parallel step and the step of one device, compute bitwise equal
// outputs, and if not, which sums do they make in another order or dtype?
//
// Both programs are evaluated on all ranks, not with numbers but with terms: from which inputs, by which operations and
// in which order each element is computed. Outputs with equal terms are bitwise equal. This is a proof, not a test:
// terms are compared whole. It assumes that
//   - an operator gives equal bits on operands with equal elements, dtypes, sizes and strides, wherever they lie, and
//     an elementwise operator on equal elements. Operators with a random state draw equal numbers in the order of
//     calls.
//   - a collective gives equal bits on equal elements in a call of the same kind and size on the same ranks, and all
//     ranks receive the same bits. On two ranks a sum has one order.
//   - the bits of a NaN do not count.
// With SumOrder::Ranks, collectives add in the order of the ranks in f64 and round once, as the interpreter and the
// engines local and mpi do (runtime/collectives/reduce.h), so their result does not depend on the size of a call.
//
// A bound of the error is stated in ulps of the output's dtype, where an ulp is the distance between the two numbers of
// the dtype around the *magnitude* of the output: what its expression gives if each input is replaced by its magnitude
// and each difference by a sum. So a bound holds for sums that cancel, too. error_bound.h has the formulas and their
// sources. Underflow and overflow are not considered.
//
// Two outputs are one function of the inputs if they are equal in exact arithmetic on pseudo-random inputs
// (exact_values.h), by the laws of sums, products and quotients. Otherwise nothing is said about their difference.
//
// Ownership: borrows the graphs for the call; an answer owns its texts. Failure: a DiagnosticError for programs whose
// inputs or outputs do not correspond. A job that cannot be evaluated is an answer. Cost: linear in the nodes of all
// ranks, and in the pieces in which buckets and chunks cut their values; sizes of tensors do not count.
#pragma once

#include "ccgraph/ir/graph.h"
#include "ccgraph/ir/placement.h"

#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace ccgraph::numerics {

/// How collectives add.
enum class SumOrder : uint8_t {
  /// in an order that depends on the kind, the size and the ranks of a call
  Any,
  /// in the order of the ranks, in f64, rounded once
  Ranks,
};

/// What one rank runs. Several ranks may share a graph.
struct RankGraph {
  const Graph *graph = nullptr;
  GroupTable groups;
};

struct SumComparison {
  /// by rank; both of one length, but for the step of one device
  std::vector<RankGraph> before;
  std::vector<RankGraph> after;
  SumOrder order = SumOrder::Any;
  /// `before` is the step of one device, and these state how the ranks of `after` hold its inputs and outputs; empty:
  /// both are programs of one job, with equal inputs and outputs.
  std::optional<StepPlacements> placements = std::nullopt;
};

/// A sum, or another operation, that one program makes and the other does not.
struct SumPlace {
  int64_t rank = 0;
  std::string node;
  /// the line of the user's program; empty if the graph does not state it
  std::string source;
  /// "sum over ranks 0, 1 and 2, bf16, 64 elements"
  std::string what;
  friend bool operator==(const SumPlace &, const SumPlace &) = default;
};

/// One output, or one input that the programs write.
struct ComparedOutput {
  /// "out.0", or "after.x" for an input x that is written; with placements what they name it
  std::string name;
  int64_t rank = 0;
  /// f32, bf16, ...; empty for a value without a dtype
  std::string dtype;
  bool isBitwiseEqual = false;
  /// Both are one function of the inputs in exact arithmetic: what differs is the order of sums, or a dtype.
  bool isSameFunction = false;
  /// "rank order", "bucket", "chunk", "dtype", "split sum", "order of addition", "another operation"; empty for equal
  /// ones
  std::string cause;
  /// operations of one program alone whose operands both have, at most ten of each
  std::vector<SumPlace> before, after;
  /// bounds in ulps; empty: unknown. Of the difference between the two, and of the error of each.
  std::optional<double> differenceUlps, beforeUlps, afterUlps;
};

struct SumAnswer {
  /// by rank, in the order of outputs, then of inputs
  std::vector<ComparedOutput> outputs;
  /// why nothing can be said; empty: all outputs are listed
  std::string undecided;
  /// what was assumed
  std::vector<std::string> assumed;
  [[nodiscard]] bool allBitwiseEqual() const;
  [[nodiscard]] bool allSameFunctions() const;
};

[[nodiscard]] llvm::Expected<SumAnswer> compareSums(const SumComparison &comparison);

} // namespace ccgraph::numerics
