#include "schedule/coalesce/bucket_rewrite.h"

#include "schedule/coalesce/node_writer.h"

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

/// The collective's other arguments, as the first member has them.
void copyTail(const Node &like, ArgumentBuilder &builder, std::vector<Argument> &args) {
  for (const Argument &argument : like.args().drop_front())
    args.push_back(builder.copy(argument, [&](uint32_t index) { return like.operand(index); }));
}

void copyOrdering(Graph &graph, const Node &from, Node *to) {
  for (unsigned i = 0; i < from.numOrdering(); ++i)
    graph.addOrdering(to, from.ordering(i));
}

/// `by` takes the place of a node: its ordering edges, its users and its name.
void supersede(Graph &graph, Node *node, Node *by) {
  std::string name = node->name().str().str();
  copyOrdering(graph, *node, by);
  graph.replaceAllUses(node, by);
  graph.erase(node);
  graph.rename(by, name);
}

/// Takes the members' launches out; who was ordered behind one of them is so behind the one launch.
void retireLaunches(Graph &graph, const Bucket &bucket, Node *launch) {
  for (const Candidate &member : bucket.members) {
    copyOrdering(graph, *member.launch, launch);
    graph.replaceAllUses(member.launch, launch);
    graph.erase(member.launch);
  }
}

/// One flat bucket in the making.
class FlatRewrite {
public:
  FlatRewrite(Graph &graph, const Bucket &bucket)
      : graph_(graph), bucket_(bucket), first_(*bucket.members.front().launch), call_(*collectiveCall(first_)),
        ranks_(call_.groupSize.value_or(1)) {}
  MergedEntry run();

private:
  Node *packInput(NodeWriter &writer);
  Node *packPieces(NodeWriter &writer);
  Node *launch(NodeWriter &writer, Node *input);
  [[nodiscard]] int64_t resultElements(Node *input) const;
  Node *unpack(NodeWriter &writer, Node *result, size_t member);
  Node *unpackPieces(NodeWriter &writer, Node *result, size_t member);
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

/// Elements of a member in one rank's part of the buffer.
int64_t FlatRewrite::share(const Node &launch) const {
  int64_t elements = *launch.operand(0)->type()->numElements();
  return call_.spec->kind == CollectiveKind::ReduceScatter ? elements / ranks_ : elements;
}

/// Elements that an all_to_all exchanges with each rank.
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

Node *FlatRewrite::packPieces(NodeWriter &writer) {
  std::vector<Node *> flat;
  std::vector<std::vector<int64_t>> lengths;
  for (size_t i = 0; i < bucket_.members.size(); ++i) {
    flat.push_back(writer.view(input(i), *input(i)->type()->numElements()));
    lengths.push_back(pieces(*bucket_.members[i].launch, call_.spec->inputSplits));
  }
  std::vector<int64_t> at(flat.size());
  std::vector<Node *> parts;
  for (size_t rank = 0; rank < lengths.front().size(); ++rank)
    for (size_t i = 0; i < flat.size(); ++i) {
      parts.push_back(writer.slice(flat[i], {0, at[i], at[i] + lengths[i][rank]}));
      at[i] += lengths[i][rank];
    }
  return writer.cat(parts, 0);
}

Node *FlatRewrite::packInput(NodeWriter &writer) {
  if (call_.spec->kind == CollectiveKind::AllToAll)
    return packPieces(writer);
  bool rows = call_.spec->kind == CollectiveKind::ReduceScatter;
  std::vector<Node *> parts;
  for (size_t i = 0; i < bucket_.members.size(); ++i) {
    int64_t elements = share(*bucket_.members[i].launch);
    parts.push_back(rows ? writer.view(input(i), {ranks_, elements}) : writer.view(input(i), elements));
  }
  Node *buffer = writer.cat(parts, rows ? 1 : 0);
  return rows ? writer.view(buffer, ranks_ * total_) : buffer;
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

Node *FlatRewrite::launch(NodeWriter &writer, Node *input) {
  const Type *type = contiguousLike(graph_.context(), input->type(), resultElements(input));
  return writer.call(first_.target().str(), first_.name().str(), type,
                     [&](ArgumentBuilder &builder, std::vector<Argument> &args) {
                       args = {builder.operand(input)};
                       copyTail(first_, builder, args);
                       if (call_.spec->kind != CollectiveKind::AllToAll)
                         return;
                       for (int position : {int{call_.spec->outputSplits}, int{call_.spec->inputSplits}})
                         args[static_cast<size_t>(position)] = builder.integers(piecesOfAll(position));
                     });
}

Node *FlatRewrite::unpackPieces(NodeWriter &writer, Node *result, size_t member) {
  std::vector<std::vector<int64_t>> lengths;
  for (const Candidate &candidate : bucket_.members)
    lengths.push_back(pieces(*candidate.launch, call_.spec->outputSplits));
  std::vector<Node *> parts;
  int64_t at = 0;
  for (size_t rank = 0; rank < lengths.front().size(); ++rank)
    for (size_t i = 0; i < lengths.size(); ++i) {
      if (i == member)
        parts.push_back(writer.slice(result, {0, at, at + lengths[i][rank]}));
      at += lengths[i][rank];
    }
  return writer.cat(parts, 0);
}

Node *FlatRewrite::unpack(NodeWriter &writer, Node *result, size_t member) {
  const Candidate &candidate = bucket_.members[member];
  llvm::SmallVector<int64_t, 4> sizes = staticSizes(candidate.launch->type());
  int64_t begin = offsets_[member];
  int64_t end = begin + share(*candidate.launch);
  if (call_.spec->kind == CollectiveKind::AllToAll)
    return writer.view(unpackPieces(writer, result, member), sizes);
  if (call_.spec->kind != CollectiveKind::AllGather) {
    Node *piece = writer.view(writer.slice(result, {0, begin, end}), sizes);
    return candidate.copied ? writer.contiguous(piece) : piece;
  }
  Node *matrix = writer.view(result, {ranks_, total_});
  return writer.view(writer.contiguous(writer.slice(matrix, {1, begin, end})), sizes);
}

MergedEntry FlatRewrite::run() {
  for (const Candidate &member : bucket_.members) {
    offsets_.push_back(total_);
    total_ += share(*member.launch);
  }
  MergedEntry entry;
  entry.layout = BucketLayout::Flat;
  std::vector<Node *> launches = launchesOf(bucket_);
  NodeWriter before(graph_, launches.front());
  before.standFor(launches);
  Node *buffer = packInput(before);
  llvm::append_range(entry.scaffold, before.made());
  entry.launch = launch(before, buffer);
  placeWait(entry);
  retireLaunches(graph_, bucket_, entry.launch);
  return entry;
}

/// Because all members arrive at once, the one wait stands where the first of theirs stood; each
/// member is taken out where its own stood.
void FlatRewrite::placeWait(MergedEntry &entry) {
  Node *first = bucket_.members.front().wait;
  std::vector<Node *> waits;
  for (const Candidate &member : bucket_.members) {
    waits.push_back(member.wait);
    if (member.wait->isBefore(first))
      first = member.wait;
  }
  NodeWriter atWait(graph_, first);
  atWait.standFor(waits);
  Node *wait = atWait.wait(entry.launch, first);
  entry.waits.push_back(wait);
  for (size_t i = 0; i < bucket_.members.size(); ++i) {
    const Candidate &member = bucket_.members[i];
    NodeWriter writer(graph_, member.wait);
    writer.standFor({member.wait});
    Node *value = unpack(writer, wait, i);
    llvm::append_range(entry.scaffold, writer.made());
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
  NodeWriter writer(graph, launches.front());
  writer.standFor(launches);
  CollectiveKind kind = collectiveOf(first)->kind;
  entry.launch = writer.call(formOf(kind, CollectiveForm::List), (collectiveName(kind) + "_coalesced").str(),
                             graph.context().list(types), [&](ArgumentBuilder &builder, std::vector<Argument> &args) {
                               args = {builder.nodes(inputs)};
                               copyTail(first, builder, args);
                             });
  // Because a list keeps all its elements alive until the last of them is taken out, they are taken
  // out at once.
  for (size_t i = 0; i < launches.size(); ++i) {
    writer.standFor({launches[i]});
    entry.scaffold.push_back(writer.getItem(entry.launch, static_cast<int64_t>(i), types[i]));
  }
  for (size_t i = 0; i < launches.size(); ++i) {
    const Candidate &member = bucket.members[i];
    NodeWriter atWait(graph, member.wait);
    atWait.standFor({member.wait});
    Node *wait = atWait.wait(entry.scaffold[i], member.wait);
    entry.waits.push_back(wait);
    supersede(graph, member.wait, wait);
    entry.members.push_back({member.launch, {member.wait}, wait, static_cast<int64_t>(i), 1});
  }
  retireLaunches(graph, bucket, entry.launch);
  return entry;
}

} // namespace ccgraph
