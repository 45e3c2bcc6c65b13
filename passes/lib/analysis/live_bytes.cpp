#include "analysis/live_bytes.h"

namespace ccgraph {

namespace {

/// Returns a fixed hash, so that every run on every machine builds the same tree.
uint32_t priority(uint32_t id) {
  uint64_t x = id + 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<uint32_t>(x >> 32);
}

} // namespace

LiveBytes::LiveBytes(Graph &graph)
    : graph_(graph), rows_(graph.idLimit()), starts_(graph.idLimit()), ends_(graph.idLimit()), held_(graph.idLimit()) {}

void LiveBytes::settle() {
  // Rows come in order, so each new row is the last of the tree so far. It becomes a child of the nearest row on the
  // right edge (the spine) that has a higher priority, and takes the rows of lower priority as its left subtree.
  std::vector<uint32_t> spine;
  int64_t alive = fromStart_;
  for (Node *node : graph_) {
    uint32_t row = node->id();
    alive += starts_[row];
    rows_[row].own = alive;
    alive -= ends_[row];
    uint32_t below = none;
    while (!spine.empty() && priority(spine.back()) < priority(row)) {
      below = spine.back();
      update(below);
      spine.pop_back();
    }
    attach(row, 0, below);
    attach(spine.empty() ? none : spine.back(), 1, row);
    spine.push_back(row);
  }
  for (uint32_t row : llvm::reverse(spine))
    update(row);
  ends_.clear();
  settled_ = true;
}

void LiveBytes::attach(uint32_t parent, unsigned side, uint32_t row) {
  if (parent == none)
    root_ = row;
  else
    rows_[parent].child[side] = row;
  if (row != none)
    rows_[row].parent = parent;
}

void LiveBytes::update(uint32_t row) {
  Row &r = rows_[row];
  int64_t max = r.own;
  for (uint32_t child : r.child)
    if (child != none)
      max = std::max(max, rows_[child].max);
  r.max = max + r.add;
}

void LiveBytes::updateUp(uint32_t row) {
  for (; row != none; row = rows_[row].parent)
    update(row);
}

/// Moves a subtree's pending addition to its own row and its two children, because rows are about to change places.
void LiveBytes::push(uint32_t row) {
  Row &r = rows_[row];
  r.own += r.add;
  for (uint32_t child : r.child)
    if (child != none)
      rows_[child].add += r.add, rows_[child].max += r.add;
  r.add = 0;
}

/// Merges two trees; all rows of the left one precede all rows of the right one.
uint32_t LiveBytes::merge(uint32_t left, uint32_t right) {
  if (left == none || right == none)
    return left == none ? right : left;
  if (priority(left) > priority(right)) {
    push(left);
    attach(left, 1, merge(rows_[left].child[1], right));
    update(left);
    return left;
  }
  push(right);
  attach(right, 0, merge(left, rows_[right].child[0]));
  update(right);
  return right;
}

void LiveBytes::extract(uint32_t row) {
  push(row);
  uint32_t parent = rows_[row].parent;
  unsigned side = parent != none && rows_[parent].child[1] == row ? 1 : 0;
  attach(parent, side, merge(rows_[row].child[0], rows_[row].child[1]));
  updateUp(parent);
}

void LiveBytes::rotateUp(uint32_t row) {
  uint32_t parent = rows_[row].parent;
  uint32_t above = rows_[parent].parent;
  push(parent);
  push(row);
  unsigned side = rows_[parent].child[1] == row ? 1 : 0;
  unsigned aboveSide = above != none && rows_[above].child[1] == parent ? 1 : 0;
  attach(parent, side, rows_[row].child[1 - side]);
  attach(row, 1 - side, parent);
  attach(above, aboveSide, row);
  update(parent);
  update(row);
}

/// Inserts the row as a leaf at its position in program order, and rotates it up according to its priority.
void LiveBytes::insert(uint32_t row, int64_t alive, const Node *next) {
  uint32_t parent = root_;
  unsigned side = 1;
  if (next) {
    parent = next->id(), side = 0;
    if (rows_[parent].child[0] != none)
      parent = rows_[parent].child[0], side = 1;
  }
  if (side == 1)
    while (parent != none && rows_[parent].child[1] != none)
      parent = rows_[parent].child[1];
  rows_[row] = Row{};
  attach(parent, side, row);
  rows_[row].own = alive - (parent == none ? 0 : pendingAbove(parent));
  while (rows_[row].parent != none && priority(rows_[row].parent) < priority(row))
    rotateUp(row);
  updateUp(row);
}

int64_t LiveBytes::pendingAbove(uint32_t row) const {
  int64_t sum = 0;
  for (; row != none; row = rows_[row].parent)
    sum += rows_[row].add;
  return sum;
}

/// Adds to this row and all rows before it. On the path to the root, a row that is reached from its right child
/// precedes the node, and so does its whole left subtree. For that subtree the addition is only recorded as pending.
void LiveBytes::addUpTo(const Node *node, int64_t bytes) {
  unsigned cameFrom = 1;
  for (uint32_t row = node->id(); row != none;) {
    Row &r = rows_[row];
    if (cameFrom == 1) {
      r.own += bytes;
      if (uint32_t left = r.child[0]; left != none)
        rows_[left].add += bytes, rows_[left].max += bytes;
    }
    update(row);
    uint32_t parent = r.parent;
    cameFrom = parent != none && rows_[parent].child[1] == row ? 1 : 0;
    row = parent;
  }
}

void LiveBytes::contribute(const Interval &interval, int sign) {
  int64_t bytes = sign * interval.bytes;
  if (bytes == 0)
    return;
  if (!interval.reach.fromStart)
    starts_[interval.first->id()] += bytes;
  if (!settled_) {
    fromStart_ += interval.reach.fromStart ? bytes : 0;
    if (!interval.reach.forGood)
      ends_[interval.last->id()] += bytes;
    return;
  }
  if (const Node *last = interval.reach.forGood ? graph_.back() : interval.last)
    addUpTo(last, bytes);
  if (const Node *before = interval.reach.fromStart ? nullptr : interval.first->prev())
    addUpTo(before, -bytes);
}

/// Moves bytes from one end to another. Consecutive intervals with the same ends, as in a share, are combined, so each
/// path to the root serves all of them.
class LiveBytes::EndShifts {
public:
  explicit EndShifts(LiveBytes &live) : live_(live) {}
  ~EndShifts() { flush(); }
  EndShifts(const EndShifts &) = delete;
  EndShifts &operator=(const EndShifts &) = delete;

  void add(const Node *from, const Node *to, int64_t bytes) {
    if (from != from_ || to != to_)
      flush();
    from_ = from;
    to_ = to;
    bytes_ += bytes;
  }
  void flush() {
    if (int64_t bytes = std::exchange(bytes_, 0)) {
      live_.addUpTo(to_, bytes);
      live_.addUpTo(from_, -bytes);
    }
  }

private:
  LiveBytes &live_;
  const Node *from_ = nullptr;
  const Node *to_ = nullptr;
  int64_t bytes_ = 0;
};

LiveBytes::Ends LiveBytes::endsOf(const Interval &interval) const {
  Ends ends{interval.holders.front(), interval.holders.front()};
  auto include = [&](Node *holder) {
    if (holder->isBefore(ends.first))
      ends.first = holder;
    if (ends.last->isBefore(holder))
      ends.last = holder;
  };
  llvm::for_each(interval.holders, include);
  for (uint32_t link = interval.link; link != none; link = links_[link].before)
    if (const Share &share = shares_[links_[link].share]; share.first) {
      include(share.first);
      include(share.last);
    }
  return ends;
}

void LiveBytes::findEnds(Share &share) const {
  share.first = share.last = share.holders.empty() ? nullptr : share.holders.front();
  for (Node *holder : share.holders) {
    share.first = std::min(share.first, holder, precedes);
    share.last = std::max(share.last, holder, precedes);
  }
}

/// Most intervals only change one end, and two paths to the root cost half of four.
void LiveBytes::setEnds(Interval &interval, Ends ends, EndShifts &shifts) {
  if (interval.first == ends.first && interval.last == ends.last)
    return;
  if (settled_ && interval.first == ends.first) {
    if (!interval.reach.forGood && interval.bytes != 0)
      shifts.add(interval.last, ends.last, interval.bytes);
    interval.last = ends.last;
    return;
  }
  contribute(interval, -1);
  interval.first = ends.first;
  interval.last = ends.last;
  contribute(interval, 1);
}

/// Extends the interval to holders outside it.
void LiveBytes::widen(Interval &interval, Ends ends, EndShifts &shifts) {
  setEnds(interval, {std::min(interval.first, ends.first, precedes), std::max(interval.last, ends.last, precedes)},
          shifts);
}

LiveBytes::IntervalId LiveBytes::addInterval(int64_t bytes, llvm::ArrayRef<Node *> holders, Reach reach) {
  auto id = static_cast<IntervalId>(intervals_.size());
  if (free_.empty())
    intervals_.emplace_back();
  else
    id = free_.back(), free_.pop_back();
  Interval &interval = intervals_[id];
  interval.bytes = bytes;
  interval.reach = reach;
  interval.holders.append(holders.begin(), holders.end());
  auto [first, last] = endsOf(interval);
  interval.first = first;
  interval.last = last;
  for (Node *holder : holders)
    held_[holder->id()].push_back(id);
  contribute(interval, 1);
  return id;
}

/// Searches from the end, because the intervals removed are mostly the latest ones.
void LiveBytes::forget(IntervalId id, Node *holder) {
  auto &held = held_[holder->id()];
  held.erase(std::prev(std::find(held.rbegin(), held.rend(), id).base()));
}

void LiveBytes::removeInterval(IntervalId id) {
  assert(intervals_[id].link == none && "an interval in a share stays");
  contribute(intervals_[id], -1);
  for (Node *holder : intervals_[id].holders)
    forget(id, holder);
  intervals_[id] = Interval();
  free_.push_back(id);
}

void LiveBytes::addHolder(IntervalId id, Node *holder) {
  intervals_[id].holders.push_back(holder);
  held_[holder->id()].push_back(id);
  EndShifts shifts(*this);
  widen(intervals_[id], {holder, holder}, shifts);
}

LiveBytes::ShareId LiveBytes::addShare() {
  shares_.emplace_back();
  return static_cast<ShareId>(shares_.size() - 1);
}

llvm::ArrayRef<LiveBytes::ShareId> LiveBytes::sharesOf(const Node *node) const {
  auto found = sharesOf_.find(node);
  return found == sharesOf_.end() ? llvm::ArrayRef<ShareId>() : llvm::ArrayRef<ShareId>(found->second);
}

// For three intervals of 4 bytes that end at one wait and will end at a later one, two paths to the root replace six:
// 12 bytes are added up to the new end and subtracted up to the old one.
void LiveBytes::extend(ShareId id, llvm::ArrayRef<IntervalId> intervals, llvm::ArrayRef<Node *> holders) {
  Share &share = shares_[id];
  for (Node *holder : holders) {
    share.first = share.first ? std::min(share.first, holder, precedes) : holder;
    share.last = share.last ? std::max(share.last, holder, precedes) : holder;
    share.holders.push_back(holder);
    sharesOf_[holder].push_back(id);
  }
  for (IntervalId interval : intervals) {
    share.intervals.push_back(interval);
    links_.push_back({id, intervals_[interval].link});
    intervals_[interval].link = static_cast<uint32_t>(links_.size() - 1);
  }
  EndShifts shifts(*this);
  for (IntervalId interval : share.first ? llvm::ArrayRef(share.intervals) : llvm::ArrayRef<IntervalId>())
    widen(intervals_[interval], {share.first, share.last}, shifts);
}

void LiveBytes::shrink(ShareId id, Extent extent) {
  Share &share = shares_[id];
  std::vector<IntervalId> touched = share.intervals;
  for (; share.intervals.size() > extent.intervals; share.intervals.pop_back()) {
    Interval &interval = intervals_[share.intervals.back()];
    assert(interval.link == links_.size() - 1 && "what came last goes first");
    interval.link = links_.back().before;
    links_.pop_back();
  }
  for (; share.holders.size() > extent.holders; share.holders.pop_back()) {
    auto &shares = sharesOf_[share.holders.back()];
    shares.erase(std::prev(std::find(shares.rbegin(), shares.rend(), id).base()));
  }
  findEnds(share);
  EndShifts shifts(*this);
  for (IntervalId interval : touched)
    setEnds(intervals_[interval], endsOf(intervals_[interval]), shifts);
}

void LiveBytes::suspend(IntervalId id) {
  Interval &interval = intervals_[id];
  contribute(interval, -1);
  interval.suspended = std::exchange(interval.bytes, 0);
}

void LiveBytes::resume(IntervalId id) {
  Interval &interval = intervals_[id];
  interval.bytes = std::exchange(interval.suspended, 0);
  contribute(interval, 1);
}

int64_t LiveBytes::peak() const { return root_ == none ? 0 : base_ + rows_[root_].max; }

int64_t LiveBytes::alive(const Node *node) const { return base_ + rows_[node->id()].own + pendingAbove(node->id()); }

llvm::SmallVector<LiveBytes::IntervalId, 8> LiveBytes::intervalsOf(const Node *node) const {
  llvm::SmallVector<IntervalId, 8> ids(held_[node->id()].begin(), held_[node->id()].end());
  for (ShareId share : sharesOf(node))
    llvm::append_range(ids, shares_[share].intervals);
  llvm::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

void LiveBytes::forEachHolder(IntervalId interval, llvm::function_ref<void(Node *)> visit) const {
  llvm::for_each(intervals_[interval].holders, visit);
  for (uint32_t link = intervals_[interval].link; link != none; link = links_[link].before)
    llvm::for_each(shares_[links_[link].share].holders, visit);
}

/// The first row of a subtree whose maximum, less what is pending above, is over the limit.
uint32_t LiveBytes::searchSubtree(uint32_t row, int64_t limit) const {
  for (;;) {
    const Row &r = rows_[row];
    limit -= r.add;
    uint32_t left = r.child[0];
    if (left != none && rows_[left].max > limit)
      row = left;
    else if (r.own > limit)
      return row;
    else
      row = r.child[1];
  }
}

// Returns the first row over the limit from `row` on, itself included. The rows to the right of a row are its right
// subtree, then the parent if the row is its left child, with the parent's right subtree, and so on up. The maximum of
// a subtree determines whether the search descends into it; if no subtree has a row over the limit, there is none.
uint32_t LiveBytes::search(uint32_t row, int64_t limit) const {
  int64_t pending = pendingAbove(row);
  bool fresh = true;
  while (row != none) {
    const Row &r = rows_[row];
    if (fresh) {
      if (r.own + pending > limit)
        return row;
      uint32_t right = r.child[1];
      if (right != none && rows_[right].max + pending > limit)
        return searchSubtree(right, limit - pending);
    }
    pending -= r.add;
    // A parent that is reached from its right child precedes the row, so neither it nor its left subtree counts.
    fresh = r.parent != none && rows_[r.parent].child[0] == row;
    row = r.parent;
  }
  return none;
}

Node *LiveBytes::firstAbove(Node *from, const Node *to, int64_t limit) const {
  if (from == to)
    return nullptr;
  uint32_t row = search(from->id(), limit - base_);
  if (row == none)
    return nullptr;
  Node *found = graph_.byId(row);
  return !to || found->isBefore(to) ? found : nullptr;
}

/// Alive between two neighbours: what neither ends at the first nor starts at the second.
int64_t LiveBytes::aliveBetween(const Node *before, const Node *after) const {
  if (after)
    return aliveBefore(after) - base_;
  int64_t sum = 0;
  for (IntervalId id : intervalsOf(before))
    if (intervals_[id].last == before && !intervals_[id].reach.forGood)
      sum += intervals_[id].bytes;
  return alive(before) - base_ - sum;
}

void LiveBytes::lift(Node *node) {
  // A row can only be removed when no interval starts or ends there.
  ending_.clear();
  auto note = [&](llvm::ArrayRef<IntervalId> ids) {
    llvm::copy_if(ids, std::back_inserter(ending_),
                  [&](IntervalId id) { return intervals_[id].first == node || intervals_[id].last == node; });
  };
  note(held_[node->id()]);
  for (ShareId id : sharesOf(node))
    if (shares_[id].first == node || shares_[id].last == node)
      note(shares_[id].intervals);
  llvm::sort(ending_);
  ending_.erase(std::unique(ending_.begin(), ending_.end()), ending_.end());
  for (IntervalId id : ending_)
    contribute(intervals_[id], -1);
  extract(node->id());
}

void LiveBytes::drop(Node *node) {
  insert(node->id(), aliveBetween(node->prev(), node->next()), node->next());
  for (ShareId id : sharesOf(node))
    findEnds(shares_[id]);
  for (IntervalId id : ending_) {
    auto [first, last] = endsOf(intervals_[id]);
    intervals_[id].first = first;
    intervals_[id].last = last;
    contribute(intervals_[id], 1);
  }
  EndShifts shifts(*this);
  for (IntervalId id : held_[node->id()])
    widen(intervals_[id], {node, node}, shifts);
  for (ShareId id : sharesOf(node))
    if (shares_[id].first == node || shares_[id].last == node)
      for (IntervalId interval : shares_[id].intervals)
        widen(intervals_[interval], {node, node}, shifts);
}

void LiveBytes::move(Node *node, Node *before) {
  if (before == node || node->next() == before)
    return;
  lift(node);
  graph_.moveBefore(node, before);
  drop(node);
}

} // namespace ccgraph
