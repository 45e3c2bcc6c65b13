#include "interpreter/flights.h"

#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/strides.h"
#include "collectives/agreement.h"

#include <cstring>

namespace ccgraph::runtime {
namespace {

// Two maps lead from a storage to the launches that fill it and to those that read it. A launch of a list has a row for
// each tensor, and rows land one by one:
//   l = all_gather_coalesced([x, y])     a flight of two rows: x and y are read, l0 and l1 are filled
//   w0 = wait(l0)                        row 0 completes: l0 may be used; x and y are free again
//   w1 = wait(l1)                        row 1 completes, and the flight is gone
// A wait on a storage completes all that fills it, whichever name the tensor has there. Whether two uses meet is asked of
// the bytes from the first element to the last, so that two launches may fill two slices of one buffer at once.
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

template <typename Map, typename Flight>
void drop(Map &map, const Storage *storage, const Flight &flight) {
  auto found = map.find(storage);
  if (found == map.end())
    return;
  llvm::erase_value(found->second, flight);
  if (found->second.empty())
    map.erase(found);
}

} // namespace

void AsyncPairs::start(const Seat &seat) {
  const Launch &launch = seat.launch();
  auto flight = std::make_shared<Flight>(Flight{seat, std::vector<bool>(launch.receive.size())});
  auto addTo = [&](StorageMap &map) {
    return [&](const Storage *storage) {
      FlightList &list = map[storage];
      if (!llvm::is_contained(list, flight))
        list.push_back(flight);
    };
  };
  forEachStorage(launch.receive, addTo(writing_));
  forEachStorage(launch.send, addTo(reading_));
  flying_.push_back(flight);
}

const Launch *AsyncPairs::writer(const Tensor &tensor) const {
  for (const FlightRef &flight : writing_.lookup(tensor.storage())) {
    llvm::ArrayRef<Buffer> rows = flight->seat.launch().receive;
    for (size_t row = 0; row < rows.size(); ++row)
      if (!flight->landed[row] && touches(rows[row], tensor))
        return &flight->seat.launch();
  }
  return nullptr;
}

const Launch *AsyncPairs::reader(const Tensor &tensor) const {
  for (const FlightRef &flight : reading_.lookup(tensor.storage()))
    if (llvm::any_of(flight->seat.launch().send, [&](const Buffer &row) { return touches(row, tensor); }))
      return &flight->seat.launch();
  return nullptr;
}

AsyncPairs::FlightList AsyncPairs::waitedFor(const Storage *storage) const {
  FlightList list = writing_.lookup(storage);
  // PyTorch registers a send under the tensor that is sent as well as under its token.
  for (const FlightRef &flight : reading_.lookup(storage))
    if (flight->seat.launch().kind == CollectiveKind::Send && !llvm::is_contained(list, flight))
      list.push_back(flight);
  return list;
}

const Communication *AsyncPairs::blocking(const Storage *storage) const {
  for (const FlightRef &flight : waitedFor(storage))
    if (!flight->seat.communication->isReady())
      return flight->seat.communication.get();
  return nullptr;
}

const Communication *AsyncPairs::blocking() const {
  for (const FlightRef &flight : flying_)
    if (!flight->seat.communication->isReady())
      return flight->seat.communication.get();
  return nullptr;
}

// Results are computed here, at the first wait of any rank, and written into this rank's memory at its own wait.
llvm::Error AsyncPairs::landRows(Flight &flight, const Storage *storage) {
  if (llvm::Error error = flight.seat.communication->settle())
    return error;
  llvm::ArrayRef<Buffer> rows = flight.seat.launch().receive;
  std::vector<bool> before = flight.landed;
  for (size_t row = 0; row < rows.size(); ++row) {
    if (flight.landed[row] || !(storage == nullptr || touches(rows[row], storage)))
      continue;
    rows[row].write(flight.seat.communication->result(flight.seat.member, row));
    flight.landed[row] = true;
  }
  if (storage == nullptr || flight.landed == before || !copiesAllAgain(flight.seat.launch()))
    return llvm::Error::success();
  for (size_t row = 0; row < rows.size(); ++row)
    if (llvm::Error error = before[row] ? copyAgain(flight, row) : llvm::Error::success())
      return error;
  return llvm::Error::success();
}

/// To write what stands there already does nothing, so only a row that was written in between is looked at.
llvm::Error AsyncPairs::copyAgain(const Flight &flight, size_t row) const {
  const Launch &launch = flight.seat.launch();
  const Buffer &buffer = launch.receive[row];
  const Tensor &result = flight.seat.communication->result(flight.seat.member, row);
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

void AsyncPairs::release(const FlightRef &flight) {
  forEachStorage(flight->seat.launch().send, [&](const Storage *storage) { drop(reading_, storage, flight); });
  if (!llvm::is_contained(flight->landed, false))
    llvm::erase_value(flying_, flight);
}

llvm::Error AsyncPairs::landWhole(FlightRef flight) {
  if (llvm::Error error = landRows(*flight, nullptr))
    return error;
  release(flight);
  forEachStorage(flight->seat.launch().receive, [&](const Storage *storage) { drop(writing_, storage, flight); });
  return llvm::Error::success();
}

llvm::Error AsyncPairs::land(const Storage *storage) {
  for (const FlightRef &flight : waitedFor(storage)) {
    bool send = flight->seat.launch().kind == CollectiveKind::Send;
    if (llvm::Error error = send ? landWhole(flight) : landRows(*flight, storage))
      return error;
    release(flight);
    drop(writing_, storage, flight);
  }
  return llvm::Error::success();
}

llvm::Error AsyncPairs::land(const Seat &seat) {
  auto mine = [&](const FlightRef &flight) {
    return flight->seat.communication == seat.communication && flight->seat.member == seat.member;
  };
  auto flight = llvm::find_if(flying_, mine);
  return flight == flying_.end() ? llvm::Error::success() : landWhole(*flight);
}

llvm::Error AsyncPairs::landAll() {
  while (!flying_.empty())
    if (llvm::Error error = landWhole(flying_.front()))
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
