// Recomputation: computes values again near their late readers instead of keeping them.
//
//   v = exp(x); r(v); ...; s(v)   ->   v = exp(x); r(v); ...; u = exp(x); s(u)      v is not live between r and u
//
// A value may be computed again if its call, and each call between it and values that are live anyway, is pure and
// cheap: views, moves and casts of data, lookups, operations on elements, reductions and norms. Products of matrices,
// random operators and writes are not computed again. Of the collectives, only all_gathers are repeated
// (repeatable_gathers.h), where some step reads the first result early. No step may write what the calls read between
// the value and its late readers, and no step may write the value or see its address, so nothing can tell the second
// value from the first. The kernels are the same, so the results are bitwise equal.
//
// Durations give the time of a fused kernel to one of its calls, and 0 to the others. A call with such a 0, or without
// a duration where others have one, is not computed again: what it takes alone is unknown.
//
// Where an operand is no longer live at the late readers, it is computed again too, at most 16 calls in total, or it is
// kept instead, if it is smaller than the value.
//
// An operand that Offloading keeps in the host's memory is read where it is back, and else computed again.
//
// Ownership: refers to lives and costs. Failure: an obstacle, not an error. Cost of an offer: the uses of the value,
// and of the operands of at most 64 calls.
#pragma once

#include "analysis/program_facts.h"
#include "ccgraph/ir/certificate.h"
#include "ccgraph/ir/lifetimes.h"
#include "ccgraph/passes/cost.h"
#include "rewrite/peak_reduction.h"
#include "rewrite/repeatable_gathers.h"

namespace ccgraph {

/// Why a value is kept.
enum class RecomputeObstacle : uint8_t {
  /// a call is not pure, or expensive
  NotCheap,
  /// too many calls
  LongChain,
  /// a step writes the value, or what a call reads
  Written,
  /// an opaque step is between
  Opaque,
  /// a collective has the value in flight
  InFlight,
  /// what must be kept instead is as large
  NotSmaller,
  /// the durations give a call no time of its own
  UnknownTime,
};
inline constexpr size_t numRecomputeObstacles = 7;

/// A value that is computed again.
struct Recomputed {
  Node *value = nullptr;
  /// the step up to which the value is kept at most
  const Node *after = nullptr;
  /// the first step that reads the second value
  Node *reader = nullptr;
  /// bytes that are not kept
  int64_t bytes = 0;
  /// of the repeated computation
  int64_t picoseconds = 0;
  /// of the repeated gathers, which may overlap with computation
  int64_t gatherTime = 0;
  /// the calls, operands first, and their repetitions
  llvm::SmallVector<Node *, 4> calls, again;
};

/// How the time of a repeated gather counts when values are chosen: as computation does, or as nothing, because it
/// overlaps with computation.
enum class GatherTime : uint8_t { Exposed, Hidden };

/// Which gathers are repeated.
struct GathersAgain {
  /// null: none
  const RepeatableGathers *allowed = nullptr;
  GatherTime time = GatherTime::Exposed;
};

class Recomputation final : public FreeingAction {
public:
  Recomputation(ValueLives &lives, const CostModel &cost, GathersAgain gathers);

  [[nodiscard]] Offer offer(StorageId storage, const Node *at) const override;
  FreedValue take(StorageId storage, const Node *at) override;
  [[nodiscard]] unsigned writtenObstacle() const override { return static_cast<unsigned>(RecomputeObstacle::Written); }
  /// Returns all values so far.
  [[nodiscard]] llvm::ArrayRef<Recomputed> done() const { return done_; }

private:
  /// A late use of one of the names of a storage.
  struct LateUse {
    Node *user = nullptr;
    Node *value = nullptr;
  };
  /// What computing a value again would take.
  struct Attempt {
    StorageId storage = 0;
    const Node *after = nullptr; ///< the step at which the value is to be gone
    Node *reader = nullptr;      ///< the first use
    llvm::SmallVector<LateUse, 4> uses;
    llvm::SmallVector<Node *, 4> calls; ///< operands first
    llvm::SmallVector<StorageId, 4> extended;
    int64_t bytes = 0; ///< freed, less those that are kept instead
    int64_t picoseconds = 0;
    unsigned visits = 0;
    bool isLong = false; ///< an operand is kept because too many calls compute it
    bool isReadEarly = false;
    std::optional<RecomputeObstacle> obstacle;
    [[nodiscard]] bool contains(const Node *node) const { return llvm::is_contained(calls, node); }
  };
  using Repetitions = llvm::DenseMap<const Node *, Node *>; ///< looked up only
  [[nodiscard]] Attempt plan(StorageId storage, const Node *after) const;
  void collectUses(Attempt &attempt, const Node *after) const;
  [[nodiscard]] bool addCall(Attempt &attempt, Node *call) const;
  [[nodiscard]] std::optional<RecomputeObstacle> obstacleOf(const Node *call, const Attempt &attempt) const;
  [[nodiscard]] bool addOperand(Attempt &attempt, Node *operand) const;
  [[nodiscard]] Node *gatherOf(const Node *wait) const {
    return gathers_.allowed ? gathers_.allowed->launchOf(wait) : nullptr;
  }
  [[nodiscard]] bool isGather(const Node *call) const {
    return gathers_.allowed && gathers_.allowed->isRepeatable(call);
  }
  [[nodiscard]] bool mayRepeat(const Node *call) const;
  [[nodiscard]] bool hasOwnTime(const Node *call) const;
  [[nodiscard]] int64_t bytesToKeep(const Attempt &attempt, const Node *operand) const;
  [[nodiscard]] bool isUnchanged(const Node *call, const Node *until) const;
  [[nodiscard]] Node *repeat(Node *call, const Attempt &attempt, const Repetitions &made) const;
  [[nodiscard]] Node *liveValue(Node *value, const Attempt &attempt, const Repetitions &made) const;
  void shorten(const Attempt &attempt);

  const CostModel &cost_;
  GathersAgain gathers_;
  bool isProfiled_; ///< some nodes have given times
  std::vector<Recomputed> done_;
};

/// Records the repetitions of one value in the certificate.
void stateRepetitions(const Recomputed &value, Certificate &certificate);

} // namespace ccgraph
