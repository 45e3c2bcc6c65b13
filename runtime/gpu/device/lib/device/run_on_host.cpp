#include "device/run_on_host.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::runtime::device {
namespace {

void addAddresses(const MapJob &job, Addresses &addresses) {
  for (int i = 0; i < job.numOperands; ++i)
    if (job.operands[i].kind == OperandKind::Tensor)
      addresses.reads.push_back(job.operands[i].tensor.data);
  addresses.writes.push_back(job.out.data);
}

void addIfThere(llvm::SmallVectorImpl<const std::byte *> &list, std::initializer_list<const std::byte *> addresses) {
  llvm::copy_if(addresses, std::back_inserter(list), [](const std::byte *address) { return address != nullptr; });
}

void addAddresses(const RowJob &job, Addresses &addresses) {
  for (const Lines &lines : job.in)
    addIfThere(addresses.reads, {lines.data});
  for (const Lines &lines : job.out)
    addIfThere(addresses.writes, {lines.data});
}
void addAddresses(const ComplexJob &job, Addresses &addresses) {
  addIfThere(addresses.reads, {job.a.data, job.b.data});
  addIfThere(addresses.writes, {job.out.data});
}
void addAddresses(const ScanJob &job, Addresses &addresses) {
  addIfThere(addresses.reads, {job.in.data});
  addIfThere(addresses.writes, {job.out.data});
}
void addAddresses(const PickJob &job, Addresses &addresses) {
  const Lines &written = job.op == PickOp::Take ? job.other : job.table;
  const Lines &read = job.op == PickOp::Take ? job.table : job.other;
  addIfThere(addresses.reads, {read.data, job.mask.data});
  for (const PickIndex &one : job.indices)
    addIfThere(addresses.reads, {one.index.data});
  addIfThere(addresses.writes, {written.data});
}
void addAddresses(const EmbeddingJob &job, Addresses &addresses) {
  addIfThere(addresses.reads, {job.table.data, job.index.data});
  addIfThere(addresses.writes, {job.out.data});
}
void addAddresses(const EmbeddingGradJob &job, Addresses &addresses) {
  addIfThere(addresses.reads, {job.grad.data, job.index.data});
  addIfThere(addresses.writes, {job.table.data});
}
void addAddresses(const ClassLossJob &job, Addresses &addresses) {
  addIfThere(addresses.reads, {job.samples.data, job.target.data, job.weight.data});
  addIfThere(addresses.writes, {job.out.data, job.totalWeight.data});
}
void addAddresses(const ClassLossGradJob &job, Addresses &addresses) {
  addIfThere(addresses.reads, {job.grad.data, job.target.data, job.weight.data, job.totalWeight.data});
  addIfThere(addresses.writes, {job.out.data});
}
void addAddresses(const AdamJob &job, Addresses &addresses) {
  addIfThere(addresses.reads, {job.param.data, job.grad.data, job.step.data, job.rate.data});
  addIfThere(addresses.writes, {job.param.data, job.average.data, job.square.data, job.largest.data});
}
void addAddresses(const MatmulJob &job, Addresses &addresses) {
  addIfThere(addresses.reads, {job.added.first.data, job.a.first.data, job.b.first.data});
  addIfThere(addresses.writes, {job.out.first.data});
}

void addReads(const Attention &job, Addresses &addresses) {
  addIfThere(addresses.reads, {job.query.data, job.key.data, job.value.data, job.bias.data});
}
void addAddresses(const AttentionJob &job, Addresses &addresses) {
  addReads(job, addresses);
  addIfThere(addresses.writes, {job.output.data, job.logSums.data});
}
void addReads(const AttentionGrad &job, Addresses &addresses) {
  addReads(static_cast<const Attention &>(job), addresses);
  addIfThere(addresses.reads, {job.grad.data, job.output.data, job.logSums.data});
}
void addAddresses(const QueryGradJob &job, Addresses &addresses) {
  addReads(job, addresses);
  addIfThere(addresses.writes, {job.queryGrad.data});
}
void addAddresses(const KeyGradJob &job, Addresses &addresses) {
  addReads(job, addresses);
  addIfThere(addresses.writes, {job.keyGrad.data, job.valueGrad.data});
}

template <typename C, typename Work>
bool runUnits(const Work &job, uint64_t order) {
  HostTeam team(order);
  auto units = static_cast<uint64_t>(unitsOf(job));
  for (uint64_t i = 0; i < units; ++i) {
    team.begin();
    uint64_t turned = (i + order / 2) % units;
    runUnit<C>(job, static_cast<int64_t>(order % 2 == 0 ? turned : units - 1 - turned), team);
  }
  return !team.failed();
}

} // namespace

bool runOnHost(const Job &job, uint64_t order) {
  return std::visit(
      [&](const auto &work) {
        return inArithmetic(work, [&](auto type) { return runUnits<decltype(type)>(work, order); });
      },
      job);
}

Addresses addressesOf(const Job &job) {
  Addresses addresses;
  std::visit([&](const auto &work) { addAddresses(work, addresses); }, job);
  return addresses;
}

} // namespace ccgraph::runtime::device
