// Plan: what a rank runs. An ordered list of steps on streams, over memory that is laid out in advance.
//
// A Graph says what depends on what; a Plan says what the hardware is to do. Nothing in it has to be worked
// out again: each step carries its operator, its literals, and for every tensor a *window* (which buffer,
// where in it, dtype, sizes, strides). So an engine needs no Graph, and a verifier can judge a Plan alone
// (plan_verifier.h).
//
//   host      issues the steps in the order of the list, and itself runs the steps of the host stream: a
//             step that stands after a host step begins when that one has ended
//   streams   run what was issued to them in that order, each at its own pace
//   events    order streams: a step begins when all events that it waits for are recorded, and records its
//             own when it has ended. Each event is recorded by one step, which stands before those that wait
//   the end   of the list is reached when all streams are empty
//
// There is no step for a view (it is another window), nor for wait_tensor: whoever touches a result waits
// for the event of the collective that made it.
//
// Memory: a *buffer* is what one operator allocated. Buffers of inputs and attributes are the caller's.
// The others lie in the rank's arena, where the layout says; buffers whose size is known only while the
// program runs are allocated then. Two buffers may lie on the same bytes if all uses of one end before those
// of the other begin. Where a network wants the memory that it reads and fills apart from all other, there is
// a second arena for it; by default there is none, since two arenas cannot lend each other what they do not
// need at the moment (for FSDP that is up to 1.8 times the memory). Bases of arenas are aligned to 4096 bytes,
// which is what registration with a network asks for.
//
// One Plan serves every rank that runs the graph it was made of: groups are lists of ranks, or partitions of
// which a rank takes its own cell. Offsets are so the same on all of them.
//
// Example: c = all_reduce(a); b = relu(x); w = wait(c); r = add(w, b) becomes
//   0 stream comm:tp   all_reduce sum  a -> c           records e0
//   1 stream compute   relu            x -> b
//   2 stream compute   add             c, b -> r        waits for e0
//
// Ownership: a Plan owns its steps and their argument trees; types, operators, names and symbols belong to
// its Context, which must outlive it. Copies are made by no one. Failure: none here; what makes a Plan
// (lowering, a reader) reports errors, and the verifier finds what is wrong in one. Cost: plain data; a step
// of two operands takes about 400 bytes.
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
/// A number that is known only while the program runs: the result of a host step, or a number that is an input.
using SlotId = uint32_t;

/// Where a buffer's memory comes from.
enum class Home : uint8_t {
  /// an input of the program: the caller brings it, and sees what was written to it
  Input,
  /// an attribute (get_attr), likewise
  Attribute,
  /// the rank's arena
  Compute,
  /// the arena of communication, where there is one: some collective sends or receives here
  Communication,
  /// allocated while the program runs, since its size is not known before
  Growing,
};
/// "input", "attribute", "compute", "communication", "growing".
[[nodiscard]] llvm::StringRef homeName(Home home);

struct PlanBuffer {
  /// the node that allocates it; for an input its placeholder, for an attribute its target
  Identifier name;
  Home home = Home::Compute;
  /// what all windows onto it may reach; of no meaning where it grows
  Dim bytes;
};

/// Where one tensor's elements lie.
struct PlanWindow {
  BufferId buffer = 0;
  /// a tensor type with strides; its device is where the tensor lives
  const Type *type = nullptr;
  /// elements of that dtype from the buffer's beginning to the tensor's first
  Dim offset;
  friend bool operator==(const PlanWindow &, const PlanWindow &) = default;
};

/// What an operator is given or yields.
struct PlanValue {
  enum class Kind : uint8_t {
    /// None, or a result that nobody asks for
    None,
    Tensor,
    Number,
    List,
    /// a number, word or None that the program spells out: returned as it is
    Literal,
    /// what a program only passes on: a device mesh, a generator
    Object
  };
  Kind kind = Kind::None;
  PlanWindow window; ///< of a tensor
  SlotId slot = 0;   ///< of a number
  /// of a number: Sym(...) where the program states it, else null
  const Type *numberType = nullptr;
  std::vector<PlanValue> elements; ///< of a list
  Argument literal;                ///< of a literal: no operand, no sequence
  Identifier object;               ///< of an object: what messages call it

  static PlanValue tensor(PlanWindow window);
  static PlanValue number(SlotId slot, const Type *type);
  static PlanValue list(std::vector<PlanValue> elements);
  static PlanValue spelledOut(Argument literal);
  static PlanValue thing(Identifier text);
  friend bool operator==(const PlanValue &a, const PlanValue &b);
};

struct PlanOperand {
  PlanValue value;
  /// which of its elements' bytes the step touches; neither where only the sizes are looked at
  bool reads = true;
  bool writes = false;
  friend bool operator==(const PlanOperand &, const PlanOperand &) = default;
};

/// One call of an operator that computes. Argument trees are the graph's, but for leaves of kind Operand, whose
/// index is one of `operands`.
struct KernelStep {
  const OpDef *op = nullptr;
  llvm::ArrayRef<Argument> args;
  llvm::ArrayRef<NamedArgument> kwargs;
  std::vector<PlanOperand> operands;
  /// Where each result goes. A window that an operand has too is a result that the operator yields in place.
  PlanValue result;
};

/// What one rank sends and receives in one row of a collective: contiguous windows, or none.
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
  /// one for each tensor of a list, none of a barrier
  llvm::SmallVector<PlanRow, 1> rows;
  /// all_to_all: elements for and from each member, in the group's order
  llvm::SmallVector<Dim, 0> sendCounts;
  llvm::SmallVector<Dim, 0> receiveCounts;
};

/// Calls that start together: one collective, or the transfers of a batch, of which none may depend on another.
struct CollectiveStep {
  llvm::SmallVector<PlanCollective, 1> calls;
};

/// Elements of one window into another of the same sizes and dtype: into or out of what a collective can read.
struct CopyStep {
  PlanWindow from;
  PlanWindow to;
};

struct PlanStep {
  /// the node that it was made of; several steps may be of one
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
  enum class Kind : uint8_t { Host, Compute, Collective, Transfer };
  Kind kind = Kind::Compute;
  /// "host", "compute", "comm:tp", "comm:0", "send:pp:1:0"
  std::string name;
  /// of transfers, and of the collectives of one group: index in Plan::groups; empty where groups share the stream
  std::optional<uint32_t> group;
};

/// What the caller brings: a tensor, a number, or an object that the program only passes on.
struct PlanInput {
  /// "in.<placeholder>" or "attr.<target>"
  std::string name;
  PlanValue value;
  /// What the caller sees under this name afterwards; None unless the program may have changed it.
  PlanValue after;
};

/// Where the buffers lie for one binding of the program's symbols.
struct PlanLayout {
  /// symbol and value, in order of first appearance; none for a program without
  std::vector<std::pair<Identifier, int64_t>> symbols;
  /// by buffer: bytes from the beginning of its arena; 0 for one that lies in none
  std::vector<int64_t> offsets;
  int64_t computeBytes = 0;
  int64_t communicationBytes = 0;
  /// Most bytes that are alive at once in the one arena, and in the other: no two arenas can be smaller together.
  int64_t liveBytes = 0;
};

/// Of the bases of arenas, and of buffers in them.
inline constexpr int64_t arenaAlignment = 4096;
inline constexpr int64_t bufferAlignment = 64;

class Plan {
public:
  /// The first two streams, whatever the program.
  static constexpr StreamId hostStream = 0;
  static constexpr StreamId computeStream = 1;

  explicit Plan(Context &context);
  Plan(const Plan &) = delete;
  Plan &operator=(const Plan &) = delete;

  [[nodiscard]] Context &context() const { return *context_; }

  std::string name;
  /// of the graph that it was made of (digest.h)
  std::string graphDigest;
  /// whose program this is; empty for one that serves every rank
  std::optional<int64_t> rank;
  std::optional<int64_t> worldSize;
  /// those that its calls communicate in, and those that guards are of
  std::vector<Group> groups;
  /// of the graph: what an engine asks before it runs the plan (checkGuards)
  std::vector<Guard> guards;
  std::vector<PlanStream> streams;
  std::vector<PlanBuffer> buffers;
  uint32_t numEvents = 0;
  uint32_t numSlots = 0;
  std::vector<PlanInput> inputs;
  /// in the order of issue
  std::vector<PlanStep> steps;
  /// What the program returns, lists taken apart, in order. An engine calls the i-th out.<i>, where it is a tensor or a
  /// number; None, words and objects keep their places but are not handed over.
  std::vector<PlanValue> outputs;
  PlanLayout layout;

  // --- Argument trees ---------------------------------------------------------------------------------------
  /// A deep copy in this plan's memory, in which operand i is operand map(i).
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

/// What a step does to one stretch of memory, or to one number.
struct PlanAccess {
  /// null for a number
  const PlanWindow *window = nullptr;
  SlotId slot = 0;
  bool reads = false;
  bool writes = false;
};
/// All that a step touches, operands first, then results. A window that is read and written may come twice.
void forEachAccess(const PlanStep &step, llvm::function_ref<void(const PlanAccess &)> visit);

/// Bytes of its buffer that a window reaches from its first element to its last.
struct ByteRange {
  int64_t begin = 0;
  int64_t end = 0;
  friend bool operator==(const ByteRange &, const ByteRange &) = default;
};
/// Empty where a symbol that it depends on has no value, or a number is too large. The size of a dimension of stride 0
/// matters only in that it may be 0: where it has no value, it is taken not to be.
[[nodiscard]] std::optional<ByteRange> bytesOf(const PlanWindow &window, SymbolLookup lookup);
/// The value that a layout's binding gives to a symbol.
[[nodiscard]] std::optional<int64_t> symbolOf(const PlanLayout &layout, llvm::StringRef symbol);
/// The same as a SymbolLookup. Refers to the layout.
[[nodiscard]] inline auto symbolsOf(const PlanLayout &layout) {
  return [&layout](llvm::StringRef symbol) { return symbolOf(layout, symbol); };
}

} // namespace ccgraph
