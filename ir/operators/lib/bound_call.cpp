#include "ccgraph/ir/internal/bound_call.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph {
namespace {

using llvm::Twine;
using Kind = CallOperand::Kind;
// --- Texts of errors ------------------------------------------------------------------------------------------------

std::string sizesText(llvm::ArrayRef<Dim> sizes) {
  std::string text = "[";
  for (const Dim &size : sizes)
    text += (text.size() > 1 ? ", " : "") + size.str();
  return text + "]";
}

std::string text(const OperandTensor &tensor) { return shortName(tensor.dtype).str() + sizesText(tensor.sizes); }

std::string describe(const CallOperand &operand) {
  switch (operand.kind) {
  case Kind::Absent:
    return "nothing";
  case Kind::Tensor:
    return text(operand.tensor);
  case Kind::List:
    return "a list of " + std::to_string(operand.elements.size());
  case Kind::Number:
    return "the integer " + operand.number.str();
  case Kind::String:
    return "the text '" + operand.text + "'";
  case Kind::Object:
    return "the object `" + operand.text + "`";
  case Kind::Other:
    return "a value of another kind";
  }
  return "";
}

llvm::Error wrongArgument(const CallOperands &operands, int parameter, const Twine &expected) {
  llvm::ArrayRef<OpParam> params = operands.op->params;
  auto index = static_cast<size_t>(parameter);
  std::string name = parameter >= 0 && index < params.size() ? " (" + params[index].name + ")" : "";
  return operands.error("argument " + Twine(parameter) + name + ": got " + describe(operands.at(parameter)) +
                            ", expected " + expected,
                        "give " + expected);
}

// --- Groups ---------------------------------------------------------------------------------------------------------

std::string namesOf(const GroupTable &table) {
  std::string names;
  for (const Group &group : table.groups())
    names += (names.empty() ? "'" : ", '") + group.name + "'";
  return names.empty() ? "the group table is empty" : "the group table has " + names;
}

llvm::Expected<Group> groupNamed(const GroupTable &table, llvm::StringRef name, const CallError &error) {
  if (const Group *group = table.find(name))
    return *group;
  return error("group '" + name + "' has no ranks: " + namesOf(table),
               "give the ranks of each group with --groups FILE");
}

llvm::Expected<Group> groupOfObject(const CallOperands &operands, const GroupTable &table, const std::string &object,
                                    const CallError &error) {
  auto meaning = operands.objects->find(object);
  if (table.find(object))
    return groupNamed(table, object, error);
  if (meaning != operands.objects->end() && !meaning->second.group.empty())
    return groupNamed(table, meaning->second.group, error);
  if (table.groups().size() == 1)
    return table.groups().front();
  return error("the group is the object `" + Twine(object) + "`, and " + namesOf(table),
               "state its group: {\"constants\": {\"" + Twine(object) +
                   "\": {\"group\": NAME}}} in the file of --groups");
}

llvm::Expected<Group> groupOfRanks(llvm::ArrayRef<CallOperand> list, const CallError &error) {
  Group group;
  for (const CallOperand &rank : list) {
    if (!rank.is(Kind::Number) || !rank.number.isStatic())
      return error("group: got " + describe(rank) + ", expected a rank", "give the ranks as integers");
    group.ranks.push_back(rank.number.value());
  }
  group.name = "ranks " + intListText(group.ranks);
  return group;
}

// --- Collectives ----------------------------------------------------------------------------------------------------

/// Binds one call; its steps share what they found.
class Binder {
public:
  Binder(Context &context, const CallOperands &operands, int64_t groupSize)
      : context_(context), operands_(operands), spec_(operands.spec()), groupSize_(groupSize) {}

  llvm::Expected<BoundCall> bind();

private:
  llvm::Error bindReduceOp();
  llvm::Error bindRoot();
  llvm::Error bindSend();
  llvm::Error checkListForm() const;
  llvm::Error bindReceive();
  llvm::Error bindSplits();
  llvm::Error bindExchange();
  void countParts();
  [[nodiscard]] llvm::Expected<std::vector<BoundRow>> rowsAt(int parameter) const;
  [[nodiscard]] llvm::Expected<BoundCounts> splitsAt(int parameter, const OperandTensor &input) const;
  [[nodiscard]] llvm::Expected<unsigned> dimensionAt(llvm::StringRef parameter, const OperandTensor &input) const;
  /// Null where the call sends none, or several.
  [[nodiscard]] const OperandTensor *onlyInput() const;

  Context &context_;
  const CallOperands &operands_;
  const CollectiveSpec &spec_;
  int64_t groupSize_;
  BoundCall call_;
};

const OperandTensor *Binder::onlyInput() const {
  bool one = call_.send.size() == 1 && call_.send.front().size() == 1;
  return one ? &call_.send.front().front() : nullptr;
}

llvm::Error Binder::bindReduceOp() {
  if (spec_.reduceOp < 0)
    return llvm::Error::success();
  const CallOperand &operand = operands_.at(spec_.reduceOp);
  std::string word = operand.is(Kind::String) ? operand.text : "";
  if (operand.is(Kind::Object)) {
    auto meaning = operands_.objects->find(operand.text);
    if (meaning == operands_.objects->end() || meaning->second.reduceOp.empty())
      return operands_.error("the reduction is the object `" + Twine(operand.text) + "`, whose meaning no file states",
                             "state it: {\"constants\": {\"" + Twine(operand.text) +
                                 "\": {\"reduce_op\": \"sum\"}}} in the file of --groups");
    word = meaning->second.reduceOp;
  }
  call_.reduceOp = parseReduceOp(word);
  return call_.reduceOp
             ? llvm::Error::success()
             : wrongArgument(operands_, spec_.reduceOp, "one of sum, avg, product, min, max, band, bor, bxor");
}

llvm::Error Binder::bindRoot() {
  if (spec_.root < 0)
    return llvm::Error::success();
  const CallOperand &root = operands_.at(spec_.root);
  if (!root.is(Kind::Number) || !root.number.isStatic())
    return wrongArgument(operands_, spec_.root, "an integer");
  call_.root = root.number.value();
  return llvm::Error::success();
}

/// Appends the tensors of a list, and skips what is no tensor.
BoundRow piecesOf(const CallOperand &list) {
  BoundRow pieces;
  for (const CallOperand &element : list.elements)
    if (element.is(Kind::Tensor))
      pieces.push_back(element.tensor);
  return pieces;
}

/// A list of tensors is a row for each tensor, but for all_to_all, where it is the parts of one row. A list of lists is
/// a row for each inner list.
llvm::Expected<std::vector<BoundRow>> Binder::rowsAt(int parameter) const {
  const CallOperand &operand = operands_.at(parameter);
  if (operand.is(Kind::Tensor))
    return std::vector<BoundRow>{{operand.tensor}};
  if (!operand.is(Kind::List))
    return wrongArgument(operands_, parameter, "a tensor or a list of tensors");
  if (spec_.kind == CollectiveKind::AllToAll)
    return std::vector<BoundRow>{piecesOf(operand)};
  std::vector<BoundRow> rows;
  for (const CallOperand &element : operand.elements) {
    if (!element.is(Kind::Tensor) && !element.is(Kind::List))
      return wrongArgument(operands_, parameter, "a list of tensors");
    rows.push_back(element.is(Kind::Tensor) ? BoundRow{element.tensor} : piecesOf(element));
  }
  return rows;
}

llvm::Error Binder::bindSend() {
  llvm::Expected<std::vector<BoundRow>> rows = rowsAt(spec_.input);
  if (!rows)
    return rows.takeError();
  call_.send = std::move(*rows);
  return spec_.coalesced && !spec_.legacy ? checkListForm() : llvm::Error::success();
}

/// gloo and NCCL refuse to reduce two dtypes in one list. For other kinds, each entry of a list is a call of its own.
llvm::Error Binder::checkListForm() const {
  llvm::StringRef reduceOp = call_.reduceOp ? reduceOpName(*call_.reduceOp) : llvm::StringRef();
  for (const BoundRow &row : call_.send) {
    DType first = call_.send.front().front().dtype, dtype = row.front().dtype;
    if (!listFormTakes(spec_.kind, reduceOp, dtype))
      return operands_.error("got a list of " + shortName(dtype) +
                                 " tensors, expected another dtype: PyTorch refuses this one in a list",
                             "make one call for each tensor");
    if (spec_.kind == CollectiveKind::AllReduce && dtype != first)
      return operands_.error("got a list of " + shortName(first) + " and " + shortName(dtype) +
                                 " tensors, expected one dtype",
                             "make one call for each dtype");
  }
  return llvm::Error::success();
}

/// Rows of dimension 0 for each member; equal shares if the call gives none.
llvm::Expected<BoundCounts> Binder::splitsAt(int parameter, const OperandTensor &input) const {
  const CallOperand &given = operands_.at(parameter);
  if (!given.is(Kind::Absent) && !given.is(Kind::List))
    return wrongArgument(operands_, parameter, "a list of integers");
  BoundCounts rows;
  for (const CallOperand &split : given.elements) {
    if (!split.is(Kind::Number))
      return wrongArgument(operands_, parameter, "a list of integers");
    rows.push_back(split.number);
  }
  if (!rows.empty() && static_cast<int64_t>(rows.size()) != groupSize_)
    return operands_.error("got " + Twine(rows.size()) + " splits, expected one for each of " + Twine(groupSize_) +
                               " ranks",
                           "give one for each rank");
  std::optional<Dim> equal = divideExactly(context_, input.sizes[0], groupSize_);
  if (rows.empty() && !equal)
    return operands_.error("got " + text(input) + " without splits, expected a first dimension that is a multiple of " +
                               Twine(groupSize_),
                           "give splits, or make the dimension even");
  if (rows.empty())
    rows.assign(static_cast<size_t>(groupSize_), *equal);
  return rows;
}

llvm::Error Binder::bindSplits() {
  if (spec_.kind != CollectiveKind::AllToAll || spec_.inputSplits < 0)
    return llvm::Error::success();
  const OperandTensor *input = onlyInput();
  if (!input || input->sizes.empty())
    return wrongArgument(operands_, spec_.input, "a tensor with a first dimension");
  llvm::Expected<BoundCounts> sent = splitsAt(spec_.inputSplits, *input);
  if (!sent)
    return sent.takeError();
  llvm::Expected<BoundCounts> received = splitsAt(spec_.outputSplits, *input);
  if (!received)
    return received.takeError();
  call_.sendRows = std::move(*sent);
  call_.receiveRows = std::move(*received);
  return llvm::Error::success();
}

llvm::Error Binder::bindReceive() {
  if (spec_.output >= 0) {
    llvm::Expected<std::vector<BoundRow>> given = rowsAt(spec_.output);
    if (!given)
      return given.takeError();
    call_.receive = std::move(*given);
    call_.place = ReceivePlace::Buffers;
  } else if (spec_.inPlace) {
    call_.receive = call_.send;
    call_.place = ReceivePlace::Inputs;
  }
  return llvm::Error::success();
}

/// The counts are rows times their length, or those of the parts that the call gives one by one.
void Binder::countParts() {
  if (spec_.kind != CollectiveKind::AllToAll)
    return;
  auto ofPieces = [&](const BoundRow &pieces) {
    BoundCounts counts;
    for (const OperandTensor &piece : pieces)
      counts.push_back(productOf(context_, piece.sizes));
    return counts;
  };
  auto ofRows = [&](llvm::ArrayRef<Dim> rows) {
    Dim length = productOf(context_, llvm::ArrayRef<Dim>(call_.send.front().front().sizes).drop_front());
    BoundCounts counts;
    for (const Dim &row : rows)
      counts.push_back(multiply(context_, row, length));
    return counts;
  };
  bool isSplit = !call_.sendRows.empty();
  call_.sendCounts = isSplit ? ofRows(call_.sendRows) : ofPieces(call_.send.front());
  if (isSplit)
    call_.receiveCounts = ofRows(call_.receiveRows);
  else if (!call_.receive.empty())
    call_.receiveCounts = ofPieces(call_.receive.front());
}

llvm::Expected<unsigned> Binder::dimensionAt(llvm::StringRef parameter, const OperandTensor &input) const {
  int place = operands_.op->paramIndex(parameter);
  const CallOperand &operand = operands_.at(place);
  auto rank = static_cast<int64_t>(input.sizes.size());
  if (!operand.is(Kind::Number) || !operand.number.isStatic() || operand.number.value() < 0 ||
      operand.number.value() >= rank)
    return wrongArgument(operands_, place, "a dimension of " + text(input));
  return static_cast<unsigned>(operand.number.value());
}

llvm::Error Binder::bindExchange() {
  if (!onlyInput())
    return wrongArgument(operands_, spec_.input, "a tensor");
  const OperandTensor &input = *onlyInput();
  llvm::Expected<unsigned> gather = dimensionAt("gather_dim", input);
  if (!gather)
    return gather.takeError();
  llvm::Expected<unsigned> shard = dimensionAt("shard_dim", input);
  if (!shard)
    return shard.takeError();
  std::optional<IntList> sizes = staticDims(input.sizes);
  if (!sizes || (*sizes)[*shard] % groupSize_ != 0)
    return operands_.error("got " + text(input) + " with shard dimension " + Twine(*shard) +
                               ", expected static sizes and a shard dimension that is a multiple of " +
                               Twine(groupSize_),
                           "make the dimension even");
  ShardExchange exchange{*gather, *shard, (*sizes)[*shard] / groupSize_, 0, {}};
  exchange.part = *gather == *shard ? exchange.chunk : (*sizes)[*gather];
  (*sizes)[*shard] = exchange.chunk;
  (*sizes)[*gather] = exchange.part * groupSize_;
  call_.sendCounts.assign(static_cast<size_t>(groupSize_), Dim(productOf(*sizes) / groupSize_));
  call_.receiveCounts = call_.sendCounts;
  exchange.resultSizes = std::move(*sizes);
  call_.exchange = std::move(exchange);
  return llvm::Error::success();
}

llvm::Expected<BoundCall> Binder::bind() {
  if (llvm::Error error = bindRoot())
    return error;
  if (llvm::Error error = bindReduceOp())
    return error;
  if (spec_.kind == CollectiveKind::Barrier)
    return std::move(call_);
  if (llvm::Error error = bindSend())
    return error;
  if (spec_.kind == CollectiveKind::ShardDimAllToAll) {
    if (llvm::Error error = bindExchange())
      return error;
    return std::move(call_);
  }
  if (llvm::Error error = bindSplits())
    return error;
  if (llvm::Error error = bindReceive())
    return error;
  countParts();
  return std::move(call_);
}

// --- Transfers ------------------------------------------------------------------------------------------------------

/// The elements of a list; a single value is a list of one.
std::vector<CallOperand> listAt(const CallOperands &operands, int parameter) {
  const CallOperand &operand = operands.at(parameter);
  if (operand.is(Kind::List))
    return operand.elements;
  return operand.is(Kind::Absent) ? std::vector<CallOperand>() : std::vector<CallOperand>{operand};
}

llvm::Expected<BoundTransfer> bindTransfer(const CallOperands &operands, CollectiveKind kind, const CallOperand &tensor,
                                           const CallOperand &peer, const CallOperand &tag, int64_t groupSize) {
  auto isInteger = [](const CallOperand &operand) { return operand.is(Kind::Number) && operand.number.isStatic(); };
  if (!tensor.is(Kind::Tensor) || !isInteger(peer) || !isInteger(tag))
    return operands.error("got " + describe(tensor) + ", " + describe(peer) + " and " + describe(tag) +
                              ", expected a tensor, a peer and a tag",
                          "give one of each for each transfer");
  int64_t rank = peer.number.value();
  if (rank < 0 || rank >= groupSize)
    return operands.error("got peer " + Twine(rank) + ", expected a rank within the group, 0 to " +
                              Twine(groupSize - 1),
                          "name a rank of the group");
  return BoundTransfer{kind, tensor.tensor, rank, tag.number.value()};
}

} // namespace

const CallOperand &CallOperands::at(int parameter) const {
  static const CallOperand absent;
  bool given = parameter >= 0 && static_cast<size_t>(parameter) < arguments.size();
  return given ? arguments[static_cast<size_t>(parameter)] : absent;
}

CallOperand CallOperand::ofTensor(OperandTensor tensor) {
  CallOperand operand;
  operand.kind = Kind::Tensor;
  operand.tensor = std::move(tensor);
  return operand;
}

CallOperand CallOperand::ofNumber(Dim number) {
  CallOperand operand;
  operand.kind = Kind::Number;
  operand.number = number;
  return operand;
}

CallOperand CallOperand::ofText(Kind kind, std::string text) {
  CallOperand operand;
  operand.kind = kind;
  operand.text = std::move(text);
  return operand;
}

llvm::Expected<Group> bindGroup(const CallOperands &operands, const GroupTable &table, const CallError &error) {
  const CallOperand &group = operands.at(operands.spec().group);
  if (group.is(Kind::String))
    return groupNamed(table, group.text, error);
  if (group.is(Kind::Object))
    return groupOfObject(operands, table, group.text, error);
  if (group.is(Kind::List))
    return groupOfRanks(group.elements, error);
  return error("group: got " + describe(group) + ", expected a name, a list of ranks or a process group",
               "give its name, or the list of its ranks");
}

llvm::Expected<BoundCall> bindCollective(Context &context, const CallOperands &operands, int64_t groupSize) {
  return Binder(context, operands, groupSize).bind();
}

llvm::Expected<DimList> freshSizes(Context &context, const CallOperands &operands, const BoundCall &call, size_t row,
                                   int64_t groupSize) {
  const OperandTensor &input = call.send[row].front();
  DimList sizes = input.sizes;
  CollectiveKind kind = operands.spec().kind;
  if (kind == CollectiveKind::AllGather) {
    if (sizes.empty())
      sizes.emplace_back(1);
    sizes[0] = multiply(context, sizes[0], Dim(groupSize));
  }
  if (kind == CollectiveKind::ReduceScatter) {
    std::optional<Dim> share = sizes.empty() ? std::nullopt : divideExactly(context, sizes[0], groupSize);
    if (!share)
      return operands.error("got sizes " + sizesText(sizes) +
                                " to scatter, expected a first dimension that is a multiple of " + Twine(groupSize),
                            "make the first dimension even");
    sizes[0] = *share;
  }
  if (kind == CollectiveKind::AllToAll && !call.receiveRows.empty()) {
    sizes[0] = Dim(0);
    for (const Dim &rows : call.receiveRows)
      sizes[0] = add(context, sizes[0], rows);
  }
  return sizes;
}

llvm::Expected<std::vector<BoundTransfer>> bindTransfers(const CallOperands &operands, int64_t groupSize) {
  const CollectiveSpec &spec = operands.spec();
  bool batch = spec.kind == CollectiveKind::BatchP2P;
  std::vector<CallOperand> tensors = listAt(operands, spec.input >= 0 ? spec.input : spec.output),
                           peers = listAt(operands, spec.peer),
                           tags = listAt(operands, operands.op->paramIndex(batch ? "tag_list" : "tag"));
  std::vector<CallOperand> words = batch ? listAt(operands, operands.op->paramIndex("op_list")) : tensors;
  if (tags.empty())
    tags.assign(tensors.size(), CallOperand::ofNumber(Dim(0)));
  if ((tensors.empty() && !batch) || peers.size() != tensors.size() || tags.size() != tensors.size() ||
      words.size() != tensors.size())
    return operands.error("got " + Twine(tensors.size()) + " tensors, " + Twine(peers.size()) + " peers and " +
                              Twine(tags.size()) + " tags, expected one of each for each transfer",
                          "give one of each for each transfer");
  std::vector<BoundTransfer> transfers;
  for (size_t i = 0; i < tensors.size(); ++i) {
    bool sends = batch ? words[i].is(Kind::String) && words[i].text == "isend" : spec.kind == CollectiveKind::Send;
    llvm::Expected<BoundTransfer> transfer = bindTransfer(operands, sends ? CollectiveKind::Send : CollectiveKind::Recv,
                                                          tensors[i], peers[i], tags[i], groupSize);
    if (!transfer)
      return transfer.takeError();
    transfers.push_back(std::move(*transfer));
  }
  return transfers;
}

} // namespace ccgraph
