// Plan: the program that a rank runs. An ordered list of steps on streams, over memory that is laid out in advance.
//
// A Graph states dependencies; a Plan states what the hardware executes. An engine makes no further decisions: each
// step contains its operator, its literals, and for every tensor a *window* (buffer, place in it, dtype, sizes,
// strides). So an engine needs no Graph, and a verifier can check a Plan alone (plan_verifier.h).
//
//   host      issues the steps in list order, and runs the steps of the host stream itself: a step after a host step
//             begins when that one has ended
//   streams   run the steps issued to them in that order, independently of each other
//   events    order streams: a step begins when all events that it waits for are recorded, and records its own when it
//             has ended. Each event is recorded by one step, which precedes those that wait
//   end       the list is complete when all streams are empty
//
// There is no step for a view (it is another window), nor for wait_tensor: a step that accesses a result waits for the
// event of its collective.
//
// Memory: a *buffer* is the memory that one operator allocated. Buffers of inputs and attributes are caller-owned. The
// others lie in the rank's arena, at the offsets of the layout; buffers whose size is known only at run time are
// allocated then. Two buffers may lie on the same bytes if all uses of one end before those of the other begin. If a
// network requires separate memory for communication, there is a second arena for it. By default there is none, since
// two arenas cannot share unused memory (for FSDP the second arena costs up to 1.8 times the memory). Bases of arenas
// are aligned to 4096 bytes, which registration with a network requires.
//
// One Plan serves every rank that runs the graph from which it was created: groups are lists of ranks, or partitions of
// which a rank takes its own cell. So offsets are the same on all of them.
//
// Example: c = all_reduce(a); b = relu(x); w = wait(c); r = add(w, b) becomes
//   0 stream comm:tp   all_reduce sum  a -> c           records e0
//   1 stream compute   relu            x -> b
//   2 stream compute   add             c, b -> r        waits for e0
//
// Ownership: a Plan owns its steps and their argument trees; types, operators, names and symbols belong to its Context,
// which must outlive it. Plans are not copyable. Failure: none here; the creator of a Plan (lowering, a reader) reports
// errors, and the verifier finds errors in a Plan. Cost: plain data; a step of two operands takes about 400 bytes.
#pragma once

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/context.h"
#include "ccgraph/ir/group_table.h"
#include "ccgraph/ir/guard.h"
#include "ccgraph/ir/type.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ccgraph {

using BufferId = uint32_t;
using StreamId = uint32_t;
using EventId = uint32_t;
/// A number that is known only at run time: the result of a host step, or a number that is an input.
using SlotId = uint32_t;

/// The origin of a buffer's memory.
enum class Home : uint8_t {
  /// an input of the program: the caller provides it, and sees what was written to it
  Input,
  /// an attribute (get_attr), likewise caller-owned
  Attribute,
  /// the rank's arena
  Compute,
  /// the communication arena, if there is one: some collective sends or receives here
  Communication,
  /// allocated at run time, since its size is not known before
  Growing,
  /// the host's memory, outside the arenas; allocated at run time: a value that ao.offload has copied there
  Host,
};
/// Returns true for memory that is allocated at run time.
[[nodiscard]] inline bool isMadeInRun(Home home) { return home == Home::Growing || home == Home::Host; }
/// "input", "attribute", "compute", "communication", "growing", "host".
[[nodiscard]] llvm::StringRef homeName(Home home);

struct PlanBuffer {
  /// the node that allocates it; for an input its placeholder, for an attribute its target
  Identifier name;
  Home home = Home::Compute;
  /// extent of all windows onto it; meaningless if it is Growing
  Dim bytes;
};

/// The place of one tensor's elements.
struct PlanWindow {
  BufferId buffer = 0;
  /// a tensor type with strides; its device is the tensor's device
  const Type *type = nullptr;
  /// elements of that dtype from the start of the buffer to the tensor's first element
  Dim offset;
  friend bool operator==(const PlanWindow &, const PlanWindow &) = default;
};

enum class PlanValueKind : uint8_t {
  /// None, or a result without users
  None,
  Tensor,
  Number,
  List,
  /// a number, word or None that is written in the program: returned unchanged
  Literal,
  /// an object that a program only passes on: a device mesh, a generator
  Object
};

/// An operand or result of an operator. `Window` states the place of a tensor: a PlanWindow in a plan; lowering shares
/// one window among all names of a tensor.
template <typename Window>
struct ValueTree {
  using Kind = PlanValueKind;
  Kind kind = Kind::None;
  Window window = {}; ///< of a tensor
  SlotId slot = 0;    ///< of a number
  /// of a number: Sym(...) if the program states it, else null
  const Type *numberType = nullptr;
  std::vector<ValueTree> elements; ///< of a list
  Argument literal;                ///< of a literal: no operand, no sequence
  Identifier object;               ///< of an object: its name in messages

  [[nodiscard]] bool isTensor() const { return kind == Kind::Tensor; }
  static ValueTree tensor(Window window);
  static ValueTree number(SlotId slot, const Type *type);
  static ValueTree list(std::vector<ValueTree> elements);
  static ValueTree ofLiteral(Argument literal);
  static ValueTree ofObject(Identifier text);
};
using PlanValue = ValueTree<PlanWindow>;
[[nodiscard]] bool operator==(const PlanValue &a, const PlanValue &b);

template <typename Window>
ValueTree<Window> ValueTree<Window>::tensor(Window window) {
  ValueTree value;
  value.kind = Kind::Tensor;
  value.window = std::move(window);
  return value;
}

template <typename Window>
ValueTree<Window> ValueTree<Window>::number(SlotId slot, const Type *type) {
  ValueTree value;
  value.kind = Kind::Number;
  value.slot = slot;
  value.numberType = type;
  return value;
}

template <typename Window>
ValueTree<Window> ValueTree<Window>::list(std::vector<ValueTree> elements) {
  ValueTree value;
  value.kind = Kind::List;
  value.elements = std::move(elements);
  return value;
}

template <typename Window>
ValueTree<Window> ValueTree<Window>::ofLiteral(Argument literal) {
  ValueTree value;
  value.kind = Kind::Literal;
  value.literal = literal;
  return value;
}

template <typename Window>
ValueTree<Window> ValueTree<Window>::ofObject(Identifier text) {
  ValueTree value;
  value.kind = Kind::Object;
  value.object = text;
  return value;
}

struct PlanOperand {
  PlanValue value;
  /// whether the step reads or writes its elements' bytes; neither if only the sizes are used
  bool reads = true;
  bool writes = false;
  friend bool operator==(const PlanOperand &, const PlanOperand &) = default;
};

/// One call of an operator that computes. Argument trees are the graph's, except for leaves of kind Operand, whose
/// index is one of `operands`.
struct KernelStep {
  const OpDef *op = nullptr;
  llvm::ArrayRef<Argument> args;
  llvm::ArrayRef<NamedArgument> kwargs;
  std::vector<PlanOperand> operands;
  /// The place of each result. A window that is also an operand's is a result that the operator returns in place.
  PlanValue result;
};

/// The tensors that one rank sends and receives in one row of a collective: contiguous windows, or none.
struct PlanRow {
  std::optional<PlanWindow> send;
  std::optional<PlanWindow> receive;
};

/// One call of a collective, or one end of a transfer.
struct PlanCollective {
  CollectiveKind kind = CollectiveKind::AllReduce;
  /// index in Plan::groups
  uint32_t group = 0;
  std::optional<ReduceOp> reduceOp;
  /// broadcast and scatter: rank within the group, else -1
  int64_t root = -1;
  /// of a transfer: the other end's rank within the group, and the tag
  int64_t peer = -1;
  int64_t tag = 0;
  /// one for each tensor of a list, none for a barrier
  llvm::SmallVector<PlanRow, 1> rows;
  /// all_to_all: elements for and from each member, in the group's order
  llvm::SmallVector<Dim, 0> sendCounts;
  llvm::SmallVector<Dim, 0> receiveCounts;
};

/// Calls that start together: one collective, or the independent transfers of a batch.
struct CollectiveStep {
  llvm::SmallVector<PlanCollective, 1> calls;
};

/// Copies elements of one window to another of the same sizes and dtype: to or from memory that a collective can use,
/// or the host's memory.
struct CopyStep {
  PlanWindow from;
  PlanWindow to;
};

struct PlanStep {
  /// the node from which it was created; several steps may have the same node
  Identifier name;
  StreamId stream = 0;
  llvm::SmallVector<EventId, 2> waits;
  std::optional<EventId> event;
  std::variant<KernelStep, CollectiveStep, CopyStep> work;

  [[nodiscard]] const KernelStep *kernel() const { return std::get_if<KernelStep>(&work); }
  [[nodiscard]] const CollectiveStep *collective() const { return std::get_if<CollectiveStep>(&work); }
  [[nodiscard]] const CopyStep *copy() const { return std::get_if<CopyStep>(&work); }
};

struct PlanStream {
  enum class Kind : uint8_t { Host, Compute, Collective, Transfer, HostCopy };
  Kind kind = Kind::Compute;
  /// "host", "compute", "comm:tp", "comm:0", "send:pp:1:0", "host-copies"
  std::string name;
  /// of transfers, and of the collectives of one group: index in Plan::groups; empty if groups share the stream
  std::optional<uint32_t> group;
};

/// A value that the caller provides: a tensor, a number, or an object that the program only passes on.
struct PlanInput {
  /// "in.<placeholder>" or "attr.<target>"
  std::string name;
  PlanValue value;
  /// The caller's view of this input after the run; None unless the program may have changed it.
  PlanValue after;
};

/// The places of the buffers for one binding of the program's symbols.
struct PlanLayout {
  /// symbol and value, in order of first appearance; none for a program without
  std::vector<std::pair<Identifier, int64_t>> symbols;
  /// by buffer: bytes from the start of its arena; 0 for a buffer outside arenas
  std::vector<int64_t> offsets;
  int64_t computeBytes = 0;
  int64_t communicationBytes = 0;
  /// Peak of live bytes in the one arena, and in the other: a lower bound of the arenas' total size.
  int64_t liveBytes = 0;
};

/// Alignments in bytes: of the bases of arenas, and of buffers in them.
inline constexpr int64_t arenaAlignment = 4096;
inline constexpr int64_t bufferAlignment = 64;

class Plan {
public:
  /// The first two streams of every plan.
  static constexpr StreamId hostStream = 0;
  static constexpr StreamId computeStream = 1;

  explicit Plan(Context &context);
  Plan(const Plan &) = delete;
  Plan &operator=(const Plan &) = delete;

  [[nodiscard]] Context &context() const { return *context_; }

  std::string name;
  /// digest of the graph from which it was created (digest.h)
  std::string graphDigest;
  /// the rank of this program; empty for one that serves every rank
  std::optional<int64_t> rank;
  std::optional<int64_t> worldSize;
  /// the groups of its calls, and the groups of its guards
  std::vector<Group> groups;
  /// guards of the graph: an engine checks them before it runs the plan (checkGuards)
  std::vector<Guard> guards;
  std::vector<PlanStream> streams;
  std::vector<PlanBuffer> buffers;
  uint32_t numEvents = 0;
  uint32_t numSlots = 0;
  std::vector<PlanInput> inputs;
  /// in the order of issue
  std::vector<PlanStep> steps;
  /// The results of the program, lists flattened, in order. An engine names the i-th out.<i> if it is a tensor or a
  /// number; None, words and objects keep their positions but are not returned.
  std::vector<PlanValue> outputs;
  PlanLayout layout;

  // --- Argument trees ---------------------------------------------------------------------------------------
  /// Returns a deep copy in this plan's memory, in which operand i is operand map(i).
  [[nodiscard]] Argument copy(const Argument &tree, llvm::function_ref<uint32_t(uint32_t)> map);
  [[nodiscard]] Argument sequence(Argument::Kind kind, llvm::ArrayRef<Argument> elements);
  [[nodiscard]] llvm::ArrayRef<Argument> keep(llvm::ArrayRef<Argument> arguments);
  [[nodiscard]] llvm::ArrayRef<NamedArgument> keep(llvm::ArrayRef<NamedArgument> arguments);

private:
  Context *context_;
  llvm::BumpPtrAllocator arena_;
};

/// Calls `visit` with each window in a value, lists included, in order.
void forEachWindow(const PlanValue &value, llvm::function_ref<void(const PlanWindow &)> visit);
/// Calls `visit` with each slot in a value.
void forEachSlot(const PlanValue &value, llvm::function_ref<void(SlotId)> visit);

/// A step's access to one range of memory, or to one number.
struct PlanAccess {
  /// null for a number
  const PlanWindow *window = nullptr;
  SlotId slot = 0;
  bool reads = false;
  bool writes = false;
};
/// Visits all accesses of a step, operands first, then results. A window that is read and written may occur twice.
void forEachAccess(const PlanStep &step, llvm::function_ref<void(const PlanAccess &)> visit);

/// The bytes of its buffer from a window's first element to its last.
struct ByteRange {
  int64_t begin = 0;
  int64_t end = 0;
  friend bool operator==(const ByteRange &, const ByteRange &) = default;
};
/// Returns an empty value if a symbol that it depends on has no value, or a number is too large. The size of a
/// dimension of stride 0 matters only because it may be 0: without a value, it is assumed not to be 0.
[[nodiscard]] std::optional<ByteRange> bytesOf(const PlanWindow &window, SymbolLookup lookup);
/// Returns the value of a symbol in a layout's binding.
[[nodiscard]] std::optional<int64_t> symbolOf(const PlanLayout &layout, llvm::StringRef symbol);
/// Returns the same as a SymbolLookup, which refers to the layout.
[[nodiscard]] inline auto symbolsOf(const PlanLayout &layout) {
  return [&layout](llvm::StringRef symbol) { return symbolOf(layout, symbol); };
}

} // namespace ccgraph
