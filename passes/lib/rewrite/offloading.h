// Offloading: keeps values in the host's memory between their early and their late readers.
//
//   v = mm(x, y); r(v); ...; s(v)
//     ->  v = mm(x, y); o = offload(v); r(v); h = wait_tensor(o, v); ...
//         l = reload(h, device); w = wait_tensor(l, h); s(w)               no memory of the device between h and l
//
// The operators are those of torch/_functorch/_activation_offloading/offload_ops.py. The wait on the offload frees the
// storage of v, and the wait on the reload frees the host's tensor. Late readers that name v by a view which was made
// before get the same view of w.
//
// A value may be offloaded if it fills a storage of the program alone, no step or wait writes it, no caller or opaque
// step sees it, no collective has it in flight at the step where it is to be gone, and the time of its copy is mostly
// that of its bytes. Copies move elements unchanged, so results are bitwise equal.
//
// The offload is issued at the value, its wait after the last early reader, and the reload before the first late
// reader. This needs the least memory; where the copies are best issued is the decision of the schedule.
//
// A value costs the microseconds of its copies that no computation hides: the computation between the value and the
// step where it is to be gone hides the copy there, and the computation from that step to the first late reader hides
// the copy back. All copies take one link, so a value that is offloaded later costs the microseconds that it adds.
//
// Ownership: refers to lives and costs. Failure: an obstacle, not an error. Cost of an offer: the uses of the value,
// and the values that were offloaded before.
#pragma once

#include "analysis/program_facts.h"
#include "ccgraph/ir/certificate.h"
#include "ccgraph/passes/cost.h"
#include "rewrite/peak_reduction.h"

namespace ccgraph {

/// Why a value stays in the memory of the device.
enum class OffloadObstacle : uint8_t {
  /// the latency of a copy is longer than the time of its bytes
  Small,
  /// a step writes the value
  Written,
  /// it is a part of a storage, or of unknown layout or device
  Part,
  /// the step where it is to be gone reads it
  ReadThere,
  /// a collective has it in flight
  InFlight,
  /// a late reader names it by more than views of it
  OtherName,
  /// an opaque step is between
  Opaque,
};
inline constexpr size_t numOffloadObstacles = 7;

/// A value that is offloaded.
struct Offloaded {
  Node *value = nullptr;
  /// the step up to which the value is kept at most
  const Node *after = nullptr;
  /// the first step that reads what comes back
  Node *reader = nullptr;
  int64_t bytes = 0;
  /// of one copy
  int64_t picoseconds = 0;
  Node *offload = nullptr, *host = nullptr, *reload = nullptr, *back = nullptr;
  /// views of the value, and the same views of what comes back
  llvm::SmallVector<Node *, 2> views, again;
};

/// How the time of a copy counts when values are chosen: as if the link had no other copy, or as what it adds to the
/// copies before it.
enum class CopyTime : uint8_t { Alone, Added };

class Offloading final : public FreeingAction {
public:
  /// The machine of the costs must have a link to the host.
  Offloading(ValueLives &lives, const CostModel &cost, CopyTime time);

  [[nodiscard]] Offer offer(StorageId storage, const Node *at) const override;
  FreedValue take(StorageId storage, const Node *at) override;
  /// Returns the next step of the graph as it was: the reader of what comes back there.
  [[nodiscard]] const Node *placeOf(const Node *step) const override;
  [[nodiscard]] unsigned writtenObstacle() const override { return static_cast<unsigned>(OffloadObstacle::Written); }
  /// Returns all values so far.
  [[nodiscard]] llvm::ArrayRef<Offloaded> done() const { return done_; }

private:
  /// A late use of one of the names of a storage.
  struct LateUse {
    Node *user = nullptr;
    Node *name = nullptr;
  };
  struct Attempt {
    StorageId storage = 0;
    Node *value = nullptr;
    const Node *after = nullptr;
    Node *lastEarly = nullptr; ///< the last step before `after` that holds the value
    Node *reader = nullptr;    ///< the first late one
    llvm::SmallVector<LateUse, 4> uses;
    llvm::SmallVector<Node *, 2> views; ///< operands first
    int64_t bytes = 0;
    int64_t exposed = 0; ///< picoseconds of the copies that no computation hides
    std::optional<OffloadObstacle> obstacle;
  };

  [[nodiscard]] Node *wholeName(StorageId storage) const;
  [[nodiscard]] Attempt plan(StorageId storage, const Node *after) const;
  void collectUses(Attempt &attempt) const;
  void noteEarly(Attempt &attempt, Node *user) const;
  [[nodiscard]] bool addView(Attempt &attempt, Node *name) const;
  [[nodiscard]] int64_t exposedTime(const Attempt &attempt) const;
  void noteCopies(const Attempt &attempt);
  void copyAway(Offloaded &value, Node *lastEarly);
  void copyBack(Offloaded &value);
  void rename(const Attempt &attempt, Offloaded &value);

  const CostModel &cost_;
  CopyTime time_;
  /// A copy that takes `picoseconds`, of a value that is made or read after this much computation.
  struct Copy {
    int64_t computed = 0;
    int64_t picoseconds = 0;
  };
  [[nodiscard]] static int64_t addedDelay(llvm::ArrayRef<Copy> sorted, int64_t gone, const Copy &added);

  std::vector<int64_t> computed_; ///< by node id: picoseconds of the computation before it
  std::vector<bool> rewritten_;   ///< by storage: each wait on a list may write it (CollectiveSpec::waitsRewriteAll)
  std::vector<Copy> away_, back_; ///< of all values so far, those first whose window of computation is short
  std::vector<Offloaded> done_;
};

/// Records an offloaded value in the certificate.
void stateOffload(const Offloaded &value, Certificate &certificate);

} // namespace ccgraph
