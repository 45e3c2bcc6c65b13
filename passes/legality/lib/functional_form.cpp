#include "call.h"
#include "rules.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

// A call may be replaced by another form with the same meaning:
//   c10d_functional.all_reduce(x, "sum", "", [0, 1], 2)   ->  _c10d_functional.all_reduce(x, "sum", "tp"), where the
//                                                             table gives "tp" the ranks [0, 1]
//   _c10d_functional.all_reduce_(x, "sum", "tp")          ->  _c10d_functional.all_reduce(x, "sum", "tp"), where every
//                                                             later use of the buffer x goes through the result
// The arguments are checked entry by entry; the uses of buffers are checked for all entries together.

/// Compares one call with the functional call that replaces it.
class FormCheck {
public:
  FormCheck(const Evidence &evidence) : evidence_(evidence) {}

  bool isFunctionalFormOf(const Step &was, const Step &now) const {
    return was.op && now.op && now.arguments->keyword.empty() && (isRenamed(was, now) || saysTheSame(was, now));
  }

private:
  /// Returns true for the same operator of the older or the autograd namespace with the same arguments.
  bool isRenamed(const Step &was, const Step &now) const {
    llvm::StringRef name = was.op->target.str();
    const CollectiveSpec *spec = was.collective();
    bool older = name.consume_front("_c10d_functional_autograd.") ||
                 (!(spec && spec->legacy) && name.consume_front("c10d_functional."));
    llvm::StringRef target = now.op->target.str();
    return older && target.consume_front("_c10d_functional.") && name == target &&
           samePositionalArguments(evidence_, was, now);
  }

  bool saysTheSame(const Step &was, const Step &now) const {
    const CollectiveSpec *old = was.collective();
    const CollectiveSpec *form = now.collective();
    if (!old || !form || old->synchronous || !saysNothingElse(was) ||
        now.arguments->positional.size() != now.op->params.size() ||
        now.op->target.str() != formOf(old->kind, old->coalesced ? CollectiveForm::List : CollectiveForm::Single))
      return false;
    auto agree = [&](int before, int after) {
      return same(was, Program::argument(was, before), now, Program::argument(now, after));
    };
    return agree(old->input, form->input) && agree(old->reduceOp, form->reduceOp) && agree(old->root, form->root) &&
           (form->groupSize < 0 || agree(old->groupSize, form->groupSize)) &&
           (old->legacy ? namesRanks(was, now) : agree(old->group, form->group)) &&
           sameSplits(was, old->inputSplits, now, form->inputSplits) &&
           sameSplits(was, old->outputSplits, now, form->outputSplits);
  }

  bool same(const Step &was, const Argument *a, const Step &now, const Argument *b) const {
    return sameArguments(evidence_, {was, a}, {now, b});
  }

  // A name means ranks only if a file gives these ranks to it, and to no other group.

  /// Checks that the group of the functional call is the only one with the ranks, and the tag, of the older call.
  bool namesRanks(const Step &was, const Step &now) const {
    Call old = readCall(evidence_.before, evidence_.before.indexOf(was.node));
    Call form = readCall(evidence_.after, evidence_.after.indexOf(now.node));
    const Argument *tag = Program::argument(was, old.spec->group - 1);
    if (!form.group.group || !tag || !tag->is(Argument::Kind::String) ||
        old.groupSize != static_cast<int64_t>(old.group.ranks.size()))
      return false;
    auto fits = [&](const Group &group) {
      return !group.assumed && group.ranks == old.group.ranks && (tag->text().empty() || group.tag == tag->text());
    };
    return fits(*form.group.group) && llvm::count_if(evidence_.rewrite.graph.groups().groups(), fits) == 1;
  }

  /// Omitted splits are equal splits.
  bool sameSplits(const Step &was, int before, const Step &now, int after) const {
    const Argument *given = Program::argument(was, before);
    if (after < 0 || (given && !given->is(Argument::Kind::None)))
      return same(was, given, now, Program::argument(now, after));
    Call old = readCall(evidence_.before, evidence_.before.indexOf(was.node));
    Call form = readCall(evidence_.after, evidence_.after.indexOf(now.node));
    const auto &splits = after == form.spec->inputSplits ? form.inputSplits : form.outputSplits;
    const Type *type = old.inputs.size() == 1 && old.inputs[0] != none ? evidence_.before[old.inputs[0]].type : nullptr;
    if (!splits || splits->empty() || old.groupSize != static_cast<int64_t>(splits->size()) || !type ||
        !type->isTensor() || type->sizes().empty())
      return false;
    int64_t rows = splits->front() * *old.groupSize;
    return type->sizes()[0] == Dim(rows) &&
           llvm::all_of(*splits, [&](int64_t split) { return split == splits->front(); });
  }

  const Evidence &evidence_;
};

/// Finds the nodes that name a buffer which a matched call wrote and which the built call leaves unchanged. A buffer
/// into which a built node copies the result may be named, but must share no memory with the call's other buffers.
///
/// The program before is read with the effects of the built calls (adoptRuleEffects), so the result of a matched call
/// is new memory there. A later node that still names the buffer does so by another name.
class BufferCheck {
public:
  BufferCheck(const Evidence &evidence, Findings &findings)
      : evidence_(evidence), before_(evidence.before), storages_(evidence.storagesBefore), findings_(findings) {}

  void check(llvm::ArrayRef<uint32_t> entries) {
    noteMentions();
    for (uint32_t entry : entries)
      checkEntry(entry);
  }

private:
  static constexpr uint32_t forever = none;

  void noteMentions() {
    lastMention_.assign(storages_.count(), 0);
    for (uint32_t i = 0; i < before_.size(); ++i) {
      auto operands = before_.operands(before_[i]);
      auto accesses = before_.accesses(before_[i]);
      for (size_t k = 0; k < operands.size(); ++k) {
        bool keeps = before_[i].domain == Domain::All || has(accesses[k], Access::Reshape);
        for (uint32_t storage : operands[k] == none ? llvm::ArrayRef<uint32_t>() : storages_.of(operands[k]))
          lastMention_[storage] = keeps ? forever : std::max(lastMention_[storage], i);
      }
    }
  }

  void checkEntry(uint32_t entry) {
    const Node &node = *evidence_.rewrite.certificate.rules[entry].matched[0];
    uint32_t index = before_.indexOf(&node);
    const Step &step = before_[index];
    const CollectiveSpec *spec = step.collective();
    if (!spec)
      return;
    auto written = before_.operandsIn(step, Program::argument(step, spec->inPlace ? spec->input : spec->output));
    for (auto value = written.begin(); value != written.end(); ++value)
      if (std::find(written.begin(), value, *value) != value ||
          !(isCopiedInto(entry, *value) ? isApart(*value, written) : isPrivate(*value, index)))
        findings_.add(node, "rule",
                      "wrote " + quoted(before_[*value].node) +
                          ", which may be seen by another name than its result's, or is no whole buffer, so it may not "
                          "leave it as it was",
                      claimText({Part::Rule, entry}));
  }

  bool isCopiedInto(uint32_t entry, uint32_t value) const {
    const Program &after = evidence_.after;
    return llvm::any_of(evidence_.rewrite.certificate.rules[entry].built, [&](const Node *node) {
      const Step &step = after[after.indexOf(node)];
      return step.op && step.op->target.str() == "aten.copy_.default" && step.numOperands == 2 &&
             after.operands(step)[0] == evidence_.correspondence.image(value);
    });
  }

  bool isApart(uint32_t value, llvm::ArrayRef<uint32_t> written) const {
    auto held = storages_.of(value);
    auto shares = [&](uint32_t other) {
      return other != value &&
             llvm::any_of(storages_.of(other), [&](uint32_t storage) { return llvm::is_contained(held, storage); });
    };
    return held.size() == 1 && llvm::none_of(written, shares);
  }

  bool isPrivate(uint32_t value, uint32_t writer) const {
    auto held = storages_.of(value);
    if (held.size() != 1 || !before_[storages_.owner(held[0])].isCall() || lastMention_[held[0]] > writer)
      return false;
    const Type *type = before_[value].type;
    if (!type || !type->isTensor() || !type->isContiguous())
      return false;
    // The result of another matched call has a known size only if a built node replaces it.
    uint32_t image = evidence_.correspondence.image(value);
    return isWhole(storages_, value, type) || (image != none && isWhole(evidence_.storagesAfter, image, type));
  }

  static bool isWhole(const Storages &storages, uint32_t value, const Type *type) {
    auto held = storages.of(value);
    return held.size() == 1 && (storages.owner(held[0]) == value || type->numBytes() == storages.bytes(held[0]));
  }

  const Evidence &evidence_;
  const Program &before_;
  const Storages &storages_;
  Findings &findings_;
  std::vector<uint32_t> lastMention_; ///< by storage: the last step that names it
};

} // namespace

bool sameArguments(const Evidence &evidence, ArgumentOf was, ArgumentOf now) {
  const Argument *a = was.tree, *b = now.tree;
  if (!a || !b)
    return !a && !b;
  if (a->is(Argument::Kind::Operand)) {
    if (!b->is(Argument::Kind::Operand))
      return false;
    uint32_t before = evidence.before.operand(was.step, *a), after = evidence.after.operand(now.step, *b);
    return before != none && after != none && evidence.correspondence.image(before) == after;
  }
  if (!a->isSequence())
    return sameArgument(*a, *b);
  return a->kind() == b->kind() && std::equal(a->elements().begin(), a->elements().end(), b->elements().begin(),
                                              b->elements().end(), [&](const Argument &x, const Argument &y) {
                                                return sameArguments(evidence, {was.step, &x}, {now.step, &y});
                                              });
}

bool keepsOrdering(const Evidence &evidence, const Step &was, const Step &now) {
  auto before = evidence.before.ordering(was);
  auto after = evidence.after.ordering(now);
  auto stands = [&](uint32_t old, uint32_t edge) {
    return old != none && edge != none &&
           (evidence.correspondence.image(old) == edge || evidence.correspondence.performer(old) == edge);
  };
  auto kept = [&](uint32_t old) { return llvm::any_of(after, [&](uint32_t edge) { return stands(old, edge); }); };
  auto known = [&](uint32_t edge) { return llvm::any_of(before, [&](uint32_t old) { return stands(old, edge); }); };
  return llvm::all_of(before, kept) && llvm::all_of(after, known);
}

void checkFunctionalForm(const Evidence &evidence, uint32_t entry, Findings &findings) {
  const FormCheck check(evidence);
  auto holds = [&](const Step &was, const Step &now) { return check.isFunctionalFormOf(was, now); };
  checkReplacedCall(evidence, entry, findings, {"functional form of ", "", holds});
}

void checkFunctionalBuffers(const Evidence &evidence, llvm::ArrayRef<uint32_t> entries, Findings &findings) {
  if (!entries.empty())
    BufferCheck(evidence, findings).check(entries);
}

} // namespace ccgraph::legality
