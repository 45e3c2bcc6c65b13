#include "ccgraph/ir/effects.h"
#include "storages/region.h"

#include "verifier/graph_rules.h"

#include <array>

namespace ccgraph::verifier {
namespace {

constexpr uint32_t none = ~uint32_t(0);

/// One result of a launch, from the launch to the wait on it. A coalesced launch has one for each element.
struct AsyncPair {
  const Node *launch;
  unsigned element;
  bool open = true;
};

/// States that an async pair holds a storage: entries of one storage form a list, newest first.
struct Hold {
  uint32_t pair;
  uint32_t next;
  /// the value that occupies this part of the storage; null for one element of a list
  const Node *value;
};

/// How an async pair holds a storage: an input that it still reads, or its result or a buffer that it fills.
enum Holding : uint8_t { Reads, Writes };

/// Traverses the program once and tracks what is in flight. A launch opens an async pair for each of its results. An
/// async pair holds storages: as Writes those of its result and of buffers that it fills, as Reads those of inputs that
/// it still reads. A wait ends every async pair that has one of its storages as Writes.
///   c = all_gather(x)      opens an async pair: c is held as Writes, x as Reads
///   r = relu(x)            fine: both only read x
///   x.add_(1)              write-in-flight: the collective still reads x
///   t = relu(c)            read-in-flight: c is not complete yet
///   w = wait_tensor(c)     ends the async pair, and both are free
/// An error needs certainty. A value that may be in one of several storages is in flight only if all of them are. Two
/// slices of one buffer conflict unless their regions are known to be disjoint.
class AsyncRules {
public:
  AsyncRules(Report &report, const VerifyOptions &options, Scope scope)
      : report_(report), options_(options), scope_(scope), own_(ownMap(report.graph(), options)),
        storages_(own_ ? *own_ : *options.storages), heads_(storages_.numStorages(), {none, none}),
        launched_(storages_.numStorages(), false) {}

  void run() {
    for (const Node *node : report_.graph())
      visit(*node);
    reportMissingWaits();
  }

private:
  static std::optional<StorageMap> ownMap(const Graph &graph, const VerifyOptions &options) {
    return options.storages ? std::nullopt : std::optional<StorageMap>(graph);
  }
  void visit(const Node &node) {
    if (node.opcode() == Opcode::Output)
      return complete(node);
    if (node.opcode() != Opcode::CallFunction)
      return;
    // While nothing is in flight, only a launch or a wait can matter.
    bool calm = numOpen_ == 0 && (node.op()->role == OpRole::Compute || node.op()->role == OpRole::GetItem);
    if (calm)
      return;
    Effects effects = effectsOf(node);
    // A wait frees a storage after it has completed the copy that reads it.
    if (isWait(node))
      wait(node, effects);
    checkAccesses(node, effects);
    if (effects.waits && !isWait(node))
      wait(node, effects);
    if (effects.launches)
      launch(node, effects);
    else if (node.op()->role == OpRole::Collective)
      noteFinished(node, effects);
  }

  // --- Accesses to tensors in flight --------------------------------------------------------------------------------

  void checkAccesses(const Node &node, const Effects &effects) {
    constexpr Access reads = Access::Read | Access::InFlightRead;
    constexpr Access writes = Access::Write | Access::InFlightWrite;
    if (numOpen_ == 0)
      return;
    for (unsigned i = 0; i < node.numOperands(); ++i) {
      Access access = effects.operands[i];
      if (hasAny(access, writes))
        checkWrite(node, *node.operand(i));
      else if (hasAny(access, reads))
        checkRead(node, *node.operand(i));
    }
  }

  /// Returns an async pair that holds the value's part of the storage, as far as parts are known.
  uint32_t firstAround(StorageId storage, Holding holding, const Node &value, const Node &reader) {
    for (uint32_t i = firstOpen(storage, holding); i != none; i = pool_[i].next)
      if (asyncPairs_[pool_[i].pair].open && !liesElsewhere(pool_[i], value, reader))
        return i;
    return none;
  }

  static bool liesElsewhere(const Hold &hold, const Node &value, const Node &reader) {
    return hold.value && disjoint(regionOf(*hold.value, reader), regionOf(value, reader));
  }

  /// Returns an async pair that certainly holds the value: every storage that it may be in is held.
  const AsyncPair *holderOf(const Node &value, const Node &reader, llvm::ArrayRef<Holding> holdings) {
    const AsyncPair *holder = nullptr;
    for (StorageId storage : storages_.storages(&value)) {
      if (storages_.isPool(storage))
        return nullptr;
      uint32_t found = none;
      for (Holding holding : holdings)
        found = found == none ? firstAround(storage, holding, value, reader) : found;
      if (found == none)
        return nullptr;
      holder = &asyncPairs_[pool_[found].pair];
    }
    return holder;
  }

  void checkRead(const Node &node, const Node &value) {
    const AsyncPair *holder = holderOf(value, node, {Writes});
    if (!holder)
      return;
    report_.add(node,
                {Severity::Error, "async.read-in-flight",
                 "reads " + quoted(value) + " while " + describe(*holder) + " is in flight; expected a wait before",
                 "wait on " + quoted(*holder->launch) + " and read what the wait yields"});
  }

  void checkWrite(const Node &node, const Node &value) {
    const AsyncPair *holder = holderOf(value, node, {Writes, Reads});
    if (!holder)
      return;
    report_.add(node, {Severity::Error, "async.write-in-flight",
                       "writes " + quoted(value) + " while " + describe(*holder) +
                           " is in flight and uses its storage; expected a wait before",
                       "wait on " + quoted(*holder->launch) + " first, or write a copy"});
  }

  std::string describe(const AsyncPair &pair) const {
    std::string text = quoted(*pair.launch);
    bool several = pair.launch->type() && pair.launch->type()->isList();
    return several ? "element " + std::to_string(pair.element) + " of " + text : text;
  }

  // --- Launches and waits ----------------------------------------------------------------------------------------

  /// Returns the newest open async pair in a storage's list; closed ones before it are removed permanently.
  uint32_t firstOpen(StorageId storage, Holding holding) {
    uint32_t &head = heads_[storage][holding];
    while (head != none && !asyncPairs_[pool_[head].pair].open)
      head = pool_[head].next;
    return head;
  }

  void hold(uint32_t pair, llvm::ArrayRef<StorageId> storages, Holding holding, const Node *value) {
    for (StorageId storage : storages) {
      uint32_t &head = heads_[storage][holding];
      pool_.push_back({pair, head, value});
      head = static_cast<uint32_t>(pool_.size() - 1);
      launched_[storage] = launched_[storage] || holding == Writes;
    }
  }

  void launch(const Node &node, const Effects &effects) {
    bool list = node.type() && node.type()->isList();
    unsigned elements = std::max(list ? static_cast<unsigned>(node.type()->elements().size()) : 0, elementsRead(node));
    unsigned count = std::max(elements, 1U);
    auto first = static_cast<uint32_t>(asyncPairs_.size());
    for (unsigned i = 0; i < count; ++i) {
      asyncPairs_.push_back({&node, i});
      ++numOpen_;
      hold(first + i, elements ? storages_.storages(&node, i) : storages_.storages(&node), Writes,
           elements ? nullptr : &node);
    }
    holdOperands(node, effects, first, count);
  }

  /// Records the results of a collective that is complete when it returns: a wait on them is no error.
  void noteFinished(const Node &node, const Effects &effects) {
    for (StorageId storage : storages_.storages(&node))
      launched_[storage] = true;
    for (unsigned i = 0; i < node.numOperands(); ++i)
      if (has(effects.operands[i], Access::Write))
        for (StorageId storage : storages_.storages(node.operand(i)))
          launched_[storage] = true;
  }

  static unsigned elementsRead(const Node &node) {
    unsigned count = 0;
    for (const ccgraph::Use &use : node.uses())
      if (auto index = use.isOrdering() ? std::nullopt : getItemIndex(*use.user()))
        count = std::max(count, static_cast<unsigned>(*index) + 1);
    return count;
  }

  /// Inputs in flight: input i of a coalesced launch until the wait on result i, any other until the wait on the
  /// result.
  void holdOperands(const Node &node, const Effects &effects, uint32_t first, unsigned count) {
    unsigned index = 0;
    for (unsigned i = 0; i < node.numOperands(); ++i) {
      if (!hasAny(effects.operands[i], Access::InFlightRead | Access::InFlightWrite))
        continue;
      uint32_t pair = first + std::min(index++, count - 1);
      if (!has(effects.operands[i], Access::Alias))
        hold(pair, storages_.storages(node.operand(i)),
             has(effects.operands[i], Access::InFlightWrite) ? Writes : Reads, node.operand(i));
    }
  }

  void wait(const Node &node, const Effects &effects) {
    for (unsigned i = 0; i < node.numOperands(); ++i)
      if (has(effects.operands[i], Access::Complete))
        waitOn(node, *node.operand(i));
  }

  void waitOn(const Node &node, const Node &value) {
    bool launched = scope_ == Scope::Subgraph;
    for (StorageId storage : storages_.storages(&value)) {
      launched |= launched_[storage];
      close(storage);
    }
    // checkHostCopies reports such a wait of a copy to or from the host as an error.
    if (!launched && node.op()->frees < 0)
      report_.add(node,
                  {Severity::Warning, "async.useless-wait",
                   "waits on " + quoted(value) + ", which is the result of no collective; expected a value in flight",
                   "the wait has no effect: read " + quoted(value) + " itself"});
  }

  /// Ends the async pairs whose result is in the storage.
  void close(StorageId storage) {
    for (uint32_t i = firstOpen(storage, Writes); i != none; i = firstOpen(storage, Writes)) {
      asyncPairs_[pool_[i].pair].open = false;
      --numOpen_;
    }
  }

  /// Ends the async pairs of returned values: the caller waits on them.
  void complete(const Node &output) {
    for (unsigned i = 0; i < output.numOperands(); ++i)
      for (StorageId storage : storages_.storages(output.operand(i)))
        close(storage);
  }

  // --- Missing waits ------------------------------------------------------------------------------------------------

  void reportMissingWaits() {
    for (size_t i = 0; i < asyncPairs_.size();) {
      const Node &launch = *asyncPairs_[i].launch;
      std::string missing;
      for (; i < asyncPairs_.size() && asyncPairs_[i].launch == &launch; ++i)
        if (asyncPairs_[i].open)
          missing += (missing.empty() ? "" : ", ") + std::to_string(asyncPairs_[i].element);
      if (!missing.empty())
        reportMissing(launch, missing);
    }
  }

  void reportMissing(const Node &launch, const std::string &elements) {
    bool several = launch.type() && launch.type()->isList();
    report_.add(launch, {options_.strict ? Severity::Error : Severity::Warning, "async.missing-wait",
                         several ? "has no wait on its elements " + elements + "; expected one on each"
                                 : std::string("has no wait; expected at least one"),
                         "add a wait_tensor on the result, or return it to a caller that waits"});
  }

  Report &report_;
  const VerifyOptions &options_;
  Scope scope_;
  std::optional<StorageMap> own_;
  const StorageMap &storages_;
  std::vector<std::array<uint32_t, 2>> heads_; ///< by storage and holding: newest entry in pool_
  std::vector<bool> launched_;                 ///< by storage: some collective had it as result
  std::vector<Hold> pool_;
  std::vector<AsyncPair> asyncPairs_; ///< in order of launch
  size_t numOpen_ = 0;
};

bool communicates(const Graph &graph) {
  for (const Node *node : graph)
    if (node->op() && node->op()->role != OpRole::Compute && node->op()->role != OpRole::GetItem)
      return true;
  return false;
}

bool copiesToHost(const Graph &graph) {
  return llvm::any_of(graph,
                      [](const Node *node) { return isHostCopy(*node) || (node->op() && node->op()->frees >= 0); });
}

} // namespace

void checkAsync(Report &report, const VerifyOptions &options, Scope scope) {
  if (!communicates(report.graph()))
    return;
  AsyncRules(report, options, scope).run();
  if (copiesToHost(report.graph()))
    checkHostCopies(report, options.storages ? *options.storages : StorageMap(report.graph()), scope);
}

} // namespace ccgraph::verifier
