#include "call.h"
#include "exchanges.h"
#include "rules.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

// c10d's own operators fill buffers, are complete when they return, and return the buffers again:
//   p = c10d.allgather_([[a, b]], [x], pg); l = p[0]; m = l[0]; y = m[1]
//   ->  c = all_gather_into_tensor(x, 2, "tp"); w = wait(c); s = split_with_sizes_copy(w, [n, n]); y = s[1]
// The entry lists p, then l, m and y, as matched; c and w, then s and y, as built. The old y is buffer 1, so its
// readers may read the built getitem of number 1, or w if there is only one buffer. Lists and the Work have no
// replacement, so no node may read them any more. A buffer that is read by another name gets its result by a copy, and
// the copy replaces the result:
//   c = all_reduce(x, "sum", "tp"); w = wait(c); y = copy_(x, w)
// A call on a list that returns only its Work becomes a call on a list, whose elements are waited for one by one:
//   c10d.allreduce_coalesced_([a, b], pg, op)
//   ->  l = all_reduce_coalesced([a, b], "sum", "tp"); v = l[0]; v' = wait(v); w = l[1]; w' = wait(w)

/// How many getitems lead from the call to a tensor.
size_t depthOf(const OpDef &op) {
  llvm::StringRef type = op.results.empty() ? "" : llvm::StringRef(op.results.front().type);
  return 1 + type.count("[]");
}

/// Returns true for the operator that pairs a call's outputs with its Work: its value is the same again.
bool isPairing(const Step &step) {
  return step.op && step.op->target.str() == "torch.distributed._spmd.comm_tensor._wrap_comm_result" &&
         step.numOperands == 1 && step.numOrdering == 0;
}

class FinishedCheck {
public:
  FinishedCheck(const Evidence &evidence, uint32_t entry, Findings &findings)
      : evidence_(evidence), before_(evidence.before), after_(evidence.after),
        rule_(evidence.rewrite.certificate.rules[entry]), entry_(entry), findings_(findings) {}

  void check() {
    if (rule_.built.size() < 2)
      return refuse("a launch and a wait must be built");
    call_ = before_.indexOf(rule_.matched[0]);
    launch_ = after_.indexOf(rule_.built[0]);
    wait_ = after_.indexOf(rule_.built[1]);
    const Step &was = before_[call_], &now = after_[launch_];
    if (!evidence_.options.spmd)
      return findings_.add(*rule_.built[0], "mpmd", "is another operator than other ranks may issue there",
                           claimText({Part::Rule, entry_}));
    if (!was.op || !was.collective() || !saysNothingElse(was))
      return refuse("replaces a call that is no collective, or that has more arguments");
    spec_ = was.collective();
    if (!spec_->yieldsBuffers && rule_.matched.size() != 1)
      return refuse("replaces a call that yields only a Work");
    isList_ = !spec_->yieldsBuffers && spec_->coalesced;
    if (!isLaunch(now) || (!isList_ && !isWaitOn(after_[wait_], launch_)))
      return refuse("is not the functional form with the wait on it");
    if (!areTogether())
      return refuse("and the other new nodes are not adjacent");
    sent_ = tensors(spec_->input);
    filled_ = spec_->inPlace ? sent_ : tensors(spec_->output);
    if (sent_.empty() || filled_.empty() || llvm::is_contained(sent_, none) || llvm::is_contained(filled_, none))
      return refuse("replaces a call whose tensors are unknown");
    if (isList_ && !findWaits())
      return refuse("is not a call on a list with a wait on each element");
    if (!sendsTheSame(now) || !saysTheSame(was, now))
      return refuse("has other arguments than " + quoted(was.node) + " had");
    if (!haveShares(readCall(after_, launch_)))
      return refuse("does not take and yield tensors of the sizes that " + quoted(was.node) + " had");
    if (!keepsOrdering(evidence_, was, now))
      refuse("has other ordering edges than " + quoted(was.node) + " had");
    checkElements();
  }

private:
  void refuse(const llvm::Twine &message) {
    findings_.add(*rule_.built[0], "rule", message, claimText({Part::Rule, entry_}));
  }

  /// Returns true if no further argument matters. A wait on the Work, and its timeout, have no meaning for a call that
  /// is complete on return.
  static bool saysNothingElse(const Step &was) {
    const CollectiveSpec &spec = *was.collective();
    int read[] = {spec.input, spec.output, spec.reduceOp, spec.group, spec.root, spec.outputSplits, spec.inputSplits};
    for (int i = 0; i < static_cast<int>(was.op->params.size()); ++i) {
      const Argument *argument = Program::argument(was, i);
      llvm::StringRef name = was.op->params[i].name;
      bool first = argument && argument->is(Argument::Kind::Int) && argument->integer() == 0;
      if (argument && !llvm::is_contained(read, i) && !argument->is(Argument::Kind::None) && name != "async_op" &&
          name != "timeout" && !(name == "root_tensor" && first))
        return false;
    }
    return true;
  }

  bool isLaunch(const Step &now) const {
    return now.collective() && now.arguments->keyword.empty() &&
           now.arguments->positional.size() == now.op->params.size() &&
           now.op->target.str() == formOf(spec_->kind, isList_ ? CollectiveForm::List : CollectiveForm::Single);
  }

  /// Finds the wait on each element of the list. The getitems and the waits stand for nothing else.
  bool findWaits() {
    waits_.assign(filled_.size(), none);
    llvm::SmallVector<uint32_t, 4> elements(filled_.size(), none);
    for (const Node *node : llvm::ArrayRef(rule_.built).drop_front()) {
      uint32_t index = after_.indexOf(node);
      const Step &step = after_[index];
      bool isElement = step.isGetItem() && step.numOperands == 1 && step.numOrdering == 0 &&
                       after_.operands(step)[0] == launch_ && step.element < elements.size();
      if (isElement && elements[step.element] == none)
        elements[step.element] = index;
    }
    for (const Node *node : llvm::ArrayRef(rule_.built).drop_front())
      for (size_t i = 0; i < elements.size(); ++i) {
        const uint32_t index = after_.indexOf(node);
        if (elements[i] != none && waits_[i] == none && isWaitOn(after_[index], elements[i]) &&
            after_[index].type == typeOf(filled_[i]))
          waits_[i] = index;
      }
    explained_ += 2 * filled_.size() - 1; // besides the launch and one wait
    return sent_.size() == filled_.size() && !llvm::is_contained(waits_, none);
  }

  bool isWaitOn(const Step &wait, uint32_t value) const {
    return wait.op && wait.op->target.str() == "_c10d_functional.wait_tensor.default" && wait.numOperands == 1 &&
           wait.numOrdering == 0 && wait.arguments->positional.size() == 1 && wait.arguments->keyword.empty() &&
           after_.operands(wait)[0] == value;
  }

  /// Returns true if no other node is between the built nodes, since the pieces must be read where the call read them.
  bool areTogether() const {
    llvm::SmallVector<uint32_t, 8> places;
    for (const Node *node : rule_.built)
      places.push_back(after_.indexOf(node));
    llvm::sort(places);
    return places.back() - places.front() + 1 == places.size();
  }

  /// Returns the tensor, those of a list, or those of the only list in a list; else nothing.
  llvm::SmallVector<uint32_t, 4> tensors(int parameter) const {
    const Argument *argument = Program::argument(before_[call_], parameter);
    if (argument && argument->isSequence() && !argument->elements().empty() && argument->elements()[0].isSequence())
      argument = argument->elements().size() == 1 ? &argument->elements()[0] : nullptr;
    return before_.operandsIn(before_[call_], argument);
  }

  bool standsFor(uint32_t after, uint32_t before) const {
    return after != none && evidence_.correspondence.image(before) == after;
  }

  bool isMine(uint32_t after) const {
    Claim claim = after == none ? Claim() : evidence_.correspondence.claimAfter(after);
    return claim.part == Part::Rule && claim.entry == entry_;
  }

  /// Checks that the input is the tensor, or the concatenated pieces.
  bool sendsTheSame(const Step &now) {
    if (isList_) {
      auto sent = after_.operandsIn(now, &now.arguments->positional[0]);
      return std::equal(sent.begin(), sent.end(), sent_.begin(), sent_.end(),
                        [&](uint32_t now, uint32_t was) { return standsFor(now, was); });
    }
    uint32_t input = after_.operands(now)[0];
    if (sent_.size() == 1)
      return standsFor(input, sent_[0]);
    if (!isMine(input) || !isPlain(after_[input], "aten.cat.default", 1))
      return false;
    ++explained_;
    auto joined = after_.operands(after_[input]);
    return std::equal(joined.begin(), joined.end(), sent_.begin(), sent_.end(),
                      [&](uint32_t now, uint32_t was) { return standsFor(now, was); });
  }

  static bool isPlain(const Step &step, llvm::StringRef target, size_t arguments) {
    return step.op && step.op->target.str() == target && step.arguments->positional.size() == arguments &&
           step.arguments->keyword.empty() && step.numOrdering == 0;
  }

  bool saysTheSame(const Step &was, const Step &now) const {
    const CollectiveSpec &form = *now.collective();
    const Argument *root = Program::argument(was, spec_->root), *rootNow = Program::argument(now, form.root);
    bool sameRoot = form.root < 0 || (root && rootNow && sameArgument(*root, *rootNow));
    return sameRoot && means(was, spec_->group, now, form.group, &ObjectMeaning::group) &&
           (form.reduceOp < 0 || means(was, spec_->reduceOp, now, form.reduceOp, &ObjectMeaning::reduceOp));
  }

  /// Returns true for the same word or object, or the word that a file defines for the object.
  bool means(const Step &was, int before, const Step &now, int after, std::string ObjectMeaning::*word) const {
    const Argument *a = Program::argument(was, before), *b = Program::argument(now, after);
    if (!a || !b)
      return false;
    if (!a->is(Argument::Kind::Operand))
      return a->is(Argument::Kind::String) && b->is(Argument::Kind::String) && a->text() == b->text();
    uint32_t object = before_.operand(was, *a);
    if (b->is(Argument::Kind::Operand))
      return object != none && standsFor(after_.operand(now, *b), object);
    if (!b->is(Argument::Kind::String) || object == none || before_[object].opcode() != Opcode::GetAttr ||
        !evidence_.options.objects)
      return false;
    auto known = evidence_.options.objects->find(before_[object].node->target().str().str());
    return known != evidence_.options.objects->end() && !b->text().empty() && known->second.*word == b->text().str();
  }

  const Type *typeOf(uint32_t before) const { return before_[before].type; }

  /// Returns true for row-major tensors whose first dimension is a number.
  bool haveRows(llvm::ArrayRef<uint32_t> values) const {
    return llvm::all_of(values, [&](uint32_t value) {
      const Type *type = typeOf(value);
      return type && type->isTensor() && type->isContiguous() && !type->sizes().empty() && type->sizes()[0].isStatic();
    });
  }

  std::vector<int64_t> rows(llvm::ArrayRef<uint32_t> values) const {
    std::vector<int64_t> counts;
    for (uint32_t value : values)
      counts.push_back(typeOf(value)->sizes()[0].value());
    return counts;
  }

  bool isOneSize(llvm::ArrayRef<uint32_t> values) const {
    return llvm::all_of(values, [&](uint32_t value) { return typeOf(value)->sizes() == typeOf(values[0])->sizes(); });
  }

  /// Checks that the ranks of the new call agree with the tensors of the old one.
  bool haveShares(const Call &now) const {
    if (isList_)
      return haveListShares(now);
    if (spec_->inPlace)
      return sent_.size() == 1 && typeOf(sent_[0]) && after_[launch_].type == typeOf(sent_[0]);
    if (!haveRows(sent_) || !haveRows(filled_) || !isOneLength())
      return false;
    int64_t ranks = now.groupSize.value_or(0);
    if (spec_->kind == CollectiveKind::AllToAll)
      ranks = static_cast<int64_t>(spec_->inputSplits >= 0 && now.inputSplits ? now.inputSplits->size() : sent_.size());
    if (const Group *group = now.group.group; group && group->size() && *group->size() != ranks)
      return false;
    switch (spec_->kind) {
    case CollectiveKind::AllGather:
      return sent_.size() == 1 && areShares(filled_, sent_[0], ranks);
    case CollectiveKind::ReduceScatter:
      return filled_.size() == 1 && areShares(sent_, filled_[0], ranks);
    case CollectiveKind::AllToAll:
      if (spec_->inputSplits >= 0)
        return sent_.size() == 1 && filled_.size() == 1 && haveSplits(now);
      return filled_.size() == sent_.size() && now.inputSplits == rows(sent_) && now.outputSplits == rows(filled_);
    default:
      return false;
    }
  }

  /// Checks each tensor of a list with its buffer.
  bool haveListShares(const Call &now) const {
    auto isAlike = [&](uint32_t value) {
      const Type *type = typeOf(value), *first = typeOf(sent_[0]);
      return type && type->isTensor() && type->isContiguous() && first && type->dtype() == first->dtype();
    };
    if (spec_->inPlace)
      return llvm::all_of(sent_, isAlike);
    if (const Group *group = now.group.group; group && group->size() && group->size() != now.groupSize)
      return false;
    for (size_t i = 0; i < sent_.size(); ++i) {
      const Type *sent = typeOf(sent_[i]), *filled = typeOf(filled_[i]);
      if (!haveRows({sent_[i], filled_[i]}) || sent->dtype() != filled->dtype() || sent->device() != filled->device() ||
          sent->sizes().drop_front() != filled->sizes().drop_front() || sent->dtype() != typeOf(sent_[0])->dtype())
        return false;
      bool gathers = spec_->kind == CollectiveKind::AllGather;
      int64_t ranks = now.groupSize.value_or(0);
      if (ranks <= 0 ||
          rows({gathers ? sent_[i] : filled_[i]})[0] * ranks != rows({gathers ? filled_[i] : sent_[i]})[0])
        return false;
    }
    return true;
  }

  /// Checks that the splits are those of the old call; if it has none, parts are equal.
  bool haveSplits(const Call &now) const {
    auto fits = [&](int parameter, const std::optional<std::vector<int64_t>> &splits, uint32_t value) {
      const Argument *argument = Program::argument(before_[call_], parameter);
      std::optional<std::vector<int64_t>> old = argument && argument->isSequence() ? integers(*argument) : std::nullopt;
      if (!old || !splits || splits->empty())
        return false;
      int64_t rowsOfAll = 0;
      for (int64_t split : *splits)
        rowsOfAll += split;
      return rowsOfAll == rows({value})[0] && (old->empty() ? llvm::is_splat(*splits) : *old == *splits);
    };
    // The number of parts must be known where the old call does not state it.
    const Group *group = now.group.group;
    bool isKnown = group && group->size() == static_cast<int64_t>(now.inputSplits ? now.inputSplits->size() : 0);
    const Argument *stated = Program::argument(before_[call_], spec_->inputSplits);
    return (isKnown || (stated && stated->isSequence() && !stated->elements().empty())) &&
           fits(spec_->inputSplits, now.inputSplits, sent_[0]) &&
           fits(spec_->outputSplits, now.outputSplits, filled_[0]);
  }

  /// Checks that all rows that are sent and filled have the same number of elements of one dtype.
  bool isOneLength() const {
    const Type &first = *typeOf(sent_[0]);
    auto fits = [&](uint32_t value) {
      const Type &type = *typeOf(value);
      return type.dtype() == first.dtype() && type.device() == first.device() &&
             type.sizes().drop_front() == first.sizes().drop_front();
    };
    return llvm::all_of(sent_, fits) && llvm::all_of(filled_, fits);
  }

  /// Checks that there is one tensor with a share for each rank, or one share a rank.
  bool areShares(llvm::ArrayRef<uint32_t> many, uint32_t share, int64_t ranks) const {
    int64_t all = rows(many[0])[0] * static_cast<int64_t>(many.size());
    return ranks > 0 && isOneSize(many) && rows(share)[0] * ranks == all &&
           (many.size() == 1 || static_cast<int64_t>(many.size()) == ranks);
  }

  void checkElements() {
    for (const Node *getItem : llvm::ArrayRef(rule_.matched).drop_front()) {
      uint32_t index = before_.indexOf(getItem);
      uint32_t element = finishedElement(before_, call_, index);
      if (!isGetItemOfCall(before_[index]))
        refuse("is built for " + quoted(getItem) + ", which takes nothing of the call");
      else if (element != none)
        checkElement(before_[index], element);
    }
    if (filled_.size() > 1 && !isList_)
      checkTakenApart();
    checkCopies();
    if (explained_ + 2 != rule_.built.size())
      refuse("was built with nodes that the template has no place for");
  }

  bool isGetItemOfCall(const Step &step) const {
    if (!isPairing(step) && (!step.isGetItem() || step.numOperands != 1 || step.numOrdering != 0))
      return false;
    uint32_t of = before_.operands(step)[0];
    Claim claim = of == none ? Claim() : evidence_.correspondence.claimBefore(of);
    return claim.part == Part::Rule && claim.entry == entry_;
  }

  void checkElement(const Step &getItem, uint32_t element) {
    const Type *type = element < filled_.size() ? typeOf(filled_[element]) : nullptr;
    uint32_t stands = evidence_.correspondence.image(before_.indexOf(getItem.node));
    bool fits = type && stands != none && after_[stands].type == type && (!getItem.type || getItem.type == type) &&
                isValueOf(isCopy(after_[stands]) ? after_.operands(after_[stands])[1] : stands, element);
    if (!fits)
      refuse("has no adjacent node that replaces " + quoted(getItem.node) + " as it was");
  }

  /// Returns true for the wait if there is one buffer, else for a getitem of the split.
  bool isValueOf(uint32_t value, uint32_t element) const {
    if (isList_)
      return element < waits_.size() && value == waits_[element];
    if (value == none || filled_.size() == 1)
      return value == wait_ && value != none;
    return isMine(value) && after_[value].isGetItem() && after_[value].element == element;
  }

  static bool isCopy(const Step &step) { return isPlain(step, "aten.copy_.default", 2) && step.numOperands == 2; }

  /// Checks that each copy writes the result of a buffer into that buffer.
  void checkCopies() {
    for (const Node *node : llvm::ArrayRef(rule_.built).drop_front(2)) {
      const Step &step = after_[after_.indexOf(node)];
      if (!isCopy(step))
        continue;
      auto operands = after_.operands(step);
      auto buffer = llvm::find_if(filled_, [&](uint32_t filled) { return standsFor(operands[0], filled); });
      if (buffer == filled_.end() || !isValueOf(operands[1], static_cast<uint32_t>(buffer - filled_.begin())) ||
          step.type != typeOf(*buffer))
        return refuse("has a copy that does not write the result of a buffer into it");
      ++explained_;
    }
  }

  /// Checks that each buffer is a copy of its rows, in memory of its own.
  void checkTakenApart() {
    std::optional<uint32_t> split;
    for (const Node *node : llvm::ArrayRef(rule_.built).drop_front(2)) {
      uint32_t index = after_.indexOf(node);
      const Step &step = after_[index];
      if (isPlain(step, "aten.split_with_sizes_copy.default", 2) && !split) {
        split = index;
        ++explained_;
        std::optional<std::vector<int64_t>> sizes = integers(step.arguments->positional[1]);
        if (after_.operands(step)[0] != wait_ || sizes != rows(filled_))
          return refuse("is taken apart into other rows than those of the buffers");
      }
    }
    for (const Node *node : llvm::ArrayRef(rule_.built).drop_front(2)) {
      const Step &step = after_[after_.indexOf(node)];
      bool ofSplit = step.isGetItem() && step.numOperands == 1 && step.numOrdering == 0 && split &&
                     after_.operands(step)[0] == *split;
      explained_ += ofSplit ? 1 : 0;
    }
  }

  static std::optional<std::vector<int64_t>> integers(const Argument &list) {
    std::vector<int64_t> values;
    for (const Argument &element : list.elements()) {
      if (!element.is(Argument::Kind::Int))
        return std::nullopt;
      values.push_back(element.integer());
    }
    return values;
  }

  const Evidence &evidence_;
  const Program &before_;
  const Program &after_;
  const RuleEntry &rule_;
  uint32_t entry_;
  Findings &findings_;
  const CollectiveSpec *spec_ = nullptr;
  bool isList_ = false;                  ///< the new call is on a list
  llvm::SmallVector<uint32_t, 4> waits_; ///< of a list, by element
  uint32_t call_ = none;
  uint32_t launch_ = none;
  uint32_t wait_ = none;
  llvm::SmallVector<uint32_t, 4> sent_;
  llvm::SmallVector<uint32_t, 4> filled_;
  size_t explained_ = 0; ///< built nodes, besides launch and wait, that the template allows
};

} // namespace

uint32_t finishedElement(const Program &before, uint32_t call, uint32_t getItem) {
  if (!before[call].op)
    return none;
  llvm::SmallVector<uint32_t, 4> path;
  for (uint32_t at = getItem; at != call;) {
    if (at != none && isPairing(before[at])) {
      at = before.operands(before[at])[0];
      continue;
    }
    if (at == none || !before[at].isGetItem() || before[at].numOperands != 1 || path.size() > 3)
      return none;
    path.push_back(before[at].element);
    at = before.operands(before[at])[0];
  }
  if (path.empty() || path.size() != depthOf(*before[call].op))
    return none;
  bool lists = llvm::all_of(llvm::ArrayRef<uint32_t>(path).drop_front(), [](uint32_t element) { return element == 0; });
  if (!lists)
    return none;
  return path.size() > 1 || path[0] == 0 ? path[0] : none;
}

void checkFinishedForm(const Evidence &evidence, uint32_t entry, Findings &findings) {
  const RuleEntry &rule = evidence.rewrite.certificate.rules[entry];
  if (rule.matched.empty() || rule.built.empty())
    return findings.add(*evidence.rewrite.graph.front(), "rule", "matches or builds nothing",
                        claimText({Part::Rule, entry}));
  FinishedCheck(evidence, entry, findings).check();
}

} // namespace ccgraph::legality
