#include "ccgraph/frontend/fx_text.h"

#include "ccgraph/ir/internal/names.h"
#include "fx_text/argument_printer.h"
#include "fx_text/python.h"
#include "fx_text/source_comment.h"
#include "fx_text/writable.h"
#include "json/guard_list.h"

#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace ccgraph {

namespace fx {
namespace {

// Prints a graph in the form in which it is read. So a diff of the text before and after a pass shows the effect of the
// pass, and PyTorch can run the text. The other parts follow from the graph: which values die after a line (the last
// reader frees them), where a source comment is due (where the frame changes), and which calls Python writes with a
// symbol.

/// Finds the values that a node frees: the operands that no later node reads, and its own result where it has no
/// reader. In
///   y = relu(x);  z = add(x, y);  return z
/// the add frees x and y: it is the last reader of both.
class Liveness {
public:
  explicit Liveness(const Graph &graph) : freed_(graph.idLimit()) {
    // The walk is backwards, so the first user it meets is the last one in program order.
    std::vector<bool> seen(graph.idLimit());
    for (const Node *user = graph.back(); user != nullptr; user = user->prev())
      for (unsigned i = 0; i != user->numOperands(); ++i)
        if (Node *def = user->operand(i); !seen[def->id()]) {
          seen[def->id()] = true;
          freed_[user->id()].push_back(def);
        }
    for (Node *node : graph)
      if (!seen[node->id()])
        freed_[node->id()].push_back(node);
  }

  [[nodiscard]] llvm::ArrayRef<const Node *> freedBy(const Node &node) const { return freed_[node.id()]; }

private:
  std::vector<llvm::SmallVector<const Node *, 2>> freed_;
};

/// Prints the text between the parentheses of a call; an operand is the name of its node.
void printCall(llvm::raw_ostream &os, const Node &node) {
  printArguments(os, node.args(), node.kwargs(), [&](uint32_t index) { os << node.operand(index)->name().str(); });
}

void printOf(llvm::raw_ostream &os, const Node &node, const Argument &argument) {
  printArgument(os, argument, [&](uint32_t index) { os << node.operand(index)->name().str(); });
}

/// Returns whether the target keeps its own name, as a function of torch or of a Python module does; an operator is
/// printed under torch.ops.
bool isFunction(StringRef target) {
  auto [root, rest] = target.split('.');
  return rest.empty() || root == "torch" || root == "operator" || root == "math" || root == "builtins";
}

class GraphPrinter {
public:
  GraphPrinter(llvm::raw_ostream &os, const Graph &graph, const FxTextOptions &options, unsigned indent)
      : os_(os), graph_(graph), options_(options), indent_(indent), liveness_(graph) {}

  void print() {
    classLine();
    header();
    for (const Node *node : graph_)
      rename(*node);
    for (const Node *node : graph_)
      statement(*node);
    for (const auto &[name, subgraph] : graph_.subgraphs()) {
      os_ << '\n';
      GraphPrinter(os_, *subgraph, options_, indent_ + 1).print();
    }
  }

private:
  llvm::raw_ostream &line(unsigned depth) { return os_.indent(4 * (indent_ + depth)); }

  /// A name that is not a Python identifier follows the class as a comment, so that it reads back: class _lambda_(..):
  /// # <lambda>
  void classLine() {
    std::string word = className(graph_.name());
    line(0) << "class " << word << "(torch.nn.Module):";
    llvm::StringRef name = graph_.name();
    bool readsBack = !name.empty() && name.trim() == name && llvm::all_of(name, llvm::isPrint);
    if (word != name && readsBack)
      os_ << "  # " << name;
    os_ << '\n';
  }

  void header() {
    line(1) << "def forward(self";
    for (const Node *node : graph_) {
      if (node->opcode() != Opcode::Placeholder)
        continue;
      os_ << ", " << node->target().str();
      annotation(*node);
      for (const Argument &value : node->args()) {
        os_ << " = ";
        printOf(os_, *node, value);
      }
    }
    os_ << "):\n";
    if (!graph_.guards.empty()) {
      writeJsonGuards(line(2) << "# guards: ", graph_.guards);
      os_ << '\n';
    }
  }

  /// Prints a line for an input whose parameter has another name than its node.
  void rename(const Node &node) {
    if (node.opcode() != Opcode::Placeholder || node.name() == node.target())
      return;
    anything_ = true;
    line(2) << node.name().str() << " = " << node.target().str().ltrim('*') << '\n';
  }

  void annotation(const Node &node) {
    const Type *type = node.type();
    if (type != nullptr &&
        (type->isTensor() || type->kind() == Type::Kind::Symbolic || (type->isList() && options_.listTypes)))
      os_ << ": \"" << type->str() << '"';
  }

  void statement(const Node &node) {
    switch (node.opcode()) {
    case Opcode::Placeholder:
      return;
    case Opcode::Output:
      line(2) << "return ";
      printCall(os_, node);
      os_ << '\n';
      return;
    case Opcode::GetAttr:
    case Opcode::CallFunction:
      comment(node);
      line(2);
      call(node);
      trailer(node);
      os_ << '\n';
      return;
    }
  }

  /// A comment applies up to the next one, so it is printed only where the source changes.
  void comment(const Node &node) {
    if (!options_.comments || (hasComment_ && node.frame() == frame_))
      return;
    if (anything_)
      os_ << '\n';
    hasComment_ = true;
    frame_ = node.frame();
    printSourceComment(line(2), graph_.frames()[frame_]);
    os_ << '\n';
  }

  void target(const Node &node) {
    os_ << node.name().str();
    annotation(node);
    os_ << " = ";
  }

  void call(const Node &node) {
    anything_ = true;
    StringRef name = node.target().str();
    if (node.opcode() == Opcode::GetAttr) {
      target(node);
      attribute(name);
    } else if (!asOperator(node, name)) {
      target(node);
      os_ << (isFunction(name) ? "" : "torch.ops.") << name << '(';
      printCall(os_, node);
      os_ << ')';
    }
  }

  /// Prints the path layers.0.weight as torch.fx does: getattr(self.layers, "0").weight.
  void attribute(StringRef path) {
    std::string text = "self";
    for (StringRef part : llvm::split(path, "."))
      if (isIdentifier(part) && !isPythonKeyword(part))
        text += ("." + part).str();
      else
        text = ("getattr(" + text + ", \"" + part + "\")").str();
    os_ << text;
  }

  /// Prints calls of functions that Python writes with a symbol, where the number of arguments fits the symbol.
  /// operator.add(a, b) is "a + b", operator.getitem(x, 0) is "x[0]". With another number of arguments, or a keyword
  /// argument, the call is printed by its name, which reads back as the same node.
  bool asOperator(const Node &node, StringRef name) {
    llvm::ArrayRef<Argument> args = node.args();
    if (!node.kwargs().empty() || args.empty())
      return false;
    if (name == "operator.getitem" && args.size() == 2)
      return target(node), subscript(node), true;
    if (name == "operator.setitem" && args.size() == 3)
      return subscript(node), inPlace(node, " = ", args[2]), true;
    if (name == "builtins.getattr" && args.size() == 2 && args[0].is(Argument::Kind::Operand) &&
        args[1].is(Argument::Kind::String) && isIdentifier(args[1].text()) && !isPythonKeyword(args[1].text()))
      return target(node), operand(node, args[0]), os_ << '.' << args[1].text(), true;
    const PythonOperator *symbol = operatorOf(name);
    if (symbol == nullptr || args.size() != (symbol->form == PythonOperator::Form::Unary ? 1 : 2))
      return false;
    switch (symbol->form) {
    case PythonOperator::Form::Unary:
      target(node);
      os_ << symbol->symbol;
      operand(node, args[0]);
      return true;
    case PythonOperator::Form::Binary:
      target(node);
      operand(node, args[0]);
      os_ << ' ' << symbol->symbol << ' ';
      operand(node, args[1]);
      return true;
    case PythonOperator::Form::InPlace:
      operand(node, args[0]);
      inPlace(node, (" " + symbol->symbol + " ").str(), args[1]);
      return true;
    }
    return false;
  }

  void operand(const Node &node, const Argument &argument) { printOf(os_, node, argument); }

  void subscript(const Node &node) {
    operand(node, node.args()[0]);
    os_ << '[';
    operand(node, node.args()[1]);
    os_ << ']';
  }

  void inPlace(const Node &node, StringRef symbol, const Argument &value) {
    os_ << symbol;
    operand(node, value);
    os_ << ";  ";
    target(node);
    operand(node, node.args()[0]);
  }

  void trailer(const Node &node) {
    llvm::ArrayRef<const Node *> freed = liveness_.freedBy(node);
    if (options_.liveness && !freed.empty()) {
      os_ << ";  ";
      for (const Node *dead : freed)
        os_ << dead->name().str() << " = ";
      os_ << "None";
    }
    for (unsigned i = 0; i != node.numOrdering(); ++i)
      os_ << (i == 0 ? "  # after: " : ", ") << node.ordering(i)->name().str();
  }

  llvm::raw_ostream &os_;
  const Graph &graph_;
  FxTextOptions options_;
  unsigned indent_;
  Liveness liveness_;
  uint32_t frame_ = 0;
  bool hasComment_ = false;
  bool anything_ = false; ///< a line of the body was printed
};

bool callsNamespace(const Graph &graph, StringRef space) {
  return llvm::any_of(graph, [&](const Node *node) { return node->target().str().startswith(space); }) ||
         llvm::any_of(graph.subgraphs(), [&](const auto &entry) { return callsNamespace(*entry.second, space); });
}

/// Prints the import of a module that registers operators, where `import torch` alone does not.
void printImports(llvm::raw_ostream &os, const Graph &graph) {
  if (callsNamespace(graph, "ao."))
    os << "import torch._functorch._activation_offloading.offload_ops  # registers torch.ops.ao\n\n";
}

} // namespace
} // namespace fx

llvm::Error writeFxText(llvm::raw_ostream &os, const Graph &graph, const FxTextOptions &options) {
  if (llvm::Error error = fx::checkWritable(graph))
    return error;
  fx::printImports(os, graph);
  fx::GraphPrinter(os, graph, options, 0).print();
  return llvm::Error::success();
}

} // namespace ccgraph
