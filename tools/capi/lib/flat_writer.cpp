// Implements ccgraph_edits_of, which compares an optimized graph with the snapshot from before the optimization.
#include "flat_texts.h"
#include "handles.h"

#include "ccgraph/ir/device.h"

#include "llvm/ADT/STLExtras.h"

#include <bit>

using namespace ccgraph;
using namespace ccgraph::capi;

struct ccgraph_edits {
  std::vector<uint32_t> order, operands, names, targets, types, likeBegin = {0}, likes;
  std::vector<uint8_t> opcodes;
  std::vector<uint64_t> textBegin = {0}, codeBegin = {0};
  std::vector<int64_t> code;
  std::string texts;
};

namespace {

class EditWriter {
public:
  EditWriter(const ccgraph_graph &handle, ccgraph_edits &edits)
      : graph_(*handle.graph), before_(*handle.before), imported_(handle.imported), edits_(edits),
        index_(graph_.idLimit(), imported_) {}

  void write() {
    number();
    for (const Node *node : graph_) {
      edits_.order.push_back(index_[node->id()]);
      if (const NodeState *state = before_.find(node))
        writeOperands(*node, *state);
      else
        writeMade(*node);
    }
  }

private:
  /// Numbers imported nodes by their original position, and new nodes by their present order.
  void number() {
    for (const NodeState &state : before_.nodes()) {
      index_[state.node->id()] = before_.position(state);
      byName_[state.name] = before_.position(state);
    }
    uint32_t next = imported_;
    for (const Node *node : graph_)
      if (!before_.find(node))
        index_[node->id()] = next++;
  }

  void writeOperands(const Node &node, const NodeState &state) {
    llvm::ArrayRef<Node *> then = before_.operands(state);
    for (unsigned i = 0; i < node.numOperands(); ++i)
      if (i >= then.size() || then[i] != node.operand(i))
        llvm::append_range(edits_.operands,
                           std::array<uint32_t, 3>{index_[node.id()], i, index_[node.operand(i)->id()]});
  }

  uint32_t text(llvm::StringRef text) {
    auto [found, isNew] = textIndex_.try_emplace(text, static_cast<uint32_t>(edits_.textBegin.size() - 1));
    if (isNew) {
      edits_.texts += text.str();
      edits_.textBegin.push_back(edits_.texts.size());
    }
    return found->second;
  }
  void put(int64_t kind, int64_t value) {
    edits_.code.push_back(kind);
    edits_.code.push_back(value);
  }
  void putNamed(llvm::ArrayRef<NamedArgument> entries, const Node &node) {
    edits_.code.push_back(static_cast<int64_t>(entries.size()));
    for (const NamedArgument &entry : entries) {
      edits_.code.push_back(text(entry.name.str()));
      writeValue(entry.value, node);
    }
  }
  void putSequence(int64_t kind, const Argument &argument, const Node &node) {
    edits_.code.push_back(kind);
    if (kind != CCGRAPH_SLICE)
      edits_.code.push_back(static_cast<int64_t>(argument.elements().size()));
    for (const Argument &element : argument.elements())
      writeValue(element, node);
  }

  void writeValue(const Argument &argument, const Node &node) {
    using Kind = Argument::Kind;
    switch (argument.kind()) {
    case Kind::None:
      return edits_.code.push_back(CCGRAPH_NONE);
    case Kind::Bool:
      return put(CCGRAPH_BOOL, argument.boolean() ? 1 : 0);
    case Kind::Int:
      return put(CCGRAPH_INT, argument.integer());
    case Kind::Float:
      return put(CCGRAPH_FLOAT, std::bit_cast<int64_t>(argument.floating()));
    case Kind::String:
      return put(CCGRAPH_STRING, text(argument.text()));
    case Kind::Symbolic:
      return put(CCGRAPH_SYMBOLIC, text(argument.symbolic()->text()));
    case Kind::DType:
      return put(CCGRAPH_DTYPE, text(shortName(argument.dtype())));
    case Kind::Device:
      return put(CCGRAPH_DEVICE, text(deviceText(argument.device())));
    case Kind::Layout:
      return put(CCGRAPH_LAYOUT, text(argument.text()));
    case Kind::MemoryFormat:
      return put(CCGRAPH_MEMORY_FORMAT, text(argument.text()));
    case Kind::Python:
      return put(CCGRAPH_PYTHON, text(argument.text()));
    case Kind::Operand:
      return put(CCGRAPH_NODE, index_[node.operand(argument)->id()]);
    case Kind::List:
      return putSequence(CCGRAPH_LIST, argument, node);
    case Kind::Tuple:
      return putSequence(CCGRAPH_TUPLE, argument, node);
    case Kind::Slice:
      return putSequence(CCGRAPH_SLICE, argument, node);
    case Kind::Dict:
      edits_.code.push_back(CCGRAPH_DICT);
      return putNamed(argument.entries(), node);
    }
    llvm_unreachable("no such kind");
  }

  void writeMade(const Node &node) {
    edits_.opcodes.push_back(static_cast<uint8_t>(node.opcode()));
    edits_.names.push_back(text(node.name().str()));
    edits_.targets.push_back(text(node.target().str()));
    edits_.types.push_back(node.type() ? text(flatTypeText(node.type())) : CCGRAPH_NO_TEXT);
    edits_.code.push_back(static_cast<int64_t>(node.args().size()));
    for (const Argument &argument : node.args())
      writeValue(argument, node);
    putNamed(node.kwargs(), node);
    edits_.codeBegin.push_back(edits_.code.size());
    for (Identifier origin : node.provenance().origins)
      if (auto found = byName_.find(origin); found != byName_.end())
        edits_.likes.push_back(found->second);
    edits_.likeBegin.push_back(static_cast<uint32_t>(edits_.likes.size()));
  }

  const Graph &graph_;
  const GraphSnapshot &before_;
  uint32_t imported_;
  ccgraph_edits &edits_;
  std::vector<uint32_t> index_;
  llvm::DenseMap<Identifier, uint32_t> byName_;
  llvm::StringMap<uint32_t> textIndex_;
};

} // namespace

ccgraph_error *ccgraph_edits_of(ccgraph_graph *graph, ccgraph_edits **edits) {
  if (!graph || !edits)
    return usage("ccgraph_edits_of: got NULL, expected a graph and a place for the edits");
  std::lock_guard lock(graph->mutex);
  if (!graph->imported || graph->state != ccgraph_graph::State::Optimized)
    return usage("edits are of a graph that was imported and then optimized",
                 "call ccgraph_import and ccgraph_optimize first");
  auto result = std::make_unique<ccgraph_edits>();
  EditWriter(*graph, *result).write();
  *edits = result.release();
  return nullptr;
}

int32_t ccgraph_edits_view(const ccgraph_edits *edits, ccgraph_edit_view *view) {
  if (!edits || !view || view->struct_size < sizeof(ccgraph_edit_view))
    return 0;
  view->order_count = static_cast<uint32_t>(edits->order.size());
  view->operand_count = static_cast<uint32_t>(edits->operands.size() / 3);
  view->order = edits->order.data();
  view->operands = edits->operands.data();
  view->made = {sizeof(ccgraph_flat),
                static_cast<uint32_t>(edits->names.size()),
                static_cast<uint32_t>(edits->textBegin.size() - 1),
                edits->texts.data(),
                edits->textBegin.data(),
                edits->opcodes.data(),
                edits->names.data(),
                edits->targets.data(),
                edits->types.data(),
                edits->codeBegin.data(),
                edits->code.data()};
  view->like_begin = edits->likeBegin.data();
  view->likes = edits->likes.data();
  return 1;
}

void ccgraph_edits_free(ccgraph_edits *edits) { delete edits; }
