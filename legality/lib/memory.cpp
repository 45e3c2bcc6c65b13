#include "checks.h"
#include "in_flight.h"

namespace ccgraph::legality {

namespace {

struct Peak {
  int64_t bytes = 0;
  uint32_t step = 0;
};

/// First and last step of each storage's life.
class Lives {
public:
  Lives(const Program &program, const Storages &storages)
      : program_(program), storages_(storages), last_(storages.count()), always_(storages.count()) {
    for (uint32_t i = 0; i < program.size(); ++i)
      visit(i);
    for (const Flight &flight : logFlights(program, storages).flights) {
      uint32_t end = flight.wait == none ? program.size() - 1 : flight.wait;
      extend(flight.results, end);
      extend(flight.reads, end);
      extend(flight.writes, end);
    }
  }

  Peak peak() const {
    std::vector<int64_t> change(program_.size() + 1);
    for (uint32_t storage = 0; storage < storages_.count(); ++storage) {
      uint32_t owner = storages_.owner(storage);
      bool always = always_[storage] || !program_[owner].isCall();
      change[always ? 0 : owner] += storages_.bytes(storage);
      change[(always ? program_.size() - 1 : last_[storage]) + 1] -= storages_.bytes(storage);
    }
    Peak peak;
    int64_t live = 0;
    for (uint32_t i = 0; i < program_.size(); ++i)
      if ((live += change[i]) > peak.bytes)
        peak = {live, i};
    return peak;
  }

private:
  void visit(uint32_t index) {
    const Step &step = program_[index];
    extend(storages_.of(index), index);
    for (uint32_t operand : program_.operands(step))
      if (operand != none)
        extend(storages_.of(operand), index);
    if (step.opcode() != Opcode::Output)
      return;
    for (uint32_t operand : program_.operands(step))
      for (uint32_t storage : operand == none ? llvm::ArrayRef<uint32_t>() : storages_.of(operand))
        always_[storage] = true;
  }

  void extend(llvm::ArrayRef<uint32_t> storages, uint32_t step) {
    for (uint32_t storage : storages)
      last_[storage] = std::max(last_[storage], step);
  }

  const Program &program_;
  const Storages &storages_;
  std::vector<uint32_t> last_;
  std::vector<bool> always_; ///< what is returned, because the budget counts it for good
};

} // namespace

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
