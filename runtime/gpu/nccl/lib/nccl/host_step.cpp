#include "nccl/host_step.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::runtime {

HostStep::HostStep(const PlanStep &step, RankState &state) : state_(state) {
  forEachAccess(step, [&](const PlanAccess &access) {
    if (!access.window || (!access.reads && !access.writes))
      return;
    auto known = llvm::find_if(touched_, [&](const Touched &one) { return one.buffer == access.window->buffer; });
    if (known == touched_.end())
      known = touched_.insert(known, Touched{access.window->buffer});
    known->written |= access.writes;
  });
}

bool HostStep::fetch() {
  bool any = false;
  for (Touched &one : touched_) {
    const std::shared_ptr<Storage> &device = state_.memory.storageOf(one.buffer);
    if (!device)
      continue;
    one.host = std::make_shared<Storage>(device->size());
    state_.memory.device()->read(one.host->data(), device->data(), device->size());
    any |= device->size() != 0;
  }
  return any;
}

void HostStep::begin() {
  state_.memory.beginLending();
  for (Touched &one : touched_)
    one.device = state_.memory.lend(one.buffer, one.host);
}

bool HostStep::end() {
  bool any = false;
  for (Touched &one : touched_) {
    // The buffer's current memory; for a growing buffer, the memory that the step has made.
    std::shared_ptr<Storage> host = state_.memory.lend(one.buffer, one.device);
    if (!one.written || !host)
      continue;
    if (!one.device || one.device->size() < host->size())
      state_.memory.lend(one.buffer, state_.memory.onDevice(host->size()));
    const std::shared_ptr<Storage> &device = state_.memory.storageOf(one.buffer);
    state_.memory.device()->write(device->data(), host->data(), host->size());
    any |= host->size() != 0;
    state_.memory.device()->keep(std::move(host));
  }
  state_.memory.endLending();
  return any;
}

} // namespace ccgraph::runtime
