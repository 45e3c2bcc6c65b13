#include "rewrite/bucket_rewrite.h"

#include "ccgraph/ir/builder.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/int_list.h"

#include "rewrite/supersede.h"

namespace ccgraph {

std::optional<llvm::SmallVector<int64_t, 8>> splitSizes(const Node &allToAll, int position) {
  const Argument *list = argumentAt(allToAll, position);
  if (!list || !list->isSequence())
    return std::nullopt;
  llvm::SmallVector<int64_t, 8> sizes;
  for (const Argument &element : list->elements()) {
    if (!element.is(Argument::Kind::Int))
      return std::nullopt;
    sizes.push_back(element.integer());
  }
  return sizes;
}

namespace {

std::vector<Node *> launchesOf(const Bucket &bucket) {
  std::vector<Node *> launches;
  for (const Candidate &member : bucket.members)
    launches.push_back(member.launch);
  return launches;
}

Node *view(GraphBuilder &builder, Node *value, llvm::ArrayRef<int64_t> sizes) {
  return builder.call("aten.view.default", {value, sizes});
}

/// Elements begin .. end of a dimension.
struct Range {
  int64_t dim;
  int64_t begin;
  int64_t end;
};
Node *slice(GraphBuilder &builder, Node *value, Range range) {
  return builder.call("aten.slice.Tensor", {value, range.dim, range.begin, range.end});
}

Node *cat(GraphBuilder &builder, llvm::ArrayRef<Node *> values, int64_t dim) {
  std::vector<Actual> args = {values};
  if (dim != 0)
    args.emplace_back(dim);
  return builder.call("aten.cat.default", std::move(args));
}

/// Returns a copy in row-major memory.
Node *contiguous(GraphBuilder &builder, Node *value) {
  Actual format = Actual::memoryFormat(builder.graph().context(), "contiguous_format");
  return builder.call({.target = "aten.clone.default", .args = {value}, .kwargs = {{"memory_format", format}}});
}

/// Removes the members' launches; nodes that were ordered after one of them are now ordered after the merged launch.
void retireLaunches(Graph &graph, const Bucket &bucket, Node *launch) {
  for (const Candidate &member : bucket.members) {
    copyOrdering(graph, *member.launch, launch);
    graph.replaceAllUses(member.launch, launch);
    graph.erase(member.launch);
  }
}

/// Rewrites one flat bucket.
class FlatRewrite {
public:
  FlatRewrite(Graph &graph, const Bucket &bucket)
      : graph_(graph), bucket_(bucket), first_(*bucket.members.front().launch), call_(*collectiveCall(first_)),
        ranks_(call_.groupSize.value_or(1)) {}
  MergedEntry run();

private:
  Node *packInput(GraphBuilder &builder);
  Node *packPieces(GraphBuilder &builder);
  Node *launch(GraphBuilder &builder, Node *input);
  [[nodiscard]] int64_t resultElements(Node *input) const;
  Node *unpack(GraphBuilder &builder, Node *result, size_t member);
  Node *unpackPieces(GraphBuilder &builder, Node *result, size_t member);
  [[nodiscard]] int64_t share(const Node &launch) const;
  [[nodiscard]] std::vector<int64_t> pieces(const Node &launch, int position) const;
  [[nodiscard]] std::vector<int64_t> piecesOfAll(int position) const;
  [[nodiscard]] Node *input(size_t member) const { return bucket_.members[member].launch->operand(0); }
  void placeWait(MergedEntry &entry);

  Graph &graph_;
  const Bucket &bucket_;
  const Node &first_;
  CollectiveCall call_;
  int64_t ranks_;
  int64_t total_ = 0;
  std::vector<int64_t> offsets_;
};

/// Returns the elements of a member in one rank's part of the buffer.
int64_t FlatRewrite::share(const Node &launch) const {
  int64_t elements = *launch.operand(0)->type()->numElements();
  return call_.spec->kind == CollectiveKind::ReduceScatter ? elements / ranks_ : elements;
}

/// Returns the elements that an all_to_all exchanges with each rank.
std::vector<int64_t> FlatRewrite::pieces(const Node &launch, int position) const {
  int64_t row = 1;
  for (const Dim &dim : launch.operand(0)->type()->sizes().drop_front())
    row *= dim.value();
  std::vector<int64_t> elements;
  llvm::SmallVector<int64_t, 8> splits = *splitSizes(launch, position);
  for (int64_t rows : splits)
    elements.push_back(rows * row);
  return elements;
}

std::vector<int64_t> FlatRewrite::piecesOfAll(int position) const {
  std::vector<int64_t> sum;
  for (const Candidate &member : bucket_.members) {
    std::vector<int64_t> own = pieces(*member.launch, position);
    sum.resize(own.size());
    for (size_t rank = 0; rank < own.size(); ++rank)
      sum[rank] += own[rank];
  }
  return sum;
}

// The part for each rank must be contiguous in the buffer, so the members' pieces for rank 0 come first, then those for
// rank 1. With a = [a0 a1] and b = [b0 b0 b1 b1], a letter for the member and a number for the receiving rank, the
// buffer is [a0 b0 b0 a1 b1 b1], and each rank receives its own part of all members.
Node *FlatRewrite::packPieces(GraphBuilder &builder) {
  std::vector<Node *> flat;
  std::vector<std::vector<int64_t>> lengths;
  for (size_t i = 0; i < bucket_.members.size(); ++i) {
    flat.push_back(view(builder, input(i), *input(i)->type()->numElements()));
    lengths.push_back(pieces(*bucket_.members[i].launch, call_.spec->inputSplits));
  }
  std::vector<int64_t> at(flat.size());
  std::vector<Node *> parts;
  for (size_t rank = 0; rank < lengths.front().size(); ++rank)
    for (size_t i = 0; i < flat.size(); ++i) {
      parts.push_back(slice(builder, flat[i], {0, at[i], at[i] + lengths[i][rank]}));
      at[i] += lengths[i][rank];
    }
  return cat(builder, parts, 0);
}

// A reduce_scatter gives equal shares of the buffer to the ranks, so the share of each rank must contain that rank's
// share of every member. On 2 ranks, a = f32[4] and b = f32[6] are viewed as the rows [2, 2] and [2, 3] and
// concatenated by columns:
//   a0 a1 b0 b1 b2         rank 0
//   a2 a3 b3 b4 b5         rank 1
// Other kinds concatenate the members.
Node *FlatRewrite::packInput(GraphBuilder &builder) {
  if (call_.spec->kind == CollectiveKind::AllToAll)
    return packPieces(builder);
  bool rows = call_.spec->kind == CollectiveKind::ReduceScatter;
  std::vector<Node *> parts;
  for (size_t i = 0; i < bucket_.members.size(); ++i) {
    int64_t elements = share(*bucket_.members[i].launch);
    parts.push_back(rows ? view(builder, input(i), {ranks_, elements}) : view(builder, input(i), elements));
  }
  Node *buffer = cat(builder, parts, rows ? 1 : 0);
  return rows ? view(builder, buffer, ranks_ * total_) : buffer;
}

int64_t FlatRewrite::resultElements(Node *input) const {
  int64_t elements = *input->type()->numElements();
  if (call_.spec->kind == CollectiveKind::AllGather)
    return elements * ranks_;
  if (call_.spec->kind == CollectiveKind::ReduceScatter)
    return elements / ranks_;
  if (call_.spec->kind != CollectiveKind::AllToAll)
    return elements;
  int64_t received = 0;
  for (int64_t piece : piecesOfAll(call_.spec->outputSplits))
    received += piece;
  return received;
}

Node *FlatRewrite::launch(GraphBuilder &builder, Node *input) {
  std::vector<Actual> args = argumentsWith(first_, input);
  if (call_.spec->kind == CollectiveKind::AllToAll)
    for (int position : {int{call_.spec->outputSplits}, int{call_.spec->inputSplits}})
      args[static_cast<size_t>(position)] = piecesOfAll(position);
  const Type *type = builder.tensorLike(*input->type(), resultElements(input));
  return builder.call(
      {.target = first_.target().str(), .args = std::move(args), .name = first_.name().str(), .type = type});
}

Node *FlatRewrite::unpackPieces(GraphBuilder &builder, Node *result, size_t member) {
  std::vector<std::vector<int64_t>> lengths;
  for (const Candidate &candidate : bucket_.members)
    lengths.push_back(pieces(*candidate.launch, call_.spec->outputSplits));
  std::vector<Node *> parts;
  int64_t at = 0;
  for (size_t rank = 0; rank < lengths.front().size(); ++rank)
    for (size_t i = 0; i < lengths.size(); ++i) {
      if (i == member)
        parts.push_back(slice(builder, result, {0, at, at + lengths[i][rank]}));
      at += lengths[i][rank];
    }
  return cat(builder, parts, 0);
}

// An all_gather returns such rows: what rank 0 sent, then what rank 1 sent. A member is a few columns of them. Columns
// are not contiguous, so they are copied.
Node *FlatRewrite::unpack(GraphBuilder &builder, Node *result, size_t member) {
  const Candidate &candidate = bucket_.members[member];
  IntList sizes = *staticDims(candidate.launch->type()->sizes());
  int64_t begin = offsets_[member];
  int64_t end = begin + share(*candidate.launch);
  if (call_.spec->kind == CollectiveKind::AllToAll)
    return view(builder, unpackPieces(builder, result, member), sizes);
  if (call_.spec->kind != CollectiveKind::AllGather) {
    Node *piece = view(builder, slice(builder, result, {0, begin, end}), sizes);
    return candidate.copied ? contiguous(builder, piece) : piece;
  }
  Node *matrix = view(builder, result, {ranks_, total_});
  return view(builder, contiguous(builder, slice(builder, matrix, {1, begin, end})), sizes);
}

MergedEntry FlatRewrite::run() {
  for (const Candidate &member : bucket_.members) {
    offsets_.push_back(total_);
    total_ += share(*member.launch);
  }
  MergedEntry entry;
  entry.layout = BucketLayout::Flat;
  std::vector<Node *> launches = launchesOf(bucket_);
  GraphBuilder before(graph_, launches.front());
  before.standFor(launches);
  Node *buffer = packInput(before);
  llvm::append_range(entry.scaffold, before.made());
  entry.launch = launch(before, buffer);
  placeWait(entry);
  retireLaunches(graph_, bucket_, entry.launch);
  return entry;
}

/// All members complete at the same time, so the single wait is at the position of their first wait; each member is
/// read from the buffer at the position of its own wait.
void FlatRewrite::placeWait(MergedEntry &entry) {
  Node *first = bucket_.members.front().wait;
  std::vector<Node *> waits;
  for (const Candidate &member : bucket_.members) {
    waits.push_back(member.wait);
    if (member.wait->isBefore(first))
      first = member.wait;
  }
  GraphBuilder atWait(graph_, first);
  atWait.standFor(waits);
  Node *wait = waitLike(atWait, entry.launch, *first);
  entry.waits.push_back(wait);
  for (size_t i = 0; i < bucket_.members.size(); ++i) {
    const Candidate &member = bucket_.members[i];
    GraphBuilder builder(graph_, member.wait);
    builder.standFor({member.wait});
    Node *value = unpack(builder, wait, i);
    llvm::append_range(entry.scaffold, builder.made());
    supersede(graph_, member.wait, value);
    entry.members.push_back({member.launch, {member.wait}, value, offsets_[i], share(*member.launch)});
  }
}

} // namespace

MergedEntry rewriteFlat(Graph &graph, const Bucket &bucket) { return FlatRewrite(graph, bucket).run(); }

MergedEntry rewriteGrouped(Graph &graph, const Bucket &bucket) {
  MergedEntry entry;
  std::vector<Node *> launches = launchesOf(bucket);
  const Node &first = *launches.front();
  std::vector<const Type *> types;
  std::vector<Node *> inputs;
  for (Node *launch : launches) {
    types.push_back(launch->type());
    inputs.push_back(launch->operand(0));
  }
  GraphBuilder builder(graph, launches.front());
  builder.standFor(launches);
  CollectiveKind kind = collectiveOf(first)->kind;
  std::string name = collectiveName(kind).str() + "_coalesced";
  entry.launch = builder.call({.target = formOf(kind, CollectiveForm::List),
                               .args = argumentsWith(first, inputs),
                               .name = name,
                               .type = graph.context().list(types)});
  // A list keeps all its elements live until the last of them is read, so all getitems directly follow the launch.
  for (size_t i = 0; i < launches.size(); ++i) {
    builder.standFor({launches[i]});
    entry.scaffold.push_back(builder.call("operator.getitem", {entry.launch, static_cast<int64_t>(i)}));
  }
  for (size_t i = 0; i < launches.size(); ++i) {
    const Candidate &member = bucket.members[i];
    GraphBuilder atWait(graph, member.wait);
    atWait.standFor({member.wait});
    Node *wait = waitLike(atWait, entry.scaffold[i], *member.wait);
    entry.waits.push_back(wait);
    supersede(graph, member.wait, wait);
    entry.members.push_back({member.launch, {member.wait}, wait, static_cast<int64_t>(i), 1});
  }
  retireLaunches(graph, bucket, entry.launch);
  return entry;
}

} // namespace ccgraph
