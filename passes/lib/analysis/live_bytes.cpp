#include "analysis/live_bytes.h"

namespace ccgraph {

namespace {

/// A fixed hash, so that every run on every machine builds the same tree.
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
  // Because rows come in order, each new one is the last of the tree so far: it hangs below the nearest of the rows on the
  // right edge (the spine) that outranks it, and takes those that it outranks as its left subtree.
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

/// Because rows are about to change places, what a subtree owes is handed to its own row and to its two halves first.
void LiveBytes::push(uint32_t row) {
  Row &r = rows_[row];
  r.own += r.add;
  for (uint32_t child : r.child)
    if (child != none)
      rows_[child].add += r.add, rows_[child].max += r.add;
  r.add = 0;
}

/// One tree of two, all of whose rows on the left stand before all on the right.
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

/// Hangs the row in as a leaf, where program order wants it, and lets it rise to where its priority wants it.
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

/// Adds to this row and all before it. On the way to the root, a row that is reached from its right half stands before the
/// node, and so does all of its left half, which only notes what it owes.
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

void LiveBytes::findEnds(Interval &interval) const {
  interval.first = interval.last = interval.holders.front();
  for (Node *holder : interval.holders) {
    if (holder->isBefore(interval.first))
      interval.first = holder;
    if (interval.last->isBefore(holder))
      interval.last = holder;
  }
}

LiveBytes::IntervalId LiveBytes::addInterval(int64_t bytes, llvm::ArrayRef<Node *> holders, Reach reach) {
  auto id = static_cast<IntervalId>(intervals_.size());
  Interval &interval = intervals_.emplace_back();
  interval.bytes = bytes;
  interval.reach = reach;
  interval.holders.append(holders.begin(), holders.end());
  findEnds(interval);
  for (Node *holder : holders)
    held_[holder->id()].push_back(id);
  contribute(interval, 1);
  return id;
}

void LiveBytes::addHolder(IntervalId id, Node *holder) {
  intervals_[id].holders.push_back(holder);
  held_[holder->id()].push_back(id);
  widen(intervals_[id], holder);
}

// For three intervals of 4 bytes that end at one wait and are to end at a later one, two walks to the root do what six
// would: 12 bytes are added up to the new end and taken off up to the old one.
void LiveBytes::addHolders(llvm::ArrayRef<IntervalId> intervals, Node *holder) {
  // Because intervals of one bucket end at one wait, their bytes go up to the new end and off the old one together.
  int64_t moved = 0;
  int64_t atOldEnd = 0;
  const Node *oldEnd = nullptr;
  auto leaveOldEnd = [&] {
    if (atOldEnd != 0)
      addUpTo(oldEnd, -std::exchange(atOldEnd, 0));
  };
  for (IntervalId id : intervals) {
    Interval &interval = intervals_[id];
    if (!settled_ || interval.reach.forGood || !interval.last->isBefore(holder)) {
      addHolder(id, holder);
      continue;
    }
    interval.holders.push_back(holder);
    held_[holder->id()].push_back(id);
    if (interval.last != oldEnd)
      leaveOldEnd();
    oldEnd = interval.last;
    atOldEnd += interval.bytes;
    moved += interval.bytes;
    interval.last = holder;
  }
  leaveOldEnd();
  if (moved != 0)
    addUpTo(holder, moved);
}

void LiveBytes::removeHolder(IntervalId id, Node *holder) {
  Interval &interval = intervals_[id];
  assert(interval.holders.back() == holder && "holders go in the order opposite to that in which they came");
  interval.holders.pop_back();
  auto &held = held_[holder->id()];
  held.erase(std::prev(std::find(held.rbegin(), held.rend(), id).base()));
  if (interval.first == holder) {
    contribute(interval, -1);
    findEnds(interval);
    contribute(interval, 1);
  } else if (interval.last == holder) {
    Interval ends = interval;
    findEnds(ends);
    shiftEnd(interval, ends.last);
  }
}

/// Lets the interval reach to a holder outside it.
void LiveBytes::widen(Interval &interval, Node *holder) {
  if (interval.last->isBefore(holder)) {
    shiftEnd(interval, holder);
  } else if (holder->isBefore(interval.first)) {
    contribute(interval, -1);
    interval.first = holder;
    contribute(interval, 1);
  }
}

/// Because most intervals only get another end, and a walk to the root for each of two ends costs half of one for four.
void LiveBytes::shiftEnd(Interval &interval, Node *last) {
  if (settled_ && !interval.reach.forGood && interval.bytes != 0) {
    addUpTo(last, interval.bytes);
    addUpTo(interval.last, -interval.bytes);
    interval.last = last;
    return;
  }
  contribute(interval, -1);
  interval.last = last;
  contribute(interval, 1);
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

llvm::ArrayRef<LiveBytes::IntervalId> LiveBytes::intervalsOf(const Node *node) const { return held_[node->id()]; }

/// The outermost row on `side` of a subtree whose maximum, less what is pending above, is over the
/// limit.
uint32_t LiveBytes::searchSubtree(uint32_t row, unsigned side, int64_t limit) const {
  for (;;) {
    const Row &r = rows_[row];
    limit -= r.add;
    uint32_t near = r.child[side];
    if (near != none && rows_[near].max > limit)
      row = near;
    else if (r.own > limit)
      return row;
    else
      row = r.child[1 - side];
  }
}

// For side 0 (left) that is the next row in program order. From a row, what lies to its right is its right half, then
// the parent if the row hangs on its left, with the parent's right half, and so on up. The maximum of a half tells
// whether to go down into it; if no half has a row over the limit, there is none.
/// The first row over the limit from `row` on (itself included), going away from `side`.
uint32_t LiveBytes::search(uint32_t row, unsigned side, int64_t limit) const {
  int64_t pending = pendingAbove(row);
  bool fresh = true;
  while (row != none) {
    const Row &r = rows_[row];
    if (fresh) {
      if (r.own + pending > limit)
        return row;
      uint32_t far = r.child[1 - side];
      if (far != none && rows_[far].max + pending > limit)
        return searchSubtree(far, side, limit - pending);
    }
    pending -= r.add;
    // Because a parent reached from its other half stands on the side that was left, neither it nor its far half counts.
    fresh = r.parent != none && rows_[r.parent].child[side] == row;
    row = r.parent;
  }
  return none;
}

Node *LiveBytes::firstAbove(Node *from, const Node *to, int64_t limit) const {
  if (from == to)
    return nullptr;
  uint32_t row = search(from->id(), 0, limit - base_);
  if (row == none)
    return nullptr;
  Node *found = graph_.byId(row);
  return !to || found->isBefore(to) ? found : nullptr;
}

Node *LiveBytes::lastAbove(const Node *from, Node *to, int64_t limit) const {
  if (from == to)
    return nullptr;
  uint32_t row = search((to ? to->prev() : graph_.back())->id(), 1, limit - base_);
  if (row == none)
    return nullptr;
  Node *found = graph_.byId(row);
  return found->isBefore(from) ? nullptr : found;
}

/// Alive between two neighbours: what neither ends at the first nor starts at the second.
int64_t LiveBytes::aliveBetween(const Node *before, const Node *after) const {
  if (after)
    return aliveBefore(after) - base_;
  int64_t sum = 0;
  for (IntervalId id : held_[before->id()])
    if (intervals_[id].last == before && !intervals_[id].reach.forGood)
      sum += intervals_[id].bytes;
  return alive(before) - base_ - sum;
}

void LiveBytes::lift(Node *node) {
  // Because a row can only be taken out when no interval starts or ends there.
  ending_.clear();
  for (IntervalId id : held_[node->id()]) {
    Interval &interval = intervals_[id];
    if ((interval.first != node && interval.last != node) || llvm::is_contained(ending_, id))
      continue;
    contribute(interval, -1);
    ending_.push_back(id);
  }
  extract(node->id());
}

void LiveBytes::drop(Node *node) {
  insert(node->id(), aliveBetween(node->prev(), node->next()), node->next());
  for (IntervalId id : ending_) {
    findEnds(intervals_[id]);
    contribute(intervals_[id], 1);
  }
  for (IntervalId id : held_[node->id()])
    widen(intervals_[id], node);
}

void LiveBytes::move(Node *node, Node *before) {
  if (before == node || node->next() == before)
    return;
  lift(node);
  graph_.moveBefore(node, before);
  drop(node);
}

} // namespace ccgraph
