#include "process_groups/group_launch.h"

#include "collectives/agreement.h"
#include "tensor/elements.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::runtime {
namespace {

/// Names of operations, which outlive every launch: an error may name a launch of a rank that has ended.
Identifier identifierOf(GroupOp op) {
  static auto *context = new Context; // NOLINT(cppcoreguidelines-owning-memory): never freed, on purpose
  static const std::vector<Identifier> names = [] {
    std::vector<Identifier> all;
    for (size_t i = 0; i <= static_cast<size_t>(GroupOp::RecvAnySource); ++i)
      all.push_back(context->identifier(groupOpName(static_cast<GroupOp>(i))));
    return all;
  }();
  return names[static_cast<size_t>(op)];
}

bool isOneRow(llvm::ArrayRef<Tensor> tensors) { return tensors.size() == 1 && tensors.front().isContiguous(); }

std::vector<Tensor> viewsAsReal(llvm::ArrayRef<Tensor> tensors) {
  std::vector<Tensor> views;
  for (const Tensor &tensor : tensors)
    views.push_back(viewAsReal(tensor));
  return views;
}

void multiply(const Tensor &row, double factor) {
  Scratch<double> values = readAll(row);
  for (double &value : values)
    value *= factor;
  writeRow<double>(row.dtype(), {row.data(), row.elementSize()}, {values.data(), values.size()});
}

/// Mixed calls of complex64 and float32 are calls of float32.
void makeReal(GroupCall &call) {
  if (call.inputs.size() + call.outputs.size() < 2)
    return;
  auto isComplexPair = [](const Tensor &tensor) { return tensor.dtype() == DType::C64; };
  auto isFloat32 = [](const Tensor &tensor) { return tensor.dtype() == DType::F32; };
  auto any = [&](auto holds) { return llvm::any_of(call.inputs, holds) || llvm::any_of(call.outputs, holds); };
  if (!any(isComplexPair) || !any(isFloat32))
    return;
  call.inputs = viewsAsReal(call.inputs);
  call.outputs = viewsAsReal(call.outputs);
}

} // namespace

CollectiveKind kindOf(GroupOp op) {
  switch (op) {
  case GroupOp::Broadcast:
    return CollectiveKind::Broadcast;
  case GroupOp::AllReduce:
  case GroupOp::AllReduceCoalesced:
  case GroupOp::Reduce:
    return CollectiveKind::AllReduce;
  case GroupOp::AllGather:
  case GroupOp::AllGatherIntoTensor:
  case GroupOp::AllGatherCoalesced:
  case GroupOp::AllGatherIntoTensorCoalesced:
    return CollectiveKind::AllGather;
  case GroupOp::Gather:
  case GroupOp::AllToAll:
  case GroupOp::AllToAllSingle:
    return CollectiveKind::AllToAll;
  case GroupOp::Scatter:
    return CollectiveKind::Scatter;
  case GroupOp::ReduceScatter:
  case GroupOp::ReduceScatterTensor:
  case GroupOp::ReduceScatterTensorCoalesced:
    return CollectiveKind::ReduceScatter;
  case GroupOp::Barrier:
    return CollectiveKind::Barrier;
  case GroupOp::Send:
    return CollectiveKind::Send;
  case GroupOp::Recv:
  case GroupOp::RecvAnySource:
    return CollectiveKind::Recv;
  }
  return CollectiveKind::Barrier;
}

GroupLaunch::GroupLaunch(GroupCall &&call, int64_t rank, llvm::ArrayRef<int64_t> members, Clock::time_point begun)
    : call_(std::move(call)), deadline_(begun + call_.timeout), rank_(rank),
      size_(static_cast<int64_t>(members.size())) {
  launch_.call.name = identifierOf(call_.op);
  launch_.rank = members[static_cast<size_t>(rank)];
  launch_.kind = kindOf(call_.op);
  launch_.tag = call_.tag;
  bool isRooted = launch_.kind == CollectiveKind::Broadcast || launch_.kind == CollectiveKind::Scatter;
  launch_.root = isRooted ? call_.root : -1;
  if (launch_.kind == CollectiveKind::AllReduce || launch_.kind == CollectiveKind::ReduceScatter)
    launch_.reduceOp = call_.reduction.op();
  makeReal(call_);
  addRows();
  addCounts();
}

llvm::StringRef GroupLaunch::matchName() const {
  return isOwnClass() ? groupOpName(call_.op) : collectiveName(launch_.kind);
}

Buffer GroupLaunch::sentRow(llvm::ArrayRef<Tensor> tensors) const {
  bool scales = call_.reduction.factor().has_value();
  if (tensors.empty())
    return {};
  if (isOneRow(tensors) && !scales)
    return Buffer(tensors.front());
  Tensor row = Buffer(tensors).read();
  if (scales)
    multiply(row, *call_.reduction.factor());
  return Buffer(row);
}

Buffer GroupLaunch::receivedRow(llvm::ArrayRef<Tensor> tensors) {
  if (tensors.empty())
    return {};
  if (isOneRow(tensors))
    return Buffer(tensors.front());
  Buffer outputs(tensors);
  Tensor row = Tensor::zeros(outputs.dtype(), {outputs.numElements()});
  staged_.push_back({std::move(outputs), row});
  return Buffer(row);
}

void GroupLaunch::addRow(llvm::ArrayRef<Tensor> inputs, llvm::ArrayRef<Tensor> outputs) {
  launch_.send.push_back(sentRow(inputs));
  // Transports read the size of an element from the row, also where a member of a gather receives none.
  bool isNothing = outputs.empty() && !inputs.empty();
  launch_.receive.push_back(isNothing ? Buffer(Tensor::zeros(inputs.front().dtype(), {0})) : receivedRow(outputs));
}

/// A staged tensor in place has one row for both directions.
void GroupLaunch::addInPlace() {
  for (const Tensor &tensor : call_.inputs) {
    bool discards = call_.op == GroupOp::Reduce && !isRoot();
    bool isStaged = !tensor.isContiguous() || call_.reduction.factor();
    if (!isStaged)
      launch_.send.emplace_back(tensor);
    else
      launch_.send.push_back(sentRow(tensor));
    if (discards) {
      launch_.receive.emplace_back(Tensor::zeros(tensor.dtype(), {tensor.numElements()}));
      continue;
    }
    const Tensor &row = launch_.send.back().pieces().front();
    if (isStaged)
      staged_.push_back({Buffer(tensor), row});
    launch_.receive.emplace_back(row);
  }
}

void GroupLaunch::addRows() {
  switch (call_.op) {
  case GroupOp::Broadcast:
  case GroupOp::AllReduce:
  case GroupOp::AllReduceCoalesced:
  case GroupOp::Reduce:
    return addInPlace();
  case GroupOp::AllGatherIntoTensorCoalesced:
  case GroupOp::ReduceScatterTensorCoalesced:
    for (size_t i = 0; i < call_.inputs.size(); ++i)
      addRow(call_.inputs[i], call_.outputs[i]);
    return;
  case GroupOp::AllGatherCoalesced:
    for (size_t i = 0; i < call_.inputs.size(); ++i) {
      std::vector<Tensor> outputs;
      for (size_t member = 0; member < static_cast<size_t>(size_); ++member)
        outputs.push_back(call_.outputs[member * call_.inputs.size() + i]);
      addRow(call_.inputs[i], outputs);
    }
    return;
  case GroupOp::AllGather:
  case GroupOp::AllGatherIntoTensor:
  case GroupOp::Gather:
  case GroupOp::Scatter:
  case GroupOp::ReduceScatter:
  case GroupOp::ReduceScatterTensor:
  case GroupOp::AllToAll:
  case GroupOp::AllToAllSingle:
    return addRow(call_.inputs, call_.outputs);
  case GroupOp::Send:
    // The sender of a transfer has a token without elements, as in exchange.h.
    return addRow(call_.inputs, Tensor::zeros(call_.inputs.front().dtype(), {0}));
  case GroupOp::Recv:
  case GroupOp::RecvAnySource:
    return addRow({}, call_.outputs);
  case GroupOp::Barrier:
    return;
  }
}

void GroupLaunch::addCounts() {
  switch (call_.op) {
  case GroupOp::AllToAllSingle:
    return addSplitCounts();
  case GroupOp::AllToAll:
    return addListCounts();
  case GroupOp::Gather:
    launch_.sendCounts.assign(static_cast<size_t>(size_), 0);
    launch_.sendCounts[static_cast<size_t>(call_.root)] = launch_.send.front().numElements();
    launch_.receiveCounts.assign(static_cast<size_t>(size_), isRoot() ? launch_.send.front().numElements() : 0);
    return;
  case GroupOp::Broadcast:
  case GroupOp::AllReduce:
  case GroupOp::AllReduceCoalesced:
  case GroupOp::Reduce:
  case GroupOp::AllGather:
  case GroupOp::AllGatherIntoTensor:
  case GroupOp::AllGatherCoalesced:
  case GroupOp::AllGatherIntoTensorCoalesced:
  case GroupOp::Scatter:
  case GroupOp::ReduceScatter:
  case GroupOp::ReduceScatterTensor:
  case GroupOp::ReduceScatterTensorCoalesced:
  case GroupOp::Barrier:
  case GroupOp::Send:
  case GroupOp::Recv:
  case GroupOp::RecvAnySource:
    return;
  }
}

void GroupLaunch::addListCounts() {
  for (const Tensor &tensor : call_.inputs)
    launch_.sendCounts.push_back(tensor.numElements());
  for (const Tensor &tensor : call_.outputs)
    launch_.receiveCounts.push_back(tensor.numElements());
}

void GroupLaunch::addSplitCounts() {
  auto counts = [&](const Tensor &tensor, llvm::ArrayRef<int64_t> splits) {
    int64_t elements = tensor.numElements(), rows = tensor.rank() == 0 ? 1 : tensor.size(0);
    std::vector<int64_t> all;
    for (int64_t split : splits)
      all.push_back(rows == 0 ? 0 : split * (elements / rows));
    return all.empty() ? std::vector<int64_t>(static_cast<size_t>(size_), elements / size_) : all;
  };
  launch_.sendCounts = counts(call_.inputs.front(), call_.inputSplits);
  launch_.receiveCounts = counts(call_.outputs.front(), call_.outputSplits);
}

std::string LaunchChecker::check(const GroupLaunch &launch, size_t members) {
  if (checked_ && checked_->matches(launch.call()))
    return "";
  std::string wrong = checkLaunch(launch.launch(), members);
  checked_ = wrong.empty() ? CallForm::of(launch.call()) : std::nullopt;
  return wrong;
}

void GroupLaunch::takeResults() const {
  for (const StagedOutput &staged : staged_)
    staged.outputs.write(staged.row);
}

std::vector<Tensor> GroupLaunch::result() const {
  switch (call_.op) {
  case GroupOp::Broadcast:
  case GroupOp::AllReduce:
  case GroupOp::AllReduceCoalesced:
  case GroupOp::Reduce:
    return call_.inputs;
  case GroupOp::AllGather:
  case GroupOp::AllGatherIntoTensor:
  case GroupOp::AllGatherCoalesced:
  case GroupOp::AllGatherIntoTensorCoalesced:
  case GroupOp::Gather:
  case GroupOp::Scatter:
  case GroupOp::ReduceScatter:
  case GroupOp::ReduceScatterTensor:
  case GroupOp::ReduceScatterTensorCoalesced:
  case GroupOp::AllToAll:
  case GroupOp::AllToAllSingle:
  case GroupOp::Barrier:
  case GroupOp::Send:
  case GroupOp::Recv:
  case GroupOp::RecvAnySource:
    return call_.outputs;
  }
  return {};
}

} // namespace ccgraph::runtime
