#include "normalize/functional/finished_call.h"

#include "ccgraph/ir/effects.h"

#include <numeric>

namespace ccgraph {

namespace {

/// Returns true for row-major memory with a static first dimension: such rows can be concatenated and split.
bool hasRows(const Node *value) {
  const Type *type = value->type();
  return type && type->isTensor() && !type->sizes().empty() && type->sizes()[0].isStatic() && type->isContiguous();
}

int64_t rowsOf(const Node *value) { return value->type()->sizes()[0].value(); }

bool haveEqualRows(const Node *a, const Node *b) {
  return a->type()->dtype() == b->type()->dtype() && a->type()->device() == b->type()->device() &&
         a->type()->sizes().drop_front() == b->type()->sizes().drop_front();
}

/// Returns the length of a list of lists' only list, or of a list; 1 for a tensor; 0 for several lists, one a device.
size_t lengthOf(const Argument *argument) {
  if (!argument || !argument->isSequence())
    return argument ? 1 : 0;
  if (argument->elements().empty() || !argument->elements()[0].isSequence())
    return argument->elements().size();
  return argument->elements().size() == 1 ? argument->elements()[0].elements().size() : 0;
}

class FinishedReader {
public:
  FinishedReader(const Node &node, const ObjectMeanings *objects)
      : node_(node), spec_(*collectiveOf(node)), call_(*collectiveCall(node)), objects_(objects) {}

  std::variant<FinishedCall, NotFunctional> read() {
    made_.ofList = !spec_.yieldsBuffers && spec_.coalesced;
    llvm::StringRef target = formOf(spec_.kind, made_.ofList ? CollectiveForm::List : CollectiveForm::Single);
    if (target.empty() || isPointToPoint(spec_.kind))
      return NotFunctional::Kind;
    if (!spec_.yieldsBuffers && !node_.uses().empty())
      return NotFunctional::Handle;
    if (!saysNothingElse())
      return NotFunctional::Arguments;
    made_.target = target;
    if (!readTensors() || !readSizes())
      return NotFunctional::Sizes;
    if (spec_.yieldsBuffers && !readElements(node_, 0))
      return NotFunctional::Handle;
    // PyTorch's functional collectives accept a group as a name or a ProcessGroup, but not the constant that holds one.
    if (meaning(spec_.group).group.empty())
      return NotFunctional::GroupObject;
    return readRest() ? std::variant<FinishedCall, NotFunctional>(std::move(made_)) : NotFunctional::Reduction;
  }

private:
  /// A wait on the Work, and its timeout, have no meaning for a call that is complete when it returns.
  bool saysNothingElse() const {
    for (int i = 0; i < static_cast<int>(node_.op()->params.size()); ++i) {
      int known[] = {spec_.input, spec_.output,       spec_.reduceOp,   spec_.group,
                     spec_.root,  spec_.outputSplits, spec_.inputSplits};
      const std::string &name = node_.op()->params[i].name;
      const Argument *argument = argumentAt(node_, i);
      bool first = argument && argument->is(Argument::Kind::Int) && argument->integer() == 0;
      if (argument && !llvm::is_contained(known, i) && !argument->is(Argument::Kind::None) && name != "async_op" &&
          name != "timeout" && !(name == "root_tensor" && first))
        return false;
    }
    return node_.args().size() <= node_.op()->params.size();
  }

  bool isInPieces(const Argument *argument) const {
    return spec_.kind == CollectiveKind::AllToAll ||
           (argument && !argument->elements().empty() && argument->elements()[0].isSequence());
  }

  bool readTensors() {
    const Argument *input = argumentAt(node_, spec_.input), *output = argumentAt(node_, spec_.output);
    made_.sent.assign(call_.inputs.begin(), call_.inputs.end());
    made_.filled.assign((spec_.inPlace ? call_.inputs : call_.outputs).begin(),
                        (spec_.inPlace ? call_.inputs : call_.outputs).end());
    if (made_.ofList)
      return !made_.sent.empty() && made_.sent.size() == made_.filled.size() && isListOfTensors(input) &&
             (spec_.inPlace || isListOfTensors(output));
    bool fits = lengthOf(input) == made_.sent.size() && (isInPieces(input) || made_.sent.size() == 1);
    if (!spec_.inPlace)
      fits &= lengthOf(output) == made_.filled.size() && (isInPieces(output) || made_.filled.size() == 1);
    return fits && !made_.sent.empty() && !made_.filled.empty();
  }

  static bool isListOfTensors(const Argument *argument) {
    return argument && argument->isSequence() && llvm::all_of(argument->elements(), [](const Argument &element) {
             return element.is(Argument::Kind::Operand);
           });
  }

  static bool isRegular(llvm::ArrayRef<Node *> values) {
    return llvm::all_of(values, hasRows) &&
           llvm::all_of(values, [&](const Node *value) { return haveEqualRows(value, values[0]); });
  }

  bool sameRows(llvm::ArrayRef<Node *> values) const {
    return llvm::all_of(values, [&](const Node *value) { return rowsOf(value) == rowsOf(values[0]); });
  }

  /// Computes the group's size where tensors determine it, and checks that they are what the functional form accepts
  /// and returns.
  bool readSizes() {
    if (made_.ofList)
      return readListSizes();
    if (spec_.inputSplits >= 0)
      return readSplits();
    if (spec_.inPlace)
      return made_.sent[0]->type() && made_.sent[0]->type()->isTensor() && made_.sent[0]->type()->isContiguous();
    if (!isRegular(made_.sent) || !isRegular(made_.filled) || !haveEqualRows(made_.sent[0], made_.filled[0]))
      return false;
    if (spec_.kind == CollectiveKind::AllToAll) {
      ranks_ = static_cast<int64_t>(made_.sent.size());
      return made_.filled.size() == made_.sent.size() && isGroupSize();
    }
    // Shares of one size: the larger side has one for each rank.
    bool gathers = spec_.kind == CollectiveKind::AllGather;
    llvm::ArrayRef<Node *> many = gathers ? made_.filled : made_.sent, one = gathers ? made_.sent : made_.filled;
    int64_t share = rowsOf(one[0]);
    int64_t rows = rowsOf(many[0]) * static_cast<int64_t>(many.size());
    if (!sameRows(many) || share <= 0 || rows % share != 0)
      return false;
    ranks_ = rows / share;
    return (many.size() == 1 || static_cast<int64_t>(many.size()) == ranks_) && isGroupSize();
  }

  // The list form of PyTorch rejects some dtypes that the single form accepts.

  /// Checks each tensor of a list with its buffer: all have one dtype, and shares of one number of ranks.
  bool readListSizes() {
    const Type *first = made_.sent[0]->type();
    auto isAlike = [&](const Node *value) {
      return value->type() && value->type()->isTensor() && value->type()->isContiguous() &&
             value->type()->dtype() == first->dtype();
    };
    if (spec_.inPlace)
      return llvm::all_of(made_.sent, isAlike) && listFormTakes(spec_.kind, reductionWord(), first->dtype());
    for (size_t i = 0; i < made_.sent.size(); ++i) {
      const Node *sent = made_.sent[i], *filled = made_.filled[i];
      if (!hasRows(sent) || !hasRows(filled) || !haveEqualRows(sent, filled) || sent->type()->dtype() != first->dtype())
        return false;
      bool gathers = spec_.kind == CollectiveKind::AllGather;
      int64_t share = rowsOf(gathers ? sent : filled), rows = rowsOf(gathers ? filled : sent);
      if (share <= 0 || rows % share != 0 || (i > 0 && rows / share != ranks_))
        return false;
      ranks_ = rows / share;
    }
    bool takes = listFormTakes(spec_.kind, reductionWord(), first->dtype());
    return takes && isGroupSize();
  }

  /// Reads the rows for and from each rank; without them all parts are equal.
  bool readSplits() {
    const Node *sent = made_.sent[0], *filled = made_.filled[0];
    if (!hasRows(sent) || !hasRows(filled) || !haveEqualRows(sent, filled))
      return false;
    std::optional<std::vector<int64_t>> in = splitsOf(spec_.inputSplits, rowsOf(sent));
    std::optional<std::vector<int64_t>> out = splitsOf(spec_.outputSplits, rowsOf(filled));
    if (!in || !out || in->size() != out->size())
      return false;
    inputSplits_ = std::move(*in);
    outputSplits_ = std::move(*out);
    ranks_ = static_cast<int64_t>(inputSplits_.size());
    return isGroupSize();
  }

  std::optional<std::vector<int64_t>> splitsOf(int parameter, int64_t rows) const {
    const Argument *argument = argumentAt(node_, parameter);
    if (!argument || !argument->isSequence())
      return std::nullopt;
    std::vector<int64_t> splits;
    for (const Argument &element : argument->elements()) {
      if (!element.is(Argument::Kind::Int))
        return std::nullopt;
      splits.push_back(element.integer());
    }
    if (splits.empty())
      return equalSplits(rows);
    bool fits = std::accumulate(splits.begin(), splits.end(), int64_t{0}) == rows;
    return fits ? std::optional(std::move(splits)) : std::nullopt;
  }

  std::optional<std::vector<int64_t>> equalSplits(int64_t rows) const {
    const Group *group = node_.graph()->groups().find(groupName());
    int64_t ranks = group ? group->size().value_or(0) : 0;
    if (ranks == 0 || rows % ranks != 0)
      return std::nullopt;
    return std::vector<int64_t>(static_cast<size_t>(ranks), rows / ranks);
  }

  /// A table with another size is a user's mistake, which must stay visible.
  bool isGroupSize() const {
    const Group *group = node_.graph()->groups().find(groupName());
    std::optional<int64_t> size = group ? group->size() : std::nullopt;
    return !size || *size == ranks_;
  }

  /// Returns true for the operator by which a trace pairs a call's result with its Work.
  static bool isPairing(const Use &use) {
    const Node &user = *use.user();
    return !use.isOrdering() && user.op() &&
           user.target().str() == "torch.distributed._spmd.comm_tensor._wrap_comm_result" && user.numOperands() == 1 &&
           user.numOrdering() == 0;
  }

  /// Follows getitems from the call to the tensors: p[0], p[0][i] or p[0][0][i], possibly through p's pairing with its
  /// Work.
  bool readElements(const Node &value, unsigned level) {
    llvm::StringRef type = node_.op()->results.front().type;
    unsigned last = type == "Tensor" ? 0 : type == "Tensor[]" ? 1 : 2;
    for (const Use &use : value.uses()) {
      Node *getItem = use.user();
      if (level == 0 && isPairing(use)) {
        made_.passed.push_back(getItem);
        if (!readElements(*getItem, level))
          return false;
        continue;
      }
      std::optional<int64_t> index = use.isOrdering() ? std::nullopt : getItemIndex(*getItem);
      if (!index || getItem->numOrdering() != 0 || !readElement(getItem, static_cast<size_t>(*index), level, last))
        return false;
    }
    return true;
  }

  bool readElement(Node *getItem, size_t index, unsigned level, unsigned last) {
    bool work = level == 0 && index == 1;
    if (work || level < last) {
      made_.passed.push_back(getItem);
      return work ? getItem->uses().empty() : index == 0 && readElements(*getItem, level + 1);
    }
    made_.elements.push_back({getItem, static_cast<unsigned>(index)});
    return index < made_.filled.size() && hasTypeOf(*getItem, *made_.filled[index]);
  }

  static bool hasTypeOf(const Node &element, const Node &buffer) {
    return !element.type() || element.type() == buffer.type();
  }

  bool readRest() {
    const CollectiveSpec &spec = *form().collective;
    for (int i = 1; i < static_cast<int>(form().params.size()); ++i) {
      std::optional<Actual> value = argument(spec, i);
      if (!value)
        return false;
      made_.rest.push_back(std::move(*value));
    }
    return true;
  }

  [[nodiscard]] const OpDef &form() const { return *node_.graph()->context().ops().lookup(made_.target); }

  std::optional<Actual> argument(const CollectiveSpec &spec, int parameter) const {
    if (parameter == spec.reduceOp)
      return reduction();
    if (parameter == spec.groupSize)
      return Actual(ranks_);
    if (parameter == spec.root)
      return Actual::copyOf(node_, *argumentAt(node_, spec_.root));
    if (spec_.inputSplits >= 0 && (parameter == spec.inputSplits || parameter == spec.outputSplits))
      return Actual::integers(parameter == spec.inputSplits ? inputSplits_ : outputSplits_);
    if (parameter == spec.inputSplits || parameter == spec.outputSplits)
      return rows(parameter == spec.inputSplits ? made_.sent : made_.filled);
    return Actual(meaning(spec_.group).group);
  }

  static Actual rows(llvm::ArrayRef<Node *> values) {
    std::vector<int64_t> counts;
    for (const Node *value : values)
      counts.push_back(rowsOf(value));
    return Actual::integers(counts);
  }

  [[nodiscard]] std::string reductionWord() const {
    return call_.reduceOp.empty() && spec_.reduceOp >= 0 ? meaning(spec_.reduceOp).reduceOp : call_.reduceOp;
  }

  std::optional<Actual> reduction() const {
    std::string word = reductionWord();
    return parseReduceOp(word) ? std::optional<Actual>(Actual(word)) : std::nullopt;
  }

  /// Returns the meaning that a file gives to the object in an argument.
  ObjectMeaning meaning(int parameter) const {
    const Argument *argument = argumentAt(node_, parameter);
    if (!objects_ || !argument || !argument->is(Argument::Kind::Operand) ||
        node_.operand(*argument)->opcode() != Opcode::GetAttr)
      return {};
    auto known = objects_->find(node_.operand(*argument)->target().str().str());
    return known == objects_->end() ? ObjectMeaning() : known->second;
  }

  std::string groupName() const {
    std::string name = meaning(spec_.group).group;
    if (!name.empty())
      return name;
    return call_.groupNode && call_.groupNode->opcode() == Opcode::GetAttr ? call_.groupNode->target().str().str() : "";
  }

  const Node &node_;
  const CollectiveSpec &spec_;
  CollectiveCall call_;
  const ObjectMeanings *objects_;
  FinishedCall made_;
  int64_t ranks_ = 0;
  std::vector<int64_t> inputSplits_, outputSplits_; ///< only for an operator that states them
};

} // namespace

std::variant<FinishedCall, NotFunctional> finishedCallOf(const Node &node, const ObjectMeanings *objects) {
  return FinishedReader(node, objects).read();
}

} // namespace ccgraph
