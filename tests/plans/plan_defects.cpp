#include "plans/plan_defects.h"

#include "plans/random_plan.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::test {
namespace {

bool isInArena(const PlanBuffer &buffer) { return buffer.home == Home::Compute || buffer.home == Home::Communication; }

/// Returns a number below `limit` for which the test is true, after a limited number of attempts.
std::optional<size_t> choose(Random &random, size_t limit, llvm::function_ref<bool(size_t)> fits) {
  for (int attempt = 0; limit > 0 && attempt < 200; ++attempt)
    if (size_t found = random.below(limit); fits(found))
      return found;
  return std::nullopt;
}

std::optional<size_t> stepThat(Plan &plan, Random &random, llvm::function_ref<bool(const PlanStep &)> fits) {
  return choose(random, plan.steps.size(), [&](size_t step) { return fits(plan.steps[step]); });
}

bool waits(const PlanStep &step) { return !step.waits.empty(); }

// --- Events ---------------------------------------------------------------------------------------------------

bool dropWait(Plan &plan, Random &random) {
  std::optional<size_t> step = stepThat(plan, random, waits);
  if (!step)
    return false;
  auto &all = plan.steps[*step].waits;
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(random.below(all.size())));
  dropIdleEvents(plan);
  return true;
}

bool dropEvent(Plan &plan, Random &random) {
  std::optional<size_t> step = stepThat(plan, random, [](const PlanStep &each) { return each.event.has_value(); });
  if (!step)
    return false;
  for (PlanStep &other : plan.steps)
    llvm::erase_value(other.waits, *plan.steps[*step].event);
  dropIdleEvents(plan);
  return true;
}

bool forgetToRecord(Plan &plan, Random &random) {
  std::optional<size_t> step = stepThat(plan, random, [](const PlanStep &each) { return each.event.has_value(); });
  if (step)
    plan.steps[*step].event.reset();
  return step.has_value();
}

/// Adds a wait of `later` for `earlier`.
bool addWait(Plan &plan, Random &random) {
  if (plan.steps.size() < 2)
    return false;
  size_t later = 1 + random.below(plan.steps.size() - 1), earlier = random.below(later);
  std::optional<EventId> &event = plan.steps[earlier].event;
  if (!event)
    event = plan.numEvents++;
  plan.steps[later].waits.push_back(*event);
  return true;
}

/// Lets a step wait for a wrong event.
bool mistakeEvent(Plan &plan, Random &random) {
  std::optional<size_t> step = stepThat(plan, random, waits);
  if (!step || plan.numEvents < 2)
    return false;
  EventId &wait = plan.steps[*step].waits[random.below(plan.steps[*step].waits.size())];
  wait = static_cast<EventId>((wait + 1 + random.below(plan.numEvents - 1)) % plan.numEvents);
  dropIdleEvents(plan);
  return true;
}

// --- Memory ---------------------------------------------------------------------------------------------------

void growArenas(Plan &plan) {
  for (size_t id = 0; id < plan.buffers.size(); ++id) {
    if (!isInArena(plan.buffers[id]) || !plan.buffers[id].bytes.isStatic())
      continue;
    bool computes = plan.buffers[id].home == Home::Compute;
    int64_t &arena = computes ? plan.layout.computeBytes : plan.layout.communicationBytes;
    arena = std::max(arena, plan.layout.offsets[id] + plan.buffers[id].bytes.value());
  }
}

bool shiftBuffer(Plan &plan, Random &random) {
  auto fits = [&](size_t id) { return isInArena(plan.buffers[id]); };
  std::optional<size_t> buffer = choose(random, plan.buffers.size(), fits);
  if (!buffer)
    return false;
  int64_t by = 64 * (1 + static_cast<int64_t>(random.below(4)));
  plan.layout.offsets[*buffer] += random.below(2) && plan.layout.offsets[*buffer] >= by ? -by : by;
  growArenas(plan);
  return true;
}

bool misalign(Plan &plan, Random &random) {
  auto fits = [&](size_t id) { return isInArena(plan.buffers[id]); };
  std::optional<size_t> buffer = choose(random, plan.buffers.size(), fits);
  if (!buffer)
    return false;
  plan.layout.offsets[*buffer] += 4;
  growArenas(plan);
  return true;
}

/// Moves one buffer to the place of another.
bool shrinkLifetime(Plan &plan, Random &random) {
  auto fits = [&](size_t id) { return isInArena(plan.buffers[id]); };
  std::optional<size_t> buffer = choose(random, plan.buffers.size(), fits);
  if (!buffer)
    return false;
  std::optional<size_t> other = choose(random, plan.buffers.size(), [&](size_t id) {
    return id != *buffer && plan.buffers[id].home == plan.buffers[*buffer].home &&
           plan.layout.offsets[id] != plan.layout.offsets[*buffer];
  });
  if (!other)
    return false;
  plan.layout.offsets[*buffer] = plan.layout.offsets[*other];
  growArenas(plan);
  return true;
}

/// Returns all windows of a step, for changes.
llvm::SmallVector<PlanWindow *, 8> windowsOf(PlanStep &step) {
  llvm::SmallVector<PlanWindow *, 8> windows;
  auto add = [&](PlanValue &value) {
    if (value.kind == PlanValue::Kind::Tensor)
      windows.push_back(&value.window);
  };
  if (auto *kernel = std::get_if<KernelStep>(&step.work)) {
    for (PlanOperand &operand : kernel->operands)
      if (operand.reads || operand.writes)
        add(operand.value);
    add(kernel->result);
  }
  if (auto *collective = std::get_if<CollectiveStep>(&step.work))
    for (PlanCollective &call : collective->calls)
      for (PlanRow &row : call.rows) {
        if (row.send)
          windows.push_back(&*row.send);
        if (row.receive)
          windows.push_back(&*row.receive);
      }
  if (auto *copy = std::get_if<CopyStep>(&step.work)) {
    windows.push_back(&copy->from);
    windows.push_back(&copy->to);
  }
  return windows;
}

PlanWindow *anyWindow(Plan &plan, Random &random) {
  std::optional<size_t> step =
      choose(random, plan.steps.size(), [&](size_t id) { return !windowsOf(plan.steps[id]).empty(); });
  if (!step)
    return nullptr;
  llvm::SmallVector<PlanWindow *, 8> windows = windowsOf(plan.steps[*step]);
  return windows[random.below(windows.size())];
}

bool shiftWindow(Plan &plan, Random &random) {
  PlanWindow *window = anyWindow(plan, random);
  if (!window || !window->offset.isStatic())
    return false;
  window->offset = window->offset.value() + 1 + static_cast<int64_t>(random.below(24));
  return true;
}

bool mistakeBuffer(Plan &plan, Random &random) {
  PlanWindow *window = anyWindow(plan, random);
  if (!window || plan.buffers.size() < 2)
    return false;
  window->buffer =
      static_cast<BufferId>((window->buffer + 1 + random.below(plan.buffers.size() - 1)) % plan.buffers.size());
  return true;
}

// --- Steps ----------------------------------------------------------------------------------------------------

bool swapSteps(Plan &plan, Random &random) {
  if (plan.steps.size() < 2)
    return false;
  size_t first = random.below(plan.steps.size() - 1);
  size_t second = std::min(plan.steps.size() - 1, first + 1 + random.below(4));
  std::swap(plan.steps[first], plan.steps[second]);
  return true;
}

bool dropStep(Plan &plan, Random &random) {
  if (plan.steps.empty())
    return false;
  size_t step = random.below(plan.steps.size());
  if (plan.steps[step].event)
    for (PlanStep &other : plan.steps)
      llvm::erase_value(other.waits, *plan.steps[step].event);
  plan.steps.erase(plan.steps.begin() + static_cast<std::ptrdiff_t>(step));
  dropIdleEvents(plan);
  return true;
}

bool changeStream(Plan &plan, Random &random) {
  if (plan.steps.empty())
    return false;
  PlanStep &step = plan.steps[random.below(plan.steps.size())];
  auto other = static_cast<StreamId>(random.below(plan.streams.size()));
  bool changed = other != step.stream;
  step.stream = other;
  return changed;
}

bool flipFlag(Plan &plan, Random &random) {
  std::optional<size_t> step = stepThat(plan, random, [](const PlanStep &each) {
    return each.kernel() && llvm::any_of(each.kernel()->operands, [](const PlanOperand &operand) {
             return operand.value.kind == PlanValue::Kind::Tensor;
           });
  });
  if (!step)
    return false;
  auto &operands = std::get<KernelStep>(plan.steps[*step].work).operands;
  std::optional<size_t> operand =
      choose(random, operands.size(), [&](size_t id) { return operands[id].value.kind == PlanValue::Kind::Tensor; });
  if (!operand)
    return false;
  bool &flag = random.below(2) ? operands[*operand].reads : operands[*operand].writes;
  flag = !flag;
  return true;
}

// --- Collectives ----------------------------------------------------------------------------------------------

PlanCollective *anyCall(Plan &plan, Random &random) {
  std::optional<size_t> step =
      stepThat(plan, random, [](const PlanStep &each) { return each.collective() != nullptr; });
  if (!step)
    return nullptr;
  auto &calls = std::get<CollectiveStep>(plan.steps[*step].work).calls;
  return &calls[random.below(calls.size())];
}

bool miscount(Plan &plan, Random &random) {
  PlanCollective *call = anyCall(plan, random);
  if (!call || call->rows.empty() || !call->rows[0].send || !call->rows[0].receive)
    return false;
  PlanWindow &window = random.below(2) ? *call->rows[0].send : *call->rows[0].receive;
  std::optional<int64_t> count = window.type->numElements();
  if (!count || *count < 2)
    return false;
  Dim fewer = *count - 1;
  window.type = plan.context().contiguousTensor(window.type->dtype(), {fewer}, window.type->device());
  return true;
}

bool miscountPart(Plan &plan, Random &random) {
  std::optional<size_t> step = stepThat(plan, random, [](const PlanStep &each) {
    return each.collective() && each.collective()->calls.front().kind == CollectiveKind::AllToAll;
  });
  if (!step)
    return false;
  PlanCollective &call = std::get<CollectiveStep>(plan.steps[*step].work).calls.front();
  auto &counts = random.below(2) ? call.sendCounts : call.receiveCounts;
  Dim &part = counts[random.below(counts.size())];
  if (!part.isStatic())
    return false;
  part = part.value() + 1;
  return true;
}

bool leaveGroup(Plan &plan, Random &random) {
  PlanCollective *call = anyCall(plan, random);
  if (!call)
    return false;
  bool rooted = call->kind == CollectiveKind::Broadcast || call->kind == CollectiveKind::Scatter;
  if (!rooted && !isPointToPoint(call->kind))
    return false;
  (rooted ? call->root : call->peer) = random.below(2) ? -1 : plan.groups[call->group].size().value_or(0);
  return true;
}

/// Gives a call a number that belongs to calls of another kind.
bool addForeignNumber(Plan &plan, Random &random) {
  PlanCollective *call = anyCall(plan, random);
  if (!call)
    return false;
  switch (random.below(5)) {
  case 0:
    call->root = 0;
    return true;
  case 1:
    call->peer = 0;
    return true;
  case 2:
    call->tag = 1;
    return !isPointToPoint(call->kind); // a transfer with another tag may be another valid program
  case 3:
    call->sendCounts.push_back(1);
    return true;
  default:
    call->receiveCounts.push_back(1);
    return true;
  }
}

} // namespace

llvm::ArrayRef<PlanDefect> planDefects() {
  static const PlanDefect defects[] = {
      {"a wait is dropped", dropWait},
      {"an event is dropped, with its waits", dropEvent},
      {"an event is not recorded", forgetToRecord},
      {"a wait is added", addWait},
      {"a wait is for another event", mistakeEvent},
      {"a buffer is shifted", shiftBuffer},
      {"a buffer is misaligned", misalign},
      {"a buffer is placed on another", shrinkLifetime},
      {"a window is shifted", shiftWindow},
      {"a window is of another buffer", mistakeBuffer},
      {"two steps are swapped", swapSteps},
      {"a step is dropped", dropStep},
      {"a step changes its stream", changeStream},
      {"a mark of access is flipped", flipFlag},
      {"a count is wrong", miscount},
      {"a part of an all_to_all is wrong", miscountPart},
      {"a root or peer is no member", leaveGroup},
      {"a number is of another kind of call", addForeignNumber},
  };
  return defects;
}

} // namespace ccgraph::test
