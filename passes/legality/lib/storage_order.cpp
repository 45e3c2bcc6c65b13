#include "in_flight.h"
#include "rules.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

namespace {

/// The part of a storage that is accessed: its elements, or the shapes of the tensors in it. A wait does not access the
/// elements of what it completes, which checkInFlight covers; it writes a storage that it frees. A step that only names
/// a tensor reads its shape.
enum class Aspect : uint8_t { Elements, Shapes };

/// One access to a storage that some step writes. Its epoch is the number of earlier writes to that storage.
struct Touch {
  uint32_t storage = 0;
  uint32_t at = 0;    ///< step before, then step after
  uint32_t epoch = 0; ///< as it was
  bool write = false;
  const Node *node = nullptr;
};

bool writes(Aspect aspect, const Step &step, Access access) {
  if (aspect == Aspect::Shapes)
    return has(access, Access::Reshape);
  return step.frees() ? has(access, Access::Write)
                      : !step.waits && hasAny(access, Access::Write | Access::InFlightWrite);
}
bool touches(Aspect aspect, const Step &step, Access access) {
  if (aspect == Aspect::Shapes)
    return true;
  return writes(aspect, step, access) || (!step.waits && hasAny(access, Access::Read | Access::InFlightRead));
}

bool byPlace(const Touch &a, const Touch &b) { return std::tie(a.storage, a.at) < std::tie(b.storage, b.at); }

/// Two reads may always be swapped. So an order of accesses is correct if each access sees as many earlier writes as
/// before, and writes keep their order. Every access gets an epoch, and the program after is traversed with a counter:
///
///   before     read r1 (0)   write w1 (0)   read r2 (1)   write w2 (1)
///   after      r1, w1, w2, r2:  r2 now follows two writes, but its epoch is 1
class StorageOrder {
public:
  StorageOrder(const Evidence &evidence, Aspect aspect, Findings &findings)
      : evidence_(evidence), aspect_(aspect), before_(evidence.before), after_(evidence.after),
        correspondence_(evidence.correspondence), findings_(findings), written_(evidence.storagesBefore.count()),
        shared_(after_.size()) {}

  void run() {
    if (!markWritten())
      return;
    collectBefore();
    if (aspect_ == Aspect::Elements)
      collectRewrites();
    llvm::stable_sort(touches_, byPlace);
    numberEpochs();
    llvm::SmallVector<Touch, 64> now;
    for (const Touch &touch : touches_)
      addAfter(touch, now);
    llvm::stable_sort(demands_, [](const Demand &a, const Demand &b) { return a.key < b.key; });
    for (uint32_t i = 0; i < after_.size(); ++i)
      addNewReads(i, now);
    llvm::stable_sort(now, byPlace);
    compare(now);
  }

private:
  bool markWritten() {
    bool any = false;
    forEachAccess(before_, [&](uint32_t step, uint32_t operand, Access access) {
      if (!writes(aspect_, before_[step], access))
        return;
      any = true;
      for (uint32_t storage : evidence_.storagesBefore.of(operand))
        written_[storage] = true;
    });
    return any;
  }

  template <typename Visit>
  static void forEachAccess(const Program &program, Visit visit) {
    for (uint32_t i = 0; i < program.size(); ++i) {
      auto operands = program.operands(program[i]);
      auto accesses = program.accesses(program[i]);
      for (size_t k = 0; k < operands.size(); ++k)
        visit(i, operands[k], accesses[k]);
    }
  }

  void collectBefore() {
    forEachAccess(before_, [&](uint32_t step, uint32_t operand, Access access) {
      if (!touches(aspect_, before_[step], access))
        return;
      for (uint32_t storage : evidence_.storagesBefore.of(operand))
        if (written_[storage])
          touches_.push_back({storage, step, 0, writes(aspect_, before_[step], access), before_[step].node});
    });
  }

  /// Adds a write for each wait that may copy a result again.
  void collectRewrites() {
    for (const CopyAgain &copy : evidence_.pairsBefore.copiesAgain)
      touches_.push_back({copy.storage, copy.wait, 0, true, before_[copy.wait].node});
  }

  /// Numbers the epochs. A step that reads and writes one storage counts as a write.
  void numberEpochs() {
    llvm::SmallVector<Touch, 0> merged;
    for (const Touch &touch : touches_) {
      if (!merged.empty() && merged.back().storage == touch.storage && merged.back().at == touch.at)
        merged.back().write |= touch.write;
      else
        merged.push_back(touch);
    }
    uint32_t epoch = 0;
    for (size_t i = 0; i < merged.size(); ++i) {
      if (i && merged[i - 1].storage != merged[i].storage)
        epoch = 0;
      merged[i].epoch = epoch;
      epoch += merged[i].write ? 1 : 0;
    }
    touches_ = std::vector<Touch>(merged.begin(), merged.end());
  }

  // A bucket reads for its members at its own position. For add_(a); c1 = f(a); c2 = f(b) the bucket must read a after
  // exactly one write of a, as c1 did. So each member's read becomes a demand on its bucket, and is checked wherever a
  // node of the bucket reads that storage.

  /// Returns a number for each entry whose new nodes together read what its old nodes read: buckets, then chains of
  /// exchanges and regions.
  std::optional<uint32_t> unitOf(Claim claim) const {
    const Certificate &certificate = evidence_.rewrite.certificate;
    if (claim.part == Part::Merged)
      return claim.entry;
    const RuleTemplate *rule = claim.part == Part::Rule ? templateOf(certificate.rules[claim.entry].name) : nullptr;
    if (!rule || (rule->replacement != Replacement::ValueForWait && !replacesValues(*rule)))
      return std::nullopt;
    return static_cast<uint32_t>(certificate.merged.size() + claim.entry);
  }

  /// Members of a bucket read where the bucket's own nodes read (see addNewReads); removed steps no longer read.
  void addAfter(Touch touch, llvm::SmallVectorImpl<Touch> &now) {
    uint32_t step = touch.at;
    Claim claim = correspondence_.claimBefore(step);
    auto unit = unitOf(claim);
    if (unit)
      demands_.push_back({{touch.storage, *unit}, touch.epoch, touch.node});
    touch.at = correspondence_.performer(step);
    if (claim.part == Part::Untouched || (claim.part == Part::Rule && !unit)) {
      if (touch.at != none)
        now.push_back(touch);
      return;
    }
    if (touch.write)
      findings_.add(*touch.node, "storage-order", "writes " + owner(touch.storage) + ", so it may not go",
                    claimText(claim));
  }

  std::string owner(uint32_t storage) const {
    return (aspect_ == Aspect::Shapes ? "the shape of " : "the storage of ") +
           quoted(before_[evidence_.storagesBefore.owner(storage)].node);
  }

  /// Returns the storages before that a value after occupies, if it had any.
  llvm::ArrayRef<uint32_t> storagesOf(uint32_t after) const {
    uint32_t origin = correspondence_.origin(after);
    return origin == none ? llvm::ArrayRef<uint32_t>(shared_[after]) : evidence_.storagesBefore.of(origin);
  }

  void addNewReads(uint32_t index, llvm::SmallVectorImpl<Touch> &now) {
    auto unit = unitOf(correspondence_.claimAfter(index));
    if (!unit)
      return;
    const Step &step = after_[index];
    auto operands = after_.operands(step);
    auto accesses = after_.accesses(step);
    llvm::SmallVector<uint32_t, 8> read;
    for (size_t i = 0; i < operands.size(); ++i) {
      auto storages = storagesOf(operands[i]);
      if (has(accesses[i], Access::Alias))
        shared_[index].append(storages.begin(), storages.end());
      if (touches(aspect_, step, accesses[i]))
        llvm::copy_if(storages, std::back_inserter(read), [&](uint32_t storage) { return written_[storage]; });
    }
    // A launch may send one value for every member, so duplicate storages are removed.
    llvm::sort(read);
    read.erase(std::unique(read.begin(), read.end()), read.end());
    for (uint32_t storage : read)
      addRead(storage, index, *unit, now);
  }

  /// Adds a bucket's read, which must see the same number of writes as each member's read of that storage.
  void addRead(uint32_t storage, uint32_t index, uint32_t unit, llvm::SmallVectorImpl<Touch> &now) {
    std::pair<uint32_t, uint32_t> key{storage, unit};
    auto demand = llvm::partition_point(demands_, [&](const Demand &other) { return other.key < key; });
    for (; demand != demands_.end() && demand->key == key; ++demand)
      now.push_back({storage, index, demand->epoch, false, demand->member});
  }

  void compare(llvm::ArrayRef<Touch> now) {
    uint32_t epoch = 0;
    for (size_t i = 0; i < now.size(); ++i) {
      if (i && now[i - 1].storage != now[i].storage)
        epoch = 0;
      const Touch &touch = now[i];
      if (touch.epoch != epoch)
        findings_.add(*touch.node, "storage-order",
                      std::string(touch.write ? "writes " : "reads ") + owner(touch.storage) + " after " +
                          llvm::Twine(epoch) + " other writes to it, expected " + llvm::Twine(touch.epoch));
      if (touch.write)
        epoch = std::max(epoch, touch.epoch) + 1;
    }
  }

  struct Demand {
    std::pair<uint32_t, uint32_t> key; ///< storage, unit
    uint32_t epoch = 0;
    const Node *member = nullptr;
  };

  const Evidence &evidence_;
  Aspect aspect_;
  const Program &before_;
  const Program &after_;
  const Correspondence &correspondence_;
  Findings &findings_;
  std::vector<bool> written_;
  std::vector<llvm::SmallVector<uint32_t, 2>> shared_;
  std::vector<Touch> touches_;
  std::vector<Demand> demands_;
};

} // namespace

void checkStorageOrder(const Evidence &evidence, Findings &findings) {
  StorageOrder(evidence, Aspect::Elements, findings).run();
  StorageOrder(evidence, Aspect::Shapes, findings).run();
}

} // namespace ccgraph::legality
