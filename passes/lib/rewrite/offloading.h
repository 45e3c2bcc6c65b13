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
// A value may be offloaded if it fills a storage of the program alone, no step writes it, no caller or opaque step sees
// it, no collective has it in flight at the step where it is to be gone, and the time of its copy is mostly that of its
// bytes. Copies move elements unchanged, so results are bitwise equal.
//
// The offload is issued at the value, its wait after the last early reader, and the reload before the first late
// reader. This needs the least memory; where the copies are best issued is the decision of the schedule.
//
// Values are chosen at the step with the most live bytes: those first that free the most bytes for a microsecond of
// their copies that no computation hides. Then the step that now has the most live bytes is next.
//
// Ownership: refers to graph, facts and costs; the facts describe the graph before the first value is offloaded.
// Failure: an obstacle, not an error. Cost: one storage map and memory curve a round, of which there are at most 64,
// and the uses of the values that are live at the step of each round.
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

class Offloading : public PeakReduction<Offloading, OffloadObstacle> {
public:
  /// The machine of the costs must have a link to the host.
  Offloading(Graph &graph, const ProgramFacts &facts, const CostModel &cost);

  /// Offloads one value for the readers after a step. Returns null, and leaves the graph unchanged, if an obstacle
  /// prevents it.
  const Offloaded *offload(const Node *value, const Node *after);
  /// Returns all values so far.
  [[nodiscard]] llvm::ArrayRef<Offloaded> done() const { return done_; }

private:
  friend PeakReduction;
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
  [[nodiscard]] std::pair<double, double> gain(const Attempt &attempt) const;
  [[nodiscard]] Node *placeOf(Node *step) const;
  const Offloaded &apply(const Attempt &attempt);
  void copyAway(Offloaded &value, Node *lastEarly);
  void copyBack(Offloaded &value);
  void rename(const Attempt &attempt, Offloaded &value);

  Graph &graph_;
  const ProgramFacts &facts_;
  const CostModel &cost_;
  std::vector<int64_t> computed_; ///< by node id: picoseconds of the computation before it
  std::vector<Offloaded> done_;
};

/// Records an offloaded value in the certificate.
void stateOffload(const Offloaded &value, Certificate &certificate);

} // namespace ccgraph
