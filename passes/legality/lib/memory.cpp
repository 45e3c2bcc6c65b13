#include "checks.h"

namespace ccgraph::legality {

namespace {

struct Peak {
  int64_t bytes = 0;
  uint32_t step = 0;
};

// Counts by the rules of ccgraph/ir/lifetimes.h, with separate code. First the first and last step of every storage are
// computed. The peak then takes one traversal: a storage's bytes are added at the step that allocates it and subtracted
// after its last step; the running sum is the live bytes.

/// First and last step of each storage's life. The first is the step that allocates it, or the first step of the
/// program. The last is the last access, the last wait on the collective that accesses it, or the last step of the
/// program.
class Lives {
public:
  Lives(const Program &program, const Storages &storages)
      : program_(program), storages_(storages), end_(program.size() - 1), first_(storages.count()),
        last_(storages.count()), lastUse_(program.size()), completion_(storages.count(), none) {
    holdInputs();
    for (uint32_t i = 0; i < program.size(); ++i)
      visit(i);
    // Each of the many readers of a long list names all of its elements, so only the last reader is used.
    for (uint32_t i = 0; i < program.size(); ++i)
      extend(storages.of(i), lastUse_[i]);
    for (uint32_t i = 0; i < program.size(); ++i)
      if (program[i].launches)
        holdTransfer(i);
  }

  Peak peak() const {
    std::vector<int64_t> change(program_.size() + 1);
    for (uint32_t storage = 0; storage < storages_.count(); ++storage) {
      change[first_[storage]] += storages_.bytes(storage);
      change[last_[storage] + 1] -= storages_.bytes(storage);
    }
    Peak peak;
    int64_t live = 0;
    for (uint32_t i = 0; i < program_.size(); ++i)
      if ((live += change[i]) > peak.bytes)
        peak = {live, i};
    return peak;
  }

private:
  bool placeholderNamed(uint32_t index, llvm::StringRef prefix) const {
    const Step &step = program_[index];
    return step.opcode() == Opcode::Placeholder && step.node->target().str().startswith(prefix);
  }

  /// AOTAutograd names the caller-owned inputs `primals` and gives away the rest. Without such names the caller owns
  /// all inputs.
  void holdInputs() {
    bool named = false;
    for (uint32_t i = 0; i < program_.size(); ++i)
      named |= placeholderNamed(i, "primals") || placeholderNamed(i, "tangents");
    for (uint32_t storage = 0; storage < storages_.count(); ++storage) {
      uint32_t owner = storages_.owner(storage);
      bool givenAway = named && program_[owner].opcode() == Opcode::Placeholder && !placeholderNamed(owner, "primals");
      first_[storage] = program_[owner].isCall() ? owner : 0;
      last_[storage] = program_[owner].isCall() || givenAway ? owner : end_;
    }
    joinLeaders();
  }

  /// Storages that count as one live from their earliest start to their latest end.
  void joinLeaders() {
    for (uint32_t storage = 0; storage < storages_.count(); ++storage) {
      uint32_t leader = storages_.leader(storage);
      first_[leader] = std::min(first_[leader], first_[storage]);
      last_[leader] = std::max(last_[leader], last_[storage]);
    }
  }

  void visit(uint32_t index) {
    const Step &step = program_[index];
    uint32_t until = step.opcode() == Opcode::Output ? end_ : index;
    auto operands = program_.operands(step);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i] == none)
        continue;
      lastUse_[operands[i]] = std::max(lastUse_[operands[i]], until);
      if (has(program_.accesses(step)[i], Access::Complete))
        noteWait(storages_.of(operands[i]), index);
    }
    if (step.launches)
      noteLaunch(index, step);
  }

  void noteWait(llvm::ArrayRef<uint32_t> storages, uint32_t wait) {
    for (uint32_t storage : storages)
      if (completion_[storage] != none)
        lastWait_[completion_[storage]] = wait;
  }

  void noteLaunch(uint32_t index, const Step &step) {
    launch(index, storages_.of(index));
    auto operands = program_.operands(step);
    for (size_t i = 0; i < operands.size(); ++i)
      if (operands[i] != none && has(program_.accesses(step)[i], Access::InFlightWrite))
        launch(index, storages_.of(operands[i]));
  }

  /// Launches that are in flight in the same storage have their waits in common.
  void launch(uint32_t launch, llvm::ArrayRef<uint32_t> storages) {
    for (uint32_t storage : storages) {
      uint32_t &completion = completion_[storage];
      if (completion == none || lastWait_[completion] != none) {
        completion = static_cast<uint32_t>(lastWait_.size());
        lastWait_.push_back(none);
      }
      completionsOf_[launch].push_back(completion);
    }
  }

  uint32_t lastWaitOn(uint32_t launch) const {
    auto completions = completionsOf_.find(launch);
    if (completions == completionsOf_.end())
      return none;
    uint32_t last = none;
    for (uint32_t completion : completions->second)
      if (uint32_t wait = lastWait_[completion]; wait != none && (last == none || wait > last))
        last = wait;
    return last;
  }

  void holdTransfer(uint32_t index) {
    const Step &step = program_[index];
    uint32_t wait = lastWaitOn(index);
    uint32_t until = wait == none ? end_ : wait;
    extend(storages_.of(index), until);
    auto operands = program_.operands(step);
    for (size_t i = 0; i < operands.size(); ++i) {
      Access access = program_.accesses(step)[i];
      bool held =
          wait == none ? hasAny(access, Access::InFlightRead | Access::InFlightWrite) : access != Access::Nothing;
      if (held && operands[i] != none)
        extend(storages_.of(operands[i]), until);
    }
  }

  void extend(llvm::ArrayRef<uint32_t> storages, uint32_t step) {
    for (uint32_t storage : storages)
      last_[storage] = std::max(last_[storage], step);
  }

  const Program &program_;
  const Storages &storages_;
  uint32_t end_;
  std::vector<uint32_t> first_, last_; ///< by storage
  std::vector<uint32_t> lastUse_;      ///< by step: the last that reads its value, 0 for none
  std::vector<uint32_t> completion_;   ///< by storage: of its present or last async pair
  std::vector<uint32_t> lastWait_;     ///< by completion
  /// by launch; only looked up, never iterated
  llvm::DenseMap<uint32_t, llvm::SmallVector<uint32_t, 1>> completionsOf_;
};

} // namespace

int64_t peakBytes(const Program &program, const Storages &storages) {
  return program.size() == 0 ? 0 : Lives(program, storages).peak().bytes;
}

void checkMemory(const Evidence &evidence, Findings &findings) {
  if (!evidence.options.memoryBudget || evidence.after.size() == 0)
    return;
  Peak now = Lives(evidence.after, evidence.storagesAfter).peak();
  if (now.bytes <= *evidence.options.memoryBudget)
    return;
  Peak was = Lives(evidence.before, evidence.storagesBefore).peak();
  if (now.bytes > was.bytes)
    findings.add(*evidence.after[now.step].node, "memory",
                 "needs " + llvm::Twine(now.bytes) + " bytes at its peak here, expected at most " +
                     llvm::Twine(*evidence.options.memoryBudget) + " (the budget; it was " + llvm::Twine(was.bytes) +
                     ")");
}

} // namespace ccgraph::legality
