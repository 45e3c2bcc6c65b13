#include "schedule/overlap/max_flow.h"

#include <algorithm>

namespace ccgraph::overlap {

uint32_t MaxFlow::connect(uint32_t from, uint32_t to, int64_t capacity) {
  edges_.push_back({to, first_[from], capacity});
  first_[from] = static_cast<uint32_t>(edges_.size() - 1);
  edges_.push_back({from, first_[to], 0});
  first_[to] = static_cast<uint32_t>(edges_.size() - 1);
  return static_cast<uint32_t>(edges_.size() - 2);
}

bool MaxFlow::findLevels(uint32_t source, uint32_t sink) {
  level_.assign(first_.size(), none);
  level_[source] = 0;
  std::vector<uint32_t> queue = {source};
  for (size_t i = 0; i < queue.size(); ++i)
    for (uint32_t edge = first_[queue[i]]; edge != none; edge = edges_[edge].next)
      if (uint32_t to = edges_[edge].to; edges_[edge].left > 0 && level_[to] == none) {
        level_[to] = level_[queue[i]] + 1;
        queue.push_back(to);
      }
  return level_[sink] != none;
}

/// Pushes the remaining capacity of the narrowest edge along one path of ascending levels; returns 0 if there is no
/// such path. Dead-end edges are not tried again until levels are recomputed.
int64_t MaxFlow::augment(uint32_t source, uint32_t sink) {
  std::vector<uint32_t> path;
  for (uint32_t node = source; node != sink;) {
    uint32_t &edge = at_[node];
    while (edge != none && (edges_[edge].left == 0 || level_[edges_[edge].to] != level_[node] + 1))
      edge = edges_[edge].next;
    if (edge != none) {
      path.push_back(edge);
      node = edges_[edge].to;
      continue;
    }
    if (path.empty())
      return 0;
    node = edges_[path.back() ^ 1].to;
    path.pop_back();
    at_[node] = edges_[at_[node]].next;
  }
  int64_t sent = unlimited;
  for (uint32_t edge : path)
    sent = std::min(sent, edges_[edge].left);
  for (uint32_t edge : path)
    push(edge, sent);
  return sent;
}

int64_t MaxFlow::run(uint32_t source, uint32_t sink) {
  int64_t flow = 0;
  while (flow < unlimited && findLevels(source, sink)) {
    at_ = first_;
    while (int64_t sent = augment(source, sink))
      flow = std::min(unlimited, flow + sent);
  }
  return flow;
}

/// Finds a shortest path with capacity left; stops where the work ends.
bool MaxFlow::findPath(Search &search, Excess excess, size_t &work) const {
  for (uint32_t node : search.visited)
    search.edgeTo[node] = none;
  search.edgeTo.resize(first_.size(), none);
  search.visited = {excess.from};
  for (size_t i = 0; i < search.visited.size(); ++i)
    for (uint32_t edge = first_[search.visited[i]]; edge != none; edge = edges_[edge].next) {
      if (work == 0)
        return false;
      --work;
      uint32_t to = edges_[edge].to;
      if (edges_[edge].left == 0 || to == excess.from || search.edgeTo[to] != none)
        continue;
      search.edgeTo[to] = edge;
      search.visited.push_back(to);
      if (to == excess.to)
        return true;
    }
  return false;
}

bool MaxFlow::admits(Excess excess, size_t &work) {
  std::vector<std::pair<uint32_t, int64_t>> pushed;
  int64_t flow = 0;
  while (flow <= excess.bytes && findPath(search_, excess, work)) {
    int64_t sent = unlimited;
    for (uint32_t node = excess.to; node != excess.from; node = edges_[search_.edgeTo[node] ^ 1].to)
      sent = std::min(sent, edges_[search_.edgeTo[node]].left);
    for (uint32_t node = excess.to; node != excess.from; node = edges_[search_.edgeTo[node] ^ 1].to) {
      push(search_.edgeTo[node], sent);
      pushed.push_back({search_.edgeTo[node], sent});
    }
    flow += sent;
  }
  for (auto [edge, sent] : pushed)
    push(edge ^ 1, sent);
  return flow > excess.bytes;
}

std::vector<bool> MaxFlow::reaching(uint32_t to) const {
  std::vector<bool> reaching(first_.size());
  reaching[to] = true;
  std::vector<uint32_t> queue = {to};
  for (size_t i = 0; i < queue.size(); ++i)
    for (uint32_t edge = first_[queue[i]]; edge != none; edge = edges_[edge].next)
      if (uint32_t from = edges_[edge].to; edges_[edge ^ 1].left > 0 && !reaching[from]) {
        reaching[from] = true;
        queue.push_back(from);
      }
  return reaching;
}

} // namespace ccgraph::overlap
