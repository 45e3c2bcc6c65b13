#include "ccgraph/frontend/chakra.h"

#include "ccgraph/ir/async_pairs.h"
#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/effects.h"
#include "ccgraph/ir/group_id.h"
#include "chakra/protobuf_message.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace ccgraph {
namespace {

// Numbers of et_def.proto.
enum NodeType : uint64_t { Comp = 4, CommSend = 5, CommRecv = 6, CommColl = 7 };
enum CommType : uint64_t {
  AllReduce = 0,
  AllGather = 2,
  Scatter = 4,
  Broadcast = 5,
  AllToAll = 6,
  ReduceScatter = 7,
  Barrier = 9
};
namespace field {
constexpr uint32_t version = 1, id = 1, name = 2, type = 3, ctrlDeps = 4, dataDeps = 5, duration = 7, attr = 10,
                   attrName = 1, int64Value = 9, int64List = 10, boolValue = 27, textValue = 29, listValues = 1;
} // namespace field

constexpr llvm::StringLiteral schemaVersion = "0.0.4";

uint64_t commType(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllReduce:
    return AllReduce;
  case CollectiveKind::AllGather:
    return AllGather;
  case CollectiveKind::ReduceScatter:
    return ReduceScatter;
  case CollectiveKind::AllToAll:
  case CollectiveKind::ShardDimAllToAll:
    return AllToAll;
  case CollectiveKind::Broadcast:
    return Broadcast;
  case CollectiveKind::Scatter:
    return Scatter;
  case CollectiveKind::Barrier:
    return Barrier;
  default:
    llvm_unreachable("transfers have no type of collective");
  }
}

/// The attributes of a node.
class Attributes {
public:
  explicit Attributes(ProtobufMessage &node) : node_(node) {}
  void number(llvm::StringRef name, int64_t value) {
    add(name, [&](ProtobufMessage &attr) { attr.number(field::int64Value, static_cast<uint64_t>(value)); });
  }
  void flag(llvm::StringRef name, uint64_t value) {
    add(name, [&](ProtobufMessage &attr) { attr.number(field::boolValue, value); });
  }
  void text(llvm::StringRef name, llvm::StringRef value) {
    add(name, [&](ProtobufMessage &attr) { attr.text(field::textValue, value); });
  }
  void list(llvm::StringRef name, llvm::ArrayRef<int64_t> values) {
    ProtobufMessage list;
    list.numbers(field::listValues, std::vector<uint64_t>(values.begin(), values.end()));
    add(name, [&](ProtobufMessage &attr) { attr.message(field::int64List, list); });
  }

private:
  void add(llvm::StringRef name, llvm::function_ref<void(ProtobufMessage &)> value) {
    ProtobufMessage attr;
    attr.text(field::attrName, name);
    value(attr);
    node_.message(field::attr, attr);
  }
  ProtobufMessage &node_;
};

using Ids = llvm::SmallVector<uint64_t, 2>;

void unite(Ids &ids, llvm::ArrayRef<uint64_t> more) {
  for (uint64_t id : more)
    if (!llvm::is_contained(ids, id))
      ids.push_back(id);
}

class Writer {
public:
  Writer(llvm::raw_ostream &os, const Graph &graph, llvm::function_ref<int64_t(const Node &)> picosecondsOf)
      : os_(os), graph_(graph), picosecondsOf_(picosecondsOf), pairs_(graph, StorageMap(graph)) {}

  void write() {
    ProtobufMessage metadata;
    metadata.text(field::version, schemaVersion);
    os_ << metadata.delimited();
    for (const Node *node : graph_)
      visit(*node);
  }

private:
  void visit(const Node &node) {
    for (const Use &use : node.operandUses())
      unite(sources_[&node], sources_.lookup(use.def()));
    for (const Node *launch : pairs_.completes(&node))
      unite(stream_, sources_.lookup(launch));
    const Node *call = wrappedCall(node);
    if (call && call->op() && call->op()->collective)
      return launch(node, *call);
    if (const int64_t time = picosecondsOf_(node); time > 0)
      compute(node, time);
  }

  void compute(const Node &node, int64_t time) {
    ProtobufMessage message = begin(node, Comp, stream_);
    Attributes attributes = timed(message, time);
    std::optional<Work> work = node.op() && node.op()->work ? node.op()->work(node) : std::nullopt;
    if (work) {
      attributes.number("num_ops", static_cast<int64_t>(work->flops));
      attributes.number("tensor_size", static_cast<int64_t>(work->bytes));
    }
    stream_ = {end(node, message)};
  }

  /// A batch of transfers has one node for each.
  void launch(const Node &node, const Node &call) {
    const std::string group = groupIdOf(call).text;
    Ids before = stream_;
    unite(before, groups_.lookup(group));
    const std::vector<CollectiveFingerprint> entries = fingerprintsOf(call, graph_.groups(), graph_.rank.value_or(0));
    const Ids inputs = sources_.lookup(&node);
    Ids ids;
    for (const CollectiveFingerprint &entry : entries) {
      sources_[&node] = inputs;
      const bool isTransfer = isPointToPoint(entry.kind);
      const NodeType type = !isTransfer ? CommColl : entry.kind == CollectiveKind::Recv ? CommRecv : CommSend;
      ProtobufMessage message = begin(node, type, before);
      Attributes attributes = timed(message, picosecondsOf_(node));
      attributes.text("pg_name", group);
      attributes.number("comm_size", bytesOf(entry));
      describe(attributes, entry);
      ids.push_back(end(node, message));
    }
    sources_[&node] = ids;
    groups_[group] = ids;
  }

  static void describe(Attributes &attributes, const CollectiveFingerprint &entry) {
    if (!isPointToPoint(entry.kind)) {
      attributes.number("comm_type", static_cast<int64_t>(commType(entry.kind)));
      if (!entry.members.empty())
        attributes.list("pg_ranks", entry.members);
      return;
    }
    if (entry.peer)
      attributes.number(entry.kind == CollectiveKind::Recv ? "comm_src" : "comm_dst", *entry.peer);
    attributes.number("comm_tag", entry.tag.value_or(0));
  }

  /// Returns 0 where a size or a dtype is unknown.
  static int64_t bytesOf(const CollectiveFingerprint &entry) {
    int64_t bytes = 0;
    for (const CollectiveFingerprint::Row &row : entry.rows) {
      if (!row.dtype || !row.elements)
        return 0;
      bytes += *row.elements * static_cast<int64_t>(sizeInBytes(*row.dtype));
    }
    return bytes;
  }

  ProtobufMessage begin(const Node &node, NodeType type, llvm::ArrayRef<uint64_t> before) {
    ProtobufMessage message;
    message.number(field::id, ++lastId_);
    message.text(field::name, node.name().str());
    message.number(field::type, type);
    const Ids data = sources_.lookup(&node);
    Ids control;
    for (uint64_t id : before)
      if (!llvm::is_contained(data, id))
        control.push_back(id);
    message.numbers(field::ctrlDeps, control);
    message.numbers(field::dataDeps, data);
    return message;
  }

  static Attributes timed(ProtobufMessage &message, int64_t picoseconds) {
    constexpr int64_t picosecondsOfUs = 1'000'000;
    // proto3 leaves out a zero.
    if (const int64_t us = (picoseconds + picosecondsOfUs / 2) / picosecondsOfUs; us > 0)
      message.number(field::duration, static_cast<uint64_t>(us));
    Attributes attributes(message);
    attributes.flag("is_cpu_op", 0);
    attributes.number("duration_ps", picoseconds);
    return attributes;
  }

  uint64_t end(const Node &node, const ProtobufMessage &message) {
    os_ << message.delimited();
    sources_[&node] = {lastId_};
    return lastId_;
  }

  llvm::raw_ostream &os_;
  const Graph &graph_;
  llvm::function_ref<int64_t(const Node &)> picosecondsOf_;
  AsyncPairs pairs_;
  uint64_t lastId_ = 0;
  /// what the compute stream has reached: the last computation, and the collectives that were waited for since
  Ids stream_;
  /// by group: its last collective
  llvm::StringMap<Ids> groups_;
  /// by node: the steps of the trace on which its value depends; looked up, never iterated
  llvm::DenseMap<const Node *, Ids> sources_;
};

} // namespace

void writeChakra(llvm::raw_ostream &os, const Graph &graph,
                 llvm::function_ref<int64_t(const Node &node)> picosecondsOf) {
  Writer(os, graph, picosecondsOf).write();
}

} // namespace ccgraph
