#include "ccgraph/ir/infer_types.h"

#include "ccgraph/ir/op_def.h"
#include "ccgraph/ir/subgraph_calls.h"
#include "ccgraph/ir/type_inference.h"

#include "llvm/ADT/MapVector.h"

#include <map>

namespace ccgraph {
namespace {

/// A call that yields one tensor by its schema: what print_readable prints with a type.
bool yieldsTensor(const Node &node) {
  const OpDef *op = node.op();
  return node.opcode() == Opcode::CallFunction && op && !op->opaque && op->results.size() == 1 &&
         op->results[0].type == "Tensor";
}

/// The highest number of a symbol "u12" that an input's type or an argument mentions, and one more.
uint64_t nextSymbol(const Graph &graph) {
  uint64_t next = 0;
  auto look = [&](llvm::StringRef text) {
    for (size_t at = text.find('u'); at != llvm::StringRef::npos; at = text.find('u', at + 1)) {
      uint64_t number = 0;
      if (!text.drop_front(at + 1).take_while(llvm::isDigit).getAsInteger(10, number))
        next = std::max(next, number + 1);
    }
  };
  for (const Node *node : graph)
    if (node->type() && node->opcode() != Opcode::CallFunction)
      look(node->type()->str());
  return next;
}

/// Returns the stated type; elements of a list that have no stated type get the inferred one.
const Type *filled(Context &context, const Type *told, const Type *inferred) {
  if (!told || !inferred)
    return told ? told : inferred;
  if (!told->isList() || !inferred->isList() || told->elements().size() != inferred->elements().size())
    return told;
  llvm::SmallVector<const Type *, 8> elements;
  for (auto [one, other] : llvm::zip(told->elements(), inferred->elements()))
    elements.push_back(filled(context, one, other));
  return context.list(elements);
}

class Inference {
public:
  void run(Graph &graph) {
    TypeInference inference(nextSymbol(graph));
    for (const auto &[name, subgraph] : graph.subgraphs())
      run(*subgraph);
    for (Node *node : graph.nodes())
      if (node->opcode() == Opcode::CallFunction && lacksType(node->type()))
        visit(graph, *node, inference);
  }

  InferenceReport take() {
    report_.withoutRule.assign(open_.begin(), open_.end());
    return std::move(report_);
  }

private:
  void visit(Graph &graph, Node &node, TypeInference &inference) {
    const Type *before = node.type();
    if (const Type *type = filled(graph.context(), before, typeOf(node, inference))) {
      graph.setType(&node, type);
      report_.inferred += type == before ? 0 : 1;
    } else if ((yieldsTensor(node) || (node.op() && node.op()->opaque)) && operandsKnown(node)) {
      ++open_[node.target().str().str()];
    }
  }

  const Type *typeOf(const Node &node, TypeInference &inference) {
    if (!node.op())
      return nullptr;
    enterBodies(node);
    llvm::Expected<const Type *> type = inference.typeOf(node);
    if (type)
      return *type;
    llvm::consumeError(type.takeError()); // because the verifier says what is wrong with the arguments
    return nullptr;
  }

  /// The subgraphs of a call take what the call gives to them. A text prints no types of lists, and an
  /// fx_graph_runnable none of the inputs of a subgraph.
  void enterBodies(const Node &node) {
    SubgraphCalls calls = subgraphCallsOf(node);
    for (Graph *body : calls.bodies)
      if (takeTypes(*body, node, calls.arguments))
        run(*body);
  }

  /// Returns true if some input got a type.
  static bool takeTypes(Graph &body, const Node &node, llvm::ArrayRef<Argument> given) {
    bool changed = false;
    for (Node *input : body.nodes()) {
      if (input->opcode() != Opcode::Placeholder || given.empty())
        break;
      const Argument &argument = given.front();
      given = given.drop_front();
      if (input->type() || !argument.is(Argument::Kind::Operand) || !node.operand(argument)->type())
        continue;
      body.setType(input, node.operand(argument)->type());
      changed = true;
    }
    return changed;
  }

  static bool operandsKnown(const Node &node) {
    for (unsigned i = 0; i != node.numOperands(); ++i)
      if (node.operand(i)->type() == nullptr && node.operand(i)->opcode() != Opcode::GetAttr)
        return false;
    return true;
  }

  InferenceReport report_;
  llvm::MapVector<std::string, size_t, std::map<std::string, unsigned>> open_;
};

} // namespace

// A text with types has none for lists, so a graph of calls on lists alone is judged by the elements that it takes.
bool lacksTypes(const Graph &graph) {
  size_t typed = 0, open = 0, typedElements = 0, openElements = 0;
  for (const Node *node : graph)
    if (yieldsTensor(*node))
      ++(node->type() ? typed : open);
    else if (node->op() && node->op()->role == OpRole::GetItem)
      ++(node->type() ? typedElements : openElements);
  return typed + open != 0 ? open > typed : openElements > typedElements;
}

InferenceReport inferTypes(Graph &graph) {
  Inference inference;
  inference.run(graph);
  return inference.take();
}

} // namespace ccgraph
