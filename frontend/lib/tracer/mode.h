// Mode: what operators do on this thread, that is what becomes of a call on tensors.
//
// An operator of the tracer's headers is a call by target and knows nothing else; the mode that is open on the thread
// records it (Recorder). A thread has one mode at most.
//
// Ownership: a mode is shared by its scope object and by its tensors, so that a tensor that outlives its trace can still
// say so. Failure: calls yield failed tensors. Cost: a virtual call.
#pragma once

#include "ccgraph/ir/guard.h"
#include "ccgraph/tracer/call.h"

#include <map>

namespace ccgraph::tracer::detail {

class Mode;
class Recorder;
struct EagerValue;

/// What a Tensor is a handle of.
struct TensorState {
  /// null where it has failed
  std::shared_ptr<Mode> mode;
  const Type *type = nullptr;
  /// where a trace records it: the node that yields it now, since an in-place operator gives a tensor another name
  Node *node = nullptr;
  /// In-place collectives may write it (comm_tensor.h).
  bool isWrapped = false;
  /// One of them has, and nobody has waited yet.
  bool isInFlight = false;
  /// where an eager session computes it
  std::shared_ptr<EagerValue> eager;
  std::optional<Diagnostic> error;
};

class Mode : public std::enable_shared_from_this<Mode> {
public:
  Mode() = default;
  Mode(const Mode &) = delete;
  Mode &operator=(const Mode &) = delete;
  virtual ~Mode() = default;

  /// Of this thread; null where none is open.
  [[nodiscard]] static Mode *current();
  static void setCurrent(Mode *mode);

  [[nodiscard]] virtual Tensor call(const Call &call) = 0;
  [[nodiscard]] virtual TensorList callList(const Call &call) = 0;
  /// A collective's result as users get it: waited for, or waited for at its first use.
  [[nodiscard]] virtual Tensor deferWait(const Tensor &inFlight) = 0;
  /// Notes a failure and makes a tensor of it.
  [[nodiscard]] virtual Tensor fail(Diagnostic why) = 0;
  /// Notes a warning, if none with its rule was noted before.
  virtual void warnOnce(Diagnostic warning) = 0;

  /// Notes what was answered, and so became a constant of the program.
  virtual void noteFact(Guard guard) = 0;

  [[nodiscard]] virtual GroupTable &groups() = 0;
  [[nodiscard]] virtual std::optional<int64_t> worldSize() const = 0;
  /// False once its scope has ended.
  [[nodiscard]] virtual bool isOpen() const = 0;
  /// Null where it does not record.
  [[nodiscard]] virtual Recorder *recorder() { return nullptr; }
  /// Whose program it is, where it is one rank's.
  [[nodiscard]] virtual std::optional<int64_t> rank() const = 0;

  /// What is known of groups that calls have named, so that a call need not look at their ranks again.
  struct KnownGroup {
    int64_t size = 0;
    /// of the rank whose program it is
    bool lacksRank = false;
  };
  [[nodiscard]] const KnownGroup &known(const Group &group);
  /// Groups of meshes that were registered, by what the mesh's copies share (which is held, so that no other mesh has its address)
  /// and the dimension.
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
  /// Few, since a program has few groups. A call that gives a list again is compared with these, which costs less than checking its ranks.
  std::vector<ListedGroup> listedGroups;

private:
  llvm::StringMap<KnownGroup> knownGroups_;
};

/// An error of the tracer.
[[nodiscard]] Diagnostic problem(llvm::StringRef rule, llvm::StringRef where, std::string message,
                                 llvm::StringRef repair = "");
/// Fails in the mode of this thread where there is one.
[[nodiscard]] Tensor fail(Diagnostic why);
/// The first diagnostic of an error, which is consumed.
[[nodiscard]] Diagnostic firstOf(llvm::Error error);
/// Says that an operator was called where nothing records it.
[[nodiscard]] Diagnostic noModeProblem(llvm::StringRef where);

/// The path of modules of this thread: "layers.0.attention".
[[nodiscard]] std::string &modulePath();

} // namespace ccgraph::tracer::detail
