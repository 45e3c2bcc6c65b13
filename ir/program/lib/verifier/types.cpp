#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/strides.h"
#include "ccgraph/ir/type_inference.h"

#include "ops/arguments.h"
#include "ops/knowledge.h"

#include "verifier/graph_rules.h"

namespace ccgraph::verifier {
namespace {

using Kind = CollectiveKind;

/// Compares strides that are numbers. Strides of dimensions of size 0 and 1 have no meaning, nor have those of a tensor
/// without elements: f32[4, 1][1, 1] and f32[4, 1][1, 7] lay out their elements alike.
bool sameStrides(const Type &got, const Type &expected) {
  if (!got.stridesKnown() || !expected.stridesKnown() || got.numElements().value_or(0) == 0)
    return true;
  for (auto [size, left, right] : llvm::zip(got.sizes(), got.strides(), expected.strides()))
    if (size.value() > 1 && left.isStatic() && right.isStatic() && !(left == right))
      return false;
  return true;
}

/// Returns why two types cannot be the same value; empty if they may be. Symbolic sizes are not compared, since one
/// size may have several forms.
std::string mismatch(const Type *got, const Type *expected) {
  if (!got || !expected || got == expected)
    return "";
  std::string differ = typeText(got) + "; expected " + typeText(expected);
  if (got->kind() != expected->kind())
    return differ;
  if (got->isList()) {
    if (got->elements().size() != expected->elements().size())
      return differ;
    for (auto [left, right] : llvm::zip(got->elements(), expected->elements()))
      if (!mismatch(left, right).empty())
        return differ;
    return "";
  }
  if (!got->isTensor())
    return "";
  bool sameDevice = !got->device().kind || !expected->device().kind || got->device() == expected->device();
  bool same = got->dtype() == expected->dtype() && got->sizes().size() == expected->sizes().size() && sameDevice;
  for (size_t i = 0; same && i < got->sizes().size(); ++i)
    same = !got->sizes()[i].isStatic() || !expected->sizes()[i].isStatic() || got->sizes()[i] == expected->sizes()[i];
  return same && sameStrides(*got, *expected) ? "" : differ;
}

/// Returns the type of torch.empty_like of a tensor: its strides if it is dense, else dense ones in the same order.
/// Null if unknown. f32[4, 4][1, 8], the transpose of a slice, becomes f32[4, 4][1, 4].
const Type *emptyLike(Context &context, const Type *type) {
  auto sizes = type && type->isTensor() ? staticDims(type->sizes()) : std::nullopt;
  auto strides = sizes && type->stridesKnown() ? staticDims(type->strides()) : std::nullopt;
  if (!strides)
    return type;
  IntList made = preservedStrides(*sizes, *strides);
  llvm::SmallVector<Dim, 6> dims(made.begin(), made.end());
  return context.tensor(type->dtype(), {type->sizes(), dims, true}, type->device());
}

class TypeRules {
public:
  explicit TypeRules(Report &report) : report_(report), groups_(report.graph().groups()) {}

  void visit(const Node &node) {
    checkSizes(node, node.type());
    const OpDef *op = node.op();
    if (op && op->role == OpRole::Compute && op->typeIsCertain)
      return checkOperands(node);
    const bool copies = op && op->role == OpRole::HostCopy;
    if (!op || (!copies && op->role != OpRole::Collective && op->role != OpRole::Wait && op->role != OpRole::GetItem))
      return;
    if (typesHold(node))
      checkResult(node);
    if (op->role != OpRole::GetItem)
      checkArguments(report_, node);
    if (op->role == OpRole::Wait || copies)
      checkTensors(node, operands(node));
    if (op->role == OpRole::Collective)
      visitCollective(node);
  }

private:
  static llvm::SmallVector<const Node *, 4> operands(const Node &node) {
    llvm::SmallVector<const Node *, 4> nodes;
    for (unsigned i = 0; i < node.numOperands(); ++i)
      nodes.push_back(node.operand(i));
    return nodes;
  }

  /// A type describes a value at the time when its node ran, so a reshaped operand may have another type by now.
  static bool typesHold(const Node &node) {
    return llvm::none_of(operands(node), [&](const Node *operand) { return mayBeReshapedBefore(*operand, node); });
  }

  void error(const Node &node, llvm::StringRef rule, std::string message, std::string repair) {
    report_.add(node, {Severity::Error, rule, std::move(message), std::move(repair)});
  }
  void warn(const Node &node, llvm::StringRef rule, std::string message, std::string repair) {
    report_.add(node, {Severity::Warning, rule, std::move(message), std::move(repair)});
  }

  /// Memory is counted and indices are computed from sizes, so sizes must permit this.
  void checkSizes(const Node &node, const Type *type) {
    if (type && type->isList())
      for (const Type *element : type->elements())
        checkSizes(node, element);
    if (!type || !type->isTensor())
      return;
    bool allStatic = llvm::all_of(type->sizes(), [](const Dim &size) { return size.isStatic(); });
    bool negative = llvm::any_of(type->sizes(), [](const Dim &size) { return size.isStatic() && size.value() < 0; });
    if (negative)
      error(node, "types.sizes", "has the type " + typeText(type) + "; expected no negative size",
            "correct the sizes, or leave the type out");
    else if (allStatic && !type->numBytes())
      error(node, "types.sizes", "has the type " + typeText(type) + "; expected at most 9223372036854775807 bytes",
            "correct the sizes, or leave the type out");
  }

  /// The fake kernels of broadcast and all_reduce_coalesced state the strides of empty_like(input); the real ones
  /// return a row-major result. A text may contain either.
  static bool keepsStrides(const Node &node) {
    const CollectiveSpec *spec = collectiveOf(node);
    return spec && !spec->inPlace && spec->output < 0 &&
           (spec->kind == Kind::Broadcast || (spec->kind == Kind::AllReduce && spec->coalesced));
  }

  /// Returns the difference if each result may have the strides of its input.
  static std::string mismatchOfCopies(const Node &node, const Type *expected) {
    std::string differ = mismatch(node.type(), expected);
    if (differ.empty() || !keepsStrides(node) || !node.type() || !expected)
      return differ;
    auto inputs = collectiveCall(node)->inputs;
    auto fits = [&](const Type *got, const Type *made, const Node *input) {
      return mismatch(got, made).empty() || mismatch(got, emptyLike(node.graph()->context(), input->type())).empty();
    };
    if (node.type()->isTensor() && expected->isTensor() && inputs.size() == 1)
      return fits(node.type(), expected, inputs[0]) ? "" : differ;
    if (!node.type()->isList() || !expected->isList() || node.type()->elements().size() != inputs.size() ||
        expected->elements().size() != inputs.size())
      return differ;
    for (auto [got, made, input] : llvm::zip(node.type()->elements(), expected->elements(), inputs))
      if (!fits(got, made, input))
        return differ;
    return "";
  }

  /// Reports what an operator's rule finds wrong with its operands, such as a product of f32[4, 32] and f32[25, 32].
  /// The inferred result type is not compared with the stated type: a text may be printed with other strides than the
  /// inferred ones.
  void checkOperands(const Node &node) {
    llvm::Expected<const Type *> expected = certainType(node);
    if (expected)
      return;
    if (typesHold(node))
      report_.forward(node, "types.operands", expected.takeError());
    else
      llvm::consumeError(expected.takeError()); // an operand may be reshaped by now
  }

  // Compares the result type that the type rule infers with the type that the graph states. A stated f32[8] for
  // all_gather(f32[2], 2, "tp") is an error: expected f32[4]. If either side is unknown, no finding is reported, so a
  // graph without types passes.
  void checkResult(const Node &node) {
    llvm::Expected<const Type *> expected = certainType(node);
    llvm::StringRef rule = isGetItem(node) ? "types.getitem" : "types.result";
    if (!expected)
      return report_.forward(node, isGetItem(node) ? rule : "types.operands", expected.takeError());
    std::string differ = mismatchOfCopies(node, *expected);
    if (!differ.empty())
      error(node, rule, "is stated to be " + differ, "correct the type, or leave it out to have it inferred");
  }

  template <typename Nodes>
  void checkTensors(const Node &node, const Nodes &nodes) {
    for (const Node *operand : nodes)
      if (operand->type() && !operand->type()->isTensor() && !operand->type()->isList())
        error(node, "types.operands",
              "takes " + quoted(*operand) + ", which is " + typeText(operand->type()) + "; expected a tensor",
              "only tensors are communicated: put the value into one");
  }

  void visitCollective(const Node &node) {
    CollectiveCall call = *collectiveCall(node);
    checkTensors(node, call.inputs);
    checkTensors(node, call.outputs);
    checkGroup(node, call);
    checkReduction(node, call);
    checkContiguous(node, call);
    checkDevices(node);
    checkListDType(node, call);
    if (call.spec->kind == Kind::AllToAll)
      checkSplits(node, call);
    checkRank(node, call, call.spec->root, "root");
    checkRank(node, call, call.spec->peer, "peer");
  }

  /// A group is named ("tp"), given as a node (a ProcessGroup in the program), or listed ([0, 1, 2, 3]). Only a name is
  /// looked up in the table, and only a table that is not empty can lack it.
  void checkGroup(const Node &node, const CollectiveCall &call) {
    const Argument *argument = argumentAt(node, call.spec->group);
    if (argument && !argument->isSequence() && !argument->is(Argument::Kind::String) && !call.groupNode)
      return; // another rule reports arguments of a wrong kind
    if (call.group.empty() && !call.groupNode && call.ranks.empty())
      return error(node, "types.group",
                   "names no group; expected a name, a node or a list of ranks at position " +
                       std::to_string(call.spec->group),
                   "list the ranks of the group");
    const Group *group = call.group.empty() ? nullptr : groups_.find(call.group);
    if (!call.group.empty() && !group && !groups_.empty())
      warn(node, "types.group-known", "is on group '" + call.group.str() + "', which the group table does not hold",
           "add the group to the table (--groups FILE)");
    std::optional<int64_t> members = group ? group->size() : std::nullopt;
    if (!call.ranks.empty())
      members = static_cast<int64_t>(call.ranks.size());
    if (members && call.groupSize && *members != *call.groupSize)
      error(node, "types.group-size",
            "states a group of " + std::to_string(*call.groupSize) + "; expected " + std::to_string(*members) +
                ", the members of the group that it names",
            "correct the number, or the members of the group");
  }

  void checkReduction(const Node &node, const CollectiveCall &call) {
    if (call.reduceOp.empty())
      return;
    std::optional<ReduceOp> reduction = parseReduceOp(call.reduceOp);
    if (!reduction && call.reduceOp != "unused")
      return error(node, "types.reduce-op",
                   "reduces by '" + call.reduceOp +
                       "'; expected sum, avg, product, min, max, band, bor, bxor or unused",
                   "name one of these");
    for (const Node *input : call.inputs) {
      if (!reduction || !input->type() || !input->type()->isTensor())
        continue;
      DType dtype = input->type()->dtype();
      if (!isDefinedOn(*reduction, dtype))
        error(node, "types.reduce-dtype",
              "reduces " + quoted(*input) + " of " + shortName(dtype).str() + " by '" + call.reduceOp +
                  "', which is not defined on it",
              isDefinedOn(ReduceOp::Product, dtype) ? "view the bits as integers" : "view it as real numbers");
    }
  }

  void checkContiguous(const Node &node, const CollectiveCall &call) {
    if (call.spec->copiesAtLaunch || call.spec->inPlace || isPointToPoint(call.spec->kind) || call.spec->synchronous)
      return;
    for (const Node *input : call.inputs) {
      const Type *type = mayBeReshapedBefore(*input, node) ? nullptr : input->type();
      bool stated = type && type->isTensor() && type->stridesKnown() && type->numElements();
      if (stated && !type->isContiguous())
        warn(node, "types.contiguous",
             "sends " + quoted(*input) + ", which is " + typeText(type) + "; expected contiguous strides",
             "clone it with memory_format = torch.contiguous_format before");
    }
  }

  void checkDevices(const Node &node) {
    std::optional<size_t> devices = numDevices(node);
    if (devices && *devices > 1)
      error(node, "types.devices",
            "takes a list of " + std::to_string(*devices) +
                " tensors, one for each device of the rank; expected one tensor: NCCL rejects several, and gloo "
                "combines them",
            "make one call for each tensor");
  }

  /// Each entry of a list is a call of its own, but gloo and NCCL refuse to sum two dtypes in one list. gloo fills
  /// gathers of several dtypes incorrectly in most orders (it converts them to one dtype), and NCCL fills them
  /// correctly.
  void checkListDType(const Node &node, const CollectiveCall &call) {
    bool sums = call.spec->kind == Kind::AllReduce, gathers = call.spec->kind == Kind::AllGather;
    if (!call.spec->coalesced || (!sums && !gathers) || !typesHold(node))
      return;
    const Type *first = nullptr;
    for (const Node *input : call.inputs) {
      const Type *type = input->type();
      if (!type || !type->isTensor())
        continue;
      if (first && type->dtype() != first->dtype())
        return reportListDType(node, sums, shortName(first->dtype()).str() + " and " + shortName(type->dtype()).str());
      first = type;
    }
  }

  void reportListDType(const Node &node, bool sums, const std::string &dtypes) {
    if (sums)
      return error(node, "types.list-dtype", "takes a list of " + dtypes + " tensors; expected one dtype",
                   "make one call for each dtype");
    warn(node, "types.list-dtype",
         "gathers a list of " + dtypes + " tensors, which gloo fills incorrectly; expected one dtype on gloo",
         "make one call for each dtype, or run it on NCCL");
  }

  void checkSplits(const Node &node, const CollectiveCall &call) {
    auto sent = intsAt(node, call.spec->inputSplits);
    auto received = intsAt(node, call.spec->outputSplits);
    std::optional<int64_t> members = groupSizeOf(node, call);
    for (const auto &[splits, name] : {std::pair(sent, "sends"), std::pair(received, "receives")}) {
      if (!splits || splits->empty())
        continue;
      if (llvm::any_of(*splits, [](int64_t rows) { return rows < 0; }))
        error(node, "types.splits", std::string(name) + " a negative number of rows; expected 0 or more",
              "correct the splits");
      if (members && static_cast<int64_t>(splits->size()) != *members)
        error(node, "types.splits",
              std::string(name) + " " + std::to_string(splits->size()) + " parts; expected " +
                  std::to_string(*members) + ", one for each member",
              "give a split for each rank of the group");
    }
    checkSplitSum(node, call, sent);
  }

  template <typename Splits>
  void checkSplitSum(const Node &node, const CollectiveCall &call, const Splits &sent) {
    const Type *type = call.inputs.size() == 1 && typesHold(node) ? call.inputs[0]->type() : nullptr;
    if (!sent || sent->empty() || !type || !type->isTensor() || type->sizes().empty() || !type->sizes()[0].isStatic())
      return;
    int64_t sum = saturatingSum(*sent);
    if (sum != type->sizes()[0].value())
      error(node, "types.splits",
            "sends " + std::to_string(sum) + " rows of " + quoted(*call.inputs[0]) + "; expected all " +
                std::to_string(type->sizes()[0].value()),
            "make the input splits add up to its first size");
  }

  void checkRank(const Node &node, const CollectiveCall &call, int parameter, llvm::StringRef role) {
    const Argument *argument = argumentAt(node, parameter);
    std::optional<int64_t> members = groupSizeOf(node, call);
    if (!argument)
      return;
    llvm::ArrayRef<Argument> ranks = argument->isSequence() ? argument->elements() : llvm::ArrayRef(*argument);
    for (const Argument &rank : ranks)
      if (rank.is(Argument::Kind::Int) && (rank.integer() < 0 || (members && rank.integer() >= *members)))
        error(node, "types.rank",
              "has rank " + std::to_string(rank.integer()) + " as its " + role.str() + "; expected 0 to " +
                  (members ? std::to_string(*members - 1) : std::string("the size of its group")),
              "roots and peers are counted within the group, not globally");
  }

  Report &report_;
  const GroupTable &groups_;
};

} // namespace

void checkTypes(Report &report) {
  TypeRules rules(report);
  for (const Node *node : report.graph())
    rules.visit(*node);
}

} // namespace ccgraph::verifier
