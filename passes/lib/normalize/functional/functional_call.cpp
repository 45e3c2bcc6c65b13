#include "normalize/functional/functional_call.h"

#include "ccgraph/ir/effects.h"

namespace ccgraph {

namespace {

/// Returns "_c10d_functional.isend.default" for c10d_functional.isend and the autograd forms, whose parameters are the
/// same; empty if they are not.
std::string renamed(const Node &node) {
  llvm::StringRef target = node.target().str();
  const CollectiveSpec *spec = collectiveOf(node);
  if (target.consume_front("_c10d_functional_autograd.") ||
      (!(spec && spec->legacy) && target.consume_front("c10d_functional.")))
    return "_c10d_functional." + target.str();
  return "";
}

llvm::StringRef functionalTarget(const CollectiveSpec &spec) {
  return formOf(spec.kind, spec.coalesced ? CollectiveForm::List : CollectiveForm::Single);
}

/// Returns the only group of the table to which a file gives these ranks, and this tag if the call has one.
const Group *groupOfRanks(const GroupTable &table, llvm::ArrayRef<int64_t> ranks, llvm::StringRef tag) {
  const Group *found = nullptr;
  for (const Group &group : table.groups()) {
    if (group.assumed || llvm::ArrayRef(group.ranks) != ranks || (!tag.empty() && group.tag != tag))
      continue;
    if (found)
      return nullptr;
    found = &group;
  }
  return found;
}

/// Builds the arguments in the order of the functional form's parameters.
class CallMaker {
public:
  CallMaker(const Node &node, const OpDef &form) : node_(node), spec_(*collectiveOf(node)), form_(form) {}

  std::variant<FunctionalCall, NotFunctional> make() {
    if (!saysNothingElse())
      return NotFunctional::Arguments;
    FunctionalCall made{form_.target.str().str(), {}, writtenTensors()};
    for (int i = 0; i < static_cast<int>(form_.params.size()); ++i) {
      std::optional<Actual> value = argument(i);
      if (value)
        made.args.push_back(std::move(*value));
      else
        return why_;
    }
    return made;
  }

private:
  // A parameter of the old call that has no role in the spec may only hold None.
  bool saysNothingElse() const {
    for (int i = 0; i < static_cast<int>(node_.op()->params.size()); ++i) {
      int known[] = {spec_.input, spec_.output, spec_.reduceOp,     spec_.groupSize,
                     spec_.group, spec_.root,   spec_.outputSplits, spec_.inputSplits};
      bool tag = spec_.legacy && i == spec_.group - 1;
      const Argument *argument = argumentAt(node_, i);
      if (argument && !tag && !llvm::is_contained(known, i) && !argument->is(Argument::Kind::None))
        return false;
    }
    return node_.args().size() <= node_.op()->params.size();
  }

  std::vector<Node *> writtenTensors() const {
    std::optional<CollectiveCall> call = collectiveCall(node_);
    llvm::ArrayRef<Node *> tensors(spec_.inPlace ? call->inputs : call->outputs);
    return tensors.vec();
  }

  std::optional<Actual> copied(int parameter) {
    const Argument *argument = argumentAt(node_, parameter);
    if (!argument)
      return why_ = NotFunctional::Arguments, std::nullopt;
    return Actual::copyOf(node_, *argument);
  }

  std::optional<Actual> argument(int parameter) {
    const CollectiveSpec &form = *form_.collective;
    if (parameter == form.input)
      return copied(spec_.input);
    if (parameter == form.reduceOp)
      return copied(spec_.reduceOp);
    if (parameter == form.groupSize)
      return copied(spec_.groupSize);
    if (parameter == form.root)
      return copied(spec_.root);
    if (parameter == form.group)
      return spec_.legacy ? groupName() : copied(spec_.group);
    return splits(parameter == form.inputSplits ? spec_.inputSplits : spec_.outputSplits);
  }

  std::optional<Actual> groupName() {
    why_ = NotFunctional::Group;
    CollectiveCall call = *collectiveCall(node_);
    const Argument *tag = argumentAt(node_, spec_.group - 1);
    if (!tag || !tag->is(Argument::Kind::String) || call.groupSize != static_cast<int64_t>(call.ranks.size()))
      return std::nullopt;
    const Group *group = groupOfRanks(node_.graph()->groups(), call.ranks, tag->text());
    return group ? std::optional<Actual>(Actual(llvm::StringRef(group->name))) : std::nullopt;
  }

  /// Omitted splits are equal splits.
  std::optional<Actual> splits(int parameter) {
    const Argument *given = argumentAt(node_, parameter);
    if (given && !given->is(Argument::Kind::None))
      return Actual::copyOf(node_, *given);
    why_ = NotFunctional::Splits;
    std::optional<int64_t> ranks = collectiveCall(node_)->groupSize;
    const Argument *input = argumentAt(node_, spec_.input);
    const Type *type = input && input->is(Argument::Kind::Operand) ? node_.operand(*input)->type() : nullptr;
    if (!ranks || *ranks <= 0 || !type || !type->isTensor() || type->sizes().empty() || !type->sizes()[0].isStatic() ||
        type->sizes()[0].value() % *ranks != 0)
      return std::nullopt;
    return Actual::integers(std::vector<int64_t>(static_cast<size_t>(*ranks), type->sizes()[0].value() / *ranks));
  }

  const Node &node_;
  const CollectiveSpec &spec_;
  const OpDef &form_;
  NotFunctional why_ = NotFunctional::Arguments;
};

FunctionalCall renamedCall(const Node &node, std::string target) {
  FunctionalCall call{std::move(target), {}, {}};
  for (const Argument &argument : node.args())
    call.args.push_back(Actual::copyOf(node, argument));
  return call;
}

} // namespace

bool isFunctional(const Node &node) {
  if (!isWait(node) && !collectiveOf(node))
    return true;
  const CollectiveSpec *spec = collectiveOf(node);
  if (!renamed(node).empty() || (spec && spec->synchronous))
    return false;
  llvm::StringRef target = spec ? functionalTarget(*spec) : "";
  return target.empty() || target == node.target().str();
}

bool isFinished(const Node &node) {
  const CollectiveSpec *spec = collectiveOf(node);
  return spec && spec->synchronous;
}

std::variant<FunctionalCall, NotFunctional> functionalCallOf(const Node &node) {
  if (std::string target = renamed(node); !target.empty())
    return node.kwargs().empty() ? std::variant<FunctionalCall, NotFunctional>(renamedCall(node, target))
                                 : NotFunctional::Arguments;
  const CollectiveSpec &spec = *collectiveOf(node);
  return CallMaker(node, *node.graph()->context().ops().lookup(functionalTarget(spec))).make();
}

} // namespace ccgraph
