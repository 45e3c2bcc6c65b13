#include "interpreter/launch_request.h"

#include "ccgraph/ir/internal/bound_call.h"
#include "collectives/agreement.h"

#include "llvm/ADT/Twine.h"

namespace ccgraph::runtime {
namespace {

using llvm::Twine;

// --- Arguments ------------------------------------------------------------------------------------------------------

/// Copies values into the form that the binder takes; tensors are numbered in the order in which they appear.
class OperandReader {
public:
  explicit OperandReader(std::vector<Tensor> &tensors) : tensors_(tensors) {}

  CallOperand operand(const Value &value) {
    switch (value.kind()) {
    case Value::Kind::None:
      return {};
    case Value::Kind::Int:
      return CallOperand::ofNumber(Dim(value.integer()));
    case Value::Kind::String:
      return CallOperand::ofText(CallOperand::Kind::String, value.string());
    case Value::Kind::Opaque:
      return CallOperand::ofText(CallOperand::Kind::Object, value.opaque().text);
    case Value::Kind::Tensor:
      return tensor(value.tensor());
    case Value::Kind::List:
      return list(value.list());
    case Value::Kind::Bool:
    case Value::Kind::Float:
    case Value::Kind::DType:
    case Value::Kind::Device:
    case Value::Kind::Slice:
    case Value::Kind::Complex:
      break;
    }
    CallOperand other;
    other.kind = CallOperand::Kind::Other;
    return other;
  }

private:
  CallOperand tensor(const Tensor &tensor) {
    tensors_.push_back(tensor);
    IntListRef sizes = tensor.sizes();
    return CallOperand::ofTensor(
        {tensors_.size() - 1, tensor.dtype(), llvm::SmallVector<Dim, 6>(sizes.begin(), sizes.end())});
  }

  CallOperand list(const Value::List &elements) {
    CallOperand list;
    list.kind = CallOperand::Kind::List;
    for (const Value &element : elements)
      list.elements.push_back(operand(element));
    return list;
  }

  std::vector<Tensor> &tensors_;
};

std::vector<int64_t> numbers(llvm::ArrayRef<Dim> dims) {
  std::vector<int64_t> values;
  for (const Dim &dim : dims)
    values.push_back(dim.value());
  return values;
}

// --- Launches -------------------------------------------------------------------------------------------------------

/// Makes the launch of one call; the parts of readLaunch share what they found.
class LaunchReader {
public:
  LaunchReader(const CallSite &site, const Graph &program, const ObjectMeanings &objects)
      : site_(site), spec_(*site.op->collective), program_(program) {
    operands_.op = site.op;
    operands_.objects = &objects;
    operands_.error = [&site](const Twine &message, const Twine &repair) {
      return site.error(message.str(), repair.str());
    };
  }

  llvm::Expected<LaunchRequest> read();

private:
  [[nodiscard]] auto groupSize() const { return static_cast<int64_t>(request_.group.size()); }
  void readOperands();
  llvm::Error findGroup();
  llvm::Error readCollective();
  llvm::Error readTransfers();
  llvm::Error makeReceive(const BoundCall &call);
  void makeExchange(const ShardExchange &exchange);
  [[nodiscard]] Tensor freshTensor(DType dtype, IntListRef sizes) const;
  [[nodiscard]] Launch::Rows buffersOf(llvm::ArrayRef<BoundRow> rows) const;
  [[nodiscard]] Launch newLaunch(CollectiveKind kind) const;
  [[nodiscard]] Value resultValue() const;

  const CallSite &site_;
  const CollectiveSpec &spec_;
  const Graph &program_;
  CallOperands operands_;
  std::vector<Tensor> tensors_; ///< by OperandTensor::handle
  LaunchRequest request_;
  Launch launch_;
};

void LaunchReader::readOperands() {
  OperandReader reader(tensors_);
  for (const std::optional<Value> &argument : site_.arguments)
    operands_.arguments.push_back(argument ? reader.operand(*argument) : CallOperand());
}

llvm::Error LaunchReader::findGroup() {
  llvm::Expected<Group> group = bindGroup(operands_, program_.groups(), operands_.error);
  if (!group)
    return group.takeError();
  request_.group = group->members(site_.rank).vec();
  if (!llvm::is_contained(request_.group, site_.rank))
    return site_.error("is not a member of the group that it communicates on, " + intListText(request_.group),
                       "a rank may only launch on groups that hold it");
  const Value *stated = site_.argument(spec_.groupSize);
  if (stated && stated->is(Value::Kind::Int) && stated->integer() != groupSize())
    return site_.error((Twine("states a group of ") + Twine(stated->integer()) + " ranks, expected " +
                        Twine(groupSize()) + ", the members " + intListText(request_.group))
                           .str());
  return llvm::Error::success();
}

Launch::Rows LaunchReader::buffersOf(llvm::ArrayRef<BoundRow> rows) const {
  Launch::Rows buffers;
  for (const BoundRow &row : rows) {
    std::vector<Tensor> pieces;
    for (const OperandTensor &piece : row)
      pieces.push_back(tensors_[piece.handle]);
    buffers.emplace_back(llvm::ArrayRef(pieces));
  }
  return buffers;
}

/// New memory is poisoned: a program that reads it before the wait gets NaN, and not zeros, which might pass for a
/// result.
Tensor LaunchReader::freshTensor(DType dtype, IntListRef sizes) const {
  Tensor tensor = Tensor::zeros(dtype, sizes);
  poison(tensor);
  return tensor;
}

llvm::Error LaunchReader::makeReceive(const BoundCall &call) {
  launch_.receive = buffersOf(call.receive);
  request_.ownMemory = call.place == ReceivePlace::Fresh;
  for (size_t row = 0; request_.ownMemory && row < call.send.size(); ++row) {
    llvm::Expected<llvm::SmallVector<Dim, 6>> sizes = freshSizes(program_.context(), operands_, call, row, groupSize());
    if (!sizes)
      return sizes.takeError();
    launch_.receive.emplace_back(freshTensor(launch_.send[row].dtype(), numbers(*sizes)));
  }
  return llvm::Error::success();
}

/// The chunks that are sent and the parts that are filled are windows of the input and of the result.
void LaunchReader::makeExchange(const ShardExchange &exchange) {
  const Tensor input = launch_.send.front().pieces().front();
  Tensor result = freshTensor(input.dtype(), exchange.resultSizes);
  std::vector<Tensor> sent, received;
  for (int64_t i = 0; i < groupSize(); ++i) {
    sent.push_back(input.slice(exchange.shard, i * exchange.chunk, (i + 1) * exchange.chunk));
    received.push_back(result.slice(exchange.gather, i * exchange.part, (i + 1) * exchange.part));
  }
  launch_.send = {Buffer(std::move(sent))};
  launch_.receive = {Buffer(std::move(received))};
  request_.result = result;
  request_.ownMemory = true;
}

/// The call's value, in the form that its schema states; Work objects are opaque.
Value LaunchReader::resultValue() const {
  struct Maker {
    const CallSite &site;
    static Value tensor(const Tensor &piece) { return piece; }
    static Value list(std::vector<Value> elements) {
      return Value::list(
          Value::List(std::make_move_iterator(elements.begin()), std::make_move_iterator(elements.end())));
    }
    [[nodiscard]] Value work() const { return Value::opaque("Work of " + site.name.str().str()); }
  };
  std::vector<std::vector<Tensor>> rows;
  for (const Buffer &row : launch_.receive)
    rows.emplace_back(row.pieces().begin(), row.pieces().end());
  return valueOfCall<Value>(*site_.op, rows, Maker{site_});
}

Launch LaunchReader::newLaunch(CollectiveKind kind) const {
  Launch launch;
  launch.call = {site_.node, site_.name};
  launch.rank = site_.rank;
  launch.kind = kind;
  return launch;
}

/// If the operator copies its input at the launch, the rows are copied here. Otherwise they stay windows of the graph's
/// own tensors, which no node may write before the wait (flights.cpp).
llvm::Error LaunchReader::readCollective() {
  llvm::Expected<BoundCall> call = bindCollective(program_.context(), operands_, groupSize());
  if (!call)
    return call.takeError();
  launch_ = newLaunch(spec_.kind);
  launch_.reduceOp = call->reduceOp;
  launch_.root = call->root.value_or(-1);
  launch_.send = buffersOf(call->send);
  if (call->exchange)
    makeExchange(*call->exchange);
  else if (llvm::Error error = makeReceive(*call))
    return error;
  launch_.sendCounts = numbers(call->sendCounts);
  launch_.receiveCounts = numbers(call->receiveCounts);
  if (!call->exchange)
    request_.result = resultValue();
  if (std::string wrong = checkLaunch(launch_, request_.group.size()); !wrong.empty())
    return site_.error(wrong);
  if (spec_.copiesAtLaunch)
    for (Buffer &row : launch_.send)
      row.detach();
  request_.entries.push_back({std::move(launch_), -1});
  return llvm::Error::success();
}

/// A single send or receive is a batch of one. A send yields a token: a tensor without elements.
llvm::Error LaunchReader::readTransfers() {
  llvm::Expected<std::vector<BoundTransfer>> transfers = bindTransfers(operands_, groupSize());
  if (!transfers)
    return transfers.takeError();
  std::vector<Tensor> results;
  for (const BoundTransfer &transfer : *transfers) {
    const Tensor &tensor = tensors_[transfer.tensor.handle];
    bool send = transfer.kind == CollectiveKind::Send;
    results.push_back(send ? Tensor::zeros(tensor.dtype(), {0}) : tensor);
    Launch launch = newLaunch(transfer.kind);
    launch.tag = transfer.tag;
    if (send)
      launch.send.emplace_back(tensor);
    launch.receive.emplace_back(results.back());
    request_.entries.push_back({std::move(launch), request_.group[static_cast<size_t>(transfer.peer)]});
  }
  bool batch = spec_.kind == CollectiveKind::BatchP2P;
  request_.result = batch ? Value::tensors(results) : Value(results.front());
  return llvm::Error::success();
}

llvm::Expected<LaunchRequest> LaunchReader::read() {
  readOperands();
  request_.synchronous = spec_.synchronous;
  if (llvm::Error error = findGroup())
    return error;
  if (llvm::Error error = isPointToPoint(spec_.kind) ? readTransfers() : readCollective())
    return error;
  return std::move(request_);
}

} // namespace

llvm::Expected<LaunchRequest> readLaunch(const CallSite &site, const Graph &program, const ObjectMeanings &objects) {
  return LaunchReader(site, program, objects).read();
}

} // namespace ccgraph::runtime
