#include "schedule/chunks/piece_ends.h"

#include <cstdint>
#include <numeric>

namespace ccgraph {

int64_t PieceEnds::before(size_t piece) const {
  return std::accumulate(parts_.begin(), parts_.begin() + piece, int64_t(0));
}

/// Returns where a piece begins; of a piece after the last one: the end of the dimension.
Actual PieceEnds::begin(GraphBuilder &at, Node *value, int64_t dim, size_t piece) {
  if (!isSymbolic_ || piece == 0)
    return before(piece);
  if (piece == parts_.size())
    return INT64_MAX;
  if (begins_.size() >= piece)
    return begins_[piece - 1];
  if (!rows_)
    rows_ = at.call("aten.sym_size.int", {value, dim});
  const int64_t all = before(parts_.size()), common = std::gcd(before(piece), all);
  Node *share = rows_;
  if (const int64_t times = before(piece) / common; times != 1)
    share = at.call("operator.mul", {rows_, times});
  begins_.push_back(at.call("operator.floordiv", {share, all / common}));
  return begins_.back();
}

Node *PieceEnds::slice(GraphBuilder &at, Node *value, int64_t dim, size_t piece) {
  const Actual from = begin(at, value, dim, piece), to = begin(at, value, dim, piece + 1);
  return at.call("aten.slice.Tensor", {value, dim, from, to});
}

} // namespace ccgraph
