// Mode: the effect of operators on this thread, that is the way in which calls on tensors are handled.
//
// An operator of the tracer's headers is a call by target; the mode that is open on the thread records it (Recorder) or
// runs it (EagerMode). A thread has one mode at most.
//
// Ownership: its scope object and its tensors share a mode, so a tensor that outlives its trace can still report this.
// Failure: calls yield failed tensors. Cost: a virtual call.
#pragma once

#include "ccgraph/ir/guard.h"
#include "ccgraph/tracer/call.h"

#include <map>

namespace ccgraph::tracer::detail {

class Mode;
class Recorder;
struct EagerValue;

/// The state behind the handle Tensor.
struct TensorState {
  /// null where it has failed
  std::shared_ptr<Mode> mode;
  const Type *type = nullptr;
  /// in a trace: the node that yields it now, since an in-place operator gives a tensor another name
  Node *node = nullptr;
  /// In-place collectives may write it (comm_tensor.h).
  bool isWrapped = false;
  /// An in-place collective has written it, and it has not been waited for.
  bool isInFlight = false;
  /// in an eager session: its value
  std::shared_ptr<EagerValue> eager;
  std::optional<Diagnostic> error;
};

class Mode : public std::enable_shared_from_this<Mode> {
public:
  Mode() = default;
  Mode(const Mode &) = delete;
  Mode &operator=(const Mode &) = delete;
  virtual ~Mode() = default;

  /// Returns the mode of this thread; null where none is open.
  [[nodiscard]] static Mode *current();
  static void setCurrent(Mode *mode);

  [[nodiscard]] virtual Tensor call(const Call &call) = 0;
  [[nodiscard]] virtual TensorList callList(const Call &call) = 0;
  /// Returns a collective's result as users receive it: waited for, or waited for at its first use.
  [[nodiscard]] virtual Tensor deferWait(const Tensor &inFlight) = 0;
  /// Records a failure and returns a failed tensor.
  [[nodiscard]] virtual Tensor fail(Diagnostic why) = 0;
  /// Records a warning, unless one with its rule was recorded before.
  virtual void warnOnce(Diagnostic warning) = 0;

  /// Records an answer, which became a constant of the graph.
  virtual void noteFact(Guard guard) = 0;

  [[nodiscard]] virtual GroupTable &groups() = 0;
  [[nodiscard]] virtual std::optional<int64_t> worldSize() const = 0;
  /// Returns false once its scope has ended.
  [[nodiscard]] virtual bool isOpen() const = 0;
  /// Returns null where it does not record.
  [[nodiscard]] virtual Recorder *recorder() { return nullptr; }
  /// Returns the rank of the graph, where the graph belongs to one rank.
  [[nodiscard]] virtual std::optional<int64_t> rank() const = 0;

  /// The facts about groups that calls have named, so a call need not examine their ranks again.
  struct KnownGroup {
    int64_t size = 0;
    /// the rank of the graph is not in the group
    bool lacksRank = false;
  };
  [[nodiscard]] const KnownGroup &known(const Group &group);
  /// The registered groups of meshes, by the dimension and by the shared data of the mesh's copies. The data is kept
  /// alive, so that no other mesh has its address.
  struct MeshGroup {
    std::shared_ptr<const void> mesh;
    std::string name;
  };
  std::map<std::pair<const void *, int64_t>, MeshGroup> meshGroups;
  /// A list of ranks that a call gave, one cell or several, and the name of the group that it means.
  struct ListedGroup {
    std::vector<std::vector<int64_t>> cells;
    std::string tag;
    std::string name;
  };
  /// Few, since a program has few groups. A call that gives a list again is compared with these, which costs less than
  /// checking its ranks.
  std::vector<ListedGroup> listedGroups;

private:
  llvm::StringMap<KnownGroup> knownGroups_;
};

/// Builds an error of the tracer.
[[nodiscard]] Diagnostic problem(llvm::StringRef rule, llvm::StringRef where, std::string message,
                                 llvm::StringRef repair = "");
/// Fails in the mode of this thread where there is one.
[[nodiscard]] Tensor fail(Diagnostic why);
/// Returns the first diagnostic of an error, which is consumed.
[[nodiscard]] Diagnostic firstOf(llvm::Error error);
/// Builds the error of an operator that was called without an open mode.
[[nodiscard]] Diagnostic noModeProblem(llvm::StringRef where);

/// Returns the path of modules of this thread: "layers.0.attention".
[[nodiscard]] std::string &modulePath();

} // namespace ccgraph::tracer::detail
