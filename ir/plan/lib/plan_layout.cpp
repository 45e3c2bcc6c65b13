#include "ccgraph/ir/plan_layout.h"

#include "ccgraph/ir/diagnostic.h"
#include "ccgraph/ir/int_list.h"
#include "ccgraph/ir/internal/arena.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

namespace ccgraph {
namespace {

constexpr size_t mostThatShare = 8192;
constexpr uint32_t never = ~0U;

/// By stream: how many steps of the list, up to the stream's last counted step, have certainly ended.
using Clock = std::vector<uint32_t>;

void join(Clock &clock, const Clock &other) {
  for (size_t i = 0; i < clock.size(); ++i)
    clock[i] = std::max(clock[i], other[i]);
}

/// The uses of one buffer, or of several on the same bytes.
struct Life {
  /// by stream: 1 + the last step that uses it
  Clock last;
  /// the common clock of all steps that use it, at their start
  Clock known;
  /// in the list
  uint32_t begin = never, end = 0;

  /// Returns true if all uses end before any use of the other begins.
  [[nodiscard]] bool isBefore(const Life &other) const {
    for (size_t i = 0; i < last.size(); ++i)
      if (last[i] > other.known[i])
        return false;
    return true;
  }

  void merge(const Life &other) {
    join(last, other.last);
    for (size_t i = 0; i < known.size(); ++i)
      known[i] = std::min(known[i], other.known[i]);
    begin = std::min(begin, other.begin);
    end = std::max(end, other.end);
  }
};

/// Traverses the list in an order in which an engine may run it.
class Lives {
public:
  explicit Lives(const Plan &plan)
      : plan_(plan), streams_(plan.streams.size(), zero()), events_(plan.numEvents, zero()),
        lives_(plan.buffers.size(), Life{zero(), Clock(plan.streams.size(), never)}) {}

  std::vector<Life> find() {
    for (uint32_t step = 0; step < plan_.steps.size(); ++step)
      visit(step);
    keepWhatTheCallerSees();
    return std::move(lives_);
  }

private:
  [[nodiscard]] Clock zero() const { return Clock(plan_.streams.size(), 0); }

  void visit(uint32_t index) {
    const PlanStep &step = plan_.steps[index];
    Clock known = streams_[step.stream];
    join(known, streams_[Plan::hostStream]);
    for (EventId event : step.waits)
      join(known, events_[event]);
    forEachAccess(step, [&](const PlanAccess &access) {
      if (access.window)
        use(lives_[access.window->buffer], index, known);
    });
    known[step.stream] = index + 1;
    streams_[step.stream] = known;
    if (step.event)
      events_[*step.event] = known;
  }

  void use(Life &life, uint32_t step, const Clock &known) {
    life.last[plan_.steps[step].stream] = step + 1;
    for (size_t i = 0; i < known.size(); ++i)
      life.known[i] = std::min(life.known[i], known[i]);
    life.begin = std::min(life.begin, step);
    life.end = step;
  }

  void keepWhatTheCallerSees() {
    auto keep = [&](const PlanWindow &window) {
      Life &life = lives_[window.buffer];
      life.last.assign(life.last.size(), never);
      life.end = never;
    };
    for (const PlanValue &output : plan_.outputs)
      forEachWindow(output, keep);
    for (const PlanInput &input : plan_.inputs)
      forEachWindow(input.after, keep);
  }

  const Plan &plan_;
  std::vector<Clock> streams_, events_;
  std::vector<Life> lives_;
};

/// Bytes of one arena that belong to one buffer, or to several in turn.
struct Block {
  int64_t bytes = 0;
  Life life;
  int64_t offset = 0;
};

bool mayShare(const Block &a, const Block &b) { return a.life.isBefore(b.life) || b.life.isBefore(a.life); }

int64_t aligned(int64_t bytes) {
  return static_cast<int64_t>(llvm::alignTo(static_cast<uint64_t>(bytes), bufferAlignment));
}

/// Places all blocks apart, and returns their total size.
int64_t placeApart(std::vector<Block> &blocks) {
  int64_t end = 0;
  for (Block &block : blocks) {
    block.offset = end;
    end = saturatingAdd(end, aligned(block.bytes));
  }
  return end;
}

int64_t lowestGap(const Block &block, llvm::ArrayRef<const Block *> placed) {
  int64_t offset = 0;
  for (const Block *other : placed) {
    if (saturatingAdd(offset, block.bytes) <= other->offset)
      break;
    if (!mayShare(block, *other))
      offset = std::max(offset, aligned(saturatingAdd(other->offset, other->bytes)));
  }
  return offset;
}

int64_t place(std::vector<Block> &blocks) {
  if (blocks.size() > mostThatShare)
    return placeApart(blocks);
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(order, [&](size_t a, size_t b) { return blocks[a].bytes > blocks[b].bytes; });
  // by offset
  std::vector<const Block *> placed;
  int64_t end = 0;
  for (size_t index : order) {
    Block &block = blocks[index];
    if (block.bytes == 0)
      continue;
    block.offset = lowestGap(block, placed);
    end = std::max(end, saturatingAdd(block.offset, block.bytes));
    placed.insert(llvm::upper_bound(placed, block.offset,
                                    [](int64_t offset, const Block *other) { return offset < other->offset; }),
                  &block);
  }
  return end;
}

class Relayout {
public:
  Relayout(const Plan &plan, PlanLayout &layout) : plan_(plan), layout_(layout), lives_(Lives(plan).find()) {}

  llvm::Error run() {
    layout_.offsets.assign(plan_.buffers.size(), 0);
    for (const PlanBuffer &buffer : plan_.buffers) {
      std::optional<int64_t> bytes = sizeOf(buffer);
      if (!bytes)
        return wrongSize(buffer);
      sizes_.push_back(*bytes);
    }
    layout_.computeBytes = layOut(Home::Compute);
    layout_.communicationBytes = layOut(Home::Communication);
    return llvm::Error::success();
  }

private:
  [[nodiscard]] static bool isInArena(const PlanBuffer &buffer) {
    return buffer.home == Home::Compute || buffer.home == Home::Communication;
  }

  /// Returns 0 for a buffer outside arenas.
  [[nodiscard]] std::optional<int64_t> sizeOf(const PlanBuffer &buffer) const {
    if (!isInArena(buffer))
      return 0;
    std::optional<int64_t> bytes = buffer.bytes.evaluate(symbolsOf(layout_));
    constexpr int64_t most = int64_t{1} << 60;
    return bytes && *bytes >= 0 && *bytes <= most ? bytes : std::nullopt;
  }

  [[nodiscard]] llvm::Error wrongSize(const PlanBuffer &buffer) const {
    Diagnostic diagnostic =
        diagnose("plan.layout", "buffer '" + buffer.name.str().str() + "' of " + buffer.bytes.str() + " bytes");
    diagnostic.where = plan_.name;
    std::string binding;
    for (const auto &[symbol, value] : layout_.symbols)
      binding += (binding.empty() ? " with " : ", ") + symbol.str().str() + " = " + std::to_string(value);
    diagnostic.message += binding + " has no size that could be laid out";
    diagnostic.notes.emplace_back("give each symbol of its size a value that makes it a number from 0 on");
    return makeError(std::move(diagnostic));
  }

  /// Returns true if the buffer begins, in the plan's own layout, at the place of an operand of the step that has no
  /// later use.
  [[nodiscard]] bool takesOver(BufferId buffer, BufferId before) const {
    return plan_.buffers[buffer].home == plan_.buffers[before].home && sizes_[buffer] == sizes_[before] &&
           plan_.buffers[buffer].bytes == plan_.buffers[before].bytes && lives_[before].end == lives_[buffer].begin &&
           buffer < plan_.layout.offsets.size() && plan_.layout.offsets[buffer] == plan_.layout.offsets[before];
  }

  /// Returns, by buffer, the first buffer that had its bytes.
  [[nodiscard]] std::vector<BufferId> findOwners() const {
    std::vector<BufferId> owners(plan_.buffers.size());
    std::iota(owners.begin(), owners.end(), 0);
    for (const PlanStep &step : plan_.steps) {
      const KernelStep *kernel = step.kernel();
      if (!kernel || kernel->result.kind != PlanValue::Kind::Tensor)
        continue;
      BufferId result = kernel->result.window.buffer;
      for (const PlanOperand &operand : kernel->operands)
        forEachWindow(operand.value, [&](const PlanWindow &window) {
          if (window.buffer != result && owners[result] == result && takesOver(result, window.buffer))
            owners[result] = owners[window.buffer];
        });
    }
    return owners;
  }

  int64_t layOut(Home home) {
    std::vector<BufferId> owners = findOwners();
    std::vector<Block> blocks;
    llvm::DenseMap<BufferId, size_t> blockOf;
    for (BufferId id = 0; id < plan_.buffers.size(); ++id) {
      if (plan_.buffers[id].home != home)
        continue;
      auto [entry, added] = blockOf.try_emplace(owners[id], blocks.size());
      if (added)
        blocks.push_back({sizes_[id], lives_[id]});
      else
        blocks[entry->second].life.merge(lives_[id]);
    }
    noteLiveBytes(blocks);
    int64_t bytes = place(blocks);
    for (BufferId id = 0; id < plan_.buffers.size(); ++id)
      if (plan_.buffers[id].home == home)
        layout_.offsets[id] = blocks[blockOf.lookup(owners[id])].offset;
    return bytes;
  }

  void noteLiveBytes(llvm::ArrayRef<Block> blocks) {
    std::vector<ArenaBlock> alive;
    for (const Block &block : blocks)
      if (block.life.begin != never)
        alive.push_back({block.bytes, block.life.begin, block.life.end});
    layout_.liveBytes = saturatingAdd(layout_.liveBytes, mostLiveBytes(alive));
  }

  const Plan &plan_;
  PlanLayout &layout_;
  std::vector<Life> lives_;
  /// by buffer
  std::vector<int64_t> sizes_;
};

} // namespace

llvm::Expected<PlanLayout> layOutFor(const Plan &plan, std::vector<std::pair<Identifier, int64_t>> symbols) {
  PlanLayout layout;
  layout.symbols = std::move(symbols);
  if (llvm::Error error = Relayout(plan, layout).run())
    return error;
  return layout;
}

} // namespace ccgraph
