// Evaluation: computes what the new nodes of one entry hold from the initial values of the entry. A rule that replaces
// several nodes also evaluates these, in the program before.
//
// Nodes are visited in program order. Data movements follow their rules (movements.h), waits pass their operand on, and
// the caller defines the result of a launch, and of a cast if casts may occur. A value is *complete* after a wait on
// it, and so is a value computed from complete values.
//
// Ownership: refers to the evidence, and adds to the findings. Failure: a node that cannot be evaluated has a finding
// and no value; nodes that read it have no value and no finding. Cost: the runs made (layout.h).
#pragma once

#include "call.h"
#include "checks.h"
#include "movements.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <functional>

namespace ccgraph::legality {

/// The program whose steps are evaluated. Types before are the user's, so only those after are compared with the
/// values.
enum class Side : uint8_t { Before, After };

class Evaluation {
public:
  /// Findings are of `rule`, about nodes of the entry `claim`.
  Evaluation(const Evidence &evidence, Claim claim, llvm::StringRef rule, Findings &findings)
      : evidence_(evidence), claim_(claim), rule_(rule), findings_(findings) {}

  /// Evaluates the steps of this side; After without this call.
  void setSide(Side side) { side_ = side; }
  using EvaluateCast = std::function<Contents(const Contents &value, DType dtype)>;
  /// Accepts casts to a dtype, and evaluates them by `cast`. Without this call a cast is a finding.
  void acceptCasts(EvaluateCast cast) { cast_ = std::move(cast); }

  using EvaluateProduct = std::function<std::optional<Contents>(const Contents &rows, const Contents &matrix)>;
  /// Accepts products of two matrices, and evaluates them by `product`. Without this call a product is a finding.
  void acceptProducts(EvaluateProduct product) { product_ = std::move(product); }

  using EvaluateRows =
      std::function<std::optional<Contents>(const Step &step, llvm::ArrayRef<const Contents *> operands)>;
  /// Accepts calls that compute row by row (row_calls.h), and evaluates them by `rows`. Without this call such a call
  /// is a finding.
  void acceptRows(EvaluateRows rows) { rows_ = std::move(rows); }

  /// Sets an initial value. Strides are those of the step's type, if it states them. The first operand of a step
  /// determines the dtype of its value. An initial value is complete, because checkInFlight reports steps that read
  /// what is in flight.
  void begin(uint32_t step, Layout layout);
  using EvaluateCall =
      llvm::function_ref<std::optional<Contents>(const Call &call, llvm::ArrayRef<const Contents *> operands)>;
  /// Evaluates the steps, given in any order; the steps in `launches` by `launch`.
  void run(llvm::ArrayRef<uint32_t> steps, llvm::ArrayRef<uint32_t> launches, EvaluateCall launch);

  /// Returns null if the step has no value.
  [[nodiscard]] const Contents *valueOf(uint32_t step) const {
    auto value = values_.find(step);
    return value == values_.end() ? nullptr : &value->second;
  }
  [[nodiscard]] bool isComplete(uint32_t step) const { return complete_.contains(step); }

private:
  [[nodiscard]] const Program &program() const { return side_ == Side::Before ? evidence_.before : evidence_.after; }
  bool isPlain(const Step &step);
  std::optional<Contents> evaluate(uint32_t index, const Step &step, bool launches, EvaluateCall launch);
  static std::optional<Contents> evaluateWait(const Step &step, llvm::ArrayRef<const Contents *> operands);
  bool orderRows(const Step &step, llvm::MutableArrayRef<const Contents *> operands, std::vector<Contents> &ordered);
  std::optional<Contents> evaluateProduct(const Step &step, llvm::ArrayRef<const Contents *> operands);
  std::optional<Contents> evaluateRows(const Step &step, llvm::ArrayRef<const Contents *> operands);
  std::optional<Contents> evaluateMovement(const Step &step, llvm::ArrayRef<const Contents *> operands);
  const Contents *operandOf(uint32_t operand, const Step &reader);
  [[nodiscard]] std::optional<DType> dtypeOf(const Step &step) const;
  bool fitsType(const Step &step, const Contents &value, std::optional<DType> dtype);
  void report(const Node &node, const llvm::Twine &message) { findings_.add(node, rule_, message, claimText(claim_)); }

  const Evidence &evidence_;
  Claim claim_;
  llvm::StringRef rule_;
  Findings &findings_;
  Side side_ = Side::After;
  EvaluateCast cast_;
  EvaluateProduct product_;
  EvaluateRows rows_;
  llvm::DenseMap<uint32_t, Contents> values_;             ///< by step
  llvm::DenseMap<uint32_t, std::optional<DType>> dtypes_; ///< by step with a value
  llvm::DenseSet<uint32_t> complete_;
};

/// Returns the step after of a value from outside the entries that both programs have, and whose type holds where it is
/// read; empty for any other step of this side.
[[nodiscard]] std::optional<uint32_t> commonValue(const Evidence &evidence, Side side, uint32_t operand);
/// Returns true for a product of two matrices, without other arguments.
[[nodiscard]] bool isMatrixProduct(const Step &step);
/// Returns the dtype that a cast of one operand converts to; empty for any other step, and for a cast that changes
/// anything else.
[[nodiscard]] std::optional<DType> castOf(const Step &step);

} // namespace ccgraph::legality
