#include "schedule/coalesce/bucket_merge.h"

namespace ccgraph {

namespace {

bool before(const Node *a, const Node *b) { return a->isBefore(b); }

bool readsInFlight(const ProgramFacts &facts, const Node *launch) {
  return llvm::any_of(facts.accesses(launch),
                      [](const StorageAccess &a) { return has(a.access, Access::InFlightRead); });
}

} // namespace

BucketMerger::BucketMerger(const Inputs &inputs, Timeline *memory, int64_t budget)
    : in_(inputs), memory_(memory), budget_(budget), bucketOf_(inputs.graph.idLimit()),
      waitOf_(inputs.graph.idLimit()), stamp_{std::vector<uint32_t>(inputs.graph.idLimit()),
                                              std::vector<uint32_t>(inputs.graph.idLimit())} {}

void BucketMerger::open(Bucket &bucket) {
  const Candidate &only = bucket.members.front();
  own(bucket, only);
  bucket.firstWait = bucket.lastWait = only.wait;
}

void BucketMerger::own(Bucket &bucket, const Candidate &member) {
  bucketOf_[member.launch->id()] = &bucket;
  waitOf_[member.wait->id()] = &bucket;
}

void BucketMerger::startSearch() {
  ++search_;
  for (Frontier &frontier : frontier_)
    frontier = {};
  for (const Candidate &member : bucket_->members)
    reach(Side::Down, member.launch);
  for (const Candidate &member : newcomer_->members)
    reach(Side::Up, member.launch);
}

void BucketMerger::reach(Side side, Node *node) {
  uint32_t &stamp = stamp_[static_cast<size_t>(side)][node->id()];
  if (stamp == search_)
    return;
  stamp = search_;
  frontier_[static_cast<size_t>(side)].reached.push_back(node);
}

/// False if the node proves that the newcomer needs the bucket.
bool BucketMerger::visit(Side side, Node *node) {
  Bucket *bucket = bucketOf_[node->id()];
  if (side == Side::Up) {
    if (bucket == bucket_)
      return false;
    if (node->isBefore(bucket_->members.front().launch))
      return true;
  } else {
    if (bucket == newcomer_)
      return false;
    if (!node->isBefore(newcomer_->members.front().launch))
      return true;
  }
  // Because the members of another bucket will be one node: whoever needs one of them needs all.
  if (!bucket)
    reach(side, node);
  else
    for (const Candidate &member : bucket->members)
      reach(side, member.launch);
  return true;
}

bool BucketMerger::expand(Side side) {
  Frontier &frontier = frontier_[static_cast<size_t>(side)];
  Node *node = frontier.reached[frontier.next++];
  if (side == Side::Up) {
    for (const Use &use : node->operandUses())
      if (!visit(side, use.def()))
        return false;
    return llvm::all_of(in_.dependences.before(node), [&](Node *other) { return visit(side, other); });
  }
  for (const Use &use : node->uses())
    if (!visit(side, use.user()))
      return false;
  return llvm::all_of(in_.dependences.behind(node), [&](Node *other) { return visit(side, other); });
}

/// Goes on with one side until it is exhausted. False if it meets the other end, or would make more
/// nodes move than the limit.
bool BucketMerger::exhaust(Side side) {
  Frontier &frontier = frontier_[static_cast<size_t>(side)];
  while (!frontier.exhausted())
    if (frontier.reached.size() > limit(side) || !expand(side))
      return false;
  return frontier.reached.size() <= limit(side);
}

/// The ends of the search themselves move anyway.
size_t BucketMerger::limit(Side side) const {
  size_t ends = (side == Side::Up ? newcomer_ : bucket_)->members.size();
  return in_.maxMoves ? ends + static_cast<size_t>(*in_.maxMoves) : SIZE_MAX;
}

/// Sets the side that needs the fewer moves, if there is one.
MergeVerdict BucketMerger::searchBoth(Side &side) {
  Frontier &up = frontier_[static_cast<size_t>(Side::Up)];
  Frontier &down = frontier_[static_cast<size_t>(Side::Down)];
  while (!up.exhausted() && !down.exhausted()) {
    if (up.reached.size() > limit(Side::Up) && down.reached.size() > limit(Side::Down))
      return MergeVerdict::Entangled;
    if (!expand(Side::Up) || !expand(Side::Down))
      return MergeVerdict::Dependent;
  }
  // Because a bucket that starts at its first member hides better than one at its last, going up
  // may cost a little more.
  for (size_t more = up.reached.size() + 8; !up.exhausted() && more > 0; --more)
    if (!expand(Side::Up))
      return MergeVerdict::Dependent;
  side = up.exhausted() && up.reached.size() <= limit(Side::Up) ? Side::Up : Side::Down;
  if (exhaust(side))
    return MergeVerdict::Joined;
  side = side == Side::Up ? Side::Down : Side::Up;
  return exhaust(side) ? MergeVerdict::Joined : MergeVerdict::Entangled;
}

void BucketMerger::move(Node *node, Node *position) {
  if (node == position || node->next() == position)
    return;
  moves_.push_back({node, node->next()});
  if (memory_)
    memory_->move(node, position);
  else
    in_.graph.moveBefore(node, position);
}

void BucketMerger::undoMoves() {
  for (const Step &step : llvm::reverse(moves_))
    if (memory_)
      memory_->move(step.node, step.next);
    else
      in_.graph.moveBefore(step.node, step.next);
  moves_.clear();
}

void BucketMerger::rearrange(Side side) {
  std::vector<Node *> nodes = frontier_[static_cast<size_t>(side)].reached;
  llvm::sort(nodes, before);
  const Bucket *staying = side == Side::Up ? bucket_ : newcomer_;
  const Bucket *coming = side == Side::Up ? newcomer_ : bucket_;
  Node *front = staying->members.front().launch;
  Node *behind = staying->members.back().launch->next();
  for (Node *node : nodes)
    if (bucketOf_[node->id()] != coming)
      move(node, side == Side::Up ? front : behind);
  // Because ancestors may have stood right behind the bucket, what is behind it is asked for again.
  behind = staying->members.back().launch->next();
  for (const Candidate &member : coming->members)
    move(member.launch, side == Side::Up ? behind : front);
}

int64_t BucketMerger::bytesFreedAtLaunch(const Candidate &member) const {
  int64_t bytes = 0;
  for (Timeline::IntervalId id : memory_->intervalsOf(member.launch))
    if (memory_->first(id) != member.launch && memory_->last(id) == member.launch && !memory_->isForGood(id))
      bytes += memory_->bytes(id);
  return bytes;
}

/// Where an interval would begin and end after a move, as far as steps between the two ends of the
/// search see it: null stands for above all of them, and `below` for behind them.
struct BucketMerger::Shift {
  Timeline::IntervalId id;
  const Node *first;
  const Node *last;
  bool below; ///< it would still be alive at the end of the stretch
  bool late;  ///< it would only begin there
};

BucketMerger::Shift BucketMerger::shifted(Timeline::IntervalId id, Side side) const {
  const std::vector<uint32_t> &stamps = stamp_[static_cast<size_t>(side)];
  auto moves = [&](const Node *node) { return stamps[node->id()] == search_; };
  bool made = moves(memory_->first(id));
  if (side == Side::Down)
    return {id, memory_->first(id), nullptr, true, made};
  const Node *last = nullptr;
  for (const Node *holder : memory_->holders(id))
    if (!moves(holder) && (!last || last->isBefore(holder)))
      last = holder;
  return {id, made ? nullptr : memory_->first(id), last, memory_->isForGood(id), false};
}

std::vector<BucketMerger::Shift> BucketMerger::shifts(Side side) const {
  std::vector<Timeline::IntervalId> ids;
  for (Node *node : frontier_[static_cast<size_t>(side)].reached)
    for (Timeline::IntervalId id : memory_->intervalsOf(node))
      if (memory_->bytes(id) != 0)
        ids.push_back(id);
  llvm::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  std::vector<Shift> shifts;
  shifts.reserve(ids.size());
  for (Timeline::IntervalId id : ids)
    shifts.push_back(shifted(id, side));
  return shifts;
}

/// Alive at a step that does not move, if the rest did.
int64_t BucketMerger::aliveAfter(const Node *row, llvm::ArrayRef<Shift> shifts) const {
  int64_t alive = memory_->alive(row);
  for (const Shift &shift : shifts) {
    bool was = !row->isBefore(memory_->first(shift.id)) &&
               (memory_->isForGood(shift.id) || !memory_->last(shift.id)->isBefore(row));
    bool begun = !shift.late && (!shift.first || !row->isBefore(shift.first));
    bool is = begun && (shift.below || (shift.last && !shift.last->isBefore(row)));
    alive += (static_cast<int64_t>(is) - static_cast<int64_t>(was)) * memory_->bytes(shift.id);
  }
  return alive;
}

/// A quick look before nodes are moved, because most moves that do not fit fail at the step that
/// needed most before: false only if some step would surely have too much alive.
bool BucketMerger::mayFit(Side side) const {
  if (!memory_)
    return true;
  std::vector<Shift> all = shifts(side);
  int64_t more = 0;
  for (const Shift &shift : all)
    more += memory_->bytes(shift.id);
  const Node *end = newcomer_->members.front().launch;
  Node *row = bucket_->members.back().launch->next();
  for (unsigned look = 0; look < 16; ++look) {
    row = memory_->firstAbove(row, end, budget_ - more);
    if (!row)
      return true;
    if (stamp_[static_cast<size_t>(side)][row->id()] != search_ && aliveAfter(row, all) > budget_)
      return false;
    row = row->next();
  }
  return true;
}

/// The same for the steps that do move: what they hold among themselves, on top of what is alive
/// where they go.
bool BucketMerger::movedMayFit(Side side) const {
  const Bucket *coming = side == Side::Up ? newcomer_ : bucket_;
  const Node *place = side == Side::Up ? bucket_->members.front().launch : newcomer_->members.back().launch->next();
  std::vector<Node *> rows;
  for (Node *node : frontier_[static_cast<size_t>(side)].reached)
    if (bucketOf_[node->id()] != coming)
      rows.push_back(node);
  if (!memory_ || rows.empty())
    return true;
  llvm::sort(rows, before);
  llvm::DenseMap<const Node *, size_t> index;
  for (size_t i = 0; i < rows.size(); ++i)
    index[rows[i]] = i;
  int64_t base = memory_->aliveBefore(place);
  std::vector<int64_t> change(rows.size() + 1);
  for (const Shift &shift : shifts(side)) {
    const Node *first = memory_->first(shift.id);
    int64_t bytes = memory_->bytes(shift.id);
    if (first->isBefore(place) && (memory_->isForGood(shift.id) || !memory_->last(shift.id)->isBefore(place)))
      base -= bytes;
    if (side == Side::Up && bucketOf_[first->id()] == coming)
      continue; // because it begins behind all of them
    size_t begin = index.count(first) != 0 ? index[first] : 0;
    size_t end = memory_->isForGood(shift.id) ? rows.size() : 0;
    for (const Node *holder : memory_->holders(shift.id)) {
      if (auto found = index.find(holder); found != index.end())
        end = std::max(end, found->second + 1);
      else if (bucketOf_[holder->id()] == coming ? side == Side::Up : !holder->isBefore(place))
        end = rows.size();
    }
    if (begin < end) {
      change[begin] += bytes;
      change[end] -= bytes;
    }
  }
  for (size_t i = 0; i < rows.size(); ++i)
    if ((base += change[i]) > budget_)
      return false;
  return true;
}

void BucketMerger::addHolder(Timeline::IntervalId interval, Node *node) {
  memory_->addHolder(interval, node);
  holders_.emplace_back(interval, node);
}

void BucketMerger::holdAll(const Candidate &member, Node *wait) {
  for (Timeline::IntervalId id : memory_->intervalsOf(member.launch).vec())
    if (memory_->first(id) != member.launch)
      addHolder(id, wait);
}

/// Because one transfer reads all inputs, each is held to the last wait on any result.
void BucketMerger::holdInFlight() {
  const Bucket *shorter = bucket_->lastWait->isBefore(newcomer_->lastWait) ? bucket_ : newcomer_;
  Node *lastWait = (shorter == bucket_ ? newcomer_ : bucket_)->lastWait;
  for (const Candidate &member : shorter->members)
    holdAll(member, lastWait);
}

/// Because the last wait of some bucket may be another one after a rearrangement.
void BucketMerger::holdForMovedWaits() {
  for (const Step &step : moves_) {
    Bucket *bucket = waitOf_[step.node->id()];
    if (!bucket || !bucket->lastWait->isBefore(step.node) || !readsInFlight(in_.facts, bucket->members.front().launch))
      continue;
    for (const Candidate &member : bucket->members)
      holdAll(member, step.node);
    later_.emplace_back(bucket, step.node);
  }
}

void BucketMerger::addExtra(int64_t bytes, llvm::ArrayRef<Node *> holders, bool forGood) {
  if (bytes != 0)
    extras_.push_back(memory_->addInterval(bytes, holders, forGood));
}

/// What the one launch holds beyond what the run holds at its last member: operands that earlier
/// members were the last to read; and, if flat, two buffers.
void BucketMerger::addExtras() {
  Node *launch = newcomer_->members.back().launch;
  int64_t freed = 0;
  for (const Bucket *part : {bucket_, newcomer_})
    for (const Candidate &member : part->members)
      freed += member.launch == launch ? 0 : bytesFreedAtLaunch(member);
  addExtra(freed, {launch});
  if (in_.layout == BucketLayout::Flat)
    addBuffers(launch);
}

void BucketMerger::addBuffers(Node *launch) {
  int64_t inputs = bucket_->inputBytes() + newcomer_->inputBytes();
  if (readsInFlight(in_.facts, launch))
    addExtra(inputs, {launch, std::min(bucket_->firstWait, newcomer_->firstWait, before)});
  else
    addExtra(inputs, {launch});
  addResults(launch);
}

/// The intervals of the members' own results; a bucket of one has not put them aside yet.
void BucketMerger::putResultsAside(const Bucket &part) {
  llvm::append_range(results_, part.results);
  if (part.members.size() > 1)
    return;
  Node *launch = part.members.front().launch;
  for (Timeline::IntervalId id : memory_->intervalsOf(launch).vec())
    if (memory_->first(id) == launch && memory_->bytes(id) != 0 && !llvm::is_contained(extras_, id)) {
      memory_->suspend(id);
      suspended_.push_back(id);
      results_.push_back({id, part.members.front().copied});
    }
}

/// One buffer for all results, alive until the last piece was copied out of it, and as long as one lives that is a view
/// of it. A copy is made where its wait stood.
void BucketMerger::addResults(Node *launch) {
  putResultsAside(*bucket_);
  putResultsAside(*newcomer_);
  llvm::SmallVector<Node *, 8> holders = {launch, std::max(bucket_->lastWait, newcomer_->lastWait, before)};
  bool forGood = false;
  for (Bucket::Result result : results_) {
    if (!result.copied) {
      holders.push_back(memory_->last(result.interval));
      forGood |= memory_->isForGood(result.interval);
      continue;
    }
    auto readers = llvm::make_filter_range(memory_->holders(result.interval),
                                           [&](const Node *node) { return node != memory_->first(result.interval); });
    addExtra(memory_->weight(result.interval), llvm::SmallVector<Node *, 4>(readers.begin(), readers.end()),
             memory_->isForGood(result.interval));
  }
  addExtra(bucket_->outputBytes() + newcomer_->outputBytes(), holders, forGood);
}

/// False if the program would need more than the budget with the newcomer in the bucket.
bool BucketMerger::hold() {
  if (!memory_)
    return true;
  oldExtras_ = bucket_->extras;
  llvm::append_range(oldExtras_, newcomer_->extras);
  for (Timeline::IntervalId id : oldExtras_)
    memory_->suspend(id);
  if (in_.layout == BucketLayout::Grouped) {
    if (readsInFlight(in_.facts, newcomer_->members.front().launch))
      holdInFlight();
    holdForMovedWaits();
  }
  addExtras();
  return memory_->peak() <= budget_;
}

void BucketMerger::dropHolds() {
  if (!memory_)
    return;
  for (Timeline::IntervalId id : extras_)
    memory_->suspend(id);
  for (auto [interval, node] : llvm::reverse(holders_))
    memory_->removeHolder(interval, node);
  for (Timeline::IntervalId id : suspended_)
    memory_->resume(id);
  for (Timeline::IntervalId id : oldExtras_)
    memory_->resume(id);
  suspended_.clear();
  results_.clear();
  extras_.clear();
  holders_.clear();
  later_.clear();
}

void BucketMerger::accept() {
  for (const Candidate &member : newcomer_->members) {
    own(*bucket_, member);
    bucket_->members.push_back(member);
  }
  bucket_->bytes += newcomer_->bytes;
  bucket_->firstWait = std::min(bucket_->firstWait, newcomer_->firstWait, before);
  bucket_->lastWait = std::max(bucket_->lastWait, newcomer_->lastWait, before);
  for (auto [bucket, wait] : std::exchange(later_, {}))
    bucket->lastWait = std::max(bucket->lastWait, wait, before);
  bucket_->extras = std::exchange(extras_, {});
  bucket_->results = std::exchange(results_, {});
  suspended_.clear();
  holders_.clear();
  moves_.clear();
  newcomer_->members.clear();
}

MergeVerdict BucketMerger::tryPlace(Side side) {
  if (!mayFit(side) || !movedMayFit(side))
    return MergeVerdict::OverBudget;
  rearrange(side);
  if (hold()) {
    accept();
    return MergeVerdict::Joined;
  }
  dropHolds();
  undoMoves();
  return MergeVerdict::OverBudget;
}

MergeVerdict BucketMerger::join(Bucket &bucket, Bucket &newcomer) {
  bucket_ = &bucket;
  newcomer_ = &newcomer;
  if (in_.dependences.stretch(bucket.members.front().launch) !=
      in_.dependences.stretch(newcomer.members.front().launch))
    return MergeVerdict::Dependent;
  startSearch();
  Side side = Side::Up;
  if (MergeVerdict found = searchBoth(side); found != MergeVerdict::Joined)
    return found;
  MergeVerdict verdict = tryPlace(side);
  if (verdict != MergeVerdict::OverBudget)
    return verdict;
  Side other = side == Side::Up ? Side::Down : Side::Up;
  return exhaust(other) ? tryPlace(other) : verdict;
}

} // namespace ccgraph
