#include "in_flight.h"

#include "checks.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <set>
#include <tuple>

namespace ccgraph::legality {

namespace {

/// Traverses a program once and records every step that accesses a tensor in flight. A graph of PyTorch's may contain
/// such accesses; this checker does not judge them. The log of the program after is compared with that of the program
/// before, and only a new access is a finding:
///   before   c = all_gather(x); y = relu(z); w = wait(c); add_(x, 1)
///   after    c = all_gather(x); y = relu(z); add_(x, 1); w = wait(c)       add_ writes x, which c still reads: new
class AsyncPairLogger {
public:
  AsyncPairLogger(const Program &program, const Storages &storages)
      : program_(program), storages_(storages), activeAt_(2 * size_t(storages.count()), none),
        reshapes_(storages.count()) {}

  // Each step is examined before its own launch begins, so its own reads are no intrusion.
  AsyncPairLog run() {
    for (uint32_t i = 0; i < program_.size(); ++i) {
      const Step &step = program_[i];
      if (step.waits)
        complete(i, step);
      if (numOpen_ && !step.onlyWaits())
        findIntrusions(i, step);
      countReshapes(step);
      if (step.launches)
        launch(i, step);
    }
    return std::move(log_);
  }

private:
  enum class Hold : uint8_t { Read, Write };
  /// An async pair, and the value by which it holds a storage.
  struct Holder {
    uint32_t pair;
    uint32_t value;
    /// of a result that is a list
    uint32_t element = 0;
  };
  /// AsyncPairs that hold a storage in one way. Completed ones stay until the next cleanup.
  struct Holders {
    llvm::SmallVector<Holder, 0> asyncPairs;
    /// size at which completed async pairs are removed, so that each is examined at most twice on average
    uint32_t full = 8;
  };

  static size_t placeOf(uint32_t storage, Hold hold) { return 2 * size_t(storage) + static_cast<size_t>(hold); }

  /// Returns null for a storage that no launch has held in this way.
  Holders *active(uint32_t storage, Hold hold) {
    const uint32_t at = activeAt_[placeOf(storage, hold)];
    return at == none ? nullptr : &active_[at];
  }

  bool over(uint32_t pair) const { return log_.asyncPairs[pair].wait != none; }

  void complete(uint32_t index, const Step &step) {
    llvm::SmallVector<uint32_t, 2> ended;
    auto operands = program_.operands(step);
    for (size_t i = 0; i < operands.size(); ++i)
      for (uint32_t storage : waitsOn(step, i) ? storages_.of(operands[i]) : llvm::ArrayRef<uint32_t>()) {
        Holders *holders = active(storage, Hold::Write);
        if (!holders)
          continue;
        for (const Holder &holder : holders->asyncPairs)
          if (end(holder.pair, index, storage))
            ended.push_back(log_.asyncPairs[holder.pair].launch);
        forget(*holders);
      }
    llvm::sort(ended);
    ended.erase(std::unique(ended.begin(), ended.end()), ended.end());
    for (uint32_t launch : ended)
      copyAgain(index, launch);
  }

  /// Returns true if the step waits on the operand. A wrapper that waits also has predecessors on which it does not
  /// wait.
  bool waitsOn(const Step &step, size_t operand) const {
    return program_.operands(step)[operand] != none && has(program_.accesses(step)[operand], Access::Complete);
  }

  /// Ends an async pair at the first wait on its result; a buffer or an input that the async pair holds is no result.
  bool end(uint32_t number, uint32_t wait, uint32_t storage) {
    AsyncPair &pair = log_.asyncPairs[number];
    if (pair.wait != none || !llvm::is_contained(pair.results, storage))
      return false;
    pair.wait = wait;
    --numOpen_;
    return true;
  }

  void copyAgain(uint32_t wait, uint32_t launch) {
    const CollectiveSpec *spec = program_[launch].collective();
    if (!spec || !spec->waitsRewriteAll)
      return;
    // A list may have as many waits as results, so the results that no step writes are filtered out once for all waits.
    auto [written, isNew] = writtenResults_.try_emplace(launch);
    if (isNew)
      llvm::copy_if(storages_.of(launch), std::back_inserter(written->second),
                    [&](uint32_t storage) { return storages_.isWritten(storage); });
    for (uint32_t storage : written->second) {
      log_.copiesAgain.push_back({wait, storage});
      intrude({0, wait, storage, 0, 0, wait, reshapes_[storage]}, true, launch);
    }
  }

  /// Removes completed async pairs, so that a frequently used storage is not searched through its whole past.
  void forget(Holders &holders) {
    llvm::erase_if(holders.asyncPairs, [&](const Holder &holder) { return over(holder.pair); });
  }

  void hold(uint32_t storage, Hold how, Holder holder) {
    uint32_t &at = activeAt_[placeOf(storage, how)];
    if (at == none) {
      at = static_cast<uint32_t>(active_.size());
      active_.emplace_back();
    }
    Holders &holders = active_[at];
    if (holders.asyncPairs.size() >= holders.full) {
      forget(holders);
      holders.full = std::max<uint32_t>(8, 2 * static_cast<uint32_t>(holders.asyncPairs.size()));
    }
    holders.asyncPairs.push_back(holder);
  }

  void findIntrusions(uint32_t index, const Step &step) {
    auto operands = program_.operands(step);
    auto accesses = program_.accesses(step);
    for (size_t i = 0; i < operands.size(); ++i) {
      bool writes = hasAny(accesses[i], Access::Write | Access::InFlightWrite);
      if (operands[i] == none || (!writes && !hasAny(accesses[i], Access::Read | Access::InFlightRead)))
        continue;
      for (uint32_t storage : storages_.of(operands[i]))
        intrude({0, index, storage, 0, 0, operands[i], reshapes_[storage]}, writes, none);
    }
  }

  /// Records every launch that has the storage in flight, except the step's own launch.
  void intrude(Intrusion intrusion, bool writes, uint32_t own) {
    for (Hold how : {Hold::Read, Hold::Write}) {
      if (!writes && how == Hold::Read)
        continue;
      Holders *holders = active(intrusion.storage, how);
      if (!holders)
        continue;
      forget(*holders);
      for (const Holder &holder : holders->asyncPairs) {
        intrusion.launch = log_.asyncPairs[holder.pair].launch;
        intrusion.held = holder.value;
        intrusion.element = holder.element;
        if (intrusion.launch != own)
          log_.intrusions.push_back(intrusion);
      }
    }
  }

  void countReshapes(const Step &step) {
    auto operands = program_.operands(step);
    auto accesses = program_.accesses(step);
    for (size_t i = 0; i < operands.size(); ++i)
      if (operands[i] != none && has(accesses[i], Access::Reshape))
        for (uint32_t storage : storages_.of(operands[i]))
          ++reshapes_[storage];
  }

  void launch(uint32_t index, const Step &step) {
    const Argument *inputs = elementwiseList(step);
    uint32_t elements = inputs ? storages_.numElements(index) : 0;
    auto first = static_cast<uint32_t>(log_.asyncPairs.size());
    for (uint32_t i = 0; i < std::max(elements, 1U); ++i) {
      AsyncPair pair;
      pair.launch = index;
      auto results = elements ? storages_.element(index, i) : storages_.of(index);
      pair.results.assign(results.begin(), results.end());
      log_.asyncPairs.push_back(std::move(pair));
    }
    for (uint32_t number = first; number < log_.asyncPairs.size(); ++number)
      for (uint32_t storage : log_.asyncPairs[number].results)
        hold(storage, Hold::Write, {number, index, number - first});
    addOperands(step, elements ? inputs : nullptr, first);
    numOpen_ += log_.asyncPairs.size() - first;
  }

  /// Operand i of the list is held by async pair i; an operand outside the list by all of them.
  void addOperands(const Step &step, const Argument *list, uint32_t first) {
    auto count = static_cast<uint32_t>(log_.asyncPairs.size()) - first;
    llvm::SmallVector<uint32_t, 8> elementOf(step.numOperands, none);
    for (uint32_t i = 0, n = list ? static_cast<uint32_t>(list->elements().size()) : 0; i < n; ++i)
      if (const Argument &leaf = list->elements()[i]; leaf.is(Argument::Kind::Operand))
        elementOf[leaf.operandIndex()] = i;
    auto operands = program_.operands(step);
    auto accesses = program_.accesses(step);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i] == none || !hasAny(accesses[i], Access::InFlightRead | Access::InFlightWrite))
        continue;
      if (elementOf[i] == none)
        for (uint32_t k = 0; k != count; ++k)
          addOperand(operands[i], accesses[i], first + k);
      else if (elementOf[i] < count)
        addOperand(operands[i], accesses[i], first + elementOf[i]);
    }
  }

  void addOperand(uint32_t operand, Access access, uint32_t number) {
    AsyncPair &pair = log_.asyncPairs[number];
    auto held = storages_.of(operand);
    if (has(access, Access::InFlightRead))
      pair.reads.append(held.begin(), held.end());
    if (has(access, Access::InFlightWrite))
      pair.writes.append(held.begin(), held.end());
    for (uint32_t storage : held) {
      if (has(access, Access::InFlightRead))
        hold(storage, Hold::Read, {number, operand});
      if (has(access, Access::InFlightWrite))
        hold(storage, Hold::Write, {number, operand});
    }
  }

  const Program &program_;
  const Storages &storages_;
  std::vector<uint32_t> activeAt_;                                          ///< of active_, see placeOf()
  std::vector<Holders> active_;                                             ///< of storages that launches hold
  std::vector<uint32_t> reshapes_;                                          ///< by storage: count so far
  llvm::DenseMap<uint32_t, llvm::SmallVector<uint32_t, 0>> writtenResults_; ///< by launch; looked up only
  size_t numOpen_ = 0;
  AsyncPairLog log_;
};

/// A value of the program after that is in flight, or one element of it.
using Held = std::pair<uint32_t, uint32_t>;
/// A value in flight and the value that a step accessed meanwhile, and how often tensors in their storage had been
/// reshaped by then. Until one of them is reshaped, the two values keep sharing memory or keep apart, whichever step
/// accesses them.
using Encounter = std::tuple<Held, uint32_t, uint32_t>;

/// Returns the result of the bucket that replaces the result of a member: an element of a list, or the one buffer.
Held resultInBucket(const Evidence &evidence, uint32_t member) {
  const MergedEntry &entry = evidence.rewrite.certificate.merged[evidence.correspondence.claimBefore(member).entry];
  const Node *launch = evidence.before[member].node;
  auto found = llvm::find_if(entry.members, [&](const BucketMember &one) { return one.launch == launch; });
  bool isList = entry.layout == BucketLayout::Grouped;
  return {evidence.correspondence.performer(member), isList ? static_cast<uint32_t>(found->offset) : 0};
}

/// Returns what replaces the value in flight. For a launch that a chain of exchanges replaces, these are the chain's
/// launches, of which the last fills the same storage.
llvm::SmallVector<Held, 2> heldAfter(const Evidence &evidence, const Intrusion &intrusion) {
  const Correspondence &correspondence = evidence.correspondence;
  Part part = intrusion.held == intrusion.launch ? correspondence.claimBefore(intrusion.launch).part : Part::Untouched;
  if (part == Part::Merged)
    return {resultInBucket(evidence, intrusion.launch)};
  llvm::SmallVector<Held, 2> all;
  if (part == Part::Rule)
    for (uint32_t launch : correspondence.performances(intrusion.launch))
      all.push_back({launch, intrusion.element});
  else if (uint32_t image = correspondence.image(intrusion.held); image != none)
    all.push_back({image, intrusion.element});
  return all;
}

/// Returns the encounters of the program before: accesses of PyTorch's own graphs are no fault of this pass.
std::set<Encounter> knownEncounters(const Evidence &evidence) {
  std::set<Encounter> known;
  for (const Intrusion &intrusion : evidence.pairsBefore.intrusions)
    if (uint32_t touched = evidence.correspondence.image(intrusion.touched); touched != none)
      for (Held held : heldAfter(evidence, intrusion))
        known.insert({held, touched, intrusion.reshapes});
  return known;
}

/// Returns the value of which a new node is a view: a bucket reads its members through such views.
uint32_t viewedBy(const Evidence &evidence, uint32_t value) {
  for (;;) {
    const Step &step = evidence.after[value];
    if (evidence.correspondence.claimAfter(value).part == Part::Untouched || step.freshResult ||
        step.numOperands != 1 || step.launches || step.waits || evidence.after.operands(step)[0] == none)
      return value;
    value = evidence.after.operands(step)[0];
  }
}

} // namespace

AsyncPairLog logAsyncPairs(const Program &program, const Storages &storages) {
  return AsyncPairLogger(program, storages).run();
}

void checkInFlight(const Evidence &evidence, Findings &findings) {
  const AsyncPairLog &log = evidence.pairsAfter;
  if (log.intrusions.empty())
    return;
  std::set<Encounter> known = knownEncounters(evidence);
  for (const Intrusion &intrusion : log.intrusions) {
    Held held{viewedBy(evidence, intrusion.held), intrusion.element};
    if (known.count({held, viewedBy(evidence, intrusion.touched), intrusion.reshapes}) != 0)
      continue;
    const Node *owner = evidence.after[evidence.storagesAfter.owner(intrusion.storage)].node;
    findings.add(*evidence.after[intrusion.step].node, "in-flight",
                 "touches the storage of " + quoted(owner) + ", which " +
                     quoted(evidence.after[intrusion.launch].node) +
                     " has in flight here, expected after a wait on it");
  }
}

} // namespace ccgraph::legality
