#include "checks.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::legality {

// h = wait_tensor(o, v) frees the storage of v. A step that names it later finds no memory there:
//   before   r = relu(v); h = wait_tensor(o, v)
//   after    h = wait_tensor(o, v); r = relu(v)       refused
// A value that may be in one of several storages is freed only if all of them are. The verifier has refused such a step
// of the program before, so each one is the pass's.
void checkFreed(const Evidence &evidence, Findings &findings) {
  const Program &after = evidence.after;
  const Storages &storages = evidence.storagesAfter;
  std::vector<uint32_t> freedBy(storages.count(), none);
  auto isFreed = [&](uint32_t storage) { return freedBy[storage] != none; };
  for (uint32_t i = 0; i < after.size(); ++i) {
    const Step &step = after[i];
    for (uint32_t operand : after.operands(step)) {
      auto occupied = operand == none ? llvm::ArrayRef<uint32_t>() : storages.of(operand);
      if (!occupied.empty() && llvm::all_of(occupied, isFreed))
        findings.add(*step.node, "freed",
                     "names " + quoted(after[operand].node) + ", whose storage " +
                         quoted(after[freedBy[occupied.front()]].node) + " has freed, expected it before");
    }
    const Argument *freed = step.frees() ? Program::argument(step, step.op->frees) : nullptr;
    if (freed && freed->is(Argument::Kind::Operand))
      for (uint32_t storage : storages.of(after.operand(step, *freed)))
        freedBy[storage] = i;
  }
}

} // namespace ccgraph::legality
