#include "support/buckets.h"

#include "support/rewrites.h"

#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/group_id.h"

#include "llvm/ADT/STLExtras.h"

namespace ccgraph::test {

namespace {

using Sizes = std::vector<int64_t>;

Sizes sizesOf(const Node *node) {
  Sizes sizes;
  for (const Dim &size : node->type()->sizes())
    sizes.push_back(size.value());
  return sizes;
}

int64_t numElements(const Node *node) { return *node->type()->numElements(); }

class HandMerge {
public:
  HandMerge(llvm::ArrayRef<Node *> launches, BucketLayout layout, MergedEntry &entry)
      : launches_(launches), entry_(entry), call_(*collectiveCall(*launches[0])) {
    entry_.layout = layout;
    for (Node *launch : launches)
      entry_.members.push_back({launch, {onlyWait(launch)}, nullptr, 0, 0});
  }

  void run() {
    build_ = launches_.back();
    if (entry_.layout == BucketLayout::Grouped)
      grouped();
    else
      flat();
    for (BucketMember &member : entry_.members) {
      Graph &graph = *member.launch->graph();
      graph.replaceAllUses(member.waits[0], member.replacement);
      graph.erase(member.waits[0]);
    }
    for (BucketMember &member : entry_.members)
      member.launch->graph()->erase(member.launch);
  }

private:
  Node *input(const BucketMember &member) const { return member.launch->operand(0); }

  Node *make(llvm::StringRef name, llvm::StringRef target, const std::vector<Actual> &arguments, const Sizes &sizes) {
    Node *node = makeCall(build_, name, target, arguments);
    Graph &graph = *node->graph();
    llvm::SmallVector<Dim, 4> dims(sizes.begin(), sizes.end());
    const Type *like = input(entry_.members[0])->type();
    graph.setType(node, graph.context().contiguousTensor(like->dtype(), dims, like->device()));
    entry_.scaffold.push_back(node);
    return node;
  }

  /// Returns the launch's own arguments with another first argument.
  std::vector<Actual> argumentsWith(const Actual &first) const {
    std::vector<Actual> arguments{first};
    for (const Argument &argument : launches_[0]->args().drop_front())
      arguments.push_back(Actual::copyOf(*launches_[0], argument));
    return arguments;
  }

  Node *launch(const std::vector<Actual> &arguments, llvm::StringRef target, const Sizes &sizes) {
    Node *node = make("bucket", target, arguments, sizes);
    entry_.scaffold.pop_back();
    entry_.launch = node;
    afterLaunch(node);
    return node;
  }

  /// Places the following nodes at the first wait, if that is after the launch.
  void afterLaunch(Node *launched) {
    build_ = entry_.members[0].waits[0];
    for (const BucketMember &member : entry_.members)
      build_ = member.waits[0]->isBefore(build_) ? member.waits[0] : build_;
    build_ = build_->isBefore(launched) ? launched->next() : build_;
  }

  Node *wait(Node *value, const Sizes &sizes) {
    Node *node = make("bucket_wait", "_c10d_functional.wait_tensor.default", {value}, sizes);
    entry_.scaffold.pop_back();
    entry_.waits.push_back(node);
    return node;
  }

  void grouped() {
    std::vector<Node *> inputs;
    for (const BucketMember &member : entry_.members)
      inputs.push_back(input(member));
    std::string target =
        launches_[0]->target().str().drop_back(std::string("default").size() + 1).str() + "_coalesced.default";
    launch(argumentsWith(Actual::nodes(inputs)), target, {});
    entry_.launch->graph()->setType(entry_.launch, nullptr);
    int64_t index = 0;
    for (BucketMember &member : entry_.members) {
      Sizes sizes = sizesOf(member.waits[0]);
      member.offset = index;
      member.length = 1;
      member.replacement = wait(make("bucket_item", "operator.getitem", {entry_.launch, index++}, sizes), sizes);
    }
  }

  void flat() {
    switch (call_.spec->kind) {
    case CollectiveKind::AllReduce:
    case CollectiveKind::Broadcast:
      return flatElementwise();
    case CollectiveKind::AllGather:
      return flatGather();
    case CollectiveKind::ReduceScatter:
      return flatScatter();
    case CollectiveKind::AllToAll:
      return flatTranspose();
    case CollectiveKind::Scatter:
    case CollectiveKind::Send:
    case CollectiveKind::Recv:
    case CollectiveKind::BatchP2P:
    case CollectiveKind::ShardDimAllToAll:
    case CollectiveKind::Barrier:
      break;
    }
    assert(false && "a kind that is merged");
  }

  std::string target() const { return launches_[0]->target().str().str(); }

  Node *flatCat(int64_t &total) {
    std::vector<Node *> flats;
    for (BucketMember &member : entry_.members) {
      member.offset = total;
      member.length = numElements(input(member));
      total += member.length;
      flats.push_back(make("bucket_flat", "aten.reshape.default", {input(member), Actual::integers({member.length})},
                           {member.length}));
    }
    return make("bucket_cat", "aten.cat.default", {Actual::nodes(flats)}, {total});
  }

  void pieces(Node *whole) {
    for (BucketMember &member : entry_.members) {
      Node *piece = make("bucket_piece", "aten.slice.Tensor", {whole, 0, member.offset, member.offset + member.length},
                         {member.length});
      Sizes sizes = sizesOf(member.waits[0]);
      Node *view = make("bucket_view", "aten.view.default", {piece, Actual::integers(sizes)}, sizes);
      // A reader may observe the address of the result, so the result gets memory of its own.
      member.replacement = make("bucket_own", "aten.clone.default", {view}, sizes);
    }
  }

  void flatElementwise() {
    int64_t total = 0;
    Node *sent = flatCat(total);
    pieces(wait(launch(argumentsWith(sent), target(), {total}), {total}));
  }

  void flatGather() {
    int64_t total = 0;
    int64_t ranks = *call_.groupSize;
    Node *sent = flatCat(total);
    Node *received = wait(launch(argumentsWith(sent), target(), {ranks * total}), {ranks * total});
    Node *rows = make("bucket_rows", "aten.view.default", {received, Actual::integers({ranks, total})}, {ranks, total});
    for (BucketMember &member : entry_.members) {
      Node *column =
          make("bucket_column", "aten.narrow.default", {rows, 1, member.offset, member.length}, {ranks, member.length});
      setStrides(column, total);
      column = make("bucket_copy", "aten.clone.default", {column}, {ranks, member.length});
      Sizes sizes = sizesOf(member.waits[0]);
      member.replacement = make("bucket_view", "aten.reshape.default", {column, Actual::integers(sizes)}, sizes);
    }
  }

  static void setStrides(Node *node, int64_t rowStride) {
    const Type *type = node->type();
    Dim strides[] = {rowStride, 1};
    node->graph()->setType(
        node, node->graph()->context().tensor(type->dtype(), {type->sizes(), strides, true}, type->device()));
  }

  void flatScatter() {
    int64_t ranks = *call_.groupSize;
    int64_t total = 0;
    std::vector<Node *> rows;
    for (BucketMember &member : entry_.members) {
      member.offset = total;
      member.length = numElements(input(member)) / ranks;
      total += member.length;
      rows.push_back(make("bucket_rows", "aten.view.default", {input(member), Actual::integers({ranks, member.length})},
                          {ranks, member.length}));
    }
    Node *cat = make("bucket_cat", "aten.cat.default", {Actual::nodes(rows), 1}, {ranks, total});
    Node *sent = make("bucket_flat", "aten.view.default", {cat, Actual::integers({ranks * total})}, {ranks * total});
    pieces(wait(launch(argumentsWith(sent), target(), {total}), {total}));
  }

  static Sizes splits(const Node *launch, int parameter) {
    Sizes values;
    for (const Argument &split : argumentAt(*launch, parameter)->elements())
      values.push_back(split.integer());
    return values;
  }

  void flatTranspose() {
    std::vector<Node *> sections;
    Sizes sent;
    Sizes received;
    size_t ranks = splits(launches_[0], call_.spec->inputSplits).size();
    for (size_t rank = 0; rank < ranks; ++rank) {
      sent.push_back(0);
      received.push_back(0);
      for (BucketMember &member : entry_.members)
        addChunk(member, rank, sections, sent.back(), received.back());
    }
    int64_t total = 0;
    for (int64_t count : sent)
      total += count;
    Node *cat = make("bucket_cat", "aten.cat.default", {Actual::nodes(sections)}, {total});
    int64_t out = 0;
    for (int64_t count : received)
      out += count;
    std::string group = argumentAt(*launches_[0], call_.spec->group)->text().str();
    Node *waited =
        wait(launch({cat, Actual::integers(received), Actual::integers(sent), group}, target(), {out}), {out});
    unpack(waited, received);
  }

  void addChunk(BucketMember &member, size_t rank, std::vector<Node *> &sections, int64_t &sent, int64_t &received) {
    Sizes in = splits(member.launch, call_.spec->inputSplits);
    Sizes out = splits(member.launch, call_.spec->outputSplits);
    Sizes sizes = sizesOf(input(member));
    int64_t row = numElements(input(member)) / std::max<int64_t>(sizes[0], 1);
    int64_t start = 0;
    for (size_t i = 0; i < rank; ++i)
      start += in[i];
    sizes[0] = in[rank];
    Node *chunk = make("bucket_chunk", "aten.slice.Tensor", {input(member), 0, start, start + in[rank]}, sizes);
    sections.push_back(
        make("bucket_flat", "aten.view.default", {chunk, Actual::integers({in[rank] * row})}, {in[rank] * row}));
    sent += in[rank] * row;
    received += out[rank] * row;
    member.length += in[rank] * row;
  }

  void unpack(Node *waited, const Sizes &received) {
    std::vector<int64_t> within(received.size());
    for (BucketMember &member : entry_.members) {
      Sizes out = splits(member.launch, call_.spec->outputSplits);
      Sizes sizes = sizesOf(member.waits[0]);
      int64_t row = numElements(input(member)) / std::max<int64_t>(sizesOf(input(member))[0], 1);
      std::vector<Node *> parts;
      int64_t section = 0;
      for (size_t rank = 0; rank < received.size(); ++rank) {
        int64_t start = section + within[rank];
        parts.push_back(
            make("bucket_part", "aten.slice.Tensor", {waited, 0, start, start + out[rank] * row}, {out[rank] * row}));
        within[rank] += out[rank] * row;
        section += received[rank];
      }
      Node *cat = make("bucket_parts", "aten.cat.default", {Actual::nodes(parts)}, {numElements(member.waits[0])});
      member.replacement = make("bucket_view", "aten.view.default", {cat, Actual::integers(sizes)}, sizes);
    }
  }

  llvm::ArrayRef<Node *> launches_;
  MergedEntry &entry_;
  CollectiveCall call_;
  Node *build_ = nullptr; ///< new nodes are inserted before this one
};

bool consecutive(llvm::ArrayRef<Node *> launches) {
  std::string key = groupIdOf(*launches[0]).text;
  size_t met = 0;
  for (Node *node = launches.front(); node != launches.back()->next(); node = node->next())
    met += collectiveOf(*node) && groupIdOf(*node).text == key ? 1 : 0;
  return met == launches.size();
}

} // namespace

Node *onlyWait(const Node *launch) {
  Node *wait = nullptr;
  for (const Use &use : launch->uses()) {
    if (wait || !isWait(*use.user()))
      return nullptr;
    wait = use.user();
  }
  return wait;
}

void stateOrder(const Node *launch, Certificate &certificate) {
  MovedEntry entry{groupIdOf(*launch).text, {}};
  for (Node *node : launch->graph()->nodes())
    if (collectiveOf(*node) && groupIdOf(*node).text == entry.group)
      entry.issue.push_back(node);
  llvm::erase_if(certificate.moved, [&](const MovedEntry &old) { return old.group == entry.group; });
  certificate.moved.push_back(std::move(entry));
}

MergedEntry &mergeByHand(llvm::ArrayRef<Node *> launches, BucketLayout layout, Certificate &certificate) {
  bool inOrder = consecutive(launches);
  MergedEntry &entry = certificate.merged.emplace_back();
  HandMerge(launches, layout, entry).run();
  if (!inOrder)
    stateOrder(entry.launch, certificate);
  return entry;
}

} // namespace ccgraph::test
