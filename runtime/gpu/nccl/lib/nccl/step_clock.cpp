#include "nccl/step_clock.h"

#include "calls/gpu_error.h"

namespace ccgraph::runtime {

StepClock::~StepClock() {
  auto destroy = [&](GpuEvent timer) {
    if (timer.raw != 0)
      calls_.destroyEvent(timer);
  };
  for (const Entry &step : steps_) {
    destroy(step.began);
    destroy(step.ended);
  }
  for (GpuEvent timer : tries_)
    destroy(timer);
}

int64_t StepClock::now() const {
  std::optional<int64_t> simulated = calls_.simulatedClock();
  return simulated ? *simulated : FlightRecorder::now();
}

llvm::Error StepClock::check(int code, const char *doing) const {
  return code == 0 ? llvm::Error::success() : gpuError(calls_, rank_, doing, code);
}

llvm::Error StepClock::make(const std::string &name, GpuEvent &timer) {
  return check(calls_.createTimer(name, timer), "making an event that takes the time");
}

llvm::Error StepClock::prepare(llvm::ArrayRef<std::string> names) {
  for (GpuEvent &timer : tries_)
    if (llvm::Error error = make("an idle stream", timer))
      return error;
  steps_.resize(names.size());
  for (size_t step = 0; step < names.size(); ++step) {
    steps_[step].byHost = names[step].empty();
    if (steps_[step].byHost)
      continue;
    if (llvm::Error error = make("the beginning of " + names[step], steps_[step].began))
      return error;
    if (llvm::Error error = make("the end of " + names[step], steps_[step].ended))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error StepClock::place(GpuStream stream, llvm::function_ref<llvm::Error(GpuEvent)> await) {
  std::optional<int64_t> closest;
  for (GpuEvent timer : tries_) {
    if (closest == 0)
      break;
    int64_t before = now();
    if (llvm::Error error = check(calls_.takeTime(timer, stream), "taking the time"))
      return error;
    if (llvm::Error error = await(timer))
      return error;
    int64_t after = now();
    if (closest && after - before >= *closest)
      continue;
    closest = after - before;
    anchor_ = timer;
    anchoredAt_ = before + *closest / 2;
  }
  return llvm::Error::success();
}

llvm::Error StepClock::begin(size_t step, GpuStream stream) {
  return check(calls_.takeTime(steps_[step].began, stream), "taking the time");
}

llvm::Error StepClock::end(size_t step, GpuStream stream) {
  return check(calls_.takeTime(steps_[step].ended, stream), "taking the time");
}

llvm::Expected<FlightRecorder::Span> StepClock::spanOf(size_t step) {
  const Entry &entry = steps_[step];
  if (entry.byHost)
    return entry.span;
  int64_t sinceAnchor = 0, took = 0;
  if (llvm::Error error = check(calls_.elapsed(anchor_, entry.began, sinceAnchor), "asking for a time"))
    return error;
  if (llvm::Error error = check(calls_.elapsed(entry.began, entry.ended, took), "asking for a time"))
    return error;
  return FlightRecorder::Span{anchoredAt_ + sinceAnchor, anchoredAt_ + sinceAnchor + took};
}

} // namespace ccgraph::runtime
