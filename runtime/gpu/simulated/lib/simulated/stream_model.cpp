#include "simulated/stream_model.h"

#include "watch/flight_recorder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <tuple>

namespace ccgraph::runtime {

StreamModel::StreamModel(size_t ranks, std::optional<uint64_t> seed, Milliseconds deadline, Hosts hosts)
    : hosts_(hosts), deadline_(deadline), ranks_(ranks), now_(FlightRecorder::now()) {
  if (!seed)
    return;
  order_.emplace(*seed * 0x9e3779b97f4a7c15);
  holdsBack_ = *seed % 4 != 0;
}

StreamModel::~StreamModel() { drop(); }

// --- What hosts enqueue ---------------------------------------------------------------------------------------

void StreamModel::append(const NodeRef &node, const Moment &after) {
  ranks_[node->rank].streams = std::max(ranks_[node->rank].streams, node->stream + 1);
  for (const NodeRef &before : after)
    if (!before->ended) {
      before->dependents.push_back(node);
      ++node->missing;
    }
  if (node->missing == 0)
    setReady(node);
  if (hosts_ == Hosts::Apart)
    changed_.notify_all();
}

NodeRef StreamModel::addWork(size_t rank, size_t stream, const Moment &after, std::function<bool()> work) {
  auto node = std::make_shared<ModelNode>();
  node->rank = rank;
  node->stream = stream;
  node->work = std::move(work);
  Lock lock(mutex_);
  append(node, after);
  return node;
}

NodeRef StreamModel::addBatch(size_t rank, size_t stream, Moment after, std::vector<CommPart> parts) {
  auto node = std::make_shared<ModelNode>();
  node->rank = rank;
  node->stream = stream;
  node->parts = std::move(parts);
  node->partsLeft = node->parts.size();
  Lock lock(mutex_);
  for (CommPart &part : node->parts) {
    MatchTable::number(part);
    std::weak_ptr<ModelNode> &last = part.comm->lastBatch[part.member];
    if (NodeRef before = last.lock(); before && before != node)
      after.push_back(before);
    last = node;
  }
  ranks_[rank].batches.push_back(node);
  append(node, after);
  return node;
}

void StreamModel::setReady(const NodeRef &node) {
  if (node->work)
    ready_.push_back(node);
  else
    beginBatches(node->rank);
}

void StreamModel::beginBatches(size_t rank) {
  std::deque<NodeRef> &batches = ranks_[rank].batches;
  while (!batches.empty() && batches.front()->missing == 0) {
    NodeRef node = batches.front();
    batches.pop_front();
    node->begun = true;
    for (CommPart &part : node->parts)
      matches_.begin(part, node);
  }
}

// --- What hosts wait for --------------------------------------------------------------------------------------

bool StreamModel::hasEnded(const Moment &moment) {
  return llvm::all_of(moment, [](const NodeRef &node) { return node->ended; });
}

StreamModel::Answer StreamModel::await(size_t rank, const Moment &moment) {
  constexpr Milliseconds slice(20);
  Lock lock(mutex_);
  ranks_[rank].waiting = &moment;
  // A host whose wait has ended may not have been notified yet.
  auto awake = [](const Rank &one) { return !one.gone && (!one.waiting || hasEnded(*one.waiting)); };
  auto until = std::chrono::steady_clock::now() + slice;
  while (!over_ && !hasEnded(moment)) {
    if (hosts_ == Hosts::Apart && step())
      changed_.notify_all();
    else if (hosts_ == Hosts::Together && llvm::none_of(ranks_, awake))
      drive();
    else if (changed_.wait_until(lock, until) == std::cv_status::timeout)
      break;
  }
  ranks_[rank].waiting = nullptr;
  return over_ ? Answer::Over : hasEnded(moment) ? Answer::Ended : Answer::NotYet;
}

int64_t StreamModel::now() const {
  Lock lock(mutex_);
  return now_;
}

std::optional<int64_t> StreamModel::endOf(const Moment &moment) const {
  Lock lock(mutex_);
  if (!hasEnded(moment))
    return std::nullopt;
  int64_t end = 0;
  for (const NodeRef &node : moment)
    end = std::max(end, node->endedAt);
  return end;
}

bool StreamModel::anyCanGoOn() const {
  return llvm::any_of(ranks_, [](const Rank &rank) { return rank.waiting && hasEnded(*rank.waiting); });
}

void StreamModel::drive() {
  while (!over_ && !anyCanGoOn())
    if (!step())
      endLocked({"run.deadlock", standstill()});
  changed_.notify_all();
}

bool StreamModel::step() {
  llvm::SmallVector<bool, 32> heldBack;
  // Hosts enqueue concurrently, and a seed must reproduce its choices.
  llvm::stable_sort(ready_, [](const NodeRef &a, const NodeRef &b) {
    return std::pair(a->rank, a->stream) < std::pair(b->rank, b->stream);
  });
  std::vector<PartMatch *> matches = matches_.ready();
  for (const NodeRef &node : ready_)
    heldBack.push_back(isHeldBack(*node));
  for (PartMatch *match : matches)
    heldBack.push_back(llvm::any_of(match->seats, [&](const auto &seat) { return isHeldBack(*seat.node); }));
  if (heldBack.empty())
    return false;
  constexpr int64_t tick = 1000;
  now_ += tick;
  size_t choice = draw(heldBack);
  if (choice >= ready_.size()) {
    run(*matches[choice - ready_.size()]);
    return true;
  }
  NodeRef node = ready_[choice];
  ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(choice));
  run(node);
  return true;
}

bool StreamModel::isHeldBack(const ModelNode &node) {
  Rank &rank = ranks_[node.rank];
  if (holdsBack_ && !rank.heldBack)
    rank.heldBack = order_->next() % rank.streams;
  return rank.heldBack == node.stream;
}

size_t StreamModel::draw(llvm::ArrayRef<bool> heldBack) {
  if (!order_)
    return 0;
  auto free = static_cast<size_t>(llvm::count(heldBack, false));
  if (free == 0 || free == heldBack.size())
    return order_->next() % heldBack.size();
  size_t left = order_->next() % free, choice = 0;
  while (heldBack[choice] || left-- > 0)
    ++choice;
  return choice;
}

void StreamModel::run(const NodeRef &node) {
  node->begun = true;
  if (node->work())
    return finish(node);
  endLocked({});
}

void StreamModel::run(const PartMatch &match) {
  if (std::string wrong = exchange(match); !wrong.empty())
    return endLocked({"run.ranks-disagree", wrong});
  std::vector<NodeRef> nodes;
  for (const PartMatch::Seat &seat : match.seats)
    nodes.push_back(seat.node);
  matches_.forget(match);
  for (const NodeRef &node : nodes)
    if (--node->partsLeft == 0)
      finish(node);
}

void StreamModel::finish(const NodeRef &node) {
  node->ended = true;
  node->endedAt = now_;
  std::vector<NodeRef> dependents = std::move(node->dependents);
  node->dependents.clear();
  for (const NodeRef &next : dependents)
    if (--next->missing == 0)
      setReady(next);
}

// --- Making communicators -------------------------------------------------------------------------------------

ModelComm *StreamModel::split(ModelComm *parent, size_t rank, int color, int key) {
  Lock lock(mutex_);
  Gate &gate = gates_[{parent, splits_[{parent, rank}]++}];
  gate.entries.push_back({rank, color, key});
  if (gate.entries.size() == (parent ? parent->members.size() : ranks_.size()))
    openGate(gate);
  if (!changed_.wait_for(lock, deadline_, [&] { return gate.open || over_; }))
    endLocked({"run.deadline", "rank " + std::to_string(rank) +
                                   " has waited for the other ranks to make a communicator for " +
                                   std::to_string(deadline_.count()) + " ms"});
  return gate.open ? gate.made[rank] : nullptr;
}

void StreamModel::openGate(Gate &gate) {
  llvm::sort(gate.entries, [](const Gate::Entry &a, const Gate::Entry &b) {
    return std::tuple(a.color, a.key, a.rank) < std::tuple(b.color, b.key, b.rank);
  });
  for (size_t i = 0; i < gate.entries.size(); ++i) {
    const Gate::Entry &entry = gate.entries[i];
    if (entry.color == GpuCalls::noColor)
      continue;
    if (i == 0 || gate.entries[i - 1].color != entry.color) {
      comms_.push_back(std::make_unique<ModelComm>());
      comms_.back()->number = comms_.size() - 1;
    }
    comms_.back()->members.push_back(entry.rank);
    gate.made[entry.rank] = comms_.back().get();
  }
  for (const auto &[rank, comm] : gate.made) {
    comm->collectives.resize(comm->members.size());
    comm->lastBatch.resize(comm->members.size());
    comm->registered.resize(comm->members.size());
  }
  gate.open = true;
  changed_.notify_all();
}

void StreamModel::registerMemory(ModelComm &comm, size_t member, ModelComm::Range range) {
  Lock lock(mutex_);
  comm.registered[member].push_back(range);
}

void StreamModel::deregister(ModelComm &comm, size_t member, const std::byte *memory) {
  Lock lock(mutex_);
  llvm::erase_if(comm.registered[member], [&](const ModelComm::Range &range) { return range.begin == memory; });
}

// --- Ends -----------------------------------------------------------------------------------------------------

void StreamModel::begin() {
  Lock lock(mutex_);
  for (Rank &rank : ranks_)
    rank.gone = false;
}

void StreamModel::leave(size_t rank) {
  Lock lock(mutex_);
  ranks_[rank].gone = true;
  // Waiting hosts may have waited for this host alone, and one of them must continue the run.
  changed_.notify_all();
}

bool StreamModel::end(Ending ending) {
  Lock lock(mutex_);
  bool first = !over_;
  endLocked(std::move(ending));
  return first;
}

void StreamModel::endLocked(Ending ending) {
  if (!over_)
    ending_ = std::move(ending);
  over_ = true;
  changed_.notify_all();
}

StreamModel::Ending StreamModel::ending() const {
  Lock lock(mutex_);
  return ending_;
}

std::string StreamModel::standstill() const {
  std::vector<std::string> waits = matches_.waits();
  return "no device can go on" + (waits.empty() ? std::string() : ": " + llvm::join(waits, "; "));
}

// A recursive release of successors would be as deep as a program is long.
void StreamModel::drop() {
  std::vector<NodeRef> left(ready_.begin(), ready_.end());
  for (Rank &rank : ranks_)
    left.insert(left.end(), rank.batches.begin(), rank.batches.end());
  matches_.takeNodes(left);
  while (!left.empty()) {
    NodeRef node = std::move(left.back());
    left.pop_back();
    left.insert(left.end(), node->dependents.begin(), node->dependents.end());
    node->dependents.clear();
  }
}

} // namespace ccgraph::runtime
