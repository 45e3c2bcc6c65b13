// Terms: from what, by which operations and in which order each element of a value is computed.
//
// A term is one operation on the elements of other terms, or an input. Two terms with the same operation and the same
// operands are one term, compared whole and not by a hash. So two elements of one term and one index are bitwise equal,
// in whichever program and on whichever rank they are computed, if the operation gives equal bits for equal operands.
//
//   Input        element i of an input of a rank
//   Elementwise  element i is the operation on one element of each operand: i + shift, or always `shift`
//   Call         element i is element i of the result of the operation on whole values, the sequences. Nothing is known
//                about the order in which it adds, only that equal calls add in the same order.
//
// An operation has a text, which identifies it: the operator, its numbers, the dtypes of its operands and of its
// result, and for a call their sizes and strides. Its other fields follow from what the text states.
//
// Ownership: the table owns all. Failure: none. Cost: a look-up is linear in the operands.
#pragma once

#include "run_list.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/dtype.h"
#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/node.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

namespace ccgraph::numerics {

/// What an operation does with its operands, as far as errors are concerned.
enum class Rule : uint8_t {
  /// no rule: its error is unknown
  Unknown,
  /// an input or a constant
  Given,
  /// x + y, x - y
  Add,
  Subtract,
  Negate,
  Multiply,
  Divide,
  /// to another dtype
  Cast,
  /// max(x, 0)
  Clip,
  /// max(x, y), min(x, y), over ranks too
  Extreme,
  /// sums and means over ranks, and over dimensions
  RankSum,
  RankMean,
  DimSum,
  DimMean,
  /// products of matrices
  Product,
};

struct Operation {
  std::string text;
  Rule rule = Rule::Unknown;
  /// of the result
  DType dtype = DType::F32;
  /// of a cast: the dtype of its operand
  DType from = DType::F32;
  /// of a constant
  std::optional<double> number;
  /// how many numbers a sum adds; of a Product the inner size
  int64_t addends = 1;
  /// Sums are accumulated in f64 and rounded once.
  bool addsInF64 = false;
  /// of collectives: what it is, for messages ("all_reduce"), its ranks, and the elements that a rank sends
  std::string collective;
  std::vector<int64_t> members;
  int64_t elements = 0;
  /// of sums over dimensions and of products: the layouts of the operands, and the dimensions that are added
  std::vector<IntList> sizes, strides;
  IntList dims;

  [[nodiscard]] bool isSum() const;
};

struct TermOperand {
  /// a term; of a Call, a sequence
  uint32_t id = 0;
  int64_t shift = 0;
  bool repeats = false;
  friend bool operator==(const TermOperand &, const TermOperand &) = default;
};

struct Term {
  enum class Kind : uint8_t { Input, Elementwise, Call };
  Kind kind = Kind::Input;
  /// of the operations
  uint32_t operation = 0;
  std::vector<TermOperand> operands;
  friend bool operator==(const Term &, const Term &) = default;
};

/// The node that computes a term on one side.
struct TermPlace {
  const Node *node = nullptr;
  int64_t rank = 0;
};

/// The two programs that are compared.
enum class Side : uint8_t { Before, After };

class TermTable {
public:
  /// Returns the number of an operation; fields other than `text` count at the first call.
  [[nodiscard]] uint32_t operation(Operation operation);
  [[nodiscard]] uint32_t sequence(const RunList &elements);
  [[nodiscard]] TermId term(Term term);
  /// A term that equals no other.
  [[nodiscard]] TermId unknown(const Node &node);
  /// Terms that are made next belong to this node.
  void setPlace(Side side, TermPlace place) { side_ = side, place_ = place; }

  [[nodiscard]] const Term &at(TermId id) const { return terms_[id]; }
  [[nodiscard]] const Operation &operationOf(TermId id) const { return operations_[terms_[id].operation]; }
  [[nodiscard]] const RunList &sequenceAt(uint32_t id) const { return *sequences_[id]; }
  /// Returns the first node that computes the term on a side; its node is null if none does.
  [[nodiscard]] const TermPlace &placeOf(TermId id, Side side) const { return places_[id][static_cast<size_t>(side)]; }
  [[nodiscard]] size_t numTerms() const { return terms_.size(); }
  /// Calls `visit(run)` for the elements of the operands on which some elements of a term depend. The other elements of
  /// a collective call decide in which order it adds, and not what.
  template <class Visit>
  void forEachOperand(const Run &of, Visit visit) const {
    const Term &term = terms_[of.term];
    const bool isPerElement = !operations_[term.operation].collective.empty();
    const int64_t length = of.repeats ? 1 : of.length;
    for (const TermOperand &operand : term.operands) {
      if (term.kind != Term::Kind::Call) {
        visit(operand.repeats ? Run{operand.id, operand.shift, 1, false}
                              : Run{operand.id, of.start + operand.shift, length, false});
        continue;
      }
      const RunList &whole = sequenceAt(operand.id);
      const RunList part = isPerElement ? whole.slice(of.start, length) : RunList();
      for (const Run &run : isPerElement ? part.runs() : whole.runs())
        visit(run);
    }
  }

private:
  struct HashTerm {
    size_t operator()(const Term &term) const;
  };
  struct HashRuns {
    size_t operator()(const RunList &list) const;
  };
  std::vector<Term> terms_;
  std::vector<std::array<TermPlace, 2>> places_;
  std::vector<Operation> operations_;
  /// the keys of sequenceIds_, whose addresses are stable
  std::vector<const RunList *> sequences_;
  std::unordered_map<Term, TermId, HashTerm> termIds_;
  std::unordered_map<std::string, uint32_t> operationIds_;
  std::unordered_map<RunList, uint32_t, HashRuns> sequenceIds_;
  Side side_ = Side::Before;
  TermPlace place_;
};

// --- Makers of operands ------------------------------------------------------------------------------------------
/// Applies an operation to elements of lists of one size, run by run; empty if the result would have more than `most`
/// runs. With `isCommutative` the order of two operands does not count.
struct ElementwiseCall {
  uint32_t operation = 0;
  llvm::ArrayRef<RunList> operands;
  bool isCommutative = false;
  size_t most = 0;
};
[[nodiscard]] std::optional<RunList> elementwise(TermTable &table, const ElementwiseCall &call);
/// Returns elements of the result of a call on whole values.
[[nodiscard]] RunList callResult(TermTable &table, uint32_t operation, llvm::ArrayRef<RunList> operands,
                                 int64_t elements);

} // namespace ccgraph::numerics
