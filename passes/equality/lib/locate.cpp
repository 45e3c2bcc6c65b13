#include "locate.h"

#include "correspondence.h"

#include "ccgraph/ir/diagnostic.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

#include <map>

namespace ccgraph::equality {
namespace {

/// The nodes of all ranks that are one step of the program: those at one position if all texts have the same operators
/// in the same order, else those of one name.
class Alignment {
public:
  explicit Alignment(const StepComparison &comparison) : comparison_(comparison) {
    const Graph &first = *comparison.ranks.front().graph;
    for (const RankStep &rank : comparison.ranks) {
      nodes_.push_back(rank.graph->nodes());
      sameOrder_ &= rank.graph == &first || haveSameTargets(nodes_.back(), nodes_.front());
    }
    for (size_t i = 0; i != nodes_.front().size(); ++i)
      position_[nodes_.front()[i]] = i;
  }
  /// Returns the counterpart of a node of rank 0; null if there is none.
  [[nodiscard]] const Node *on(size_t rank, const Node &node) const {
    if (sameOrder_)
      return nodes_[rank][position_.at(&node)];
    return comparison_.ranks[rank].graph->find(node.name().str());
  }

private:
  static bool haveSameTargets(llvm::ArrayRef<Node *> a, llvm::ArrayRef<Node *> b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const Node *x, const Node *y) {
             return x->opcode() == y->opcode() &&
                    (x->opcode() != Opcode::CallFunction || x->target().str() == y->target().str());
           });
  }
  const StepComparison &comparison_;
  std::vector<std::vector<Node *>> nodes_;
  std::map<const Node *, size_t> position_;
  bool sameOrder_ = true;
};

/// Returns the base of a target without namespace: "mul" of "aten.mul.Tensor".
llvm::StringRef shortTarget(const Node &node) { return node.target().str().split('.').second.split('.').first; }

bool isOneOf(llvm::StringRef word, std::initializer_list<llvm::StringRef> words) {
  return llvm::is_contained(words, word);
}

/// A view or a wait: it moves no value to another place of the tensor's ranks.
bool isViewOrWait(const Node &node) {
  return node.op() && (node.op()->isView || node.op()->role == OpRole::Wait || node.op()->role == OpRole::GetItem ||
                       isOneOf(shortTarget(node), {"_unsafe_view", "clone", "reshape", "alias", "wait_tensor"}));
}
/// A view or a copy that shows every element of its operand once.
bool isWholeView(const Node &node) {
  return node.op() && node.numOperands() == 1 &&
         isOneOf(shortTarget(node), {"view", "_unsafe_view", "reshape", "clone", "transpose", "t", "permute", "alias",
                                     "detach", "squeeze", "unsqueeze", "wait_tensor"});
}
/// A result that does not depend on the elements of an operand, which gives its sizes alone.
bool readsOnlySizes(const Node &node) {
  return isOneOf(shortTarget(node), {"nll_loss_backward", "ones_like", "zeros_like", "empty_like", "full_like",
                                     "new_zeros", "new_ones", "new_full", "new_empty"});
}
/// An operator whose operands are placed alike.
bool isElementwise(const Node &node) {
  return isOneOf(shortTarget(node), {"add", "sub", "mul", "div", "lerp", "addcmul", "addcdiv", "where"});
}
bool isCollective(const Node &node) { return node.op() && node.op()->role == OpRole::Collective; }
bool isFloatNode(const Node &node) {
  const Type *type = node.type();
  return type && type->isTensor() && isFloat(type->dtype());
}

std::string sourceOf(const Node &node) {
  if (node.frame() == 0)
    return "";
  std::vector<std::string> notes = diagnose(node, "same.place", "").notes;
  llvm::StringRef source = notes.empty() ? "" : llvm::StringRef(notes.back());
  source.consume_front("from ");
  return source.str();
}

class Locator {
public:
  Locator(const StepComparison &comparison, Trial &trial)
      : comparison_(comparison), trial_(trial), alignment_(comparison), correspondence_(comparison, trial) {}

  std::vector<StepPlace> run() {
    for (size_t i = 0; i != trial_.wrong.size(); ++i)
      if (trial_.wrong[i])
        if (const Node *node = outputNode(comparison_.placements.outputs[i].position)) {
          isKnown(*node) ? addTrace(*node) : visit(*node);
        }
    std::vector<const Node *> floats, others;
    for (const Node *node : *comparison_.ranks.front().graph)
      if (isFrontier(*node))
        (isFloatNode(*node) ? floats : others).push_back(node);
    for (const Node *node : floats)
      nameFloat(*node);
    for (const Node *node : traced_)
      traceOutput(*node);
    for (const Node *node : others)
      name(*node);
    nameReaders(floats);
    return std::move(places_);
  }

private:
  /// Returns the node of rank 0 that makes an output.
  const Node *outputNode(size_t position) {
    const Node *output = comparison_.ranks.front().graph->output();
    size_t next = 0;
    for (const Argument &argument : output->args())
      if (const Node *node = leaf(*output, argument, position, next))
        return node;
    return nullptr;
  }
  static const Node *leaf(const Node &output, const Argument &argument, size_t position, size_t &next) {
    if (!argument.isSequence())
      return next++ == position && argument.is(Argument::Kind::Operand) ? output.operand(argument) : nullptr;
    for (const Argument &element : argument.elements())
      if (const Node *node = leaf(output, element, position, next))
        return node;
    return nullptr;
  }

  const Match &matchOf(const Node &node) {
    auto [place, isNew] = matches_.try_emplace(&node);
    if (!isNew)
      return place->second;
    if (isCollective(node) || isViewOrWait(node))
      for (const Node *operand : node.dataOperands())
        (void)matchOf(*operand); // it may derive the value that this node passes on
    std::vector<Array> arrays;
    for (size_t rank = 0; rank != comparison_.ranks.size(); ++rank) {
      const Node *mine = alignment_.on(rank, node);
      const Value *value = mine ? &trial_.ranks[rank].values[mine->id()] : nullptr;
      if (!value || !value->is(Value::Type::Tensor))
        break;
      arrays.push_back(asPairs(read(value->tensor)));
    }
    Match match;
    if (arrays.size() == comparison_.ranks.size()) {
      match = correspondence_.find(arrays);
      if (match.isNone && derive(node))
        match = correspondence_.find(arrays);
      if (!match.isNone &&
          llvm::any_of(node.dataOperands(), [&](const Node *operand) { return derived_.count(operand); }))
        derived_.try_emplace(&node, match.whole);
    }
    return matches_[&node] = match;
  }

  /// A vocabulary-parallel loss subtracts a maximum that the single graph does not have. For such a maximum, and for
  /// what is computed from it, adds the value that the operator has of the whole operands. Returns whether one was
  /// added.
  bool derive(const Node &node) {
    llvm::StringRef target = shortTarget(node);
    if (!isOneOf(target, {"amax", "sub", "exp", "sum", "log", "unsqueeze", "squeeze"}))
      return false;
    std::vector<Value> values(comparison_.ranks.front().graph->idLimit());
    bool follows = target == "amax";
    for (const Node *operand : node.dataOperands()) {
      const Match &match = matchOf(*operand);
      auto known = derived_.find(operand);
      follows |= known != derived_.end();
      if (known == derived_.end() && (!match.isExact() || match.isTrivial))
        return false;
      values[operand->id()] = Value(known != derived_.end() ? known->second : match.whole);
    }
    uint64_t draws = 0;
    llvm::Expected<Value> value = trial_.evaluator.evaluate(node, values, draws);
    if (!value || !follows || !value->is(Value::Type::Tensor)) {
      llvm::consumeError(value.takeError());
      return false;
    }
    correspondence_.addDerived(read(value->tensor));
    derived_.try_emplace(&node, read(value->tensor));
    return true;
  }
  /// Inputs are right by definition, and so is a view of all elements of a value that corresponds.
  bool isKnown(const Node &node) {
    return node.opcode() == Opcode::Placeholder || !matchOf(node).isNone ||
           (isWholeView(node) && isKnown(*node.operand(0)));
  }

  bool producesList(const Node &node) { return trial_.ranks.front().values[node.id()].is(Value::Type::List); }

  /// Returns the operands. Those of an element of a list are the operands from which its producer makes it.
  std::vector<const Node *> operandsOf(const Node &node) {
    std::vector<const Node *> operands;
    const Argument *index = node.args().size() == 2 ? &node.args()[1] : nullptr;
    for (const Node *operand : node.dataOperands())
      if (producesList(*operand) && index && index->is(Argument::Kind::Int))
        addElementOperands(*operand, static_cast<size_t>(index->integer()), operands);
      else
        operands.push_back(operand);
    return operands;
  }
  static void addElementOperands(const Node &producer, size_t index, std::vector<const Node *> &operands) {
    for (const Argument &argument : producer.args())
      if (argument.isSequence() && index < argument.elements().size() &&
          argument.elements()[index].is(Argument::Kind::Operand))
        operands.push_back(producer.operand(argument.elements()[index]));
      else if (argument.is(Argument::Kind::Operand))
        operands.push_back(producer.operand(argument));
  }

  /// Collects the values before a wrong one that correspond to nothing.
  void visit(const Node &start) {
    std::vector<const Node *> work = {&start};
    while (!work.empty()) {
      const Node *node = work.back();
      work.pop_back();
      if (isKnown(*node) || !visited_.insert(node).second)
        continue;
      for (const Node *operand : operandsOf(*node))
        work.push_back(operand);
    }
  }

  /// A value that is local to a rank may correspond to nothing. It is right if a value that it is an operand of, over
  /// any number of such values, corresponds.
  bool isExonerated(const Node &node) {
    auto [place, isNew] = exonerated_.try_emplace(&node, false);
    if (!isNew)
      return place->second;
    bool reaches = false;
    for (const Use &use : node.uses())
      if (const Node *user = use.user(); user->opcode() == Opcode::CallFunction) {
        const Match &match = matchOf(*user);
        reaches |= !readsOnlySizes(*user) && (match.isNone ? isExonerated(*user) : match.isExact() && !match.isTrivial);
      }
    return exonerated_[&node] = reaches;
  }
  bool isRight(const Node &node) {
    return isKnown(node) || isExonerated(node) || (isWholeView(node) && isRight(*node.operand(0)));
  }

  /// A wrong value whose operands are right; for a float, its float operands.
  bool isFrontier(const Node &node) {
    if (!visited_.count(&node) || isRight(node))
      return false;
    for (const Node *operand : operandsOf(node))
      if ((!isFloatNode(node) || isFloatNode(*operand)) && !isRight(*operand))
        return false;
    return true;
  }

  /// Names a node; of an element of a list, the operator that computes the list, unless that is only cut or waited for.
  void name(const Node &node) {
    if (node.op() && node.op()->role == OpRole::GetItem)
      for (const Node *producer : node.dataOperands())
        if (!isViewOrWait(*producer) && !producer->target().str().contains("_foreach_"))
          name(*producer);
    if (named_.insert(node.name().str()).second)
      places_.push_back({0, node.name().str().str(), sourceOf(node)});
  }

  void addTrace(const Node &node) {
    if (!llvm::is_contained(traced_, &node))
      traced_.push_back(&node);
  }

  /// Names the node and what its operands lack. What they lack comes first where operands do not fit together.
  void nameFloat(const Node &node) {
    std::vector<const Node *> lacking;
    size_t floats = 0;
    for (const Node *operand : operandsOf(node)) {
      floats += isFloatNode(*operand);
      if (operand->opcode() != Opcode::Placeholder && isKnown(*operand) && lacks(*operand, node))
        lacking.push_back(operand);
    }
    if (floats < 2 || lacking.size() == floats)
      name(node);
    for (const Node *operand : lacking)
      traceTo(*operand, node);
    name(node);
    for (const Node *operand : operandsOf(node)) {
      if (!isFloatNode(*operand))
        nameIntegers(*operand);
      else if (operand->opcode() == Opcode::CallFunction && isKnown(*operand) && matchOf(*operand).isNone)
        name(*operand);
    }
  }
  /// Returns whether a right operand is no value of the single graph as the reader needs it.
  bool lacks(const Node &operand, const Node &reader) {
    return !correspondsExactly(operand) || (isElementwise(reader) && kindOfMatch(operand).isInner());
  }
  void nameIntegers(const Node &node) {
    if (!visited_.count(&node) || isFloatNode(node))
      return;
    for (const Node *operand : operandsOf(node))
      nameIntegers(*operand);
    if (isFrontier(node))
      name(node);
  }

  bool correspondsExactly(const Node &node) {
    return matchOf(node).isNone && isWholeView(node) ? correspondsExactly(*node.operand(0))
                                                     : node.opcode() == Opcode::Placeholder || matchOf(node).isExact();
  }
  /// Returns how a value corresponds, by what it is a view of if needed.
  const Match &kindOfMatch(const Node &node) {
    const Match &match = matchOf(node);
    return match.isNone && isWholeView(node) ? kindOfMatch(*node.operand(0)) : match;
  }

  /// Walks back from an operand of a wrong value, which is a partial sum or a multiple, to the node that made it so.
  /// Names this node, and the reader on the way, before which a reduction is missing.
  void traceTo(const Node &operand, const Node &reader) {
    if (!kindOfMatch(operand).isPartial())
      return trace(operand);
    const Node *node = &operand, *after = &reader;
    while (const Node *before = partialOperand(*node)) {
      if (!isViewOrWait(*node))
        after = node;
      node = before;
    }
    name(*node);
    name(*after);
  }
  /// Returns the only operand that is the same partial sum; null if there are none or several.
  const Node *partialOperand(const Node &node) {
    const Node *only = nullptr;
    if (isCollective(node))
      return nullptr;
    for (const Node *operand : operandsOf(node))
      if (operand->opcode() == Opcode::CallFunction && kindOfMatch(*operand).isPartial()) {
        if (only)
          return nullptr;
        only = operand;
      }
    return only;
  }

  /// Names the node that makes a wrong output, which corresponds to another value, and what it lacks.
  void traceOutput(const Node &output) {
    const Node *node = &output;
    while (isViewOrWait(*node) && operandsOf(*node).size() == 1 &&
           operandsOf(*node)[0]->opcode() == Opcode::CallFunction)
      node = operandsOf(*node)[0];
    name(*node);
    if (!correspondsExactly(output))
      trace(output);
  }

  /// Walks back from a value that corresponds as a partial sum, times a factor or in another layout, and names the
  /// nodes that made it so: at most two, and collectives that change nothing.
  void trace(const Node &start) {
    const Node *node = &start;
    const bool byLayout = correspondsExactly(start);
    for (unsigned changes = 0; node && node->opcode() == Opcode::CallFunction && changes != 2;) {
      const Node *before = previous(*node);
      const bool isChange = !before || !(byLayout ? kindOfMatch(*before).sameLayout(kindOfMatch(*node))
                                                  : kindOfMatch(*before).sameAs(kindOfMatch(*node)));
      changes += isChange;
      if (isChange || isCollective(*node))
        name(*node);
      if (before && isChange && kindOfMatch(*before).isNone)
        name(*before);
      if (before && isChange && correspondsExactly(*before))
        return;
      node = before;
    }
  }

  /// Returns the operand that corresponds as the value does, looking through values that correspond to nothing; else
  /// one that does not correspond exactly; else the only one.
  const Node *previous(const Node &node) {
    const Match match = kindOfMatch(node);
    std::vector<const Node *> operands = operandsOf(node);
    for (const Node *operand : operands)
      if (operand->opcode() == Opcode::CallFunction && kindOfMatch(*operand).sameAs(match))
        return operand;
    for (const Node *operand : operands)
      if (const Node *same = throughUnknown(*operand, match, 0))
        return same;
    for (const Node *operand : operands)
      if (isFloatNode(*operand) && !correspondsExactly(*operand))
        return operand;
    return operands.size() == 1 ? operands.front() : nullptr;
  }
  const Node *throughUnknown(const Node &node, const Match &match, unsigned depth) {
    constexpr unsigned mostSteps = 12;
    if (node.opcode() != Opcode::CallFunction || depth == mostSteps)
      return nullptr;
    if (!kindOfMatch(node).isNone)
      return kindOfMatch(node).sameAs(match) ? &node : nullptr;
    for (const Node *operand : operandsOf(node))
      if (const Node *same = throughUnknown(*operand, match, depth + 1))
        return same;
    return nullptr;
  }

  /// Names wrong values that read the named ones, until there are a few.
  void nameReaders(llvm::ArrayRef<const Node *> nodes) {
    constexpr size_t enough = 5;
    std::vector<const Node *> work = nodes.vec();
    for (size_t next = 0; next != work.size() && places_.size() < enough; ++next)
      for (const Use &use : work[next]->uses())
        if (const Node *user = use.user(); visited_.count(user) && !llvm::is_contained(work, user)) {
          if (!isViewOrWait(*user))
            name(*user);
          work.push_back(user);
        }
  }

  const StepComparison &comparison_;
  Trial &trial_;
  Alignment alignment_;
  Correspondence correspondence_;
  std::map<const Node *, Match> matches_;
  std::map<const Node *, bool> exonerated_;
  /// the whole values of what derive() added
  std::map<const Node *, Array> derived_;
  llvm::DenseSet<const Node *> visited_;
  std::vector<const Node *> traced_;
  llvm::StringSet<> named_;
  std::vector<StepPlace> places_;
};

} // namespace

std::vector<StepPlace> locate(const StepComparison &comparison, Trial &trial) {
  return Locator(comparison, trial).run();
}

} // namespace ccgraph::equality
