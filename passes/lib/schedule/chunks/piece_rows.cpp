#include "schedule/chunks/piece_rows.h"

#include "ccgraph/ir/int_list.h"

namespace ccgraph {

namespace {

/// Returns a size of a view that counts rows: of symbolic rows, the size that the others leave.
int64_t counted(const ChunkRegion &region, int64_t rows) { return region.symbolicRows ? -1 : rows; }

/// Exchanges blocks and sequences, the two outer dimensions of four.
Node *exchanged(GraphBuilder &at, Node *rows) {
  return at.call("aten.permute.default", {rows, Actual::integers({1, 0, 2, 3})});
}

} // namespace

Node *PieceRows::takeSequences(const ChunkRegion &region, Node *matrix, size_t piece) {
  const int64_t columns = matrix->type()->sizes()[1].value(), together = region.rowsTogether();
  Node *all =
      at_.call("aten.view.default", {matrix, Actual::integers({region.sequences, region.blocks, together, columns})});
  const int64_t from = ends_.before(piece) / together;
  Node *part = at_.call("aten.slice.Tensor", {all, 0, from, from + pieces_[piece] / together});
  return at_.call("aten.reshape.default",
                  {exchanged(at_, part), Actual::integers({region.blocks * pieces_[piece], columns})});
}

Node *PieceRows::take(const ChunkRegion &region, Node *matrix, size_t piece) {
  const int64_t columns = matrix->type()->sizes()[1].value();
  if (region.sequences > 1)
    return takeSequences(region, matrix, piece);
  if (region.blocks == 1)
    return ends_.slice(at_, matrix, 0, piece);
  Node *blocks =
      at_.call("aten.view.default", {matrix, Actual::integers({region.blocks, counted(region, region.rows), columns})});
  Node *part = ends_.slice(at_, blocks, 1, piece);
  return at_.call("aten.reshape.default",
                  {part, Actual::integers({counted(region, region.blocks * pieces_[piece]), columns})});
}

Node *PieceRows::join(const ChunkRegion &region, llvm::ArrayRef<Node *> parts, llvm::ArrayRef<int64_t> sizes) {
  const int64_t columns = sizes.back(), together = region.rowsTogether();
  const bool bySequence = region.sequences > 1;
  std::vector<Node *> pieces;
  for (size_t i = 0; i < parts.size(); ++i) {
    const IntList shape = bySequence ? IntList{region.blocks, pieces_[i] / together, together, columns}
                                     : IntList{region.blocks, counted(region, pieces_[i]), columns};
    Node *part = at_.call("aten.view.default", {parts[i], Actual::integers(shape)});
    pieces.push_back(bySequence ? exchanged(at_, part) : part);
  }
  Node *whole = at_.call("aten.cat.default", {Actual::nodes(pieces), bySequence ? 0 : 1});
  return at_.call("aten.view.default", {whole, Actual::integers(sizes)});
}

} // namespace ccgraph
