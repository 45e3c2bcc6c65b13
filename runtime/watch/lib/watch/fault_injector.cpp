#include "watch/fault_injector.h"

#include "llvm/ADT/STLExtras.h"

#include <csignal>
#include <numeric>
#include <thread>

namespace ccgraph::runtime {
namespace {

/// Returns another dtype of the same size in bytes.
DType otherDType(DType dtype) {
  constexpr DType candidates[] = {DType::F32, DType::I32, DType::F64, DType::I64, DType::F16,
                                  DType::I16, DType::U8,  DType::I8,  DType::C64, DType::C128};
  for (DType candidate : candidates)
    if (candidate != dtype && sizeInBytes(candidate) == sizeInBytes(dtype))
      return candidate;
  // Only one dtype has 16 bytes, so the first halves of its elements are sent.
  return DType::C64;
}

/// Returns the first `elements` of a row, as `dtype`. No engine moves them, because the ranks that launch the
/// collective disagree.
Buffer spoiltRow(const Buffer &row, int64_t elements, DType dtype) {
  if (row.pieces().empty())
    return row;
  const Tensor &tensor = row.pieces().front();
  int64_t offset = tensor.offset() * tensor.elementSize() / sizeInBytes(dtype);
  return Buffer(tensor.reinterpret(dtype, {{elements}, {1}, offset}));
}

void shorten(Launch &launch, size_t row) {
  for (Launch::Rows *rows : {&launch.send, &launch.receive})
    if (row < rows->size())
      (*rows)[row] =
          spoiltRow((*rows)[row], std::max<int64_t>((*rows)[row].numElements() - 1, 0), (*rows)[row].dtype());
  // Shares of an all_to_all may differ, so only the data for one peer can be wrong.
  if (!launch.sendCounts.empty())
    ++launch.sendCounts.front();
}

void retype(Launch &launch) {
  for (Launch::Rows *rows : {&launch.send, &launch.receive})
    for (Buffer &row : *rows)
      row = spoiltRow(row, row.numElements(), otherDType(row.dtype()));
}

} // namespace

std::optional<size_t> nextOnSameRanks(const Plan &plan, size_t step, int64_t rank) {
  auto members = [&](size_t index) -> llvm::ArrayRef<int64_t> {
    const CollectiveStep *work = plan.steps[index].collective();
    if (!work || work->calls.size() != 1 || isPointToPoint(work->calls.front().kind))
      return {};
    return plan.groups[work->calls.front().group].members(rank);
  };
  llvm::ArrayRef<int64_t> wanted = members(step);
  for (size_t next = step + 1; next < plan.steps.size() && !wanted.empty(); ++next)
    if (members(next) == wanted)
      return next;
  return std::nullopt;
}

FaultInjector::FaultInjector(llvm::ArrayRef<Fault> faults, int64_t rank, RankBody body) : rank_(rank), body_(body) {
  llvm::copy_if(faults, std::back_inserter(faults_), [&](const Fault &fault) { return fault.rank == rank; });
}

const Fault *FaultInjector::find(FaultKind kind, size_t step) const {
  auto found = llvm::find_if(faults_, [&](const Fault &fault) { return fault.kind == kind && fault.step == step; });
  return found == faults_.end() ? nullptr : &*found;
}

std::vector<size_t> FaultInjector::order(const Plan &plan) const {
  std::vector<size_t> order(plan.steps.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (const Fault &fault : faults_)
    if (fault.kind == FaultKind::Reorder)
      std::swap(order[fault.step], order[*nextOnSameRanks(plan, fault.step, rank_)]);
  return order;
}

const Launch &FaultInjector::launched(size_t step, const Launch &launch) {
  bool size = find(FaultKind::WrongSize, step) != nullptr, dtype = find(FaultKind::WrongDType, step) != nullptr;
  if (!size && !dtype)
    return launch;
  Launch &spoilt = spoilt_.emplace_back(launch);
  if (size)
    shorten(spoilt, 0);
  if (dtype)
    retype(spoilt);
  return spoilt;
}

bool FaultInjector::letBegin(size_t step, Standby &standby) const {
  using namespace std::chrono_literals;
  auto sleepUntil = [&](auto done) {
    while (!standby.isOver() && !done())
      std::this_thread::sleep_for(1ms);
  };
  if (const Fault *slow = find(FaultKind::Slow, step)) {
    auto end = Watch::Clock::now() + slow->delay;
    sleepUntil([&] { return Watch::Clock::now() >= end; });
  }
  bool kills = find(FaultKind::Kill, step) != nullptr;
  if (body_ == RankBody::Process && kills)
    std::raise(SIGKILL);
  if (!find(FaultKind::Stop, step))
    return !kills;
  if (body_ == RankBody::Process)
    std::raise(SIGSTOP);
  else
    sleepUntil([] { return false; });
  return !kills;
}

} // namespace ccgraph::runtime
