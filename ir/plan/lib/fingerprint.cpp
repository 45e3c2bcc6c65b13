#include "fingerprint.h"
#include "ccgraph/ir/collective.h"
#include "ccgraph/ir/graph.h"

#include "llvm/ADT/StringExtras.h"

namespace ccgraph {
namespace {

// Ranks whose programs differ may disagree about a collective, and the backend then hangs or mixes up data. A
// fingerprint contains the fields of one call in which all members must agree; `differences` compares two fingerprints,
// field by field:
//   rank 0   all_reduce sum f32[1024] on ranks [0, 1]
//   rank 1   all_reduce max f32[1024] on ranks [0, 1]       reduction: sum against max
//   rank 1   all_reduce sum f32[512] on ranks [0, 1]        elements: 1024 against 512
// Shapes are not compared: f32[32, 32] and f32[1024] send the same bytes.
//
// A field that is unknown on one side (a symbolic size, a group that no table describes) matches any value. So "no
// difference" alone is no proof of agreement: both fingerprints must also be `complete`.
//
// The two ends of a transfer have different kinds. A send to rank 1 and a receive from rank 0 must agree in dtype,
// elements and tag. The caller that pairs them also matches their peers.
using Kind = CollectiveKind;
using Print = CollectiveFingerprint;

std::string textOf(std::optional<int64_t> number) { return number ? std::to_string(*number) : "?"; }
std::string textOf(std::optional<DType> dtype) { return dtype ? shortName(*dtype).str() : "?"; }
std::string textOf(std::optional<ReduceOp> op) { return op ? reduceOpName(*op).str() : "?"; }

std::string textOf(llvm::ArrayRef<int64_t> ranks) {
  std::string text;
  for (int64_t rank : ranks)
    text += (text.empty() ? "" : ", ") + std::to_string(rank);
  return "[" + text + "]";
}

bool hasRoot(Kind kind) { return kind == Kind::Broadcast || kind == Kind::Scatter; }
bool reduces(Kind kind) { return kind == Kind::AllReduce || kind == Kind::ReduceScatter; }
/// Members of an all_to_all send each other different shares: two of them have only the sum of their exchange in
/// common.
bool countsAgree(Kind kind) { return kind != Kind::AllToAll && kind != Kind::ShardDimAllToAll; }

Print::Row rowOf(const Node &tensor) {
  const Type *type = tensor.type();
  if (!type || !type->isTensor())
    return {};
  return {type->dtype(), type->numElements()};
}

/// Returns the ranks of the call as global ranks; empty if no file gives them.
std::vector<int64_t> membersOf(const CollectiveCall &call, const GroupTable &table, int64_t rank) {
  if (!call.ranks.empty())
    return call.ranks;
  llvm::StringRef name = call.group;
  if (call.groupNode && call.groupNode->opcode() == Opcode::GetAttr)
    name = call.groupNode->target().str();
  const Group *group = table.find(name);
  return group ? group->members(rank).vec() : std::vector<int64_t>();
}

std::optional<int64_t> at(llvm::ArrayRef<int64_t> numbers, size_t index) {
  return index < numbers.size() ? std::optional(numbers[index]) : std::nullopt;
}

Print ofCollective(const CollectiveCall &call, std::vector<int64_t> members) {
  Print print;
  print.kind = call.spec->kind;
  print.reduceOp = parseReduceOp(call.reduceOp);
  print.root = call.root;
  print.members = std::move(members);
  // All members of a scatter receive tensors of the same form, and only the root sends.
  const auto &tensors = print.kind == Kind::Scatter ? call.outputs : call.inputs;
  for (const Node *tensor : tensors)
    print.rows.push_back(rowOf(*tensor));
  print.complete = isComplete(print);
  return print;
}

Print ofTransfer(Kind kind, const Node &tensor, size_t entry, const CollectiveCall &call,
                 const std::vector<int64_t> &members) {
  Print print;
  print.kind = kind;
  print.rows = {rowOf(tensor)};
  print.members = members;
  if (std::optional<int64_t> peer = at(call.peers, entry); peer && *peer >= 0)
    print.peer = at(members, static_cast<size_t>(*peer));
  print.tag = at(call.tags, entry);
  print.complete = isComplete(print);
  return print;
}

/// Returns the entries of a batch, in the order of the call.
std::vector<Print> ofBatch(const Node &node, const CollectiveCall &call, const std::vector<int64_t> &members) {
  std::vector<Print> prints;
  const Argument *words = argumentAt(node, 0);
  size_t sent = 0, received = 0;
  for (const Argument &word : words ? words->elements() : llvm::ArrayRef<Argument>()) {
    bool receives = word.is(Argument::Kind::String) && word.text() == "irecv";
    size_t index = receives ? received++ : sent++;
    const auto &tensors = receives ? call.outputs : call.inputs;
    if (index < tensors.size())
      prints.push_back(ofTransfer(receives ? Kind::Recv : Kind::Send, *tensors[index], prints.size(), call, members));
  }
  return prints;
}

void compareRows(const Print &a, const Print &b, std::vector<FingerprintDifference> &found) {
  if (a.rows.size() != b.rows.size()) {
    found.push_back({"number of tensors", std::to_string(a.rows.size()), std::to_string(b.rows.size())});
    return;
  }
  for (size_t row = 0; row < a.rows.size(); ++row) {
    std::string suffix = a.rows.size() > 1 ? " of tensor " + std::to_string(row) : "";
    auto compare = [&](const char *field, auto x, auto y) {
      if (x && y && *x != *y)
        found.push_back({field + suffix, textOf(x), textOf(y)});
    };
    compare("dtype", a.rows[row].dtype, b.rows[row].dtype);
    if (countsAgree(a.kind))
      compare("elements", a.rows[row].elements, b.rows[row].elements);
  }
}

bool areEndsOfOne(const Print &a, const Print &b) {
  return (a.kind == Kind::Send && b.kind == Kind::Recv) || (a.kind == Kind::Recv && b.kind == Kind::Send);
}

} // namespace

bool isComplete(const CollectiveFingerprint &print) {
  bool rows = llvm::all_of(
      print.rows, [&](const Print::Row &row) { return row.dtype && (row.elements || !countsAgree(print.kind)); });
  bool reduction = !reduces(print.kind) || print.reduceOp;
  bool root = !hasRoot(print.kind) || print.root;
  bool transfer = !isPointToPoint(print.kind) || (print.peer && print.tag);
  return rows && reduction && root && transfer && !print.members.empty();
}

std::string CollectiveFingerprint::payload() const {
  std::vector<std::string> words;
  if (reduces(kind) || reduceOp)
    words.push_back(textOf(reduceOp));
  if (hasRoot(kind))
    words.push_back("from " + textOf(root));
  for (const Row &row : rows)
    words.push_back(textOf(row.dtype) + "[" + textOf(row.elements) + "]");
  return llvm::join(words, " ");
}

std::string CollectiveFingerprint::str() const {
  std::string text = collectiveName(kind).str();
  if (std::string what = payload(); !what.empty())
    text += " " + what;
  if (isPointToPoint(kind))
    text += (kind == Kind::Recv ? " from rank " : " to rank ") + textOf(peer) +
            (tag.value_or(0) ? " tag " + textOf(tag) : "");
  return text + (members.empty() ? " on unknown ranks" : " on ranks " + textOf(members));
}

std::vector<CollectiveFingerprint> fingerprintsOf(const Node &node, const GroupTable &table, int64_t rank) {
  std::optional<CollectiveCall> call = collectiveCall(node);
  if (!call)
    return {};
  std::vector<int64_t> members = membersOf(*call, table, rank);
  if (call->spec->kind == Kind::BatchP2P)
    return ofBatch(node, *call, members);
  if (!isPointToPoint(call->spec->kind))
    return {ofCollective(*call, std::move(members))};
  const auto &tensors = call->spec->kind == Kind::Send ? call->inputs : call->outputs;
  if (tensors.empty())
    return {};
  return {ofTransfer(call->spec->kind, *tensors.front(), 0, *call, members)};
}

std::vector<FingerprintDifference> differences(const CollectiveFingerprint &a, const CollectiveFingerprint &b) {
  std::vector<FingerprintDifference> found;
  bool ends = areEndsOfOne(a, b);
  if (a.kind != b.kind && !ends)
    return {{"kind", collectiveName(a.kind).str(), collectiveName(b.kind).str()}};
  if (a.reduceOp && b.reduceOp && *a.reduceOp != *b.reduceOp)
    found.push_back({"reduction", textOf(a.reduceOp), textOf(b.reduceOp)});
  if (a.root && b.root && *a.root != *b.root)
    found.push_back({"source", textOf(a.root), textOf(b.root)});
  if (!a.members.empty() && !b.members.empty() && a.members != b.members)
    found.push_back({"members", textOf(a.members), textOf(b.members)});
  if (ends && a.tag && b.tag && *a.tag != *b.tag)
    found.push_back({"tag", textOf(a.tag), textOf(b.tag)});
  compareRows(a, b, found);
  return found;
}

} // namespace ccgraph
