// Of NcclRank: how the host waits for its device, and what it remembers of a run.
#include "calls/gpu_error.h"
#include "nccl/nccl_rank.h"

#include <thread>

namespace ccgraph::runtime {

// --- Waiting --------------------------------------------------------------------------------------------------

llvm::Error NcclRank::await(GpuStream stream) {
  if (llvm::Error error = check(calls_.record(awaited_, stream), "recording an event"))
    return error;
  return awaitEvent(awaited_);
}

llvm::Error NcclRank::awaitEvent(GpuEvent event) {
  using Clock = Standby::Clock;
  constexpr std::chrono::milliseconds betweenLooks(1);
  Clock::time_point began = Clock::now(), looked = began;
  prepared_->recorder.setWaiting();
  for (;;) {
    bool ended = false;
    if (int code = calls_.query(event, ended))
      return endFailed(code);
    if (ended)
      break;
    std::this_thread::yield();
    Clock::time_point now = Clock::now();
    if (now - looked < betweenLooks)
      continue;
    looked = now;
    if (int code = communicators_.asyncError())
      return endFailed(code);
    stopped_ = standby_->isOver();
    if (stopped_)
      return ncclError("the run is over");
    if (now - began > deadline_)
      return endOverdue();
  }
  prepared_->recorder.setBusy();
  return llvm::Error::success();
}

llvm::Error NcclRank::endFailed(int code) {
  if (workError_)
    return std::exchange(workError_, llvm::Error::success());
  // The rank with the reason reports it.
  stopped_ = calls_.errorText(code).empty();
  return gpuError(calls_, rank_, "waiting for the device", code);
}

llvm::Error NcclRank::endOverdue() {
  std::vector<std::string> waits = waitTexts();
  Diagnostic diagnostic = diagnose(
      "run.deadline", "rank " + std::to_string(rank_) + " has waited for " + std::to_string(deadline_.count()) +
                          " ms: " + (waits.empty() ? "its device has not ended its work" : waits.front()));
  if (!waits.empty())
    diagnostic.notes.assign(waits.begin() + 1, waits.end());
  return makeError(std::move(diagnostic));
}

std::vector<std::string> NcclRank::waitTexts() const {
  std::vector<std::string> texts;
  for (const PreparedStep &step : prepared_->steps) {
    bool ended = true;
    if (std::holds_alternative<PreparedExchange>(step.work) && step.plan->event &&
        calls_.query(events_[*step.plan->event], ended) == 0 && !ended)
      texts.push_back("rank " + std::to_string(rank_) + " waits for " +
                      describe(std::get<PreparedExchange>(step.work).collective.launches().front()));
  }
  return texts;
}

void NcclRank::abandon() {
  over_ = true;
  communicators_.abandon();
}

// --- What is remembered ---------------------------------------------------------------------------------------

void NcclRank::noteIssued(const PreparedStep &step) {
  FlightRecorder::Moment now = prepared_->recorder.moment();
  if (const auto *exchange = std::get_if<PreparedExchange>(&step.work))
    for (size_t i = 0; i < exchange->calls.size(); ++i) {
      prepared_->recorder.schedule(*exchange->calls[i].record, now);
      prepared_->recorder.start(*exchange->calls[i].record, exchange->collective.launches()[i], now);
    }
  prepared_->recorder.beginStep(step.position, now);
}

// The host learns the end of all of them together, after it has waited for the device.
void NcclRank::noteEnded() {
  FlightRecorder::Moment now = prepared_->recorder.moment();
  for (const PreparedStep &step : prepared_->steps) {
    if (const auto *exchange = std::get_if<PreparedExchange>(&step.work))
      for (const PreparedExchange::Call &call : exchange->calls)
        prepared_->recorder.complete(*call.record, now);
    prepared_->recorder.endStep(step.position, now);
  }
  prepared_->recorder.setEnded();
}

// --- When steps ran -------------------------------------------------------------------------------------------

llvm::Error NcclRank::prepareClock() {
  if (!clock_)
    return llvm::Error::success();
  std::vector<std::string> names;
  for (const PreparedStep &step : prepared_->steps)
    names.push_back(step.byHost ? std::string() : step.plan->name.str().str());
  return clock_->prepare(names);
}

llvm::Error NcclRank::placeClock() {
  if (!clock_)
    return llvm::Error::success();
  GpuStream origin = streams_[Plan::computeStream];
  if (llvm::Error error = await(origin))
    return error;
  return clock_->place(origin, [this](GpuEvent timer) { return awaitEvent(timer); });
}

llvm::Error NcclRank::noteTimes() {
  if (!clock_)
    return llvm::Error::success();
  for (size_t index = 0; index < prepared_->steps.size(); ++index) {
    llvm::Expected<FlightRecorder::Span> span = clock_->spanOf(index);
    if (!span)
      return span.takeError();
    const PreparedStep &step = prepared_->steps[index];
    prepared_->recorder.correctStep(step.position, *span);
    if (const auto *exchange = std::get_if<PreparedExchange>(&step.work))
      for (const PreparedExchange::Call &call : exchange->calls)
        prepared_->recorder.correct(*call.record, *span);
  }
  return llvm::Error::success();
}

} // namespace ccgraph::runtime
