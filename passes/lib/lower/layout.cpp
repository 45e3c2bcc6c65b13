#include "lower/program.h"

#include "ccgraph/ir/arena.h"
#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/dims.h"

namespace ccgraph::lower {
namespace {

/// Buffers of the program's own that a collective sends from or receives into belong to the arena of communication.
void findCommunicationBuffers(Plan &plan) {
  for (const PlanStep &step : plan.steps)
    if (step.collective())
      forEachAccess(step, [&](const PlanAccess &access) {
        Home &home = plan.buffers[access.window->buffer].home;
        home = home == Home::Compute ? Home::Communication : home;
      });
}

llvm::Error unknownSize(const PlanBuffer &buffer) {
  Diagnostic diagnostic;
  diagnostic.rule = "lower.symbol";
  diagnostic.where = buffer.name.str().str();
  diagnostic.message = "takes " + buffer.bytes.str() + " bytes, and no value is stated for a symbol in it";
  diagnostic.notes.emplace_back("a layout is made for one value of each symbol: state them");
  return makeError(std::move(diagnostic));
}

/// The blocks of one arena, and which buffers they are.
struct Blocks {
  std::vector<ArenaBlock> blocks;
  std::vector<BufferId> buffers;
};

llvm::Expected<Blocks> blocksOf(const Program &program, Home home, SymbolLookup lookup) {
  Blocks blocks;
  for (BufferId id = 0; id < program.plan.buffers.size(); ++id) {
    const PlanBuffer &buffer = program.plan.buffers[id];
    if (buffer.home != home)
      continue;
    std::optional<int64_t> bytes = buffer.bytes.evaluate(lookup);
    if (!bytes || *bytes < 0)
      return unknownSize(buffer);
    // A buffer that no step touches needs no place: its windows are only asked for their sizes.
    const Needed &needed = program.needed[id];
    bool touched = needed.begin <= needed.end;
    blocks.blocks.push_back(touched ? ArenaBlock{*bytes, needed.begin, needed.end} : ArenaBlock{*bytes, 0, theEnd});
    blocks.buffers.push_back(id);
  }
  return blocks;
}

} // namespace

llvm::Error layOut(Program &program, bool separate, SymbolLookup lookup) {
  Plan &plan = program.plan;
  if (separate)
    findCommunicationBuffers(plan);
  plan.layout.offsets.assign(plan.buffers.size(), 0);
  plan.layout.liveBytes = 0;
  for (Home home : {Home::Compute, Home::Communication}) {
    llvm::Expected<Blocks> blocks = blocksOf(program, home, lookup);
    if (!blocks)
      return blocks.takeError();
    bool communicates = home == Home::Communication;
    ArenaPlacement placement = placeBlocks(blocks->blocks, bufferAlignment);
    for (size_t i = 0; i < blocks->buffers.size(); ++i)
      plan.layout.offsets[blocks->buffers[i]] = placement.offsets[i];
    (communicates ? plan.layout.communicationBytes : plan.layout.computeBytes) = placement.bytes;
    plan.layout.liveBytes = saturatingAdd(plan.layout.liveBytes, mostLiveBytes(blocks->blocks));
  }
  return llvm::Error::success();
}

} // namespace ccgraph::lower
