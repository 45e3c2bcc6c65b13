// ExpressionReader: Python expressions as torch.fx prints arguments -> Argument trees.
//
//   mm_1, [1, -1], (a, None), {'k': True}, 'sum', 1e-05, inf, torch.bfloat16,
//   device(type='cuda', index=0), slice(None, 2, None), torch.contiguous_format,
//   2*s0 (a size that is no node); all other expressions without nodes, as their text
//
// One reader reads the arguments of one statement, because its builder counts that node's operands.
//
// Ownership: writes into the graph's arena through an ArgumentBuilder; borrows names, problems and cursor. Errors:
// reported to Problems at their place; every function then returns false, and the statement is dropped. A name whose
// own statement was wrong fails silently, because that error was already reported. Cost: linear in the text. Brackets
// may nest 200 deep, because reading recurses.
#pragma once

#include "fx_text/cursor.h"
#include "fx_text/problems.h"

#include "llvm/ADT/DenseMap.h"

namespace ccgraph::fx {

/// The names of one graph so far; null where the statement of that name was wrong.
using NameTable = llvm::DenseMap<llvm::StringRef, Node *>;

/// Positional and keyword arguments of a call.
struct CallArguments {
  llvm::SmallVector<Argument, 8> positional;
  llvm::SmallVector<NamedArgument, 4> keyword;
  [[nodiscard]] Arguments view() const { return {positional, keyword}; }
};

class ExpressionReader {
public:
  ExpressionReader(Graph &graph, const NameTable &names, Problems &problems, Cursor &cursor)
      : context_(graph.context()), builder_(graph), names_(names), problems_(problems), cursor_(cursor) {}

  /// Reads one expression.
  bool argument(Argument &out);
  /// Reads one side of an operator: an expression without an operator of its own.
  bool operand(Argument &out) { return atom(out); }
  /// Reads the arguments after the '(' of a call, up to and including its ')'.
  bool callArguments(CallArguments &out);
  /// Reads an index after '[', up to and including its ']': x[0], x[(1, 2)], x[1:2, 0].
  bool subscript(Argument &out);
  /// Reads a reference to a name; reports an unknown one.
  bool reference(llvm::StringRef name, Argument &out);
  /// Moves out the operands of all arguments that were read, for Graph::create.
  [[nodiscard]] ArgumentBuilder &&takeBuilder() { return std::move(builder_); }
  [[nodiscard]] ArgumentBuilder &builder() { return builder_; }

private:
  bool atom(Argument &out);
  // Each of these begins after its opening bracket and reads its closing one.
  bool sequence(Argument::Kind kind, Argument &out);
  bool parenthesised(Argument &out);
  bool dictionary(Argument &out);
  // Literals of one token.
  bool string(Argument &out);
  bool number(Argument &out);
  // Reads a value that begins with a word: a constant, a node, a symbol, a name of torch, or a call.
  bool wordValue(Argument &out);
  bool dottedValue(const char *start, Argument &out);
  bool torchValue(llvm::StringRef name, Argument &out);
  bool device(Argument &out);
  bool slice(Argument &out);
  bool subscriptItem(Argument &out);
  bool slicePart(Argument &out);
  // Read values of several tokens: symbolic sizes, and Python that is kept as text. Neither may contain nodes.
  bool arithmetic(const char *start, Argument &out);
  bool pythonText(const char *start, Argument &out);
  bool objectText(Argument &out);
  bool mentionsNode(llvm::StringRef text) const;
  /// Reads elements up to the closing bracket, with or without a comma after the last.
  bool element(char close, llvm::SmallVectorImpl<Argument> &out);
  bool separator(char close, bool &done);
  bool oneCallArgument(CallArguments &out);
  /// Reports that `what` was expected, with the text here; always returns false.
  bool expected(llvm::StringRef what, std::string repair = "");

  Context &context_;
  ArgumentBuilder builder_;
  const NameTable &names_;
  Problems &problems_;
  Cursor &cursor_;
  int depth_ = 0;
};

} // namespace ccgraph::fx
