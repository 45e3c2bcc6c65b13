#include "lower/call_group.h"
#include "lower/element_types.h"
#include "lower/staging.h"
#include "lower/steps.h"
#include "lower/view_windows.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/strides.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::lower {
namespace {

using llvm::Twine;

/// One call: what it sends, where it goes, and what it yields.
class CollectiveLowering {
public:
  CollectiveLowering(Emitter &emitter, const Node &node)
      : emitter_(emitter), node_(node), op_(*node.op()), spec_(*node.op()->collective) {
    call_.kind = spec_.kind;
  }

  Lowered lower();

private:
  llvm::Error readGroup();
  llvm::Error readReduceOp();
  llvm::Error readCollective();
  llvm::Expected<std::vector<Pieces>> rowsAt(int parameter) const;
  llvm::Error readSplits();
  llvm::Expected<llvm::SmallVector<Dim, 0>> splitsAt(int parameter, const Type &input) const;
  llvm::Error makeReceive();
  llvm::Expected<const Type *> freshType(const Type &input, const Type *stated) const;
  llvm::Error makeShardDim();
  void countParts();
  /// What one row needs copied before and after the call.
  struct RowCopies {
    std::vector<CopyStep> before, after;
  };
  PlanRow plannedRow(size_t row, RowCopies &copies);
  void setRowsApart(std::vector<RowCopies> &copies);
  void emitCollective();
  void noteLateReads(Moment landing);
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
  PlanCollective call_;
  int64_t groupSize_ = 0;
  std::vector<Pieces> send_;
  std::vector<Pieces> receive_;
  /// all_to_all of one tensor: rows of dimension 0 for and from each member
  llvm::SmallVector<Dim, 0> sendRows_;
  llvm::SmallVector<Dim, 0> receiveRows_;
  bool isSplit_ = false;
  /// of shard_dim_alltoall, whose pieces are parts of it
  std::optional<LoweredValue> exchanged_;
};

// --- The group --------------------------------------------------------------------------------------------------

llvm::Error CollectiveLowering::readGroup() {
  llvm::Expected<CallGroup> group = groupOfCall(emitter_, node_);
  if (!group)
    return group.takeError();
  groupSize_ = group->size;
  call_.group = group->index;
  return llvm::Error::success();
}

// --- Numbers ----------------------------------------------------------------------------------------------------

llvm::Error CollectiveLowering::readReduceOp() {
  if (spec_.root >= 0) {
    std::optional<Dim> root = numberAt(node_, spec_.root);
    if (!root || !root->isStatic())
      return error("its source is no number", "give the source's rank within the group");
    call_.root = root->value();
  }
  if (spec_.reduceOp < 0)
    return llvm::Error::success();
  const Argument *argument = argumentAt(node_, spec_.reduceOp);
  LoweredValue value = argument ? emitter_.valueOf(node_, *argument) : LoweredValue();
  std::string word;
  if (argument && argument->is(Argument::Kind::String))
    word = argument->text().str();
  if (value.kind == LoweredValue::Kind::Object)
    if (auto meaning = emitter_.objects().find(value.object.str().str()); meaning != emitter_.objects().end())
      word = meaning->second.reduceOp;
  call_.reduceOp = parseReduceOp(word);
  return call_.reduceOp ? llvm::Error::success()
                        : error("its reduction is none of sum, avg, product, min, max, band, bor, bxor",
                                "name one, or say what the object means in the file of --groups");
}

llvm::Expected<llvm::SmallVector<Dim, 0>> CollectiveLowering::splitsAt(int parameter, const Type &input) const {
  const Argument *argument = argumentAt(node_, parameter);
  llvm::SmallVector<Dim, 0> rows;
  for (const Argument &element : argument ? argument->elements() : llvm::ArrayRef<Argument>()) {
    std::optional<Dim> number = numberOf(node_, element);
    if (!number)
      return error("a split is no number", "give rows for each rank as numbers");
    rows.push_back(*number);
  }
  if (!rows.empty() && static_cast<int64_t>(rows.size()) != groupSize())
    return error("got " + Twine(rows.size()) + " splits for " + Twine(groupSize()) + " ranks",
                 "give one for each rank");
  std::optional<Dim> equal = divideExactly(input.sizes()[0], groupSize());
  if (rows.empty() && !equal)
    return error("got " + input.str() + " without splits", "make its first dimension a multiple of the group's size");
  if (rows.empty())
    rows.assign(static_cast<size_t>(groupSize()), *equal);
  return rows;
}

llvm::Error CollectiveLowering::readSplits() {
  if (spec_.kind != CollectiveKind::AllToAll || spec_.inputSplits < 0)
    return llvm::Error::success();
  const Type &input = *send_.front().front()->type;
  if (input.sizes().empty())
    return error("got " + input.str(), "exchange a tensor with a first dimension");
  auto sent = splitsAt(spec_.inputSplits, input);
  if (!sent)
    return sent.takeError();
  auto received = splitsAt(spec_.outputSplits, input);
  if (!received)
    return received.takeError();
  sendRows_ = std::move(*sent);
  receiveRows_ = std::move(*received);
  isSplit_ = true;
  return llvm::Error::success();
}

void CollectiveLowering::countParts() {
  if (spec_.kind != CollectiveKind::AllToAll)
    return;
  Context &context = emitter_.context();
  auto ofPieces = [&](const Pieces &pieces) {
    llvm::SmallVector<Dim, 0> counts;
    for (const TensorObject &piece : pieces)
      counts.push_back(elementsOf(context, piece->type->sizes()));
    return counts;
  };
  auto ofRows = [&](llvm::ArrayRef<Dim> rows) {
    Dim length = elementsOf(context, send_.front().front()->type->sizes().drop_front());
    llvm::SmallVector<Dim, 0> counts;
    for (const Dim &row : rows)
      counts.push_back(multiply(context, row, length));
    return counts;
  };
  call_.sendCounts = isSplit_ ? ofRows(sendRows_) : ofPieces(send_.front());
  call_.receiveCounts = isSplit_ ? ofRows(receiveRows_) : ofPieces(receive_.front());
}

// --- Tensors ----------------------------------------------------------------------------------------------------

/// A list of tensors is a row each, but for all_to_all the parts of one; a list of lists is a row for each inner list.
llvm::Expected<std::vector<Pieces>> CollectiveLowering::rowsAt(int parameter) const {
  const Argument *argument = argumentAt(node_, parameter);
  LoweredValue value = argument ? emitter_.valueOf(node_, *argument) : LoweredValue();
  std::vector<Pieces> rows;
  if (value.isTensor())
    rows.push_back({value.tensor});
  else if (spec_.kind == CollectiveKind::AllToAll)
    rows.push_back(piecesOf(value));
  else
    for (const LoweredValue &element : value.elements)
      rows.push_back(element.isTensor() ? Pieces{element.tensor} : piecesOf(element));
  if (rows.empty() || llvm::any_of(rows, [](const Pieces &row) { return row.empty(); }))
    return error("argument " + Twine(parameter) + " is no tensor, and no list of tensors", "give what is communicated");
  return rows;
}

/// The layouts that the program states for fresh results, by row; null where it states none.
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

/// The stated type, because views of the result are laid out as it is; else a contiguous one of the sizes that follow from the
/// input's.
llvm::Expected<const Type *> CollectiveLowering::freshType(const Type &input, const Type *stated) const {
  if (stated)
    return stated;
  Context &context = emitter_.context();
  llvm::SmallVector<Dim, 6> sizes(input.sizes().begin(), input.sizes().end());
  bool scatters = spec_.kind == CollectiveKind::ReduceScatter, gathers = spec_.kind == CollectiveKind::AllGather;
  if (gathers && sizes.empty())
    sizes.emplace_back(1);
  std::optional<Dim> part = scatters && !sizes.empty() ? divideExactly(sizes[0], groupSize()) : std::nullopt;
  if (scatters && !part)
    return error("got " + input.str() + " to scatter", "make its first dimension a multiple of " + Twine(groupSize()));
  if (scatters)
    sizes[0] = *part;
  if (gathers)
    sizes[0] = multiply(context, sizes[0], Dim(groupSize()));
  if (spec_.kind == CollectiveKind::AllToAll) {
    sizes[0] = 0;
    for (const Dim &row : receiveRows_)
      sizes[0] = add(context, sizes[0], row);
  }
  return context.contiguousTensor(input.dtype(), sizes, input.device());
}

llvm::Error CollectiveLowering::makeReceive() {
  if (spec_.inPlace)
    receive_ = send_;
  if (spec_.output >= 0) {
    auto given = rowsAt(spec_.output);
    if (!given)
      return given.takeError();
    receive_ = std::move(*given);
  }
  if (!receive_.empty())
    return llvm::Error::success();
  std::vector<const Type *> stated = statedLayouts();
  for (size_t row = 0; row < send_.size(); ++row) {
    llvm::Expected<const Type *> type = freshType(*send_[row].front()->type, stated[row]);
    if (!type)
      return type.takeError();
    receive_.push_back({emitter_.freshTensor(node_.name(), *type)});
  }
  return llvm::Error::success();
}

/// Part `index` of `count` along one dimension.
PlanWindow partOf(Context &context, const PlanWindow &whole, unsigned dim, int64_t index, int64_t rows) {
  llvm::SmallVector<Dim, 6> sizes(whole.type->sizes().begin(), whole.type->sizes().end());
  sizes[dim] = rows;
  Dim distance = multiply(context, Dim(saturatingMultiply(index, rows)), whole.type->strides()[dim]);
  const Type *type = context.tensor(whole.type->dtype(), {sizes, whole.type->strides(), true}, whole.type->device());
  return {whole.buffer, type, add(context, whole.offset, distance)};
}

/// Chunks along one dimension become, after the exchange, parts of the result along another.
llvm::Error CollectiveLowering::makeShardDim() {
  std::optional<Dim> gather = numberAt(node_, op_.paramIndex("gather_dim"));
  std::optional<Dim> shard = numberAt(node_, op_.paramIndex("shard_dim"));
  const TensorObject input = send_.front().front();
  auto sizes = staticDims(input->type->sizes());
  auto rank = static_cast<int64_t>(input->type->sizes().size());
  auto isDim = [&](const std::optional<Dim> &dim) {
    return dim && dim->isStatic() && dim->value() >= 0 && dim->value() < rank;
  };
  if (!sizes || !isDim(gather) || !isDim(shard) || (*sizes)[shard->value()] % groupSize() != 0)
    return error("got " + input->type->str() +
                     ", expected a gather and a shard dimension of it, with static sizes, the latter "
                     "a multiple of " +
                     Twine(groupSize()),
                 "make the dimension even");
  int64_t chunk = (*sizes)[shard->value()] / groupSize();
  int64_t part = gather->value() == shard->value() ? chunk : (*sizes)[gather->value()];
  (*sizes)[shard->value()] = chunk;
  (*sizes)[gather->value()] = part * groupSize();
  llvm::SmallVector<Dim, 6> dims(sizes->begin(), sizes->end());
  const Type *type = statedLayouts().front();
  if (!type)
    type = emitter_.context().contiguousTensor(input->type->dtype(), dims, input->type->device());
  TensorObject result = emitter_.freshTensor(node_.name(), type);
  send_.front().clear();
  receive_ = {{}};
  for (int64_t i = 0; i < groupSize(); ++i) {
    send_.front().push_back(std::make_shared<PlanWindow>(partOf(emitter_.context(), *input, shard->value(), i, chunk)));
    receive_.front().push_back(
        std::make_shared<PlanWindow>(partOf(emitter_.context(), *result, gather->value(), i, part)));
  }
  call_.kind = CollectiveKind::AllToAll;
  call_.sendCounts.assign(static_cast<size_t>(groupSize()), Dim(productOf(*sizes) / groupSize()));
  call_.receiveCounts = call_.sendCounts;
  exchanged_ = LoweredValue::of(result);
  return llvm::Error::success();
}

// --- Steps ------------------------------------------------------------------------------------------------------

/// Because a peer may still read what this rank would fill already, what is sent from the buffer that is filled is copied out of
/// it, unless the two are one.
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

/// Rows of one call have no order, and in a list each is read before any is filled, and filled in the order of the list: so a row
/// that is filled where another one is too gets memory of its own, out of which it is copied; and so does what is sent from there.
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
  Moment landing = emitter_.landsAt(node_);
  noteLateReads(landing);
  CollectiveStep step;
  step.calls.push_back(call_);
  emitter_.emit(node_, stream, std::move(step));
  for (const RowCopies &row : copies)
    for (const CopyStep &copy : row.after)
      emitter_.emit(node_, stream, copy);
  emitter_.keepUntil(landing, held);
  if (spec_.waitsRewriteAll)
    for (const Pieces &row : receive_)
      emitter_.program().copiedAgain.push_back({&node_, row.front()->buffer, landing});
}

/// What the operator copies at launch is read where it lies, and so later: see overwritten.cpp.
void CollectiveLowering::noteLateReads(Moment landing) {
  if (!spec_.copiesAtLaunch || spec_.inPlace)
    return;
  for (size_t row = 0; row < call_.rows.size(); ++row)
    if (call_.rows[row].send)
      emitter_.program().lateReads.push_back({emitter_.plan().steps.size(), row, landing});
}

/// What the call yields, in the shape that its schema states; Work objects are objects.
LoweredValue CollectiveLowering::result() const {
  auto listOf = [](const Pieces &pieces) {
    std::vector<LoweredValue> elements;
    for (const TensorObject &piece : pieces)
      elements.push_back(LoweredValue::of(piece));
    return LoweredValue::list(std::move(elements));
  };
  Pieces all;
  std::vector<LoweredValue> nested, results;
  for (const Pieces &row : receive_) {
    llvm::append_range(all, row);
    nested.push_back(listOf(row));
  }
  for (const OpResult &result : op_.results) {
    if (result.type == "Tensor" && !all.empty())
      results.push_back(LoweredValue::of(all.front()));
    else if (result.type == "Tensor[]")
      results.push_back(listOf(all));
    else if (result.type == "Tensor[][]")
      results.push_back(LoweredValue::list(nested));
    else
      results.push_back(LoweredValue::thing(node_.name()));
  }
  return results.size() == 1 ? results.front() : LoweredValue::list(std::move(results));
}

llvm::Error CollectiveLowering::readCollective() {
  if (llvm::Error error = readReduceOp())
    return error;
  if (spec_.kind == CollectiveKind::Barrier)
    return llvm::Error::success();
  auto rows = rowsAt(spec_.input);
  if (!rows)
    return rows.takeError();
  send_ = std::move(*rows);
  if (spec_.kind == CollectiveKind::ShardDimAllToAll)
    return makeShardDim();
  if (llvm::Error error = readSplits())
    return error;
  if (llvm::Error error = makeReceive())
    return error;
  if (send_.size() != receive_.size())
    return error("sends " + Twine(send_.size()) + " tensors into " + Twine(receive_.size()),
                 "give one buffer for each");
  countParts();
  return llvm::Error::success();
}

Lowered CollectiveLowering::lower() {
  if (llvm::Error error = readGroup())
    return error;
  if (llvm::Error error = readCollective())
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
