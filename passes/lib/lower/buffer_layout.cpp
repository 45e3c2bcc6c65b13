#include "lower/program.h"

#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/internal/arena.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace ccgraph::lower {
namespace {

/// Assigns the graph's own buffers that a collective sends from or receives into to the communication arena.
void findCommunicationBuffers(Plan &plan) {
  for (const PlanStep &step : plan.steps)
    if (step.collective())
      forEachAccess(step, [&](const PlanAccess &access) {
        Home &home = plan.buffers[access.window->buffer].home;
        home = home == Home::Compute ? Home::Communication : home;
      });
}

/// The blocks of one arena, and the block of each buffer. Buffers that reuse each other's bytes in place are one block.
struct Blocks {
  std::vector<ArenaBlock> blocks;
  std::vector<std::pair<BufferId, size_t>> buffers;
};

/// Returns the first buffer that has the bytes.
BufferId firstOwner(llvm::ArrayRef<BufferId> takes, BufferId buffer) {
  while (takes[buffer] != buffer)
    buffer = takes[buffer];
  return buffer;
}

Blocks blocksOf(const Program &program, Home home, SymbolLookup lookup, llvm::ArrayRef<BufferId> takes) {
  Blocks blocks;
  llvm::DenseMap<BufferId, size_t> owners;
  for (BufferId id = 0; id < program.plan.buffers.size(); ++id) {
    const PlanBuffer &buffer = program.plan.buffers[id];
    if (buffer.home != home)
      continue;
    std::optional<int64_t> bytes = buffer.bytes.evaluate(lookup);
    assert(bytes && "a buffer of unknown size grows");
    int64_t size = std::max<int64_t>(bytes.value_or(0), 0);
    // A buffer that no step accesses needs no place: its windows are only used for their sizes.
    const Needed &needed = program.needed[id];
    bool touched = needed.begin <= needed.end;
    ArenaBlock block = touched ? ArenaBlock{size, needed.begin, needed.end} : ArenaBlock{size, 0, theEnd};
    auto [owner, added] = owners.try_emplace(firstOwner(takes, id), blocks.blocks.size());
    if (added)
      blocks.blocks.push_back(block);
    ArenaBlock &whole = blocks.blocks[owner->second];
    whole.begin = std::min(whole.begin, block.begin);
    whole.end = std::max(whole.end, block.end);
    blocks.buffers.emplace_back(id, owner->second);
  }
  return blocks;
}

/// An arena is good enough if it exceeds the minimum by less than one twentieth.
constexpr int64_t enough = 20;

/// The placement of the blocks of one arena. In-place results need less memory at any one moment, but long blocks leave
/// gaps that short blocks would fill. Where that costs more, no result is in place.
struct Arrangement {
  Blocks blocks;
  ArenaPlacement placement;
};

Arrangement arrange(const Program &program, Home home, SymbolLookup lookup, llvm::ArrayRef<BufferId> takes) {
  Arrangement arrangement{blocksOf(program, home, lookup, takes), {}};
  arrangement.placement = placeBlocks(arrangement.blocks.blocks, bufferAlignment);
  return arrangement;
}

} // namespace

void layOut(Program &program, bool separate) {
  Plan &plan = program.plan;
  auto lookup = symbolsOf(plan.layout);
  if (separate)
    findCommunicationBuffers(plan);
  plan.layout.offsets.assign(plan.buffers.size(), 0);
  plan.layout.liveBytes = 0;
  std::vector<BufferId> takes = findReusedBuffers(program), own(takes.size());
  std::iota(own.begin(), own.end(), 0);
  for (Home home : {Home::Compute, Home::Communication}) {
    bool communicates = home == Home::Communication;
    Arrangement best = arrange(program, home, lookup, takes);
    int64_t live = mostLiveBytes(best.blocks.blocks);
    if (best.placement.bytes > live + live / enough)
      if (Arrangement apart = arrange(program, home, lookup, own); apart.placement.bytes < best.placement.bytes)
        best = std::move(apart);
    for (auto [buffer, block] : best.blocks.buffers)
      plan.layout.offsets[buffer] = best.placement.offsets[block];
    (communicates ? plan.layout.communicationBytes : plan.layout.computeBytes) = best.placement.bytes;
    plan.layout.liveBytes = saturatingAdd(plan.layout.liveBytes, live);
  }
}

} // namespace ccgraph::lower
