// OpDef: what an operator is. OpTable: the only place that lists operators.
//
// PyTorch's operators come from a table generated from their public schemas (tools/gen-op-table);
// our own knowledge, what a collective's arguments mean, shape rules, work, undeclared effects,
// stands beside it in families under ir/lib/ops. An operator in neither is *opaque*: kept, printed
// back, ordered against everything, unless the user declares it (`--ops`). What an operator shares,
// writes and communicates is said here and nowhere else.
//
// Ownership: OpDefs belong to the OpTable of a Context, and their addresses stay valid as long as
// it; declare() changes one in place. Failure: declare() alone, where a schema does not parse; an
// unknown operator is not an error.
// Cost: a look-up is a hash; a schema is parsed on the first look-up of its operator (some
// microseconds), and nothing is built at start-up.
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

/// What a node does with one data operand; a set of bits.
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
  /// what comes of it depends on where the tensor lies in its storage (offset, alignment), or on how far that storage
  /// reaches and who shares it: as_strided, view as another dtype, resize_, kernels that load whole vectors, a caller
  Place = 32,
  /// changes the tensor itself: its sizes, strides, offset, or the storage that it has or how large that is (`t_`,
  /// `resize_`, `set_`, an `out` of another size). Every name of the tensor shows it, so of a storage that somebody
  /// reshapes, each operand that names it is a reader: views, getitem and `sym_size` too, which read no element.
  Reshape = 64,
  /// ends what is in flight in the storage: this is what a wait waits on
  Land = 128,
};
constexpr Access operator|(Access a, Access b) {
  return static_cast<Access>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}
/// Any of these kinds.
constexpr bool hasAny(Access set, Access kinds) {
  return (static_cast<uint8_t>(set) & static_cast<uint8_t>(kinds)) != 0;
}
/// This one kind.
constexpr bool has(Access set, Access kind) {
  assert(std::has_single_bit(static_cast<uint8_t>(kind)) && "several kinds: hasAny");
  return hasAny(set, kind);
}

/// One parameter of a schema, e.g. `Tensor(a!)[] self` or `*, Scalar alpha=1`.
struct OpParam {
  std::string name;
  /// without alias annotation: "Tensor", "Tensor[]", "SymInt[]?", "Scalar"
  std::string type;
  /// as the schema spells it; empty where there is none
  std::string defaultValue;
  /// alias set letter, 0 for none
  char alias = 0;
  /// '!' in the annotation
  bool writes = false;
  bool keywordOnly = false;
  /// of a tensor given here, undeclared effects included; effects.h refines it by arguments
  Access access = Access::Read;
};

/// One result: its type and which parameters' storage it may share.
struct OpResult {
  std::string type;
  /// alias set letter shared with parameters; 0: fresh storage
  char alias = 0;
};

/// Kinds of communication, spelled as PyTorch's functional collectives spell them.
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
/// "all_reduce", "all_gather", ...
[[nodiscard]] llvm::StringRef collectiveName(CollectiveKind kind);
/// Send, Recv and BatchP2P: between two ranks rather than among all members of the group.
[[nodiscard]] bool isPointToPoint(CollectiveKind kind);

/// Where a collective's arguments stand. Positions are the schema's (names changed between PyTorch releases); -1: there
/// is none.
struct CollectiveSpec {
  CollectiveKind kind = CollectiveKind::AllReduce;
  /// takes and yields a list of tensors
  bool coalesced = false;
  /// the result is the input's storage (all_reduce_), which is so in flight too
  bool inPlace = false;
  /// the input is read at launch: it may be overwritten before the wait (functional all_reduce,
  /// broadcast)
  bool copiesAtLaunch = false;
  /// Each first wait on an element of the list may copy all results once more (gloo keeps them in a buffer of its own,
  /// and every wait empties it): a result that was written between two of the waits is lost.
  bool waitsRewriteAll = false;
  /// finished when it returns: no wait (shard_dim_alltoall, the legacy c10d in-place forms
  /// traced without work)
  bool synchronous = false;
  /// group given as `tag, ranks, group_size` (c10d_functional) or as an object (c10d)
  bool legacy = false;
  int8_t input = 0;
  /// parameter that receives the result (`out`, irecv's buffer, c10d outputs)
  int8_t output = -1;
  int8_t reduceOp = -1;
  int8_t groupSize = -1;
  /// the group's name; for legacy forms the position of `ranks` (tag stands before, group_size after)
  int8_t group = -1;
  /// rank within the group
  int8_t root = -1;
  /// rank within the group, or list of them
  int8_t peer = -1;
  int8_t outputSplits = -1;
  int8_t inputSplits = -1;
};

/// How a functional collective takes its tensors.
enum class CollectiveForm : uint8_t {
  /// one tensor in, one out: all_reduce
  Single,
  /// a list in, a list out: all_reduce_coalesced
  List,
};
/// The functional operator of a kind in a form, in full: "_c10d_functional.all_reduce_coalesced.default". Empty where
/// PyTorch has none.
[[nodiscard]] llvm::StringRef formOf(CollectiveKind kind, CollectiveForm form);
/// False where PyTorch's form on a list refuses a dtype that its single form takes, on every backend. `reduceOp` as
/// the call spells it, in lower case; empty where there is none. What a backend refuses in every form is not asked here.
[[nodiscard]] bool listFormTakes(CollectiveKind kind, llvm::StringRef reduceOp, DType dtype);

/// What may not be reordered against the same domain, whatever the data edges say. Different domains pass each other,
/// except `All`.
enum class Domain : uint8_t {
  None,
  /// random state
  Rng,
  /// communication on one group, in issue order
  Comm,
  /// what the host sees: asserts, item(), profiler marks; never removed
  Host,
  /// opaque: may read and write every storage that it can reach
  All,
};

/// What kind of step an operator is, where passes and engines must tell.
enum class OpRole : uint8_t {
  Compute,
  /// has a CollectiveSpec
  Collective,
  /// wait_tensor, wait_tensors
  Wait,
  /// element of a list result, operator.getitem
  GetItem,
  /// higher_order.control_deps: a call in a subgraph, plus ordering
  ControlDeps,
  /// any other operator with subgraphs
  HigherOrder,
};

/// Work of one node on one rank, for the cost model. Units: floating-point operations (a
/// multiply-add is 2, as torch.utils.flop_counter counts), and bytes read plus written. What moves
/// over the network is not in it: see inputBytes and outputBytes in collective.h.
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
    /// anything below the number that parameter `data` is
    Number,
  };
  int8_t index = -1;
  int8_t data = -1;
  Into into = Into::First;
};

struct OpDef;
/// Infers the result type from the arguments; null where it cannot be told. An error says what is wrong with the
/// arguments (got, expected).
using ShapeRule = llvm::Expected<const Type *> (*)(const Node &node);
/// Work of a node with known types; empty where it cannot be told.
using WorkRule = std::optional<Work> (*)(const Node &node);
/// Whether a node of an operator that may alias does: its types and arguments may prove either.
enum class Sharing : uint8_t { Unknown, View, Copy };
using SharingRule = Sharing (*)(const Node &node);

/// One operator overload. Read only outside of the table; flags are what the schema and our
/// families say of it for any arguments, and effectsOf() says what holds of a call.
struct OpDef {
  Identifier target;
  std::vector<OpParam> params;
  std::vector<OpResult> results;
  OpRole role = OpRole::Compute;
  /// of the operator; effects.h refines it by arguments
  Domain domain = Domain::None;
  std::optional<CollectiveSpec> collective;
  ShapeRule shape = nullptr;
  WorkRule work = nullptr;
  /// where mayAlias: tells view from copy
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
  /// ends in `...`: what is given beyond the parameters is treated as the last one
  bool variadic = false;
  /// each element of a result is one of an operand, converted perhaps, or a constant: nothing is computed
  bool movesBytes = false;
  /// results hold values of the operands and no others (cat, clone, casts); views do so too
  bool keepsValues = false;
  /// is made for numbers above zero (log, sqrt)
  bool wantsPositive = false;
  /// of numbers above zero makes such, often enough to build on for inputs that are made up (add, mul)
  bool keepsPositive = false;
  std::optional<IndexUse> indices;
  /// parameter whose value 0 makes a random operator deterministic
  int8_t dropout = -1;
  /// parameter whose value False does so
  int8_t training = -1;

  /// Position of a parameter; -1 if there is none of this name. Linear in the parameters.
  [[nodiscard]] int paramIndex(llvm::StringRef name) const;
};

/// What a user declares of an operator that PyTorch's table does not hold.
struct OpDeclaration {
  /// "mylib::scale(Tensor x, float s) -> Tensor", with alias annotations; may name no overload
  std::string schema;
  /// false: ordered against everything
  bool pure = true;
};

/// All operators of one Context, made on demand.
class OpTable {
public:
  explicit OpTable(Context &context);
  ~OpTable();

  /// The operator of this target ("aten.mm.default", "operator.getitem", with or without "torch.ops."); an opaque one
  /// is made for an unknown target. Never null.
  [[nodiscard]] const OpDef *lookup(Identifier target);
  [[nodiscard]] const OpDef *lookup(llvm::StringRef target);
  /// Adds or replaces, for graphs read from now on and those that there are. Error: the schema does
  /// not parse (with the column).
  [[nodiscard]] llvm::Error declare(const OpDeclaration &declaration);
  /// True if some declared operator may reshape a tensor: then so may each graph.
  [[nodiscard]] bool declaresReshape() const;
  /// Targets with our own knowledge (collectives, shape rules, work), sorted: what docs/ops.md lists.
  [[nodiscard]] std::vector<const OpDef *> described();
  /// Number of operators of the generated table.
  [[nodiscard]] static size_t numGenerated();

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Parameter `index` of a node's operator: the positional argument there, else the keyword argument of that name; null
/// where left out (its default holds).
[[nodiscard]] const Argument *argumentAt(const Node &node, int index);

} // namespace ccgraph
