#include "lower/call_group.h"
#include "lower/element_types.h"
#include "lower/node_operands.h"
#include "lower/staging.h"
#include "lower/steps.h"

#include "ccgraph/ir/internal/bound_call.h"
#include "ccgraph/ir/strides.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::lower {
namespace {

using llvm::Twine;

/// Lowers one call: its input windows, its group, and its results.
class CollectiveLowering {
public:
  CollectiveLowering(Emitter &emitter, const Node &node)
      : emitter_(emitter), node_(node), op_(*node.op()), spec_(*node.op()->collective),
        operands_(operandsOf(emitter, node)) {
    call_.kind = spec_.kind;
  }

  Lowered lower();

private:
  llvm::Error makeRows();
  llvm::Error makeReceive();
  void makeExchange(const ShardExchange &exchange);
  [[nodiscard]] std::vector<Pieces> tensorsOf(llvm::ArrayRef<BoundRow> rows) const;
  [[nodiscard]] llvm::Error checkRows(llvm::ArrayRef<Pieces> rows, int parameter) const;
  llvm::Expected<const Type *> freshType(size_t row, const Type *stated) const;
  /// The copies that one row needs before and after the call.
  struct RowCopies {
    std::vector<CopyStep> before, after;
  };
  PlanRow plannedRow(size_t row, RowCopies &copies);
  void setRowsApart(std::vector<RowCopies> &copies);
  void emitCollective();
  void noteLateReads(Moment completion);
  [[nodiscard]] LoweredValue result() const;
  [[nodiscard]] std::vector<const Type *> statedLayouts() const;
  [[nodiscard]] int64_t groupSize() const { return groupSize_; }
  [[nodiscard]] bool mayOverlap(const PlanWindow &a, const PlanWindow &b) {
    return lower::mayOverlap(emitter_.plan(), a, b);
  }
  [[nodiscard]] llvm::Error error(const Twine &message, const Twine &repair) const {
    return loweringError(node_, "lower.call", message, repair);
  }

  Emitter &emitter_;
  const Node &node_;
  const OpDef &op_;
  const CollectiveSpec &spec_;
  NodeOperands operands_;
  BoundCall bound_;
  PlanCollective call_;
  int64_t groupSize_ = 0;
  std::vector<Pieces> send_;
  std::vector<Pieces> receive_;
  /// of shard_dim_alltoall, whose pieces are parts of it
  std::optional<LoweredValue> exchanged_;
};

// --- Tensors ----------------------------------------------------------------------------------------------------

/// The caller's tensors in the binder's rows.
std::vector<Pieces> CollectiveLowering::tensorsOf(llvm::ArrayRef<BoundRow> rows) const {
  std::vector<Pieces> tensors;
  for (const BoundRow &row : rows) {
    Pieces &pieces = tensors.emplace_back();
    for (const OperandTensor &piece : row)
      pieces.push_back(operands_.tensors[piece.handle]);
  }
  return tensors;
}

llvm::Error CollectiveLowering::checkRows(llvm::ArrayRef<Pieces> rows, int parameter) const {
  if (rows.empty() || llvm::any_of(rows, [](const Pieces &row) { return row.empty(); }))
    return error("argument " + Twine(parameter) + " is no tensor, and no list of tensors", "give what is communicated");
  return llvm::Error::success();
}

/// Returns the types that the graph states for fresh results, by row; null where it states none.
std::vector<const Type *> CollectiveLowering::statedLayouts() const {
  std::vector<const Type *> types = {node_.type()};
  if (!types.front() || !types.front()->isTensor())
    types = elementTypes(node_, node_.type());
  for (const Type *&type : types)
    if (type && !(type->isTensor() && type->stridesKnown()))
      type = nullptr;
  types.resize(std::max(types.size(), send_.size()));
  return types;
}

/// The stated type, because views of the result are laid out as it is. Without one, a contiguous type of the sizes that
/// follow from the input's.
llvm::Expected<const Type *> CollectiveLowering::freshType(size_t row, const Type *stated) const {
  if (stated)
    return stated;
  auto sizes = freshSizes(emitter_.context(), operands_.call, bound_, row, groupSize());
  if (!sizes)
    return sizes.takeError();
  const Type &input = *send_[row].front()->type;
  return emitter_.context().contiguousTensor(input.dtype(), *sizes, input.device());
}

llvm::Error CollectiveLowering::makeReceive() {
  receive_ = tensorsOf(bound_.receive);
  if (bound_.place != ReceivePlace::Fresh)
    return checkRows(receive_, spec_.output >= 0 ? spec_.output : spec_.input);
  std::vector<const Type *> stated = statedLayouts();
  for (size_t row = 0; row < send_.size(); ++row) {
    llvm::Expected<const Type *> type = freshType(row, stated[row]);
    if (!type)
      return type.takeError();
    receive_.push_back({emitter_.freshTensor(node_.name(), *type)});
  }
  return llvm::Error::success();
}

/// Returns part `index` of `count` along one dimension.
PlanWindow partOf(Context &context, const PlanWindow &whole, unsigned dim, int64_t index, int64_t rows) {
  llvm::SmallVector<Dim, 6> sizes(whole.type->sizes().begin(), whole.type->sizes().end());
  sizes[dim] = rows;
  Dim distance = multiply(context, Dim(saturatingMultiply(index, rows)), whole.type->strides()[dim]);
  const Type *type = context.tensor(whole.type->dtype(), {sizes, whole.type->strides(), true}, whole.type->device());
  return {whole.buffer, type, add(context, whole.offset, distance)};
}

/// The chunks that are sent and the parts that are filled are windows of the input and of the result.
void CollectiveLowering::makeExchange(const ShardExchange &exchange) {
  Context &context = emitter_.context();
  const TensorObject input = send_.front().front();
  llvm::SmallVector<Dim, 6> dims(exchange.resultSizes.begin(), exchange.resultSizes.end());
  const Type *type = statedLayouts().front();
  if (!type)
    type = context.contiguousTensor(input->type->dtype(), dims, input->type->device());
  TensorObject result = emitter_.freshTensor(node_.name(), type);
  send_.front().clear();
  receive_ = {{}};
  for (int64_t i = 0; i < groupSize(); ++i) {
    send_.front().push_back(std::make_shared<PlanWindow>(partOf(context, *input, exchange.shard, i, exchange.chunk)));
    receive_.front().push_back(
        std::make_shared<PlanWindow>(partOf(context, *result, exchange.gather, i, exchange.part)));
  }
  call_.kind = CollectiveKind::AllToAll;
  exchanged_ = LoweredValue::tensor(result);
}

// --- Steps ------------------------------------------------------------------------------------------------------

/// A peer may still read data that this rank would already overwrite. So input that lies in the filled buffer is copied
/// out of it, unless input and output are the same window.
PlanRow CollectiveLowering::plannedRow(size_t row, RowCopies &copies) {
  PlanRow planned;
  planned.send = wholeWindow(emitter_, node_, send_[row], copies.before, Staging::Sent);
  bool inPlace = spec_.inPlace && planned.send == std::optional<PlanWindow>(*send_[row].front());
  planned.receive =
      inPlace ? planned.send : wholeWindow(emitter_, node_, receive_[row], copies.after, Staging::Received);
  if (planned.send && planned.receive && planned.send != planned.receive && mayOverlap(*planned.send, *planned.receive))
    planned.send = copiedOut(emitter_, node_, *planned.send, copies.before);
  return planned;
}

/// The rows of one call have no order, but in a list each row is read before any is filled, and rows are filled in list
/// order. So if several rows fill the same memory, each gets memory of its own and is copied from there; input in such
/// memory is copied too.
void CollectiveLowering::setRowsApart(std::vector<RowCopies> &copies) {
  auto isFilledByOther = [&](const PlanWindow &window, size_t row) {
    for (size_t other = 0; other < receive_.size(); ++other)
      if (other != row && llvm::any_of(receive_[other], [&](const TensorObject &p) { return mayOverlap(window, *p); }))
        return true;
    return false;
  };
  for (size_t row = 0; row < call_.rows.size(); ++row) {
    PlanRow &planned = call_.rows[row];
    bool inPlace = planned.send && planned.send == planned.receive;
    if (planned.send && isFilledByOther(*planned.send, row))
      planned.send = copiedOut(emitter_, node_, *planned.send, copies[row].before);
    if (!planned.receive || !isFilledByOther(*planned.receive, row))
      continue;
    PlanWindow apart = inPlace ? *planned.send : *emitter_.freshTensor(node_.name(), planned.receive->type);
    copies[row].after.push_back({apart, *planned.receive});
    planned.receive = apart;
  }
}

void CollectiveLowering::emitCollective() {
  StreamId stream = emitter_.collectiveStream(call_.group);
  std::vector<RowCopies> copies(send_.size());
  for (size_t row = 0; row < send_.size(); ++row)
    call_.rows.push_back(plannedRow(row, copies[row]));
  setRowsApart(copies);
  llvm::SmallVector<PlanWindow, 4> held;
  for (const PlanRow &row : call_.rows)
    for (const std::optional<PlanWindow> &window : {row.send, row.receive})
      if (window)
        held.push_back(*window);
  for (const RowCopies &row : copies) {
    for (const CopyStep &copy : row.after)
      held.push_back(copy.to);
    for (const CopyStep &copy : row.before)
      emitter_.emit(node_, Plan::computeStream, copy);
  }
  Moment completion = emitter_.completesAt(node_);
  noteLateReads(completion);
  CollectiveStep step;
  step.calls.push_back(call_);
  emitter_.emit(node_, stream, std::move(step));
  for (const RowCopies &row : copies)
    for (const CopyStep &copy : row.after)
      emitter_.emit(node_, stream, copy);
  emitter_.keepUntil(completion, held);
  if (spec_.waitsRewriteAll)
    for (const Pieces &row : receive_)
      emitter_.program().copiedAgain.push_back({&node_, row.front()->buffer, completion});
}

/// An input that the operator copies at launch is read in place, and so later than in the graph: see overwritten.cpp.
void CollectiveLowering::noteLateReads(Moment completion) {
  if (!spec_.copiesAtLaunch || spec_.inPlace)
    return;
  for (size_t row = 0; row < call_.rows.size(); ++row)
    if (call_.rows[row].send)
      emitter_.program().lateReads.push_back({emitter_.plan().steps.size(), row, completion});
}

/// The call's value, in the form that its schema states.
LoweredValue CollectiveLowering::result() const {
  struct Maker {
    const Node &node;
    static LoweredValue tensor(const TensorObject &piece) { return LoweredValue::tensor(piece); }
    static LoweredValue list(std::vector<LoweredValue> elements) { return LoweredValue::list(std::move(elements)); }
    [[nodiscard]] LoweredValue work() const { return LoweredValue::ofObject(node.name()); }
  };
  return valueOfCall<LoweredValue>(op_, receive_, Maker{node_});
}

llvm::Error CollectiveLowering::makeRows() {
  send_ = tensorsOf(bound_.send);
  if (spec_.kind == CollectiveKind::Barrier)
    return llvm::Error::success();
  if (llvm::Error error = checkRows(send_, spec_.input))
    return error;
  if (bound_.exchange) {
    makeExchange(*bound_.exchange);
    return llvm::Error::success();
  }
  if (llvm::Error error = makeReceive())
    return error;
  if (send_.size() != receive_.size())
    return error("sends " + Twine(send_.size()) + " tensors into " + Twine(receive_.size()),
                 "give one buffer for each");
  return llvm::Error::success();
}

Lowered CollectiveLowering::lower() {
  llvm::Expected<CallGroup> group = groupOfCall(emitter_, operands_.call, node_);
  if (!group)
    return group.takeError();
  call_.group = group->index;
  groupSize_ = group->size;
  llvm::Expected<BoundCall> bound = bindCollective(emitter_.context(), operands_.call, groupSize());
  if (!bound)
    return bound.takeError();
  bound_ = std::move(*bound);
  call_.reduceOp = bound_.reduceOp;
  call_.root = bound_.root.value_or(-1);
  call_.sendCounts = bound_.sendCounts;
  call_.receiveCounts = bound_.receiveCounts;
  if (llvm::Error error = makeRows())
    return error;
  emitCollective();
  return exchanged_ ? *exchanged_ : result();
}

} // namespace

Lowered lowerCollective(Emitter &emitter, const Node &node) {
  if (isPointToPoint(node.op()->collective->kind))
    return lowerTransfers(emitter, node);
  return CollectiveLowering(emitter, node).lower();
}

} // namespace ccgraph::lower
