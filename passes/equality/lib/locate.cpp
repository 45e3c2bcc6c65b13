#include "locate.h"

#include "lacking_terms.h"
#include "node_matches.h"
#include "origins.h"
#include "repairs.h"
#include "repeated_microbatches.h"

#include "ccgraph/ir/diagnostic.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

#include <map>

namespace ccgraph::equality {
namespace {

class Locator {
public:
  Locator(const StepComparison &comparison, Trial &trial)
      : comparison_(comparison), trial_(trial), matches_(comparison, trial), suspicion_(comparison, trial, matches_) {
    for (const Node *node : *comparison.ranks.front().graph)
      if (std::optional<BucketElement> element = bucketElementOf(*node))
        bucketElements_[element->operand].push_back(node);
  }

  std::vector<StepPlace> run() {
    for (size_t i = 0; i != trial_.wrong.size(); ++i)
      if (trial_.wrong[i] && !trial_.wrong[i]->inReference)
        if (const Node *node =
                Suspicion::outputNode(*comparison_.ranks.front().graph, comparison_.placements.outputs[i].position)) {
          matches_.isKnown(*node) ? addTrace(*node) : visit(*node);
        }
    std::vector<const Node *> floats, others;
    for (const Node *node : *comparison_.ranks.front().graph)
      if (isFrontier(*node))
        (matches_.isFloatValue(*node) ? floats : others).push_back(node);
    // A node whose text differs among the ranks is the first suspect, then one with an operand that is a part of a sum
    // or a multiple of what it should be.
    auto rankOf = [&](const Node *node) {
      const bool textsDiffer = matches_.alignment().textsDiffer(*node);
      return std::tuple(!textsDiffer || isPartOfUneven(*node), !textsDiffer, !matches_.lacksOperand(*node));
    };
    llvm::stable_sort(floats, [&](const Node *a, const Node *b) { return rankOf(a) < rankOf(b); });
    nameOwnSteps();
    nameLackingTerms();
    llvm::for_each(repeatedMicrobatches(comparison_, matches_), [&](const Node *node) { nameAt(*node, 0); });
    for (const Node *node : floats) {
      nameFloat(*node);
      nameUnusual(*node);
    }
    llvm::for_each(traced_, [&](const Node *node) { traceOutput(*node); });
    llvm::for_each(others, [&](const Node *node) { name(*node); });
    nameReaders(floats);
    llvm::stable_sort(places_, [](const Named &a, const Named &b) { return a.level < b.level; });
    preferRepairable();
    std::vector<StepPlace> places;
    for (const Named &named : places_)
      places.push_back(named.place);
    return places;
  }

private:
  /// A node that is named; `level`: see Suspicion.
  struct Named {
    StepPlace place;
    unsigned level = 0;
  };

  void preferRepairable() {
    std::vector<const Node *> likely;
    for (const Named &named : places_)
      if (const Node *node = comparison_.ranks.front().graph->find(named.place.node))
        likely.push_back(node);
    const std::vector<const Node *> repairable = repairableNodes(comparison_, trial_, matches_, suspicion_, likely);
    if (repairable.empty())
      return;
    std::vector<Named> others = std::move(places_);
    places_.clear();
    named_.clear();
    for (const Node *node : repairable)
      nameAt(*node, 0);
    for (Named &named : others)
      addPlace(std::move(named.place), named.level);
  }

  /// Names the first step of each rank that at most half of the ranks have, if a wrong value reads it: over steps of
  /// the same kind, a value that all ranks have and that corresponds to nothing. Of a step that a rank lacks, names
  /// what reads it on other ranks.
  void nameOwnSteps() {
    std::map<size_t, bool> hasNamed;
    for (const Alignment::OwnStep &own : matches_.alignment().ownSteps())
      if (!hasNamed[own.rank] && !isPartOfUneven(*own.node) && isReadByWrong(own)) {
        hasNamed[own.rank] = true;
        addPlace({static_cast<int64_t>(own.rank), own.node->name().str().str(), sourceText(*own.node)}, 0);
      }
    for (const Alignment::OwnStep &lacking : matches_.alignment().lackingSteps())
      if (!hasNamed[lacking.rank] && !isPartOfUneven(*lacking.node))
        for (const Node *reader : readersOf(*lacking.node))
          if (const Node *there = matches_.alignment().on(lacking.rank, *reader); there && visited_.count(reader)) {
            hasNamed[lacking.rank] = true;
            nameSubstitutes(lacking.rank, *there);
            addPlace({static_cast<int64_t>(lacking.rank), there->name().str().str(), sourceText(*there)}, 0);
          }
  }
  void nameLackingTerms() {
    if (comparison_.reference)
      return;
    std::vector<const Node *> lacking = lackingTerms(comparison_, matches_);
    llvm::erase_if(lacking, [&](const Node *node) { return suspicion_.levelOf(*node) == 2; });
    // Of many, none is a mistake: the ranks add other values than one device does.
    constexpr size_t most = 2;
    for (const Node *node : lacking)
      if (lacking.size() <= most)
        nameAt(*node, suspicion_.levelOf(*node));
  }
  /// Names the operands of a rank's node that other ranks do not have: they stand where a step is lacking.
  void nameSubstitutes(size_t rank, const Node &reader) {
    const bool isElement = reader.op()->role == OpRole::GetItem && reader.operand(0)->opcode() == Opcode::CallFunction;
    for (const Node *operand : (isElement ? *reader.operand(0) : reader).dataOperands())
      if (operand->opcode() == Opcode::CallFunction && !matches_.alignment().onFirst(rank, *operand))
        addPlace({static_cast<int64_t>(rank), operand->name().str().str(), sourceText(*operand)}, 0);
  }
  bool isReadByWrong(const Alignment::OwnStep &own) {
    std::vector<const Node *> work = {own.node};
    llvm::DenseSet<const Node *> seen = {own.node};
    while (!work.empty()) {
      const Node *node = work.back();
      work.pop_back();
      for (const Use &use : node->uses()) {
        const Node *user = use.user(), *onFirst = matches_.alignment().onFirst(own.rank, *user);
        if (onFirst && ((visited_.count(onFirst) && !isRight(*onFirst)) || suspicion_.levelOf(*onFirst) < 2))
          return true;
        if (!onFirst && user->opcode() == Opcode::CallFunction && seen.insert(user).second)
          work.push_back(user);
      }
    }
    return false;
  }

  /// Collects the values before a wrong one that correspond to nothing.
  void visit(const Node &start) {
    std::vector<const Node *> work = {&start};
    while (!work.empty()) {
      const Node *node = work.back();
      work.pop_back();
      if (matches_.isKnown(*node) || !visited_.insert(node).second)
        continue;
      for (const Node *operand : matches_.operandsOf(*node))
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
    for (const Node *user : readersOf(node)) {
      const Match &match = matches_.matchOf(*user);
      reaches |=
          !readsOnlySizes(*user) && matches_.isFloatValue(node) <= matches_.isFloatValue(*user) &&
          (match.isNone ? isExonerated(*user) : match.isExact() && !match.isTrivial && matches_.tells(*user, node));
    }
    return exonerated_[&node] = reaches;
  }
  /// Returns the nodes that read the value. Of an operator that computes a list from lists, and of a bucket, those of
  /// the elements that it makes from the value.
  std::vector<const Node *> readersOf(const Node &node) {
    std::vector<const Node *> readers;
    for (const Use &use : node.uses()) {
      const Node *user = use.user();
      if (user->opcode() != Opcode::CallFunction)
        continue;
      if (auto elements = bucketElements_.find(&node); elements != bucketElements_.end() && isJoin(*user)) {
        llvm::append_range(readers, elements->second);
        continue;
      }
      if (!matches_.producesList(*user) || matches_.producesList(node)) {
        readers.push_back(user);
        continue;
      }
      for (const Use &element : user->uses())
        if (llvm::is_contained(matches_.operandsOf(*element.user()), &node))
          readers.push_back(element.user());
    }
    return readers;
  }
  bool isRight(const Node &node) {
    return matches_.isKnown(node) || isExonerated(node) || (isWholeView(node) && isRight(*node.operand(0)));
  }

  /// A wrong value whose operands are right; for a float, its float operands.
  bool isFrontier(const Node &node) {
    if (!visited_.count(&node) || isRight(node))
      return false;
    for (const Node *operand : matches_.operandsOf(node))
      if ((!matches_.isFloatValue(node) || matches_.isFloatValue(*operand)) && !isRight(*operand))
        return false;
    return true;
  }

  /// Names a node; of an element of a list, the operator that computes the list, unless that is only cut or waited for.
  void name(const Node &node) {
    const bool isRightValue = node.opcode() == Opcode::CallFunction && matches_.correspondsExactly(node);
    nameAt(node, std::max(suspicion_.levelOf(node), isRightValue ? 1U : 0U));
  }
  void nameAt(const Node &node, unsigned level) {
    if (std::optional<BucketElement> element = bucketElementOf(node))
      for (const Node *step : element->steps)
        name(*step);
    if (node.op() && node.op()->role == OpRole::GetItem)
      for (const Node *producer : node.dataOperands())
        if (!isViewOrWait(*producer) && !producer->target().str().contains("_foreach_"))
          name(*producer);
    const int64_t rank = rankOf(node);
    const Node *there = matches_.alignment().on(static_cast<size_t>(rank), node);
    addPlace({rank, (there ? there : &node)->name().str().str(), sourceText(node)}, level);
  }
  void addPlace(StepPlace place, unsigned level) {
    if (named_.insert(place.node).second)
      places_.push_back({std::move(place), level});
  }

  /// Returns the first rank on which the node is not what it is on most ranks: by its text, else the first one whose
  /// value is none of the single graph where that of another rank is one; else the first rank of a wrong output.
  int64_t rankOf(const Node &node) {
    if (std::optional<size_t> rank = matches_.alignment().firstOtherText(node))
      return static_cast<int64_t>(*rank);
    if (std::optional<size_t> rank = matches_.firstUnknownRank(node))
      return static_cast<int64_t>(*rank);
    int64_t first = static_cast<int64_t>(comparison_.ranks.size()) - 1;
    for (const std::optional<WrongOutput> &wrong : trial_.wrong)
      if (wrong)
        first = std::min(first, wrong->rank);
    return first;
  }
  void addTrace(const Node &node) {
    if (!llvm::is_contained(traced_, &node))
      traced_.push_back(&node);
  }

  /// Names the node and what its operands lack. What they lack comes first where operands do not fit together.
  void nameFloat(const Node &node) {
    if (const Node *other = matches_.otherOperand(node); other && other->opcode() == Opcode::CallFunction)
      nameAt(*other, suspicion_.levelOf(*other));
    std::vector<const Node *> lacking;
    size_t floats = 0;
    for (const Node *operand : matches_.operandsOf(node)) {
      floats += matches_.isFloatValue(*operand);
      if (operand->opcode() != Opcode::Placeholder && matches_.isKnown(*operand) && matches_.lacks(*operand, node))
        lacking.push_back(operand);
    }
    if (floats < 2 || lacking.size() == floats)
      name(node);
    for (const Node *source : lacking.empty() ? sourcesOf(node, matches_) : restoringOf(node, matches_)) {
      name(node);
      name(*source);
    }
    nameJoin(node);
    nameGather(node);
    for (const Node *operand : lacking)
      if (matches_.kindOfMatch(*operand).isPartial())
        traceTo(*operand, node);
    name(node);
    if (llvm::any_of(lacking, [&](const Node *operand) { return matches_.hasFactor(*operand); }))
      nameOrigins(node);
    for (const Node *operand : matches_.operandsOf(node))
      if (!matches_.isFloatValue(*operand))
        nameIntegers(*operand);
    for (const Node *operand : lacking)
      if (!matches_.kindOfMatch(*operand).isPartial())
        traceTo(*operand, node);
    for (const Node *operand : matches_.operandsOf(node))
      if (matches_.isFloatValue(*operand) && operand->opcode() == Opcode::CallFunction && matches_.isKnown(*operand) &&
          matches_.matchOf(*operand).isNone)
        name(*operand);
  }

  /// A gather, or a view of one, moves elements to places where they correspond to nothing until the parts are joined.
  /// Names the wrong value that joins them.
  void nameJoin(const Node &moved) {
    const Node *node = &moved;
    while (isViewOrWait(*node) || isMovingCollective(*node)) {
      const Node *next = nullptr;
      for (const Node *reader : readersOf(*node))
        if (visited_.count(reader) && !isRight(*reader))
          next = reader;
      if (!next)
        return;
      node = next;
    }
    if (node != &moved && isJoin(*node))
      name(*node);
  }

  /// The parts that a wrong value joins are right each, so they may be those of other ranks. Names the gather that they
  /// come from.
  void nameGather(const Node &join) {
    const Node *node = &join;
    while (node == &join ? isJoin(*node) : isViewOrWait(*node)) {
      const std::vector<const Node *> operands = matches_.operandsOf(*node);
      if (operands.empty() || operands.front()->opcode() != Opcode::CallFunction)
        return;
      node = operands.front();
    }
    if (isMovingCollective(*node)) {
      name(join);
      name(*node);
    }
  }

  /// Names the first call after the node, over a few wrong values, which no right value is computed by: the same
  /// operator with other literal arguments or operands, such as an average among sums.
  void nameUnusual(const Node &start) {
    constexpr unsigned mostSteps = 8;
    if (usual_.empty())
      for (const Node *node : *comparison_.ranks.front().graph)
        if (node->opcode() == Opcode::CallFunction && !visited_.count(node))
          usual_.insert(shapeOfCall(*node));
    std::vector<const Node *> work = {&start};
    for (unsigned step = 0; step != mostSteps && !work.empty(); ++step) {
      std::vector<const Node *> next;
      for (const Node *node : work) {
        if (!isWholeView(*node) && node->op()->role != OpRole::GetItem && !usual_.count(shapeOfCall(*node)))
          return name(*node);
        for (const Use &use : node->uses())
          if (visited_.count(use.user()) && !isRight(*use.user()))
            next.push_back(use.user());
      }
      work = std::move(next);
    }
  }
  void nameIntegers(const Node &node) {
    if (!visited_.count(&node) || matches_.isFloatValue(node))
      return;
    for (const Node *operand : matches_.operandsOf(node))
      nameIntegers(*operand);
    if (!isFrontier(node))
      return;
    // A rank's offset of 0 gives the index that one device has.
    for (const Node *operand : matches_.operandsOf(node))
      if (operand->opcode() == Opcode::CallFunction && addedInteger(*operand))
        nameAt(*operand, suspicion_.levelOf(*operand));
    name(node);
  }

  /// Names what makes an operand of the reader a multiple of what it should be.
  void nameOrigins(const Node &reader) {
    const Origins found = originsOf(reader, matches_);
    if (const Node *seed = found.origin ? seedOf(*found.origin, matches_) : nullptr)
      name(*seed);
    if (found.oddCall)
      name(*found.oddCall);
    else if (!found.met.empty())
      name(*found.met.front());
    if (found.origin)
      nameWithConstants(*found.origin);
  }
  void nameWithConstants(const Node &node) {
    name(node);
    for (const Node *operand : matches_.operandsOf(node)) {
      while (isViewOrWait(*operand) && operand->numOperands() == 1)
        operand = operand->operand(0);
      if (operand->opcode() == Opcode::CallFunction && matches_.isFloatValue(*operand) && !readsOnlySizes(*operand) &&
          matches_.kindOfMatch(*operand).isTrivial)
        name(*operand);
    }
  }

  /// Walks back from an operand of a wrong value, which is a partial sum or a multiple, to the node that made it so.
  /// Names this node, and the reader on the way, before which a reduction is missing.
  void traceTo(const Node &operand, const Node &reader) {
    if (!matches_.kindOfMatch(operand).isPartial())
      return trace(operand);
    const Node *node = &operand, *after = &reader;
    while (const Node *before = partialOperandOf(*node, matches_)) {
      if (!isViewOrWait(*node))
        after = node;
      node = before;
    }
    name(*node);
    name(*after);
  }
  /// Names the node that makes a wrong output, which corresponds to another value, and what it lacks.
  void traceOutput(const Node &output) {
    const Node *node = &output;
    while (isViewOrWait(*node) && matches_.operandsOf(*node).size() == 1 &&
           matches_.operandsOf(*node)[0]->opcode() == Opcode::CallFunction)
      node = matches_.operandsOf(*node)[0];
    if (matches_.correspondsExactly(output))
      nameBranch(output);
    else if (matches_.isMultiple(output))
      nameOrigins(output);
    name(*node);
    if (!matches_.correspondsExactly(output))
      trace(output);
  }
  /// The output is another value of the single graph. Names the first node that only this output is computed from: its
  /// operand is the other value, which further nodes read.
  void nameBranch(const Node &output) {
    const Node *node = &output;
    while (true) {
      std::vector<const Node *> operands;
      for (const Node *operand : matches_.operandsOf(*node))
        if (matches_.isFloatValue(*operand))
          operands.push_back(operand);
      if (operands.size() != 1 || operands[0]->opcode() != Opcode::CallFunction || readersOf(*operands[0]).size() > 1)
        return name(*node);
      node = operands[0];
    }
  }

  /// Walks back from a value that corresponds as a partial sum, times a factor or in another layout, and names the
  /// nodes that made it so: at most two, and collectives that change nothing.
  void trace(const Node &start) {
    const Node *node = &start;
    const bool byLayout = matches_.correspondsExactly(start);
    for (unsigned changes = 0; node && node->opcode() == Opcode::CallFunction && changes != 2;) {
      const Node *before = previous(*node);
      const bool isChange =
          !before || !(byLayout ? matches_.kindOfMatch(*before).sameLayout(matches_.kindOfMatch(*node))
                                : matches_.kindOfMatch(*before).sameAs(matches_.kindOfMatch(*node)));
      changes += isChange;
      if (isChange || isCollectiveNode(*node))
        name(*node);
      if (before && isChange && matches_.kindOfMatch(*before).isNone)
        name(*before);
      if (before && isChange && matches_.correspondsExactly(*before))
        return;
      node = before;
    }
  }

  /// Returns the operand that corresponds as the value does, looking through values that correspond to nothing; else
  /// one that does not correspond exactly; else the only one.
  const Node *previous(const Node &node) {
    const Match match = matches_.kindOfMatch(node);
    std::vector<const Node *> operands = matches_.operandsOf(node);
    for (const Node *operand : operands)
      if (operand->opcode() == Opcode::CallFunction && matches_.kindOfMatch(*operand).sameAs(match))
        return operand;
    for (const Node *operand : operands)
      if (const Node *same = throughUnknown(*operand, match, 0))
        return same;
    for (const Node *operand : operands)
      if (matches_.isFloatValue(*operand) && !matches_.correspondsExactly(*operand))
        return operand;
    return operands.size() == 1 ? operands.front() : nullptr;
  }
  const Node *throughUnknown(const Node &node, const Match &match, unsigned depth) {
    constexpr unsigned mostSteps = 12;
    if (node.opcode() != Opcode::CallFunction || depth == mostSteps)
      return nullptr;
    if (!matches_.kindOfMatch(node).isNone)
      return matches_.kindOfMatch(node).sameAs(match) ? &node : nullptr;
    for (const Node *operand : matches_.operandsOf(node))
      if (const Node *same = throughUnknown(*operand, match, depth + 1))
        return same;
    return nullptr;
  }

  /// Names wrong values that read the named ones, until there are a few.
  void nameReaders(llvm::ArrayRef<const Node *> nodes) {
    constexpr size_t enough = 5;
    std::vector<const Node *> work = nodes.vec();
    for (size_t next = 0; next != work.size() && places_.size() < enough; ++next)
      for (const Node *user : readersOf(*work[next]))
        if (visited_.count(user) && !llvm::is_contained(work, user)) {
          if (!isViewOrWait(*user))
            name(*user);
          work.push_back(user);
        }
  }

  const StepComparison &comparison_;
  Trial &trial_;
  NodeMatches matches_;
  Suspicion suspicion_;
  std::map<const Node *, bool> exonerated_;
  llvm::DenseSet<const Node *> visited_;
  std::vector<const Node *> traced_;
  /// by tensor: what it became in buckets
  llvm::DenseMap<const Node *, std::vector<const Node *>> bucketElements_;
  llvm::StringSet<> named_;
  /// the calls of right values
  llvm::StringSet<> usual_;
  std::vector<Named> places_;
};

} // namespace

std::vector<StepPlace> locate(const StepComparison &comparison, Trial &trial) {
  return Locator(comparison, trial).run();
}

} // namespace ccgraph::equality
