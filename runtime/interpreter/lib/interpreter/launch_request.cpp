#include "interpreter/launch_request.h"

#include "collectives/agreement.h"

#include "llvm/ADT/Twine.h"

#include <numeric>

namespace ccgraph::runtime {
namespace {

using llvm::Twine;

// Nearly fifty operators launch communication. What they have in common is a group, rows to send and rows to fill, and
// the specification in the operator table says at which parameter each stands. Rows are where forms differ most:
//   all_gather(x)                               sends the row x, fills one new row
//   all_reduce_coalesced([a, b])                sends two rows, fills two new ones
//   c10d.allgather_([[o0, o1]], [x])            sends the row x, fills one row made of the pieces o0 and o1
//   c10d.alltoall_([o0, o1], [i0, i1])          sends one row of two parts, fills one row of two parts
// Once a call is read so, nothing that comes after knows which operator it was.

/// Makes the launch of one call; the parts of readLaunch share what they found out.
class LaunchReader {
public:
  LaunchReader(const CallSite &site, const Graph &program, const ObjectMeanings &objects)
      : site_(site), spec_(*site.op->collective), program_(program), objects_(objects) {}

  llvm::Expected<LaunchRequest> read();

private:
  [[nodiscard]] auto groupSize() const { return static_cast<int64_t>(request_.group.size()); }
  llvm::Error findGroup();
  llvm::Error readCollective();
  llvm::Error readTransfers();
  llvm::Error addTransfer(CollectiveKind kind, const Tensor &tensor, int64_t peer, int64_t tag);
  llvm::Error readNumbers();
  llvm::Error readReduceOp();
  llvm::Error readSend();
  llvm::Error checkListForm() const;
  llvm::Error makeReceive();
  llvm::Error readShardDim();
  llvm::Error readSplits();
  void countParts();
  [[nodiscard]] std::string freshSizes(Dims &sizes) const;
  llvm::Expected<std::vector<int64_t>> splits(int parameter, const Tensor &input) const;
  llvm::Expected<std::vector<Buffer>> rows(int parameter) const;
  [[nodiscard]] Value resultValue() const;

  const CallSite &site_;
  const CollectiveSpec &spec_;
  const Graph &program_;
  const ObjectMeanings &objects_;
  LaunchRequest request_;
  Launch launch_;
  std::vector<int64_t> sendRows_; ///< all_to_all of one tensor: rows of dimension 0 for each member
  std::vector<int64_t> receiveRows_;
};

Buffer piecesOf(const Value &list) {
  std::vector<Tensor> pieces;
  for (const Value &element : list.list())
    if (element.is(Value::Kind::Tensor))
      pieces.push_back(element.tensor());
  return Buffer(std::move(pieces));
}

llvm::Error LaunchReader::findGroup() {
  const Value *group = site_.argument(spec_.group);
  if (group == nullptr)
    return site_.wrongArgument(spec_.group, "a group");
  llvm::Expected<Members> members = resolveGroup(site_, *group, program_, objects_);
  if (!members)
    return members.takeError();
  request_.group = std::move(*members);
  const Value *stated = site_.argument(spec_.groupSize);
  if (stated && stated->is(Value::Kind::Int) && stated->integer() != groupSize())
    return site_.error((Twine("states a group of ") + Twine(stated->integer()) + " ranks, expected " +
                        Twine(groupSize()) + ", the members " + dimsText(request_.group))
                           .str());
  return llvm::Error::success();
}

llvm::Error LaunchReader::readReduceOp() {
  const Value *op = site_.argument(spec_.reduceOp);
  if (spec_.reduceOp < 0)
    return llvm::Error::success();
  std::string word;
  if (op && op->is(Value::Kind::String))
    word = op->string();
  if (op && op->is(Value::Kind::Opaque)) {
    auto meaning = objects_.find(op->opaque().text);
    if (meaning == objects_.end() || meaning->second.reduceOp.empty())
      return site_.error("the reduction is the object `" + op->opaque().text + "`, whose meaning no file states",
                         "state it: {\"constants\": {\"" + op->opaque().text +
                             "\": {\"reduce_op\": \"sum\"}}} in the file of --groups");
    word = meaning->second.reduceOp;
  }
  launch_.reduceOp = parseReduceOp(word);
  if (!launch_.reduceOp)
    return site_.wrongArgument(spec_.reduceOp, "one of sum, avg, product, min, max, band, bor, bxor");
  return llvm::Error::success();
}

llvm::Error LaunchReader::readNumbers() {
  if (spec_.root >= 0) {
    llvm::Expected<int64_t> root = site_.integer(spec_.root);
    if (!root)
      return root.takeError();
    launch_.root = *root;
  }
  return readReduceOp();
}

/// A list of tensors is a row each, but for all_to_all the parts of one; a list of lists is a row for each inner list.
llvm::Expected<std::vector<Buffer>> LaunchReader::rows(int parameter) const {
  llvm::Expected<Value> value = site_.tensors(parameter);
  if (!value)
    return value.takeError();
  std::vector<Buffer> rows;
  if (value->is(Value::Kind::Tensor))
    rows.emplace_back(value->tensor());
  else if (spec_.kind == CollectiveKind::AllToAll)
    rows.push_back(piecesOf(*value));
  else
    for (const Value &element : value->list()) {
      if (element.is(Value::Kind::Tensor))
        rows.emplace_back(element.tensor());
      else if (element.is(Value::Kind::List))
        rows.push_back(piecesOf(element));
      else
        return site_.wrongArgument(parameter, "a list of tensors");
    }
  return rows;
}

llvm::Error LaunchReader::readSend() {
  llvm::Expected<std::vector<Buffer>> rows = this->rows(spec_.input);
  if (!rows)
    return rows.takeError();
  launch_.send = std::move(*rows);
  return spec_.coalesced && !spec_.legacy ? checkListForm() : llvm::Error::success();
}

llvm::Error LaunchReader::checkListForm() const {
  llvm::StringRef reduceOp = launch_.reduceOp ? reduceOpName(*launch_.reduceOp) : llvm::StringRef();
  for (const Buffer &row : launch_.send)
    if (!listFormTakes(spec_.kind, reduceOp, row.dtype()))
      return site_.error(("got a list of " + shortName(row.dtype()) +
                          " tensors, expected another dtype: PyTorch refuses this one in a list")
                             .str(),
                         "make one call for each tensor");
  // Because gloo and NCCL refuse to sum two dtypes in one list; each entry of another list is a call of its own.
  for (const Buffer &row : launch_.send)
    if (spec_.kind == CollectiveKind::AllReduce && row.dtype() != launch_.send.front().dtype())
      return site_.error(("got a list of " + shortName(launch_.send.front().dtype()) + " and " +
                          shortName(row.dtype()) + " tensors, expected one dtype")
                             .str(),
                         "make one call for each dtype");
  return llvm::Error::success();
}

/// Rows of dimension 0 for each member; equal shares where the call states none.
llvm::Expected<std::vector<int64_t>> LaunchReader::splits(int parameter, const Tensor &input) const {
  llvm::Expected<std::vector<int64_t>> stated = site_.integers(parameter);
  if (!stated)
    return stated.takeError();
  if (stated->size() == request_.group.size())
    return stated;
  if (!stated->empty())
    return site_.error(
        (Twine("got ") + Twine(stated->size()) + " splits, expected one for each of " + Twine(groupSize()) + " ranks")
            .str());
  if (input.size(0) % groupSize() != 0)
    return site_.error((Twine("got ") + input.typeText() +
                        " without splits, expected a first dimension that is a multiple of " + Twine(groupSize()))
                           .str());
  return std::vector<int64_t>(request_.group.size(), input.size(0) / groupSize());
}

llvm::Error LaunchReader::readSplits() {
  if (spec_.kind != CollectiveKind::AllToAll || spec_.inputSplits < 0)
    return llvm::Error::success();
  const Tensor &input = launch_.send.front().pieces().front();
  if (input.rank() == 0)
    return site_.error("got " + input.typeText() + ", expected a tensor with a first dimension");
  llvm::Expected<std::vector<int64_t>> sent = splits(spec_.inputSplits, input);
  if (!sent)
    return sent.takeError();
  // Because equal shares of the result are those of the buffer that is given for it, if there is one.
  llvm::Expected<std::vector<int64_t>> received = splits(spec_.outputSplits, input);
  if (!received)
    return received.takeError();
  sendRows_ = std::move(*sent);
  receiveRows_ = std::move(*received);
  return llvm::Error::success();
}

/// Elements for and from each member: rows times their length, or those of the parts that are given one by one.
void LaunchReader::countParts() {
  auto piecewise = [](const Buffer &row) {
    std::vector<int64_t> counts;
    for (const Tensor &piece : row.pieces())
      counts.push_back(piece.numElements());
    return counts;
  };
  auto rowwise = [](const Buffer &row, std::vector<int64_t> counts) {
    int64_t length = productOf(row.pieces().front().sizes().drop_front());
    for (int64_t &count : counts)
      count *= length;
    return counts;
  };
  if (spec_.kind == CollectiveKind::AllToAll) {
    const Buffer &sent = launch_.send.front(), &received = launch_.receive.front();
    launch_.sendCounts = sendRows_.empty() ? piecewise(sent) : rowwise(sent, sendRows_);
    launch_.receiveCounts = sendRows_.empty() ? piecewise(received) : rowwise(sent, receiveRows_);
  }
}

/// Turns the input's sizes into the result's; what is wrong with them, or "".
/// PyTorch only warns of rows that a reduce_scatter cannot share out evenly, and drops them. A run stops there instead.
std::string LaunchReader::freshSizes(Dims &sizes) const {
  switch (spec_.kind) {
  case CollectiveKind::AllGather:
    if (sizes.empty())
      sizes.push_back(1);
    sizes[0] *= groupSize();
    return "";
  case CollectiveKind::ReduceScatter:
    if (sizes.empty() || sizes[0] % groupSize() != 0)
      return (Twine("got sizes ") + dimsText(sizes) + " to scatter, expected a first dimension that is a multiple of " +
              Twine(groupSize()))
          .str();
    sizes[0] /= groupSize();
    return "";
  case CollectiveKind::AllToAll:
    sizes[0] = std::accumulate(receiveRows_.begin(), receiveRows_.end(), int64_t{0});
    return "";
  case CollectiveKind::AllReduce:
  case CollectiveKind::Broadcast:
  case CollectiveKind::Scatter:
  case CollectiveKind::Send:
  case CollectiveKind::Recv:
  case CollectiveKind::BatchP2P:
  case CollectiveKind::ShardDimAllToAll:
  case CollectiveKind::Barrier:
    return "";
  }
  return "";
}

/// A result goes to one of three places: into the input itself (all_reduce_), into a buffer that the call gives (out=),
/// or into new memory. New memory is poisoned, so that a program that reads it before the wait gets NaN and not zeros,
/// which might pass for an answer.
llvm::Error LaunchReader::makeReceive() {
  request_.ownMemory = spec_.output < 0 && !spec_.inPlace;
  if (spec_.inPlace)
    launch_.receive = launch_.send;
  if (spec_.output >= 0) {
    llvm::Expected<std::vector<Buffer>> given = rows(spec_.output);
    if (!given)
      return given.takeError();
    launch_.receive = std::move(*given);
  }
  if (!request_.ownMemory)
    return llvm::Error::success();
  for (const Buffer &row : launch_.send) {
    Dims sizes = llvm::to_vector<4>(row.pieces().front().sizes());
    if (std::string wrong = freshSizes(sizes); !wrong.empty())
      return site_.error(wrong);
    Tensor result = Tensor::zeros(row.dtype(), sizes);
    poison(result);
    launch_.receive.emplace_back(std::move(result));
  }
  return llvm::Error::success();
}

/// Chunks of the input along one dimension become, after the exchange, parts of the result along another: all of them
/// windows. On 2 ranks, x = f32[4, 8] with gather_dim 0 and shard_dim 1: x is cut into two blocks of 4 columns, block i
/// goes to member i, and what comes from member i are rows 4 * i to 4 * i + 4 of the result, f32[8, 4].
llvm::Error LaunchReader::readShardDim() {
  llvm::Expected<int64_t> gather = site_.integer(site_.op->paramIndex("gather_dim"));
  llvm::Expected<int64_t> shard = site_.integer(site_.op->paramIndex("shard_dim"));
  if (!gather || !shard)
    return llvm::joinErrors(gather.takeError(), shard.takeError());
  const Tensor input = launch_.send.front().pieces().front();
  int64_t n = groupSize(), rank = input.rank();
  if (*gather < 0 || *gather >= rank || *shard < 0 || *shard >= rank || input.size(*shard) % n != 0)
    return site_.error((Twine("got ") + input.typeText() + ", gather dimension " + Twine(*gather) +
                        " and shard dimension " + Twine(*shard) +
                        ", expected dimensions of the tensor, the latter a multiple of " + Twine(n))
                           .str());
  Dims sizes = llvm::to_vector<4>(input.sizes());
  int64_t chunk = sizes[*shard] / n, part = sizes[*gather];
  sizes[*shard] = chunk;
  if (*gather == *shard)
    part = chunk;
  sizes[*gather] = part * n;
  Tensor result = Tensor::zeros(input.dtype(), sizes);
  poison(result);
  std::vector<Tensor> sent, received;
  for (int64_t i = 0; i < n; ++i) {
    sent.push_back(input.slice(*shard, i * chunk, (i + 1) * chunk));
    received.push_back(result.slice(*gather, i * part, (i + 1) * part));
  }
  launch_.send = {Buffer(std::move(sent))};
  launch_.receive = {Buffer(std::move(received))};
  launch_.sendCounts = launch_.receiveCounts = std::vector<int64_t>(request_.group.size(), result.numElements() / n);
  request_.result = result;
  request_.ownMemory = true;
  return llvm::Error::success();
}

/// What the call yields, in the shape that its schema states; Work objects are opaque.
Value LaunchReader::resultValue() const {
  auto nested = [](llvm::ArrayRef<Buffer> rows) {
    Value::List lists;
    for (const Buffer &row : rows)
      lists.push_back(Value::tensors(row.pieces()));
    return Value::list(std::move(lists));
  };
  std::vector<Tensor> all;
  for (const Buffer &row : launch_.receive)
    llvm::append_range(all, row.pieces());
  Value::List results;
  for (const OpResult &result : site_.op->results) {
    if (result.type == "Tensor" && !all.empty())
      results.push_back(all.front());
    else if (result.type == "Tensor[]")
      results.push_back(Value::tensors(all));
    else if (result.type == "Tensor[][]")
      results.push_back(nested(launch_.receive));
    else
      results.push_back(Value::opaque("Work of " + site_.name.str().str()));
  }
  return results.size() == 1 ? results.front() : Value::list(std::move(results));
}

/// A launch is nothing but rows. Where the operator copies its input at the launch, the rows are copied now;
/// else they stay windows onto the program's own tensors, which nobody may write before the wait (flights.cpp).
llvm::Error LaunchReader::readCollective() {
  if (llvm::Error error = readNumbers())
    return error;
  if (spec_.kind != CollectiveKind::Barrier)
    if (llvm::Error error = readSend())
      return error;
  if (spec_.kind == CollectiveKind::ShardDimAllToAll) {
    if (llvm::Error error = readShardDim())
      return error;
  } else {
    if (llvm::Error error = readSplits())
      return error;
    if (llvm::Error error = makeReceive())
      return error;
    countParts();
    request_.result = resultValue();
  }
  if (std::string wrong = checkLaunch(launch_, request_.group.size()); !wrong.empty())
    return site_.error(wrong);
  if (spec_.copiesAtLaunch)
    for (Buffer &row : launch_.send)
      row.detach();
  request_.entries.push_back({std::move(launch_), -1});
  return llvm::Error::success();
}

llvm::Error LaunchReader::addTransfer(CollectiveKind kind, const Tensor &tensor, int64_t peer, int64_t tag) {
  if (peer < 0 || peer >= groupSize())
    return site_.error(
        (Twine("got peer ") + Twine(peer) + ", expected a rank within the group, 0 to " + Twine(groupSize() - 1))
            .str());
  Launch launch;
  launch.call = {site_.node, site_.name};
  launch.rank = site_.rank;
  launch.kind = kind;
  launch.tag = tag;
  bool send = kind == CollectiveKind::Send;
  if (send)
    launch.send.emplace_back(tensor);
  // Because a send yields an empty tensor as its token.
  launch.receive.emplace_back(send ? Tensor::zeros(tensor.dtype(), {0}) : tensor);
  request_.entries.push_back({std::move(launch), request_.group[static_cast<size_t>(peer)]});
  return llvm::Error::success();
}

/// batch_p2p_ops(["isend", "irecv"], [1, 3], [0, 0], [a, b]) is two transfers: a goes to rank 1 of the group, and b is
/// filled from rank 3. A single send or recv is read as a batch of one.
llvm::Error LaunchReader::readTransfers() {
  bool batch = spec_.kind == CollectiveKind::BatchP2P;
  auto asList = [&](int parameter) -> Value::List {
    const Value *value = site_.argument(parameter);
    if (value == nullptr)
      return {};
    return value->is(Value::Kind::List) ? value->list() : Value::List{*value};
  };
  const OpDef &op = *site_.op;
  Value::List tensors = asList(spec_.input >= 0 ? spec_.input : spec_.output), peers = asList(spec_.peer);
  Value::List tags = asList(op.paramIndex(batch ? "tag_list" : "tag")),
              words = asList(batch ? op.paramIndex("op_list") : -1);
  if (peers.size() != tensors.size() || tags.size() != tensors.size() || (batch && words.size() != tensors.size()))
    return site_.error((Twine("got ") + Twine(tensors.size()) + " tensors, " + Twine(peers.size()) + " peers and " +
                        Twine(tags.size()) + " tags, expected one of each a transfer")
                           .str());
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].is(Value::Kind::Tensor) || !peers[i].is(Value::Kind::Int) || !tags[i].is(Value::Kind::Int))
      return site_.error("got " + tensors[i].describe() + ", " + peers[i].describe() + " and " + tags[i].describe() +
                         ", expected a tensor, a peer and a tag");
    bool send =
        batch ? words[i].is(Value::Kind::String) && words[i].string() == "isend" : spec_.kind == CollectiveKind::Send;
    if (llvm::Error error = addTransfer(send ? CollectiveKind::Send : CollectiveKind::Recv, tensors[i].tensor(),
                                        peers[i].integer(), tags[i].integer()))
      return error;
  }
  std::vector<Tensor> results;
  for (const LaunchRequest::Entry &entry : request_.entries)
    results.push_back(entry.launch.receive.front().pieces().front());
  request_.result = batch ? Value::tensors(results) : Value(results.front());
  return llvm::Error::success();
}

llvm::Expected<LaunchRequest> LaunchReader::read() {
  launch_.call = {site_.node, site_.name};
  launch_.rank = site_.rank;
  launch_.kind = spec_.kind;
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
