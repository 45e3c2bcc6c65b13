#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/lifetimes.h"

#include "verifier/graph_rules.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::verifier {
namespace {

/// Traverses the program once. A copy to or from the host is pending until ao.wait_tensor takes it off the register
/// (offload_ops.py, _pop_wait: a wait without a pending copy raises RuntimeError). The wait then resizes the storage of
/// its `keepalive` to 0 bytes, so no later node may name that storage:
///   o = offload(v)           pending
///   h = wait_tensor(o, v)    takes o off, and frees the storage of v
///   t = relu(v)              async.freed
/// An error needs certainty: a value that may be in one of several storages is freed only if all of them are.
class HostCopyRules {
public:
  HostCopyRules(Report &report, const StorageMap &storages, Scope scope)
      : report_(report), storages_(storages), scope_(scope), callerOwned_(report.graph()),
        pending_(storages.numStorages()), freed_(storages.numStorages()) {}

  void run() {
    for (const Node *node : report_.graph()) {
      checkNames(*node);
      if (isHostCopy(*node))
        llvm::for_each(storages_.storages(node), [&](StorageId storage) { pending_[storage] = node; });
      if (isWait(*node))
        wait(*node);
    }
  }

private:
  void error(const Node &node, llvm::StringRef rule, std::string message, std::string repair) {
    report_.add(node, {Severity::Error, rule, std::move(message), std::move(repair)});
  }

  void checkNames(const Node &node) {
    for (const Node *operand : node.dataOperands()) {
      const Node *wait = freeing(*operand);
      if (!wait)
        continue;
      error(node, "async.freed",
            "names " + quoted(*operand) + ", whose storage " + quoted(*wait) + " has freed; expected it before",
            "move it before " + quoted(*wait) + ", or let it read what comes back from the host");
    }
  }

  /// Returns the wait that has certainly freed the value; null if there is none.
  [[nodiscard]] const Node *freeing(const Node &value) const {
    const auto storages = storages_.storages(&value);
    const bool all = llvm::all_of(storages, [&](StorageId id) { return freed_[id] && !storages_.isPool(id); });
    return storages.empty() || !all ? nullptr : freed_[storages.front()];
  }

  void wait(const Node &node) {
    const Effects effects = effectsOf(node);
    for (unsigned i = 0; i < node.numOperands(); ++i)
      if (has(effects.operands[i], Access::Complete))
        waitOn(node, *node.operand(i));
    if (const Node *freed = freedBy(node))
      free(node, *freed);
  }

  void waitOn(const Node &node, const Node &value) {
    const bool takes = node.op()->frees >= 0;
    const Node *copy = nullptr;
    for (StorageId storage : storages_.storages(&value)) {
      copy = pending_[storage] ? pending_[storage] : copy;
      if (takes)
        pending_[storage] = nullptr;
    }
    if (copy && !takes)
      error(node, "async.host-copy",
            "waits on the copy " + quoted(*copy) + " by " + node.target().str().str() + "; expected ao.wait_tensor",
            "call ao.wait_tensor on " + quoted(*copy));
    if (!copy && takes && scope_ == Scope::Whole)
      error(node, "async.host-copy",
            "waits on " + quoted(value) +
                ", which is in flight by no ao.offload or ao.reload; expected one before, "
                "with no wait between",
            "remove the wait, or use the wait of the collective that " + quoted(value) + " is the result of");
  }

  void free(const Node &wait, const Node &value) {
    const auto storages = storages_.storages(&value);
    if (storages.size() != 1 || storages_.isPool(storages.front()))
      return;
    const Node &owner = *storages_.owner(storages.front());
    if (scope_ == Scope::Whole && isKept(owner))
      error(wait, "async.freed",
            "frees the storage of " + quoted(owner) + ", which the " +
                (owner.opcode() == Opcode::GetAttr ? "module" : "caller") + " keeps; expected a value of the program",
            "leave out 'keepalive'");
    freed_[storages.front()] = &wait;
  }

  [[nodiscard]] bool isKept(const Node &owner) const {
    return owner.opcode() == Opcode::GetAttr || (owner.opcode() == Opcode::Placeholder && callerOwned_(owner));
  }

  Report &report_;
  const StorageMap &storages_;
  Scope scope_;
  CallerOwned callerOwned_;
  std::vector<const Node *> pending_; ///< by storage: the copy that no wait has taken off the register
  std::vector<const Node *> freed_;   ///< by storage: the wait that freed it
};

} // namespace

void checkHostCopies(Report &report, const StorageMap &storages, Scope scope) {
  HostCopyRules(report, storages, scope).run();
}

} // namespace ccgraph::verifier
