#include "interpreter/calls_in_flight.h"

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/strides.h"
#include "collectives/agreement.h"

#include <cstring>

namespace ccgraph::runtime {
namespace {

// Two maps lead from a storage to the launches that fill it and to those that read it. A launch of a list has a row for
// each tensor, and rows complete one by one:
//   l = all_gather_coalesced([x, y])     a call of two rows: x and y are read, l0 and l1 are filled
//   w0 = wait(l0)                        row 0 completes: l0 may be used; x and y are free again
//   w1 = wait(l1)                        row 1 completes, and the call is gone
// A wait on a storage completes all that fills it, whichever name the tensor has there. Whether two uses meet is asked
// of the bytes from the first element to the last, so that two launches may fill two slices of one buffer at once.
void forEachStorage(llvm::ArrayRef<Buffer> rows, llvm::function_ref<void(const Storage *)> visit) {
  for (const Buffer &row : rows)
    for (const Tensor &piece : row.pieces())
      visit(piece.storage());
}

bool touches(const Buffer &row, const Storage *storage) {
  return llvm::any_of(row.pieces(), [&](const Tensor &piece) { return piece.storage() == storage; });
}

/// The bytes of a storage from a tensor's first element to its last.
std::pair<int64_t, int64_t> spanOf(const Tensor &tensor) {
  int64_t begin = tensor.offset() * tensor.elementSize();
  return {begin, begin + extentOf(tensor.sizes(), tensor.strides()) * tensor.elementSize()};
}

bool touches(const Buffer &row, const Tensor &tensor) {
  auto [begin, end] = spanOf(tensor);
  return llvm::any_of(row.pieces(), [&, begin = begin, end = end](const Tensor &piece) {
    auto [pieceBegin, pieceEnd] = spanOf(piece);
    return piece.aliases(tensor) && pieceBegin < end && begin < pieceEnd;
  });
}

bool copiesAllAgain(const Launch &launch) {
  const CollectiveSpec *spec = collectiveOf(*launch.call.node);
  return spec && spec->waitsRewriteAll;
}

/// Compares two contiguous tensors of one dtype and size bitwise.
bool sameBytes(const Tensor &a, const Tensor &b) {
  return a.numElements() == 0 ||
         std::memcmp(a.data(), b.data(), static_cast<size_t>(a.numElements() * a.elementSize())) == 0;
}

template <typename Map, typename Call>
void drop(Map &map, const Storage *storage, const Call &call) {
  auto found = map.find(storage);
  if (found == map.end())
    return;
  llvm::erase_value(found->second, call);
  if (found->second.empty())
    map.erase(found);
}

} // namespace

void CallsInFlight::start(const Seat &seat) {
  const Launch &launch = seat.launch();
  auto call = std::make_shared<CallInFlight>(CallInFlight{seat, std::vector<bool>(launch.receive.size())});
  auto addTo = [&](StorageMap &map) {
    return [&](const Storage *storage) {
      CallList &list = map[storage];
      if (!llvm::is_contained(list, call))
        list.push_back(call);
    };
  };
  forEachStorage(launch.receive, addTo(writing_));
  forEachStorage(launch.send, addTo(reading_));
  calls_.push_back(call);
}

const Launch *CallsInFlight::writer(const Tensor &tensor) const {
  for (const CallRef &call : writing_.lookup(tensor.storage())) {
    llvm::ArrayRef<Buffer> rows = call->seat.launch().receive;
    for (size_t row = 0; row < rows.size(); ++row)
      if (!call->completed[row] && touches(rows[row], tensor))
        return &call->seat.launch();
  }
  return nullptr;
}

const Launch *CallsInFlight::reader(const Tensor &tensor) const {
  for (const CallRef &call : reading_.lookup(tensor.storage()))
    if (llvm::any_of(call->seat.launch().send, [&](const Buffer &row) { return touches(row, tensor); }))
      return &call->seat.launch();
  return nullptr;
}

CallsInFlight::CallList CallsInFlight::waitedFor(const Storage *storage) const {
  CallList list = writing_.lookup(storage);
  // PyTorch registers a send under the tensor that is sent as well as under its token.
  for (const CallRef &call : reading_.lookup(storage))
    if (call->seat.launch().kind == CollectiveKind::Send && !llvm::is_contained(list, call))
      list.push_back(call);
  return list;
}

const Communication *CallsInFlight::blocking(const Storage *storage) const {
  for (const CallRef &call : waitedFor(storage))
    if (!call->seat.communication->isReady())
      return call->seat.communication.get();
  return nullptr;
}

const Communication *CallsInFlight::blocking() const {
  for (const CallRef &call : calls_)
    if (!call->seat.communication->isReady())
      return call->seat.communication.get();
  return nullptr;
}

// Results are computed here, at the first wait of any rank, and written into this rank's memory at its own wait.
llvm::Error CallsInFlight::completeRows(CallInFlight &call, const Storage *storage) {
  if (llvm::Error error = call.seat.communication->settle())
    return error;
  llvm::ArrayRef<Buffer> rows = call.seat.launch().receive;
  std::vector<bool> before = call.completed;
  for (size_t row = 0; row < rows.size(); ++row) {
    if (call.completed[row] || !(storage == nullptr || touches(rows[row], storage)))
      continue;
    rows[row].write(call.seat.communication->result(call.seat.member, row));
    call.completed[row] = true;
  }
  if (storage == nullptr || call.completed == before || !copiesAllAgain(call.seat.launch()))
    return llvm::Error::success();
  for (size_t row = 0; row < rows.size(); ++row)
    if (llvm::Error error = before[row] ? copyAgain(call, row) : llvm::Error::success())
      return error;
  return llvm::Error::success();
}

/// To write what stands there already does nothing, so only a row that was written in between is looked at.
llvm::Error CallsInFlight::copyAgain(const CallInFlight &call, size_t row) const {
  const Launch &launch = call.seat.launch();
  const Buffer &buffer = launch.receive[row];
  const Tensor &result = call.seat.communication->result(call.seat.member, row);
  auto refuse = [&](const std::string &why) {
    return makeError(diagnoseCall(launch.call, "run.copied-again",
                                  "rank " + std::to_string(launch.rank) +
                                      ": a wait on one of its results copies all of them again, and " + why,
                                  "wait for all its results before one of them is changed or sent on"));
  };
  if (buffer.numElements() != result.numElements())
    return refuse("one has been resized");
  if (sameBytes(buffer.read(), result))
    return llvm::Error::success();
  for (const Tensor &piece : buffer.pieces())
    for (const Launch *other : {writer(piece), reader(piece)})
      if (other)
        return refuse("one that was written since is still used by " + describe(*other));
  buffer.write(result);
  return llvm::Error::success();
}

void CallsInFlight::release(const CallRef &call) {
  forEachStorage(call->seat.launch().send, [&](const Storage *storage) { drop(reading_, storage, call); });
  if (!llvm::is_contained(call->completed, false))
    llvm::erase_value(calls_, call);
}

llvm::Error CallsInFlight::completeWhole(CallRef call) {
  if (llvm::Error error = completeRows(*call, nullptr))
    return error;
  release(call);
  forEachStorage(call->seat.launch().receive, [&](const Storage *storage) { drop(writing_, storage, call); });
  return llvm::Error::success();
}

llvm::Error CallsInFlight::complete(const Storage *storage) {
  for (const CallRef &call : waitedFor(storage)) {
    bool send = call->seat.launch().kind == CollectiveKind::Send;
    if (llvm::Error error = send ? completeWhole(call) : completeRows(*call, storage))
      return error;
    release(call);
    drop(writing_, storage, call);
  }
  return llvm::Error::success();
}

llvm::Error CallsInFlight::complete(const Seat &seat) {
  auto mine = [&](const CallRef &call) {
    return call->seat.communication == seat.communication && call->seat.member == seat.member;
  };
  auto call = llvm::find_if(calls_, mine);
  return call == calls_.end() ? llvm::Error::success() : completeWhole(*call);
}

llvm::Error CallsInFlight::completeAll() {
  while (!calls_.empty())
    if (llvm::Error error = completeWhole(calls_.front()))
      return error;
  return llvm::Error::success();
}

void forEachTensor(const Value &value, llvm::function_ref<void(const Tensor &)> visit) {
  if (value.is(Value::Kind::Tensor))
    visit(value.tensor());
  if (value.is(Value::Kind::List))
    for (const Value &element : value.list())
      forEachTensor(element, visit);
}

} // namespace ccgraph::runtime
