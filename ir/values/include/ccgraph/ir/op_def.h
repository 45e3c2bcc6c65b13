// OpDef: the properties of an operator. OpTable: the only list of operators.
//
// PyTorch's operators come from a table generated from their public schemas (tools/gen-op-table). Additional facts (the
// meaning of a collective's arguments, type rules, work, undeclared effects) are in families under
// ir/operators/lib/ops. An operator in neither is *opaque*: kept, printed back, ordered against everything, unless the
// user declares it (`--ops`). The storages that an operator shares and writes, and its communication, are defined here
// only.
//
// Ownership: OpDefs belong to the OpTable of a Context, and their addresses stay valid as long as it; declare() changes
// one in place. Failure: declare() alone, if a schema does not parse; an unknown operator is not an error.
// Cost: a look-up is a hash; a schema is parsed on the first look-up of its operator (some microseconds), and nothing
// is built at start-up.
#pragma once

#include "ccgraph/ir/argument.h"
#include "ccgraph/ir/type.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <bit>
#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ccgraph {

class Graph;
class Node;

/// The accesses of a node to one data operand; a set of bits.
enum class Access : uint8_t {
  Nothing = 0,
  /// reads the elements when it is issued
  Read = 1,
  /// writes the elements when it is issued
  Write = 2,
  /// the result (or an element of it) shares, or may share, the operand's storage
  Alias = 4,
  /// reads the elements until the wait on its result
  InFlightRead = 8,
  /// writes the elements until the wait on its result
  InFlightWrite = 16,
  /// the result depends on the tensor's place in its storage (offset, alignment), or on the size of that storage and
  /// the other tensors in it: as_strided, view as another dtype, resize_, kernels that load whole vectors, a caller
  Place = 32,
  /// changes the tensor itself: its sizes, strides, offset, its storage or the size of that (`t_`, `resize_`, `set_`,
  /// an `out` of another size). Every name of the tensor shows the change. So in a storage that some step reshapes,
  /// each operand that names it is a reader: views, getitem and `sym_size` too, which read no element.
  Reshape = 64,
  /// ends what is in flight in the storage: the access of a wait
  Complete = 128,
};
constexpr Access operator|(Access a, Access b) {
  return static_cast<Access>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}
/// Returns true if the set has any of these kinds.
constexpr bool hasAny(Access set, Access kinds) {
  return (static_cast<uint8_t>(set) & static_cast<uint8_t>(kinds)) != 0;
}
/// Returns true if the set has this one kind.
constexpr bool has(Access set, Access kind) {
  assert(std::has_single_bit(static_cast<uint8_t>(kind)) && "several kinds: hasAny");
  return hasAny(set, kind);
}

/// One parameter of a schema, e.g. `Tensor(a!)[] self` or `*, Scalar alpha=1`.
struct OpParam {
  std::string name;
  /// without alias annotation: "Tensor", "Tensor[]", "SymInt[]?", "Scalar"
  std::string type;
  /// as written in the schema; empty if there is none
  std::string defaultValue;
  /// alias set letter, 0 for none
  char alias = 0;
  /// '!' in the annotation
  bool writes = false;
  bool keywordOnly = false;
  /// access to a tensor given here, undeclared effects included; effects.h refines it by arguments
  Access access = Access::Read;
};

/// One result: its type and which parameters' storage it may share.
struct OpResult {
  std::string type;
  /// alias set letter shared with parameters; 0: fresh storage
  char alias = 0;
};

/// Kinds of communication, named like PyTorch's functional collectives.
enum class CollectiveKind : uint8_t {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  Broadcast,
  Scatter,
  Send,
  Recv,
  BatchP2P,
  ShardDimAllToAll,
  Barrier
};
/// Properties of every call of one kind.
struct CollectiveTraits {
  CollectiveKind kind;
  /// "all_reduce"
  llvm::StringLiteral name;
  /// between two ranks rather than among all members of the group
  bool isPointToPoint;
  /// Every member of the group issues it alike, and it has no effect besides its results: if all ranks drop a call
  /// without readers, no rank waits for it.
  bool leavesOnlyResults;
  /// the functional operators of one tensor and of a list, with full names; empty if PyTorch has none
  llvm::StringLiteral single;
  llvm::StringLiteral list;
};
[[nodiscard]] const CollectiveTraits &traitsOf(CollectiveKind kind);
/// "all_reduce", "all_gather", ...
[[nodiscard]] inline llvm::StringRef collectiveName(CollectiveKind kind) { return traitsOf(kind).name; }
[[nodiscard]] inline bool isPointToPoint(CollectiveKind kind) { return traitsOf(kind).isPointToPoint; }

/// The positions of a collective's arguments. Positions are the schema's (names changed between PyTorch releases); -1:
/// there is no such argument.
struct CollectiveSpec {
  CollectiveKind kind = CollectiveKind::AllReduce;
  /// accepts and returns a list of tensors
  bool coalesced = false;
  /// the result is the input's storage (all_reduce_), in flight too
  bool inPlace = false;
  /// the input is read at launch: it may be overwritten before the wait (functional all_reduce,
  /// broadcast)
  bool copiesAtLaunch = false;
  /// Each first wait on an element of the list may copy all results once more (gloo keeps them in a buffer of its own,
  /// and every wait empties it). A write to a result between two of the waits is lost.
  bool waitsRewriteAll = false;
  /// complete when it returns: no wait (shard_dim_alltoall, the legacy c10d in-place forms traced without work)
  bool synchronous = false;
  /// group given as `tag, ranks, group_size` (c10d_functional) or as an object (c10d)
  bool legacy = false;
  /// The returned tensors are known to be the buffers that it fills, in their order (c10d.allgather_).
  bool yieldsBuffers = false;
  int8_t input = 0;
  /// parameter that receives the result (`out`, irecv's buffer, c10d outputs)
  int8_t output = -1;
  int8_t reduceOp = -1;
  int8_t groupSize = -1;
  /// the group's name; for legacy forms the position of `ranks` (tag is before it, group_size after)
  int8_t group = -1;
  /// rank within the group
  int8_t root = -1;
  /// rank within the group, or list of them
  int8_t peer = -1;
  int8_t outputSplits = -1;
  int8_t inputSplits = -1;
};

/// The tensor arguments of a functional collective.
enum class CollectiveForm : uint8_t {
  /// one tensor in, one out: all_reduce
  Single,
  /// a list in, a list out: all_reduce_coalesced
  List,
};
/// Returns the functional operator of a kind in a form, with its full name:
/// "_c10d_functional.all_reduce_coalesced.default". Empty if PyTorch has none.
[[nodiscard]] inline llvm::StringRef formOf(CollectiveKind kind, CollectiveForm form) {
  return form == CollectiveForm::Single ? traitsOf(kind).single : traitsOf(kind).list;
}
/// Returns false if PyTorch's list form rejects a dtype that its single form accepts, on every backend. `reduceOp` as
/// in the call, in lower case; empty if there is none. Dtypes that a backend rejects in every form are not considered.
[[nodiscard]] bool listFormTakes(CollectiveKind kind, llvm::StringRef reduceOp, DType dtype);

/// Nodes of the same domain may not be reordered, whatever their data edges. Nodes of different domains may be, except
/// for `All`.
enum class Domain : uint8_t {
  None,
  /// random state
  Rng,
  /// communication on one group, in issue order
  Comm,
  /// visible to the host: asserts, item(), profiler marks; never removed
  Host,
  /// opaque: may read and write every storage that it can reach
  All,
};

/// The kind of step of an operator, where passes and engines must distinguish.
enum class OpRole : uint8_t {
  Compute,
  /// has a CollectiveSpec
  Collective,
  /// starts a copy of a tensor to the host's memory or back: ao.offload, ao.reload
  HostCopy,
  /// wait_tensor, wait_tensors
  Wait,
  /// element of a list result, operator.getitem
  GetItem,
  /// higher_order.control_deps: a call in a subgraph, plus ordering
  ControlDeps,
  /// any other operator with subgraphs
  HigherOrder,
};

/// Work of one node on one rank, for the cost model. Units: floating-point operations (a multiply-add is 2, as in
/// torch.utils.flop_counter), and bytes read plus written. Bytes on the network are excluded: see inputBytes and
/// outputBytes in collective.h.
struct Work {
  double flops = 0;
  double bytes = 0;
};

/// An operand that holds indices into a dimension of another argument.
struct IndexUse {
  enum class Into : uint8_t {
    /// dimension 0, or 1, of the parameter `data`
    First,
    Second,
    /// the dimension that parameter 1 gives
    Stated,
    /// a list of indices: the i-th into dimension i
    Each,
    /// any number below the value of parameter `data`
    Number,
  };
  int8_t index = -1;
  int8_t data = -1;
  Into into = Into::First;
};

struct OpDef;
namespace infer {
struct Call;
} // namespace infer
/// Infers the result type from the arguments; null if it cannot be determined. type_inference.h applies the rules.
using TypeRule = const Type *(*)(infer::Call &call);

/// The place where a view begins.
struct ViewOffset {
  /// elements of the viewed tensor's dtype from its first element to the view's
  Dim elements;
  /// Counted from the start of the storage instead (as_strided with an offset).
  bool fromStorage = false;
  /// Follows from the sizes and strides of the viewed tensor.
  bool readsStrides = false;
};
/// Returns where a view, or element `element` of a list of views, begins in a tensor of type `from`, whose strides are
/// known. Empty if an argument is no number, or the view shows no element of the tensor unchanged (conj).
using ViewRule = std::optional<ViewOffset> (*)(const Node &view, unsigned element, const Type &from);
/// Returns the work of a node with known types; empty if it cannot be determined.
using WorkRule = std::optional<Work> (*)(const Node &node);
/// Whether a node of an operator that may alias does alias: its types and arguments may prove either.
enum class Sharing : uint8_t { Unknown, View, Copy };
using SharingRule = Sharing (*)(const Node &node);

/// One operator overload. Read-only outside the table. Flags are what the schema and the families state for any
/// arguments; effectsOf() returns the effects of one call.
struct OpDef {
  Identifier target;
  std::vector<OpParam> params;
  std::vector<OpResult> results;
  OpRole role = OpRole::Compute;
  /// domain of the operator; effects.h refines it by arguments
  Domain domain = Domain::None;
  std::optional<CollectiveSpec> collective;
  TypeRule typeRule = nullptr;
  /// True if the results of typeRule are valid for every program, except where a call uses a default of PyTorch. Graphs
  /// are checked against such a rule; the results of other rules are assumed.
  bool typeIsCertain = false;
  /// of views, and of operators that may yield one
  ViewRule view = nullptr;
  WorkRule work = nullptr;
  /// with mayAlias: distinguishes view from copy
  SharingRule sharing = nullptr;
  /// not in any table and not declared
  bool opaque = false;
  /// the result always shares its operand's storage and no data is read (view, getitem, slice, t, ...)
  bool isView = false;
  /// the result shares its operand's storage or is a copy (reshape, contiguous, to): reads data
  /// unless strides prove a view
  bool mayAlias = false;
  /// has an effect that no edge shows: never dead (waits, collectives, host, writes, random state)
  bool keepAlways = false;
  /// some result has storage of its own
  bool freshResult = true;
  /// some parameter has Access::Reshape
  bool reshapes = false;
  /// reshapes its operand in place but keeps each element in its place (t_, squeeze_)
  bool rearranges = false;
  /// The result lies in the host's memory, so it takes none of the device (ao.offload).
  bool hostResult = false;
  /// of a wait: the parameter whose storage it frees (`keepalive` of ao.wait_tensor); -1: none
  int8_t frees = -1;
  /// ends in `...`: further arguments are treated like the last parameter
  bool variadic = false;
  /// each element of a result is a (possibly converted) operand element or a constant: nothing is computed
  bool movesBytes = false;
  /// results contain values of the operands only (cat, clone, casts); the same is true of views
  bool keepsValues = false;
  /// meant for numbers above zero (log, sqrt)
  bool wantsPositive = false;
  /// maps numbers above zero to such numbers, often enough for generated inputs (add, mul)
  bool keepsPositive = false;
  std::optional<IndexUse> indices;
  /// parameter whose value 0 makes a random operator deterministic
  int8_t dropout = -1;
  /// parameter whose value False has the same effect
  int8_t training = -1;

  /// Returns true for an operator that starts work which ends at a wait: a collective, or a copy to or from the host.
  [[nodiscard]] bool launches() const { return role == OpRole::HostCopy || (collective && !collective->synchronous); }
  /// Returns the position of a parameter; -1 if there is none of this name. Linear in the parameters.
  [[nodiscard]] int paramIndex(llvm::StringRef name) const;
  /// Returns the parameter that the operator writes and whose tensor is its first result (in-place and out= forms);
  /// empty if the operator has none. Linear in the parameters.
  [[nodiscard]] std::optional<size_t> yieldedParameter() const;
};

/// A user's declaration of an operator that PyTorch's table does not contain.
struct OpDeclaration {
  /// "mylib::scale(Tensor x, float s) -> Tensor", with alias annotations; the overload may be left out
  std::string schema;
  /// false: ordered against everything
  bool pure = true;
};

/// All operators of one Context, created on demand.
class OpTable {
public:
  explicit OpTable(Context &context);
  ~OpTable();

  /// Returns the operator of this target ("aten.mm.default", "operator.getitem", with or without "torch.ops."). An
  /// opaque operator is created for an unknown target. Never null.
  [[nodiscard]] const OpDef *lookup(Identifier target);
  [[nodiscard]] const OpDef *lookup(llvm::StringRef target);
  /// Adds or replaces an operator, for later graphs and existing ones. Error: the schema does not parse (with the
  /// column).
  [[nodiscard]] llvm::Error declare(const OpDeclaration &declaration);
  /// Returns true if some declared operator may reshape a tensor; then any graph may.
  [[nodiscard]] bool declaresReshape() const;
  /// Returns the targets with additional facts (collectives, type rules, work), sorted: the operators in docs/ops.md.
  [[nodiscard]] std::vector<const OpDef *> described();
  /// Returns the number of operators of the generated table.
  [[nodiscard]] static size_t numGenerated();

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Returns the argument at parameter `index` of a node's operator: the positional argument there, else the keyword
/// argument of that name; null if left out (its default applies).
[[nodiscard]] const Argument *argumentAt(const Node &node, int index);

/// Returns a target without its overload: "aten.add" of "aten.add.Tensor" and of "torch.ops.aten.add.Tensor".
[[nodiscard]] llvm::StringRef baseOfTarget(llvm::StringRef target);

} // namespace ccgraph
