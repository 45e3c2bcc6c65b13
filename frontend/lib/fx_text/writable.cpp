#include "fx_text/writable.h"

#include "ccgraph/ir/diagnostic.h"
#include "fx_text/constant_text.h"
#include "fx_text/python.h"
#include "graph_names.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using llvm::StringRef;

namespace ccgraph::fx {
namespace {

class WritableCheck {
public:
  explicit WritableCheck(const Graph &graph) : graph_(graph) {}

  llvm::Error check() {
    checkOrder();
    if (!found_.empty())
      return makeError(std::move(found_));
    for (const Node *node : graph_) {
      check(*node);
      if (!found_.empty())
        return makeError(std::move(found_));
    }
    for (const auto &[name, subgraph] : graph_.subgraphs()) {
      if (!isIdentifier(name.str()))
        return makeError(refusal(name.str(), "name of a subgraph", name.str(), "an identifier of Python"));
      if (llvm::Error error = WritableCheck(*subgraph).check())
        return error;
    }
    return llvm::Error::success();
  }

private:
  static Diagnostic refusal(StringRef where, StringRef what, StringRef got, StringRef expected) {
    Diagnostic diagnostic;
    diagnostic.where = where.str();
    diagnostic.message = ("FX text cannot contain the " + what + " '" + got + "', expected " + expected +
                          ": it would read back as something else")
                             .str();
    diagnostic.notes.push_back("give it another name where the graph is made, or write JSON (-o FILE.json)");
    return diagnostic;
  }

  void demand(bool holds, StringRef what, StringRef got, StringRef expected) {
    if (!holds && found_.empty())
      found_.push_back(refusal(node_->name().str(), what, got, expected));
  }

  /// A function of Python has its parameters before its calls, and ends where it returns.
  void checkOrder() {
    bool called = false;
    for (const Node *node : graph_) {
      if (node->opcode() == Opcode::Placeholder && called)
        demandOrder(node->name().str(), "parameters before calls");
      if (node->opcode() == Opcode::Output && node != graph_.back())
        demandOrder(node->name().str(), "one output, at the end");
      called |= node->opcode() != Opcode::Placeholder;
    }
    if (!graph_.back() || graph_.back()->opcode() != Opcode::Output)
      demandOrder(graph_.name(), "an output at its end");
  }

  void demandOrder(StringRef where, StringRef expected) {
    if (!found_.empty())
      return;
    Diagnostic diagnostic;
    diagnostic.where = where.str();
    diagnostic.message = ("FX text cannot contain this order of nodes, expected " + expected).str();
    diagnostic.notes.push_back("make parameters first, then calls, then one output, or write JSON (-o FILE.json)");
    found_.push_back(std::move(diagnostic));
  }

  void check(const Node &node) {
    node_ = &node;
    if (std::optional<BadName> bad = names_.findBad(node))
      found_.push_back(refusal(node.name().str(), bad->role, bad->got, bad->expected));
    for (const Argument &argument : node.args())
      check(argument);
    for (const auto &[name, value] : node.kwargs())
      check(value);
    if (node.type() && types_.insert(node.type()).second)
      checkType(node.type()->str());
  }

  /// Symbols are the one part of a type that is any text.
  void checkType(StringRef text) {
    demand(isOneLine(text) && text.find_first_of("'\"\\#") == StringRef::npos, "type", text,
           "dtype, sizes, strides and device");
  }

  void check(const Argument &argument) {
    switch (argument.kind()) {
    case Argument::Kind::Layout:
      return demand(isLayout(argument.text()), "layout", argument.text(), "a layout of PyTorch such as strided");
    case Argument::Kind::MemoryFormat:
      return demand(isMemoryFormat(argument.text()), "memory format", argument.text(),
                    "a memory format of PyTorch such as contiguous_format");
    case Argument::Kind::Python:
      return checkText("constant", argument.text());
    case Argument::Kind::Symbolic:
      return checkText("expression", argument.symbolic()->text());
    case Argument::Kind::Device:
      return demand(isIdentifier(argument.device().kind.str()), "device", argument.device().kind.str(),
                    "a kind of device such as cuda");
    case Argument::Kind::List:
    case Argument::Kind::Tuple:
    case Argument::Kind::Slice:
    case Argument::Kind::Dict:
      return checkParts(argument);
    case Argument::Kind::None:
    case Argument::Kind::Bool:
    case Argument::Kind::Int:
    case Argument::Kind::Float:
    case Argument::Kind::String:
    case Argument::Kind::DType:
    case Argument::Kind::Operand:
      return;
    }
  }

  void checkParts(const Argument &argument) {
    for (const Argument &element : argument.elements())
      check(element);
    for (const auto &[key, value] : argument.entries())
      check(value);
  }

  /// A word in such a text may be the name of a node; it would then read back as the node.
  void checkText(StringRef what, StringRef text) {
    if (!texts_.insert(text).second)
      return;
    bool isSymbol = isSymbolName(text);
    demand(readsBack(text) &&
               (isSymbol || !mentions(text, [&](StringRef word) { return graph_.find(word) != nullptr; })),
           what, text, "a constant, or symbols such as s0 + 1, without the names of nodes");
  }

  const Graph &graph_;
  GraphNames names_;
  const Node *node_ = nullptr;
  std::vector<Diagnostic> found_;
  llvm::DenseSet<const Type *> types_; ///< types that were checked already
  llvm::StringSet<> texts_;            ///< texts that were checked already
};

} // namespace

llvm::Error checkWritable(const Graph &graph) { return WritableCheck(graph).check(); }

bool isMemoryFormat(StringRef word) {
  constexpr StringRef known[] = {"contiguous_format", "preserve_format", "channels_last", "channels_last_3d"};
  return llvm::is_contained(known, word);
}

bool isLayout(StringRef word) {
  constexpr StringRef known[] = {"strided",    "sparse_coo", "sparse_csr", "sparse_csc",
                                 "sparse_bsr", "sparse_bsc", "jagged",     "_mkldnn"};
  return llvm::is_contained(known, word);
}

} // namespace ccgraph::fx
