// ExpressionReader: Python expressions as torch.fx prints arguments -> Argument trees.
//
//   mm_1, [1, -1], (a, None), {'k': True}, 'sum', 1e-05, inf, torch.bfloat16,
//   device(type='cuda', index=0), slice(None, 2, None), torch.contiguous_format,
//   2*s0 (a size that is no node), and as their text all expressions without nodes that are none of these
//
// One reader reads the arguments of one statement, since its builder counts that node's operands.
//
// Ownership: writes into the graph's arena through an ArgumentBuilder; borrows names, problems and
// cursor. Errors: reported to Problems at their place; every function then returns false, and the
// statement is given up. A name whose own statement was wrong fails silently, because that error
// was already reported. Cost: linear in the text; brackets may nest 200 deep, because reading
// recurses.
#pragma once

#include "fx_text/cursor.h"
#include "fx_text/problems.h"

#include "llvm/ADT/DenseMap.h"

namespace ccgraph::fx {

/// Names of one graph so far; null where the statement of that name was wrong.
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

  /// One expression.
  bool argument(Argument &out);
  /// One side of an operator: an expression without an operator of its own.
  bool operand(Argument &out) { return atom(out); }
  /// What stands after '(' of a call, up to and with its ')'.
  bool callArguments(CallArguments &out);
  /// What stands after '[', up to and with its ']': x[0], x[(1, 2)], x[1:2, 0].
  bool subscript(Argument &out);
  /// A reference to a name; reports an unknown one.
  bool reference(llvm::StringRef name, Argument &out);
  /// With the operands of all that was read, for Graph::create.
  [[nodiscard]] ArgumentBuilder &&takeBuilder() { return std::move(builder_); }
  [[nodiscard]] ArgumentBuilder &builder() { return builder_; }

private:
  bool atom(Argument &out);
  // Each of these stands after its opening bracket, and takes its closing one.
  bool sequence(Argument::Kind kind, Argument &out);
  bool parenthesised(Argument &out);
  bool dictionary(Argument &out);
  // Literals of one token.
  bool string(Argument &out);
  bool number(Argument &out);
  // What begins with a word: a constant, a node, a symbol, something of torch, or a call.
  bool wordValue(Argument &out);
  bool dottedValue(const char *start, Argument &out);
  bool torchValue(llvm::StringRef name, Argument &out);
  bool device(Argument &out);
  bool slice(Argument &out);
  bool subscriptItem(Argument &out);
  bool slicePart(Argument &out);
  // What is no single value: sizes spelled out, and Python that only its text can say. No nodes may be in either.
  bool arithmetic(const char *start, Argument &out);
  bool pythonText(const char *start, Argument &out);
  bool objectText(Argument &out);
  bool mentionsNode(llvm::StringRef text) const;
  /// Elements up to the closing bracket, with or without a comma after the last.
  bool element(char close, llvm::SmallVectorImpl<Argument> &out);
  bool separator(char close, bool &done);
  bool oneCallArgument(CallArguments &out);
  /// Reports what stands here instead of `what`; always false.
  bool expected(llvm::StringRef what, std::string repair = "");

  Context &context_;
  ArgumentBuilder builder_;
  const NameTable &names_;
  Problems &problems_;
  Cursor &cursor_;
  int depth_ = 0;
};

} // namespace ccgraph::fx
