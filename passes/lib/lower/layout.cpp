#include "lower/program.h"

#include "ccgraph/ir/arena.h"
#include "ccgraph/ir/dims.h"

#include <algorithm>
#include <cassert>

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

/// The blocks of one arena, and which buffers they are.
struct Blocks {
  std::vector<ArenaBlock> blocks;
  std::vector<BufferId> buffers;
};

Blocks blocksOf(const Program &program, Home home, SymbolLookup lookup) {
  Blocks blocks;
  for (BufferId id = 0; id < program.plan.buffers.size(); ++id) {
    const PlanBuffer &buffer = program.plan.buffers[id];
    if (buffer.home != home)
      continue;
    std::optional<int64_t> bytes = buffer.bytes.evaluate(lookup);
    assert(bytes && "a buffer of unknown size grows");
    int64_t size = std::max<int64_t>(bytes.value_or(0), 0);
    // A buffer that no step touches needs no place: its windows are only asked for their sizes.
    const Needed &needed = program.needed[id];
    bool touched = needed.begin <= needed.end;
    blocks.blocks.push_back(touched ? ArenaBlock{size, needed.begin, needed.end} : ArenaBlock{size, 0, theEnd});
    blocks.buffers.push_back(id);
  }
  return blocks;
}

} // namespace

void layOut(Program &program, bool separate) {
  Plan &plan = program.plan;
  auto lookup = [&](llvm::StringRef symbol) { return symbolOf(plan.layout, symbol); };
  if (separate)
    findCommunicationBuffers(plan);
  plan.layout.offsets.assign(plan.buffers.size(), 0);
  plan.layout.liveBytes = 0;
  for (Home home : {Home::Compute, Home::Communication}) {
    Blocks blocks = blocksOf(program, home, lookup);
    bool communicates = home == Home::Communication;
    ArenaPlacement placement = placeBlocks(blocks.blocks, bufferAlignment);
    for (size_t i = 0; i < blocks.buffers.size(); ++i)
      plan.layout.offsets[blocks.buffers[i]] = placement.offsets[i];
    (communicates ? plan.layout.communicationBytes : plan.layout.computeBytes) = placement.bytes;
    plan.layout.liveBytes = saturatingAdd(plan.layout.liveBytes, mostLiveBytes(blocks.blocks));
  }
}

} // namespace ccgraph::lower
